//! The documents' experiments against what their own programs print: numbers of Node.js 20, OpenJDK
//! 17 and Ruby 3.1, which ran the documents' programs on the documents' inputs.

use std::collections::BTreeMap;

use bench_harness::{
    experiment::{Definition, EXPERIMENTS, Experiment, Findings, Options, Setup},
    measure::Progress,
    record::{SeriesRow, Verdict, source::sha256},
};
use toml::Table;

/// Runs an experiment whose definition was changed.
#[track_caller]
pub(super) fn find(name: &str, options: &Options, change: impl FnOnce(&mut Table)) -> Findings {
    let experiment = Experiment::find(name).expect("it is there");
    let mut table: Table = experiment.text.parse().expect("it is TOML");
    change(table["setup"].as_table_mut().expect("it has a setup"));
    let definition: Definition = table.try_into().expect("it is a definition");
    let setup = Setup {
        catalog: &registry::catalog(),
        definition: &definition,
        options,
        progress: &Progress::new(),
    };
    (experiment.run)(&setup).expect("it can be run")
}

/// Sets a value below a setup, by path.
pub(super) fn set(setup: &mut Table, path: &str, value: impl Into<toml::Value>) {
    let mut parts: Vec<&str> = path.split('.').collect();
    let last = parts.pop().expect("a path is not empty");
    let mut table = setup;
    for part in parts {
        table = table[part].as_table_mut().expect("it is a table");
    }
    assert!(table.contains_key(last), "{path}");
    table.insert(last.to_owned(), value.into());
}

/// The verdicts other than «reproduced», by the beginning of the claim.
#[track_caller]
pub(super) fn check_verdicts(findings: &Findings, differ: &[&str], not_checkable: &[&str]) {
    let of = |verdict| {
        let claims = findings
            .claims
            .iter()
            .filter(move |it| it.verdict == verdict);
        claims.map(|it| it.claim.as_str()).collect::<Vec<_>>()
    };
    for (verdict, expected) in [
        (Verdict::Differs, differ),
        (Verdict::NotCheckable, not_checkable),
    ] {
        let found = of(verdict);
        assert_eq!(found.len(), expected.len(), "{verdict:?}: {found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                found.starts_with(expected),
                "{verdict:?}: {found:?}, {expected:?}"
            );
        }
    }
    for claim in findings.claims.iter().chain(&findings.timed) {
        let said = !claim.reason.is_empty();
        assert!(
            said || claim.verdict == Verdict::Reproduced,
            "{claim:?} gives no reason"
        );
    }
}

/// What was measured for the claim that begins so.
#[track_caller]
pub(super) fn measured<'a>(findings: &'a Findings, claim: &str) -> &'a str {
    let mut claims = findings.claims.iter().chain(&findings.timed);
    let found = claims.find(|it| it.claim.starts_with(claim));
    &found
        .unwrap_or_else(|| panic!("no claim {claim:?}"))
        .measured
}

#[track_caller]
pub(super) fn series<'a>(findings: &'a Findings, name: &str) -> &'a [SeriesRow] {
    let found = findings.series.iter().find(|it| it.0 == name);
    &found.unwrap_or_else(|| panic!("no series {name:?}")).1
}

#[test]
fn every_definition_can_be_read_and_run_by_its_kind() {
    let catalog = registry::catalog();
    for experiment in EXPERIMENTS {
        let definition = experiment.definition();
        assert!(!definition.claims.is_empty(), "{}", experiment.name);
        let mut ids: Vec<&str> = definition.claims.iter().map(|it| it.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(
            ids.len(),
            definition.claims.len(),
            "{}: an id twice",
            experiment.name
        );
        // Every spec that a definition spells is one of the registry's.
        let table: Table = experiment.text.parse().expect("it is TOML");
        let mut specs = Vec::new();
        collect_specs(&toml::Value::Table(table), &mut specs);
        for spec in specs {
            catalog
                .parse(&spec)
                .unwrap_or_else(|err| panic!("{}: {err}", experiment.name));
        }
        for page in definition.pages {
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            assert!(root.join(&page.file).is_file(), "{}", page.file);
        }
    }
}

/// Values of the keys that hold specs.
fn collect_specs(value: &toml::Value, specs: &mut Vec<String>) {
    const KEYS: [&str; 4] = ["spec", "linear", "halving", "strategies"];
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                if KEYS.contains(&key.as_str()) {
                    let list = value.as_array().cloned().unwrap_or(vec![value.clone()]);
                    specs.extend(list.iter().filter_map(|it| it.as_str().map(str::to_owned)));
                }
                collect_specs(value, specs);
            }
        }
        toml::Value::Array(list) => list.iter().for_each(|it| collect_specs(it, specs)),
        _ => {}
    }
}

#[test]
fn ruby_tables_byte_for_byte() {
    let findings = find("ruby-tables", &Options::default(), |_| {});
    // What takes time may come out either way on a busy machine; nothing else may.
    check_verdicts(&findings, &[], &[]);
    assert_eq!(findings.timed.len(), 19);
    assert_eq!(
        measured(&findings, "ruby ch2.rb 100 n1 n2 n3 n4"),
        "n1 A E F O P Q U V\nn2 B H S T Y\nn3 C K L M N Z\nn4 D G I J R W X"
    );
    assert_eq!(
        measured(&findings, "halving gives the same"),
        "26 of 26 letters and 20000 of 20000 other keys alike; 3003 of the 4004 names of points differ"
    );
    // 26 letters by the first table: 2, 12, 8, 4.
    let first = &series(&findings, "evenness")[0];
    assert!((first.value.unwrap() - 14.75_f64.sqrt()).abs() < 1e-12);
    let work = series(&findings, "work");
    assert_eq!(work.len(), 4);
    // Halving looks at ceil(log2 N) + 1 of 404 and of 4004 points.
    assert_eq!((work[1].value, work[3].value), (Some(10.0), Some(13.0)));
}

/// A node without records prints its bare name, and the order is that of the names.
#[test]
fn a_table_lists_nodes_without_records() {
    let findings = find("ruby-tables", &Options::default(), |setup| {
        let tables = setup["tables"].as_array_mut().expect("tables");
        let first = tables[0].as_table_mut().expect("a table");
        first.insert("nodes".into(), vec!["n1", "n2", "n10"].into());
        set(setup, "rounds", 1);
        set(setup, "times_a_round", 1);
    });
    let lines: Vec<&str> = measured(&findings, "ruby ch1.rb n1 n2 n3 n4")
        .lines()
        .collect();
    assert_eq!(lines[0], "n1 H T");
    assert_eq!(lines[1], "n10");
    assert!(lines[2].starts_with("n2 A B C D E F G I"));
}

#[test]
fn node_benchmark_prints_what_node_prints() {
    let findings = find("node-benchmark", &Options::default(), |_| {});
    let spoken = "100 points a node are few";
    let differ = [
        "the sorted list",
        "Node2, Node320, Node615",
        "2 nodes, 1 key: Min",
        "2 nodes, 1 key: Std",
    ];
    // Which strategies clients speak depends on what is linked.
    let claims = findings
        .claims
        .iter()
        .filter(|it| !it.claim.starts_with(spoken));
    let others = Findings {
        claims: claims.cloned().collect(),
        ..Findings::default()
    };
    check_verdicts(&others, &differ, &[]);
    // The output of both programs under Node.js 20, Node41 removed, line for line.
    let printed: String = findings
        .printed
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(
        sha256(printed.as_bytes()),
        "aa658f7abdb3a5b90daeea835035b315a4a330e2b51a7f679f5a121cbc6ef3b5",
        "{printed}"
    );
    assert!(
        measured(&findings, "without virtual nodes all keys")
            .starts_with("66146 of 66146 keys to Node83;")
    );
    assert!(
        measured(&findings, "and those of the node")
            .starts_with("to 66 of 99 nodes, at most 716 of 10217")
    );
}

/// Two more removals that were run under Node.js, and one by seed.
#[test]
fn node_benchmark_with_another_node() {
    #[track_caller]
    fn check(options: &Options, removed: &str, expected: &[(&str, &str)]) {
        let findings = find("node-benchmark", options, |setup| {
            // One program is enough; the others' claims stay with the definition.
            setup.remove("shared_point").expect("it is there");
            let shared = toml::toml! {
                spec = "linear-ring-node:vnodes=100"
                nodes = ["Node0", "Node1"]
                remove = "Node1"
            };
            setup.insert("shared_point".into(), shared.into());
        });
        assert_eq!(findings.printed[0], format!("Removing Node: {removed}"));
        for (claim, value) in expected {
            assert_eq!(measured(&findings, claim), *value, "{claim}");
        }
        let of_removal = findings
            .claims
            .iter()
            .filter(|it| it.claim.contains(", after: "));
        for claim in of_removal {
            assert_eq!(claim.verdict, Verdict::NotCheckable, "{claim:?}");
            assert!(claim.reason.contains(removed), "{claim:?}");
        }
    }
    let remove = |name: &str| Options {
        remove: Some(name.into()),
        ..Options::default()
    };
    check(
        &remove("Node0"),
        "Node0",
        &[
            ("1 point a node: Keys Reassigned", "1073"),
            ("1 point a node, after: Std", "10274.8"),
            ("100 points a node: Keys Reassigned", "8274"),
            ("100 points a node, after: Max", "12899"),
            ("100 points a node, after: Min", "7600"),
            ("100 points a node, after: Std", "1068.45"),
        ],
    );
    let seed = |seed| Options {
        seed: Some(seed),
        ..Options::default()
    };
    let node = |options: &Options| find("node-benchmark", options, few_keys).printed[0].clone();
    assert_eq!(node(&seed(1)), node(&seed(1)));
    assert!((2..9).any(|it| node(&seed(it)) != node(&seed(1))));
}

fn few_keys(setup: &mut Table) {
    set(setup, "keys.count", 1000);
}

/// Standard deviations of the exercise's class under OpenJDK 17, start `Integer.MIN_VALUE + 1`.
#[test]
fn java_homework_draws_the_curve_of_the_class() {
    const KNOWN: [(u32, f64); 12] = [
        (1, 268_358.0),
        (5, 189_684.0),
        (10, 218_770.0),
        (90, 14_374.0),
        (100, 53_133.0),
        (370, 114_834.0),
        (600, 26_776.0),
        (750, 126_314.0),
        (900, 4_230.0),
        (1500, 60_879.0),
        (3000, 28_431.0),
        (5000, 13_380.0),
    ];
    let findings = find("java-homework", &Options::default(), |setup| {
        for steps in setup["steps"].as_array_mut().expect("steps") {
            let steps = steps.as_table_mut().expect("a table");
            let few: Vec<i64> = match steps["name"].as_str() {
                Some("fine") => KNOWN.iter().map(|it| it.0.into()).collect(),
                _ => vec![1500, 5000],
            };
            steps.remove("ranges");
            steps.insert("values".into(), few.into());
        }
        set(setup, "random_starts", 3);
    });
    let curve = series(&findings, "curve");
    for (row, (vnodes, sd)) in curve.iter().zip(KNOWN) {
        assert_eq!(row.x, Some(vnodes.into()));
        assert!((row.value.unwrap() - sd).abs() < 0.5, "{row:?}");
    }
    let differ = [
        "the test stores",
        "with more virtual nodes it falls",
        "perhaps because",
        "virtual nodes should lie",
    ];
    check_verdicts(&findings, &differ, &[]);
    // Random keys and another hash lie as evenly as chance has it: 300 keys, give or take a quarter
    // each way (chi-square with 9 degrees of freedom, 1e-6: 70 to 620).
    let others = curve
        .iter()
        .filter(|row| ["random keys", "the common hash"].contains(&row.series.as_str()));
    let others: Vec<f64> = others
        .filter(|row| row.x == Some(1500.0))
        .filter_map(|row| row.value)
        .collect();
    assert_eq!(others.len(), 2);
    assert!(
        others.iter().all(|sd| (70.0..620.0).contains(sd)),
        "{others:?}"
    );
    // One step of the leading digit is as long as twenty intervals at 1500: two turns.
    let twice = series(&findings, "resonance")
        .iter()
        .find(|row| row.label == "1500 virtual nodes");
    assert!((twice.unwrap().x.unwrap() - 1.9997).abs() < 1e-4);
    // The starts whose standard deviations were measured.
    let starts: BTreeMap<&str, f64> = series(&findings, "starts")
        .iter()
        .map(|row| (row.label.as_str(), row.value.unwrap()))
        .collect();
    for (start, sd) in [
        ("-2147483648", 60879.34),
        ("-2147471303", 60471.78),
        ("0", 60895.77),
        ("1000000007", 65305.59),
    ] {
        assert!((starts[start] - sd).abs() < 0.01, "{start}");
    }
    // What `System.out.println(nodeManger)` prints under OpenJDK 17 at 1500.
    assert_eq!(
        sha256(series(&findings, "ring")[0].text.as_bytes()),
        "c1748678e6b743bdeafa3751cfc3985fd547881a9aa6a4a429f1ebe834cd8c18"
    );
}

/// The same for small rings, one of them whole.
#[test]
fn a_ring_is_printed_as_java_prints_it() {
    #[track_caller]
    fn check(vnodes: i64, digest: &str) -> String {
        let findings = find("java-homework", &Options::default(), |setup| {
            set(setup, "vnodes", vnodes);
            set(setup, "keys.count", 1000);
            set(setup, "random_starts", 0);
            set(setup, "starts", toml::Value::Array(Vec::new()));
            set(
                setup,
                "curves",
                toml::Value::Array(vec![setup["curves"][0].clone()]),
            );
            let steps = setup["steps"][0].as_table_mut().expect("a table");
            steps.remove("ranges");
            steps.insert("values".into(), vec![1].into());
        });
        let text = series(&findings, "ring")[0].text.clone();
        assert_eq!(sha256(text.as_bytes()), digest, "{text}");
        text
    }
    let one = check(
        1,
        "aa81b834ae3ab1dad52d4d10b3a77678990fd6359bbe01f09d571011e67a2fa5",
    );
    assert_eq!(
        one,
        "DefaultNodeManger{nodeList=[-8, -6, -4, -2, 0, 2147483639, 2147483641, 2147483643, 2147483645, 2147483647], \
         nodeLinker={0=0, 2147483647=1, -2=2, 2147483645=3, -4=4, 2147483643=5, -6=6, 2147483641=7, -8=8, 2147483639=9}}"
    );
    check(
        3,
        "49a1c976c57a73a49d4bd229f20f058c5d6b94c7a42a76357ccc35edda2cd519",
    );
    check(
        10,
        "f5900d1c2cce3de1fa0b98165dbf4d1ccfb37d80864d412f0030a7532cb0f860",
    );
}

/// The article's classes under OpenJDK 17.
#[test]
fn treemap_demo_answers_as_the_classes_do() {
    let findings = find("treemap-demo", &Options::default(), |setup| {
        set(setup, "hashes.sizes", vec![5, 40]);
        set(setup, "hashes.keys.count", 20_000);
    });
    let differ = [
        "user10 of 10 tables",
        "the code does what the text says",
        "picture: node 2 fails, and its data go to node 3 (rule of the text)",
        "picture: node 2_1 joins between 2 and 3, and takes from node 2 alone (rule of the code)",
        "removeServers with a list of one",
        "removeServers with a list of two",
        "addSever",
        "getInstance",
        "setIp",
        "the hash needs improving",
    ];
    check_verdicts(&findings, &differ, &[]);
    assert_eq!(measured(&findings, "user10 of 10"), "order_part_8");
    assert!(
        measured(&findings, "removeServers with a list of one")
            .starts_with("4 points; 284956 keys moved")
    );
    assert_eq!(findings.printed.len(), 110);
    assert_eq!(findings.printed[0], "数据=i命中了服务器：ip=192.168.1.4");
    // A hash that mixes is as even as random points; one that does not is far from it.
    let shares = |hash: &str| {
        let rows = series(&findings, "hashes").iter();
        let mut rows =
            rows.filter(|it| it.series == "shares" && it.label == hash && it.x == Some(40.0));
        rows.next()
            .and_then(|it| it.value)
            .expect("it was measured")
    };
    for hash in ["xxh3", "xxh64", "md5", "sha256"] {
        assert!(
            (0.04..0.13).contains(&shares(hash)),
            "{hash}: {}",
            shares(hash)
        );
    }
    assert!(
        shares("java") > 1.0 && shares("fnv1a") > 0.2,
        "{} {}",
        shares("java"),
        shares("fnv1a")
    );
}

#[test]
fn cache_storm_misses_what_moved() {
    let findings = find("cache-storm", &Options::default(), |setup| {
        set(setup, "keys.count", 20_000);
        set(setup, "requests", 20_000);
        set(setup, "window", 1000);
    });
    check_verdicts(&findings, &["all queries"], &[]);
    assert_eq!(
        measured(&findings, "first requests that miss"),
        "equal in 18 of 18 runs"
    );
    let rows = series(&findings, "missed");
    let share = |strategy: &str, series: &str| {
        let row = rows
            .iter()
            .find(|it| it.label == strategy && it.series == series);
        row.and_then(|it| it.value).expect("it was measured")
    };
    // Modulo moves 1 - 1/5 of the keys; from 5 to 6 nodes 5 of 6, were the keys random and not
    // numbered; and, for a replacement, a fifth.
    assert!((share("modulo-java", "lose, missed") - 0.8).abs() < 0.02);
    assert!((0.75..0.95).contains(&share("modulo-java", "add, missed")));
    assert!((share("modulo-java", "replace, missed") - 0.2).abs() < 0.02);
    assert!(share("vec-ring", "lose, missed") < 0.3);
    // Each curve climbs: less is missed in the last window than in the first.
    let hits = series(&findings, "hits");
    for strategy in ["modulo-java", "vec-ring"] {
        let curve = hits
            .iter()
            .filter(|it| it.label == strategy && it.series == "lose");
        let curve: Vec<f64> = curve.filter_map(|it| it.value).collect();
        assert_eq!(curve.len(), 20);
        assert!(curve[19] > curve[0], "{curve:?}");
    }
}

/// Strategies of the user's own: the article's claims are about others.
#[test]
fn cache_storm_with_other_strategies() {
    let options = Options {
        strategies: vec!["modulo".into()],
        ..Options::default()
    };
    let findings = find("cache-storm", &options, |setup| {
        set(setup, "keys.count", 2000);
        set(setup, "requests", 3000);
    });
    let five = [
        "hash % size, one server fails",
        "hash % size, one server is",
        "ring, one",
        "ring, one",
        "all queries",
    ];
    check_verdicts(&findings, &[], &five);
    assert_eq!(
        measured(&findings, "first requests that miss"),
        "equal in 3 of 3 runs"
    );
}
