//! Broken routers: each is a correct one with one fault, beside the check that is named for it.

mod hashing;
mod moving;
mod telling;

use std::cell::Cell;

use router::{
    Capabilities, Catalog, Estimate, Param, ParamKind, ParamRole, Params, Router, Spec, Strategy,
    WeightSupport,
};

use crate::routers::{
    Jump, MIXED, Modulo, Rendezvous, Ring, bounded, jump, modulo, rendezvous, ring,
};

use hashing::Hashing;
use moving::{ClonesShare, Moving, MovingModulo, Tree};
use telling::{Counting, Telling};

/// A fault, and the check that must fail for it.
#[rustfmt::skip]
pub(crate) const FAULTS: [(&str, &str); 52] = [
    ("theory-is-no-number", "described"),
    ("claims-replicas", "claims"),
    ("hides-replicas", "claims"),
    ("minimal-with-weights-alone", "claims"),
    ("dies-when-empty", "empty"),
    ("keeps-points-when-empty", "empty"),
    ("lonely", "single"),
    ("seeded-by-router", "repeatable"),
    ("seeded-by-thread", "repeatable"),
    ("alternating", "repeatable"),
    ("stale-after-a-removal", "present"),
    ("weight-0-is-1", "present"),
    ("dies-on-the-empty-key", "hostile-keys"),
    ("dies-on-long-keys", "hostile-keys"),
    ("last-byte-ignored", "key-bytes"),
    ("first-64-bytes", "key-bytes"),
    ("every-second-byte", "key-bytes"),
    ("any-case", "key-bytes"),
    ("blanks-trimmed", "key-bytes"),
    ("c-string", "key-bytes"),
    ("by-address", "key-bytes"),
    ("folded-to-16-bits", "hash-width"),
    ("ring-folded-to-16-bits", "hash-width"),
    ("modulo-folded-to-16-bits", "hash-width"),
    ("jump-folded-to-16-bits", "hash-width"),
    ("ring-of-16-bits", "hash-width"),
    ("batch-differs", "batch"),
    ("batch-wraps-to-the-last", "batch"),
    ("clone-shares-state", "clone"),
    ("takes-weights-after-all", "refused"),
    ("loses-only-the-last", "removal"),
    ("holds-8-of-16", "max-nodes"),
    ("replaced-at-the-end", "replace"),
    ("moves-too-much", "minimal"),
    ("wrap-off-by-one", "minimal"),
    ("sticky-after-re-add", "undo"),
    ("forgetful", "history"),
    ("shared-point-lost", "history"),
    ("order-dependent", "order"),
    ("label-without-a-sign", "order"),
    ("weight-plus-1", "weights"),
    ("weights-ignored", "weights"),
    ("weights-renormalised", "weight-changes"),
    ("skewed", "even"),
    ("shares-of-101-percent", "shares"),
    ("shares-said-equal", "shares-sampled"),
    ("preference-repeats", "preference"),
    ("preference-rotates", "failover"),
    ("points-unsorted", "points"),
    ("trace-of-the-next-point", "trace"),
    ("trace-without-work", "trace"),
    ("assign-remembers", "assign"),
];

const NAMES: [&str; FAULTS.len()] = {
    let mut names = [""; FAULTS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = FAULTS[i].0;
        i += 1;
    }
    names
};

static BROKEN: Strategy = Strategy {
    name: "broken",
    family: "tests",
    hash: &MIXED,
    summary: "A correct router with one fault",
    source: "these tests",
    params: &[Param {
        name: "fault",
        role: ParamRole::Other,
        kind: ParamKind::Choice(&NAMES),
        help: "what is wrong with it",
    }],
    capabilities: |params, _| claims(params.word("fault")),
    build: |params, _, _| Ok(broken(params)),
    expected: |params, _| {
        (params.word("fault") == "theory-is-no-number").then(|| Estimate::mean(f64::NAN))
    },
    ..Strategy::DEFAULT
};

/// It draws one seed for all its routers when the process starts.
pub(crate) static SEEDED_BY_PROCESS: Strategy = Strategy {
    name: "seeded",
    params: &[],
    capabilities: |_, _| rendezvous::CLAIMS,
    build: |_, _, _| {
        let inner = Rendezvous::default();
        Ok(Box::new(Hashing::new("seeded-by-process", inner)))
    },
    expected: |_, _| None,
    ..BROKEN
};

/// Not broken, but a ring of one point a node that does not show its points.
pub(crate) static COARSE: Strategy = Strategy {
    name: "coarse",
    params: &[],
    capabilities: |_, _| ring::CLAIMS,
    build: |_, _, _| Ok(Box::new(Hashing::new("none", Ring::new(1)))),
    expected: |_, _| None,
    ..BROKEN
};

/// The spec of the router with this fault.
#[track_caller]
pub(crate) fn mutant(fault: &str) -> Spec {
    let catalog = Catalog::new([&BROKEN]).expect("it is one");
    let spec = catalog.parse(&format!("broken:fault={fault}"));
    spec.expect("the test spells it right")
}

/// What a router with this fault claims: the same as the correct one, mostly.
fn claims(fault: &str) -> Capabilities {
    let base = match fault {
        "claims-replicas" | "replaced-at-the-end" | "modulo-folded-to-16-bits" => modulo::CLAIMS,
        "loses-only-the-last" | "jump-folded-to-16-bits" => jump::CLAIMS,
        "assign-remembers" => bounded::CLAIMS,
        _ if is_ring(fault) => ring::CLAIMS,
        _ => rendezvous::CLAIMS,
    };
    match fault {
        "claims-replicas" => Capabilities {
            replicas: true,
            ..base
        },
        "hides-replicas" => Capabilities {
            replicas: false,
            ..base
        },
        "minimal-with-weights-alone" => Capabilities {
            minimal: false,
            ..base
        },
        "loses-only-the-last" => Capabilities {
            any_removal: true,
            ..base
        },
        "holds-8-of-16" => Capabilities {
            max_nodes: Some(16),
            ..base
        },
        "shared-point-lost" | "label-without-a-sign" => Capabilities {
            weights: WeightSupport::No,
            replicas: false,
            ..base
        },
        "takes-weights-after-all" => {
            thread_local!(static ASKED: Cell<bool> = const { Cell::new(false) });
            let weights = match ASKED.replace(true) {
                false => WeightSupport::No,
                true => WeightSupport::Minimal,
            };
            Capabilities { weights, ..base }
        }
        _ => base,
    }
}

fn is_ring(fault: &str) -> bool {
    let ring = [
        "ring-",
        "batch-",
        "shares-",
        "preference-",
        "points-",
        "trace-",
    ];
    let others = [
        "keeps-points-when-empty",
        "wrap-off-by-one",
        "shared-point-lost",
        "label-without-a-sign",
    ];
    ring.iter().any(|start| fault.starts_with(start)) || others.contains(&fault)
}

fn broken(params: &Params) -> Box<dyn Router> {
    let name = params.word("fault");
    let fault = *NAMES
        .iter()
        .find(|it| **it == name)
        .expect("it is a choice");
    match fault {
        "claims-replicas" => Box::new(Modulo::default()),
        "theory-is-no-number"
        | "hides-replicas"
        | "minimal-with-weights-alone"
        | "takes-weights-after-all" => Box::new(Rendezvous::default()),
        "clone-shares-state" => Box::new(ClonesShare::default()),
        "replaced-at-the-end" | "loses-only-the-last" => Box::new(MovingModulo::new(fault)),
        "shared-point-lost" | "label-without-a-sign" => Box::new(Tree::new(fault)),
        "assign-remembers" => Box::new(Counting::default()),
        "modulo-folded-to-16-bits" => Box::new(Hashing::new(fault, Modulo::default())),
        "jump-folded-to-16-bits" => Box::new(Hashing::new(fault, Jump::default())),
        "ring-folded-to-16-bits" => Box::new(Hashing::new(fault, Ring::new(40))),
        "seeded-by-router"
        | "seeded-by-thread"
        | "alternating"
        | "dies-on-the-empty-key"
        | "dies-on-long-keys"
        | "last-byte-ignored"
        | "first-64-bytes"
        | "every-second-byte"
        | "any-case"
        | "blanks-trimmed"
        | "c-string"
        | "by-address"
        | "folded-to-16-bits" => Box::new(Hashing::new(fault, Rendezvous::default())),
        _ if is_ring(fault) => Box::new(Telling::new(fault)),
        _ => Box::new(Moving::new(fault)),
    }
}
