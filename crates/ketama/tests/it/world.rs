//! Clusters of ketama, and how to ask them.

use router::{Catalog, Cluster, KeyBuf, NodeId, NodeSpec, Position};

/// A cluster of nodes with these weights.
#[track_caller]
pub(crate) fn cluster(spec: &str, nodes: &[(&str, u32)]) -> Cluster {
    let catalog = Catalog::new(ketama::STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = nodes
        .iter()
        .map(|&(name, weight)| NodeSpec::new(name, weight))
        .collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

/// `key-0`, `key-1`, ...
pub(crate) fn keys(n: usize) -> KeyBuf {
    (0..n).map(|i| format!("key-{i}")).collect()
}

/// The owner of every key.
#[track_caller]
pub(crate) fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    assert!(cluster.route_batch(keys.keys(), &mut owners), "it serves");
    owners
}

/// The place of every key's owner in the list, for up to ten nodes.
#[track_caller]
pub(crate) fn numbers(cluster: &Cluster, keys: &KeyBuf) -> String {
    let owners = owners(cluster, keys).into_iter();
    owners
        .map(|owner| {
            let place = cluster.nodes().position(owner).expect("owners are present");
            char::from_digit(u32::try_from(place).unwrap(), 10).expect("up to ten nodes")
        })
        .collect()
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
