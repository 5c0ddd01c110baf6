//! Known answers. What every strategy must do is tested by the registry's tests.

use router::{Catalog, Cluster, NodeSpec};

/// Checks who of nodes `a`, `b` and `c` owns `key`. Take such answers from the paper or from its
/// authors' program, and name the source: these are from XXH3-64 by the `xxhash` package of Python.
#[track_caller]
fn check(key: &str, owner: &str) {
    let catalog = Catalog::new(strategy_name::STRATEGIES).unwrap();
    let spec = catalog.parse("strategy-name").unwrap();
    let nodes: Vec<NodeSpec> = ["a", "b", "c"].into_iter().map(NodeSpec::from).collect();
    let cluster = Cluster::build(&spec, &nodes).unwrap();
    let found = cluster.route(key.as_bytes()).unwrap();
    assert_eq!(cluster.name(found), Some(owner), "key {key:?}");
}

#[test]
fn known_answers() {
    check("", "b");
    check("user0", "b");
    check("user1", "c");
    check("user3", "a");
}
