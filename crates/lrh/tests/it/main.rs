//! Known answers, windows by hand, and theory against simulation.

mod theory;
mod windows;

use lrh::STRATEGIES;
use router::{
    Catalog, Cluster, NodeSpec,
    suite::{Effort, Verdict, run, soak},
};

/// A cluster of nodes of weight 1.
#[track_caller]
fn cluster<S: AsRef<str>>(spec: &str, names: &[S]) -> Cluster {
    let catalog = Catalog::new(STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = names.iter().map(|name| name.as_ref().into()).collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

/// The first `n` nodes that a key prefers, in order; the first is the owner.
#[track_caller]
fn preference<'a>(cluster: &'a Cluster, key: &[u8], n: usize) -> Vec<&'a str> {
    let ids = cluster.preference(key, n).unwrap();
    assert_eq!(cluster.route(key), ids.first().copied());
    ids.iter().map(|&id| cluster.name(id).unwrap()).collect()
}

#[test]
fn the_contract_holds() {
    for text in [
        "lrh:vnodes=20",
        "lrh:vnodes=2,candidates=3",
        "lrh:vnodes=3,candidates=1",
    ] {
        let spec = Catalog::new(STRATEGIES).unwrap().parse(text).unwrap();
        for outcome in run(&spec, Effort::Gate) {
            if let Verdict::Failed(why) = outcome.verdict {
                panic!("{text}: {}: {why}", outcome.check);
            }
        }
        soak(&spec, 2000).unwrap();
    }
}

/// Checks the first four of `node-0` to `node-11` for a key, with 2 points each and windows of 2, and
/// with 256 and 8. From the definition written in Python over its `xxhash` package.
#[track_caller]
fn check(key: &str, small: &str, default: &str) {
    let nodes = names("node-", 12);
    let ring = cluster("lrh:vnodes=2,candidates=2", &nodes);
    assert_eq!(
        preference(&ring, key.as_bytes(), 4).join(" "),
        small,
        "{key:?}"
    );
    let ring = cluster("lrh", &nodes);
    assert_eq!(
        preference(&ring, key.as_bytes(), 4).join(" "),
        default,
        "{key:?}"
    );
}

#[test]
fn known_answers() {
    check(
        "",
        "node-7 node-0 node-10 node-1",
        "node-6 node-5 node-4 node-9",
    );
    check(
        "a",
        "node-3 node-11 node-6 node-5",
        "node-1 node-0 node-10 node-11",
    );
    check(
        "user0",
        "node-8 node-1 node-2 node-3",
        "node-3 node-9 node-4 node-0",
    );
    check(
        "user1",
        "node-3 node-11 node-6 node-5",
        "node-7 node-8 node-0 node-10",
    );
    check(
        "user2",
        "node-5 node-6 node-9 node-4",
        "node-2 node-6 node-4 node-7",
    );
    check(
        "user3",
        "node-10 node-11 node-3 node-6",
        "node-10 node-4 node-9 node-3",
    );
    check(
        "node-3",
        "node-1 node-8 node-2 node-3",
        "node-1 node-5 node-0 node-7",
    );
}
