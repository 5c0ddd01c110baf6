//! Gates: who breaks the contract, lies too evenly or is not what its theory says; and how a run ends
//! early.

use bench_harness::{
    measure::{self, Contender, Part, Profile, Progress, Request},
    record::{Row, Status},
    workload::KeySet,
};
use router::{
    Capabilities, Catalog, Estimate, HashFn, Keys, Members, NodeId, Question, Router, Step,
    Strategy,
};

use super::{HIGHEST, Highest, hash, measure_at, measured, row};

/// A router that passes on to [`Highest`] with one thing wrong.
macro_rules! broken {
    ($name:ident, $router:ident { $($method:tt)* }) => {
        #[derive(Clone, Default)]
        struct $router {
            inner: Highest,
        }

        impl Router for $router {
            fn update(&mut self, members: &Members, steps: &[Step]) {
                self.inner.update(members, steps);
            }

            $($method)*
        }

        static $name: Strategy = Strategy {
            name: "broken",
            build: |_, _, _| Ok(Box::<$router>::default()),
            ..HIGHEST
        };
    };
}

broken!(STICKY_BATCH, StickyBatch {
    fn route(&self, key: &[u8]) -> NodeId {
        self.inner.route(key)
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        if !keys.is_empty() {
            owners.fill(self.inner.route(keys.get(0)));
        }
    }
});

#[test]
fn who_fails_the_contract_is_measured_no_further() {
    let measured = measured(&STICKY_BATCH, &[Part::Balance, Part::Lookup]);
    let failed: Vec<&str> = measured
        .contract
        .iter()
        .filter(|row| row.status == "failed")
        .map(|row| row.check.as_str())
        .collect();
    assert!(failed.contains(&"batch"), "{failed:?}");
    assert_eq!(measured.strategies[0].contract, "failed");
    assert!(measured.balance.is_empty() && measured.lookup.is_empty());
}

// Deals random keys out by the last digits of their number in this process's order of asking: far
// more even than chance. The contract cannot see it, for it is asked few keys at a time.
broken!(TOO_EVEN, TooEven {
    fn route(&self, key: &[u8]) -> NodeId {
        self.inner.route(key)
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        self.inner.shares()
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        for (i, owner) in owners.iter_mut().enumerate() {
            *owner = if keys.len() > 10_000 {
                self.inner.nodes[i % self.inner.nodes.len()].1
            } else {
                self.inner.route(keys.get(i))
            };
        }
    }
});

#[test]
fn more_even_than_chance_fails() {
    let measured = measured(&TOO_EVEN, &[Part::Balance]);
    assert_eq!(measured.strategies[0].contract, "passed");
    for metric in ["cv", "peak_to_avg", "share_cv"] {
        let row = row(&measured.balance, "none", metric);
        assert_eq!(row.status, Status::Failed, "{row:?}");
        assert!(row.note.contains("more even than chance"), "{row:?}");
    }
}

static WEAK_HASH: HashFn = HashFn {
    name: "decimal-digits",
    mixes: false,
    eval: digits,
};

/// The number at a key's end.
fn digits(key: &[u8]) -> u64 {
    let digits = key.iter().filter(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| {
        number
            .wrapping_mul(10)
            .wrapping_add(u64::from(digit - b'0'))
    })
}

#[derive(Clone, Default)]
struct Dealt {
    nodes: Vec<NodeId>,
}

impl Router for Dealt {
    fn update(&mut self, members: &Members, _: &[Step]) {
        self.nodes = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.nodes[((digits(key) ^ hash(key) << 40) % self.nodes.len() as u64) as usize]
    }
}

static DEALT: Strategy = Strategy {
    name: "dealt",
    hash: &WEAK_HASH,
    capabilities: |_, _| Capabilities {
        history_free: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::<Dealt>::default()),
    expected: |_, _| None,
    ..HIGHEST
};

#[test]
fn a_weak_hash_on_structured_keys_is_marked_not_failed() {
    // 8 nodes and numbers in a row: the low three bits deal the keys out in turn.
    let measured = measure_at(&DEALT, &[Part::Balance], 10, KeySet::User);
    assert_eq!(
        measured.strategies[0].contract, "passed",
        "{:?}",
        measured.contract
    );
    assert_eq!(
        row(&measured.balance, "none", "cv").status,
        Status::Structured
    );
}

static WRONG_THEORY: Strategy = Strategy {
    name: "wrong-theory",
    expected: |_, question| match question {
        Question::Moved { removed, .. } if removed > 0 => Some(Estimate::mean(0.5)),
        Question::ShareVariance { .. } => Some(Estimate::mean(0.01)),
        Question::HashEvals { .. } => Some(Estimate::exact(1.0)),
        _ => None,
    },
    ..HIGHEST
};

#[test]
fn what_theory_says_wrongly_fails() {
    let measured = measured(&WRONG_THEORY, &[Part::Balance, Part::Movement, Part::Work]);
    let failed = |rows: &[Row], change, metric| {
        let row = row(rows, change, metric);
        row.status == Status::Failed && row.note.starts_with("theory")
    };
    assert!(failed(&measured.balance, "none", "share_cv"));
    assert!(failed(&measured.movement, "lose-random", "moved"));
    assert!(failed(&measured.work, "none", "hash_evals"));
    // What it does not speak of stays as it is.
    assert_eq!(row(&measured.balance, "none", "cv").status, Status::Ok);
    assert_eq!(row(&measured.movement, "add", "moved").status, Status::Ok);
}

#[test]
fn an_interrupt_ends_a_run() {
    let progress = Progress::new();
    progress.interrupt();
    let catalog = Catalog::new([&HIGHEST]).unwrap();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile: Profile::standard(),
        parts: Part::usual(),
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let stopped = measure::run(&request, &progress).unwrap_err();
    assert!(matches!(stopped, measure::Stopped::Interrupted));
}

#[test]
fn what_costs_too_much_is_over_budget_and_says_so() {
    let catalog = Catalog::new([&HIGHEST]).unwrap();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile: Profile {
            sizes: vec![8],
            budget: 1000.0,
            ..Profile::quick()
        },
        parts: vec![Part::Balance, Part::Movement],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, &Progress::new()).unwrap();
    for (rows, metric) in [
        (&measured.balance, "peak_to_avg"),
        (&measured.movement, "moved"),
    ] {
        let row = row(rows, "none", metric);
        assert_eq!((row.status, row.mean), (Status::OverBudget, None));
        assert!(row.note.contains("units of work"), "{}", row.note);
    }
}
