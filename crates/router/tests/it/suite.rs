//! The suite passes correct routers and catches broken ones by the check that is named for them.

use router::suite::{self, CHECKS, Effort, Outcome, Verdict};

use crate::{
    mutants::{FAULTS, mutant},
    routers::spec,
};

/// The checks that failed, and why.
pub(crate) fn failures(outcomes: &[Outcome]) -> Vec<(&str, &str)> {
    outcomes
        .iter()
        .filter_map(|outcome| match &outcome.verdict {
            Verdict::Failed(why) => Some((outcome.check, why.as_str())),
            Verdict::Passed | Verdict::Unsupported(_) => None,
        })
        .collect()
}

/// Checks that a correct router passes, and that exactly these checks do not apply to it.
#[track_caller]
fn check_passes(text: &str, effort: Effort, unsupported: &[&str]) {
    let outcomes = suite::run(&spec(text), effort);
    assert_eq!(failures(&outcomes), [], "{text}");
    assert!(suite::passed(&outcomes), "{text}");
    let names = |wanted: fn(&Verdict) -> bool| -> Vec<&str> {
        let found = outcomes.iter().filter(|it| wanted(&it.verdict));
        found.map(|it| it.check).collect()
    };
    let not_tried = names(|it| matches!(it, Verdict::Unsupported(_)));
    assert_eq!(not_tried, unsupported, "{text}");
    for outcome in &outcomes {
        let passed = outcome.verdict == Verdict::Passed;
        assert!(
            !passed || outcome.cases > 0,
            "{text}: {outcome:?} tried nothing"
        );
    }
}

const NO_WEIGHTS: &str = "weights";
const NO_EXTRAS: [&str; 7] = [
    "shares",
    "shares-sampled",
    "preference",
    "failover",
    "points",
    "trace",
    "assign",
];

#[test]
fn a_correct_rendezvous_passes() {
    let unsupported = ["shares", "shares-sampled", "points", "trace", "assign"];
    check_passes("rendezvous", Effort::Gate, &unsupported);
    check_passes("rendezvous", Effort::Full, &unsupported);
}

#[test]
fn a_correct_ring_passes() {
    check_passes("ring", Effort::Gate, &["even", "assign"]);
    check_passes("ring", Effort::Full, &["even", "assign"]);
    let coarse = ["hash-width", "even", "assign"];
    check_passes("ring:vnodes=1", Effort::Gate, &coarse);
    check_passes("ring:vnodes=1000", Effort::Gate, &["even", "assign"]);
}

#[test]
fn a_correct_modulo_passes() {
    let unsupported = [&["minimal", "order", NO_WEIGHTS], &NO_EXTRAS[..]].concat();
    check_passes("modulo", Effort::Gate, &unsupported);
    check_passes("modulo", Effort::Full, &unsupported);
}

#[test]
fn a_correct_last_in_first_out_router_passes() {
    let unsupported = [&["order", NO_WEIGHTS], &NO_EXTRAS[..]].concat();
    check_passes("jump", Effort::Gate, &unsupported);
    check_passes("jump", Effort::Full, &unsupported);
}

#[test]
fn a_correct_table_passes() {
    let unsupported = [
        "hash-width",
        NO_WEIGHTS,
        "even",
        "preference",
        "failover",
        "points",
        "trace",
        "assign",
    ];
    check_passes("slots", Effort::Gate, &unsupported);
    check_passes("slots", Effort::Full, &unsupported);
}

#[test]
fn a_correct_load_aware_router_passes() {
    let unsupported = [NO_WEIGHTS, "shares", "shares-sampled", "points", "trace"];
    check_passes("bounded", Effort::Gate, &unsupported);
    check_passes("bounded", Effort::Full, &unsupported);
}

#[test]
fn a_correct_router_with_a_weak_hash_passes() {
    let unsupported = ["minimal", "order", NO_WEIGHTS, "even"];
    let unsupported = [&unsupported[..], &NO_EXTRAS[..5], &["assign"]].concat();
    check_passes("weak", Effort::Gate, &unsupported);
    check_passes("weak", Effort::Full, &unsupported);
}

/// Checks every `n`-th fault from `first` on.
#[track_caller]
fn check_caught(first: usize) {
    for (fault, check) in FAULTS.into_iter().skip(first).step_by(4) {
        let outcomes = suite::run(&mutant(fault), Effort::Gate);
        let failures = failures(&outcomes);
        let caught = failures.iter().any(|(failed, _)| *failed == check);
        assert!(
            caught,
            "{fault} is not caught by {check}; failed: {failures:#?}"
        );
        assert!(!suite::passed(&outcomes));
        for (check, why) in failures {
            let line = !why.contains(['\n', '\r', '\t']) && !why.is_empty();
            assert!(line, "{fault}: {check} says {why:?}, which is not one line");
        }
    }
}

// Four tests, so that they run beside each other.
#[test]
fn broken_routers_are_caught_1() {
    check_caught(0);
}

#[test]
fn broken_routers_are_caught_2() {
    check_caught(1);
}

#[test]
fn broken_routers_are_caught_3() {
    check_caught(2);
}

#[test]
fn broken_routers_are_caught_4() {
    check_caught(3);
}

#[test]
fn every_check_catches_something() {
    for (check, _) in CHECKS {
        let caught = FAULTS.iter().any(|(_, by)| by == check);
        assert!(caught, "no broken router shows that {check} can fail");
    }
    for (fault, check) in FAULTS {
        assert!(
            CHECKS.iter().any(|(name, _)| *name == check),
            "{fault}: no check {check}"
        );
    }
}

/// A walk of 2,000 steps passes correct routers.
#[test]
fn a_long_walk_passes() {
    for text in ["rendezvous", "ring:vnodes=3", "modulo", "jump", "bounded"] {
        assert_eq!(suite::soak(&spec(text), 2000), Ok(()), "{text}");
    }
}

/// Each thing that a long walk looks at is missed by some broken router.
#[test]
fn a_long_walk_catches() {
    for (fault, says) in [
        ("stale-after-a-removal", "is on"),
        ("moves-too-much", "moved from"),
        ("sticky-after-re-add", "built anew"),
    ] {
        let found = suite::soak(&mutant(fault), 2000).expect_err(fault);
        assert!(found.contains(says), "{fault}: {found}");
    }
}
