//! The contract suite over all specs; the registry's tests run it in full over the defaults.

use router::{
    Change,
    suite::{Effort, Verdict, run},
};

use crate::{SPECS, cluster, keys, owners, spec};

/// What the suite may not try, and why that is right.
const UNSUPPORTED: &[&str] = &[
    // A bucket depends on the order in which nodes came and went.
    "undo",
    "history",
    "order",
    // None of these strategies takes weights, finds replicas, or has points.
    "weights",
    "preference",
    "failover",
    "points",
    "assign",
];

#[test]
fn every_spec_keeps_the_contract() {
    for text in SPECS {
        for outcome in run(&spec(text), Effort::Gate) {
            let check = outcome.check;
            match outcome.verdict {
                Verdict::Passed => {
                    assert!(!UNSUPPORTED.contains(&check), "{text}: {check} passed");
                }
                Verdict::Failed(why) => panic!("{text}: {check}: {why}"),
                // Slots are the low bits of a hash: with few dead ones, keys that have those in
                // common draw alike in every cluster.
                Verdict::Unsupported(_) if check == "hash-width" && text.starts_with("dx") => {}
                Verdict::Unsupported(why) => {
                    assert!(UNSUPPORTED.contains(&check), "{text}: {check}: {why}");
                }
            }
        }
    }
}

/// What is not claimed is not there: the order of joining, and that of leaving, decide who owns a
/// key.
#[test]
fn order_and_history_do_matter() {
    let keys = keys(300);
    for text in SPECS {
        let names_after = |changes: &[&str]| {
            let mut cluster = cluster(text, 10);
            let changes: Vec<Change> = changes.iter().map(|it| it.parse().unwrap()).collect();
            cluster.apply(&changes).unwrap();
            owners(&cluster, &keys)
                .into_iter()
                .map(|owner| cluster.name(owner.unwrap()).unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_ne!(
            names_after(&["+a", "+b"]),
            names_after(&["+b", "+a"]),
            "{text}: order of joining"
        );
        assert_ne!(
            names_after(&["-3", "-5", "+a"]),
            names_after(&["-5", "-3", "+a"]),
            "{text}: the newcomer takes the bucket left last"
        );
        assert_ne!(
            names_after(&["-3", "+3"]),
            names_after(&["-3", "+a"]),
            "{text}: by name"
        );
    }
}

#[test]
fn an_emptied_cluster_starts_afresh() {
    let keys = keys(300);
    for text in SPECS {
        let mut emptied = cluster(text, 5);
        let all = ["3", "0", "4", "1", "2"];
        for name in all {
            emptied.remove(name).unwrap();
        }
        assert_eq!(owners(&emptied, &keys), vec![None; 300], "{text}");
        for name in ["0", "1", "2", "3", "4"] {
            emptied.add(name).unwrap();
        }
        // The names have their ids again, and the buckets of their order.
        assert_eq!(
            owners(&emptied, &keys),
            owners(&cluster(text, 5), &keys),
            "{text}"
        );
    }
}
