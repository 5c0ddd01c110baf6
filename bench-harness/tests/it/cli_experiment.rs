//! `experiment`: what it prints, writes and refuses.

use std::{fs, path::Path, process::Command, thread, time::Duration};

use super::cli::{check_refused, command, complaints, printed, run};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

#[track_caller]
fn experiment(name: &str, out: &Path, more: &[&str]) -> String {
    let mut command = command(["experiment", name]);
    printed(
        &command
            .arg("--out")
            .arg(out)
            .args(more)
            .output()
            .expect("it starts"),
    )
}

fn json(out: &Path) -> serde_json::Value {
    let text = fs::read(out.join("run.json")).expect("it is there");
    serde_json::from_slice(&text).expect("it is JSON")
}

fn entry<'a>(run: &'a serde_json::Value, path: &str) -> &'a serde_json::Value {
    let files = run["files"].as_array().expect("a list");
    let found = files.iter().find(|it| it["path"] == path);
    found.unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn list_has_a_line_an_experiment() {
    let lines = printed(&run(["experiment", "list"]));
    let names: Vec<&str> = lines
        .lines()
        .filter_map(|it| it.split(' ').next())
        .collect();
    let five = [
        "ruby-tables",
        "node-benchmark",
        "java-homework",
        "treemap-demo",
        "cache-storm",
    ];
    assert_eq!(names[..5], five);
}

#[test]
fn an_experiment_is_written_with_its_page_and_adds_to_a_report() {
    let folder = folder();
    let out = folder.path().join("report");
    let said = experiment("ruby-tables", &out, &[]);
    assert!(said.contains("\nn4 G I L R\n"), "{said}");
    assert!(said.contains("ruby-tables: "), "{said}");
    let claims = fs::read_to_string(out.join("data/experiment-ruby-tables.csv")).expect("claims");
    assert!(
        claims.starts_with("claim,published,measured,unit,tolerance,verdict,reason\n"),
        "{claims}"
    );
    assert!(out.join("data/experiment-ruby-tables-tables.csv").is_file());
    assert!(
        out.join("charts/experiment-ruby-tables-evenness.svg")
            .is_file()
    );
    let page = fs::read_to_string(out.join("experiments/README.md")).expect("the page");
    assert!(
        page.contains("ruby ch1.rb n1 n2 n3 n4") && page.contains("| reproduced |"),
        "{page}"
    );
    let index = fs::read_to_string(out.join("index.html")).expect("the page");
    assert!(index.contains("id=\"experiment-ruby-tables\""));
    assert!(index.contains("id=\"rm-experiment-ruby-tables-evenness\""));
    let first = json(&out);
    assert_eq!(first["command"], "ringmark experiment ruby-tables");
    let timed = entry(&first, "data/timed-ruby-tables.csv");
    assert_eq!(
        (&timed["deterministic"], &timed["made_by"]),
        (&false.into(), &serde_json::Value::Null)
    );

    // A measurement into the same folder keeps it, with its origin; and so the other way round.
    let small = "bench --profile quick --strategy modulo --sizes 5 --seeds 1 --only work";
    let mut bench = command(small.split(' '));
    printed(&bench.arg("--out").arg(&out).output().expect("it starts"));
    let second = json(&out);
    assert_eq!(second["command"], format!("ringmark {small}"));
    let kept = entry(&second, "data/experiment-ruby-tables.csv");
    assert_eq!(
        kept["made_by"]["command"],
        "ringmark experiment ruby-tables"
    );
    experiment("node-benchmark", &out, &["--remove", "Node7"]);
    let third = json(&out);
    assert_eq!(
        third["command"], second["command"],
        "the head is the measurement's"
    );
    let added = entry(&third, "data/experiment-node-benchmark.csv");
    assert_eq!(
        added["made_by"]["command"],
        "ringmark experiment node-benchmark --remove Node7"
    );
    assert_eq!(
        entry(&third, "data/work.csv")["made_by"],
        serde_json::Value::Null
    );
    assert_eq!(entry(&third, "data/experiment-ruby-tables.csv"), kept);

    // The pages follow from the files alone.
    let again = folder.path().join("again");
    let mut report = command(["report", "--from"]);
    report.arg(&out).arg("--out").arg(&again);
    printed(&report.output().expect("it starts"));
    for file in ["index.html", "README.md", "experiments/README.md"] {
        let (a, b) = (fs::read(out.join(file)), fs::read(again.join(file)));
        assert_eq!(a.expect("drawn"), b.expect("drawn again"), "{file}");
    }
}

#[test]
fn the_same_bytes_again() {
    let folder = folder();
    let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
    for out in [&a, &b] {
        experiment("ruby-tables", out, &[]);
    }
    for file in fs::read_dir(a.join("data")).expect("data").flatten() {
        let name = file.file_name();
        if name.to_string_lossy().starts_with("experiment-") {
            let other = b.join("data").join(&name);
            assert_eq!(fs::read(file.path()).ok(), fs::read(other).ok(), "{name:?}");
        }
    }
}

#[test]
fn wrong_input_is_refused_and_nothing_is_written() {
    let folder = folder();
    let out = folder.path().join("report");
    let check = |args: &[&str], words: &[&str]| {
        let mut command = command(["experiment"]);
        let output = command
            .args(args)
            .arg("--out")
            .arg(&out)
            .output()
            .expect("it starts");
        check_refused(&output, words);
        assert!(!out.exists(), "{args:?} wrote something");
    };
    check(&[], &["NAME"]);
    check(
        &["ruby"],
        &[
            "unknown experiment",
            "\"ruby\"",
            "ruby-tables",
            "cache-storm",
        ],
    );
    check(&["all", "ruby-tables"], &["stand alone"]);
    check(&["list"], &["list", "no options"]);
    check(
        &["ruby-tables", "--seed", "7"],
        &["--seed", "no effect", "ruby-tables"],
    );
    check(&["all", "--remove", "Node1"], &["--remove", "no effect"]);
    check(
        &["java-homework", "--strategy", "modulo"],
        &["--strategy", "no effect", "java-homework"],
    );
    check(
        &["cache-storm", "--strategy", "nothing"],
        &["unknown strategy", "\"nothing\""],
    );
    check(
        &["node-benchmark", "--remove", "Node100"],
        &["--remove", "Node100", "Node0 to Node99"],
    );
    check(&["node-benchmark", "--seed", "seven"], &["--seed", "seven"]);
    check(
        &["java-homework", "--live", "mysql"],
        &["--live", "mysql", "redis, memcached"],
    );
    if cfg!(feature = "live") {
        check(
            &["ruby-tables", "--live", "redis"],
            &["ruby-tables", "no part with redis"],
        );
    } else {
        check(
            &["java-homework", "--live", "redis"],
            &["--live", "the feature `live`"],
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_and_writes_nothing() {
    let folder = folder();
    let out = folder.path().join("report");
    let mut command = command(["experiment", "java-homework", "--out"]);
    let child = command
        .arg(&out)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    // It takes far longer than this.
    thread::sleep(Duration::from_millis(1500));
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.expect("kill starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(
        complaints(&output),
        "ringmark: interrupted; nothing was written\n"
    );
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0, "nothing is left");
}
