//! The Node.js article's rings, against what its two classes answer when run.
//!
//! The numbers come from the article's own classes under Node.js v20.20.2: nodes `Node0` to
//! `Node99`, keys `user0` to `user999999`.

use point_hash::md5_hex;
use router::{Cluster, KeyBuf, NodeId, Position};

use crate::world::{cluster, counts, names, owners, points, sd};

struct Known {
    spec: &'static str,
    n_points: usize,
    /// MD5 of a line `POINT NODE` for every point in order.
    ring_md5: &'static str,
    first_points: [(u128, &'static str); 5],
    last_points: [(u128, &'static str); 5],
    /// MD5 of a line `NODE` for every key in order.
    owners_md5: &'static str,
    largest: usize,
    smallest: usize,
    sd: f64,
    removals: [Removal; 3],
}

struct Removal {
    node: &'static str,
    n_moved: usize,
    n_receivers: usize,
    first_receiver: (&'static str, usize),
    /// Over the 99 nodes left.
    sd: f64,
    owners_md5: &'static str,
}

const KNOWN: [Known; 2] = [
    Known {
        spec: "linear-ring-node-plain",
        n_points: 100,
        ring_md5: "b8aead0abb2a1a8d13842d6658800fd1",
        first_points: [
            (47897772, "Node92"),
            (83118062, "Node18"),
            (235395700, "Node67"),
            (256858642, "Node31"),
            (286460641, "Node45"),
        ],
        last_points: [
            (4189605652, "Node58"),
            (4247891932, "Node48"),
            (4252684376, "Node60"),
            (4270902372, "Node87"),
            (4272434704, "Node1"),
        ],
        owners_md5: "11ff40b3de9fa63fb475a5df52941dc5",
        largest: 66146,
        smallest: 79,
        sd: 10269.625250222132,
        removals: [
            Removal {
                node: "Node41",
                n_moved: 66146,
                n_receivers: 1,
                first_receiver: ("Node83", 66146),
                sd: 10550.21320718542,
                owners_md5: "04f336bf845ab9e8c31e6081e186f07c",
            },
            Removal {
                node: "Node0",
                n_moved: 1073,
                n_receivers: 1,
                first_receiver: ("Node40", 1073),
                sd: 10274.755241986362,
                owners_md5: "431c80d8c5c44a37951d69758234055e",
            },
            Removal {
                node: "Node99",
                n_moved: 2932,
                n_receivers: 1,
                first_receiver: ("Node26", 2932),
                sd: 10289.279379597634,
                owners_md5: "b4eaf14c0cfa06260c236350507eef6b",
            },
        ],
    },
    Known {
        spec: "linear-ring-node",
        n_points: 10000,
        ring_md5: "c6358124140ccabb3d34d85dbe9fa50f",
        first_points: [
            (292792, "Node16"),
            (1099763, "Node32"),
            (1780106, "Node84"),
            (2104612, "Node95"),
            (2763475, "Node8"),
        ],
        last_points: [
            (4292780568, "Node4"),
            (4293236017, "Node15"),
            (4293366509, "Node31"),
            (4294511557, "Node7"),
            (4294955840, "Node43"),
        ],
        owners_md5: "75c893dd2aaaacce25639d52fb1263b0",
        largest: 12899,
        smallest: 7201,
        sd: 1073.5136701505016,
        removals: [
            Removal {
                node: "Node41",
                n_moved: 10217,
                n_receivers: 66,
                first_receiver: ("Node90", 716),
                sd: 1099.8526209346219,
                owners_md5: "15160d26d92ff27e93ec91786c9884ad",
            },
            Removal {
                node: "Node0",
                n_moved: 8274,
                n_receivers: 62,
                first_receiver: ("Node32", 765),
                sd: 1068.4460489392661,
                owners_md5: "3b65ee6fffb6c244dd038a7a293ddec2",
            },
            Removal {
                node: "Node99",
                n_moved: 9712,
                n_receivers: 65,
                first_receiver: ("Node63", 844),
                sd: 1102.4358016989775,
                owners_md5: "802edaf8115f8c693d2c4abb19fe6e04",
            },
        ],
    },
];

fn users(n: usize) -> KeyBuf {
    (0..n).map(|i| format!("user{i}")).collect()
}

fn md5_of_lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    String::from_utf8(md5_hex(text.as_bytes()).to_vec()).unwrap()
}

fn md5_of_owners(cluster: &Cluster, owners: &[NodeId]) -> String {
    md5_of_lines(owners.iter().map(|&owner| cluster.name(owner).unwrap()))
}

#[track_caller]
fn check_sd(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
}

fn check(known: &Known) {
    let mut cluster = cluster(known.spec, &names("Node", 100));
    let ring = points(&cluster);
    assert_eq!(ring.len(), known.n_points);
    let position = |&(position, owner): &(u128, &'static str)| {
        (Position::Unsigned(position), owner.to_owned())
    };
    let ends = known.first_points.iter().chain(&known.last_points);
    let found = ring[..5].iter().chain(&ring[ring.len() - 5..]);
    for (found, expected) in found.zip(ends.map(position)) {
        assert_eq!((found.0, &found.1), (expected.0, &expected.1));
    }
    let lines: Vec<String> = ring
        .iter()
        .map(|(at, owner, _)| format!("{at} {owner}"))
        .collect();
    assert_eq!(
        md5_of_lines(lines.iter().map(String::as_str)),
        known.ring_md5
    );

    let keys = users(1_000_000);
    let before = owners(&cluster, &keys);
    assert_eq!(md5_of_owners(&cluster, &before), known.owners_md5);
    let loads = counts(&cluster, &before);
    assert_eq!(loads.iter().max(), Some(&known.largest));
    assert_eq!(loads.iter().min(), Some(&known.smallest));
    check_sd(sd(&loads), known.sd);

    for removal in &known.removals {
        let gone = cluster.id(removal.node).unwrap();
        cluster.remove(removal.node).unwrap();
        let after = owners(&cluster, &keys);
        assert_eq!(md5_of_owners(&cluster, &after), removal.owners_md5);
        let moved: Vec<(NodeId, NodeId)> = before
            .iter()
            .copied()
            .zip(after.iter().copied())
            .filter(|(before, after)| before != after)
            .collect();
        assert_eq!(moved.len(), removal.n_moved);
        assert!(moved.iter().all(|&(before, _)| before == gone));
        let to: Vec<NodeId> = moved.iter().map(|&(_, after)| after).collect();
        let received = counts(&cluster, &to);
        let receivers = received.iter().filter(|&&n| n > 0);
        assert_eq!(receivers.count(), removal.n_receivers);
        let first = cluster
            .nodes()
            .position(cluster.id(removal.first_receiver.0).unwrap());
        assert_eq!(received[first.unwrap()], removal.first_receiver.1);
        check_sd(sd(&counts(&cluster, &after)), removal.sd);
        // Only the order of joining changes when it comes back, and here no point is shared.
        cluster.add(removal.node).unwrap();
    }
}

#[test]
fn a_million_keys_on_the_first_class() {
    check(&KNOWN[0]);
}

#[test]
fn a_million_keys_on_the_last_class() {
    check(&KNOWN[1]);
}

#[rustfmt::skip]
const PLAIN_OWNERS: &[(&str, &str)] = &[
    ("user0", "Node11"),
    ("user1", "Node67"),
    ("user2", "Node91"),
    ("user3", "Node26"),
    ("user4", "Node23"),
    ("user5", "Node5"),
    ("user6", "Node46"),
    ("user7", "Node85"),
    ("user8", "Node58"),
    ("user9", "Node45"),
    ("user10", "Node40"),
    ("user11", "Node41"),
    ("user12", "Node37"),
    ("user13", "Node17"),
    ("user14", "Node89"),
    ("user15", "Node70"),
    ("user16", "Node90"),
    ("user17", "Node8"),
    ("user18", "Node46"),
    ("user19", "Node67"),
    ("user999999", "Node72"),
    ("user123456", "Node83"),
    ("", "Node89"),
    ("a", "Node96"),
    ("订单42", "Node22"),
    ("naïve", "Node58"),
    ("😀", "Node46"),
    ("Node41", "Node41"),
    ("Node41#0", "Node91"),
    ("Node0#99", "Node31"),
];

#[rustfmt::skip]
const VIRTUAL_OWNERS: &[(&str, &str)] = &[
    ("user0", "Node52"),
    ("user1", "Node52"),
    ("user2", "Node33"),
    ("user3", "Node89"),
    ("user4", "Node8"),
    ("user5", "Node82"),
    ("user6", "Node49"),
    ("user7", "Node5"),
    ("user8", "Node20"),
    ("user9", "Node78"),
    ("user10", "Node5"),
    ("user11", "Node91"),
    ("user12", "Node12"),
    ("user13", "Node78"),
    ("user14", "Node42"),
    ("user15", "Node31"),
    ("user16", "Node48"),
    ("user17", "Node77"),
    ("user18", "Node2"),
    ("user19", "Node56"),
    ("user999999", "Node74"),
    ("user123456", "Node60"),
    ("", "Node38"),
    ("a", "Node5"),
    ("订单42", "Node37"),
    ("naïve", "Node54"),
    ("😀", "Node30"),
    ("Node41", "Node66"),
    ("Node41#0", "Node41"),
    ("Node0#99", "Node0"),
];

#[test]
fn single_look_ups_of_both_classes() {
    for (known, owners) in KNOWN.iter().zip([PLAIN_OWNERS, VIRTUAL_OWNERS]) {
        let cluster = cluster(known.spec, &names("Node", 100));
        for &(key, owner) in owners {
            let found = cluster.route(key.as_bytes()).unwrap();
            assert_eq!(cluster.name(found), Some(owner), "{}, {key:?}", known.spec);
        }
    }
}

#[test]
fn hashes_are_the_first_eight_digits_of_sha_256() {
    let cluster = cluster("linear-ring-node-plain", &["Node0"]);
    let cases: &[(&str, u128)] = &[
        ("", 3820012610),
        ("a", 3398926610),
        ("Node0", 1536877444),
        ("Node41", 2408936382),
        ("Node99", 1467903192),
        ("Node41#0", 1579253384),
        ("user0", 1066537079),
        ("user999999", 1777123017),
        ("订单42", 2013027757),
        // A lone surrogate, which the program hashes as U+FFFD.
        ("user\u{fffd}", 3_174_942_942),
    ];
    for &(key, hash) in cases {
        let trace = cluster.trace(key.as_bytes()).unwrap();
        assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)), "{key:?}");
    }
}

/// Two of the million keys hit a point of the last class exactly and own it; one lies past the last
/// point. Before the first class's last point lie 5,358 fewer.
#[test]
fn exact_hits_and_the_wrap() {
    let ring = cluster("linear-ring-node", &names("Node", 100));
    for (key, hash, owner, point) in [
        ("user83225", 491_954_167, "Node95", 491_954_167),
        ("user257813", 1_283_929_326, "Node18", 1_283_929_326),
        ("user560720", 4_294_958_933, "Node16", 292_792),
    ] {
        let trace = ring.trace(key.as_bytes()).unwrap();
        assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)));
        assert_eq!(trace.point, Some(Position::Unsigned(point)));
        let found = ring.route(key.as_bytes()).unwrap();
        assert_eq!(ring.name(found), Some(owner), "{key}");
        assert!(trace.label.unwrap().starts_with(&format!("{owner}#")));
    }
    let plain = cluster("linear-ring-node-plain", &names("Node", 100));
    for key in ["user262", "user308", "user314", "user527", "user682"] {
        let found = plain.route(key.as_bytes()).unwrap();
        assert_eq!(plain.name(found), Some("Node92"), "{key}");
    }
}

/// Defect of the first class: the second node whose hash is taken is dropped, and removing it
/// deletes the first one's point. Its rule is kept, the damage mended.
#[test]
fn two_nodes_with_one_point_both_stay_members() {
    for (first, second) in [("Node6215", "Node37621"), ("Node37621", "Node6215")] {
        let ring = cluster("linear-ring-node-plain", &[first, second]);
        let owner = |ring: &Cluster, key: &str| {
            let owner = ring.route(key.as_bytes());
            owner.map(|owner| ring.name(owner).unwrap().to_owned())
        };
        let points = points(&ring);
        assert_eq!(points.len(), 1);
        assert_eq!(points[0].0, Position::Unsigned(822_610_230));
        assert_eq!(owner(&ring, "a").as_deref(), Some(first), "as published");
        let mut left = ring.clone();
        left.remove(second).unwrap();
        assert_eq!(
            owner(&left, "a").as_deref(),
            Some(first),
            "there: undefined"
        );
        let mut left = ring.clone();
        left.remove(first).unwrap();
        assert_eq!(
            owner(&left, "a").as_deref(),
            Some(second),
            "there: undefined"
        );
        left.remove(second).unwrap();
        assert_eq!(owner(&left, "a"), None);
    }
}

/// The same for virtual nodes: `Node320#74` and `Node615#73` are both 4007766069.
#[test]
fn a_virtual_node_that_leaves_takes_no_point_of_another_along() {
    let keys = users(1_000_000);
    let mut ring = cluster("linear-ring-node", &["Node2", "Node320", "Node615"]);
    assert_eq!(points(&ring).len(), 299);
    let before = owners(&ring, &keys);
    let gone = ring.id("Node615").unwrap();
    ring.remove("Node615").unwrap();
    assert_eq!(points(&ring).len(), 200, "there: 199");
    let after = owners(&ring, &keys);
    let moved = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after);
    assert!(moved.clone().all(|(&before, _)| before == gone));
    // The program moves 352,727 keys, 4,591 of them from the other two.
    assert_eq!(moved.count(), 352_727 - 4_591);
    let user474 = ring.route(b"user474").unwrap();
    assert_eq!(ring.name(user474), Some("Node320"), "there: Node2");

    let keys = users(100_000);
    let mut ring = cluster("linear-ring-node", &["Node0", "Node320"]);
    let before = owners(&ring, &keys);
    ring.add("Node615").unwrap();
    ring.remove("Node615").unwrap();
    assert_eq!(points(&ring).len(), 200, "there: 199");
    assert!(
        owners(&ring, &keys) == before,
        "added and removed is an identity"
    );
}

/// More pairs of labels with one hash: the node that joined first has the point in either order,
/// and the other one when that leaves (T02, <https://github.com/zeromicro/go-zero/issues/4747>).
#[test]
fn the_first_to_join_keeps_a_shared_point() {
    let cases = [
        ("node-14", "node-181", 1_158_989_090),
        ("node28", "node139", 1_868_893_502),
        ("server42", "server699", 3_396_466_893),
        ("Node320", "Node615", 4_007_766_069),
        ("Node484", "Node1377", 3_445_596_436),
        ("Node1402", "Node1767", 2_079_790_851),
        ("Node538", "Node2007", 2_620_472_005),
    ];
    for (a, b, point) in cases {
        for (first, second) in [(a, b), (b, a)] {
            let mut ring = cluster("linear-ring-node", &[first, second]);
            let keeper = |ring: &Cluster| {
                let points = points(ring).into_iter();
                let mut here = points.filter(|it| it.0 == Position::Unsigned(point));
                let keeper = here.next().unwrap().1;
                assert!(here.next().is_none());
                keeper
            };
            assert_eq!(points(&ring).len(), 199);
            assert_eq!(keeper(&ring), first);
            ring.remove(first).unwrap();
            assert_eq!(keeper(&ring), second);
            ring.add(first).unwrap();
            assert_eq!(keeper(&ring), second, "it joined first now");
            ring.replace(second, "other").unwrap();
            assert_eq!(keeper(&ring), first);
            ring.replace("other", second).unwrap();
            assert_eq!(keeper(&ring), second, "in the other's place in the order");
        }
    }
}

/// T03: a collision stopped the ring from being built, or dropped points that nobody saw.
/// <https://github.com/bitwalker/libring/issues/9>
#[test]
fn many_points_of_32_bits_collide_and_every_node_has_keys() {
    let ring = cluster("linear-ring-node", &names("n", 1000));
    // 100,000 labels: some are shared with a probability of 69 %, 1.2 in the mean.
    let n_points = points(&ring).len();
    assert!((99_990..=100_000).contains(&n_points), "{n_points}");
    assert!(ring.shares().unwrap().iter().all(|&share| share > 0.0));

    let mut ring = cluster("linear-ring-node:vnodes=128", &names("", 0));
    for i in 0..1024 {
        ring.add(i.to_string()).unwrap();
    }
    assert!(ring.shares().unwrap().iter().all(|&share| share > 0.0));
    assert_eq!(ring.nodes().len(), 1024);
}

/// An empty ring answers `undefined` in one class and `null` in the other.
#[test]
fn an_empty_ring_has_no_owner() {
    for spec in ["linear-ring-node-plain", "linear-ring-node"] {
        assert_eq!(cluster(spec, &names("", 0)).route(b"x"), None);
    }
}
