//! The parameter `capacity`.

use node_buckets::{CAPACITY, check_capacity, reserved};
use router::{ErrorKind, MAX_POINTS, Params};

use crate::catalog;

fn params(capacity: &str) -> Params {
    let mut params = Params::defaults(&[CAPACITY]);
    params.set("capacity", capacity).unwrap();
    params
}

#[track_caller]
fn check(capacity: &str, n_nodes: u64, buckets: u64) {
    assert_eq!(
        reserved(&params(capacity), n_nodes),
        buckets,
        "{capacity} times {n_nodes}"
    );
}

#[test]
fn it_is_counted_in_decimals_and_rounded_up() {
    check("1", 10, 10);
    check("1.1", 10, 11); // in binary fractions 11.000000000000002
    check("1.1", 100, 110);
    check("1.1", 11, 13);
    check("2", 10, 20);
    check("10", 7, 70);
    check("100", 1, 100);
    check("1.000001", 1, 2);
    check("1.0000001", 1, 1); // the seventh decimal does not count
    check("1.5", 3, 5);
    check("2.675", 1000, 2675);
    for capacity in ["1", "1.1", "2", "100"] {
        check(capacity, 0, 1);
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    for text in ["0.99", "0", "-1", "100.5", "nan", "inf", "two", ""] {
        let err = catalog()
            .parse(&format!("anchor:capacity={text}"))
            .unwrap_err();
        assert_eq!(err.kind(), ErrorKind::Syntax, "{text}");
        assert!(
            err.to_string().contains("a number from 1 to 100"),
            "{text}: {err}"
        );
    }
}

#[test]
fn too_many_buckets_are_refused_before_any_is_made() {
    let most = MAX_POINTS / 100;
    assert!(check_capacity(&params("100"), most).is_ok());
    let err = check_capacity(&params("100"), most + 1).unwrap_err();
    assert_eq!(err.kind(), ErrorKind::TooLarge);
    assert!(err.to_string().contains("134217800 points"), "{err}");
    // What was reserved for few nodes doubles until it holds many.
    let most = MAX_POINTS / 2;
    assert!(check_capacity(&params("1"), most).is_ok());
    assert!(check_capacity(&params("1"), most + 1).is_err());
}
