//! The exercise's keys in a real Redis.

use bench_harness::{experiment::Options, record::Verdict};

use crate::{answers, check_ends, check_verdict, find, installed, part, set_count};

fn there() -> bool {
    installed("redis-server", "redis-server")
}

/// The sizes that the exercise's class gives under OpenJDK 17, and that a Redis confirmed.
#[test]
fn the_databases_are_as_large_as_the_exercise_makes_them() {
    if !there() {
        return;
    }
    let part = part("java-homework", "redis");
    let findings = find(part, &Options::default(), |_| {});
    let sizes = "29000 10900 10000 90010 96001 174090 129002 160998 170200 129800";
    check_verdict(&findings, "DBSIZE", Verdict::Reproduced, sizes);
    check_verdict(
        &findings,
        "the sizes",
        Verdict::Reproduced,
        "equal for 1 of 1 strategies",
    );
    assert_eq!(
        findings.printed[0],
        format!("fixed-interval-java: DBSIZE {sizes}")
    );
    assert!(
        findings.printed[1].starts_with("start at : "),
        "{:?}",
        findings.printed
    );
    assert!(
        findings.printed[2].starts_with("cost : "),
        "{:?}",
        findings.printed
    );
    let keys: f64 = findings.series[0]
        .1
        .iter()
        .filter_map(|row| row.value)
        .sum();
    assert_eq!(keys, 1_000_001.0);
}

#[test]
fn any_strategy_can_choose_the_database() {
    if !there() {
        return;
    }
    let options = Options {
        strategies: vec!["modulo".into(), "vec-ring:vnodes=10".into()],
        ..Options::default()
    };
    let findings = find(part("java-homework", "redis"), &options, |setup| {
        set_count(setup, "keys", 20_000);
    });
    check_verdict(&findings, "DBSIZE", Verdict::NotCheckable, "");
    check_verdict(
        &findings,
        "the sizes",
        Verdict::Reproduced,
        "equal for 2 of 2 strategies",
    );
}

#[test]
fn the_server_ends_with_the_program_however_that_ends() {
    if there() {
        let args = ["java-homework", "--live", "redis"];
        check_ends(&args, "redis-server", |server| {
            answers(server, "127.0.0.1:", "INFO keyspace\r\n", "keys=")
        });
    }
}
