//! The published program's answers, and where ours stop being the program's.

mod edges;
mod golden;
mod points;

use std::sync::LazyLock;

use router::{Catalog, Cluster, KeyBuf, Keys, NodeId, NodeSpec};

const START: i32 = i32::MIN + 1;
const N_KEYS: usize = 1_000_001;

fn catalog() -> Catalog {
    Catalog::new(fixed_interval::STRATEGIES).unwrap()
}

/// A cluster of nodes `0` to `n - 1`, so that a node's name is its place.
#[track_caller]
fn cluster(spec: &str, n: usize) -> Cluster {
    let nodes: Vec<NodeSpec> = (0..n).map(|i| i.to_string().into()).collect();
    Cluster::build(&catalog().parse(spec).unwrap(), &nodes).unwrap()
}

fn published(vnodes: u32, start: i32, n: usize) -> Cluster {
    cluster(
        &format!("fixed-interval-java:vnodes={vnodes},start={start}"),
        n,
    )
}

fn place(cluster: &Cluster, key: impl AsRef<[u8]>) -> usize {
    let owner = cluster.route(key.as_ref()).unwrap();
    cluster.nodes().position(owner).unwrap()
}

fn owners(cluster: &Cluster, keys: Keys<'_>) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    assert!(cluster.route_batch(keys, &mut owners));
    owners
}

fn n_moved(before: &[NodeId], after: &[NodeId]) -> usize {
    before.iter().zip(after).filter(|(a, b)| a != b).count()
}

/// The exercise's keys, `testHashInDemo1000000` down to `testHashInDemo0`, sorted by hash: so a
/// batch of them takes no time to sort, and they can be asked a hundred times over.
struct DemoKeys {
    keys: KeyBuf,
    hashes: Vec<i32>,
    /// The place of each in the exercise's order.
    order: Vec<usize>,
}

static DEMO_KEYS: LazyLock<DemoKeys> = LazyLock::new(|| {
    let mut keys: Vec<(i32, usize, String)> = (0..N_KEYS)
        .map(|i| {
            let key = format!("testHashInDemo{}", N_KEYS - 1 - i);
            (point_hash::java_hash_code(key.as_bytes()), i, key)
        })
        .collect();
    keys.sort_unstable();
    DemoKeys {
        keys: keys.iter().map(|(_, _, key)| key).collect(),
        hashes: keys.iter().map(|&(hash, _, _)| hash).collect(),
        order: keys.iter().map(|&(_, i, _)| i).collect(),
    }
});
