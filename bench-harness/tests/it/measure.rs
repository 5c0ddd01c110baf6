//! The library half, given strategies of its own: honest ones, and broken ones that only one metric
//! or gate can catch.

use std::collections::BTreeSet;

use bench_harness::{
    measure::{self, Contender, Measured, Part, Profile, Progress, Request},
    record::{Row, Status},
    workload::{KeySet, Popularity, zipf_shares},
};
use router::{
    Capabilities, Catalog, Estimate, HashFn, Keys, Members, NodeId, Params, Question, Router, Step,
    Strategy, Trace,
};

/// FNV-1a, finished with the mixer of SplitMix64.
fn hash(bytes: &[u8]) -> u64 {
    let fnv = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    let mixed = (fnv ^ (fnv >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

static HASH: HashFn = HashFn {
    name: "fnv-mixed",
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
        let score = |name_hash: u64| hash(&(key_hash ^ name_hash).to_le_bytes());
        let best = self
            .nodes
            .iter()
            .max_by_key(|(name, id)| (score(*name), *id));
        best.expect("asked only while there are nodes").1
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

/// The same, where only the last node may leave.
static LAST_ONLY: Strategy = Strategy {
    name: "last-only",
    capabilities: |_, _| Capabilities {
        any_removal: false,
        ..CLAIMS
    },
    ..HIGHEST
};

fn profile(seeds: u64) -> Profile {
    Profile {
        sizes: vec![8],
        seeds,
        movement_seeds: seeds,
        deployments: 20,
        keys_per_node: 2000,
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

/// A single hot key decides: the busiest node has at least its share of all requests, 8 nodes times
/// 1 over the sum of 800 ranks' weights; and the mean square of cv is (n - 1) times the sum of the
/// squared shares, for a strategy of equal shares.
#[test]
fn requests_lie_as_the_popularity_of_keys_says() {
    let seeds = 40;
    let profile = Profile {
        more_key_sets: Some(8),
        ..profile(seeds)
    };
    let measured = measure_with(&HIGHEST, &[Part::Balance], profile, KeySet::Hex64);
    for popularity in Popularity::ALL {
        let scenario = popularity.scenario("hex64");
        let shares = zipf_shares(800, popularity.exponent());
        let row = |metric| {
            let mut rows = measured.balance.iter();
            rows.find(|row| row.scenario == scenario && row.metric == metric)
                .unwrap_or_else(|| panic!("no row {scenario} {metric}"))
        };
        let peak = row("peak_to_avg");
        assert_eq!((peak.keys, peak.seeds), (800, seeds));
        assert!(peak.p5.unwrap() >= 8.0 * shares[0], "{scenario}: {peak:?}");
        let cv = row("cv");
        let square = cv.mean.unwrap().powi(2) + cv.sd.unwrap().powi(2);
        let expected = 7.0 * shares.iter().map(|share| share * share).sum::<f64>();
        // 40 seeds; the sd of cv's square was seen at up to half of its mean: 4 standard errors.
        assert!(
            (square / expected - 1.0).abs() < 0.32,
            "{scenario}: {square} is not near {expected}"
        );
        let (lo, mean, hi) = (cv.noise_lo, cv.noise_mean.unwrap(), cv.noise_hi);
        assert!(lo < cv.mean && cv.mean < hi, "{scenario}: {cv:?}");
        assert!(
            (mean * mean / expected - 1.0).abs() < 0.3,
            "{scenario}: {cv:?}"
        );
    }
}

/// A strategy that is even and moves no more than it must. Two views that miss one node each differ on
/// the keys of both, twice what the difference of their weights asks for.
#[test]
fn views_of_a_minimal_strategy_are_near_their_references() {
    let profile = Profile {
        sizes: vec![10],
        view_sizes: vec![10],
        ..profile(3)
    };
    let measured = measure_with(&HIGHEST, &[Part::Views], profile, KeySet::Hex64);
    let view = |change, metric| row(&measured.views, change, metric);
    for change in [
        "missing-1",
        "missing-2",
        "missing-4",
        "behind-1",
        "behind-4",
    ] {
        let differing = view(change, "view_disagreement");
        assert_eq!((differing.keys, differing.seeds), (10_000, 3));
        let (mean, least) = (differing.mean.unwrap(), differing.reference.unwrap());
        assert!(least > 0.0);
        assert!(
            (0.95..2.1).contains(&(mean / least)),
            "{change}: {differing:?}"
        );
        let spread = view(change, "view_spread").mean.unwrap();
        assert!(1.0 < spread && spread <= view(change, "view_spread_p99").mean.unwrap());
        assert!(view(change, "view_load").mean.unwrap() > 1.0);
    }
    for change in ["lose-random", "add", "rolling"] {
        let misses = view(change, "stale_misses");
        let (mean, least) = (misses.mean.unwrap(), misses.reference.unwrap());
        assert!((mean / least - 1.0).abs() < 0.1, "{change}: {misses:?}");
    }
    // One of ten is gone: of its keys 29 clients in turn have not heard, and one more misses.
    let expected = 0.1 * 31.0 / 60.0;
    let lost = view("lose-random", "stale_misses").reference.unwrap();
    assert!((lost - expected).abs() < 1e-12);
}

/// What competes for the caches is read, and the row says what clock it was timed with.
#[test]
fn a_look_up_that_competes_has_a_row_with_its_clock() {
    let profile = Profile {
        competing_bytes: Some(1 << 20),
        ..profile(1)
    };
    let measured = measure_with(&HIGHEST, &[Part::Lookup], profile, KeySet::Hex64);
    let competing = |rows: &Measured| {
        let mut rows = rows.lookup.iter().cloned();
        rows.find(|row| row.metric == "competing_ns")
    };
    let row = competing(&measured).expect("the profile asks for it");
    assert_eq!((row.rounds, row.status), (30, Status::Ok));
    assert!(row.lo <= row.median && row.median <= row.hi && row.median > Some(0.0));
    assert!(row.note.starts_with("the clock steps by "), "{}", row.note);
    let without = measure_with(&HIGHEST, &[Part::Lookup], self::profile(1), KeySet::Hex64);
    assert!(competing(&without).is_none());
    let refused = Profile {
        competing_bytes: Some(usize::MAX / 2),
        ..self::profile(1)
    };
    let measured = measure_with(&HIGHEST, &[Part::Lookup], refused, KeySet::Hex64);
    let row = competing(&measured).expect("a row says why there is no value");
    assert_eq!((row.median, row.status), (None, Status::Unsupported));
    assert!(row.note.starts_with("no room for the "), "{}", row.note);
}

#[test]
fn an_honest_strategy_passes_every_gate() {
    let measured = measured(
        &HIGHEST,
        &[
            Part::Balance,
            Part::Movement,
            Part::Work,
            Part::Lookup,
            Part::Build,
        ],
    );
    let rows = [&measured.balance, &measured.movement, &measured.work];
    for row in rows.into_iter().flatten() {
        assert!(
            matches!(row.status, Status::Ok | Status::Unsupported),
            "{row:?}"
        );
        assert_eq!(row.note.is_empty(), row.status == Status::Ok, "{row:?}");
    }
    let balance = |metric| row(&measured.balance, "none", metric);
    assert_eq!(balance("exact_peak").mean, Some(1.0));
    assert_eq!(balance("cv").keys, 16_000);
    let cv = balance("cv");
    assert!(cv.noise_lo < cv.mean && cv.mean < cv.noise_hi, "{cv:?}");
    let movement = |change, metric| row(&measured.movement, change, metric);
    for change in ["lose-random", "add", "lose-50pct", "add-10pct"] {
        assert_eq!(movement(change, "collateral").mean, Some(0.0), "{change}");
        let moved = movement(change, "moved");
        assert_eq!(moved.mean, movement(change, "forced").mean);
        let distance = (moved.mean.unwrap() - moved.reference.unwrap()).abs();
        assert!(distance < 0.02, "{change} is near its optimum");
    }
    assert_eq!(movement("lose-random", "restored_mismatch").mean, Some(0.0));
    assert_eq!(movement("replace", "optimal").mean, Some(1.0 / 8.0));
    assert_eq!(
        movement("weight-double", "moved").status,
        Status::Unsupported
    );
    let n1 = movement("none", "n1_peak").mean.unwrap();
    assert!((8.0 / 7.0..1.3).contains(&n1), "one of eight lost: {n1}");
    assert_eq!(row(&measured.work, "none", "hash_evals").mean, Some(9.0));
    let timed = |metric: &str| {
        measured
            .lookup
            .iter()
            .find(|row| row.metric == metric)
            .unwrap()
    };
    assert_eq!(timed("lookup_ns").rounds, 30);
    assert_eq!(timed("lookup_ns").status, Status::Ok);
    assert!(timed("hash_ns").median < timed("lookup_ns").median);
    assert_eq!(measured.build.len(), 3);
}

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
        for owner in owners.iter_mut() {
            *owner = self.inner.route(keys.get(0));
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

#[derive(Clone, Default)]
struct Remainder {
    nodes: Vec<NodeId>,
}

impl Router for Remainder {
    fn update(&mut self, members: &Members, _: &[Step]) {
        self.nodes = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.nodes[(hash(key) % self.nodes.len() as u64) as usize]
    }
}

static REMAINDER: Strategy = Strategy {
    name: "remainder",
    role: router::Role::Control,
    capabilities: |_, _| Capabilities {
        history_free: true,
        even: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::<Remainder>::default()),
    expected: |_, _| None,
    ..HIGHEST
};

#[test]
fn what_moves_in_vain_is_seen_and_set_beside_the_control() {
    let catalog = Catalog::new([&REMAINDER, &HIGHEST]).unwrap();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile: Profile {
            sizes: vec![8],
            movement_seeds: 4,
            ..Profile::quick()
        },
        parts: vec![Part::Movement],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, &Progress::new()).unwrap();
    let of = |strategy: &str, change: &str, metric: &str| {
        let found = measured
            .movement
            .iter()
            .find(|row| row.strategy == strategy && row.change == change && row.metric == metric);
        found.unwrap_or_else(|| panic!("no row {strategy} {change} {metric}"))
    };
    // Modulo n -> n + 1 moves n / (n + 1) of the keys: 8/9; 10,000 keys, 5 standard errors 0.016.
    let moved = of("remainder", "add", "moved").mean.unwrap();
    assert!((moved - 8.0 / 9.0).abs() < 0.016, "{moved}");
    let collateral = of("remainder", "add", "collateral").mean.unwrap();
    assert!((collateral - 7.0 / 9.0).abs() < 0.02, "{collateral}");
    let excess = of("remainder", "add", "excess").mean.unwrap();
    assert!((7.0..9.0).contains(&excess), "{excess}");
    assert_eq!(of("remainder", "rename", "collateral").mean, Some(0.0));
    let orders = of("remainder", "lose-10pct", "order_disagreement").mean;
    assert_eq!(
        orders,
        Some(0.0),
        "it forgets the order in which nodes left"
    );
    let row = of("highest", "add", "moved");
    let (lo, hi) = (row.vs_control_lo.unwrap(), row.vs_control_hi.unwrap());
    assert!(lo < row.vs_control.unwrap() && row.vs_control.unwrap() < hi && hi < -0.7);
    assert_eq!(of("remainder", "add", "moved").vs_control, None);
}

/// Deals keys without an owner out in turn, and leaves all others where they are.
#[derive(Clone, Default)]
struct Level {
    single: Highest,
}

impl Router for Level {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.single.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.single.route(key)
    }

    fn assign(&self, _: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        let nodes: Vec<NodeId> = self.single.nodes.iter().map(|&(_, id)| id).collect();
        let mut turns = nodes.iter().cycle().copied();
        for owner in owners {
            *owner = owner
                .filter(|id| nodes.contains(id))
                .or_else(|| turns.next());
        }
        Some(())
    }
}

static LEVEL: Strategy = Strategy {
    name: "level",
    capabilities: |_, _| Capabilities {
        minimal: true,
        knows_load: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::<Level>::default()),
    expected: |_, _| None,
    ..HIGHEST
};

/// A strategy that knows load is asked for whole key sets, and after a change with the owners before.
#[test]
fn who_knows_load_is_measured_by_what_it_places() {
    let catalog = Catalog::new([&LEVEL]).unwrap();
    let n_keys = 140_001; // three chunks of what others are asked at a time
    let nodes = (0..7).map(|i| format!("node{i}").into()).collect();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile: Profile {
            seeds: 2,
            movement_seeds: 2,
            ..Profile::quick()
        },
        parts: vec![Part::Balance, Part::Movement],
        key_set: KeySet::Hex64,
        n_keys: Some(n_keys),
        nodes: Some(nodes),
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, &Progress::new()).unwrap();
    for row in measured.balance.iter().chain(&measured.movement) {
        assert_ne!(row.status, Status::Failed, "not even too even: {row:?}");
    }
    let mean = |rows, change, metric| row(rows, change, metric).mean.unwrap();
    let fair = n_keys as f64 / 7.0;
    let peak = mean(&measured.balance, "none", "peak_to_avg");
    assert!(
        (peak - 20_001.0 / fair).abs() < 1e-12,
        "{peak}: within one key"
    );

    // Only the keys of who left move, a newcomer gets nothing, and they stay where they went.
    let moves = |change, metric| mean(&measured.movement, change, metric);
    for change in ["lose-first", "lose-random", "lose-50pct"] {
        assert_eq!(moves(change, "collateral"), 0.0, "{change}");
        assert_eq!(
            moves(change, "moved"),
            moves(change, "own_optimal"),
            "{change}"
        );
    }
    let lost = moves("lose-random", "moved");
    assert!((lost - 1.0 / 7.0).abs() < 1e-4, "{lost}");
    assert_eq!(moves("lose-random", "restored_mismatch"), lost);
    assert_eq!(moves("add", "moved"), 0.0);
    assert_eq!(moves("add", "restored_mismatch"), 0.0);
    // All in turn: each step moves a seventh and what earlier ones left to that node.
    assert_eq!(moves("rolling", "collateral"), 0.0);
    let n1 = moves("none", "n1_peak");
    assert!((n1 - 7.0 / 6.0).abs() < 1e-4, "{n1}");
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

/// Of very many keys one loss is measured: of a random node, or the last one where no other may leave.
/// Everything else says that it is not.
#[test]
fn of_very_many_keys_one_loss_is_measured() {
    for (strategy, loss) in [(&HIGHEST, "lose-random"), (&LAST_ONLY, "lose-last")] {
        let all = profile(1);
        let one = Profile {
            one_loss_beyond: 1000,
            ..profile(1)
        };
        let [all, one] = [all, one]
            .map(|profile| measure_with(strategy, &[Part::Movement], profile, KeySet::Hex64));
        let is = |status| move |row: &&Row| row.status == status && row.change != "rolling";
        let kept: Vec<&Row> = one.movement.iter().filter(is(Status::Ok)).collect();
        assert!(kept.iter().all(|row| row.change == loss), "{kept:?}");
        for row in kept {
            assert_eq!(row, self::row(&all.movement, loss, &row.metric));
        }
        // Nothing of the rest is left out, and what cannot be done at all stays so.
        let changes = |measured: &Measured, unsupported| {
            let rows = measured.movement.iter();
            let rows = rows.filter(|row| (row.status == Status::Unsupported) == unsupported);
            rows.map(|row| row.change.clone()).collect::<BTreeSet<_>>()
        };
        assert_eq!(changes(&one, false), changes(&all, false));
        assert_eq!(changes(&one, true), changes(&all, true));
        let over = self::row(&one.movement, "add", "moved");
        assert_eq!(over.status, Status::OverBudget);
        assert!(over.note.contains("one loss is measured"), "{}", over.note);
    }
}
