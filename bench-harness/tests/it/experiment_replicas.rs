//! Sets of replicas on a small scale: against what is known of three in a row and of random sets,
//! and against orders of preference asked here.

use bench_harness::{
    experiment::{Findings, Options},
    record::Verdict,
    workload::{KeySet, LossOrder, Scenario, node_names},
};
use router::{Change, Cluster, NodeSpec};
use toml::Table;

use super::experiment::{find, series, set};

const NODES: usize = 9;
const KEYS: u64 = 3000;

fn small(setup: &mut Table) {
    set(setup, "nodes", NODES as i64);
    set(setup, "keys", KEYS as i64);
    set(setup, "seeds", 2);
    set(setup, "losses", 3);
    let strategies = [
        "modulo",
        "vec-ring:vnodes=1",
        "vec-ring:vnodes=40",
        "ketama",
        "rendezvous",
    ];
    set(setup, "strategies", strategies.to_vec());
    set(
        setup,
        "points",
        vec!["vec-ring:vnodes=1", "vec-ring:vnodes=40"],
    );
}

#[track_caller]
fn value(findings: &Findings, name: &str, label: &str) -> f64 {
    let mut rows = series(findings, "sets").iter();
    let found = rows.find(|it| it.series == name && it.label == label);
    let found = found.and_then(|it| it.value);
    found.unwrap_or_else(|| panic!("no {name:?} of {label:?}"))
}

#[track_caller]
fn near(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within,
        "{found}, expected {expected}"
    );
}

#[test]
fn failures_lose_what_theory_says() {
    let findings = find("replicas", &Options::default(), small);
    // Of 36 pairs 3 hold two of a key's three nodes; of 84 triples 3 * 6 hold two and 1 all.
    let (two, three) = (3.0 / 36.0, 19.0 / 84.0);
    near(
        value(&findings, "2 fail, mean, random sets", ""),
        two,
        1e-12,
    );
    near(
        value(&findings, "3 fail, mean, random sets", ""),
        three,
        1e-12,
    );
    for spec in [
        "vec-ring:vnodes=1",
        "vec-ring:vnodes=40",
        "ketama",
        "rendezvous",
    ] {
        near(value(&findings, "2 fail, mean", spec), two, 1e-12);
        near(value(&findings, "3 fail, mean", spec), three, 1e-12);
    }
    // Three in a row of nine: a set a node; two that are at most two apart: 18 of 36 pairs; of the 84
    // triples only the 3 with gaps of three keep every quorum.
    let row = "vec-ring:vnodes=1";
    near(value(&findings, "distinct sets", row), 9.0, 0.5);
    near(value(&findings, "2 fail, hit", row), 0.5, 0.02);
    near(value(&findings, "3 fail, hit", row), 81.0 / 84.0, 0.02);
    // Every pair holds a key where every key has an order of its own.
    assert_eq!(value(&findings, "2 fail, hit", "rendezvous"), 1.0);
    assert_eq!(value(&findings, "distinct sets", "rendezvous"), 84.0);
    assert!(
        value(&findings, "2 fail, worst", row) > value(&findings, "2 fail, worst", "rendezvous")
    );
    let said = findings.printed.join("\n");
    assert_eq!(said, "left out: modulo: it does not claim replicas");
}

#[test]
fn a_loss_changes_what_preference_says() {
    let findings = find("replicas", &Options::default(), small);
    let spec = registry::catalog().parse("ketama").expect("it is there");
    let (mut primary, mut members, mut losses) = (0, 0, 0);
    for seed in 0..2 {
        let nodes: Vec<NodeSpec> = node_names(seed, NODES)
            .into_iter()
            .map(NodeSpec::from)
            .collect();
        let cluster = Cluster::build(&spec, &nodes).expect("it serves them");
        let lost = Scenario::LosePercent(50, LossOrder::Random).changes(seed, &nodes);
        for change in lost.into_iter().flatten().take(3) {
            let mut after = cluster.clone();
            let Change::Remove(_) = &change else {
                panic!("{change:?}")
            };
            after.apply(&[change]).expect("it may leave");
            for key in KeySet::Hex64.keys(seed, KEYS).keys().iter() {
                let [old, new] = [&cluster, &after].map(|it| {
                    let order = it.preference(key, 3).expect("it has replicas");
                    let name = |id| it.name(id).expect("it is present").to_owned();
                    order.into_iter().map(name).collect::<Vec<String>>()
                });
                primary += usize::from(old[0] != new[0]);
                members += usize::from(!old.iter().all(|it| new.contains(it)));
            }
            losses += KEYS as usize;
        }
    }
    let share = |count: usize| count as f64 / losses as f64;
    near(
        value(&findings, "loss, first node", "ketama"),
        share(primary),
        1e-12,
    );
    near(
        value(&findings, "loss, set", "ketama"),
        share(members),
        1e-12,
    );
    assert_eq!(
        value(&findings, "loss, set without the lost", "rendezvous"),
        0.0
    );
    near(
        value(&findings, "loss, set, random sets", ""),
        3.0 / 9.0,
        1e-12,
    );
}

#[test]
fn claims_are_judged_by_what_was_run() {
    let verdict = |findings: &Findings, claim: &str| {
        let mut claims = findings.claims.iter();
        claims
            .find(|it| it.claim.starts_with(claim))
            .map(|it| it.verdict)
    };
    const ROW: &str = "sets of three in a row";
    const RANDOM: &str = "random sets";
    const POINTS: &str = "the fewer sets";
    let findings = find("replicas", &Options::default(), small);
    for claim in [ROW, RANDOM, POINTS, "in the mean over all failures"] {
        assert_eq!(
            verdict(&findings, claim),
            Some(Verdict::Reproduced),
            "{claim}"
        );
    }
    // What is said of one is not true of the other.
    let swapped = find("replicas", &Options::default(), |setup| {
        small(setup);
        set(setup, "one_point", "rendezvous");
        set(setup, "random", "vec-ring:vnodes=1");
        set(
            setup,
            "points",
            vec!["vec-ring:vnodes=40", "vec-ring:vnodes=1"],
        );
    });
    for claim in [ROW, RANDOM, POINTS] {
        assert_eq!(verdict(&swapped, claim), Some(Verdict::Differs), "{claim}");
    }
    let control = Options {
        strategies: vec!["modulo".into()],
        ..Options::default()
    };
    let control = find("replicas", &control, small);
    assert!(
        control
            .claims
            .iter()
            .all(|it| it.verdict == Verdict::NotCheckable)
    );
}

#[test]
fn the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("it starts");
        pool.install(|| find("replicas", &Options::default(), small))
    };
    assert_eq!(on(1), on(2));
}
