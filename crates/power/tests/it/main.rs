//! Known answers of power consistent hashing, and what it promises.

use bucket_hash::{BucketFn, checks};
use power::Power;
use router::{Catalog, Cluster, NodeSpec};

/// The numbers of buckets that the rows are about.
const SIZES: [u32; 20] = [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    16,
    17,
    100,
    129,
    1000,
    65_537,
    1_000_000,
    1_073_741_825,
    2_147_483_647,
];

#[track_caller]
fn check_row(key_hash: u64, buckets: &[u32; 20]) {
    for (n, &bucket) in SIZES.into_iter().zip(buckets) {
        let found = Power.bucket(key_hash, n, &mut ());
        assert_eq!(found, bucket, "{key_hash:#x} of {n}");
    }
}

/// No answers are published: these are from an implementation in Python of the definition on the
/// crate's page.
#[test]
fn rows() {
    check_row(
        0x0000_0000_0000_0000,
        &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    check_row(
        0x0000_0000_0000_0001,
        &[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    );
    check_row(
        0x0000_0000_0000_0002,
        &[0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    );
    check_row(
        0x0000_0000_dead_beef,
        &[
            0,
            1,
            2,
            2,
            2,
            5,
            5,
            5,
            8,
            8,
            8,
            8,
            8,
            63,
            115,
            894,
            37_235,
            524_651,
            331_770_121,
            1_943_422_250,
        ],
    );
    check_row(
        0x0ddc_0ffe_ebad_f00d,
        &[
            0,
            1,
            1,
            1,
            1,
            1,
            1,
            7,
            7,
            7,
            10,
            10,
            10,
            10,
            10,
            10,
            39_848,
            947_371,
            857_596_380,
            2_056_152_725,
        ],
    );
    check_row(
        0x7f74_87ee_708c_8a96,
        &[
            0,
            0,
            2,
            2,
            4,
            4,
            4,
            4,
            4,
            4,
            4,
            4,
            4,
            29,
            29,
            724,
            41_454,
            858_394,
            789_516_672,
            1_947_071_336,
        ],
    );
    check_row(
        0xffff_ffff_ffff_ffff,
        &[
            0,
            1,
            1,
            3,
            3,
            5,
            5,
            5,
            5,
            5,
            10,
            10,
            10,
            51,
            101,
            540,
            46_312,
            926_073,
            963_345_219,
            1_847_101_188,
        ],
    );
}

#[test]
fn a_new_bucket_only_draws_keys() {
    checks::monotone(&Power, 2000, 300);
    checks::monotone(&Power, 20, 5000);
}

#[test]
fn work_and_shares_are_as_stated() {
    let expected = power::STRATEGIES[0].expected;
    let no_params = router::Params::defaults(&[]);
    let sizes = [1, 2, 3, 4, 5, 6, 7, 10, 12, 64, 65, 100, 129];
    checks::theory(
        &Power,
        |question| expected(&no_params, question),
        40_000,
        &sizes,
    );
}

#[test]
fn a_long_walk_moves_nothing_for_nothing() {
    checks::walk(power::STRATEGIES, "power");
}

/// The owner is the node at the bucket of the key's XXH3-64, seed 0: that of the empty input is
/// 0x2d06800538d394c2, by the reference implementation; its buckets are from the same program.
#[test]
fn the_router_hashes_the_key_first() {
    let spec = Catalog::new(power::STRATEGIES).unwrap();
    let spec = spec.parse("power").unwrap();
    for (n, place) in [(1, 0), (2, 0), (3, 2), (10, 2), (100, 89), (1000, 155)] {
        let nodes: Vec<NodeSpec> = (0..n).map(|i| format!("n{i}").into()).collect();
        let cluster = Cluster::build(&spec, &nodes).unwrap();
        let owner = cluster.route(b"").unwrap();
        assert_eq!(cluster.nodes().position(owner), Some(place), "{n} nodes");
    }
}
