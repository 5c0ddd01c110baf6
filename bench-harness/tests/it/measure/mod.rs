//! The library half, given strategies of its own: honest ones, and broken ones that a gate fails.
//! Broken ones that a metric shows stand in `mutants`.

mod gates;
mod honest;
mod moves;

use bench_harness::{
    measure::{self, Contender, Measured, Part, Profile, Progress, Request},
    record::Row,
    workload::KeySet,
};
use router::{
    Capabilities, Catalog, Estimate, HashFn, Members, NodeId, Params, Question, Router, Step,
    Strategy, Trace,
};

/// The finisher of SplitMix64.
#[inline]
pub(crate) fn mix(hash: u64) -> u64 {
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Eight bytes at a time, each mixed in; begins with the length, so that no byte is taken for none.
pub(crate) fn hash(mut bytes: &[u8]) -> u64 {
    let mut hash = mix(bytes.len() as u64 ^ 0x9e37_79b9_7f4a_7c15);
    while let Some((word, rest)) = bytes.split_first_chunk() {
        hash = mix(hash ^ u64::from_le_bytes(*word));
        bytes = rest;
    }
    if bytes.is_empty() {
        return hash;
    }
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    mix(hash ^ u64::from_le_bytes(word))
}

pub(crate) static HASH: HashFn = HashFn {
    name: "words-mixed",
    mixes: true,
    eval: hash,
};

/// Highest score of key and name wins.
#[derive(Clone, Default)]
struct Highest {
    nodes: Vec<(u64, NodeId)>,
}

impl Highest {
    fn owner(&self, key_hash: u64) -> NodeId {
        let mut best = (0, NodeId::default());
        for &(name_hash, id) in &self.nodes {
            best = best.max((mix(key_hash ^ name_hash), id));
        }
        best.1
    }
}

impl Router for Highest {
    fn update(&mut self, members: &Members, _: &[Step]) {
        self.nodes = members
            .iter()
            .map(|node| (hash(node.name.as_bytes()), node.id))
            .collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owner(hash(key))
    }

    fn trace(&self, _: &[u8]) -> Option<Trace> {
        let probes = self.nodes.len() as u32;
        Some(Trace {
            hash_evals: 1 + probes,
            probes,
            batch_probes: f64::from(probes),
            ..Trace::default()
        })
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let share = 1.0 / self.nodes.len() as f64;
        Some(self.nodes.iter().map(|&(_, id)| (id, share)).collect())
    }
}

const CLAIMS: Capabilities = Capabilities {
    minimal: true,
    order_free: true,
    history_free: true,
    even: true,
    ..Capabilities::NONE
};

fn theory(_: &Params, question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { .. } => Some(Estimate::exact(0.0)),
        Question::Moved {
            n,
            removed,
            added: 0,
        } => Some(Estimate::exact(removed as f64 / n as f64)),
        Question::HashEvals { n } => Some(Estimate::exact(1.0 + n as f64)),
        _ => None,
    }
}

static HIGHEST: Strategy = Strategy {
    name: "highest",
    family: "test",
    hash: &HASH,
    summary: "Highest score of key and name wins",
    source: "this test",
    capabilities: |_, _| CLAIMS,
    build: |_, _, _| Ok(Box::<Highest>::default()),
    expected: theory,
    ..Strategy::DEFAULT
};

fn profile(seeds: u64) -> Profile {
    Profile {
        sizes: vec![8],
        seeds,
        movement_seeds: seeds,
        deployments: 20,
        keys_per_node: 2000,
        movement_min_keys: 4000,
        ..Profile::quick()
    }
}

fn measure_at(
    strategy: &'static Strategy,
    parts: &[Part],
    seeds: u64,
    key_set: KeySet,
) -> Measured {
    measure_with(strategy, parts, profile(seeds), key_set)
}

fn measure_with(
    strategy: &'static Strategy,
    parts: &[Part],
    profile: Profile,
    key_set: KeySet,
) -> Measured {
    let catalog = Catalog::new([strategy]).unwrap();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile,
        parts: parts.to_vec(),
        key_set,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    measure::run(&request, &Progress::new()).expect("nothing stops it")
}

fn measured(strategy: &'static Strategy, parts: &[Part]) -> Measured {
    measure_at(strategy, parts, 10, KeySet::Hex64)
}

#[track_caller]
fn row<'a>(rows: &'a [Row], change: &str, metric: &str) -> &'a Row {
    rows.iter()
        .find(|row| row.change == change && row.metric == metric)
        .unwrap_or_else(|| panic!("no row {change} {metric}"))
}
