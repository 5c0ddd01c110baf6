//! Skew on a small scale: against counts made here, against what must hold, and the same on any
//! number of threads.

use std::collections::BTreeMap;

use bench_harness::{
    experiment::{Findings, Options},
    record::Verdict,
    workload::{KeySet, node_names, ranks, whole_requests, zipf_shares},
};
use router::{Cluster, NodeSpec};
use toml::Table;

use super::experiment::{find, measured, series, set};

const NODES: usize = 10;
const KEYS: usize = 500;
const REQUESTS: u64 = 2000;

fn small(setup: &mut Table) {
    set(setup, "nodes", NODES as i64);
    set(setup, "keys_a_node", (KEYS / NODES) as i64);
    set(setup, "requests_a_node", (REQUESTS / NODES as u64) as i64);
    set(setup, "zipf", vec![0.8, 1.2]);
    set(setup, "factors", vec![1.1, 2.0, 50.0]);
    set(setup, "shown_factor", 1.1);
    set(setup, "seeds", 2);
    set(setup, "losses", 2);
    let strategies = ["modulo", "vec-ring:vnodes=1", "rendezvous", "ideal"];
    set(setup, "strategies", strategies.to_vec());
}

fn run(options: &Options) -> Findings {
    find("skew", options, small)
}

/// The value of a point.
#[track_caller]
fn value(findings: &Findings, file: &str, name: &str, label: &str, x: f64) -> f64 {
    let rows = series(findings, file).iter();
    let mut rows = rows.filter(|it| it.series == name && it.label == label && it.x == Some(x));
    let found = rows.next().and_then(|it| it.value);
    found.unwrap_or_else(|| panic!("no {name:?} of {label:?} at {x}"))
}

/// The busiest node of the control under Zipf 1.2, counted here from the same lists.
#[test]
fn requests_of_the_busiest_node_are_counted() {
    let findings = run(&Options::default());
    let by_rank = whole_requests(&zipf_shares(KEYS, 1.2), REQUESTS);
    assert_eq!(by_rank.iter().sum::<u64>(), REQUESTS);
    let spec = registry::catalog().parse("modulo").expect("it is there");
    let mut peaks = Vec::new();
    for seed in 0..2 {
        let nodes = node_names(seed, NODES).into_iter().map(NodeSpec::from);
        let nodes: Vec<NodeSpec> = nodes.collect();
        let cluster = Cluster::build(&spec, &nodes).expect("it serves them");
        let keys = KeySet::Hex64.keys(seed, KEYS as u64);
        let mut requests = BTreeMap::new();
        for (key, rank) in keys.keys().iter().zip(ranks(seed, KEYS)) {
            *requests.entry(cluster.route(key)).or_insert(0) += by_rank[rank];
        }
        let most = *requests.values().max().expect("there are nodes");
        peaks.push(most as f64 * NODES as f64 / REQUESTS as f64);
    }
    let found = value(&findings, "load", "zipf-1.2, alone", "modulo", 1.2);
    assert!((found - (peaks[0] + peaks[1]) / 2.0).abs() < 1e-12);
    let floor = value(&findings, "load", "zipf-1.2, hottest key", "", 1.2);
    assert_eq!(floor, by_rank[0] as f64 * NODES as f64 / REQUESTS as f64);
    for spec in ["modulo", "vec-ring:vnodes=1", "rendezvous", "ideal"] {
        assert!(
            value(&findings, "load", "zipf-1.2, alone", spec, 1.2) >= floor,
            "{spec}"
        );
    }
}

#[test]
fn a_bound_binds_what_is_placed_and_fades_with_the_factor() {
    let findings = run(&Options::default());
    assert!(measured(&findings, "no node gets more than its cap").starts_with("0 nodes above it"));
    let of = |name: &str, spec: &str, factor: f64| value(&findings, "factor", name, spec, factor);
    let fair = REQUESTS as f64 / NODES as f64;
    for spec in ["vec-ring:vnodes=1", "rendezvous"] {
        for rule in ["forward", "random-jump"] {
            // Requests are at most one above the cap's share; a hot key is answered by several nodes.
            let peak = of(&format!("zipf-1.2, {rule}, zipf-1.2 peak"), spec, 1.1);
            assert!(
                (1.0..=1.1 + 1.0 / fair).contains(&peak),
                "{spec}, {rule}: {peak}"
            );
            let holders = of(&format!("zipf-1.2, {rule}, zipf-1.2 holders"), spec, 1.1);
            assert!(holders > 1.0, "{spec}, {rule}: {holders}");
            // A bound on keys leaves each key one node, and so the floor under the busiest.
            let floor = value(&findings, "load", "zipf-1.2, hottest key", "", 1.2);
            let peak = of(&format!("keys, {rule}, zipf-1.2 peak"), spec, 1.1);
            assert!(peak >= floor, "{spec}, {rule}: {peak}");
            for what in ["keys", "zipf-0.8", "zipf-1.2"] {
                let cost =
                    |count: &str, factor| of(&format!("{what}, {rule}, {count}"), spec, factor);
                assert!(
                    cost("spill", 1.1) > cost("spill", 2.0),
                    "{spec}, {what}, {rule}"
                );
                // Nobody is 50 times above the mean of 10 nodes: as without a bound.
                assert_eq!(cost("spill", 50.0), 0.0, "{spec}, {what}, {rule}");
                assert_eq!(cost("extra", 50.0), 0.0, "{spec}, {what}, {rule}");
                assert_eq!(cost("moves", 50.0), 1.0, "{spec}, {what}, {rule}");
                // Who spills looks at one node more, or at several.
                assert!(
                    cost("extra", 1.1) >= cost("spill", 1.1),
                    "{spec}, {what}, {rule}"
                );
            }
        }
    }
    assert!(of("keys, forward, moves", "vec-ring:vnodes=1", 1.1) > 1.0);
}

#[test]
fn who_cannot_be_bounded_is_said() {
    let findings = run(&Options::default());
    let lines = &findings.printed;
    assert!(
        lines.iter().all(|it| it.starts_with("left out: ")),
        "{lines:?}"
    );
    // The control has no second choice to walk on to; the bound of all strategies knows load.
    assert!(
        lines
            .iter()
            .any(|it| it.contains("base=modulo") && it.contains("random-jump"))
    );
    assert!(lines.iter().any(|it| it.contains("base=ideal")));
    let bounded = series(&findings, "factor").iter();
    let modulo = bounded.filter(|it| it.label == "modulo");
    assert!(modulo.clone().all(|it| !it.series.contains("forward")) && modulo.count() > 0);
    // Nobody is left who can be bounded.
    let options = Options {
        strategies: vec!["ideal".into()],
        ..Options::default()
    };
    let findings = run(&options);
    let verdicts = findings.claims.iter().map(|it| it.verdict);
    let verdicts: Vec<Verdict> = verdicts.collect();
    assert_eq!(verdicts[0], Verdict::Reproduced);
    assert!(verdicts[1..].iter().all(|it| *it == Verdict::NotCheckable));
    assert!(series(&findings, "factor").is_empty());
}

#[test]
fn the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("it starts");
        pool.install(|| run(&Options::default()))
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn requests_are_whole_and_add_up() {
    for (keys, total) in [(1, 7), (3, 100), (1000, 1000), (1000, 10)] {
        for s in [0.0, 0.8, 1.2] {
            let shares = zipf_shares(keys, s);
            let requests = whole_requests(&shares, total);
            assert_eq!(requests.iter().sum::<u64>(), total, "{keys} keys, {s}");
            for (share, &given) in shares.iter().zip(&requests) {
                let wanted = share * total as f64;
                assert!(
                    (given as f64 - wanted).abs() <= 1.0 + 1e-9,
                    "{wanted}: {given}"
                );
            }
        }
    }
    assert!(whole_requests(&[], 7).is_empty());
}
