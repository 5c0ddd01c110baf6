//! `compat`: what it counts, what it writes beside a report, and what it refuses.

use std::{collections::BTreeMap, fs, path::Path, process::Output};

use bench_harness::record::{AgreeRow, CompatEntry, LossRow, Run, from_csv, read_run};

use super::cli::{Files, check_refused, command, printed, run};
use crate::{
    report::{check_html, check_markdown},
    report_svg,
};

/// Four addresses on memcached's own port.
const FOUR: &str = "10.0.1.1:11211\n10.0.1.2:11211\n10.0.1.3:11211\n10.0.1.4:11211\n";

fn numbered(n: usize) -> String {
    (0..n).map(|i| format!("key{i}\n")).collect()
}

/// Runs `compat` over the files `nodes` and `keys` into the folder `out`.
fn compat(files: &Files, more: &[&str]) -> Output {
    let mut compat = command(["compat", "--nodes"]);
    compat.arg(files.path("nodes"));
    compat.arg("--keys").arg(files.path("keys")).args(more);
    let output = compat.arg("--out").arg(files.path("out")).output();
    output.expect("the program starts")
}

/// Keys with the same owner, by pair and list.
fn agreed(out: &Path) -> BTreeMap<(String, String, String), Option<u64>> {
    let rows: Vec<AgreeRow> = from_csv(&out.join("data/compat.csv")).expect("it is there");
    rows.into_iter()
        .map(|row| ((row.a, row.b, row.nodes), row.agree))
        .collect()
}

fn about(out: &Path) -> CompatEntry {
    let json = fs::read(out.join("data/compat.json")).expect("it is there");
    serde_json::from_slice(&json).expect("it is what it says")
}

/// The numbers come from running the programs themselves.
#[test]
fn it_counts_what_the_programs_disagree_on() {
    let files = Files::with(FOUR, numbered(100_000));
    let specs = [
        "ketama-libketama",
        "ketama-libmemcached",
        "ketama-spymemcached:weights=off",
        "ketama-libmemcached-plain",
        "ketama-libmemcached-spy",
    ];
    let given: Vec<&str> = specs.iter().flat_map(|spec| ["--strategy", spec]).collect();
    let said = printed(&compat(&files, &given));
    assert!(
        said.starts_with("5 strategies compared on 1 lists of nodes; 1 of 10 pairs "),
        "{said}"
    );
    let agreed = agreed(&files.path("out"));
    for (a, b, differ) in [(0, 1, 75_748), (0, 2, 0), (1, 3, 75_133), (1, 4, 75_058)] {
        let pair = (specs[a].into(), specs[b].into(), "nodes".into());
        assert_eq!(agreed[&pair], Some(100_000 - differ), "{pair:?}");
    }
    let header = fs::read_to_string(files.path("out").join("data/compat.csv")).unwrap();
    assert!(header.starts_with("a,b,nodes,keys,agree\n"));
}

#[test]
fn a_lost_node_moves_more_keys_when_the_ring_is_laid_anew() {
    let weights = "10.0.1.1:80\t1\n10.0.1.2:80\t2\n10.0.1.3:80\t4\n10.0.1.4:80\t8\n";
    let files = Files::with(weights, numbered(5000));
    let specs = ["ketama-libketama", "nginx-consistent"];
    let given = ["--strategy", specs[0], "--strategy", specs[1]];
    printed(&compat(&files, &given));
    let rows: Vec<LossRow> =
        from_csv(&files.path("out").join("data/compat-loss.csv")).expect("it is there");
    let found = |spec: &str, change: &str| {
        let row = rows
            .iter()
            .find(|row| row.strategy == spec && row.change == change);
        let row = row.expect("a row each").clone();
        let value = |it: Option<f64>| it.expect("both can do both");
        (
            value(row.moved),
            value(row.forced),
            value(row.collateral),
            value(row.differ),
        )
    };
    for spec in &specs {
        let (walked, rebuilt) = (found(spec, "failure"), found(spec, "reconfiguration"));
        // Every key's node is lost once in four.
        assert_eq!((walked.0, walked.1, walked.2), (0.25, 0.25, 0.0), "{spec}");
        assert_eq!(walked.1, rebuilt.1, "{spec}");
        assert!((rebuilt.0 - rebuilt.1 - rebuilt.2).abs() < 1e-5, "{spec}");
        assert_eq!(walked.3, rebuilt.3, "{spec}");
        // Shares computed anew from all weights move others too; points by weight alone do not.
        let renormalised = *spec == specs[0];
        assert_eq!(rebuilt.2 > 0.05, renormalised, "{spec}: {rebuilt:?}");
        assert_eq!(rebuilt.3 > 0.05, renormalised, "{spec}: {rebuilt:?}");
        assert_eq!(rebuilt.3 == 0.0, !renormalised, "{spec}: {rebuilt:?}");
    }
}

/// The standard lists: each is there for something that two clients do differently.
#[test]
fn the_standard_lists_tell_the_clients_apart() {
    let files = Files::with("", numbered(2000));
    let out = files.path("out");
    let mut standard = command(["compat", "--keys"]);
    standard.arg(files.path("keys")).arg("--out").arg(&out);
    printed(&standard.output().expect("the program starts"));
    let (agreed, about) = (agreed(&out), about(&out));
    let all = |a: &str, b: &str, list: &str| {
        let keys = about.lists.iter().find(|it| it.name == list).unwrap().keys;
        let pair = (a.to_owned(), b.to_owned(), list.to_owned());
        let back = (b.to_owned(), a.to_owned(), list.to_owned());
        let agree = agreed.get(&pair).or(agreed.get(&back));
        *agree.unwrap_or_else(|| panic!("{pair:?}")) == Some(keys)
    };
    let (rj, lm, uh) = (
        "ketama-libketama",
        "ketama-libmemcached",
        "ketama-uhashring",
    );
    for (list, same, other) in [
        ("port-11211", (rj, uh), (rj, lm)),
        ("port-other", (rj, lm), (lm, "ketama-libmemcached-spy")),
        ("no-port", (lm, uh), ("ketama-spymemcached", lm)),
        ("hosts", (lm, uh), (lm, "nginx-consistent")),
        ("ipv6", (lm, "ketama-twemproxy"), (lm, uh)),
        ("weights", (lm, uh), (lm, "ketama-libmemcached-plain")),
        ("nodes-7", (rj, uh), (uh, "ketama-node-hashring")),
        ("nodes-25", (rj, uh), (rj, lm)),
        ("nodes-61", (rj, lm), (rj, uh)),
        ("shared-point", (rj, lm), (lm, "ketama-twemproxy")),
        ("keys-on-points", (rj, lm), (rj, uh)),
        ("empty-key", (rj, lm), (lm, "ketama-twemproxy")),
        ("small-weight", (rj, uh), (rj, "nginx-consistent")),
    ] {
        // One empty key may have one owner by chance, and two nodes one that owns nearly all.
        let by_chance = matches!(list, "empty-key" | "small-weight");
        assert!(all(same.0, same.1, list), "{list}: {same:?} differ");
        assert!(
            by_chance || !all(other.0, other.1, list),
            "{list}: {other:?} agree"
        );
    }
    let refused = about.refused.iter().map(|it| (&*it.strategy, &*it.nodes));
    let refused: Vec<_> = refused.collect();
    assert!(
        refused.contains(&("ketama-spymemcached", "hosts")),
        "{refused:?}"
    );
    let references = about.references.iter().map(|it| &*it.label);
    assert_eq!(references.collect::<Vec<_>>(), ["ketama", "vec-ring"]);
    assert!(
        about
            .compared
            .iter()
            .all(|it| !it.strategy.spoken_by.is_empty())
    );

    let mut charts = 0;
    for entry in fs::read_dir(out.join("charts")).unwrap().flatten() {
        let svg = fs::read_to_string(entry.path()).unwrap();
        report_svg::check(&entry.path().display().to_string(), &svg);
        charts += 1;
    }
    assert_eq!(charts, 2);
    let page = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    check_html(&page("index.html"));
    check_markdown(&page("README.md"));
    for told in [
        "What it takes to agree",
        "who keeps it",
        "spymemcached's label holds",
    ] {
        assert!(page("README.md").contains(told), "{told}");
    }
}

#[test]
fn a_client_that_cannot_name_a_node_is_a_result() {
    let files = Files::with("cache1\ncache2\n", numbered(10));
    let specs = [
        "ketama-spymemcached",
        "ketama-libmemcached",
        "ketama-uhashring",
    ];
    let given: Vec<&str> = specs.iter().flat_map(|spec| ["--strategy", spec]).collect();
    printed(&compat(&files, &given));
    let out = files.path("out");
    let agreed = agreed(&out);
    let pair = |a: &str, b: &str| agreed[&(a.into(), b.into(), "nodes".into())];
    assert_eq!(pair(specs[0], specs[1]), None);
    assert_eq!(pair(specs[1], specs[2]), Some(10));
    let about = about(&out);
    assert_eq!(about.refused.len(), 1);
    assert!(about.refused[0].why.contains("write cache1/IP:11211"));
}

/// `ring` and `route --explain` of every client: what two of them do differently can be seen.
#[test]
fn two_clients_can_be_compared_by_eye() {
    let files = Files::with(FOUR, "key0\n10.0.1.3-0\n");
    let ring = |spec: &str| printed(&files.ring(spec));
    let labels = |ring: &str| -> Vec<String> {
        let label = |line: &str| line.split('\t').nth(2).expect("a label").to_owned();
        ring.lines().map(label).collect()
    };
    for (spec, n_points, label) in [
        ("ketama-libketama", 640, "10.0.1.1:11211-0"),
        ("ketama-spymemcached", 640, "10.0.1.1:11211-0"),
        ("ketama-spymemcached-libmemcached", 640, "10.0.1.1-0"),
        ("ketama-libmemcached", 640, "10.0.1.1-0"),
        ("ketama-libmemcached-plain", 400, "10.0.1.1-99"),
        ("ketama-libmemcached-plain-md5", 400, "10.0.1.1-99"),
        ("ketama-libmemcached-spy", 640, "/10.0.1.1:11211-0"),
        ("ketama-twemproxy", 640, "10.0.1.1-0"),
        ("ketama-uhashring", 640, "10.0.1.1:11211-0"),
        ("ketama-node-hashring", 640, "10.0.1.1:11211-0"),
        ("ketama-node-hashring-default-port", 640, "10.0.1.1-0"),
        ("nginx-consistent", 640, "10.0.1.1:11211 (link 0)"),
    ] {
        let ring = ring(spec);
        let labels = labels(&ring);
        assert_eq!(labels.len(), n_points, "{spec}");
        assert!(labels.iter().any(|it| it == label), "{spec}: {}", labels[0]);
        let explained = printed(&files.route(spec, &["--explain"]));
        for line in explained.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            // Key, owner, hash, point, label, second, third; the label is that of the point.
            let point = format!("{}\t{}\t{}", fields[3], fields[1], fields[4]);
            assert!(ring.lines().any(|it| it == point), "{spec}: {line}");
            assert_eq!(fields.len(), 7, "{spec}");
        }
    }
    assert_eq!(ring("ketama-libketama"), ring("ketama-spymemcached"));
    let explained = printed(&files.route("ketama-libmemcached", &["--explain"]));
    let hit = explained.lines().nth(1).expect("two keys");
    let begin = "10.0.1.3-0\t10.0.1.3:11211\t477627326\t477627326\t10.0.1.3-0\t";
    assert!(hit.starts_with(begin), "{hit}");
}

/// The report that is there stays that of its run, and keeps its files; ours are named beside them,
/// with their own command, and stay when that run is made again.
#[test]
fn it_adds_to_a_report_and_replaces_nothing_of_it() {
    let files = Files::with(FOUR, numbered(100));
    let out = files.path("out");
    let bench = || {
        let mut bench = command(["bench", "--profile=quick", "--strategy=modulo", "--sizes=5"]);
        bench.args(["--seeds=1", "--only=work", "--out"]).arg(&out);
        printed(&bench.output().expect("the program starts"));
    };
    let given = [
        "--strategy",
        "ketama-libketama",
        "--strategy",
        "ketama-uhashring",
    ];
    let made_by = |run: &Run, path: &str| {
        let entry = run.files.iter().find(|it| it.path == path);
        let made_by = entry.unwrap_or_else(|| panic!("{path}")).made_by.clone();
        made_by.map(|it| it.command)
    };
    bench();
    let before = read_run(&out).unwrap();
    let work = fs::read(out.join("data/work.csv")).unwrap();
    printed(&compat(&files, &given));
    let after = read_run(&out).unwrap();
    assert_eq!(
        (&after.command, &after.profile),
        (&before.command, &before.profile)
    );
    assert_eq!(made_by(&after, "data/work.csv"), None);
    let ours = made_by(&after, "data/compat.csv").expect("another run made it");
    assert!(ours.starts_with("ringmark compat --nodes "), "{ours}");
    assert_eq!(fs::read(out.join("data/work.csv")).unwrap(), work);
    let first = fs::read(out.join("data/compat.csv")).unwrap();
    // The same again is the same, and a new run of the rest keeps it.
    printed(&compat(&files, &given));
    bench();
    assert_eq!(fs::read(out.join("data/compat.csv")).unwrap(), first);
    let again = read_run(&out).unwrap();
    assert_eq!(made_by(&again, "data/compat.csv"), Some(ours));
    assert!(out.join("charts/clients-agree.svg").exists());
    // Alone in a folder it is a run of its own.
    fs::remove_dir_all(&out).unwrap();
    printed(&compat(&files, &given));
    let alone = read_run(&out).unwrap();
    assert_eq!(alone.profile, "compat");
    assert_eq!(made_by(&alone, "data/compat.csv"), None);
}

#[test]
fn what_cannot_be_compared_is_said_in_one_line() {
    let files = Files::with(FOUR, numbered(5));
    let two = ["--strategy", "ketama", "--strategy", "nginx-consistent"];
    let refused = |nodes: &str, keys: &str, more: &[&str], words: &[&str]| {
        files.write("nodes", nodes);
        files.write("keys", keys);
        check_refused(&compat(&files, more), words);
        assert!(!files.path("out").exists());
    };
    refused(FOUR, "k\n", &["--strategy", "ketama"], &["two strategies"]);
    let same = ["--strategy=ketama", "--strategy=ketama:points=160"];
    refused(FOUR, "k\n", &same, &["two strategies", "found ketama"]);
    let unknown = ["--strategy", "ketama", "--strategy", "ketamo"];
    refused(FOUR, "k\n", &unknown, &["ketamo"]);
    refused(FOUR, "", &two, &["keys: expected at least one key"]);
    refused(
        "",
        "k\n",
        &two,
        &["nodes: expected at least one node with weight"],
    );
    refused("a\t0\n", "k\n", &two, &["at least one node with weight"]);
    refused("a\na\n", "k\n", &two, &["nodes:2:", "\"a\""]);
    check_refused(&run(["compat", "--nodes", "/not/there"]), &["/not/there"]);
    check_refused(&run(["compat", "--keys", "/not/there"]), &["/not/there"]);
    check_refused(&run(["compat", "--nodes=-", "--keys=-"]), &["not both"]);
    files.write("nodes", FOUR);
    files.write("keys", "k\n");
    files.write("out", "a file");
    check_refused(&compat(&files, &two), &["expected a folder, found a file"]);
}
