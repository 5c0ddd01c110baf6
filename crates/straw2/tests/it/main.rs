//! Known answers, the logarithm, and theory against counting.

mod theory;

use std::sync::Arc;

use router::{
    Catalog, Cluster, ErrorKind, KeyBuf, NodeId, NodeSpec,
    suite::{Effort, Verdict, run, soak},
};
use straw2::{STRATEGIES, log::log2, rjenkins::hash3};

/// A cluster of nodes given as `name` or `name=weight`.
#[track_caller]
fn cluster<S: AsRef<str>>(nodes: &[S]) -> Cluster {
    let catalog = Catalog::new(STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = nodes.iter().map(|it| node(it.as_ref())).collect();
    Cluster::build(&catalog.parse("straw2").unwrap(), &nodes).unwrap()
}

fn node(text: &str) -> NodeSpec {
    match text.split_once('=') {
        Some((name, weight)) => NodeSpec::new(name, weight.parse().unwrap()),
        None => text.into(),
    }
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

/// The name of each key's owner.
fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<Arc<str>> {
    let mut owners = vec![NodeId::default(); keys.len()];
    assert!(cluster.route_batch(keys.keys(), &mut owners), "it serves");
    let name = |id| Arc::clone(&cluster.nodes().get(id).expect("owners are present").name);
    owners.into_iter().map(name).collect()
}

/// The nodes that a key prefers, in order, separated by blanks; the first is the owner.
fn preference(cluster: &Cluster, key: &str) -> String {
    let ids = cluster.preference(key.as_bytes(), usize::MAX).unwrap();
    assert_eq!(cluster.route(key.as_bytes()), ids.first().copied());
    let names: Vec<&str> = ids.iter().map(|&id| cluster.name(id).unwrap()).collect();
    names.join(" ")
}

#[test]
fn the_contract_holds() {
    let spec = Catalog::new(STRATEGIES).unwrap().parse("straw2").unwrap();
    for outcome in run(&spec, Effort::Gate) {
        if let Verdict::Failed(why) = outcome.verdict {
            panic!("{}: {why}", outcome.check);
        }
    }
    soak(&spec, 2000).unwrap();
}

/// From the definition in Ceph's `src/crush/hash.c`, run in another language.
#[test]
fn rjenkins1_is_cephs() {
    assert_eq!(hash3(0, 0, 0), 2_050_749_362);
    assert_eq!(hash3(1, 2, 3), 1_935_332_395);
    assert_eq!(hash3(123, 456, 789), 2_675_329_259);
    assert_eq!(hash3(0xdead_beef, 1, 0), 3_048_985_890);
}

/// From logarithms of 60 decimal digits, multiplied by 2^44 and rounded down.
#[test]
fn logarithms_are_exact() {
    for (v, expected) in [
        (1, 0),
        (2, 1 << 44),
        (3, 27_882_955_186_109),
        (10, 58_439_977_071_430),
        (65_535, 281_474_589_437_200),
        (65_536, 1 << 48),
    ] {
        assert_eq!(log2(v), expected, "{v}");
    }
    // All of them, as a polynomial in 31.
    let all = (1..=65_536).fold(0_u64, |sum, v| sum.wrapping_mul(31).wrapping_add(log2(v)));
    assert_eq!(all, 13_879_190_253_073_001_122);
}

/// Checks the order of `a`, `b` and `c`, and of five weighted nodes, for a key. From the rule written in
/// Python over its `xxhash` package, with logarithms of 60 decimal digits.
#[track_caller]
fn check(key: &str, equal: &str, weighted: &str) {
    assert_eq!(
        preference(&cluster(&["a", "b", "c"]), key),
        equal,
        "{key:?}"
    );
    let weights = cluster(&["d", "a=1", "c=3", "e=0", "b=8"]);
    assert_eq!(preference(&weights, key), weighted, "{key:?}");
}

#[test]
fn known_answers() {
    check("", "c a b", "c d b a");
    check("a", "b a c", "b c a d");
    check("user0", "a b c", "b a c d");
    check("user1", "b a c", "b c d a");
    check("user2", "b a c", "d b c a");
    check("user3", "a c b", "c d a b");
    check("user4", "b c a", "b c d a");
    check("b", "a b c", "a b c d");
}

/// Of 400 nodes two draw the same in every fifth key or so; the smaller name has it, whatever the
/// order of joining.
#[test]
fn equal_draws_go_to_the_smaller_name() {
    use point_hash::{xxh3, xxh3_seeded};
    let low = |hash: u64| (hash & 0xffff_ffff) as u32;
    let nodes = names("node-", 400);
    let mut backwards = nodes.clone();
    backwards.reverse();
    let (one, other) = (cluster(&nodes), cluster(&backwards));
    let keys: KeyBuf = names("key-", 4000).iter().collect();
    let (first, second) = (owners(&one, &keys), owners(&other, &keys));
    assert_eq!(first, second);
    let mut ties = 0;
    for (key, owner) in keys.keys().iter().zip(first) {
        let draw = |name: &str| {
            let id = xxh3_seeded(name.as_bytes(), 1);
            hash3(low(xxh3(key)), low(id), low(id >> 32)) & 0xffff
        };
        let longest = nodes.iter().map(|name| draw(name)).max().unwrap();
        let mut drew: Vec<&str> = nodes.iter().map(|it| it.as_str()).collect();
        drew.retain(|name| draw(name) == longest);
        assert_eq!(Some(&&*owner), drew.iter().min());
        ties += usize::from(drew.len() > 1);
    }
    // About n / 2^16 of the keys: 24, give or take 5.
    assert!((4..50).contains(&ties), "{ties}");
}

/// 16.16 bits hold no more; such a change is refused and changes nothing.
#[test]
fn weights_are_bounded() {
    let mut cluster = cluster(&["a", "b=65535"]);
    let err = cluster.set_weight("a", 65_536).unwrap_err();
    assert_eq!(err.kind(), ErrorKind::Refused);
    assert!(err.to_string().contains("65535"), "{err}");
    assert_eq!(cluster.nodes()[0].weight, 1);
    cluster.set_weight("a", 65_535).unwrap();
}

#[test]
fn a_trace_counts_every_node_with_weight() {
    let trace = cluster(&["a", "b=2", "c=0", "d"]).trace(b"user0").unwrap();
    assert_eq!((trace.hash_evals, trace.probes), (4, 3));
    assert_eq!(trace.batch_probes, 3.0);
}
