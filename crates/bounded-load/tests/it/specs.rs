//! Specs: the base, and what may be one.

use router::{Cluster, ErrorKind, WeightSupport};

use crate::world::{catalog, cluster, nodes};

#[track_caller]
fn check_refused(text: &str, told: &str) {
    let err = catalog().parse(text).unwrap_err();
    assert_eq!(err.kind(), ErrorKind::Syntax, "{err}");
    assert!(err.to_string().contains(told), "{err}");
}

#[test]
fn a_base_that_cannot_be_bounded_is_refused() {
    check_refused("bounded-load:base=sum", "say overflow=random-jump");
    check_refused("bounded-load:base=nobody", "unknown strategy");
    check_refused("bounded-load:base=[vec-ring:vnodes=0]", "from 1 to");
    check_refused(
        "bounded-load:base=bounded-load",
        "does not know load itself",
    );
    check_refused("bounded-load:factor=0.9", "from 1 to 1000");
    check_refused("bounded-load:factor=NaN", "from 1 to 1000");
    check_refused("bounded-load:overflow=back", "forward or random-jump");
}

#[test]
fn the_label_shows_what_differs() {
    for (text, label) in [
        ("bounded-load", "bounded-load"),
        ("bounded-load:factor=1.25,overflow=forward", "bounded-load"),
        ("bounded-load:base=[vec-ring:vnodes=160]", "bounded-load"),
        (
            "bounded-load:base=[vec-ring:vnodes=100]",
            "bounded-load:base=vec-ring",
        ),
        ("bounded-load:factor=1.10", "bounded-load:factor=1.1"),
    ] {
        assert_eq!(catalog().parse(text).unwrap().to_string(), label);
    }
}

/// The contract suite's small worlds are those of the base, whatever it is.
#[test]
fn its_small_form_is_its_base_s() {
    for (text, small) in [
        ("bounded-load", "bounded-load:base=[vec-ring:vnodes=2]"),
        (
            "bounded-load:base=sum,overflow=random-jump",
            "bounded-load:base=sum,overflow=random-jump",
        ),
    ] {
        let spec = catalog().parse(text).unwrap();
        assert_eq!(spec.small().unwrap().to_string(), small);
    }
}

#[test]
fn it_claims_what_its_base_claims_and_the_bound_leaves() {
    let claims = |text: &str| catalog().parse(text).unwrap().capabilities();
    let ring = claims("bounded-load");
    assert!(ring.knows_load && ring.order_free && ring.history_free && ring.replicas);
    assert!(!ring.minimal && !ring.even);
    assert_eq!(ring.weights, WeightSupport::Renormalised);
    let sum = claims("bounded-load:base=sum,overflow=random-jump");
    assert!(sum.knows_load && sum.history_free && !sum.order_free && !sum.replicas);
    assert_eq!(sum.weights, WeightSupport::No);
    assert_eq!(sum.max_nodes, Some(50));
}

/// What the base cannot serve, the bound cannot.
#[test]
fn the_base_s_limits_hold() {
    let mut full = cluster("bounded-load:base=sum,overflow=random-jump", &nodes(50));
    assert_eq!(
        full.add("one-more").unwrap_err().kind(),
        ErrorKind::TooLarge
    );
    let most = catalog()
        .parse("bounded-load:base=[vec-ring:vnodes=134217728]")
        .unwrap();
    let err = Cluster::build(&most, &nodes(2)).unwrap_err();
    assert_eq!(
        err.kind(),
        ErrorKind::TooLarge,
        "known before anything is built"
    );
}
