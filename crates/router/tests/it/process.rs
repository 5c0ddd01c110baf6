//! The same answers in every process: nothing depends on an address, a time or a random seed.

use std::{env, process::Command};

use router::{Cluster, Spec};

use crate::{mutants::SEEDED_BY_PROCESS, routers::spec};

/// Tells the child process which router to ask.
const ASKED: &str = "ROUTER_TEST_SPEC";
/// Begins the line of owners that it prints.
const MARK: &str = "owners: ";

fn read(text: &str) -> Spec {
    match text {
        "seeded" => {
            let catalog = router::Catalog::new([&SEEDED_BY_PROCESS]).expect("it is one");
            catalog.parse("seeded").expect("it is in the catalog")
        }
        _ => spec(text),
    }
}

/// The owners of 1000 keys, after a few changes.
fn owners(spec: &Spec) -> String {
    let names = (0..20).map(|i| format!("10.0.0.{i}:11211").into());
    let mut cluster = Cluster::build(spec, &names.collect::<Vec<_>>()).expect("these are legal");
    cluster.remove("10.0.0.19:11211").expect("it is the last");
    cluster.add("another").expect("it is new");
    let owners = (0..1000).map(|i| {
        let owner = cluster
            .route(format!("key-{i}").as_bytes())
            .expect("nodes have weight");
        owner.get().to_string()
    });
    owners.collect::<Vec<_>>().join(" ")
}

/// Asks in a process of its own: this very test program, told to run [`tells_owners`] alone.
#[track_caller]
fn owners_in_a_child(text: &str) -> String {
    let program = env::current_exe().expect("tests run from a file");
    let output = Command::new(program)
        .args(["process::tells_owners", "--exact", "--nocapture"])
        .env(ASKED, text)
        .output()
        .expect("the test program starts");
    assert!(output.status.success(), "{text}: {output:?}");
    let printed = String::from_utf8(output.stdout).expect("it prints numbers");
    let line = printed.lines().find_map(|line| line.split_once(MARK));
    line.expect("it prints the owners").1.to_owned()
}

/// The child's part. As a test of its own it says that every key has an owner.
#[test]
fn tells_owners() {
    let text = env::var(ASKED).unwrap_or_else(|_| "ring".to_owned());
    let owners = owners(&read(&text));
    assert_eq!(owners.split(' ').count(), 1000);
    if env::var_os(ASKED).is_some() {
        println!("{MARK}{owners}");
    }
}

#[test]
fn every_process_gives_the_same_owners() {
    for text in ["rendezvous", "ring", "modulo", "jump", "slots", "bounded"] {
        let here = owners(&spec(text));
        for _ in 0..3 {
            assert_eq!(owners_in_a_child(text), here, "{text}");
        }
    }
}

/// A router that draws a seed when the process starts is the same twice in one process, so the
/// suite cannot see it; two processes do.
#[test]
fn a_router_seeded_by_its_process_is_caught() {
    let here = owners(&read("seeded"));
    assert_eq!(owners(&read("seeded")), here);
    assert_ne!(owners_in_a_child("seeded"), here);
}
