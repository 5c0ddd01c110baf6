//! `consistent-choose-k` 0.1.2 (GitHub): a map of numbered slots, of which any may be left.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{BuildHasher, BuildHasherDefault, Hash},
};

use consistent_choose_k::ConsistentNodeMap;
use router::{Capabilities, Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer},
    hashing::{HASH, Key, SIP13, Xxh3, hash_with, is_xxh3},
};

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-choose-k",
    family: "peer-choose-k",
    role: Role::Peer,
    hash: &SIP13,
    hash_with,
    summary: "Crate consistent-choose-k 0.1.2, node map: the first slot of a key's order that is in use",
    source: "github.com/github/rust-gems, crate consistent-choose-k 0.1.2",
    params: &[HASH],
    capabilities: |_, _| Capabilities {
        minimal: true,
        even: true,
        ..Capabilities::NONE
    },
    build: |params, _, _| {
        Ok(match is_xxh3(params) {
            true => Adapter::<Slots<Xxh3>>::boxed(Xxh3::default()),
            false => Adapter::<Slots<BuildHasherDefault<DefaultHasher>>>::boxed(
                BuildHasherDefault::default(),
            ),
        })
    },
    ..Strategy::DEFAULT
}];

struct Slots<S> {
    map: ConsistentNodeMap,
    /// The node in each slot; what stands in a slot that is not in use says nothing.
    owners: Vec<NodeId>,
    hasher: S,
}

impl<S: BuildHasher + Clone + Send + Sync + 'static> Peer for Slots<S>
where
    S::Hasher: Clone,
{
    type Settings = S;

    fn build(hasher: &S, nodes: &[Node]) -> Self {
        let mut slots = Self {
            map: ConsistentNodeMap::new(),
            owners: Vec::new(),
            hasher: hasher.clone(),
        };
        for node in nodes {
            slots.add(hasher, node);
        }
        slots
    }

    fn add(&mut self, _: &S, node: &Node) -> bool {
        let slot = self.map.add();
        self.owners.resize(self.owners.len().max(slot + 1), node.id);
        self.owners[slot] = node.id;
        true
    }

    fn remove(&mut self, _: &S, node: &Node) -> bool {
        let mut slots = 0..self.map.slot_count();
        let slot = slots.find(|&it| self.map.is_active(it) && self.owners[it] == node.id);
        slot.is_some_and(|slot| self.map.remove(slot))
    }

    fn copy(&self) -> Option<Self> {
        let slots = self.map.slot_count();
        let mut map = ConsistentNodeMap::new();
        // One more than there are, so that none of those that are not in use is the last.
        for _ in 0..=slots {
            map.add();
        }
        for slot in (0..slots).filter(|&it| !self.map.is_active(it)) {
            map.remove(slot);
        }
        map.remove(slots);
        Some(Self {
            map,
            owners: self.owners.clone(),
            hasher: self.hasher.clone(),
        })
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let mut hasher = self.hasher.build_hasher();
        Key(key).hash(&mut hasher);
        self.owners[self.map.get(hasher).expect("it has nodes")]
    }
}
