//! Growth on a small scale: powers that theory gives, laws that do not hold, and who is refused.

use std::collections::BTreeMap;

use bench_harness::{
    experiment::{Extra, Findings, Options},
    record::Verdict,
};
use toml::{Table, Value};

use super::experiment::{find, series, set};

fn small(setup: &mut Table) {
    set(setup, "sizes", vec![30, 100, 300]);
    set(setup, "fit_from", 30);
    set(setup, "keys", 2048);
    set(setup, "rounds", 2);
    set(setup, "traced", 200);
    set(setup, "most_points", 4000);
    set(setup, "most_units", 1000.0);
}

/// These strategies, after `change`.
fn run(specs: &[&str], change: impl FnOnce(&mut Table)) -> Findings {
    let options = Options {
        strategies: specs.iter().map(|&it| it.to_owned()).collect(),
        ..Options::default()
    };
    find("growth", &options, |setup| {
        small(setup);
        change(setup);
    })
}

/// Has the definition state another law.
fn stating(name: &str, cost: &str, law: &str, setup: &mut Table) {
    let all = setup["strategies"].as_array_mut().expect("it is a list");
    let mut all = all.iter_mut();
    let strategy = all.find(|it| it["name"].as_str() == Some(name));
    strategy.expect("it is there")[cost][0] = Value::from(law);
}

#[track_caller]
fn verdict(findings: &Findings, claim: &str) -> (Verdict, String) {
    let mut claims = findings.claims.iter().chain(&findings.timed);
    let found = claims.find(|it| it.claim.starts_with(claim));
    let found = found.unwrap_or_else(|| panic!("no claim {claim:?}"));
    (found.verdict, found.measured.clone())
}

#[track_caller]
fn table(findings: &Findings, name: &str, deterministic: bool) -> Vec<BTreeMap<String, String>> {
    let ours = |it: &&Extra| it.table == name && it.deterministic == deterministic;
    let found = findings.extra.iter().find(ours);
    let bytes = &found.unwrap_or_else(|| panic!("no table {name:?}")).bytes;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let rows = reader.deserialize();
    rows.map(|it| it.expect("as many fields as columns"))
        .collect()
}

#[track_caller]
fn power(rows: &[BTreeMap<String, String>], strategy: &str, cost: &str) -> (f64, f64) {
    let row = rows
        .iter()
        .find(|it| it["strategy"] == strategy && it["cost"] == cost)
        .unwrap_or_else(|| panic!("no row of {strategy} {cost}"));
    let number = |column: &str| row[column].parse().unwrap_or(f64::NAN);
    (number("exponent"), number("law_exponent"))
}

#[test]
fn counted_costs_have_the_powers_of_their_theory() {
    let ring = "vec-ring:vnodes=10";
    let scan = "linear-ring-node-plain";
    let findings = run(&["modulo", "jump", "rendezvous", ring, scan], |_| ());
    let fits = table(&findings, "fits", true);
    // One probe, whatever n; and n + 1 evaluations.
    assert_eq!(power(&fits, "modulo", "probes"), (0.0, 0.0));
    let (all, law) = power(&fits, "rendezvous", "hash_evals");
    assert!((0.98..1.0).contains(&all) && law == 1.0, "{all} {law}");
    // Jump: harmonic numbers, 3.99, 5.19 and 6.28 at 30, 100 and 300.
    let (steps, log) = power(&fits, "jump", "probes");
    assert!((steps - 0.196).abs() < 0.02, "{steps}");
    assert!((log - 0.2245).abs() < 1e-3, "{log}");
    // A scan of one point a node looks at half of them.
    let (half, _) = power(&fits, scan, "probes");
    assert!((half - 1.0).abs() < 0.1, "{half}");
    // Halving 300, 1000 and 3000 points looks at 10, 11 and 13 of them, always.
    let probes: Vec<Option<f64>> = series(&findings, "costs")
        .iter()
        .filter(|it| it.label == ring && it.series == "probes")
        .map(|it| it.value)
        .collect();
    assert_eq!(probes, [Some(10.0), Some(11.0), Some(13.0)]);
    for claim in ["modulo: probes", "rendezvous hashing: hash"] {
        let (found, measured) = verdict(&findings, claim);
        assert_eq!(found, Verdict::Reproduced, "{claim}: {measured}");
    }
    // A strategy that was not run is not judged.
    let (found, _) = verdict(&findings, "Maglev");
    assert_eq!(found, Verdict::NotCheckable);
    // Every cost that is timed has a power here, with its law's beside it where one is stated.
    let timed = table(&findings, "fits", false);
    for cost in ["lookup", "load", "build", "add", "remove"] {
        let (exponent, law) = power(&timed, "jump", cost);
        assert!(exponent.is_finite(), "{cost}");
        assert_eq!(law.is_nan(), cost == "load", "{cost}");
    }
}

#[test]
fn a_law_that_does_not_hold_differs() {
    let findings = run(&["rendezvous", "jump"], |setup| {
        stating("rendezvous", "lookup", "1", setup);
        stating("jump", "lookup", "1", setup);
    });
    let (found, measured) = verdict(&findings, "rendezvous hashing: hash evaluations");
    assert_eq!(found, Verdict::Differs, "{measured}");
    let said = "n^0.99 where the law has n^0.00: 31 hash evaluations at 30 nodes, 301 at 300";
    assert_eq!(measured, said);
    let (found, measured) = verdict(&findings, "jump: probes of a look-up");
    assert_eq!(found, Verdict::Differs, "{measured}");
}

#[test]
fn who_is_refused_has_a_row_that_says_so() {
    // Too many nodes for one strategy, points for another, work for a third.
    let table_of_101 = "maglev:table=101";
    let findings = run(&["rendezvous", table_of_101, "ketama-libketama"], |_| ());
    let rows = |label: &str, cost: &str| {
        let rows = series(&findings, "costs").iter();
        let rows = rows.filter(|it| it.label == label && it.series == cost);
        rows.map(|it| (it.value.is_some(), it.text.clone()))
            .collect::<Vec<_>>()
    };
    let probes = rows(table_of_101, "probes");
    assert!(probes[0].0 && probes[1].0 && !probes[2].0, "{probes:?}");
    assert_eq!(probes[2].1, "unsupported: it holds at most 101 nodes");
    let bytes = rows("ketama-libketama", "bytes");
    assert_eq!(bytes[0].1, "over_budget: 4800 points, 4000 are allowed");
    // Its work is counted, its look-ups are not timed.
    let scan = rows("rendezvous", "hash_evals");
    assert!(scan.iter().all(|it| it.0), "{scan:?}");
    let timed = table(&findings, "costs", false);
    let lookup = timed.iter().filter(|it| it["label"] == "rendezvous");
    let lookup: Vec<_> = lookup.filter(|it| it["series"] == "lookup").collect();
    assert!(!lookup[1]["value"].is_empty() && lookup[2]["value"].is_empty());
    let why = "over_budget: 1504 units of work a look-up, 1000 are timed";
    assert_eq!(lookup[2]["text"], why);
    let said = findings.printed.join("\n");
    for text in [
        "maglev:table=101 at 300 nodes: unsupported",
        "rendezvous at 300 nodes (lookup, load): over_budget",
    ] {
        assert!(said.contains(text), "{said}");
    }
    let (found, _) = verdict(&findings, "libketama, 160 points a node: probes");
    assert_eq!(found, Verdict::NotCheckable);
}

#[test]
fn counts_do_not_depend_on_the_threads() {
    let files = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("a pool");
        let findings = pool.install(|| run(&["jump", "anchor", "indexed-ring:vnodes=10"], |_| ()));
        let files = findings.files("growth").expect("they can be written");
        let files = files.into_iter().filter(|it| it.deterministic);
        files.map(|it| (it.path, it.bytes)).collect::<Vec<_>>()
    };
    let one = files(1);
    let paths: Vec<&str> = one.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(
        paths,
        [
            "data/experiment-growth.csv",
            "data/experiment-growth-costs.csv",
            "data/experiment-growth-fits.csv"
        ]
    );
    assert_eq!(one, files(2));
}

#[test]
fn another_strategy_has_powers_without_laws() {
    let findings = run(&["choose-k", "jump"], |_| ());
    let fits = table(&findings, "fits", true);
    let (exponent, law) = power(&fits, "choose-k", "probes");
    assert!(exponent.is_finite() && law.is_nan());
    assert!(power(&fits, "jump", "probes").1.is_finite());
    assert_eq!(
        verdict(&findings, "modulo: probes").0,
        Verdict::NotCheckable
    );
}
