//! Clusters of this crate's strategies, and their tables as text.

use router::{Catalog, Cluster, NodeSpec, Spec};

/// A spec of this crate.
#[track_caller]
pub(crate) fn spec(text: &str) -> Spec {
    let catalog = Catalog::new(slots::STRATEGIES).unwrap();
    catalog.parse(text).unwrap()
}

/// A cluster of these nodes.
#[track_caller]
pub(crate) fn cluster(text: &str, nodes: &[NodeSpec]) -> Cluster {
    Cluster::build(&spec(text), nodes).unwrap()
}

/// Nodes of weight 1: `node0`, `node1`, ...
pub(crate) fn nodes(n: usize) -> Vec<NodeSpec> {
    (0..n).map(|i| format!("node{i}").into()).collect()
}

/// A key for every one of the first `n` slots.
pub(crate) fn key_of_each_slot(cluster: &Cluster, n: usize) -> Vec<String> {
    let mut keys = vec![None; n];
    let mut missing = n;
    for key in (0..).map(|i| format!("key-{i}")) {
        let slot = slot(cluster, key.as_bytes());
        if keys[slot].is_none() {
            keys[slot] = Some(key);
            missing -= 1;
        }
        if missing == 0 {
            break;
        }
    }
    keys.into_iter().flatten().collect()
}

/// The slot of a key.
#[track_caller]
pub(crate) fn slot(cluster: &Cluster, key: &[u8]) -> usize {
    let label = cluster.trace(key).unwrap().label.unwrap();
    label.strip_prefix("slot ").unwrap().parse().unwrap()
}

/// The owner's name of every key.
pub(crate) fn owners<'a>(cluster: &'a Cluster, keys: &[String]) -> Vec<&'a str> {
    let owner = |key: &String| {
        cluster
            .name(cluster.route(key.as_bytes()).unwrap())
            .unwrap()
    };
    keys.iter().map(owner).collect()
}

/// Slots a node, in joining order, from the exact shares.
pub(crate) fn counts(cluster: &Cluster, n_slots: usize) -> Vec<u64> {
    let shares = cluster.shares().unwrap();
    shares
        .iter()
        .map(|share| (share * n_slots as f64).round() as u64)
        .collect()
}
