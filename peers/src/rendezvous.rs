//! The crates of rendezvous hashing: `rendezvous_hash` 0.3.0 (sile), `simplehash` 0.1.3 and `hrw-hash` 2.0.3.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use hrw_hash::{HrwNode, HrwNodes};
use rendezvous_hash::{DefaultNodeHasher, IdNode, NodeHasher, RendezvousNodes};
use router::{Capabilities, HashFn, Node, NodeId, Role, Strategy, WeightSupport};
use simplehash::{fnv::Fnv1aHasher64, rendezvous::RendezvousHasher};

use crate::{
    adapter::{Adapter, CONSISTENT, Peer},
    hashing::{FNV, HASH, Key, SIP13, Tag, Xxh3, hash_with, is_xxh3},
};

/// What all of them promise.
const EVEN: Capabilities = Capabilities {
    even: true,
    ..CONSISTENT
};

/// rapidhash, through the buffer into which the crate copies what it hashes.
static RAPID: HashFn = HashFn {
    name: "rapidhash-v3",
    mixes: true,
    eval: |key| BuildHasherDefault::<hrw_hash::DefaultHasher>::default().hash_one(Key(key)),
};

pub(crate) static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "peer-rendezvous-hash",
        family: "peer-rendezvous-hash",
        role: Role::Peer,
        hash: &SIP13,
        hash_with,
        summary: "Crate rendezvous_hash 0.3.0: sorts all nodes by their score",
        source: "github.com/sile/rendezvous_hash, crate rendezvous_hash 0.3.0, 2019",
        params: &[HASH],
        capabilities: |_, _| Capabilities {
            replicas: true,
            ..EVEN
        },
        build: |params, _, _| {
            Ok(match is_xxh3(params) {
                true => Adapter::<Sorted<Xxh3>>::boxed(Xxh3::default()),
                false => Adapter::<Sorted<DefaultNodeHasher>>::boxed(DefaultNodeHasher::new()),
            })
        },
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "peer-simplehash",
        family: "peer-simplehash",
        role: Role::Peer,
        hash: &FNV,
        hash_with,
        summary: "Crate simplehash 0.1.3, rendezvous: the highest score, FNV-1a as its page shows",
        source: "crate simplehash 0.1.3, 2025",
        params: &[HASH],
        capabilities: |_, _| Capabilities {
            replicas: true,
            ..EVEN
        },
        build: |params, _, _| {
            Ok(match is_xxh3(params) {
                true => Adapter::<Selected<Xxh3>>::boxed(Xxh3::default()),
                false => Adapter::<Selected<BuildHasherDefault<Fnv1aHasher64>>>::boxed(
                    BuildHasherDefault::default(),
                ),
            })
        },
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "peer-hrw-hash",
        family: "peer-hrw-hash",
        role: Role::Peer,
        hash: &RAPID,
        hash_with,
        summary: "Crate hrw-hash 2.0.3: sorts all nodes by their weighted score",
        source: "crate hrw-hash 2.0.3, 2025",
        params: &[HASH],
        capabilities: |_, _| Capabilities {
            replicas: true,
            weights: WeightSupport::Minimal,
            ..EVEN
        },
        build: |params, _, _| {
            Ok(match is_xxh3(params) {
                true => Adapter::<Weighted<Xxh3>>::boxed(Xxh3::default()),
                false => Adapter::<Weighted<BuildHasherDefault<hrw_hash::DefaultHasher>>>::boxed(
                    BuildHasherDefault::default(),
                ),
            })
        },
        ..Strategy::DEFAULT
    },
];

struct Sorted<H>(RendezvousNodes<IdNode<Tag>, H>);

impl NodeHasher<Tag> for Xxh3 {
    fn hash<T: Hash>(&self, node: &Tag, item: &T) -> u64 {
        let mut hasher = self.build_hasher();
        item.hash(&mut hasher);
        node.hash(&mut hasher);
        std::hash::Hasher::finish(&hasher)
    }
}

impl<H: NodeHasher<Tag> + Clone + Send + Sync + 'static> Peer for Sorted<H> {
    type Settings = H;

    fn build(hasher: &H, nodes: &[Node]) -> Self {
        let mut ring = Self(RendezvousNodes::new(hasher.clone()));
        for node in nodes {
            ring.add(hasher, node);
        }
        ring
    }

    fn add(&mut self, _: &H, node: &Node) -> bool {
        self.0.insert(IdNode::new(Tag::of(node)));
        true
    }

    fn remove(&mut self, _: &H, node: &Node) -> bool {
        self.0.remove(&Tag::of(node)).is_some()
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let first = self.0.calc_candidates(&Key(key)).next();
        first.expect("it has nodes").id
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let candidates = self.0.calc_candidates(&Key(key));
        Some(candidates.take(n).map(|it| it.id).collect())
    }
}

struct Selected<B: BuildHasher> {
    hasher: RendezvousHasher<B::Hasher, B>,
    nodes: Vec<Tag>,
}

impl<B: BuildHasher + Clone + Send + Sync + 'static> Peer for Selected<B>
where
    B::Hasher: Send + Sync,
{
    type Settings = B;

    fn build(hasher: &B, nodes: &[Node]) -> Self {
        Self {
            hasher: RendezvousHasher::new(hasher.clone()),
            nodes: nodes.iter().map(Tag::of).collect(),
        }
    }

    fn add(&mut self, _: &B, node: &Node) -> bool {
        self.nodes.push(Tag::of(node));
        true
    }

    fn remove(&mut self, _: &B, node: &Node) -> bool {
        self.nodes.retain(|it| it.id != node.id);
        true
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let owner = self.hasher.select(&Key(key), &self.nodes);
        owner.expect("it has nodes").id
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let ranked = self.hasher.rank(&Key(key), &self.nodes);
        Some(ranked.into_iter().take(n).map(|it| it.id).collect())
    }
}

/// A node with its weight, as `hrw-hash` takes it.
#[derive(PartialEq, Eq, Debug)]
struct Capable {
    tag: Tag,
    weight: u32,
}

impl Hash for Capable {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.tag.hash(state);
    }
}

impl HrwNode for Capable {
    fn capacity(&self) -> usize {
        self.weight as usize
    }
}

struct Weighted<H>(HrwNodes<Capable, H>);

impl<H: BuildHasher + Clone + Send + Sync + 'static> Peer for Weighted<H> {
    type Settings = H;

    fn build(hasher: &H, nodes: &[Node]) -> Self {
        let nodes = nodes.iter().map(|it| Capable {
            tag: Tag::of(it),
            weight: it.weight,
        });
        Self(HrwNodes::with_build_hasher(hasher.clone(), nodes))
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let key = Key(key);
        let first = self.0.sorted(&key).next();
        first.expect("it has nodes").tag.id
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let key = Key(key);
        let sorted = self.0.sorted(&key);
        Some(sorted.take(n).map(|it| it.tag.id).collect())
    }
}
