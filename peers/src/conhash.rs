//! `conhash` 0.5.1 (zonyitoo): a B-tree from digests, each a vector of its own, to nodes.

use std::sync::Arc;

use conhash::ConsistentHash;
use point_hash::{MD5, xxh3};
use router::{Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer, RING, VNODES, check_ring, points},
    hashing::{HASH, hash_with, is_xxh3},
};

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-conhash",
    family: "peer-conhash",
    role: Role::Peer,
    hash: &MD5,
    hash_with,
    summary: "Crate conhash 0.5.1: a B-tree of MD5 digests",
    source: "github.com/zonyitoo/conhash-rs, crate conhash 0.5.1",
    params: &[VNODES, HASH],
    suite_params: "vnodes=2",
    capabilities: |_, _| RING,
    check: |params, members, _| check_ring(members, params.count("vnodes")),
    build: |params, _, _| {
        let hash: Option<HashFn> =
            is_xxh3(params).then_some(|bytes| xxh3(bytes).to_be_bytes().into());
        Ok(Adapter::<Ring>::boxed((params.count("vnodes"), hash)))
    },
    ..Strategy::DEFAULT
}];

/// A hash function as the crate takes it.
type HashFn = fn(&[u8]) -> Vec<u8>;

/// A node as the crate takes it: something with a name.
#[derive(Clone, Debug)]
struct Named {
    name: Arc<str>,
    id: NodeId,
}

impl conhash::Node for Named {
    fn name(&self) -> String {
        self.name.to_string()
    }
}

fn named(node: &Node) -> Named {
    Named {
        name: Arc::clone(&node.name),
        id: node.id,
    }
}

struct Ring(ConsistentHash<Named>);

impl Peer for Ring {
    type Settings = (u32, Option<HashFn>);

    fn build(settings: &Self::Settings, nodes: &[Node]) -> Self {
        let mut ring = Self(match settings.1 {
            Some(hash) => ConsistentHash::with_hash(hash),
            None => ConsistentHash::new(),
        });
        for node in nodes {
            ring.add(settings, node);
        }
        ring
    }

    fn add(&mut self, (vnodes, _): &Self::Settings, node: &Node) -> bool {
        self.0.add(&named(node), points(node, *vnodes));
        true
    }

    fn remove(&mut self, _: &Self::Settings, node: &Node) -> bool {
        self.0.remove(&named(node));
        true
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get(key).expect("it has points").id
    }
}
