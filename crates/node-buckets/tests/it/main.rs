//! The rules that all strategies over buckets keep, whatever their way from hashes to buckets.

mod capacity;
mod contract;
mod growth;
mod theory;
mod walk;

use router::{Catalog, Cluster, KeyBuf, NodeId, NodeSpec, Spec, Strategy};

/// The specs that are tried: every strategy as it is, and with other reserves where it has one.
const SPECS: &[&str] = &[
    "anchor",
    "anchor:capacity=1",
    "anchor:capacity=1.1",
    "anchor:capacity=10",
    "dx",
    "dx:capacity=1",
    "dx:capacity=1.1",
    "dx:capacity=10",
    "memento",
    "jump-back-anchor",
];

fn catalog() -> Catalog {
    let strategies: [&'static [Strategy]; 3] =
        [anchor::STRATEGIES, dx::STRATEGIES, memento::STRATEGIES];
    Catalog::new(strategies.into_iter().flatten()).unwrap()
}

fn spec(text: &str) -> Spec {
    catalog().parse(text).unwrap()
}

/// A cluster of nodes `0` to `n - 1`.
fn cluster(text: &str, n: u64) -> Cluster {
    let nodes: Vec<NodeSpec> = (0..n).map(|i| i.to_string().into()).collect();
    Cluster::build(&spec(text), &nodes).unwrap()
}

fn keys(n: usize) -> KeyBuf {
    (0..n).map(|i| format!("key-{i}")).collect()
}

/// The owner of every key; `None` while there is no node.
fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<Option<NodeId>> {
    keys.keys().iter().map(|key| cluster.route(key)).collect()
}
