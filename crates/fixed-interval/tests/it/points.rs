//! Where the points stand, and which of them owns a hash.

use std::collections::BTreeMap;

use fixed_interval::{
    FixedInterval, KeyHash,
    layout::{instead_of, lay},
};
use router::{Catalog, Cluster, NodeSpec, Strategy};

use super::{START, published};

#[track_caller]
fn check_layout(vnodes: u32, n: usize, expected: &[(i32, u32)]) {
    let points: Vec<(i32, u32)> = lay(START, vnodes, n)
        .into_iter()
        .map(|(position, placement)| (position, placement % n as u32))
        .collect();
    assert_eq!(points, expected);
}

#[test]
fn the_smallest_layouts() {
    let ten = [
        (-8, 8),
        (-6, 6),
        (-4, 4),
        (-2, 2),
        (0, 0),
        (2_147_483_639, 9),
        (2_147_483_641, 7),
        (2_147_483_643, 5),
        (2_147_483_645, 3),
        (2_147_483_647, 1),
    ];
    check_layout(1, 10, &ten);
    let three = [
        (-1_073_741_828, 1),
        (-1_073_741_824, 0),
        (-5, 2),
        (-1, 1),
        (1_073_741_822, 2),
        (2_147_483_645, 0),
    ];
    check_layout(2, 3, &three);
    check_layout(1, 0, &[]);
}

/// The distances between neighbours of 10 nodes' points, and how often each occurs.
#[track_caller]
fn check_gaps(vnodes: u32, expected: [(u32, usize); 2]) {
    let points = lay(START, vnodes, 10);
    let mut gaps = BTreeMap::new();
    for pair in points.windows(2) {
        *gaps.entry(pair[1].0.abs_diff(pair[0].0)).or_default() += 1;
    }
    assert_eq!(Vec::from_iter(gaps), expected, "at {vnodes}");
    let rest = (i32::MAX as u32) % vnodes;
    assert_eq!(expected[0].0, 2 + 2 * rest, "at {vnodes}");
}

/// Five turns round the ring make clusters of five, 2 + 2r apart, r = i32::MAX mod vnodes.
#[test]
fn four_of_five_points_own_next_to_nothing() {
    check_gaps(1, [(2, 8), (2_147_483_639, 1)]);
    check_gaps(2, [(4, 16), (1_073_741_807, 3)]);
    check_gaps(5, [(6, 40), (429_496_705, 9)]);
    check_gaps(7, [(4, 56), (306_783_362, 13)]);
    check_gaps(10, [(16, 80), (214_748_300, 19)]);
    check_gaps(100, [(96, 800), (21_474_452, 199)]);
    check_gaps(900, [(1_696, 7_200), (2_379_308, 1_799)]);
    check_gaps(1_000, [(1_296, 8_000), (2_142_299, 1_999)]);
    check_gaps(1_500, [(2_296, 12_000), (1_422_471, 2_999)]);
    check_gaps(5_000, [(7_296, 40_000), (400_312, 9_999)]);
}

#[test]
fn the_halving_that_halves_the_wrong_thing() {
    assert_eq!(instead_of(20, Some(10)), 25);
    assert_eq!(instead_of(-10, Some(-20)), -20);
    assert_eq!(instead_of(10, None), -1_073_741_814);
    assert_eq!(instead_of(-10, None), -1_073_741_834);
    // Java halves towards zero, and the sum wraps.
    assert_eq!(instead_of(0, Some(-3)), -1);
    assert_eq!(instead_of(i32::MAX, Some(2)), i32::MIN);
}

/// The layout, once more and slowly: with a set that is asked before each placement, as the program
/// asks its list.
struct OneByOne {
    points: Vec<(i32, u32)>,
    /// Placement, the taken position, and the position in its place.
    calls: Vec<(u32, i32, i32)>,
}

fn lay_one_by_one(vnodes: u32, n: u32) -> OneByOne {
    let interval = i32::MAX / vnodes as i32;
    let mut taken = BTreeMap::new();
    let mut calls = Vec::new();
    let mut start = START;
    for placement in 0..vnodes * n {
        start = start.wrapping_add(interval);
        let mut position = start;
        if taken.contains_key(&start) {
            let below = taken.range(..start).next_back().map(|(&it, _)| it);
            position = instead_of(start, below);
            calls.push((placement, start, position));
        }
        taken.insert(position, placement);
    }
    OneByOne {
        points: taken.into_iter().collect(),
        calls,
    }
}

#[test]
fn positions_repeat_first_at_43690() {
    let slow = lay_one_by_one(43_690, 10);
    assert_eq!(lay(START, 43_690, 10), slow.points);
    assert_eq!(slow.points.len(), 415_054);
    assert_eq!(436_900 - slow.points.len(), 21_846, "placements in vain");
    assert_eq!(slow.calls.len(), 174_756);
    let first = [
        (-2_147_434_495, 1_073_807_362),
        (-2_147_385_343, 1_073_881_090),
        (-2_147_336_191, 1_073_954_818),
        (-2_147_287_039, 1_074_028_546),
        (-2_147_237_887, 1_074_102_274),
    ];
    for (i, (wanted, got)) in first.into_iter().enumerate() {
        assert_eq!(slow.calls[i], (26_214 * 10 + 4 + i as u32, wanted, got));
    }
}

#[track_caller]
fn check_one_by_one(vnodes: u32, n: u32, repeats: bool) {
    let slow = lay_one_by_one(vnodes, n);
    assert_eq!(lay(START, vnodes, n as usize), slow.points);
    assert_eq!(!slow.calls.is_empty(), repeats);
}

/// The more often 2 divides the interval, the sooner the positions repeat.
#[test]
fn the_layout_is_the_same_laid_one_by_one() {
    check_one_by_one(65_535, 4, true);
    check_one_by_one(131_070, 3, true);
    check_one_by_one(43_690, 9, true);
    check_one_by_one(43_690, 6, false);
    check_one_by_one(1500, 10, false);
    check_one_by_one(3, 1000, false);
}

#[test]
fn the_ends_of_the_ring_with_repeats() {
    let router = published(43_690, START, 10);
    let points: Vec<(String, &str)> = router
        .points()
        .unwrap()
        .iter()
        .map(|it| (it.position.to_string(), router.name(it.owner).unwrap()))
        .collect();
    let shown = |points: &[(String, &str)]| {
        let words: Vec<String> = points.iter().map(|(p, n)| format!("{p}:{n}")).collect();
        words.join(" ")
    };
    assert_eq!(
        shown(&points[..10]),
        "-2147483647:3 -2147483646:8 -2147475455:1 -2147467263:2 -2147459070:7 \
         -2147450879:1 -2147434495:0 -2147426302:3 -2147418111:3 -2147409918:9"
    );
    assert_eq!(
        shown(&points[points.len() - 10..]),
        "2147397633:1 2147401729:0 2147414018:7 2147418113:9 2147422210:0 \
         2147434497:2 2147434498:6 2147450881:1 2147467265:0 2147473409:2"
    );
}

/// A key that says its own hash, in decimal.
#[derive(Clone)]
struct Spoken;

impl KeyHash for Spoken {
    fn of(key: &[u8]) -> i32 {
        std::str::from_utf8(key).unwrap().parse().unwrap()
    }
}

static SPOKEN: Strategy = Strategy {
    name: "spoken",
    build: |_, _, _| Ok(Box::new(FixedInterval::<Spoken>::new(START, 1))),
    ..Strategy::DEFAULT
};

/// Hash, and the index and node of the point that the program finds among 10 at `vnodes` 1.
#[track_caller]
fn check_look_up(router: &Cluster, hash: i32, index: usize, node: &str) {
    let key = hash.to_string();
    let owner = router.route(key.as_bytes()).unwrap();
    assert_eq!(router.name(owner), Some(node), "{hash}");
    let trace = router.trace(key.as_bytes()).unwrap();
    let points = router.points().unwrap();
    assert_eq!(trace.point, Some(points[index].position), "{hash}");
    assert_eq!(trace.label.as_ref(), Some(&points[index].label), "{hash}");
    assert_eq!(points[index].label, format!("{node}#0"), "{hash}");
    // From the second point on, up to the first above the hash.
    let looked_at = points.len().min(index + 2) - 1;
    assert_eq!(trace.probes as usize, looked_at, "{hash}");
}

#[test]
fn look_ups_at_every_edge_of_ten_points() {
    let catalog = Catalog::new([&SPOKEN]).unwrap();
    let nodes: Vec<NodeSpec> = (0..10).map(|i| i.to_string().into()).collect();
    let router = Cluster::build(&catalog.parse("spoken").unwrap(), &nodes).unwrap();
    // Below the first point it is the first, not the last.
    check_look_up(&router, i32::MIN, 0, "8");
    check_look_up(&router, -1000, 0, "8");
    check_look_up(&router, -9, 0, "8");
    check_look_up(&router, -8, 0, "8");
    check_look_up(&router, -7, 0, "8");
    check_look_up(&router, -6, 1, "6");
    check_look_up(&router, -1, 3, "2");
    check_look_up(&router, 0, 4, "0");
    check_look_up(&router, 1, 4, "0");
    check_look_up(&router, 2_147_483_638, 4, "0");
    check_look_up(&router, 2_147_483_639, 5, "9");
    check_look_up(&router, 2_147_483_640, 5, "9");
    check_look_up(&router, i32::MAX, 9, "1");

    // One point alone owns everything.
    let one = Cluster::build(&catalog.parse("spoken").unwrap(), &["0".into()]).unwrap();
    check_one(&one, i32::MIN);
    check_one(&one, 0);
    check_one(&one, i32::MAX);
}

#[track_caller]
fn check_one(router: &Cluster, hash: i32) {
    let owner = router.route(hash.to_string().as_bytes()).unwrap();
    assert_eq!(router.name(owner), Some("0"));
    assert_eq!(router.shares(), Some(vec![1.0]));
    assert_eq!(router.trace(hash.to_string().as_bytes()).unwrap().probes, 1);
}
