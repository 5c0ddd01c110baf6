//! `verify`, `diff`, `selftest` and `choose`: what they find, and what they leave alone.

use std::{fs, path::Path, process::Output};

use bench_harness::{
    evidence::coverage,
    record::{TimedRow, from_csv, source::sha256, to_csv},
};
use serde_json::Value;
use tempfile::TempDir;

use super::cli::{check_refused, command, complaints, printed, run};
use super::cli_bench::{folder, small, tree};

/// A small report as `bench` writes it.
fn report() -> TempDir {
    let folder = folder();
    let output = small(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    folder
}

fn verify(dir: &Path, more: &[&str]) -> Output {
    let mut command = command(["verify", "--from"]);
    command.arg(dir).args(more).output().unwrap()
}

/// Verifies and checks verdict, exit code and that nothing was written; what was printed.
#[track_caller]
fn check(dir: &Path, more: &[&str], verdict: &str, code: i32) -> String {
    let before = tree(dir);
    let output = verify(dir, more);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with(verdict), "{text}{}", complaints(&output));
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert_eq!(complaints(&output).lines().count(), usize::from(code != 0));
    assert!(tree(dir) == before, "it wrote into the report");
    text
}

/// Changes `run.json`.
fn edit_run(dir: &Path, edit: impl FnOnce(&mut Value)) {
    let path = dir.join("run.json");
    let mut run: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    edit(&mut run);
    fs::write(path, serde_json::to_vec_pretty(&run).unwrap()).unwrap();
}

/// Puts a data file in place of another and its fingerprint into `run.json`, as a forger would, and
/// draws the pages again.
fn forge(dir: &Path, file: &str, bytes: &[u8]) {
    fs::write(dir.join(file), bytes).unwrap();
    edit_run(dir, |run| {
        let files = run["files"].as_array_mut().unwrap();
        let entry = files.iter_mut().find(|it| it["path"] == file).unwrap();
        entry["sha256"] = sha256(bytes).into();
    });
    redraw(dir);
}

fn redraw(dir: &Path) {
    let output = command(["report", "--from"]).arg(dir).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
}

#[test]
fn a_report_is_verified_until_a_byte_changes() {
    let folder = report();
    let dir = folder.path();
    let text = check(dir, &[], "verified: ", 0);
    assert!(text.contains(", whole: "), "{text}");

    let chart = dir.join("charts/memory-bytes.svg");
    let drawn = fs::read(&chart).unwrap();
    fs::write(&chart, [&drawn[..], b"<!-- mine -->\n"].concat()).unwrap();
    let text = check(dir, &["--allow-stale"], "changed: ", 1);
    assert!(
        text.contains("differs: charts/memory-bytes.svg: line "),
        "{text}"
    );
    fs::write(&chart, &drawn).unwrap();

    fs::write(dir.join("charts/old.svg"), &drawn).unwrap();
    let text = check(dir, &[], "changed: ", 1);
    assert!(
        text.contains("differs: charts/old.svg: is not drawn"),
        "{text}"
    );
    fs::remove_file(dir.join("charts/old.svg")).unwrap();

    // A number is changed with its fingerprint and its charts: only making it again tells.
    let memory = fs::read_to_string(dir.join("data/memory.csv")).unwrap();
    let line = memory
        .lines()
        .position(|it| it.starts_with("vec-ring"))
        .unwrap();
    let forged: Vec<String> = memory
        .lines()
        .enumerate()
        .map(|(i, it)| {
            if i == line {
                it.replacen("bytes,", "bytes,1", 1)
            } else {
                it.to_owned()
            }
        })
        .collect();
    forge(
        dir,
        "data/memory.csv",
        (forged.join("\n") + "\n").as_bytes(),
    );
    let text = check(dir, &["--allow-stale"], "changed: ", 1);
    let told = format!(
        "differs: data/memory.csv: 1 of {} rows differ; line {}: recorded `vec-ring",
        memory.lines().count(),
        line + 1
    );
    assert!(text.contains(&told), "{told}\n{text}");
    assert_eq!(text.matches("differs: ").count(), 1, "{text}");
    check(dir, &["--strategy", "vec-ring"], "changed: ", 1);
    let text = check(dir, &["--sample", "0"], "verified: ", 0);
    assert!(text.contains("only the rows of modulo: "), "{text}");

    fs::remove_file(dir.join("data/work.csv")).unwrap();
    let text = check(dir, &[], "changed: ", 1);
    assert!(
        text.contains("differs: data/work.csv: cannot be read"),
        "{text}"
    );
}

#[test]
fn a_report_of_another_source_is_stale() {
    let folder = report();
    edit_run(folder.path(), |run| {
        run["source_id"] = "0123456789ab".into()
    });
    redraw(folder.path());
    let text = check(folder.path(), &[], "stale: ", 1);
    assert!(
        text.contains("source_id is 0123456789ab, this checkout's "),
        "{text}"
    );
    let text = check(
        folder.path(),
        &["--allow-stale", "--sample=1"],
        "stale: ",
        0,
    );
    assert!(
        text.contains("only the rows of modulo, vec-ring: "),
        "{text}"
    );
    edit_run(folder.path(), |run| {
        run["command"] = "ringmark bench --strategy gone".into()
    });
    redraw(folder.path());
    let text = check(folder.path(), &["--allow-stale"], "changed: ", 1);
    assert!(
        text.contains("cannot be made again by `ringmark bench --strategy gone`"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_verified_is_refused() {
    let folder = folder();
    check_refused(&verify(folder.path(), &[]), &["run.json"]);
    let report = report();
    check_refused(
        &verify(report.path(), &["--strategy=nobody"]),
        &["--strategy", "nobody"],
    );
    edit_run(report.path(), |run| run["schema"] = 99.into());
    check_refused(&verify(report.path(), &[]), &["schema 99"]);
}

fn diff(a: &Path, b: &Path) -> Output {
    command(["diff"]).arg(a).arg(b).output().unwrap()
}

#[test]
fn two_reports_are_told_apart() {
    let (a, b) = (report(), report());
    let text = printed(&diff(a.path(), b.path()));
    assert!(
        text.starts_with("deterministic: ") && text.ends_with(" files, all equal\n"),
        "{text}"
    );

    let balance = fs::read_to_string(b.path().join("data/balance.csv")).unwrap();
    let fewer: Vec<&str> = balance.lines().take(3).collect();
    forge(
        b.path(),
        "data/balance.csv",
        (fewer.join("\n") + "\n").as_bytes(),
    );
    let output = diff(a.path(), b.path());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let gone = balance.lines().count() - 3;
    assert!(
        text.contains(&format!(
            "data/balance.csv: {gone} rows only in A, 0 only in B; line 4: A `"
        )),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(1));

    fs::write(b.path().join("data/balance.csv"), "strategy\n").unwrap();
    check_refused(&diff(a.path(), b.path()), &["data/balance.csv", "SHA-256"]);
    check_refused(&diff(a.path(), &b.path().join("charts")), &["run.json"]);

    // A published report has tables of times under other heads beside the claims about time.
    let claim = "fast,yes,yes,,a statement,reproduced,";
    for (name, content) in [
        (
            "data/timed-papers.csv",
            format!("claim,published,measured,unit,tolerance,verdict,reason\n{claim}\n"),
        ),
        ("data/timed-race.csv", "family,side\nring,ours\n".to_owned()),
        (
            "data/timed-survey-init-time.csv",
            "\"Benchmark\"\nx\n".to_owned(),
        ),
    ] {
        fs::write(a.path().join(name), &content).unwrap();
        edit_run(a.path(), |run| {
            let entry = serde_json::json!({
                "path": name, "sha256": sha256(content.as_bytes()), "deterministic": false
            });
            run["files"].as_array_mut().unwrap().push(entry);
        });
    }
    let text = printed(&diff(a.path(), a.path()));
    assert!(
        text.contains("B to A: 0 worse, 0 better, 0 unsure, 1 same\n"),
        "{text}"
    );
    let others =
        "times held against nothing: data/timed-race.csv, data/timed-survey-init-time.csv\n";
    assert!(text.ends_with(others), "{text}");
}

#[test]
fn a_timing_for_the_worse_fails() {
    let timed = || {
        let folder = folder();
        let output = command([
            "bench",
            "--profile=quick",
            "--strategy=modulo",
            "--sizes=5",
            "--only=lookup",
            "--out",
        ])
        .arg(folder.path())
        .output()
        .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
        folder
    };
    let (a, b) = (timed(), timed());
    // The same timings in both, so that nothing depends on the machine; and then one three times as long.
    let path = a.path().join("data/lookup.csv");
    let mut rows: Vec<TimedRow> = from_csv(&path).unwrap();
    forge(b.path(), "data/lookup.csv", &fs::read(&path).unwrap());
    let text = printed(&diff(a.path(), b.path()));
    assert!(text.contains(": 0 worse, 0 better, "), "{text}");
    for row in &mut rows {
        let (lo, hi) = if row.metric == "lookup_ns" {
            (300.0, 310.0)
        } else {
            (99.0, 101.0)
        };
        (row.median, row.lo, row.hi) = (Some((lo + hi) / 2.0), Some(lo), Some(hi));
    }
    forge(a.path(), "data/lookup.csv", &to_csv(&rows).unwrap());
    let lookup = rows.iter_mut().find(|it| it.metric == "lookup_ns").unwrap();
    (lookup.median, lookup.lo, lookup.hi) = (Some(915.0), Some(900.0), Some(930.0));
    forge(b.path(), "data/lookup.csv", &to_csv(&rows).unwrap());
    let output = diff(a.path(), b.path());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains(": 1 worse, 0 better, "), "{text}");
    assert!(
        text.contains("worse    3.00 [2.92, 3.08]  modulo lookup_ns, 5 nodes, hex64"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(complaints(&output), "ringmark: 1 timings are worse\n");
    let text = printed(&diff(b.path(), a.path()));
    assert!(
        text.contains("better   0.33 [0.32, 0.34]  modulo lookup_ns"),
        "{text}"
    );
}

#[test]
fn intervals_cover_what_they_promise() {
    // 4,000 runs: a share of 95 % has a standard error of 0.34 %, so 93 to 97 % is six of them.
    let all = coverage(1, 4000, 0.3);
    let judged: Vec<_> = all.iter().filter(|it| it.accepted.is_some()).collect();
    assert_eq!(judged.len(), 5);
    for it in judged {
        assert!(it.passed(), "{it}");
    }
    let of = |interval: &str, values: usize, drawn: &str| {
        let found = all.iter().find(|it| {
            it.interval.starts_with(interval) && it.values == values && it.drawn.starts_with(drawn)
        });
        found.unwrap().covered
    };
    // An interval by ranks does not care how the values are distributed: 95.7 % by its ranks.
    for drawn in ["normal", "log-normal, sigma 0.5", "log-normal, sigma 1"] {
        assert!((of("order", 30, drawn) - 0.9572).abs() < 0.02, "{drawn}");
        assert!((of("order", 10, drawn) - 0.9785).abs() < 0.02, "{drawn}");
    }
    // Student's t does, and both suffer where rounds follow one another.
    assert!(of("Student", 20, "log-normal, sigma 1") < 0.92);
    assert!(of("order", 30, "normal with autocorrelation") < 0.92);
    // What is reported covers more of what is skewed, and no less of what is not.
    let reported = of("bootstrap", 20, "log-normal, sigma 1");
    assert!(
        reported > of("Student", 20, "log-normal, sigma 1") + 0.01,
        "{reported}"
    );
    let few = coverage(1, 100, 0.3);
    assert_eq!(few, coverage(1, 100, 0.3), "the same seed, the same runs");
    assert_ne!(few, coverage(2, 100, 0.3));
}

#[test]
fn selftest_prints_its_figures() {
    let text = printed(&run([
        "selftest",
        "--strategy=modulo",
        "--comparisons=0",
        "--turns=0",
        "--runs=1000",
    ]));
    assert!(text.starts_with("A/A: 0 comparisons"), "{text}");
    assert!(
        text.contains("Student's t, of the mean, 20 values, normal: 9"),
        "{text}"
    );
    assert!(text.ends_with("selftest: passed\n"), "{text}");
    // What a timed run finds depends on the machine; that it ran does not.
    let output = run([
        "selftest",
        "--comparisons=3",
        "--turns=1",
        "--strategy=modulo",
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("A/A: 3 comparisons of a strategy with itself, 40 nodes, 30 rounds: "),
        "{text}"
    );
    let ways = "criterion and the sampler in turn, 100 nodes: ";
    assert!(text.contains(ways), "{text}");
    assert!(
        text.contains("of 0 pairs that both tell apart 0 in another order"),
        "{text}"
    );
    check_refused(&run(["selftest", "--strategy=nobody"]), &["nobody"]);
}

/// The designs that the tests choose from.
const CHOICE: [&str; 6] = [
    "choose",
    "--sizes=20",
    "--strategy=modulo",
    "--strategy=jump",
    "--strategy=vec-ring:vnodes=4",
    "--strategy=straw2",
];

#[test]
fn choose_says_who_is_left_and_why_the_others_fell() {
    let choose = |more: &[&str]| printed(&command(CHOICE).args(more).output().unwrap());
    let text = choose(&[
        "--need=any_removal,weights",
        "--peak=1.2",
        "--bytes-per-node=4096",
    ]);
    let fell = text.split("\nFell:\n").nth(1).unwrap();
    assert!(fell.contains("jump: any_removal: only the node that joined last may leave; weights: it takes no weights"), "{text}");
    assert!(
        fell.contains("modulo: weights: it takes no weights"),
        "{text}"
    );
    // Four points a node: far above 1.2, and exactly known.
    assert!(
        fell.contains("vec-ring:vnodes=4: busiest 2.") && fell.contains("(exact_peak_p95, "),
        "{text}"
    );
    // straw2 cannot state its shares, so theory stands for them.
    let (table, within) = text.split_once("\nWithin the limits:\n").unwrap();
    assert!(
        within.starts_with("  straw2: busiest 1.000 (expected by theory); "),
        "{text}"
    );
    assert!(
        table.contains("straw2") && !table.contains("vec-ring"),
        "{text}"
    );

    let text = choose(&["--need=any_removal,weights", "--bytes-per-node=1"]);
    assert!(
        text.starts_with("No strategy meets this at 20 nodes.\n"),
        "{text}"
    );

    let text = choose(&["--need=any_removal", "--bytes-per-node=200", "--peak=3"]);
    let (table, rest) = text.split_once("\nWithin the limits:\n").unwrap();
    for spec in ["modulo", "vec-ring:vnodes=4", "straw2"] {
        assert!(
            table.contains(spec) && rest.contains(&format!("  {spec}: busiest ")),
            "{text}"
        );
    }
    assert!(
        rest.contains(" bytes a node") && !table.contains("jump"),
        "{text}"
    );
}

#[test]
fn choose_refuses_what_it_cannot_ask() {
    let refused = |more: &[&str], words: &[&str]| {
        check_refused(&command(CHOICE).args(more).output().unwrap(), words);
    };
    refused(&["--need=speed"], &["--need", "speed", "any_removal"]);
    refused(&["--peak=0"], &["--peak", "above 0"]);
    refused(&["--speaks=nobody"], &["--speaks", "nobody", "known are"]);
    check_refused(&run(["choose"]), &["--sizes"]);
}
