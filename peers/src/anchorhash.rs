//! `anchorhash` 0.2.2 (domodwyer): `AnchorHash` with 16-bit buckets and a map from buckets to nodes.
//!
//! Its capacity is fixed: a cluster that outgrows it is built anew, and keys move for it.

use std::{collections::hash_map::RandomState, hash::BuildHasher};

use anchorhash::{AnchorHash, Builder};
use node_buckets::{CAPACITY, reserved};
use router::{Capabilities, Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer},
    hashing::{HASH, Key, SIP13, Xxh3, hash_with, is_xxh3},
};

/// The most buckets that it can have.
const MOST: u64 = u16::MAX as u64;

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-anchorhash",
    family: "peer-anchorhash",
    role: Role::Peer,
    hash: &SIP13,
    hash_with,
    summary: "Crate anchorhash 0.2.2: AnchorHash with 16-bit buckets",
    source: "github.com/domodwyer/anchorhash, crate anchorhash 0.2.2, 2022",
    params: &[CAPACITY, HASH],
    suite_params: "capacity=100",
    capabilities: |_, _| Capabilities {
        minimal: true,
        even: true,
        max_nodes: Some(65535),
        ..Capabilities::NONE
    },
    build: |params, members, _| {
        let room = reserved(params, members.len() as u64);
        Ok(match is_xxh3(params) {
            true => Adapter::<Anchor<Xxh3>>::boxed((room, Xxh3::default())),
            false => Adapter::<Anchor<RandomState>>::boxed((room, RandomState::new())),
        })
    },
    ..Strategy::DEFAULT
}];

struct Anchor<S: BuildHasher>(AnchorHash<Key<'static>, NodeId, S>);

impl<S: BuildHasher + Clone + Send + Sync + 'static> Peer for Anchor<S> {
    type Settings = (u64, S);

    fn build((room, hasher): &Self::Settings, nodes: &[Node]) -> Self {
        // One that was outgrown doubles.
        let room = match nodes.len() as u64 {
            n if n > *room => 2 * n,
            _ => *room,
        };
        let room = u16::try_from(room.min(MOST)).expect("at most that many");
        let builder = Builder::with_hasher(hasher.clone());
        Self(
            builder
                .with_resources(nodes.iter().map(|it| it.id))
                .build(room),
        )
    }

    fn add(&mut self, _: &Self::Settings, node: &Node) -> bool {
        self.0.add_resource(node.id).is_ok()
    }

    fn remove(&mut self, _: &Self::Settings, node: &Node) -> bool {
        self.0.remove_resource(&node.id).is_ok()
    }

    fn copy(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    fn route(&self, key: &[u8]) -> NodeId {
        // An anchor of keys that live for ever is one of keys that live for this call.
        let anchor: &AnchorHash<Key<'_>, NodeId, S> = &self.0;
        *anchor.get_resource(Key(key)).expect("it has nodes")
    }
}
