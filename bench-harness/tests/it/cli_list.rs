//! `list`, `workload` and the help texts.

use bench_harness::record::StrategyEntry;

use crate::cli::{Files, check_refused, printed, run, strategies};

#[test]
fn list_has_a_line_a_strategy_with_its_name_first() {
    let listed = printed(&run(["list"]));
    let summaries_begin: Vec<usize> = listed
        .lines()
        .map(|line| {
            let (name, rest) = line.split_once(' ').expect("a summary follows the name");
            let summary = rest.trim_start();
            assert!(!name.is_empty() && !summary.is_empty(), "{line}");
            line.len() - summary.len()
        })
        .collect();
    assert!(summaries_begin.len() > 1);
    assert!(
        summaries_begin.iter().all(|&at| at == summaries_begin[0]),
        "{listed}"
    );
    assert!(strategies().contains(&"modulo".to_owned()));
}

#[test]
fn list_json_says_what_strategies_say_of_themselves() {
    let listed = printed(&run(["list", "--json"]));
    let entries: Vec<StrategyEntry> = serde_json::from_str(&listed).expect("it is such JSON");
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    assert_eq!(names, strategies());
    let modulo = entries.iter().find(|entry| entry.name == "modulo").unwrap();
    assert_eq!((&*modulo.role, &*modulo.family), ("control", "modulo"));
}

#[test]
fn every_listed_strategy_routes() {
    let files = Files::with("10.0.0.1:80\n10.0.0.2:80\n10.0.0.3:80\n", "x\ny\n");
    for strategy in strategies() {
        let owners = printed(&files.route(&strategy, &[]));
        assert_eq!(owners.lines().count(), 2, "{strategy}: {owners}");
    }
}

#[test]
fn help_and_version_are_answers() {
    for args in [&["--help"][..], &["route", "--help"], &["help", "ring"]] {
        assert!(printed(&run(args)).contains("Usage: ringmark"));
    }
    assert!(printed(&run(["--version"])).starts_with("ringmark "));
}

#[test]
fn workload_prints_the_lists_of_a_seed() {
    #[track_caller]
    fn check(args: &[&str], n_lines: usize, first: &str) {
        let printed = printed(&run([&["workload", "--seed", "7"], args].concat()));
        assert_eq!(printed.lines().count(), n_lines, "{args:?}");
        assert_eq!(printed.lines().next(), Some(first), "{args:?}");
        assert!(printed.ends_with('\n'));
    }
    check(&["--print", "nodes"], 40, "10.201.220.70:11211");
    check(
        &["--print", "nodes", "--sizes", "3"],
        3,
        "10.201.220.70:11211",
    );
    check(&["--print", "keys"], 1000, "728b5fa589d0ae4c");
    check(
        &["--print", "keys", "--key-set", "java", "--n-keys", "70000"],
        70_000,
        "testHashInDemo0",
    );
    check(
        &["--print", "changes", "--change", "rolling"],
        40,
        "rolling\t1\t~10.201.220.70:11211\t10.228.151.241:11211",
    );
    check(
        &[
            "--print",
            "changes",
            "--change",
            "lose-50pct",
            "--sizes",
            "10",
        ],
        5,
        "lose-50pct\t1\t-10.205.19.50:11211",
    );
    let all = printed(&run(["workload", "--seed", "7", "--print", "changes"]));
    assert!(all.contains("\nweight-double\t1\t=10.80.7.186:11211=2\n"));
    let none = run([
        "workload", "--seed", "7", "--print", "nodes", "--sizes", "0",
    ]);
    assert_eq!(printed(&none), "");
}

#[test]
fn workload_and_route_fit_together() {
    let list = |what| printed(&run(["workload", "--seed", "3", "--print", what]));
    let files = Files::with(list("nodes"), list("keys"));
    let before = printed(&files.route("modulo", &[]));
    assert_eq!(before.lines().count(), 1000);
    for line in list("changes").lines() {
        let [name, batch, change] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            panic!("not three fields: {line}");
        };
        if batch == "1" && name != "replace-two" && name != "weight-double" {
            let after = printed(&files.route("modulo", &["--change", change]));
            assert_ne!(after, before, "{line}");
        }
    }
}

#[test]
fn workload_refuses_what_it_cannot_print() {
    #[track_caller]
    fn check(args: &[&str], words: &[&str]) {
        check_refused(&run([&["workload"], args].concat()), words);
    }
    check(&["--seed", "1"], &["--print <LIST>"]);
    check(&["--print", "nodes"], &["--seed <N>"]);
    check(&["--seed", "-1", "--print", "nodes"], &["-1"]);
    check(
        &["--seed", "1", "--print", "points"],
        &["'points'", "nodes, keys, changes"],
    );
    check(
        &["--seed", "1", "--print", "nodes", "--sizes", "1000001"],
        &["1000001"],
    );
    check(
        &["--seed", "1", "--print", "keys", "--key-set", "words"],
        &["unknown key set \"words\"", "hex64, user, java, uuid, url"],
    );
    check(
        &["--seed", "1", "--print", "changes", "--change", "lose"],
        &["unknown change \"lose\"", "lose-first"],
    );
    check(
        &["--seed", "1", "--print", "nodes", "--n-keys", "5"],
        &["--n-keys has no effect"],
    );
    check(
        &["--seed", "1", "--print", "nodes", "--key-set", "user"],
        &["--key-set has no effect"],
    );
    check(
        &["--seed", "1", "--print", "keys", "--change", "add"],
        &["--change has no effect"],
    );
    check(
        &["--seed", "1", "--print", "keys", "--sizes", "5"],
        &["--sizes has no effect"],
    );
}
