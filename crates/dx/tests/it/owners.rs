//! Owners from a program of its own in Python, XXH3 by the package `xxhash`. No public program
//! gives answers to compare with that do not hang on its own generator.

use router::{Catalog, Cluster, NodeSpec};

/// A cluster of nodes `0` to `n - 1`.
fn cluster(spec: &str, n: u32) -> Cluster {
    let catalog = Catalog::new(dx::STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = (0..n).map(|i| i.to_string().into()).collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

fn owner(cluster: &Cluster, i: u32) -> &str {
    let owner = cluster.route(format!("key-{i}").as_bytes()).unwrap();
    cluster.name(owner).unwrap()
}

/// Checks the names of the owners of `key-0` to `key-23`.
#[track_caller]
fn check(cluster: &Cluster, expected: &str) {
    let found: Vec<&str> = (0..24).map(|i| owner(cluster, i)).collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn keys_lie_as_its_page_says() {
    let mut nodes = cluster("dx", 10);
    check(&nodes, "7 0 4 9 0 7 2 8 5 2 5 0 7 7 3 1 6 6 6 9 4 2 3 6");
    for name in ["3", "7", "0"] {
        nodes.remove(name).unwrap();
    }
    check(&nodes, "4 5 4 9 5 6 2 8 5 2 5 9 5 4 6 1 6 6 6 9 4 2 6 6");
    nodes.add("new").unwrap(); // in slot 0
    check(
        &nodes,
        "4 new 4 9 new 6 2 8 5 2 5 new 5 4 6 1 6 6 6 9 4 2 6 6",
    );
}

/// Four slots for three nodes, doubled twice for ten.
#[test]
fn a_grown_range_lies_as_its_page_says() {
    let mut nodes = cluster("dx:capacity=1", 3);
    for i in 3..10 {
        nodes.add(i.to_string()).unwrap();
    }
    check(&nodes, "6 4 0 9 4 5 7 9 4 7 1 8 4 2 1 1 4 7 2 7 7 3 2 5");
}

/// Of 256 slots two are live; three of 20,000 keys draw neither 1024 times.
#[test]
fn keys_that_draw_in_vain_have_the_slot_of_the_highest_hash() {
    let nodes = cluster("dx:capacity=100", 2);
    for (i, expected) in [(10_177, "0"), (14_596, "1"), (18_236, "0")] {
        assert_eq!(owner(&nodes, i), expected);
        let trace = nodes.trace(format!("key-{i}").as_bytes()).unwrap();
        assert_eq!((trace.hash_evals, trace.probes), (1024 + 2, 1024 + 2));
    }
}
