//! `consistent_hash_ring` 0.8.0 (nytopop): a sorted vector into which points are inserted one by one, so
//! that building it costs the square of their number.

use std::hash::BuildHasher;

use consistent_hash_ring::{Ring as Theirs, RingBuilder};
use fnv::FnvBuildHasher;
use router::{Capabilities, Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer, RING, VNODES, check_ring, points},
    hashing::{FNV, HASH, Key, Tag, Xxh3, hash_with, is_xxh3},
};

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-consistent-hash-ring",
    family: "peer-consistent-hash-ring",
    role: Role::Peer,
    hash: &FNV,
    hash_with,
    summary: "Crate consistent_hash_ring 0.8.0: a sorted vector, points inserted one by one",
    source: "github.com/nytopop/consistent_hash_ring, crate consistent_hash_ring 0.8.0, 2020",
    params: &[VNODES, HASH],
    suite_params: "vnodes=2",
    capabilities: |_, _| Capabilities {
        replicas: true,
        ..RING
    },
    check: |params, members, _| check_ring(members, params.count("vnodes")),
    build: |params, _, _| {
        let vnodes = params.count("vnodes");
        Ok(match is_xxh3(params) {
            true => Adapter::<Ring<Xxh3>>::boxed((vnodes, Xxh3::default())),
            false => Adapter::<Ring<FnvBuildHasher>>::boxed((vnodes, FnvBuildHasher::default())),
        })
    },
    ..Strategy::DEFAULT
}];

struct Ring<S>(Theirs<Tag, S>);

impl<S: BuildHasher + Clone + Send + Sync + 'static> Peer for Ring<S> {
    type Settings = (u32, S);

    fn build((vnodes, hasher): &Self::Settings, nodes: &[Node]) -> Self {
        let nodes = nodes.iter().map(|it| (Tag::of(it), points(it, *vnodes)));
        let ring = RingBuilder::new(hasher.clone()).weighted_nodes_iter(nodes);
        Self(ring.build())
    }

    fn add(&mut self, (vnodes, _): &Self::Settings, node: &Node) -> bool {
        self.0.insert_weight(Tag::of(node), points(node, *vnodes));
        true
    }

    fn remove(&mut self, _: &Self::Settings, node: &Node) -> bool {
        self.0.remove(&Tag::of(node));
        true
    }

    fn copy(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get(Key(key)).id
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        Some(self.0.replicas(Key(key)).take(n).map(|it| it.id).collect())
    }
}
