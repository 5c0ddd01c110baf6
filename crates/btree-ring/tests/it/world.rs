//! Clusters of this crate's strategies, and how to ask them.

use router::{Catalog, Cluster, KeyBuf, NodeId, NodeSpec, Position};

/// A cluster of nodes of weight 1.
#[track_caller]
pub(crate) fn cluster<S: AsRef<str>>(spec: &str, names: &[S]) -> Cluster {
    let catalog = Catalog::new(btree_ring::STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = names.iter().map(|name| name.as_ref().into()).collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

/// `prefix0`, `prefix1`, ...
pub(crate) fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

/// The owner of every key, all asked at once.
#[track_caller]
pub(crate) fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    assert!(cluster.route_batch(keys.keys(), &mut owners), "it serves");
    owners
}

/// The name of a key's owner.
#[track_caller]
pub(crate) fn owner<'a>(cluster: &'a Cluster, key: &str) -> &'a str {
    let owner = cluster.route(key.as_bytes()).expect("it serves");
    cluster.name(owner).expect("owners are present")
}

/// Keys on every node, in joining order.
pub(crate) fn counts(cluster: &Cluster, owners: &[NodeId]) -> Vec<usize> {
    let mut counts = vec![0; cluster.nodes().len()];
    for &owner in owners {
        counts[cluster.nodes().position(owner).expect("owners are present")] += 1;
    }
    counts
}

/// Position, owner and label of every point.
pub(crate) fn points(cluster: &Cluster) -> Vec<(Position, String, String)> {
    let points = cluster.points().unwrap().into_iter();
    points
        .map(|point| {
            let owner = cluster.name(point.owner).unwrap().to_owned();
            (point.position, owner, point.label)
        })
        .collect()
}
