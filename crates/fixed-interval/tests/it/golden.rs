//! The exercise's million keys, against the program itself.

use point_hash::md5_hex;
use router::Cluster;

use super::{DEMO_KEYS, N_KEYS, START, n_moved, owners, place, published};

/// Node counts, owned hash values and the like of many runs of the program: a row a run.
const GOLDEN: &str = include_str!("golden_curve.csv");

fn numbers(field: &str) -> Vec<u64> {
    let words = field.split_ascii_whitespace();
    words.map(|it| it.parse().unwrap()).collect()
}

fn fingerprint(text: &[u8]) -> String {
    md5_hex(text).map(char::from).iter().collect()
}

fn population_sd(counts: &[u64]) -> f64 {
    let n = counts.len() as f64;
    let mean = counts.iter().sum::<u64>() as f64 / n;
    let squares: f64 = counts.iter().map(|&it| (it as f64 - mean).powi(2)).sum();
    (squares / n).sqrt()
}

#[track_caller]
fn check_keys(router: &Cluster, counts: &str, sd: &str, below: &str, owners_md5: &str) {
    let demo = &*DEMO_KEYS;
    let mut counted = vec![0; router.nodes().len()];
    let mut digits = vec![0; N_KEYS];
    let owners = owners(router, demo.keys.keys());
    for (&owner, &i) in owners.iter().zip(&demo.order) {
        let place = router.nodes().position(owner).unwrap();
        counted[place] += 1;
        digits[i] = b'0' + u8::try_from(place).unwrap();
    }
    assert_eq!(counted, numbers(counts), "counts");
    assert_eq!(format!("{:.3}", population_sd(&counted)), sd, "sd");
    if !owners_md5.is_empty() {
        assert_eq!(fingerprint(&digits), owners_md5, "owners");
    }
    if !below.is_empty() {
        let first = router.points().unwrap()[0].position;
        let first: i64 = first.to_string().parse().unwrap();
        let n_below = demo.hashes.partition_point(|&it| i64::from(it) < first);
        assert_eq!(n_below.to_string(), below, "keys below the first point");
    }
}

#[track_caller]
fn check_points(router: &Cluster, positions: &str, owned: &str, ring_md5: &str) {
    let points = router.points().unwrap();
    if !positions.is_empty() {
        assert_eq!(points.len().to_string(), positions, "positions");
    }
    if !ring_md5.is_empty() {
        let lines: String = points
            .iter()
            .map(|it| format!("{} {}\n", it.position, router.name(it.owner).unwrap()))
            .collect();
        assert_eq!(fingerprint(lines.as_bytes()), ring_md5, "ring");
    }
    if !owned.is_empty() {
        let shares = router.shares().unwrap();
        let values: Vec<u64> = shares
            .iter()
            .map(|share| (share * 2_f64.powi(32)) as u64)
            .collect();
        assert_eq!(values, numbers(owned), "hash values owned");
        assert_eq!(values.iter().sum::<u64>(), 1 << 32, "none is unowned");
    }
}

#[test]
fn every_run_of_the_program_is_reproduced() {
    let mut rows = GOLDEN.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(
        rows.next(),
        Some("nodes,vnodes,start,sd,counts,positions,below,owned,ring_md5,owners_md5")
    );
    let mut n_rows = 0;
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let &[
            n,
            vnodes,
            start,
            sd,
            counts,
            positions,
            below,
            owned,
            ring_md5,
            owners_md5,
        ] = fields.as_slice()
        else {
            panic!("{row}: ten fields")
        };
        eprintln!("{n} nodes, vnodes {vnodes}, start {start}"); // shown if a row fails
        let router = published(
            vnodes.parse().unwrap(),
            start.parse().unwrap(),
            n.parse().unwrap(),
        );
        check_points(&router, positions, owned, ring_md5);
        check_keys(&router, counts, sd, below, owners_md5);
        n_rows += 1;
    }
    assert_eq!(n_rows, 114);
}

/// The three standard deviations by which the exercise is known: it falls, then rises, then falls.
#[test]
fn more_points_are_not_more_even() {
    for (vnodes, sd) in [(900, "4230"), (1500, "60879"), (5000, "13380")] {
        let row = GOLDEN
            .lines()
            .find(|line| line.starts_with(&format!("10,{vnodes},{START},")))
            .unwrap();
        let counts = numbers(row.split(',').nth(4).unwrap());
        assert_eq!(format!("{:.0}", population_sd(&counts)), sd, "{vnodes}");
    }
}

#[track_caller]
fn check_moved(from: &Cluster, to: &Cluster, expected: usize) {
    let keys = DEMO_KEYS.keys.keys();
    // The ids of 0, 1, 2 ... are equal in clusters that were built in this order.
    assert_eq!(n_moved(&owners(from, keys), &owners(to, keys)), expected);
}

#[test]
fn a_rebuild_moves_most_keys() {
    let ten = published(1500, START, 10);
    let mut eleven = ten.clone();
    eleven.add("10").unwrap();
    check_moved(&ten, &eleven, 852_740);
    let mut nine = ten.clone();
    nine.remove("9").unwrap();
    check_moved(&ten, &nine, 914_571);
    check_moved(&ten, &published(1501, START, 10), 825_833);
}

#[test]
fn another_start_is_another_placement() {
    let ten = published(1500, START, 10);
    for (start, expected) in [
        (i32::MIN, 1),
        (i32::MIN + 12_345, 14_409),
        (i32::MIN + 100_000, 95_868),
        (i32::MIN + 700_000, 455_509),
        (i32::MIN + 1_431_656, N_KEYS),
        (i32::MIN + 14_316_551, 0),
        (i32::MIN + 1_000_000_007, N_KEYS),
        (0, 921),
    ] {
        check_moved(&ten, &published(1500, start, 10), expected);
    }
}

/// Key, `String.hashCode`, and the point and node that the program gives at 10, 900 and 1500.
#[track_caller]
fn check_sample(key: &str, hash: i32, expected: [(i32, usize); 3]) {
    assert_eq!(point_hash::java_hash_code(key.as_bytes()), hash, "{key}");
    for (vnodes, (position, node)) in [10, 900, 1500].into_iter().zip(expected) {
        let router = published(vnodes, START, 10);
        assert_eq!(place(&router, key), node, "{key} at {vnodes}");
        let trace = router.trace(key.as_bytes()).unwrap();
        assert_eq!(trace.key_hash.unwrap().to_string(), hash.to_string());
        let point = trace.point.unwrap().to_string();
        assert_eq!(point, position.to_string(), "{key} at {vnodes}");
    }
}

#[test]
fn single_keys_as_the_program_places_them() {
    check_sample(
        "testHashInDemo0",
        -1_997_566_040,
        [
            (-1_932_735_347, 0),
            (-1_999_545_943, 1),
            (-1_998_591_527, 3),
        ],
    );
    check_sample(
        "testHashInDemo1",
        -1_997_566_039,
        [
            (-1_932_735_347, 0),
            (-1_999_545_943, 1),
            (-1_998_591_527, 3),
        ],
    );
    check_sample(
        "testHashInDemo9",
        -1_997_566_031,
        [
            (-1_932_735_347, 0),
            (-1_999_545_943, 1),
            (-1_998_591_527, 3),
        ],
    );
    check_sample(
        "testHashInDemo10",
        -1_795_005_017,
        [
            (-1_932_735_283, 0),
            (-1_796_728_123, 6),
            (-1_795_296_517, 5),
        ],
    );
    check_sample(
        "testHashInDemo99999",
        1_651_053_937,
        [(1_503_238_541, 6), (1_648_788_725, 0), (1_650_697_068, 2)],
    );
    check_sample(
        "testHashInDemo123456",
        -592_616_981,
        [(-644_245_099, 6), (-594_137_755, 0), (-592_706_317, 5)],
    );
    check_sample(
        "testHashInDemo999999",
        -356_935_448,
        [(-429_496_735, 7), (-357_914_647, 9), (-357_914_897, 9)],
    );
    check_sample(
        "testHashInDemo1000000",
        -1_251_410_199,
        [
            (-1_288_490_191, 3),
            (-1_252_699_147, 4),
            (-1_252_699_272, 4),
        ],
    );
    check_sample("", 0, [(-7, 9), (-847, 9), (-1_147, 9)]);
    check_sample("a", 97, [(-7, 9), (-847, 9), (-1_147, 9)]);
    check_sample(
        "user0",
        111_578_565,
        [(-7, 9), (109_759_385, 5), (110_236_288, 6)],
    );
    check_sample(
        "192.168.1.1",
        55_965_973,
        [(-7, 9), (54_879_269, 2), (55_833_398, 8)],
    );
    check_sample(
        "订单42",
        1_085_411_761,
        [(1_073_741_813, 4), (1_083_284_921, 3), (1_085_193_343, 7)],
    );
    check_sample(
        "naïve",
        104_710_475,
        [(-7, 9), (102_601_109, 2), (104_509_668, 2)],
    );
    check_sample("😀", 1_772_899, [(-7, 9), (-847, 9), (1_430_508, 0)]);
}
