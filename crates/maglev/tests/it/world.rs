//! Clusters of this crate's strategies, and how to ask them.

use router::{Catalog, Cluster, Error, Members, NodeSpec, Spec};

/// A spec of this crate.
#[track_caller]
pub(crate) fn spec(text: &str) -> Spec {
    parse(text).unwrap()
}

/// A spec of this crate, or why it cannot be read.
pub(crate) fn parse(text: &str) -> Result<Spec, Error> {
    Catalog::new(maglev::STRATEGIES).unwrap().parse(text)
}

/// A cluster of these nodes.
#[track_caller]
pub(crate) fn cluster(text: &str, nodes: &[NodeSpec]) -> Cluster {
    Cluster::build(&spec(text), nodes).unwrap()
}

/// Nodes of weight 1: `prefix0`, `prefix1`, ...
pub(crate) fn nodes(prefix: &str, n: usize) -> Vec<NodeSpec> {
    (0..n).map(|i| format!("{prefix}{i}").into()).collect()
}

/// Entries a node, in joining order, from the exact shares.
pub(crate) fn entries(cluster: &Cluster, n_entries: u64) -> Vec<u64> {
    let shares = cluster.shares().unwrap();
    let entry = |share: &f64| (share * n_entries as f64).round() as u64;
    shares.iter().map(entry).collect()
}

/// The name of a key's owner.
#[track_caller]
pub(crate) fn owner(cluster: &Cluster, key: &[u8]) -> String {
    cluster
        .name(cluster.route(key).unwrap())
        .unwrap()
        .to_owned()
}

/// The names of the members, in joining order.
pub(crate) fn names(members: &Members) -> Vec<String> {
    members.iter().map(|node| node.name.to_string()).collect()
}
