//! The cache storm with real memcached servers.

use bench_harness::{
    experiment::{Experiment, Findings, Options},
    record::Verdict,
};
use toml::Table;

use crate::{answers, check_ends, check_verdict, find, installed, part, set_count};

fn there() -> bool {
    installed("memcached", "memcached")
}

/// Few keys and strategies, the same for maps and servers.
fn small(setup: &mut Table) {
    set_count(setup, "keys", 1000);
    setup.insert("requests".into(), 1500.into());
    setup.insert("window".into(), 100.into());
    setup.insert(
        "strategies".into(),
        vec!["modulo-java", "btree-ring-java-plain"].into(),
    );
}

#[test]
fn real_servers_miss_what_moved_and_answer_as_maps_do() {
    if !there() {
        return;
    }
    let options = Options::default();
    let live = find(part("cache-storm", "memcached"), &options, small);
    check_verdict(
        &live,
        "first requests",
        Verdict::Reproduced,
        "equal in 6 of 6 runs",
    );
    check_verdict(&live, "no server evicts", Verdict::Reproduced, "0");
    check_verdict(
        &live,
        "keys that the protocol refuses",
        Verdict::Reproduced,
        "4",
    );
    // With the same keys, maps in this process give the very same curves.
    let maps = Experiment::find("cache-storm").expect("it is there");
    let awkward: Table = part("cache-storm", "memcached")
        .text
        .parse()
        .expect("it is TOML");
    let awkward = awkward["setup"]["awkward"].clone();
    let maps = find(maps, &options, |setup| {
        small(setup);
        setup.insert("awkward".into(), awkward);
    });
    let series = |findings: &Findings| findings.series.clone();
    assert_eq!(series(&live), series(&maps));
}

#[test]
fn the_servers_end_with_the_program_however_that_ends() {
    if there() {
        let args = ["cache-storm", "--live", "memcached"];
        check_ends(&args, "memcached", |server| {
            answers(server, " -p ", "stats\r\n", "STAT cmd_set ")?;
            answers(server, " -p ", "stats\r\n", "STAT cmd_set 0\r")
                .is_none()
                .then_some(())
        });
    }
}
