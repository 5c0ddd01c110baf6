//! The router over a bucket function, batches, and the theory that all of them share. Known answers
//! of the functions stand with their strategies.

use bucket_hash::{
    BucketFn, CAPABILITIES, Jump, JumpBack, Lifo, MAX_BUCKETS, checks, even, gap, harmonic,
};
use point_hash::{SplitMix64, xxh3};
use router::{
    Catalog, Change, Cluster, Estimate, KeyBuf, NodeId, NodeSpec, Question, Strategy,
    suite::{self, Effort, Outcome, Verdict},
};

static STRATEGIES: &[Strategy] = &[
    strategy("jump", |_, _, _| Ok(Box::new(Lifo::new(Jump)))),
    strategy("jump-back", |_, _, _| Ok(Box::new(Lifo::new(JumpBack)))),
];

const fn strategy(name: &'static str, build: router::BuildFn) -> Strategy {
    Strategy {
        name,
        family: "bucket-hash",
        hash: &point_hash::XXH3,
        summary: "a function under test",
        source: "its strategy's crate",
        capabilities: |_, _| CAPABILITIES,
        build,
        ..Strategy::DEFAULT
    }
}

fn cluster(strategy: &str, n: usize) -> Cluster {
    let spec = Catalog::new(STRATEGIES).unwrap().parse(strategy).unwrap();
    let nodes: Vec<NodeSpec> = (0..n).map(|i| i.to_string().into()).collect();
    Cluster::build(&spec, &nodes).unwrap()
}

#[test]
fn the_router_keeps_the_contract() {
    for strategy in STRATEGIES {
        let outcomes = suite::run(cluster(strategy.name, 0).spec(), Effort::Gate);
        for Outcome { check, verdict, .. } in outcomes {
            if let Verdict::Failed(why) = verdict {
                panic!("{}: {check}: {why}", strategy.name);
            }
        }
    }
}

#[test]
fn a_long_walk_moves_nothing_for_nothing() {
    checks::walk(STRATEGIES, "jump");
    checks::walk(STRATEGIES, "jump-back");
}

/// After these changes, applied at once to nodes 0 to 3, the nodes stand in this order, and keys are
/// where their buckets say.
#[track_caller]
fn check_change(changes: &[&str], order: &[&str]) {
    let mut cluster = cluster("jump", 4);
    let changes: Vec<Change> = changes.iter().map(|it| it.parse().unwrap()).collect();
    cluster.apply(&changes).unwrap();
    let names: Vec<&str> = cluster.nodes().iter().map(|node| &*node.name).collect();
    assert_eq!(names, order);
    let n = order.len() as u32;
    for i in 0..300 {
        let key = format!("key-{i}");
        let bucket = Jump.bucket(xxh3(key.as_bytes()), n, &mut ());
        let owner = cluster.route(key.as_bytes()).unwrap();
        assert_eq!(cluster.name(owner), Some(order[bucket as usize]), "{key}");
    }
}

#[test]
fn changes_touch_the_places_that_they_name() {
    check_change(&["+4"], &["0", "1", "2", "3", "4"]);
    check_change(&["-3"], &["0", "1", "2"]);
    check_change(&["-3", "-2", "+2"], &["0", "1", "2"]);
    check_change(&["~1\tx"], &["0", "x", "2", "3"]);
    check_change(&["~1\tx", "~x\ty", "-3", "+1"], &["0", "y", "2", "1"]);
    check_change(&["-3", "+3"], &["0", "1", "2", "3"]);
    check_change(&["~3\tx", "-x", "-2", "+3", "+2"], &["0", "1", "3", "2"]);
    check_change(&["+4", "~4\tx", "~0\t4"], &["4", "1", "2", "3", "x"]);
}

#[test]
fn a_batch_of_any_length_is_its_keys_one_by_one() {
    let (mut draws, mut many) = (SplitMix64::new(3), KeyBuf::new());
    for _ in 0..150 {
        many.push(&draws.draw().to_le_bytes());
    }
    for strategy in ["jump", "jump-back"] {
        let cluster = cluster(strategy, 100);
        for n_keys in (0..10).chain([63, 64, 65, 127, 128, 129, 150]) {
            let keys = many.keys().slice(0..n_keys);
            let mut batch = vec![NodeId::default(); n_keys];
            assert!(cluster.route_batch(keys, &mut batch));
            let alone: Vec<_> = keys.iter().map(|key| cluster.route(key).unwrap()).collect();
            assert_eq!(batch, alone, "{strategy}, {n_keys} keys");
        }
    }
}

#[test]
fn lanes_answer_as_one_by_one_to_the_last_bucket() {
    let mut draws = SplitMix64::new(4);
    let mut hashes: Vec<u64> = (0..1003).map(|_| draws.draw()).collect();
    hashes.extend([0, 1, u64::MAX]);
    for n in [1, 2, 3, 1000, 1 << 30, MAX_BUCKETS] {
        let mut buckets = vec![u32::MAX; hashes.len()];
        Jump.buckets(&hashes, n, &mut buckets);
        for (&hash, bucket) in hashes.iter().zip(buckets) {
            assert_eq!(bucket, Jump.bucket(hash, n, &mut ()), "{hash:#x} of {n}");
            assert!(bucket < n, "{hash:#x} of {n}");
        }
    }
}

/// What [`even`] says of a change, against counting it: the share of `n_keys` keys that move when
/// the last nodes leave and then others join.
#[track_caller]
fn check_moved(n: u64, removed: u64, added: u64, exact: f64) {
    let stated = even(Question::Moved { n, removed, added }).unwrap();
    assert_eq!(stated.sd, Some(0.0));
    assert!((stated.mean - exact).abs() < 1e-12, "{}", stated.mean);
    let before = cluster("jump", n as usize);
    let mut after = before.clone();
    for i in (n - removed..n).rev() {
        after.remove(&i.to_string()).unwrap();
    }
    for i in 0..added {
        after.add(format!("new-{i}")).unwrap();
    }
    let n_keys = 20_000;
    let moves = (0..n_keys).filter(|i: &u32| {
        let key = i.to_le_bytes();
        before.route(&key) != after.route(&key)
    });
    let sd = (f64::from(n_keys) * exact * (1.0 - exact)).sqrt();
    let measured = moves.count() as f64;
    // 5 standard deviations: once in 1.7 million, and the keys are fixed.
    assert!(
        (measured - f64::from(n_keys) * exact).abs() <= 5.0 * sd,
        "{n} - {removed} + {added}: {measured} moved"
    );
}

#[test]
fn keys_move_as_stated() {
    check_moved(10, 0, 1, 1.0 / 11.0);
    check_moved(10, 1, 0, 0.1);
    check_moved(10, 0, 0, 0.0);
    check_moved(10, 1, 1, 0.1);
    check_moved(10, 5, 1, 0.5);
    check_moved(10, 1, 5, 5.0 / 14.0);
    check_moved(3, 3, 2, 1.0);
    for impossible in [(2, 3, 0), (0, 0, 0)] {
        let (n, removed, added) = impossible;
        assert_eq!(even(Question::Moved { n, removed, added }), None);
    }
    let exact = |question| even(question) == Some(Estimate::exact(0.0));
    assert!(exact(Question::ShareVariance { n: 10 }));
    assert_eq!(even(Question::HashEvals { n: 10 }), None);
}

#[test]
fn harmonic_numbers_are_sums() {
    // Sums of 1/i in 50 decimal digits (Python's decimal).
    for (n, sum) in [
        (0, 0.0),
        (1, 1.0),
        (10, 2.928_968_253_968_254),
        (100, 5.187_377_517_639_621),
        (1000, 7.485_470_860_550_345),
        (1024, 7.509_175_672_278_134),
        (1025, 7.510_151_282_034_231),
        (1_000_000, 14.392_726_722_865_724),
    ] {
        let found = harmonic(n);
        assert!((found - sum).abs() < 1e-14, "H_{n}: {found}");
    }
}

#[test]
fn the_gap_is_what_a_power_of_two_has_too_much() {
    for (n, s) in [(1, 0.0), (2, 0.0), (3, 0.25), (4, 0.0), (5, 0.375)] {
        assert!((gap(n) - s).abs() < 1e-15, "{n}");
    }
    assert!((gap(65) - 63.0 / 128.0).abs() < 1e-15);
    assert!((gap(1 << 40)).abs() < 1e-15);
}
