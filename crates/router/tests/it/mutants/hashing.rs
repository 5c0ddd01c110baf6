//! Faults between a key and its hash.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use router::{Members, NodeId, Router, Step};

use crate::routers::{Jump, Modulo, Rendezvous, Ring, hash};

/// A router that asks only for a key's hash.
pub(super) trait Keyed: Router + Clone + 'static {
    fn owner(&self, key_hash: u64) -> NodeId;
    fn ranked(&self, key_hash: u64) -> Option<Vec<NodeId>>;
}

impl Keyed for Rendezvous {
    fn owner(&self, key_hash: u64) -> NodeId {
        self.first(key_hash)
    }
    fn ranked(&self, key_hash: u64) -> Option<Vec<NodeId>> {
        Some(self.ranked(key_hash))
    }
}

impl Keyed for Ring {
    fn owner(&self, key_hash: u64) -> NodeId {
        self.spot(self.place(key_hash)).id
    }
    fn ranked(&self, key_hash: u64) -> Option<Vec<NodeId>> {
        Some(self.walk(key_hash, usize::MAX))
    }
}

impl Keyed for Modulo {
    fn owner(&self, key_hash: u64) -> NodeId {
        self.owner(key_hash)
    }
    fn ranked(&self, _key_hash: u64) -> Option<Vec<NodeId>> {
        None
    }
}

impl Keyed for Jump {
    fn owner(&self, key_hash: u64) -> NodeId {
        self.owner(key_hash)
    }
    fn ranked(&self, _key_hash: u64) -> Option<Vec<NodeId>> {
        None
    }
}

/// A correct router behind a faulty key hash.
#[derive(Clone)]
pub(super) struct Hashing<K> {
    fault: &'static str,
    inner: K,
    seed: u64,
    asked: Arc<AtomicU64>,
}

impl<K> Hashing<K> {
    pub(super) fn new(fault: &'static str, inner: K) -> Self {
        static PROCESS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        let seed = match fault {
            "seeded-by-router" => RandomState::new().hash_one(0),
            "seeded-by-process" => PROCESS.hash_one(0),
            _ => 0,
        };
        Self {
            fault,
            inner,
            seed,
            asked: Arc::default(),
        }
    }

    fn key_hash(&self, key: &[u8]) -> u64 {
        let every_second = || key.iter().copied().step_by(2).collect::<Vec<u8>>();
        let up_to_nul = || key.split(|&byte| byte == 0).next().unwrap_or_default();
        match self.fault {
            "seeded-by-thread" => {
                let thread = format!("{:?}", thread::current().id());
                hash(hash(0, thread.as_bytes()), key)
            }
            "alternating" => hash(self.asked.fetch_add(1, Ordering::Relaxed) % 2, key),
            "dies-on-the-empty-key" => hash(u64::from(key[0]), key),
            "dies-on-long-keys" => {
                let length = u16::try_from(key.len()).expect("keys are short");
                hash(u64::from(length), key)
            }
            "last-byte-ignored" => hash(0, &key[..key.len().saturating_sub(1)]),
            "first-64-bytes" => hash(0, &key[..key.len().min(64)]),
            "every-second-byte" => hash(0, &every_second()),
            "any-case" => hash(0, &key.to_ascii_lowercase()),
            "blanks-trimmed" => hash(0, key.trim_ascii()),
            "c-string" => hash(0, up_to_nul()),
            "by-address" => hash(key.as_ptr().addr() as u64 % 8, key),
            "folded-to-16-bits" | "modulo-folded-to-16-bits" | "jump-folded-to-16-bits" => {
                hash(0, key) & 0xffff
            }
            "ring-folded-to-16-bits" => hash(0, key) & 0xffff << 48,
            _ => hash(self.seed, key),
        }
    }
}

impl<K: Keyed> Router for Hashing<K> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.inner.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.inner.owner(self.key_hash(key))
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let mut ranked = self.inner.ranked(self.key_hash(key))?;
        ranked.truncate(n);
        Some(ranked)
    }
}
