//! Known answers of `FlipHash`, with its 64-bit mixer and with XXH3 of the key's bytes.

use bucket_hash::checks;
use flip::{Flip, flip, hash64};
use point_hash::xxh3_seeded;
use router::{Catalog, Cluster, NodeSpec};

/// A key's bucket with a seed other than 0, which is folded into the key.
#[track_caller]
fn check_jabr(key: u64, seed: u64, buckets: &[(u64, u64)]) {
    for &(n, bucket) in buckets {
        let found = flip(n, |b, i| hash64(key ^ seed, b, i), &mut ());
        assert_eq!(found, bucket, "{key} of {n}, seed {seed}");
    }
}

/// The tests of jabr's port (fliphash, `test.ts`), which Datadog's crate confirms.
#[test]
fn published_answers() {
    check_jabr(
        987_650_123_450,
        0,
        &[
            (1, 0),
            (2, 1),
            (3, 2),
            (4, 2),
            (21, 2),
            (22, 21),
            (24, 21),
            (25, 24),
            (29, 24),
            (30, 29),
            (331, 29),
            (332, 331),
            (406, 331),
            (407, 406),
            (408, 407),
            (497, 407),
            (498, 497),
            (1_999, 497),
        ],
    );
    check_jabr(
        1_234,
        0,
        &[
            (2, 0),
            (8, 2),
            (16, 2),
            (22, 2),
            (25, 2),
            (32, 2),
            (100, 98),
            (271, 147),
            (331, 323),
        ],
    );
    check_jabr(
        987_650_123_450,
        123_456_789,
        &[
            (2, 0),
            (4, 0),
            (22, 16),
            (332, 261),
            (408, 261),
            (1_999, 1_935),
        ],
    );
    check_jabr(1_234, 987_654_321, &[(8, 6), (271, 114)]);
}

/// The numbers of buckets that the rows are about.
const SIZES: [u64; 21] = [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    10,
    11,
    16,
    17,
    18,
    19,
    100,
    1000,
    1001,
    65_536,
    1_000_000,
    1_000_001,
    1_099_511_627_776,
];

#[track_caller]
fn check_row(key: u64, buckets: &[u64; 21]) {
    for (n, &bucket) in SIZES.into_iter().zip(buckets) {
        let found = flip(n, |b, i| hash64(key, b, i), &mut ());
        assert_eq!(found, bucket, "{key} of {n}");
    }
}

/// Output of `fliphash_64` of Datadog's crate fliphash 0.1.0.
#[test]
fn rows_of_the_authors_crate() {
    check_row(
        0,
        &[
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
    );
    check_row(
        1,
        &[
            0,
            1,
            1,
            1,
            1,
            5,
            5,
            5,
            9,
            9,
            11,
            16,
            16,
            16,
            36,
            636,
            636,
            47_489,
            184_548,
            184_548,
            487_904_980_015,
        ],
    );
    check_row(
        2,
        &[
            0,
            1,
            1,
            1,
            1,
            5,
            5,
            5,
            9,
            9,
            9,
            16,
            16,
            16,
            16,
            104,
            104,
            30_463,
            497_948,
            497_948,
            302_298_042_744,
        ],
    );
    check_row(
        3_735_928_559,
        &[
            0,
            0,
            0,
            0,
            0,
            5,
            5,
            5,
            5,
            5,
            11,
            11,
            11,
            11,
            69,
            792,
            792,
            39_585,
            187_221,
            187_221,
            525_016_811_098,
        ],
    );
    check_row(
        10_427_592_028_180_905_159,
        &[
            0,
            1,
            1,
            1,
            1,
            1,
            1,
            1,
            1,
            1,
            13,
            13,
            13,
            13,
            13,
            452,
            452,
            22_535,
            583_461,
            583_461,
            717_791_004_675,
        ],
    );
    check_row(
        15_960_427_081_186_311_679,
        &[
            0,
            1,
            1,
            1,
            4,
            5,
            5,
            5,
            5,
            5,
            5,
            16,
            17,
            17,
            17,
            547,
            547,
            28_057,
            378_610,
            378_610,
            595_078_887_155,
        ],
    );
    check_row(
        18_446_744_073_709_551_615,
        &[
            0,
            1,
            1,
            1,
            4,
            5,
            5,
            5,
            5,
            5,
            5,
            5,
            5,
            5,
            42,
            272,
            272,
            57_010,
            83_562,
            83_562,
            365_682_765_470,
        ],
    );
}

#[track_caller]
fn check_xxh3(key: &str, buckets: [u64; 11]) {
    let sizes = [1, 2, 3, 8, 10, 16, 17, 100, 1000, 1001, 1_000_000];
    for (n, bucket) in sizes.into_iter().zip(buckets) {
        let h = |b, i| xxh3_seeded(key.as_bytes(), u64::from(b) + (u64::from(i) << 32));
        assert_eq!(flip(n, h, &mut ()), bucket, "{key:?} of {n}");
    }
}

/// Output of `fliphash_xxh3_64` of Datadog's crate fliphash 0.1.0, seed 0.
#[test]
fn rows_of_the_authors_crate_over_bytes() {
    check_xxh3("", [0, 0, 2, 3, 3, 3, 3, 67, 250, 250, 195_976]);
    check_xxh3("a", [0, 1, 1, 4, 8, 11, 11, 20, 532, 532, 287_389]);
    check_xxh3("abc", [0, 0, 0, 0, 0, 0, 0, 19, 402, 402, 682_438]);
    check_xxh3("hello", [0, 1, 1, 5, 8, 8, 8, 69, 230, 230, 192_838]);
    check_xxh3("user:1234", [0, 1, 1, 1, 1, 1, 1, 1, 287, 287, 306_878]);
}

#[test]
fn a_new_bucket_only_draws_keys() {
    checks::monotone(&Flip, 500, 300);
}

#[test]
fn work_and_shares_are_as_stated() {
    let expected = flip::STRATEGIES[0].expected;
    let no_params = router::Params::defaults(&[]);
    let sizes = [1, 2, 3, 4, 5, 7, 10, 64, 65, 100, 129];
    checks::theory(
        &Flip,
        |question| expected(&no_params, question),
        20_000,
        &sizes,
    );
}

/// A hash that never falls below n among the upper buckets ends the draws all the same.
#[test]
fn the_draws_end() {
    let beyond = |b: u32, i: u32| match (b, i) {
        (0, 0) => 0b111,
        (_, 0) => 0,
        _ => u64::MAX,
    };
    // Among 4 buckets the key is in 3; of three it never draws the third, nor the lower half.
    assert_eq!(flip(3, beyond, &mut ()), 1);
    let mut count = bucket_hash::Count::default();
    flip(3, beyond, &mut count);
    assert_eq!(count.probes, 1 + 64 + 1);
    assert_eq!(count.hash_evals, 1 + 1 + 64);
}

#[test]
fn a_long_walk_moves_nothing_for_nothing() {
    checks::walk(flip::STRATEGIES, "flip");
}

/// The owner is the node at the bucket of the key's XXH3-64, seed 0: that of the empty input is
/// 0x2d06800538d394c2, by the reference implementation; its buckets are from an implementation in
/// Python that has the published answers too.
#[test]
fn the_router_hashes_the_key_first() {
    let spec = Catalog::new(flip::STRATEGIES).unwrap();
    let spec = spec.parse("flip").unwrap();
    for (n, place) in [(1, 0), (2, 0), (3, 0), (10, 0), (100, 0), (1000, 710)] {
        let nodes: Vec<NodeSpec> = (0..n).map(|i| format!("n{i}").into()).collect();
        let cluster = Cluster::build(&spec, &nodes).unwrap();
        let owner = cluster.route(b"").unwrap();
        assert_eq!(cluster.nodes().position(owner), Some(place), "{n} nodes");
    }
}
