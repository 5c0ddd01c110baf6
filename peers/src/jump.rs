//! The crates of jump hashing, which have no nodes, and `fliphash`, of the same kind: functions from a key
//! and a number of buckets to a bucket. Behind each lie the nodes in joining order, one a bucket.

use std::{
    collections::hash_map::{DefaultHasher, RandomState},
    hash::{BuildHasher, BuildHasherDefault},
};

use hash_rings::jump::Ring as HashRingsJump;
use jumphash::{CustomJumpHasher, JumpHasher};
use point_hash::{XXH3, xxh3};
use router::{Capabilities, Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer},
    hashing::{HASH, Key, SIP13, Xxh3, hash_with, is_xxh3},
};

/// What all of them promise.
const LAST_IN_FIRST_OUT: Capabilities = Capabilities {
    any_removal: false,
    minimal: true,
    history_free: true,
    even: true,
    ..Capabilities::NONE
};

/// What all of them have in common.
const COMMON: Strategy = Strategy {
    role: Role::Peer,
    hash: &SIP13,
    capabilities: |_, _| LAST_IN_FIRST_OUT,
    ..Strategy::DEFAULT
};

pub(crate) static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "peer-jumphash",
        family: "peer-jumphash",
        hash_with,
        summary: "Crate jumphash 0.1.9: jump hash of a SipHash-1-3 with random keys",
        source: "github.com/jedisct1/rust-jumphash, crate jumphash 0.1.9, 2026",
        params: &[HASH],
        build: |params, _, _| {
            Ok(match is_xxh3(params) {
                true => {
                    let hasher = CustomJumpHasher::new(Xxh3::default());
                    boxed(move |key, n| hasher.slot(&Key(key), n))
                }
                false => {
                    let hasher = JumpHasher::new();
                    boxed(move |key, n| hasher.slot(&Key(key), n))
                }
            })
        },
        ..COMMON
    },
    Strategy {
        name: "peer-jumpconsistenthash",
        family: "peer-jumpconsistenthash",
        hash_with,
        summary: "Crate jumpconsistenthash 0.1.0: jump hash in whole numbers",
        source: "crate jumpconsistenthash 0.1.0, 2021",
        params: &[HASH],
        build: |params, _, _| {
            use jumpconsistenthash::jump_hash_from_u64;
            Ok(match is_xxh3(params) {
                true => boxed(|key, n| jump_hash_from_u64(xxh3(key), n)),
                false => {
                    // As its function for strings hashes; a key need not be one.
                    let hasher = BuildHasherDefault::<DefaultHasher>::default();
                    boxed(move |key, n| jump_hash_from_u64(hasher.hash_one(Key(key)), n))
                }
            })
        },
        ..COMMON
    },
    Strategy {
        name: "peer-jump-consistent-hash",
        family: "peer-jump-consistent-hash",
        hash: &XXH3,
        summary: "Crate jump-consistent-hash 0.1.0: jump hash of a number, here the key's XXH3-64",
        source: "crate jump-consistent-hash 0.1.0, 2017",
        build: |_, _, _| {
            Ok(boxed(|key, n| {
                jump_consistent_hash::hash(xxh3(key), n as usize)
            }))
        },
        ..COMMON
    },
    Strategy {
        name: "peer-hash-rings-jump",
        family: "peer-hash-rings",
        hash_with,
        summary: "Crate hash-rings 1.1.0, jump: jump hash of a SipHash-1-3 with random keys",
        source: "github.com/jeffrey-xiao/hash-rings-rs, crate hash-rings 1.1.0, 2019",
        params: &[HASH],
        build: |params, _, _| {
            Ok(match is_xxh3(params) {
                true => boxed(|key, n| {
                    HashRingsJump::with_hasher(Xxh3::default(), n).get_node(&Key(key))
                }),
                false => {
                    let hasher = RandomState::new();
                    boxed(move |key, n| {
                        HashRingsJump::with_hasher(hasher.clone(), n).get_node(&Key(key))
                    })
                }
            })
        },
        ..COMMON
    },
    Strategy {
        name: "peer-fliphash",
        family: "peer-fliphash",
        hash: &XXH3,
        summary: "Crate fliphash 0.1.0: FlipHash of a number, here the key's XXH3-64",
        source: "github.com/DataDog/fliphash-rs, crate fliphash 0.1.0, 2024",
        build: |_, _, _| {
            Ok(boxed(|key, n| {
                fliphash::fliphash_64(xxh3(key), ..=u64::from(n - 1)) as u32
            }))
        },
        ..COMMON
    },
];

/// A function from a key and a number of buckets to a bucket, and the nodes.
#[derive(Clone)]
struct Buckets<F> {
    bucket: F,
    owners: Vec<NodeId>,
}

fn boxed<F>(bucket: F) -> Box<dyn router::Router>
where
    F: Fn(&[u8], u32) -> u32 + Clone + Send + Sync + 'static,
{
    Adapter::<Buckets<F>>::boxed(bucket)
}

impl<F: Fn(&[u8], u32) -> u32 + Clone + Send + Sync + 'static> Peer for Buckets<F> {
    type Settings = F;
    const ORDERED: bool = true;

    fn build(bucket: &F, nodes: &[Node]) -> Self {
        Self {
            bucket: bucket.clone(),
            owners: nodes.iter().map(|it| it.id).collect(),
        }
    }

    fn add(&mut self, _: &F, node: &Node) -> bool {
        self.owners.push(node.id);
        true
    }

    fn remove(&mut self, _: &F, node: &Node) -> bool {
        self.owners.pop() == Some(node.id)
    }

    fn copy(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let bucket = (self.bucket)(key, self.owners.len() as u32);
        self.owners[bucket as usize]
    }
}
