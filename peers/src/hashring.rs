//! `hashring` 0.3.6 (jeromefroe): a sorted vector of points. It has no virtual nodes: a point is an entry of
//! its own, here a node with a number.

use std::hash::{BuildHasher, Hash, Hasher};

use hashring::{DefaultHashBuilder, HashRing};
use router::{Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer, RING, VNODES, check_ring, points},
    hashing::{HASH, Key, SIP24, Tag, Xxh3, hash_with, is_xxh3},
};

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-hashring",
    family: "peer-hashring",
    role: Role::Peer,
    hash: &SIP24,
    hash_with,
    summary: "Crate hashring 0.3.6: a sorted vector of points",
    source: "github.com/jeromefroe/hashring-rs, crate hashring 0.3.6, 2024",
    params: &[VNODES, HASH],
    suite_params: "vnodes=2",
    capabilities: |_, _| RING,
    check: |params, members, _| check_ring(members, params.count("vnodes")),
    build: |params, _, _| {
        let vnodes = params.count("vnodes");
        Ok(match is_xxh3(params) {
            true => Adapter::<Ring<Xxh3>>::boxed((vnodes, Xxh3::default())),
            false => Adapter::<Ring<DefaultHashBuilder>>::boxed((vnodes, DefaultHashBuilder)),
        })
    },
    ..Strategy::DEFAULT
}];

/// An entry of the ring: a node, and which of its points.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Entry {
    tag: Tag,
    number: u32,
}

impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.tag.hash(state);
        state.write_u32(self.number);
    }
}

struct Ring<S>(HashRing<Entry, S>);

fn entries(node: &Node, vnodes: u32) -> Vec<Entry> {
    let tag = Tag::of(node);
    let numbers = 0..points(node, vnodes) as u32;
    numbers.map(|number| Entry { tag, number }).collect()
}

impl<S: BuildHasher + Clone + Send + Sync + 'static> Peer for Ring<S> {
    type Settings = (u32, S);

    fn build((vnodes, hasher): &Self::Settings, nodes: &[Node]) -> Self {
        let mut ring = HashRing::with_hasher(hasher.clone());
        ring.batch_add(nodes.iter().flat_map(|it| entries(it, *vnodes)).collect());
        Self(ring)
    }

    fn add(&mut self, (vnodes, _): &Self::Settings, node: &Node) -> bool {
        self.0.batch_add(entries(node, *vnodes));
        true
    }

    fn remove(&mut self, (vnodes, _): &Self::Settings, node: &Node) -> bool {
        for entry in entries(node, *vnodes) {
            self.0.remove(&entry);
        }
        true
    }

    fn copy(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get(&Key(key)).expect("it has points").tag.id
    }
}
