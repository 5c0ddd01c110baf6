//! Views on a small scale: against counts made here, against what is exact, and the same on any
//! number of threads.

use bench_harness::{
    experiment::{Findings, Options},
    record::Verdict,
    workload::{KeySet, Scenario, node_names},
};
use router::{Cluster, NodeSpec};
use toml::Table;

use super::experiment::{find, measured, series, set};

const CLIENTS: usize = 6;

fn small(setup: &mut Table) {
    set(setup, "keys", 600);
    set(setup, "seeds", 2);
    set(setup, "nodes", 8);
    set(setup, "clients", CLIENTS as i64);
    set(setup, "steps", vec![1, 4]);
    set(setup, "sizes", vec![4, 32]);
    let strategies = ["modulo", "rendezvous", "vec-ring:vnodes=160", "jump"];
    set(setup, "strategies", strategies.to_vec());
}

fn run() -> Findings {
    find("views", &Options::default(), small)
}

#[track_caller]
fn value(findings: &Findings, file: &str, name: &str, label: &str, x: usize) -> f64 {
    let rows = series(findings, file).iter();
    let x = Some(x as f64);
    let mut rows = rows.filter(|it| it.series == name && it.label == label && it.x == x);
    let found = rows.next().and_then(|it| it.value);
    found.unwrap_or_else(|| panic!("no {name:?} of {label:?} at {x:?}"))
}

/// Half of the clients have not heard of the one replacement: only the keys of that node differ under
/// a remainder, which puts the new node in the place of the old one.
#[test]
fn clients_one_change_behind_differ_on_the_keys_of_that_node() {
    let findings = run();
    let spec = registry::catalog().parse("modulo").expect("it is there");
    let mut spreads = Vec::new();
    for seed in 0..2 {
        let nodes = node_names(seed, 8).into_iter().map(NodeSpec::from);
        let nodes: Vec<NodeSpec> = nodes.collect();
        let before = Cluster::build(&spec, &nodes).expect("it serves them");
        let mut after = before.clone();
        let changes = Scenario::Rolling.changes(seed, &nodes);
        after.apply(&changes[0]).expect("it can be replaced");
        let keys = KeySet::Hex64.keys(seed, 600);
        let moved = keys
            .keys()
            .iter()
            .filter(|key| before.route(key) != after.route(key));
        spreads.push(1.0 + moved.count() as f64 / 600.0);
    }
    let spread = value(&findings, "steps", "behind, spread", "modulo", 1);
    assert!((spread - (spreads[0] + spreads[1]) / 2.0).abs() < 1e-12);
    // Three of the six have heard: of 15 pairs nine are split.
    let differ = value(&findings, "steps", "behind, disagreement", "modulo", 1);
    assert!((differ - (spread - 1.0) * 9.0 / 15.0).abs() < 1e-12);
}

/// Six clients miss four of eight nodes each. The exact expectation holds over all draws; two draws
/// of six sets lie around it.
#[test]
fn a_fixed_order_spreads_as_computed_and_a_remainder_more() {
    let findings = run();
    for m in [1, 4] {
        let exact = value(&findings, "steps", "missing, spread, one order", "", m);
        for spec in ["rendezvous", "vec-ring:vnodes=160"] {
            let spread = value(&findings, "steps", "missing, spread", spec, m);
            assert!(
                (spread / exact - 1.0).abs() < 0.12,
                "{spec}, {m}: {spread}, {exact}"
            );
        }
    }
    let of = |spec: &str, n| value(&findings, "sizes", "half missing, spread", spec, n);
    assert!(of("modulo", 32) > 1.2 * of("rendezvous", 32));
    assert!(
        of("modulo", 32) <= 17.0,
        "of 32 nodes 16 are missed, so no shift is larger"
    );
}

/// Of a node that joins, each key that moves to it is missed once: by the first who has heard and asks
/// for it. Of a node that is gone, those who have not heard miss every time.
#[test]
fn misses_are_those_of_the_keys_that_move() {
    let findings = run();
    let spec = registry::catalog()
        .parse("rendezvous")
        .expect("it is there");
    for change in [Scenario::Add, Scenario::LoseRandom] {
        let mut moved = 0;
        for seed in 0..2 {
            let nodes = node_names(seed, 8).into_iter().map(NodeSpec::from);
            let nodes: Vec<NodeSpec> = nodes.collect();
            let before = Cluster::build(&spec, &nodes).expect("it serves them");
            let mut after = before.clone();
            let changes = change.changes(seed, &nodes);
            after.apply(&changes[0]).expect("it can change so");
            let keys = KeySet::Hex64.keys(seed, 600);
            let keys = keys.keys();
            let moves = keys
                .iter()
                .filter(|key| before.route(key) != after.route(key));
            moved += moves.count();
        }
        let heard = |n| value(&findings, "heard", &change.name(), "rendezvous", n);
        let misses: f64 = (1..=CLIENTS).map(heard).sum::<f64>() * 1200.0;
        // Six clients: when j have heard, 6 - j of 6 look-ups miss for that alone, 15 of 6 in all.
        let times = match change {
            Scenario::Add => 1.0,
            _ => 1.0 + 15.0 / 6.0,
        };
        let wanted = moved as f64 * times;
        // The keys of a node are not shared out evenly over six turns of clients.
        assert!(
            (misses / wanted - 1.0).abs() < 0.1,
            "{change}: {misses}, {wanted}"
        );
        assert!(change != Scenario::Add || (misses - wanted).abs() < 1e-6);
    }
    assert!(measured(&findings, "a change moves no more").starts_with("rolling: at most "));
}

#[test]
fn verdicts_and_refusals() {
    let findings = run();
    // Jump loses only its last node: what it refuses is said, and what it can do is counted.
    assert!(
        findings
            .printed
            .iter()
            .any(|it| it.starts_with("left out: jump, missing-1: "))
    );
    let behind = series(&findings, "steps")
        .iter()
        .filter(|it| it.label == "jump");
    assert!(behind.clone().all(|it| it.series.starts_with("behind")) && behind.count() > 0);
    let remainder = findings
        .claims
        .iter()
        .find(|it| it.claim.starts_with("a remainder"));
    assert_eq!(remainder.map(|it| it.verdict), Some(Verdict::Reproduced));
    let options = Options {
        strategies: vec!["maglev:table=251".into()],
        ..Options::default()
    };
    let findings = find("views", &options, small);
    assert!(
        findings
            .claims
            .iter()
            .all(|it| it.verdict == Verdict::NotCheckable)
    );
}

#[test]
fn the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("it starts").install(run)
    };
    assert_eq!(on(1), on(3));
}
