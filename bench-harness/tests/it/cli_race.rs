//! `race`: its rows, its verdicts, its page, and what it refuses.

use std::{collections::BTreeSet, fs, path::Path};

use bench_harness::record::{MustRow, RaceRow, Side, Status, from_csv};

use super::cli::{Files, check_refused, command, printed};

/// Two strategies of ours that stand in for ours and a peer.
const PLAN: &str = r#"
sizes = [4, 8]
build_sizes = [8]
counted_size = 4
rounds = 6

[[family]]
name = "buckets"
ours = ["modulo"]
peers = ["jump"]

[[must]]
says = "not a millionth as fast"
family = "buckets"
ours = "modulo"
nodes = 8
metric = "lookup_ns"
times = 1e-6

[[must]]
says = "built not a millionth as fast"
family = "buckets"
ours = "modulo"
nodes = 8
metric = "build_ns"
times = 1e-7
aim = 1e-6

[[must]]
says = "a million times faster"
family = "buckets"
ours = "modulo"
peers = ["jump"]
nodes = 8
metric = "lookup_ns"
times = 1e6

[[must]]
says = "nobody was built among so few"
family = "buckets"
ours = "modulo"
nodes = 4
metric = "build_ns"
times = 1.0

[[must]]
says = "half as fast as one of ours"
family = "buckets"
ours = "modulo"
peers = ["modulo"]
nodes = 8
metric = "lookup_ns"
times = 0.5
"#;

/// The row of a strategy's metric at so many nodes.
#[track_caller]
fn row<'a>(rows: &'a [RaceRow], strategy: &str, nodes: u64, metric: &str) -> &'a RaceRow {
    rows.iter()
        .find(|it| {
            (it.strategy.as_str(), it.nodes, it.metric.as_str()) == (strategy, nodes, metric)
        })
        .unwrap_or_else(|| panic!("no row {strategy} {nodes} {metric}"))
}

/// Numbers have six digits, so a quotient of two agrees in five.
#[track_caller]
fn check_quotient(found: Option<f64>, over: Option<f64>, under: Option<f64>) {
    let expected = over.unwrap() / under.unwrap();
    let found = found.expect("a quotient");
    assert!(
        (found / expected - 1.0).abs() < 2e-5,
        "{found}, not {expected}"
    );
}

fn check_rows(rows: &[RaceRow]) {
    let expected: BTreeSet<(&str, u64, &str)> = ["modulo", "jump"]
        .into_iter()
        .flat_map(|strategy| {
            let asked = ["lookup_ns", "route_batch_ns", "hash_ns", "load_ns"];
            let built = ["build_ns", "add_ns", "remove_ns"];
            let asked = asked.map(|metric| [(strategy, 4, metric), (strategy, 8, metric)]);
            let built = built.map(|metric| (strategy, 8, metric));
            let rows = asked.into_iter().flatten().chain(built);
            rows.chain([(strategy, 4, "instructions")])
        })
        .collect();
    let found = rows.iter().map(|it| (&*it.strategy, it.nodes, &*it.metric));
    assert_eq!(found.collect::<BTreeSet<_>>(), expected);
    assert_eq!(rows.len(), expected.len());
    for it in rows.iter().filter(|it| it.metric != "instructions") {
        let (lo, median, hi) = (it.lo.unwrap(), it.median.unwrap(), it.hi.unwrap());
        assert!(0.0 < lo && lo <= median && median <= hi, "{it:?}");
        assert_eq!((it.status, &*it.contract), (Status::Ok, "passed"), "{it:?}");
        let side = if it.strategy == "jump" {
            Side::Peer
        } else {
            Side::Ours
        };
        assert_eq!(it.side, side);
        let floor = row(rows, &it.strategy, it.nodes, "load_ns");
        match &*it.metric {
            "hash_ns" | "load_ns" => assert_eq!((it.to_floor, it.to_peer), (None, None)),
            metric => {
                let peer = row(rows, "jump", it.nodes, metric);
                check_quotient(it.to_peer, it.median, peer.median);
                assert!(it.to_peer_lo <= it.to_peer && it.to_peer <= it.to_peer_hi);
                if ["lookup_ns", "route_batch_ns"].contains(&metric) {
                    check_quotient(it.to_floor, it.median, floor.median);
                } else {
                    assert_eq!(it.to_floor, None);
                }
            }
        }
    }
    let count = row(rows, "jump", 4, "instructions");
    assert_eq!(count.status, Status::Unsupported);
    let why = "not measured (valgrind is not installed; Debian: valgrind)";
    assert_eq!((&*count.note, count.median), (why, None));
}

fn check_musts(out: &Path, rows: &[RaceRow]) {
    let musts: Vec<MustRow> = from_csv(&out.join("data/timed-race-musts.csv")).unwrap();
    let verdicts: Vec<&str> = musts.iter().map(|it| &*it.verdict).collect();
    assert_eq!(
        verdicts,
        ["met", "aim met", "missed", "not measured", "met"]
    );
    let (ours, peer) = (
        row(rows, "modulo", 8, "lookup_ns"),
        row(rows, "jump", 8, "lookup_ns"),
    );
    check_quotient(musts[0].ratio, peer.median, ours.median);
    assert_eq!(musts[0].peer, "jump");
    assert_eq!(musts[3].ratio, None);
    assert_eq!((&*musts[4].peer, musts[4].ratio), ("modulo", Some(1.0)));
}

#[test]
fn its_rows_agree_and_its_page_is_drawn_again() {
    let files = Files::new();
    fs::write(files.path("plan.toml"), PLAN).unwrap();
    let out = files.path("out");
    let mut race = command(["race", "--plan"]);
    race.arg(files.path("plan.toml")).arg("--out").arg(&out);
    // So that valgrind is not found.
    let said = printed(&race.env("PATH", "").output().unwrap());
    assert!(said.contains("a million times faster"), "{said}");

    let rows: Vec<RaceRow> = from_csv(&out.join("data/timed-race.csv")).unwrap();
    check_rows(&rows);
    check_musts(&out, &rows);

    let page = fs::read_to_string(out.join("race.md")).unwrap();
    for part in [
        "a million times faster",
        "missed",
        "Family buckets",
        "charts/race-lookup.svg",
    ] {
        assert!(page.contains(part), "{part:?} is not in {page}");
    }
    let mut report = command(["report", "--from"]);
    let redrawn = files.path("redrawn");
    printed(
        &report
            .arg(&out)
            .arg("--out")
            .arg(&redrawn)
            .output()
            .unwrap(),
    );
    assert_eq!(fs::read_to_string(redrawn.join("race.md")).unwrap(), page);
}

#[test]
fn what_it_cannot_race_it_refuses() {
    let files = Files::new();
    let refused = |plan: &str, words: &[&str]| {
        fs::write(files.path("plan.toml"), plan).unwrap();
        let mut race = command(["race", "--plan"]);
        race.arg(files.path("plan.toml"))
            .arg("--out")
            .arg(files.path("out"));
        check_refused(&race.output().unwrap(), words);
        assert!(!files.path("out").exists());
    };
    refused(
        &PLAN.replace("[\"jump\"]", "[\"jumps\"]"),
        &["plan.toml", "jumps"],
    );
    refused(
        &PLAN.replace("sizes = [4, 8]", "sizes = [8, 4]"),
        &["sizes", "ascending"],
    );
    refused(
        &PLAN.replace("build_sizes = [8]", "build_sizes = [9]"),
        &["9 is not one of sizes"],
    );
    refused(
        &PLAN.replace("peers = [\"modulo\"]", "peers = [\"power\"]"),
        &["half as fast", "power is not in family buckets"],
    );
    refused(&PLAN.replace("\"lookup_ns\"", "\"lookups\""), &["lookups"]);
    refused(
        &PLAN.replace("rounds = 6", "laps = 6"),
        &["plan.toml", "laps"],
    );
    let none = command(["race"]).output().unwrap();
    check_refused(&none, &["--plan", "expected a race"]);
}
