//! Owners of the strategies with their own hashes, from a program of its own in Python: XXH3 by the
//! package `xxhash`, the paper's arrays or lists in full.

use router::{Catalog, Cluster, NodeSpec};

/// A cluster of nodes `0` to `n - 1`.
fn cluster(spec: &str, n: u32) -> Cluster {
    let catalog = Catalog::new(anchor::STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = (0..n).map(|i| i.to_string().into()).collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

/// Checks the names of the owners of `key-0` to `key-23`.
#[track_caller]
fn check(cluster: &Cluster, expected: &str) {
    let owner = |i: u32| cluster.route(format!("key-{i}").as_bytes()).unwrap();
    let found: Vec<&str> = (0..24).map(|i| cluster.name(owner(i)).unwrap()).collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn anchor_places_keys_as_its_page_says() {
    let mut nodes = cluster("anchor", 10);
    check(&nodes, "0 8 4 8 3 8 2 0 6 3 3 0 9 2 9 0 6 0 9 2 6 0 6 9");
    for name in ["3", "7", "0"] {
        nodes.remove(name).unwrap();
    }
    check(&nodes, "2 8 4 8 4 8 2 6 6 6 9 4 9 2 9 4 6 2 9 2 6 2 6 9");
    nodes.add("new").unwrap(); // in bucket 0
    check(
        &nodes,
        "new 8 4 8 4 8 2 new 6 6 new new 9 2 9 new 6 new 9 2 6 new 6 9",
    );
}

#[test]
fn jump_back_anchor_places_keys_as_its_page_says() {
    let mut nodes = cluster("jump-back-anchor", 10);
    check(&nodes, "6 1 2 0 2 6 5 2 4 6 0 2 3 9 1 2 7 2 4 1 1 3 1 4");
    for name in ["3", "7", "0"] {
        nodes.remove(name).unwrap();
    }
    check(&nodes, "6 1 2 2 2 6 5 2 4 6 4 2 9 9 1 2 1 2 4 1 1 1 1 4");
    nodes.add("new").unwrap(); // in bucket 0
    check(
        &nodes,
        "6 1 2 new 2 6 5 2 4 6 new 2 9 9 1 2 1 2 4 1 1 1 1 4",
    );
}
