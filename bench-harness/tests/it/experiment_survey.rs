//! The survey's benchmarks on a small scale: its headers, and what must hold in its tables.

use std::collections::BTreeMap;

use bench_harness::{
    experiment::{Extra, Findings, Options},
    record::Verdict,
};
use toml::{Table, Value};

use super::experiment::{find, measured, series, set};

fn small(setup: &mut Table) {
    set(setup, "sizes", vec![6, 10]);
    set(setup, "key_multipliers", vec![10, 20]);
    set(setup, "iterations", 2);
    set(setup, "fractions", vec![0.3, 0.5]);
    set(setup, "incremental_nodes", 10);
    set(setup, "removal_rates", vec![0.0, 0.5]);
    set(setup, "perfect_routers", 40);
    set(setup, "own.keys", 40);
    set(setup, "own.seeds", 1);
    set(setup, "time.warmup", 0);
    set(setup, "time.execution", 2);
    set(setup, "time.milliseconds", 0);
}

#[track_caller]
fn table<'a>(findings: &'a Findings, name: &str, deterministic: bool) -> &'a str {
    let mut tables = findings.extra.iter();
    let found = tables.find(|it| it.table == name && it.deterministic == deterministic);
    let found = found.unwrap_or_else(|| panic!("no table {name:?}"));
    std::str::from_utf8(&found.bytes).expect("it is text")
}

/// The rows of a table, by the names of its columns.
#[track_caller]
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize();
    rows.map(|it| it.expect("as many fields as columns"))
        .collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column]
        .parse()
        .unwrap_or_else(|err| panic!("{column} {:?}: {err}", row[column]))
}

fn verdict(findings: &Findings, claim: &str) -> Verdict {
    let mut claims = findings.claims.iter().chain(&findings.timed);
    let found = claims.find(|it| it.claim.starts_with(claim));
    found
        .unwrap_or_else(|| panic!("no claim {claim:?}"))
        .verdict
}

#[test]
fn tables_have_the_headers_of_the_survey() {
    const BALANCE: &str =
        "HashFunction,Algorithm,Keys,Distribution,Nodes,Iterations,Min,Max,Expected,Min%,Max%,Var";
    let findings = find("survey", &Options::default(), small);
    let jmh = |params: &[&str]| {
        let mut header =
            r#""Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit""#
                .to_owned();
        for param in params {
            header.push_str(&format!(",\"Param: {param}\""));
        }
        header
    };
    let monotonicity = "HashFunction,Algorithm,Fraction,Keys,Distribution,Nodes,KeysInRemovedNodes,\
        KeysMovedFromRemovedNodes,KeysMovedFromOtherNodes,NodesLosingKeys,KeysMovedToRestoredNodes,\
        KeysMovedToOtherNodes,NodesGainingKeys,KeysRelocatedAfterResize,NodesChangedAfterResize,\
        KeysMovedFromRemovedNodes%,KeysMovedFromOtherNodes%,NodesLosingKeys%,\
        KeysMovedToRestoredNodes%,KeysMovedToOtherNodes%,NodesGainingKeys%,\
        KeysRelocatedAfterResize%,NodesChangedAfterResize%";
    // 13 algorithms, 2 sizes, 2 multipliers, 2 distributions.
    for (name, deterministic, header, n_rows) in [
        ("balance", true, BALANCE.to_owned(), 104),
        ("resize-balance", true, BALANCE.to_owned(), 104),
        ("monotonicity", true, monotonicity.to_owned(), 208),
        (
            "memory-usage",
            true,
            "HashFunction,Algorithm,Nodes,Bytes".to_owned(),
            26,
        ),
        (
            "incremental-memory-usage",
            true,
            "HashFunction,Algorithm,Nodes,RemovalRate,Bytes".to_owned(),
            26,
        ),
        (
            "init-time",
            false,
            jmh(&["algorithm", "function", "initNodes"]),
            26,
        ),
        (
            "resize-time",
            false,
            jmh(&["algorithm", "benchmark", "function", "initNodes"]),
            26,
        ),
        (
            "lookup-time",
            false,
            jmh(&[
                "algorithm",
                "benchmark",
                "distribution",
                "function",
                "initNodes",
            ]),
            26,
        ),
        (
            "incremental-lookup-time",
            false,
            jmh(&[
                "algorithm",
                "benchmark",
                "distribution",
                "function",
                "initNodes",
                "removalRate",
            ]),
            26,
        ),
    ] {
        let text = table(&findings, name, deterministic);
        assert_eq!(text.lines().next(), Some(header.as_str()), "{name}");
        assert_eq!(rows(text).len(), n_rows, "{name}");
    }
    let score = &rows(table(&findings, "incremental-lookup-time", false))[1];
    assert_eq!(
        [
            "Mode",
            "Threads",
            "Samples",
            "Unit",
            "Param: algorithm",
            "Param: benchmark",
            "Param: distribution",
            "Param: function",
            "Param: initNodes",
            "Param: removalRate"
        ]
        .map(|it| score[it].as_str()),
        [
            "avgt",
            "1",
            "2",
            "ns/op",
            "modulo",
            "incremental-lookup-time",
            "UNIFORM",
            "xxh3-64",
            "10",
            "0.5"
        ]
    );
    for row in rows(table(&findings, "memory-usage", true)) {
        let least = 4.0 * number(&row, "Nodes"); // an id each
        assert!(number(&row, "Bytes") >= least, "{row:?}");
    }
    assert_eq!(
        verdict(&findings, "the memory of the engine"),
        Verdict::Differs
    );
    let files = findings.files("survey").expect("rows can be written");
    let path = |deterministic| {
        let files = files
            .iter()
            .filter(move |it| it.deterministic == deterministic);
        files.map(|it| it.path.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        path(true),
        [
            "data/experiment-survey.csv",
            "data/experiment-survey-max.csv",
            "data/experiment-survey-moved.csv",
            "data/experiment-survey-balance.csv",
            "data/experiment-survey-resize-balance.csv",
            "data/experiment-survey-monotonicity.csv",
            "data/experiment-survey-memory-usage.csv",
            "data/experiment-survey-incremental-memory-usage.csv",
            "data/experiment-survey-beside.csv",
        ]
    );
    assert_eq!(
        path(false),
        [
            "data/timed-survey-init-time.csv",
            "data/timed-survey-resize-time.csv",
            "data/timed-survey-lookup-time.csv",
            "data/timed-survey-incremental-lookup-time.csv",
            "data/timed-survey-beside.csv",
            "data/timed-survey.csv",
        ]
    );
}

#[test]
fn what_must_hold_in_the_tables() {
    let findings = find("survey", &Options::default(), small);
    for name in ["balance", "resize-balance"] {
        let mut sizes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in rows(table(&findings, name, true)) {
            let [keys, nodes, min, max, expected] =
                ["Keys", "Nodes", "Min", "Max", "Expected"].map(|it| number(&row, it));
            assert!(min <= expected && expected <= max, "{row:?}");
            assert_eq!(expected, (keys / nodes).floor(), "{row:?}");
            assert!(
                (number(&row, "Max%") - max * nodes / keys).abs() < 1e-5,
                "{row:?}"
            );
            sizes.entry(row["Keys"].clone()).or_default().push(nodes);
        }
        // Every algorithm is left with as many nodes.
        for (keys, nodes) in sizes {
            assert!(
                nodes.iter().all(|it| *it == nodes[0]),
                "{name} {keys}: {nodes:?}"
            );
        }
    }
    let mut in_vain = BTreeMap::new();
    for row in rows(table(&findings, "monotonicity", true)) {
        let count = |column: &str| number(&row, column);
        // 0.3 times 6 is cut to 1, and so is 0.7 times 6, to 4: a survivor counts as removed.
        if count("Nodes") * count("Fraction") == 5.0 || count("Nodes") == 10.0 {
            assert_eq!(
                count("KeysInRemovedNodes"),
                count("KeysMovedFromRemovedNodes"),
                "{row:?}"
            );
        }
        assert_eq!(count("KeysRelocatedAfterResize"), 0.0, "{row:?}");
        assert_eq!(
            count("KeysMovedFromRemovedNodes") + count("KeysMovedFromOtherNodes"),
            count("KeysMovedToRestoredNodes") + count("KeysMovedToOtherNodes"),
            "{row:?}"
        );
        *in_vain.entry(row["Algorithm"].clone()).or_insert(0.0) += count("KeysMovedFromOtherNodes");
    }
    in_vain.retain(|_, keys| *keys > 0.0);
    let names: Vec<&str> = in_vain.keys().map(String::as_str).collect();
    assert_eq!(names, ["maglev", "modulo"]);
    // A row beside each of the three numbers of a row of balance, of monotonicity, and beside all bytes.
    let beside = rows(table(&findings, "beside", true));
    assert_eq!(beside.len(), 3 * (104 + 104 + 208) + 26 + 26);
    for row in beside.iter().filter(|it| it["column"] == "Max%") {
        let exact = row["metric"] == "exact_peak";
        let ours = number(row, "ours");
        assert!(ours >= 1.0 - 1e-9, "{row:?}");
        if exact && row["algorithm"] == "jump" {
            assert!((ours - 1.0).abs() < 1e-9, "{row:?}");
        }
        assert!(number(row, "lo") < number(row, "hi"), "{row:?}");
    }
    // Jump loses the last node alone, so nothing of ours stands there.
    let random = |name: &str| {
        let rows = beside
            .iter()
            .filter(|it| it["algorithm"] == name && it["metric"] == "collateral");
        rows.map(|it| it["ours"].as_str()).collect::<Vec<_>>()
    };
    assert!(random("jump").iter().all(|it| it.is_empty()));
    assert!(random("anchor").iter().all(|it| *it == "0.0"));
    assert!(series(&findings, "max").iter().all(|it| it.value.is_some()));
}

#[test]
fn claims_are_judged_by_what_was_run() {
    let findings = find("survey", &Options::default(), small);
    use Verdict::{Differs, NotCheckable, Reproduced};
    let cut = |row: &BTreeMap<String, String>| number(row, "Keys") % number(row, "Nodes") != 0.0;
    let resized = rows(table(&findings, "resize-balance", true));
    let cut = match resized.iter().any(cut) {
        true => Differs,
        false => Reproduced,
    };
    for (claim, expected) in [
        ("Var of balance", Reproduced),
        ("Var of resize balance", cut),
        ("Var counts any load", Differs),
        ("keys of a normal distribution", Differs),
        ("KeysMovedFromOtherNodes is 0 for those", Reproduced),
        ("KeysMovedFromOtherNodes should always", Differs),
        ("KeysRelocatedAfterResize", Reproduced),
        ("the nodes that count as removed", Differs),
        ("what the last nodes cost", Differs),
    ] {
        assert_eq!(verdict(&findings, claim), expected, "{claim}");
    }
    assert_eq!(
        measured(&findings, "Var counts any load"),
        "46341 keys above the mean: -2147479015"
    );
    let alone = Options {
        strategies: vec!["jump".into()],
        ..Options::default()
    };
    let alone = find("survey", &alone, |setup| {
        small(setup);
        set(setup, "distributions", Value::Array(vec!["UNIFORM".into()]));
        set(setup, "fractions", vec![0.5]);
    });
    for (claim, expected) in [
        ("KeysMovedFromOtherNodes should always", Reproduced),
        ("KeysMovedFromOtherNodes% is a share", NotCheckable),
        ("keys of a normal distribution", NotCheckable),
        ("what the last nodes cost", Differs),
    ] {
        assert_eq!(verdict(&alone, claim), expected, "{claim}");
    }
    let names = rows(table(&alone, "balance", true));
    assert!(names.iter().all(|it| it["Algorithm"] == "jump"));
}

#[test]
fn the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("it starts");
        pool.install(|| {
            let few = Options {
                strategies: ["modulo", "vec-ring:vnodes=20", "memento"]
                    .map(str::to_owned)
                    .to_vec(),
                ..Options::default()
            };
            let found = find("survey", &few, small);
            let same: Vec<Extra> = found
                .extra
                .into_iter()
                .filter(|it| it.deterministic)
                .collect();
            (found.claims, found.series, same)
        })
    };
    assert_eq!(on(1), on(2));
}
