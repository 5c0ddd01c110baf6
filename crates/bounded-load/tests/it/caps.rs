//! Caps in whole keys.

use bounded_load::{Factor, Overflow};
use router::{Cluster, NodeSpec};

use crate::world::{bounded, cluster, nodes};

#[track_caller]
fn check_times(factor: f64, n: u64, expected: u64) {
    assert_eq!(Factor::new(factor).times(n), expected, "{factor} times {n}");
}

/// In doubles, 1.1 times 100 is 110.00000000000001, and rounded up one too many.
#[test]
fn the_factor_is_the_decimal_number_that_is_written() {
    check_times(1.1, 100, 110);
    check_times(1.1, 101, 112);
    check_times(1.05, 100_000, 105_000);
    check_times(1.15, 20, 23);
    check_times(1.25, 0, 0);
    check_times(1.25, 3, 4);
    check_times(1.0, 7, 7);
    check_times(1000.0, 7, 7000);
    check_times(1.000_000_000_000_000_2, 10, 11);
    check_times(999.999_999_999_999_9, 1, 1000);
    check_times(1000.0, u64::MAX >> 10, (u64::MAX >> 10) * 1000);
}

/// The caps of nodes with these weights, sorted.
#[track_caller]
fn check_caps(weights: &[u32], factor: f64, n_keys: usize, expected: &[u64]) {
    let nodes = weights.iter().enumerate();
    let nodes: Vec<_> = nodes
        .map(|(i, &it)| NodeSpec::new(format!("n{i}"), it))
        .collect();
    let ring = cluster("vec-ring:vnodes=1", &nodes);
    let caps = bounded(1, factor, Overflow::Forward, &ring).caps(n_keys);
    let mut found: Vec<u64> = caps.iter().map(|it| it.1).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn caps_are_rounded_down_or_up() {
    check_caps(&[1, 1, 1, 1], 1.25, 16, &[5, 5, 5, 5]);
    check_caps(&[1, 1, 1, 1], 1.25, 17, &[5, 5, 6, 6]);
    check_caps(&[1, 1, 1], 1.0, 10, &[3, 3, 4]);
    check_caps(&[1, 0, 3], 1.5, 100, &[37, 113]);
    check_caps(&[1, 1000], 1.1, 100, &[1, 110]);
    // A node with weight has room for a key, however few keys there are.
    check_caps(&[1, 1, 1, 1, 1], 1.25, 1, &[1, 1, 1, 1, 1]);
    check_caps(&[1, 1, 1, 1, 1], 1.25, 0, &[1, 1, 1, 1, 1]);
    check_caps(&[1, 1000], 1.0, 10, &[1, 10]);
}

/// When one of 1000 nodes leaves, `ceil(125000/999)` would raise all other caps by one at once.
#[test]
fn a_removal_raises_few_caps() {
    let mut ring = cluster("vec-ring:vnodes=1", &nodes(1000));
    let caps = |ring: &Cluster| bounded(1, 1.25, Overflow::Forward, ring).caps(100_000);
    let before = caps(&ring);
    assert!(before.iter().all(|it| it.1 == 125));
    ring.remove("node77").unwrap();
    let once = caps(&ring);
    assert_eq!(once.iter().map(|it| it.1).sum::<u64>(), 125_000);
    let raised = |caps: &[(_, u64)]| -> Vec<_> {
        caps.iter()
            .filter(|it| it.1 == 126)
            .map(|it| it.0)
            .collect()
    };
    assert_eq!(raised(&once).len(), 125);
    // Another loss raises others beside these and lowers none.
    ring.remove("node500").unwrap();
    let twice = raised(&caps(&ring));
    assert_eq!(twice.len(), 250);
    let gone = raised(&once).into_iter().filter(|id| !twice.contains(id));
    assert!(gone.count() <= 1, "at most the node that left");
}
