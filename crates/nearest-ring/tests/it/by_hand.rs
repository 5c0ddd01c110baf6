//! Points where they are awkward, given by hand.

use nearest_ring::{NearestRing, STRATEGIES};
use point_hash::SplitMix64;
use ring_points::{Placement, Tie, Weights};
use router::{Catalog, Cluster, Position, Strategy};

use crate::{build, preference};

/// A node called `a 10 20` stands at 0x10 and 0x20; the key `5` lies at 0x5.
#[derive(Clone)]
struct ByHand;

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

impl Placement for ByHand {
    type Position = u64;
    const TIE: Tie = Tie::SmallerName;

    fn hash(&self, key: &[u8]) -> u64 {
        hex(str::from_utf8(key).unwrap())
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        1
    }

    fn points(&self, name: &str, _: u64, place: impl FnMut(u64)) {
        name.split(' ').skip(1).map(hex).for_each(place);
    }

    fn label(&self, name: &str, _: u64) -> String {
        name.to_owned()
    }
}

fn by_hand<S: AsRef<str>>(names: &[S]) -> Cluster {
    let strategy = Strategy {
        build: |_, _, _| Ok(Box::new(NearestRing::new(ByHand))),
        check: |_, _, _| Ok(()),
        params: &[],
        suite_params: "",
        ..STRATEGIES[0]
    };
    let catalog = Catalog::new([&*Box::leak(Box::new(strategy))]).unwrap();
    build(&catalog, "nearest-ring", names)
}

/// Checks the order of nodes, by their letters.
#[track_caller]
fn check(nodes: &[&str], key: &str, expected: &str) {
    let found = preference(&by_hand(nodes), key.as_bytes());
    let letters: String = found
        .chars()
        .filter(|it| ('g'..='z').contains(it))
        .collect();
    assert_eq!(letters, expected, "{nodes:?}, {key}");
}

#[test]
fn the_nearest_point_wins() {
    let three = ["x 10", "y 20", "z 8000000000000000"];
    check(&three, "0", "xyz");
    check(&three, "10", "xyz");
    check(&three, "17", "xyz");
    check(&three, "18", "xyz"); // in the middle: the lower
    check(&three, "19", "yxz");
    check(&three, "20", "yxz");
    check(&three, "4000000000000000", "yxz");
    check(&three, "4000000000000010", "yzx"); // in the middle again
    check(&three, "4000000000000011", "zyx");
    check(&three, "8000000000000000", "zyx"); // from there x is a step farther than y
    check(&three, "c000000000000008", "zxy");
    check(&three, "c000000000000009", "xzy");
    check(&three, "ffffffffffffffff", "xyz");
}

#[test]
fn the_ends_of_the_circle_are_neighbours() {
    let two = ["x 0", "y fffffffffffffff0"];
    check(&two, "0", "xy");
    check(&two, "fffffffffffffff8", "yx");
    check(&two, "fffffffffffffff9", "xy");
    check(&["x ffffffffffffffff"], "7fffffffffffffff", "x");
    check(&["x 0", "y 8000000000000000"], "4000000000000000", "xy");
    check(&["x 0", "y 8000000000000000"], "c000000000000000", "yx");
}

#[test]
fn a_shared_point_is_the_smaller_names_from_either_side() {
    let shared = ["y 10", "x 10", "z 30"];
    for key in ["0", "10", "11"] {
        check(&shared, key, "xyz");
    }
    check(&shared, "2f", "zxy");
    check(&["y 10", "x 10"], "ffffffffffffffff", "xy");
    let mut cluster = by_hand(&shared);
    cluster.remove("x 10").unwrap();
    assert_eq!(preference(&cluster, b"11"), "y 10 z 30");
}

/// Exact shares: hashes counted by hand, of 2^64.
#[track_caller]
fn check_shares(nodes: &[&str], expected: &[u128]) {
    let shares = by_hand(nodes).shares().unwrap();
    let whole = 2_f64.powi(64);
    let counts: Vec<u128> = shares.iter().map(|it| (it * whole) as u128).collect();
    assert_eq!(counts, expected, "{nodes:?}");
}

#[test]
fn shares_count_every_hash_once() {
    let half = 1 << 63;
    check_shares(&["x 0"], &[2 * half]);
    check_shares(&["x 0", "y 8000000000000000"], &[half, half]);
    // Of the four hashes 1 to 4 the lower has 1 and 2, the upper 3 and 4; of the rest the lower, y,
    // has half.
    check_shares(&["x 0", "y 4"], &[half, half]);
    // Half of either quarter beside y, and the half of the circle that ends at two points of x.
    check_shares(
        &["x 0 8000000000000000", "y 4000000000000000"],
        &[half / 2 + half / 2 + half / 2, half / 2],
    );
    // Of a shared point the smaller name has all.
    check_shares(&["x 0", "y 0"], &[2 * half, 0]);
    check_shares(&["y 0", "x 0"], &[0, 2 * half]);
}

/// The nearest point, found by looking at all: by distance, then the lower side, then the name.
fn by_looking(cluster: &Cluster, hash: u64) -> String {
    let points = cluster.points().unwrap();
    let rank = |position: Position| {
        let Position::Unsigned(at) = position else {
            unreachable!("points are unsigned")
        };
        let at = u64::try_from(at).unwrap();
        (hash.wrapping_sub(at), 0).min((at.wrapping_sub(hash), 1))
    };
    let nearest = points.iter().min_by_key(|point| rank(point.position));
    cluster.name(nearest.unwrap().owner).unwrap().to_owned()
}

#[test]
fn halving_finds_what_looking_at_all_finds() {
    let mut draw = SplitMix64::new(4);
    for n in (1..=40).chain([100, 257]) {
        let mask = if n % 3 == 0 {
            0xff00_0000_0000_000f
        } else {
            u64::MAX
        };
        let positions: Vec<u64> = (0..n).map(|_| draw.draw() & mask).collect();
        let nodes = positions.iter().enumerate();
        let nodes: Vec<String> = nodes.map(|(i, it)| format!("{i:03} {it:x}")).collect();
        let cluster = by_hand(&nodes);
        for (i, &position) in positions.iter().enumerate().take(30) {
            // In the middle between two points, whichever they are, and beside a point.
            let other = positions[(i + 1) % positions.len()];
            let middle = position.wrapping_add(other.wrapping_sub(position) / 2);
            for place in [position, middle] {
                for hash in [place.wrapping_sub(1), place, place.wrapping_add(1)] {
                    let key = format!("{hash:x}");
                    let owner = cluster.route(key.as_bytes()).unwrap();
                    assert_eq!(cluster.name(owner).unwrap(), by_looking(&cluster, hash));
                }
            }
        }
    }
}
