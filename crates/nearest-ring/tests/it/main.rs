//! Known answers, points given by hand, and theory against simulation.

mod by_hand;
mod theory;

use nearest_ring::STRATEGIES;
use router::{
    Catalog, Cluster, NodeSpec,
    suite::{Effort, Verdict, run, soak},
};

/// A cluster of nodes of weight 1.
#[track_caller]
fn cluster<S: AsRef<str>>(spec: &str, names: &[S]) -> Cluster {
    build(&Catalog::new(STRATEGIES).unwrap(), spec, names)
}

#[track_caller]
fn build<S: AsRef<str>>(catalog: &Catalog, spec: &str, names: &[S]) -> Cluster {
    let nodes: Vec<NodeSpec> = names.iter().map(|name| name.as_ref().into()).collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

/// The nodes that a key prefers, in order, separated by blanks; the first is the owner.
#[track_caller]
fn preference(cluster: &Cluster, key: &[u8]) -> String {
    let ids = cluster.preference(key, usize::MAX).unwrap();
    assert_eq!(cluster.route(key), ids.first().copied());
    let names: Vec<&str> = ids.iter().map(|&id| cluster.name(id).unwrap()).collect();
    names.join(" ")
}

#[test]
fn the_contract_holds() {
    for text in ["nearest-ring", "nearest-ring:vnodes=1"] {
        let catalog = Catalog::new(STRATEGIES).unwrap();
        let spec = catalog.parse(text).unwrap();
        for outcome in run(&spec, Effort::Gate) {
            if let Verdict::Failed(why) = outcome.verdict {
                panic!("{text}: {}: {why}", outcome.check);
            }
        }
    }
    let small = Catalog::new(STRATEGIES).unwrap();
    soak(&small.parse("nearest-ring:vnodes=3").unwrap(), 2000).unwrap();
}

/// Checks the order of `node-0` to `node-5` for a key, with 1 and 100 points each. From the definition
/// written in Python over its `xxhash` package, by looking at all points.
#[track_caller]
fn check(key: &str, one: &str, hundred: &str) {
    let nodes = names("node-", 6);
    let ring = cluster("nearest-ring:vnodes=1", &nodes);
    assert_eq!(preference(&ring, key.as_bytes()), one, "{key:?}");
    let ring = cluster("nearest-ring", &nodes);
    assert_eq!(preference(&ring, key.as_bytes()), hundred, "{key:?}");
}

#[test]
fn known_answers() {
    check(
        "",
        "node-4 node-5 node-0 node-1 node-3 node-2",
        "node-3 node-1 node-5 node-2 node-4 node-0",
    );
    check(
        "a",
        "node-3 node-5 node-4 node-0 node-1 node-2",
        "node-1 node-2 node-3 node-0 node-5 node-4",
    );
    check(
        "user0",
        "node-0 node-1 node-2 node-4 node-5 node-3",
        "node-1 node-5 node-3 node-4 node-0 node-2",
    );
    check(
        "user1",
        "node-3 node-5 node-4 node-0 node-1 node-2",
        "node-4 node-2 node-0 node-3 node-1 node-5",
    );
    check(
        "user2",
        "node-2 node-1 node-0 node-4 node-3 node-5",
        "node-4 node-2 node-3 node-5 node-1 node-0",
    );
    check(
        "user3",
        "node-3 node-5 node-4 node-2 node-0 node-1",
        "node-2 node-1 node-0 node-4 node-3 node-5",
    );
    check(
        "node-3",
        "node-0 node-1 node-2 node-4 node-5 node-3",
        "node-0 node-5 node-3 node-4 node-2 node-1",
    );
}
