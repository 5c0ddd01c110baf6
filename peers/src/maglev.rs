//! The crates with a Maglev table: `maglev` 0.2.1 (flier), and that of `hash-rings` 1.1.0. Both write down
//! every node's whole order of preference at building: nodes times entries, 8 bytes each.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{BuildHasher, BuildHasherDefault},
};

use hash_rings::maglev::Ring as HashRingsMaglev;
use maglev::{ConsistentHasher as _, Maglev};
use router::{Capabilities, Error, ErrorKind, Members, Node, NodeId, Params, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer, TABLE},
    hashing::{HASH, Key, SIP13, SIP24, Tag, Xxh3, hash_with, is_xxh3},
    intern::kept,
};

/// Bytes that building one may take.
const MOST_BYTES: u64 = 2 << 30;

/// What both have in common.
const COMMON: Strategy = Strategy {
    role: Role::Peer,
    suite_params: "table=251",
    capabilities: |params, _| Capabilities {
        history_free: true,
        max_nodes: Some(params.count("table")),
        ..Capabilities::NONE
    },
    check: |params, members, _| check(params, members),
    ..Strategy::DEFAULT
};

pub(crate) static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "peer-maglev",
        family: "peer-maglev",
        hash: &SIP13,
        hash_with,
        summary: "Crate maglev 0.2.1: Maglev's table",
        source: "github.com/flier/rust-maglev, crate maglev 0.2.1, 2021",
        params: &[TABLE, HASH],
        build: |params, _, _| {
            let table = params.count("table") as usize;
            Ok(match is_xxh3(params) {
                true => Adapter::<Table<Xxh3>>::boxed((table, Xxh3::default())),
                false => Adapter::<Table<BuildHasherDefault<DefaultHasher>>>::boxed((
                    table,
                    BuildHasherDefault::default(),
                )),
            })
        },
        ..COMMON
    },
    Strategy {
        name: "peer-hash-rings-maglev",
        family: "peer-hash-rings",
        hash: &SIP24,
        summary: "Crate hash-rings 1.1.0, maglev: Maglev's table, SipHash-2-4 with fixed keys",
        source: "github.com/jeffrey-xiao/hash-rings-rs, crate hash-rings 1.1.0, 2019",
        params: &[TABLE],
        build: |params, _, _| Ok(Adapter::<HashRings>::boxed(params.count("table") as usize)),
        ..COMMON
    },
];

fn check(params: &Params, members: &Members) -> Result<(), Error> {
    let bytes = 8 * members.len() as u64 * u64::from(params.count("table"));
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::TooLarge,
        format!(
            "building it takes {} MiB, every entry for every node; at most {} MiB are allowed",
            bytes >> 20,
            MOST_BYTES >> 20
        ),
    ))
}

struct Table<S>(Maglev<Tag, S>);

impl<S: BuildHasher + Clone + Send + Sync + 'static> Peer for Table<S> {
    type Settings = (usize, S);
    const ORDERED: bool = true;

    fn build((table, hasher): &Self::Settings, nodes: &[Node]) -> Self {
        let tags = nodes.iter().map(Tag::of);
        Self(Maglev::with_capacity_and_hasher(
            tags,
            *table,
            hasher.clone(),
        ))
    }

    fn copy(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get(&Key(key)).expect("it has nodes").id
    }
}

struct HashRings(HashRingsMaglev<'static, Tag>);

impl Peer for HashRings {
    type Settings = usize;
    const ORDERED: bool = true;

    fn build(table: &usize, nodes: &[Node]) -> Self {
        let tags = nodes.iter().map(kept).collect();
        Self(HashRingsMaglev::with_capacity_hint(tags, *table))
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.0.get_node(&Key(key)).id
    }
}
