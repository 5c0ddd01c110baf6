//! Known answers of the published rule, and the theory of the control.

mod theory;

use modulo::{JavaHash, KeyHash, Xxh3};
use router::{Catalog, Cluster, ErrorKind, KeyBuf, Keys, NodeId, NodeSpec, Position};

const MILLION: usize = 1_000_000;

fn catalog() -> Catalog {
    Catalog::new(modulo::STRATEGIES).unwrap()
}

/// A cluster of nodes `0` to `n - 1`, so that a node's name is its place.
fn cluster(strategy: &str, n: usize) -> Cluster {
    let nodes: Vec<NodeSpec> = (0..n).map(|i| i.to_string().into()).collect();
    Cluster::build(&catalog().parse(strategy).unwrap(), &nodes).unwrap()
}

fn place(cluster: &Cluster, key: impl AsRef<[u8]>) -> usize {
    let owner = cluster.route(key.as_ref()).unwrap();
    cluster.nodes().position(owner).unwrap()
}

fn owners(cluster: &Cluster, keys: Keys<'_>) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    assert!(cluster.route_batch(keys, &mut owners));
    owners
}

fn numbered(prefix: &str) -> KeyBuf {
    (0..MILLION).map(|i| format!("{prefix}{i}")).collect()
}

fn n_moved(before: &[NodeId], after: &[NodeId]) -> usize {
    before.iter().zip(after).filter(|(a, b)| a != b).count()
}

/// Counts and moved keys of `Math.floorMod(key.hashCode(), size)`, from running the rule of the
/// article on splitting tables (OpenJDK 17) over a million keys.
#[track_caller]
fn check_million(prefix: &str, moved_to_11: usize, moved_to_9: usize) {
    let keys = numbered(prefix);
    let ten = cluster("modulo-java", 10);
    let before = owners(&ten, keys.keys());

    let mut counts = [0; 10];
    for &owner in &before {
        counts[ten.nodes().position(owner).unwrap()] += 1;
    }
    assert_eq!(counts, [MILLION / 10; 10], "{prefix}: counts");

    let mut eleven = ten.clone();
    eleven.add("10").unwrap();
    assert_eq!(
        n_moved(&before, &owners(&eleven, keys.keys())),
        moved_to_11,
        "{prefix}: 10 to 11"
    );
    let mut nine = ten.clone();
    nine.remove("9").unwrap();
    assert_eq!(
        n_moved(&before, &owners(&nine, keys.keys())),
        moved_to_9,
        "{prefix}: 10 to 9"
    );
}

#[test]
fn a_million_keys_as_the_published_rule_counts_them() {
    check_million("user", 909_092, 948_515);
    check_million("", 909_079, 942_146);
    check_million("order", 909_132, 956_029);
}

/// A key, its `String.hashCode`, and the places that `floorMod` gives for these sizes.
#[track_caller]
fn check_places(key: &str, hash: i32, places: &[(usize, usize)]) {
    assert_eq!(JavaHash::of(key.as_bytes()), hash, "{key}: hash");
    for &(n, expected) in places {
        assert_eq!(
            place(&cluster("modulo-java", n), key),
            expected,
            "{key} of {n}"
        );
    }
}

#[test]
fn a_negative_hash_has_a_place() {
    check_places("user10", -836_031_702, &[(10, 8)]);
    check_places("user11", -836_031_701, &[(10, 9)]);
    check_places("user12", -836_031_700, &[(10, 0)]);
    check_places("user13", -836_031_699, &[(10, 1)]);
    check_places("user14", -836_031_698, &[(10, 2)]);
    check_places("order0", -1_008_770_398, &[(10, 2)]);
    check_places("order4", -1_008_770_394, &[(10, 6)]);
    check_places("1700000", -2_136_549_942, &[(10, 8)]);
    check_places("ffffff", -1_277_454_784, &[(3, 2), (5, 1), (7, 3)]);
}

#[test]
fn the_hash_without_a_positive_twin_has_a_place() {
    for key in ["polygenelubricants", "GydZG_", "DESIGNING WORKHOUSES"] {
        let places = [(2, 0), (3, 1), (5, 2), (7, 5), (8, 0), (10, 2)];
        check_places(key, i32::MIN, &places);
    }
}

#[test]
fn every_edge_of_the_hash_space_has_a_place() {
    for n in [1, 2, 3, 5, 7, 8, 10, 255, 65_537] {
        for hash in [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX] {
            let place = JavaHash::place(hash, n);
            assert_eq!(place as i64, i64::from(hash).rem_euclid(n as i64));
            assert!(place < n, "{hash} of {n}: {place}");
        }
        assert_eq!(Xxh3::place(0, n), 0);
        assert_eq!(Xxh3::place(u64::MAX, n), (u64::MAX % n as u64) as usize);
    }
}

#[test]
fn keys_that_java_hashes_alike_share_a_place() {
    let ten = cluster("modulo-java", 10);
    assert_eq!(place(&ten, "Aa"), place(&ten, "BB"));
    assert_ne!(
        place(&cluster("modulo", 10), "Aa"),
        place(&cluster("modulo", 10), "BB")
    );
    // Invalid UTF-8 counts as U+FFFD, so these two are one text.
    assert_eq!(place(&ten, b"\xff"), place(&ten, "\u{fffd}"));
}

#[test]
fn the_control_divides_all_64_bits() {
    // XXH3-64 of the empty input, from the reference implementation.
    assert_eq!(Xxh3::of(b""), 0x2d06_8005_38d3_94c2);
    for n in [1, 2, 3, 10, 1000] {
        let expected = (0x2d06_8005_38d3_94c2_u64 % n as u64) as usize;
        assert_eq!(place(&cluster("modulo", n), ""), expected, "{n} nodes");
    }
}

/// Newcomers stand last and a replacement keeps the place, whatever the names sort to.
#[test]
fn places_follow_the_joining_order() {
    for strategy in ["modulo", "modulo-java"] {
        let spec = catalog().parse(strategy).unwrap();
        let names: Vec<NodeSpec> = (1..=9).map(|i| format!("node{i}").into()).collect();
        let mut grown = Cluster::build(&spec, &names).unwrap();
        grown.add("node10").unwrap();
        grown.replace("node2", "a").unwrap();
        let order: Vec<&str> = grown.nodes().iter().map(|node| &*node.name).collect();
        assert_eq!(order[1], "a");
        assert_eq!(order[9], "node10");

        let ten = cluster(strategy, 10);
        for i in 0..1000 {
            let key = format!("key-{i}");
            assert_eq!(place(&grown, &key), place(&ten, &key), "{strategy}: {key}");
        }
    }
}

#[test]
fn a_look_up_hashes_once_and_reads_one_entry() {
    for (strategy, hash) in [
        ("modulo", Position::Unsigned(Xxh3::of(b"user10").into())),
        ("modulo-java", Position::Signed(-836_031_702)),
    ] {
        let trace = cluster(strategy, 10).trace(b"user10").unwrap();
        assert_eq!((trace.hash_evals, trace.probes), (1, 1), "{strategy}");
        assert_eq!(trace.batch_probes, 1.0, "{strategy}");
        assert_eq!(trace.key_hash, Some(hash), "{strategy}");
    }
}

#[test]
fn it_refuses_parameters_and_weights() {
    let err = catalog().parse("modulo:vnodes=3").unwrap_err();
    assert_eq!(err.kind(), ErrorKind::Syntax);
    let mut ten = cluster("modulo", 10);
    let err = ten.set_weight("3", 2).unwrap_err();
    assert_eq!(err.kind(), ErrorKind::NoWeights);
    assert!(err.is_unsupported());
}

#[test]
fn an_empty_cluster_answers_nobody() {
    for strategy in ["modulo", "modulo-java"] {
        let mut nodes = cluster(strategy, 0);
        assert_eq!(nodes.route(b"hello"), None);
        assert_eq!(nodes.shares(), None);
        nodes.add("a").unwrap();
        assert_eq!(nodes.route(b"hello"), nodes.id("a"));
        nodes.remove("a").unwrap();
        assert_eq!(nodes.route(b"hello"), None);
    }
}
