//! Bases to put a bound on, and how to ask for key sets.

use bounded_load::{BoundedLoad, Factor, Overflow};
use ring_points::{CommonHash, Ring};
use router::{
    Capabilities, Catalog, Cluster, KeyBuf, Members, NodeId, NodeSpec, Router, Step, Strategy,
};

/// A ring of the common hash under the name of the default base, and a base without preference.
static BASES: [Strategy; 2] = [
    Strategy {
        name: "vec-ring",
        family: "test",
        summary: "A ring",
        source: "these tests",
        params: &[CommonHash::VNODES],
        suite_params: "vnodes=2",
        capabilities: |_, _| CommonHash::CAPABILITIES,
        check: |params, members, _| CommonHash::check(params, members),
        build: |params, _, _| Ok(Box::new(Clockwise(Ring::new(CommonHash::of(params))))),
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "sum",
        family: "test",
        summary: "The sum of the key's bytes modulo the nodes",
        source: "these tests",
        capabilities: |_, _| Capabilities {
            history_free: true,
            max_nodes: Some(50),
            ..Capabilities::NONE
        },
        build: |_, _, _| Ok(Box::new(Sum::default())),
        ..Strategy::DEFAULT
    },
];

#[derive(Clone)]
struct Clockwise(Ring<CommonHash>);

impl Clockwise {
    fn find(&self, key: &[u8]) -> usize {
        let (hash, points) = (self.0.hash(key), self.0.points());
        points.partition_point(|point| point.position() < hash) % points.len()
    }
}

impl Router for Clockwise {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.0.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.points()[self.find(key)].owner()
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        Some(self.0.owners_from(self.find(key), n))
    }
}

#[derive(Clone, Default)]
struct Sum(Vec<NodeId>);

impl Router for Sum {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.0 = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let sum: usize = key.iter().map(|&byte| usize::from(byte)).sum();
        self.0[sum % self.0.len()]
    }
}

/// The strategy under test and its bases.
pub(crate) fn catalog() -> Catalog {
    Catalog::new(bounded_load::STRATEGIES.iter().chain(&BASES)).unwrap()
}

/// A cluster of these nodes.
#[track_caller]
pub(crate) fn cluster(text: &str, nodes: &[NodeSpec]) -> Cluster {
    Cluster::build(&catalog().parse(text).unwrap(), nodes).unwrap()
}

/// The router itself, over a ring of these nodes.
#[track_caller]
pub(crate) fn bounded(vnodes: u32, factor: f64, overflow: Overflow, ring: &Cluster) -> BoundedLoad {
    let spec = catalog()
        .parse(&format!("vec-ring:vnodes={vnodes}"))
        .unwrap();
    let base = spec.router(ring.nodes()).unwrap();
    let mut bounded = BoundedLoad::new(base, Factor::new(factor), overflow);
    bounded.update(ring.nodes(), &[]);
    bounded
}

/// Nodes of weight 1: `node0`, `node1`, ...
pub(crate) fn nodes(n: usize) -> Vec<NodeSpec> {
    (0..n).map(|i| format!("node{i}").into()).collect()
}

/// Keys `key-0`, `key-1`, ...
pub(crate) fn keys(n: usize) -> KeyBuf {
    (0..n).map(|i| format!("key-{i}")).collect()
}

/// The owners of a key set, by name, placed with no owners before.
#[track_caller]
pub(crate) fn placed(cluster: &Cluster, keys: &KeyBuf) -> Vec<String> {
    let mut owners = vec![None; keys.len()];
    cluster.assign(keys.keys(), &mut owners).unwrap();
    let name = |owner: Option<NodeId>| cluster.name(owner.unwrap()).unwrap().to_owned();
    owners.into_iter().map(name).collect()
}

/// Keys on every node, in joining order.
pub(crate) fn loads(cluster: &Cluster, owners: &[String]) -> Vec<u64> {
    let load = |name: &str| owners.iter().filter(|owner| **owner == name).count() as u64;
    cluster
        .nodes()
        .iter()
        .map(|node| load(&node.name))
        .collect()
}
