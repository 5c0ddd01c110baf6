//! What makes the variants differ: rounding, shared points, exact hits, the ends of the ring, the
//! empty key. The numbers come from running the programs.

use std::fmt::Write as _;

use point_hash::{md5_hex, md5_words};
use router::{Cluster, KeyBuf, NodeId, NodeSpec, Position};

use crate::world::{cluster, numbers, owner, owners, points};

const EQ4: [(&str, u32); 4] = [
    ("10.0.1.1:11211", 1),
    ("10.0.1.2:11211", 1),
    ("10.0.1.3:11211", 1),
    ("10.0.1.4:11211", 1),
];

/// libketama's own eight servers.
const RJ8: [(&str, u32); 8] = [
    ("10.0.1.1:11211", 600),
    ("10.0.1.2:11211", 300),
    ("10.0.1.3:11211", 200),
    ("10.0.1.4:11211", 350),
    ("10.0.1.5:11211", 1000),
    ("10.0.1.6:11211", 800),
    ("10.0.1.7:11211", 950),
    ("10.0.1.8:11211", 100),
];

/// Numbers of equal nodes, up to 100, at which some program gives a node 39 digests instead of 40.
const SLIPS: [usize; 14] = [7, 14, 25, 28, 47, 49, 50, 55, 56, 61, 71, 94, 98, 100];

/// Checks that this one does at `slips`, and not at any other of [`SLIPS`] nor beside one.
#[track_caller]
fn check_rounding(spec: &str, slips: &[usize]) {
    let mut ring = cluster(spec, &[]);
    for n in 1..=100 {
        ring.add(format!("10.0.9.{n}:11211")).unwrap();
        if !(n - 1..=n + 1).any(|n| SLIPS.contains(&n)) {
            continue;
        }
        let found = ring.points().unwrap().len();
        let n_points = if slips.contains(&n) { 156 * n } else { 160 * n };
        // A few of so many points fall together.
        assert!(
            (n_points - 2..=n_points).contains(&found),
            "{spec}: {found} points of {n} nodes"
        );
    }
}

#[test]
fn equal_nodes_lose_four_points_where_the_program_rounds_down() {
    let single = [25, 47, 50, 55, 61, 71, 94, 100];
    check_rounding("ketama-libketama", &[61]);
    check_rounding("ketama-libmemcached", &single);
    check_rounding("ketama-libmemcached-spy", &single);
    check_rounding("ketama-spymemcached:weights=on", &single);
    check_rounding("ketama-spymemcached:weights=off", &[]);
    check_rounding("ketama-spymemcached", &[]);
    check_rounding("ketama-twemproxy", &single);
    check_rounding("ketama-uhashring", &[]);
    check_rounding("ketama-node-hashring", &[7, 14, 28, 49, 56, 98]);
}

/// Keys that move, and those of them that move between old nodes, when the `n`th equal node joins.
#[track_caller]
fn check_growth(spec: &str, n: usize, moved: usize, in_vain: usize) {
    let name = |n| format!("10.0.9.{n}:11211");
    let mut ring = cluster(spec, &[]);
    for i in 1..n {
        ring.add(name(i)).unwrap();
    }
    let keys: KeyBuf = (0..100_000).map(|i| format!("key{i}")).collect();
    let before = owners(&ring, &keys);
    ring.add(name(n)).unwrap();
    let newcomer = ring.id(&name(n)).unwrap();
    let after = owners(&ring, &keys);
    let changed = before.iter().zip(&after).filter(|(a, b)| a != b);
    let (to_newcomer, old): (Vec<_>, Vec<_>) = changed.partition(|&(_, &b)| b == newcomer);
    assert_eq!(
        (to_newcomer.len() + old.len(), old.len()),
        (moved, in_vain),
        "{spec}, node {n}"
    );
}

#[test]
fn growing_across_a_rounding_step_moves_keys_between_old_nodes() {
    check_growth("ketama-libmemcached", 25, 6366, 2383);
    check_growth("ketama-libmemcached", 26, 5801, 2346);
    check_growth("ketama-libketama", 61, 4171, 2554);
    check_growth("ketama-libketama", 25, 3588, 0);
    check_growth("ketama-node-hashring", 7, 15_687, 1894);
    check_growth("ketama-node-hashring", 25, 3588, 0);
    check_growth("ketama-uhashring", 25, 3588, 0);
}

/// The point and the node that own a key of each hash.
fn deciding(ring: &Cluster, hashes: &[u32]) -> Vec<(u32, NodeId)> {
    let points = ring.points().unwrap();
    let points: Vec<(u32, NodeId)> = points
        .iter()
        .map(|point| match point.position {
            Position::Unsigned(at) => (u32::try_from(at).unwrap(), point.owner),
            Position::Signed(_) => panic!("positions are not negative"),
        })
        .collect();
    let find = |&hash: &u32| points[points.partition_point(|it| it.0 < hash) % points.len()];
    hashes.iter().map(find).collect()
}

/// The program's tests of itself, on keys 0 to 999999: a line `HASH POINT ADDRESS` a key, behind an
/// empty one; and what a downed and a new server disturb. The latter compares points, so it counts
/// keys too that go to another point of the same node.
#[test]
fn libketamas_own_tests_have_its_numbers() {
    let keys: KeyBuf = (0..1_000_000).map(|i| i.to_string()).collect();
    let hashes = keys.keys().iter().map(|key| md5_words(key)[0]);
    let hashes: Vec<u32> = hashes.collect();
    let ring = cluster("ketama-libketama", &RJ8);
    let before = deciding(&ring, &hashes);
    let mut text = String::from("\n");
    for (hash, &(point, owner)) in hashes.iter().zip(&before) {
        let address = ring.name(owner).unwrap();
        writeln!(text, "{hash} {point} {address}").unwrap();
    }
    assert_eq!(
        md5_hex(text.as_bytes()),
        *b"5672b131391f5aa2b280936aec1eea74"
    );
    for key in [0, 7, 999_999] {
        let owner = ring.route(key.to_string().as_bytes());
        assert_eq!(owner, Some(before[key].1));
    }

    let disturbed = |after: &Cluster, spared: &str| {
        let spared = after.id(spared).or(ring.id(spared)).unwrap();
        let after = deciding(after, &hashes);
        let pairs = before.iter().zip(&after);
        let concerned = pairs.filter(|(a, b)| a.1 != spared && b.1 != spared);
        let (mut points, mut owners) = (0, 0);
        for (a, b) in concerned {
            points += usize::from(a != b);
            owners += usize::from(a.1 != b.1);
        }
        (points, owners)
    };
    let mut without_last = ring.clone();
    without_last.remove("10.0.1.8:11211").unwrap();
    let found = disturbed(&without_last, "10.0.1.8:11211");
    assert_eq!(found, (106_615, 91_195));
    let mut with_another = ring.clone();
    let another = NodeSpec::new("999.999.999:11211", 300);
    with_another.add(another).unwrap();
    let found = disturbed(&with_another, "999.999.999:11211");
    assert_eq!(found, (40_536, 30_356));
}

/// Who has three keys that land on a point which two nodes share, listed in this order and in the
/// other.
#[track_caller]
fn check_shared(spec: &str, nodes: [&str; 2], keys: [&str; 3], winners: [&str; 2]) {
    let [a, b] = nodes;
    for (nodes, winner) in [([a, b], winners[0]), ([b, a], winners[1])] {
        let ring = cluster(spec, &nodes.map(|name| (name, 1)));
        assert_eq!(points(&ring).len(), 319, "{spec}");
        for key in keys {
            assert_eq!(owner(&ring, key), winner, "{spec}: {key} on {nodes:?}");
        }
    }
}

#[test]
fn a_shared_point_belongs_to_whom_the_program_says() {
    let full = ["10.0.2.53:11211", "10.0.2.161:11211"];
    let full_keys = ["tie64", "tie298", "tie395"];
    for (spec, first_wins) in [
        ("ketama-libketama", true),
        ("ketama-node-hashring", true),
        ("ketama-spymemcached", false),
        ("ketama-uhashring", false),
    ] {
        let [a, b] = full;
        let winners = if first_wins { [a, b] } else { [b, a] };
        check_shared(spec, full, full_keys, winners);
    }
    let hosts = ["10.0.3.100:11211", "10.0.4.1:11211"];
    let host_keys = ["tie4847", "tie7151", "tie18833"];
    for (spec, winners) in [
        ("ketama-libmemcached", hosts),
        ("ketama-node-hashring-default-port", hosts),
        ("ketama-spymemcached-libmemcached", [hosts[1], hosts[0]]),
        // A running proxy, version 0.5.0: it sorts by length first.
        ("ketama-twemproxy", [hosts[1], hosts[1]]),
    ] {
        check_shared(spec, hosts, host_keys, winners);
    }
}

/// Owners of keys that are the labels of points, by number.
#[test]
fn a_key_that_hits_a_point_owns_it_or_the_next() {
    let keys = [
        "10.0.1.1:11211-0",
        "10.0.1.2:11211-0",
        "10.0.1.1-0",
        "10.0.1.2-0",
        "10.0.1.3-0",
    ];
    let keys: KeyBuf = keys.into_iter().collect();
    for (spec, expected) in [
        ("ketama-libketama", "01003"),
        ("ketama-spymemcached", "01003"),
        ("ketama-spymemcached:weights=on", "01003"),
        ("ketama-spymemcached-libmemcached", "01012"),
        ("ketama-libmemcached-plain", "12012"),
        ("ketama-libmemcached-plain-md5", "31012"),
        ("ketama-libmemcached", "01012"),
        ("ketama-libmemcached-spy", "12322"),
        ("ketama-twemproxy", "01012"),
        ("ketama-uhashring", "23003"),
        ("ketama-node-hashring", "01003"),
        ("ketama-node-hashring-default-port", "01012"),
    ] {
        assert_eq!(numbers(&cluster(spec, &EQ4), &keys), expected, "{spec}");
    }
}

/// Keys of `key0` to `key99999` past the last point, and the first three.
#[track_caller]
fn check_wrap(spec: &str, nodes: &[(&str, u32)], last: u128, n_keys: usize, first: [usize; 3]) {
    let ring = cluster(spec, nodes);
    let found = points(&ring);
    assert_eq!(found.last().unwrap().0, Position::Unsigned(last), "{spec}");
    let past = |i: &usize| u128::from(md5_words(format!("key{i}").as_bytes())[0]) > last;
    let past: Vec<usize> = (0..100_000).filter(past).collect();
    assert_eq!((past.len(), &past[..3]), (n_keys, &first[..]), "{spec}");
    for i in past {
        assert_eq!(owner(&ring, &format!("key{i}")), found[0].1, "{spec}");
    }
}

#[test]
fn past_the_last_point_comes_the_first() {
    let (rj, lm) = ("ketama-libketama", "ketama-libmemcached");
    check_wrap(rj, &EQ4, 4_290_013_132, 120, [2470, 2888, 4580]);
    check_wrap(rj, &RJ8, 4_293_620_028, 32, [2470, 11_805, 12_484]);
    check_wrap(lm, &EQ4, 4_290_904_085, 99, [2470, 2888, 4580]);
    check_wrap(lm, &RJ8, 4_294_696_831, 6, [16_714, 32_387, 74_437]);
}

/// twemproxy does not hash it; the others do.
#[test]
fn the_empty_key_is_hashed_but_by_twemproxy() {
    for (spec, owner, hash) in [
        ("ketama-libketama", 3, 3_649_838_548),
        ("ketama-libmemcached", 1, 3_649_838_548),
        ("ketama-spymemcached-libmemcached", 1, 3_649_838_548),
        ("ketama-uhashring", 3, 3_649_838_548),
        ("ketama-twemproxy", 2, 0),
    ] {
        let ring = cluster(spec, &EQ4);
        let found = ring.route(b"").and_then(|id| ring.nodes().position(id));
        assert_eq!(found, Some(owner), "{spec}");
        let trace = ring.trace(b"").unwrap();
        assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)), "{spec}");
        assert_eq!(trace.hash_evals, u32::from(hash > 0), "{spec}");
    }
}

/// Weight 1 beside 1000 owns nothing, but for our own form and nginx.
#[test]
fn a_small_weight_has_no_point() {
    for strategy in ketama::STRATEGIES {
        let nodes = [("10.0.1.1:11211", 1), ("10.0.1.2:11211", 1000)];
        let ring = cluster(strategy.name, &nodes);
        let small = points(&ring)
            .into_iter()
            .filter(|point| point.1 == "10.0.1.1:11211");
        let (n_points, n_large) = match strategy.name {
            "ketama" => (4, 316),
            "nginx-consistent" => (160, 160_000),
            _ => (0, 316),
        };
        assert_eq!(small.count(), n_points, "{}", strategy.name);
        let shared = n_points + n_large - points(&ring).len();
        assert!(shared <= n_points + n_large / 10_000, "{}", strategy.name);
        let says = strategy.summary.contains("gets no point");
        assert_eq!(says, n_points == 0, "{}", strategy.name);
    }
}

/// The plain behaviour switches when a weight above 1 comes and back when it goes, as one newly
/// built; `10.0.1.1:11211` of weight 1 keeps no point where it was, though 25 digests are as many
/// points as 100 labels.
#[test]
fn plain_switches_with_the_first_weight_above_1() {
    let spec = "ketama-libmemcached-plain";
    let one = [("10.0.1.1:11211", 1), ("10.0.1.2:11211", 1)];
    let mut ring = cluster(spec, &one);
    let plain = points(&ring);
    assert_eq!(plain.len(), 200);
    for weight in 2..=4 {
        ring.set_weight("10.0.1.2:11211", weight).unwrap();
        let nodes = [one[0], (one[1].0, weight)];
        assert_eq!(points(&ring), points(&cluster(spec, &nodes)));
        let md5 = cluster("ketama-libmemcached", &nodes);
        assert_eq!(points(&ring), points(&md5));
    }
    ring.set_weight("10.0.1.2:11211", 1).unwrap();
    assert_eq!(points(&ring), plain);
}
