//! Where keys go, on record: the same in every process, and from one version to the next.

use std::{
    collections::BTreeMap,
    env,
    process::{Command, Stdio},
};

use point_hash::md5_hex;
use registry::{catalog, strategies};
use router::{Cluster, NodeSpec};

/// A line a strategy: its name, and the fingerprint of its owners with default parameters.
const ON_RECORD: &str = include_str!("owners.csv");

/// Set in the processes that this test starts.
const CHILD: &str = "RINGMARK_PRINT_OWNERS";

/// MD5 of the owners' names of `key-0` to `key-999` among ten nodes, one a line.
fn fingerprint(strategy: &str) -> String {
    let spec = catalog().parse(strategy).unwrap();
    let nodes: Vec<NodeSpec> = (1..=10)
        .map(|i| format!("10.0.0.{i}:11211").into())
        .collect();
    let cluster = Cluster::build(&spec, &nodes).unwrap();
    let mut owners = String::new();
    for i in 0..1000 {
        let owner = cluster.route(format!("key-{i}").as_bytes()).unwrap();
        owners += cluster.name(owner).unwrap();
        owners.push('\n');
    }
    md5_hex(owners.as_bytes()).map(char::from).iter().collect()
}

/// All fingerprints, as in [`ON_RECORD`].
fn fingerprints() -> String {
    strategies()
        .map(|it| format!("{},{}\n", it.name, fingerprint(it.name)))
        .collect()
}

#[test]
fn owners_are_those_on_record() {
    if env::var_os(CHILD).is_some() {
        print!("\n{}", fingerprints());
    }
    let lines = ON_RECORD.lines().filter(|line| !line.starts_with('#'));
    let mut on_record: BTreeMap<&str, &str> = lines
        .map(|line| line.split_once(',').expect("name,fingerprint"))
        .collect();
    for strategy in strategies() {
        let found = fingerprint(strategy.name);
        match on_record.remove(strategy.name) {
            Some(recorded) => assert_eq!(
                found, recorded,
                "{} places keys otherwise than it did; a name never changes its meaning",
                strategy.name
            ),
            None => println!("not on record yet: {},{found}", strategy.name),
        }
    }
    let gone: Vec<&str> = on_record.into_keys().collect();
    assert!(gone.is_empty(), "on record, but gone: {}", gone.join(", "));
}

/// A hash seeded at random, or a table walked in the order of its addresses, differs from one
/// process to the next.
#[test]
fn ten_processes_agree() {
    let program = env::current_exe().expect("a test knows its program");
    let children: Vec<_> = (0..10)
        .map(|_| {
            Command::new(&program)
                .args(["--exact", "placement::owners_are_those_on_record"])
                .arg("--nocapture")
                .env(CHILD, "1")
                .stdout(Stdio::piped())
                .spawn()
                .expect("the test program starts again")
        })
        .collect();
    let ours = fingerprints();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        let printed = String::from_utf8_lossy(&output.stdout);
        for line in ours.lines() {
            assert!(printed.contains(line), "another process has not {line}");
        }
    }
}
