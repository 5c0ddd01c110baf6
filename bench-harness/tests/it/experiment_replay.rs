//! Replay on a small scale: against a cache of the plainest kind, against what must hold, with logs
//! of one's own, and the same on any number of threads.

use std::{collections::BTreeMap, fs, io::Write as _};

use bench_harness::{
    experiment::{Findings, Options},
    record::Verdict,
    workload::{Requests, SeededRequests, Traffic, node_names},
};
use router::{Change, Cluster, NodeSpec};
use toml::Table;

use super::cli::{Files, check_refused, command, complaints, printed};
use super::experiment::{find, measured, series, set};

const NODES: usize = 5;
const ROOM: u64 = 6000;
const TRAFFIC: Traffic = Traffic {
    keys: 400,
    zipf: 0.9,
    bytes: [10, 200],
    rate: 200.0,
    seconds: 150.0,
};

fn small(setup: &mut Table) {
    set(setup, "nodes", NODES as i64);
    set(setup, "bytes_per_node", ROOM as i64);
    set(setup, "seeds", 3);
    set(setup, "window_seconds", 2);
    set(setup, "traffic.keys", TRAFFIC.keys as i64);
    set(setup, "traffic.bytes", vec![10, 200]);
    set(setup, "traffic.requests_a_second", 200);
    set(setup, "traffic.seconds", 150);
    set(setup, "recovered.level_seconds", 20);
    set(setup, "recovered.together_seconds", 10);
    let event = |time: i64, change: &str, label: &str| {
        let mut event = Table::new();
        event.insert("time".into(), time.into());
        event.insert("change".into(), change.into());
        event.insert("label".into(), label.into());
        toml::Value::Table(event)
    };
    let events = [
        event(60, "-NODE2", "a loss"),
        event(100, "rollout 2", "restarts"),
    ];
    set(setup, "events", events.to_vec());
    let strategies = [
        "modulo",
        "vec-ring:vnodes=160",
        "rendezvous",
        "jump",
        "ideal",
    ];
    set(setup, "strategies", strategies.to_vec());
}

fn run(options: &Options) -> Findings {
    find("replay", options, small)
}

/// The points of a curve.
fn curve(findings: &Findings, name: &str, label: &str) -> Vec<(f64, f64)> {
    let rows = series(findings, "curves").iter();
    let ours = rows.filter(|it| it.series == name && it.label == label);
    ours.filter_map(|it| it.x.zip(it.value)).collect()
}

/// Misses in windows of two seconds, counted with caches that are lists: the last asked in front.
fn by_hand(spec: &str, seed: u64) -> Vec<f64> {
    let spec = registry::catalog().parse(spec).expect("it is there");
    let names = node_names(seed, NODES);
    let nodes: Vec<NodeSpec> = names.iter().map(|it| it.as_str().into()).collect();
    let mut cluster = Cluster::build(&spec, &nodes).expect("it serves them");
    let mut caches: BTreeMap<String, Vec<(Vec<u8>, u64)>> = BTreeMap::new();
    let (mut misses, mut requests) = (vec![0.0; 75], Requests::default());
    let (mut source, mut lost, mut restarted) = (SeededRequests::new(seed, TRAFFIC), false, 0);
    while source.read(&mut requests) > 0 {
        for (i, &time) in requests.times.iter().enumerate() {
            if time >= 60.0 && !lost {
                let gone = Change::Remove(names[1].clone());
                cluster.apply(&[gone]).expect("it may leave");
                caches.remove(&names[1]);
                lost = true;
            }
            // The four that are left restart at 100, 102, 104 and 106.
            while restarted < 4 && time >= 100.0 + 2.0 * restarted as f64 {
                let left: Vec<&String> = names.iter().filter(|it| **it != names[1]).collect();
                caches.remove(left[restarted]);
                restarted += 1;
            }
            let key = requests.keys.keys().get(i);
            let owner = cluster.route(key).and_then(|id| cluster.name(id));
            let cache = caches
                .entry(owner.expect("there are nodes").to_owned())
                .or_default();
            let place = cache.iter().position(|(held, _)| held == key);
            let entry = match place {
                Some(place) => cache.remove(place),
                None => {
                    misses[(time / 2.0) as usize] += 0.5;
                    (key.to_vec(), requests.bytes[i])
                }
            };
            cache.insert(0, entry);
            while cache.iter().map(|it| it.1).sum::<u64>() > ROOM {
                cache.pop();
            }
        }
    }
    misses
}

#[test]
fn misses_are_those_of_plain_lists() {
    let findings = run(&Options::default());
    for spec in ["modulo", "rendezvous"] {
        let worlds: Vec<Vec<f64>> = (0..3).map(|seed| by_hand(spec, seed)).collect();
        let found = curve(&findings, "backend", spec);
        // The last window, within which a log may end, is left out.
        assert_eq!(found.len(), 74, "{spec}");
        for (at, (x, value)) in found.into_iter().enumerate() {
            assert_eq!(x, 2.0 * at as f64);
            let mean = worlds.iter().map(|it| it[at]).sum::<f64>() / 3.0;
            assert!(
                (value - mean).abs() < 1e-9,
                "{spec} at {x}: {value}, {mean}"
            );
        }
    }
}

#[test]
fn curves_show_what_happened() {
    let findings = run(&Options::default());
    let requests = curve(&findings, "requests", "");
    assert!(requests.iter().all(|it| it.1 == 200.0));
    // Who cannot lose a node from the middle, or places whole key sets, is left out and named.
    let said = findings.printed.join("\n");
    assert!(
        said.contains("left out: jump: ") && said.contains("left out: ideal: "),
        "{said}"
    );
    assert!(curve(&findings, "backend", "jump").is_empty());
    let floor = curve(&findings, "floor", "");
    for spec in ["modulo", "vec-ring:vnodes=160", "rendezvous"] {
        let backend = curve(&findings, "backend", spec);
        let total = |line: &[(f64, f64)]| line.iter().map(|it| it.1).sum::<f64>();
        // Twenty windows of cold caches are alike; all in all one cache of all bytes has less.
        assert_eq!(backend[0].1, floor[0].1, "{spec}");
        assert!(total(&backend) > total(&floor), "{spec}");
        // With the hottest key on one node, the busiest has more than a fifth.
        let hottest = curve(&findings, "hottest", spec);
        assert!(
            hottest.iter().all(|it| it.1 > 40.0 && it.1 <= 200.0),
            "{spec}"
        );
    }
    let worst = |spec| {
        let rows = series(&findings, "recovery").iter();
        let mut rows =
            rows.filter(|it| it.series == "peak" && it.label == spec && it.x == Some(60.0));
        rows.next().and_then(|it| it.value).expect("it had a level")
    };
    assert!(worst("modulo") > 1.5 * worst("rendezvous"));
    let groups: Vec<&str> = series(&findings, "curves")
        .iter()
        .filter(|it| it.series == "event")
        .map(|it| it.text.as_str())
        .collect();
    assert_eq!(groups, ["a loss", "restarts"]);
}

#[test]
fn claims_are_judged_by_what_was_run() {
    let findings = run(&Options::default());
    let verdict = |findings: &Findings, claim: &str| {
        let mut claims = findings.claims.iter();
        claims
            .find(|it| it.claim.starts_with(claim))
            .map(|it| it.verdict)
    };
    let restart = "a rolling restart under the same names";
    assert_eq!(verdict(&findings, restart), Some(Verdict::Reproduced));
    assert_eq!(
        verdict(&findings, "consistent hash"),
        Some(Verdict::Reproduced)
    );
    assert!(measured(&findings, "consistent hash").starts_with("more in 0 of 6 runs"));
    // Twice the control: what is claimed of the others cannot be held against it.
    let alone = Options {
        strategies: vec!["modulo".into()],
        ..Options::default()
    };
    let findings = run(&alone);
    assert_eq!(verdict(&findings, restart), Some(Verdict::NotCheckable));
    assert_eq!(
        verdict(&findings, "consistent hash"),
        Some(Verdict::NotCheckable)
    );
    // Nobody is lost.
    let findings = find("replay", &Options::default(), |setup| {
        small(setup);
        set(setup, "events", Vec::<toml::Value>::new());
    });
    assert!(
        findings
            .claims
            .iter()
            .all(|it| it.verdict == Verdict::NotCheckable)
    );
    assert!(series(&findings, "recovery").is_empty());
}

#[test]
fn the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("it starts");
        pool.install(|| run(&Options::default()))
    };
    assert_eq!(on(1), on(2));
}

/// A log in which `a` and `b` are asked for once a second each.
fn log() -> String {
    let mut log = "key,time,status,bytes\n".to_owned();
    for second in 0..40 {
        log += &format!(
            "a,{}.25,200,100\nb,{}.75,200,100\n",
            1000 + second,
            1000 + second
        );
    }
    log
}

impl Files {
    fn replay(&self, more: &[&str]) -> std::process::Output {
        let mut command = command(["experiment", "replay", "--strategy", "modulo", "--log"]);
        command
            .arg(self.path("log"))
            .arg("--out")
            .arg(self.path("out"));
        command.args(["--nodes"]).arg(self.path("nodes"));
        command.args(more).output().expect("it starts")
    }
}

#[test]
fn a_log_of_ones_own_is_replayed() {
    let files = Files::new();
    files.write("nodes", "only\n");
    // Packed, with times that are a clock's and a column that nobody asked for.
    let packed = fs::File::create(files.path("log")).expect("there is room");
    let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    packed.write_all(log().as_bytes()).expect("there is room");
    packed.finish().expect("there is room");
    files.write("events", "time,change\n1020,~only\tonly\n");
    let events = files.path("events");
    let more = [
        "--bytes-per-node",
        "1000",
        "--events",
        events.to_str().expect("a path"),
    ];
    let said = printed(&files.replay(&more));
    assert!(
        said.contains("replay: 0 reproduced, 0 differ, 5 not checkable"),
        "{said}"
    );
    let curves = fs::read_to_string(files.path("out/data/experiment-replay-curves.csv"));
    let curves = curves.expect("it was written");
    // Windows of 5 s from the first request; both keys miss at first, and after the restart.
    let of = |x: u32| {
        let start = format!("backend,modulo,{x}.0,");
        let row = curves.lines().find(|it| it.starts_with(&start));
        row.unwrap_or_else(|| panic!("no {start:?} in {curves}"))
            .split(',')
            .nth(3)
            .map(str::to_owned)
    };
    assert_eq!(of(0).as_deref(), Some("0.4"));
    assert_eq!(of(5).as_deref(), Some("0.0"));
    // The restart at 1020 lies within the window from 1015.25 on, behind its requests.
    assert_eq!(of(15).as_deref(), Some("0.0"));
    assert_eq!(of(20).as_deref(), Some("0.4"));
    assert_eq!(of(25).as_deref(), Some("0.0"));
    let page = fs::read_to_string(files.path("out/experiments/replay.md")).expect("its page");
    assert!(
        page.contains("restart only") && page.contains("experiment-replay-backend.svg"),
        "{page}"
    );
    let readme = fs::read_to_string(files.path("out/README.md")).expect("the page");
    assert!(readme.contains("(experiments/replay.md)"));
    // Too little room for either: every request is a miss.
    files.write("log", log());
    printed(&files.replay(&["--bytes-per-node", "99"]));
    let curves = fs::read_to_string(files.path("out/data/experiment-replay-curves.csv"));
    assert!(
        curves
            .expect("it was written")
            .contains("\nbackend,modulo,10.0,2.0,")
    );
}

#[test]
fn what_cannot_be_replayed_is_refused_with_its_line() {
    let check = |log: &str, events: &str, words: &[&str]| {
        let files = Files::new();
        files.write("nodes", "n1\nn2\n");
        files.write("log", log);
        files.write("events", events);
        let events = files.path("events");
        let output = files.replay(&["--events", events.to_str().expect("a path")]);
        check_refused(&output, words);
        assert!(!files.path("out").exists(), "{words:?}");
    };
    let (log, events) = (log(), "time,change\n");
    check(
        "time,key\n1,a\n",
        events,
        &["log:1", "\"bytes\"", "\"time\", \"key\""],
    );
    check("time,key,bytes\n", events, &["log", "at least one request"]);
    let start = "time,key,bytes\n5,a,1\n";
    check(
        &format!("{start}4.5,b,1\n"),
        events,
        &["log:3", "time", "5 or later", "\"4.5\""],
    );
    check(
        &format!("{start}noon,b,1\n"),
        events,
        &["log:3", "time", "seconds", "\"noon\""],
    );
    check(
        &format!("{start}6,b,1e3\n"),
        events,
        &["log:3", "bytes", "whole number", "\"1e3\""],
    );
    check(&format!("{start}6,b\n"), events, &["log:3", "3 fields"]);
    check(&log, "time,event\n", &["events:1", "\"change\""]);
    check(
        &log,
        "time,change\n7,n1\n",
        &["events:2", "+name", "rollout SECONDS"],
    );
    check(
        &log,
        "time,change\n7,rollout soon\n",
        &["events:2", "rollout SECONDS"],
    );
    check(
        &log,
        "time,change\n7,-n1\n6,+n1\n",
        &["events:3", "7 or later"],
    );
    check(
        &log,
        "time,change\n7,-n3\n",
        &["events: ", "event at 7", "\"n3\""],
    );
    check(
        &log,
        "time,change\n7,+n1\n",
        &["events: ", "\"n1\"", "already"],
    );
    let files = Files::new();
    files.write("log", &log);
    files.write("nodes", "");
    check_refused(&files.replay(&[]), &["nodes", "at least one node"]);
    let skew = command(["experiment", "skew", "--log", "x"]).output();
    check_refused(&skew.expect("it starts"), &["--log", "no effect", "skew"]);
    let both = ["experiment", "replay", "--log", "-", "--nodes", "-"];
    let both = command(both).output().expect("it starts");
    check_refused(&both, &["standard input", "--log, --events and --nodes"]);
    assert!(!complaints(&both).is_empty());
}
