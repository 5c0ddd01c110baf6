//! Look-ups during changes: who answers rightly meanwhile, and who does not.

use std::sync::atomic::{AtomicU64, Ordering};

use bench_harness::{
    measure::{self, Contender, Part, Profile, Progress, Request},
    record::{Status, TimedRow},
    workload::KeySet,
};
use router::{Catalog, HashFn, Members, NodeId, Router, Step, Strategy};

fn hash(key: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    key.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

static HASH: HashFn = HashFn {
    name: "fnv1a",
    mixes: false,
    eval: hash,
};

/// The remainder picks the node. A broken one counts its look-ups, and is wrong from some number on
/// that no check of the contract comes to.
struct Remainder<const BROKEN: bool> {
    nodes: Vec<NodeId>,
    look_ups: AtomicU64,
}

impl<const BROKEN: bool> Clone for Remainder<BROKEN> {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            look_ups: AtomicU64::new(0),
        }
    }
}

impl<const BROKEN: bool> Router for Remainder<BROKEN> {
    fn update(&mut self, members: &Members, _: &[Step]) {
        self.nodes = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let mut hash = hash(key);
        if BROKEN && self.look_ups.fetch_add(1, Ordering::Relaxed) > 20_000 {
            hash += 1;
        }
        self.nodes[(hash % self.nodes.len() as u64) as usize]
    }
}

const HONEST: Strategy = Strategy {
    name: "honest",
    family: "test",
    hash: &HASH,
    summary: "The remainder of the hash picks the node",
    source: "this test",
    build: |_, _, _| {
        Ok(Box::new(Remainder::<false> {
            nodes: Vec::new(),
            look_ups: AtomicU64::new(0),
        }))
    },
    ..Strategy::DEFAULT
};

static BOTH: [Strategy; 2] = [
    HONEST,
    Strategy {
        name: "tired",
        build: |_, _, _| {
            Ok(Box::new(Remainder::<true> {
                nodes: Vec::new(),
                look_ups: AtomicU64::new(0),
            }))
        },
        ..HONEST
    },
];

fn rows(sizes: &[u64]) -> Vec<TimedRow> {
    let catalog = Catalog::new(&BOTH).unwrap();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile: Profile {
            swap_sizes: sizes.to_vec(),
            rounds: 3,
            ..Profile::quick()
        },
        parts: vec![Part::Swap],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, &Progress::new()).expect("nothing stops it");
    measured.swap
}

#[track_caller]
fn find<'a>(rows: &'a [TimedRow], strategy: &str, nodes: u64, metric: &str) -> &'a TimedRow {
    rows.iter()
        .find(|it| (&*it.strategy, it.nodes, &*it.metric) == (strategy, nodes, metric))
        .unwrap_or_else(|| panic!("no {metric} of {strategy}"))
}

#[test]
fn who_answers_rightly_while_nodes_change() {
    let rows = rows(&[1, 5]);
    let row = |strategy: &str, nodes: u64, metric: &str| find(&rows, strategy, nodes, metric);
    // One node cannot leave and be served by the others.
    assert_eq!(row("honest", 1, "swap_per_s").status, Status::Unsupported);
    for way in ["still", "swap", "lock"] {
        let honest = row("honest", 5, &format!("{way}_per_s"));
        assert_eq!(honest.status, Status::Ok, "{}", honest.note);
        assert!(honest.rounds == 3 && honest.median > Some(0.0));
        assert!(row("honest", 5, &format!("{way}_stall_ns")).median > Some(0.0));
        let tired = row("tired", 5, &format!("{way}_per_s"));
        assert_eq!(tired.status, Status::Failed);
        assert!(
            tired.note.contains("where no ring had it"),
            "{}",
            tired.note
        );
    }
    // It did change meanwhile.
    for changes in ["swap_changes", "lock_changes"] {
        assert!(row("honest", 5, changes).median > Some(1.0));
    }
    assert!(rows.iter().all(|it| it.metric != "still_changes"));
}
