//! Known answers, from the definition written in Python over its `xxhash` package.

use router::{Cluster, Estimate, KeyBuf, NodeSpec, Question};

use crate::{cluster, names, owners, preference, with_hashes};

/// Checks the order of nodes `a`, `b` and `c`, and of four weighted nodes, for a key.
#[track_caller]
fn check(key: &str, equal: &str, weighted: &str) {
    assert_eq!(
        preference(&cluster("rendezvous", &["a", "b", "c"]), key),
        equal
    );
    let weights = cluster("rendezvous", &["a", "b=8", "c=3", "d"]);
    assert_eq!(preference(&weights, key), weighted);
}

#[test]
fn each_key_has_its_order() {
    check("", "a c b", "a c b d");
    check("a", "b c a", "b c d a");
    check("user0", "a b c", "b c d a");
    check("user1", "c a b", "c b a d");
    check("user2", "c a b", "c b d a");
    check("user3", "a c b", "a b c d");
    check("user4", "b c a", "b c d a");
    check("user5", "b a c", "b c a d");
}

/// T66: a score without the key gives one node everything.
/// <https://github.com/ykayacan/hashing-utils/issues/17>
#[test]
fn the_score_takes_in_the_key() {
    let nodes: Vec<String> = (0..100).map(|i| format!("{i}=5")).collect();
    let cluster = cluster("rendezvous", &nodes);
    let keys: KeyBuf = names("", 100_000).iter().collect();
    check_even(&cluster, &keys, 100);
}

/// T67: a score that joins the two hashes without mixing is 20 % off.
/// <https://github.com/apache/druid/pull/12817>
#[test]
fn the_score_mixes_key_and_node() {
    let brokers: Vec<String> = (1..=8).map(|i| format!("broker-{i}")).collect();
    let cluster = cluster("rendezvous", &brokers);
    for prefix in ["", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0-"] {
        check_even(&cluster, &names(prefix, 100_000).iter().collect(), 8);
    }
}

/// A count of K/n keys lies within 5 standard deviations but once in 1.7 million.
#[track_caller]
fn check_even(cluster: &Cluster, keys: &KeyBuf, n: usize) {
    let owners = owners(cluster, keys);
    let fair = keys.len() as f64 / n as f64;
    for node in cluster.nodes().iter() {
        let count = owners.iter().filter(|&it| *it == node.name).count() as f64;
        assert!(
            (count - fair).abs() < 5.0 * fair.sqrt(),
            "{}: {count}",
            node.name
        );
    }
}

/// T05: equal scores must not be decided by the order of joining. Every score ties here.
/// <https://github.com/clohfink/RendezvousHash/issues/1>
#[test]
fn equal_scores_go_to_the_smaller_name() {
    #[derive(Clone, Default)]
    struct Constant;
    impl rendezvous::Hashes for Constant {
        fn key(&self, _: &[u8]) -> u64 {
            7
        }
        fn node(&self, _: &str) -> u64 {
            7
        }
    }
    let spec = with_hashes::<Constant>().parse("rendezvous").unwrap();
    for order in ["abc", "acb", "bac", "bca", "cab", "cba"] {
        let nodes: Vec<NodeSpec> = order.chars().map(|it| it.to_string().into()).collect();
        let mut cluster = Cluster::build(&spec, &nodes).unwrap();
        assert_eq!(preference(&cluster, "any"), "a b c", "{order}");
        // One u for all: the heavier clock rings first, and again names decide among equals.
        cluster.set_weight("c", 2).unwrap();
        assert_eq!(preference(&cluster, "any"), "c a b", "{order}");
        cluster.set_weight("b", 2).unwrap();
        assert_eq!(preference(&cluster, "any"), "b c a", "{order}");
        let owner = cluster.route(b"any").unwrap();
        assert_eq!(cluster.name(owner), Some("b"), "{order}");
    }
}

#[test]
fn a_trace_counts_every_node_with_weight() {
    let trace = cluster("rendezvous", &["a", "b=2", "c=0", "d"]).trace(b"user0");
    let trace = trace.unwrap();
    assert_eq!((trace.hash_evals, trace.probes), (4, 3));
    assert_eq!(trace.batch_probes, 3.0);
}

#[track_caller]
fn check_moved(n: u64, removed: u64, added: u64, expected: f64) {
    let spec = cluster("rendezvous", &["a"]).spec().clone();
    let stated = spec.expected(Question::Moved { n, removed, added });
    let stated = stated.unwrap();
    assert!((stated.mean - expected).abs() < 1e-12, "{stated:?}");

    let before = cluster("rendezvous", &names("node", n as usize));
    let mut after = before.clone();
    for i in 0..removed {
        after.remove(&format!("node{i}")).unwrap();
    }
    for i in 0..added {
        after.add(format!("new{i}").as_str()).unwrap();
    }
    let keys: KeyBuf = names("key-", 50_000).iter().collect();
    let moved = owners(&before, &keys)
        .into_iter()
        .zip(owners(&after, &keys))
        .filter(|(from, to)| from != to)
        .count() as f64;
    let n_keys = keys.len() as f64;
    let sd = (n_keys * expected * (1.0 - expected)).sqrt();
    assert!(
        (moved - n_keys * expected).abs() <= 5.0 * sd,
        "{moved} moved"
    );
}

#[test]
fn keys_move_as_theory_says() {
    check_moved(10, 0, 0, 0.0);
    check_moved(10, 1, 0, 0.1);
    check_moved(10, 0, 1, 1.0 / 11.0);
    check_moved(10, 1, 1, 2.0 / 11.0);
    check_moved(10, 3, 5, 8.0 / 15.0);
    check_moved(4, 4, 2, 1.0);
}

#[test]
fn theory_is_exact_where_it_says_so() {
    let spec = cluster("rendezvous", &["a"]).spec().clone();
    let ask = |question| spec.expected(question);
    assert_eq!(
        ask(Question::ShareVariance { n: 7 }),
        Some(Estimate::exact(0.0))
    );
    assert_eq!(ask(Question::Peak { n: 7 }), Some(Estimate::exact(1.0)));
    assert_eq!(
        ask(Question::HashEvals { n: 7 }),
        Some(Estimate::exact(8.0))
    );
    assert_eq!(ask(Question::Probes { n: 7 }), Some(Estimate::exact(7.0)));
    let gone = Question::Moved {
        n: 2,
        removed: 2,
        added: 0,
    };
    assert_eq!(ask(gone), None, "nobody is left");
}
