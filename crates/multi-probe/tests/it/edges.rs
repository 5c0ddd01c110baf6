//! Points and probes where they are awkward, given by hand.

use std::fmt::Write as _;

use multi_probe::{MultiProbe, Probing, STRATEGIES};
use point_hash::{SplitMix64, rehash};
use ring_points::{Placement, Tie, Weights};
use router::{Catalog, Cluster, Position, Strategy};

use crate::{build, cluster, names, owner};

/// A node called `x=10` stands at 0x10; the key `5 7` asks at 0x5 and 0x7.
#[derive(Clone)]
struct ByHand;

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

impl Placement for ByHand {
    type Position = u64;
    const TIE: Tie = Tie::SmallerName;

    fn hash(&self, _: &[u8]) -> u64 {
        0
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        1
    }

    fn points(&self, name: &str, _: u64, mut place: impl FnMut(u64)) {
        place(hex(name.split_once('=').unwrap().1));
    }

    fn label(&self, name: &str, _: u64) -> String {
        name.to_owned()
    }
}

impl Probing for ByHand {
    fn probes(&self, _: u64, key: &[u8]) -> impl Iterator<Item = u64> {
        let text = str::from_utf8(key).unwrap().split(' ');
        text.map(hex)
    }

    fn hash_evals(&self) -> u32 {
        1
    }

    fn independent(&self) -> Option<u32> {
        Some(1)
    }
}

fn by_hand<S: AsRef<str>>(names: &[S]) -> Cluster {
    let strategy = Strategy {
        build: |_, _, _| Ok(Box::new(MultiProbe::new(ByHand))),
        check: |_, _, _| Ok(()),
        params: &[],
        suite_params: "",
        ..STRATEGIES[0]
    };
    let catalog = Catalog::new([&*Box::leak(Box::new(strategy))]).unwrap();
    build(&catalog, "multi-probe", names)
}

/// Checks the whole preference of a key, by the letters of the nodes.
#[track_caller]
fn check(nodes: &[&str], probes: &str, expected: &str) {
    let cluster = by_hand(nodes);
    let ids = cluster.preference(probes.as_bytes(), usize::MAX).unwrap();
    let letter = |id| &cluster.name(id).unwrap()[..1];
    let found: String = ids.into_iter().map(letter).collect();
    assert_eq!(found, expected, "{nodes:?}, {probes}");
    assert_eq!(&owner(&cluster, probes.as_bytes())[..1], &expected[..1]);
}

#[test]
fn the_shortest_way_wins() {
    let three = ["a=10", "b=20", "c=8000000000000000"];
    check(&three, "0", "abc");
    check(&three, "10", "abc"); // at the point itself
    check(&three, "11", "bca"); // one too late
    check(&three, "0 1f", "bac");
    check(&three, "21", "cab");
    check(&three, "21 7fffffffffffffff", "cab");
    check(&three, "8000000000000001", "abc"); // past the last point
    check(&three, "ffffffffffffffff 18", "bac");
    check(&three, "c 1c", "abc"); // equally short: the first probe
    check(&three, "1c c", "bac");
}

#[test]
fn the_ends_of_the_circle_are_points_too() {
    let two = ["z=0", "m=ffffffffffffffff"];
    check(&two, "0", "zm");
    check(&two, "1", "mz");
    check(&two, "fffffffffffffffe", "mz");
    check(&two, "ffffffffffffffff", "mz");
    check(&["m=ffffffffffffffff"], "0", "m");
    check(&["z=0"], "1", "z");
}

#[test]
fn a_shared_point_is_the_smaller_names_until_it_leaves() {
    check(&["b=10", "a=10", "c=20"], "5", "abc");
    let mut cluster = by_hand(&["b=10", "a=10", "c=20"]);
    assert_eq!(owner(&cluster, b"10"), "a=10");
    cluster.remove("a=10").unwrap();
    assert_eq!(owner(&cluster, b"10"), "b=10");
}

/// The nearest pair, found by looking at all points.
fn by_looking(cluster: &Cluster, probes: &[u64]) -> String {
    let points = cluster.points().unwrap();
    let at = |position| match position {
        Position::Unsigned(it) => u64::try_from(it).unwrap(),
        Position::Signed(_) => unreachable!("points are unsigned"),
    };
    let ways = probes.iter().flat_map(|&probe| {
        let way = move |point| at(point).wrapping_sub(probe);
        points.iter().map(move |it| (way(it.position), it.owner))
    });
    let (_, owner) = ways.min_by_key(|it| it.0).unwrap();
    cluster.name(owner).unwrap().to_owned()
}

/// Any number of points, bunched or spread, and probes at and beside them.
#[test]
fn buckets_find_what_looking_at_all_finds() {
    let mut draw = SplitMix64::new(3);
    for n in (1..=40).chain([100, 257]) {
        // Bunched points share few high bits.
        let mask = if n % 3 == 0 {
            0xff00_0000_0000_0fff
        } else {
            u64::MAX
        };
        let positions: Vec<u64> = (0..n).map(|_| draw.draw() & mask).collect();
        let nodes = positions.iter().enumerate();
        let nodes: Vec<String> = nodes.map(|(i, it)| format!("{i:03}={it:x}")).collect();
        let cluster = by_hand(&nodes);
        for position in positions.into_iter().take(20) {
            for beside in [position.wrapping_sub(1), position, position.wrapping_add(1)] {
                let probes = [beside, draw.draw(), draw.draw() & mask];
                let mut key = String::new();
                for probe in probes {
                    let _ = write!(key, "{}{probe:x}", if key.is_empty() { "" } else { " " });
                }
                let found = owner(&cluster, key.as_bytes());
                assert_eq!(found, by_looking(&cluster, &probes), "{n} points, {key}");
            }
        }
    }
}

/// With the common hash: further probes are those that the crate's page says.
#[test]
fn probes_are_the_hash_and_its_rehashes() {
    for k in [1, 2, 5, 21] {
        let cluster = cluster(&format!("multi-probe:probes={k}"), &names("node", 30));
        for key in names("key-", 200) {
            let hash = point_hash::xxh3(key.as_bytes());
            let probes: Vec<u64> = std::iter::once(hash)
                .chain((0..k - 1).map(|i| rehash(hash, i)))
                .collect();
            assert_eq!(
                owner(&cluster, key.as_bytes()),
                by_looking(&cluster, &probes)
            );
        }
    }
}
