//! `hash-rings` 1.1.0 (jeffrey-xiao): its ring, its rendezvous hashing and its multi-probe hashing; its jump
//! hash and its Maglev table stand beside the others of their kind. It borrows its nodes.

use std::{collections::hash_map::RandomState, hash::BuildHasher};

use hash_rings::{consistent, mpc, rendezvous};
use router::{Capabilities, Node, NodeId, Param, ParamKind, ParamRole, Role, Strategy};

use crate::{
    adapter::{Adapter, CONSISTENT, Peer, RING, VNODES, check_ring, points},
    hashing::{HASH, Key, SIP13, SIP24, Tag, Xxh3, hash_with, is_xxh3},
    intern::kept,
};

/// Hashes of a key that the multi-probe ring tries.
const PROBES: Param = Param {
    name: "probes",
    role: ParamRole::Probes,
    kind: ParamKind::Int {
        default: 21,
        min: 1,
        max: 1000,
        multiple_of: 1,
    },
    help: "hashes of a key that are tried",
};

/// What all of them have in common.
const COMMON: Strategy = Strategy {
    family: "peer-hash-rings",
    role: Role::Peer,
    hash: &SIP13,
    source: "github.com/jeffrey-xiao/hash-rings-rs, crate hash-rings 1.1.0, 2019",
    ..Strategy::DEFAULT
};

pub(crate) static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "peer-hash-rings-ring",
        hash_with,
        summary: "Crate hash-rings 1.1.0, consistent: a B-tree of points, random keys for its hash",
        params: &[VNODES, HASH],
        suite_params: "vnodes=2",
        capabilities: |_, _| RING,
        check: |params, members, _| check_ring(members, params.count("vnodes")),
        build: |params, _, _| {
            let vnodes = params.count("vnodes");
            Ok(match is_xxh3(params) {
                true => Adapter::<Ring<Xxh3>>::boxed((vnodes, Xxh3::default())),
                false => Adapter::<Ring<RandomState>>::boxed((vnodes, RandomState::new())),
            })
        },
        ..COMMON
    },
    Strategy {
        name: "peer-hash-rings-rendezvous",
        hash_with,
        summary: "Crate hash-rings 1.1.0, rendezvous: the highest score, random keys for its hash",
        params: &[HASH],
        capabilities: |_, _| Capabilities {
            even: true,
            ..CONSISTENT
        },
        build: |params, _, _| {
            Ok(match is_xxh3(params) {
                true => Adapter::<Rendezvous<Xxh3>>::boxed(Xxh3::default()),
                false => Adapter::<Rendezvous<RandomState>>::boxed(RandomState::new()),
            })
        },
        ..COMMON
    },
    Strategy {
        name: "peer-hash-rings-mpc",
        hash: &SIP24,
        summary: "Crate hash-rings 1.1.0, mpc: the nearest point of several hashes of a key",
        params: &[PROBES, HASH],
        capabilities: |_, _| CONSISTENT,
        build: |params, _, _| {
            let probes = u64::from(params.count("probes"));
            Ok(match is_xxh3(params) {
                true => Adapter::<MultiProbe<Xxh3>>::boxed((probes, Xxh3::default())),
                false => Adapter::<MultiProbe<RandomState>>::boxed((probes, RandomState::new())),
            })
        },
        ..COMMON
    },
];

struct Ring<S>(consistent::Ring<'static, Tag, S>);

impl<S: BuildHasher + Default + Clone + Send + Sync + 'static> Peer for Ring<S> {
    type Settings = (u32, S);

    fn build(settings: &Self::Settings, nodes: &[Node]) -> Self {
        let mut ring = Self(consistent::Ring::with_hasher(settings.1.clone()));
        for node in nodes {
            ring.add(settings, node);
        }
        ring
    }

    fn add(&mut self, (vnodes, _): &Self::Settings, node: &Node) -> bool {
        self.0.insert_node(kept(node), points(node, *vnodes));
        true
    }

    fn remove(&mut self, _: &Self::Settings, node: &Node) -> bool {
        self.0.remove_node(kept(node));
        true
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get_node(&Key(key)).id
    }
}

struct Rendezvous<S>(rendezvous::Ring<'static, Tag, S>);

impl<S: BuildHasher + Clone + Send + Sync + 'static> Peer for Rendezvous<S> {
    type Settings = S;

    fn build(hasher: &S, nodes: &[Node]) -> Self {
        let mut ring = Self(rendezvous::Ring::with_hasher(hasher.clone()));
        for node in nodes {
            ring.add(hasher, node);
        }
        ring
    }

    fn add(&mut self, _: &S, node: &Node) -> bool {
        self.0.insert_node(kept(node), 1);
        true
    }

    fn remove(&mut self, _: &S, node: &Node) -> bool {
        self.0.remove_node(kept(node));
        true
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get_node(&Key(key)).id
    }
}

struct MultiProbe<S>(mpc::Ring<'static, Tag, S>);

impl<S: BuildHasher + Clone + Send + Sync + 'static> Peer for MultiProbe<S> {
    type Settings = (u64, S);

    fn build(settings: &Self::Settings, nodes: &[Node]) -> Self {
        let (probes, hasher) = settings;
        let mut ring = Self(mpc::Ring::with_hasher(hasher.clone(), *probes));
        for node in nodes {
            ring.add(settings, node);
        }
        ring
    }

    fn add(&mut self, _: &Self::Settings, node: &Node) -> bool {
        self.0.insert_node(kept(node));
        true
    }

    fn remove(&mut self, _: &Self::Settings, node: &Node) -> bool {
        self.0.remove_node(kept(node));
        true
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get_node(&Key(key)).id
    }
}
