//! Cascades on a small scale: against losses that were followed by hand, and against what must hold.

use bench_harness::{
    experiment::{Findings, Options},
    record::Verdict,
    workload::{KeySet, LossOrder, Scenario, node_names},
};
use router::{Change, Cluster, NodeSpec};
use toml::Table;

use super::experiment::{find, measured, series, set};

const NODES: usize = 8;
const KEYS: u64 = 4000;
const CAPACITIES: [f64; 5] = [1.1, 1.5, 2.0, 3.0, 8.0];

fn small(setup: &mut Table) {
    set(setup, "nodes", NODES as i64);
    set(setup, "keys", KEYS as i64);
    set(setup, "seeds", 2);
    set(setup, "losses", 3);
    set(setup, "capacities", CAPACITIES.to_vec());
    let strategies = [
        "modulo",
        "vec-ring:vnodes=1",
        "vec-ring:vnodes=160",
        "jump",
        "bounded-load:base=[vec-ring:vnodes=160]",
    ];
    set(setup, "strategies", strategies.to_vec());
}

/// Mean, least and most of a point.
#[track_caller]
fn value(findings: &Findings, name: &str, label: &str, x: f64) -> (f64, f64, f64) {
    let rows = series(findings, "survivors").iter();
    let mut rows = rows.filter(|it| it.series == name && it.label == label && it.x == Some(x));
    let row = rows
        .next()
        .unwrap_or_else(|| panic!("no {name:?} of {label:?} at {x}"));
    (
        row.value.expect("a value"),
        row.lo.expect("a least"),
        row.hi.expect("a most"),
    )
}

/// Share of nodes that survive each loss, followed key by key.
fn by_hand(spec: &str, capacity: f64) -> Vec<f64> {
    let spec = registry::catalog().parse(spec).expect("it is there");
    let mut shares = Vec::new();
    for seed in 0..2 {
        let nodes: Vec<NodeSpec> = node_names(seed, NODES)
            .into_iter()
            .map(NodeSpec::from)
            .collect();
        let keys = KeySet::Hex64.keys(seed, KEYS);
        let lost = Scenario::LosePercent(50, LossOrder::Random).changes(seed, &nodes);
        for change in lost.into_iter().flatten().take(3) {
            let mut cluster = Cluster::build(&spec, &nodes).expect("it serves them");
            let mut fallen = vec![change];
            while !fallen.is_empty() {
                cluster.apply(&fallen).expect("any may leave");
                let present: Vec<_> = cluster.nodes().iter().cloned().collect();
                let load = |id| {
                    let ours = keys
                        .keys()
                        .iter()
                        .filter(|key| cluster.route(key) == Some(id));
                    ours.count() as f64
                };
                let above = present
                    .iter()
                    .filter(|it| load(it.id) * NODES as f64 > capacity * KEYS as f64);
                fallen = above
                    .map(|it| Change::Remove(it.name.to_string()))
                    .collect();
            }
            shares.push(cluster.nodes().len() as f64 / NODES as f64);
        }
    }
    shares
}

#[test]
fn losses_end_as_when_followed_by_hand() {
    let findings = find("cascade", &Options::default(), small);
    for spec in ["modulo", "vec-ring:vnodes=1"] {
        for capacity in [1.5, 3.0] {
            let expected = by_hand(spec, capacity);
            let (mean, least, most) = value(&findings, "survivors", spec, capacity);
            let sum: f64 = expected.iter().sum();
            assert!(
                (mean - sum / 6.0).abs() < 1e-12,
                "{spec}, {capacity}: {expected:?}"
            );
            let ends = expected.iter().copied();
            assert_eq!(
                ends.clone().reduce(f64::min),
                Some(least),
                "{spec}, {capacity}"
            );
            assert_eq!(ends.reduce(f64::max), Some(most), "{spec}, {capacity}");
        }
    }
    let said = findings.printed.join("\n");
    assert!(said.contains("left out: jump: "), "{said}");
}

#[test]
fn nothing_survives_below_the_mean_and_all_above_the_whole_load() {
    let findings = find("cascade", &Options::default(), small);
    for spec in ["modulo", "vec-ring:vnodes=1", "vec-ring:vnodes=160"] {
        // 8/7 of the mean lie on each in the mean.
        assert_eq!(
            value(&findings, "survivors", spec, 1.1),
            (0.0, 0.0, 0.0),
            "{spec}"
        );
        let all = 7.0 / 8.0;
        assert_eq!(
            value(&findings, "survivors", spec, 8.0),
            (all, all, all),
            "{spec}"
        );
        assert_eq!(value(&findings, "alone", spec, 8.0).0, 1.0, "{spec}");
        let (peak, ..) = value(&findings, "peak", spec, 8.0);
        assert!((8.0 / 7.0..8.0).contains(&peak), "{spec}: {peak}");
    }
    let bounded = "bounded-load";
    assert_eq!(value(&findings, "alone", bounded, 1.5).0, 1.0);
    assert!(value(&findings, "peak", bounded, 1.5).2 <= 1.25 * 8.0 / 7.0 + 0.01);
    assert!(measured(&findings, "below n/(n-1)").starts_with("somebody survives in 0 of "));
}

#[test]
fn claims_are_judged_by_what_was_run() {
    let verdict = |findings: &Findings, claim: &str| {
        let mut claims = findings.claims.iter();
        claims
            .find(|it| it.claim.starts_with(claim))
            .map(|it| it.verdict)
    };
    const POINTS: &str = "one point a node collapses";
    let findings = find("cascade", &Options::default(), small);
    assert_eq!(verdict(&findings, POINTS), Some(Verdict::Reproduced));
    assert_eq!(
        verdict(&findings, "a bound on the load"),
        Some(Verdict::Reproduced)
    );
    // Nothing needs a higher capacity than itself.
    let same = find("cascade", &Options::default(), |setup| {
        small(setup);
        set(setup, "many_points", "vec-ring:vnodes=1");
        set(setup, "bounded", "vec-ring:vnodes=1");
    });
    assert_eq!(verdict(&same, POINTS), Some(Verdict::Differs));
    assert_eq!(verdict(&same, "virtual nodes"), Some(Verdict::Differs));
    assert_eq!(
        verdict(&same, "a bound on the load"),
        Some(Verdict::Differs)
    );
    let alone = Options {
        strategies: vec!["modulo".into()],
        ..Options::default()
    };
    let alone = find("cascade", &alone, small);
    assert_eq!(verdict(&alone, POINTS), Some(Verdict::NotCheckable));
    assert_eq!(verdict(&alone, "below n/(n-1)"), Some(Verdict::Reproduced));
}

#[test]
fn the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("it starts");
        pool.install(|| find("cascade", &Options::default(), small))
    };
    assert_eq!(on(1), on(2));
}
