//! What the suite says: in which order, how it tells what is wrong, and when it does not judge.

use router::{
    Capabilities, Catalog, Error, ErrorKind, Param, ParamKind, ParamRole, Spec, Strategy,
    suite::{self, CHECKS, Effort, Verdict},
};

use crate::{
    mutants::{COARSE, mutant},
    routers::{MODULO, RENDEZVOUS, RING, spec, weak},
    suite::failures,
};

fn spec_of(strategy: &'static Strategy) -> Spec {
    let catalog = Catalog::new([strategy]).expect("it is one");
    catalog.parse(strategy.name).expect("it is in the catalog")
}

/// What `check` says of `spec`.
#[track_caller]
fn verdict(spec: &Spec, check: &str) -> Verdict {
    let outcomes = suite::run(spec, Effort::Gate);
    let outcome = outcomes.into_iter().find(|it| it.check == check);
    outcome.expect("every check is run").verdict
}

#[track_caller]
fn check_failed(spec: &Spec, check: &str, why: &str) {
    match verdict(spec, check) {
        Verdict::Failed(told) => assert!(told.contains(why), "{spec}: {check}: {told}"),
        other => panic!("{spec}: {check}: {other:?}"),
    }
}

#[track_caller]
fn check_unsupported(spec: &Spec, check: &str, why: &str) {
    match verdict(spec, check) {
        Verdict::Unsupported(told) => assert!(told.contains(why), "{spec}: {check}: {told}"),
        other => panic!("{spec}: {check}: {other:?}"),
    }
}

#[test]
fn all_checks_are_answered_in_order() {
    let names: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
    for strategy in [&MODULO, &RENDEZVOUS] {
        let outcomes = suite::run(&spec(strategy.name), Effort::Gate);
        let answered: Vec<&str> = outcomes.iter().map(|it| it.check).collect();
        assert_eq!(answered, names);
    }
    for (i, (name, about)) in CHECKS.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name} is there twice");
        assert!(
            !about.is_empty() && !about.contains('\n'),
            "{name}: {about:?}"
        );
    }
}

#[test]
fn verdicts_are_the_same_in_every_run() {
    for text in ["ring", "jump"] {
        let outcomes = suite::run(&spec(text), Effort::Gate);
        assert_eq!(outcomes, suite::run(&spec(text), Effort::Gate), "{text}");
    }
    let broken = mutant("forgetful");
    let outcomes = suite::run(&broken, Effort::Gate);
    assert_eq!(outcomes, suite::run(&broken, Effort::Gate));
}

#[test]
fn the_smallest_case_is_told() {
    // With two nodes a key has nowhere else to go, so it takes three.
    check_failed(
        &mutant("moves-too-much"),
        "minimal",
        "after +a +a1 +a11: key \"e597b46950a49e0a\" moved from a1 to a, which both stayed",
    );
    check_failed(
        &mutant("stale-after-a-removal"),
        "present",
        "after +a -a +a1:",
    );
    check_failed(
        &mutant("shares-of-101-percent"),
        "shares",
        "after +a: the shares add up to 1.01",
    );
    // Only a walk makes two changes at once; what it says is cut down to what matters.
    let Verdict::Failed(why) = verdict(&mutant("forgetful"), "history") else {
        panic!("it forgets all additions but the first");
    };
    let (changes, _) = why.split_once(": ").expect("a history, then what is wrong");
    assert!(changes.matches(" +").count() <= 5, "{why}");
}

#[test]
fn a_panic_is_a_failure_with_its_message() {
    let dies = mutant("dies-on-the-empty-key");
    check_failed(
        &dies,
        "hostile-keys",
        "key \"\" panicked: index out of bounds",
    );
    check_failed(
        &mutant("dies-when-empty"),
        "empty",
        "panicked: nobody is left",
    );
    check_failed(
        &mutant("dies-when-empty"),
        "minimal",
        "after +a -a: panicked: nobody is left",
    );
}

#[test]
fn a_failure_in_the_small_world_names_its_spec() {
    static DISORDERLY: Strategy = Strategy {
        capabilities: |params, catalog| Capabilities {
            order_free: true,
            ..(MODULO.capabilities)(params, catalog)
        },
        build: MODULO.build,
        check: MODULO.check,
        ..RING
    };
    check_failed(&spec_of(&DISORDERLY), "order", "ring:vnodes=3: key");
    let small = Catalog::new([&DISORDERLY]).and_then(|it| it.parse("ring:vnodes=3"));
    match verdict(&small.expect("it is in the catalog"), "order") {
        Verdict::Failed(why) => assert!(why.starts_with("key "), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_strategy_that_serves_nothing_does_not_pass() {
    static REFUSES: Strategy = Strategy {
        check: |_, members, _| match members.is_empty() {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::Refused, "no, thank you")),
        },
        ..MODULO
    };
    check_failed(
        &spec_of(&REFUSES),
        "single",
        "\"10.0.0.1:11211\" alone cannot be served: no, thank you",
    );
    check_unsupported(&spec_of(&REFUSES), "present", "serves none of the members");
    check_unsupported(&spec_of(&REFUSES), "claims", "no, thank you");
}

#[test]
fn a_strategy_that_panics_outside_its_router_fails_every_check() {
    static DIES: Strategy = Strategy {
        capabilities: |_, _| panic!("no idea"),
        ..MODULO
    };
    let outcomes = suite::run(&spec_of(&DIES), Effort::Gate);
    let failed = failures(&outcomes);
    assert_eq!(failed.len(), CHECKS.len());
    assert!(
        failed.iter().all(|(_, why)| *why == "panicked: no idea"),
        "{failed:?}"
    );
}

#[test]
fn claims_that_do_not_apply_say_why() {
    for (text, check, why) in [
        ("modulo", "minimal", "does not claim"),
        ("modulo", "order", "does not claim"),
        ("modulo", "weights", "takes no weights"),
        ("ring", "even", "does not claim"),
        ("ring", "assign", "does not know load"),
        ("slots", "hash-width", "its parameter slots"),
        ("ring:vnodes=1", "hash-width", "what its points can do"),
    ] {
        check_unsupported(&spec(text), check, why);
    }
    static FEW_NODES: Strategy = Strategy {
        capabilities: |params, catalog| Capabilities {
            max_nodes: Some(30),
            ..(RENDEZVOUS.capabilities)(params, catalog)
        },
        ..RENDEZVOUS
    };
    check_unsupported(
        &spec_of(&FEW_NODES),
        "hash-width",
        "too few nodes or points",
    );
    // Few points and no word about them: nothing can be said of the hash.
    check_unsupported(
        &spec_of(&COARSE),
        "hash-width",
        "too few nodes or points to see its hash",
    );
}

#[test]
fn a_hash_that_does_not_mix_is_read_from_the_trace() {
    check_failed(
        &spec_of(&weak::LAST_BYTE_IGNORED),
        "key-bytes",
        "each have one hash",
    );
    check_unsupported(
        &spec_of(&weak::SILENT),
        "key-bytes",
        "does not tell a key's hash",
    );
}

#[test]
fn an_incomplete_description_is_caught() {
    static SHOUTED: Strategy = Strategy {
        name: "Modulo",
        ..MODULO
    };
    static UNTOLD: Strategy = Strategy {
        summary: " ",
        ..MODULO
    };
    static OUT_OF_RANGE: Strategy = Strategy {
        params: &[Param {
            name: "vnodes",
            role: ParamRole::Other,
            kind: ParamKind::Int {
                default: 0,
                min: 1,
                max: 9,
                multiple_of: 1,
            },
            help: "points",
        }],
        ..MODULO
    };
    static NO_SUCH_PARAM: Strategy = Strategy {
        suite_params: "vnodes=3",
        ..MODULO
    };
    for (strategy, why) in [
        (&SHOUTED, "\"Modulo\" is not lower case"),
        (&UNTOLD, "its summary"),
        (&OUT_OF_RANGE, "the default of vnodes is not valid"),
        (&NO_SUCH_PARAM, "suite_params cannot be read"),
    ] {
        check_failed(&spec_of(strategy), "described", why);
    }
}

#[test]
fn false_claims_are_caught() {
    static EVEN_RING: Strategy = Strategy {
        capabilities: |params, catalog| Capabilities {
            even: true,
            ..(RING.capabilities)(params, catalog)
        },
        ..RING
    };
    static MINIMAL_MODULO: Strategy = Strategy {
        capabilities: |params, catalog| Capabilities {
            minimal: true,
            order_free: true,
            ..(MODULO.capabilities)(params, catalog)
        },
        ..MODULO
    };
    static NO_ROOM: Strategy = Strategy {
        capabilities: |params, catalog| Capabilities {
            max_nodes: Some(0),
            ..(MODULO.capabilities)(params, catalog)
        },
        ..MODULO
    };
    check_failed(&spec_of(&EVEN_RING), "even", "chi-square");
    check_failed(
        &spec_of(&MINIMAL_MODULO),
        "minimal",
        "which both stayed as they were",
    );
    check_failed(&spec_of(&MINIMAL_MODULO), "order", "after +1 +a11 +a1 +a");
    check_failed(&spec_of(&NO_ROOM), "claims", "no node at all");
}
