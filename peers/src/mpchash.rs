//! `mpchash` 2.0.10: multi-probe hashing over a lock-free skip list, 23 probes, XXH3 of its own.

use mpchash::HashRing;
use point_hash::XXH3;
use router::{Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, CONSISTENT, Peer},
    hashing::{Key, Tag},
};

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-mpchash",
    family: "peer-mpchash",
    role: Role::Peer,
    hash: &XXH3,
    summary: "Crate mpchash 2.0.10: multi-probe hashing over a skip list, 23 probes",
    source: "crate mpchash 2.0.10",
    capabilities: |_, _| CONSISTENT,
    build: |_, _, _| Ok(Adapter::<Ring>::boxed(())),
    ..Strategy::DEFAULT
}];

struct Ring(HashRing<Tag>);

impl Peer for Ring {
    type Settings = ();

    fn build((): &(), nodes: &[Node]) -> Self {
        let ring = HashRing::new();
        for node in nodes {
            ring.add(Tag::of(node));
        }
        Self(ring)
    }

    fn add(&mut self, (): &(), node: &Node) -> bool {
        self.0.add(Tag::of(node));
        true
    }

    fn remove(&mut self, (): &(), node: &Node) -> bool {
        self.0.remove(&Tag::of(node));
        true
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.node(&Key(key)).expect("it has nodes").node().id
    }
}
