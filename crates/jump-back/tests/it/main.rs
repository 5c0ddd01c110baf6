//! Known answers of `JumpBackHash`, with SplitMix64 as hash4j draws.

mod checksum;

use bucket_hash::{BucketFn, JumpBack, checks};
use router::{Catalog, Cluster, NodeSpec};

fn jump_back(key_hash: u64, n: u32) -> u32 {
    JumpBack.bucket(key_hash, n, &mut ())
}

/// The numbers of buckets that the rows are about.
const SIZES: [u32; 18] = [
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
    16,
    17,
    100,
    1000,
    1001,
    65_536,
    1_000_000,
    2_147_483_647,
];

#[track_caller]
fn check_row(key_hash: u64, buckets: &[u32; 18]) {
    for (n, &bucket) in SIZES.into_iter().zip(buckets) {
        assert_eq!(jump_back(key_hash, n), bucket, "{key_hash:#x} of {n}");
    }
}

/// From an implementation elsewhere that has hash4j's checksum too.
#[test]
fn rows() {
    check_row(
        0x0000_0000_0000_0000,
        &[
            0,
            0,
            0,
            3,
            4,
            4,
            4,
            7,
            7,
            7,
            7,
            7,
            25,
            313,
            313,
            19_887,
            567_353,
            454_938_031,
        ],
    );
    check_row(
        0x0000_0000_0000_0001,
        &[
            0,
            1,
            1,
            1,
            1,
            5,
            5,
            5,
            5,
            5,
            12,
            12,
            33,
            492,
            492,
            23_745,
            667_116,
            285_879_788,
        ],
    );
    check_row(
        0x0000_0000_0000_0002,
        &[
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            30,
            990,
            990,
            30_174,
            538_078,
            211_244_750,
        ],
    );
    check_row(
        0x0000_0000_0000_0003,
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
            9,
            13,
            13,
            13,
            484,
            484,
            38_116,
            726_244,
            1_526_829_037,
        ],
    );
    check_row(
        0x0000_0000_dead_beef,
        &[
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            7,
            7,
            7,
            7,
            7,
            27,
            923,
            923,
            27_547,
            387_995,
            719_304_975,
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
            1,
            1,
            1,
            1,
            1,
            68,
            324,
            324,
            11_844,
            716_356,
            506_129_988,
        ],
    );
    check_row(
        0x7f74_87ee_708c_8a96,
        &[
            0, 1, 1, 1, 4, 4, 4, 4, 4, 4, 4, 4, 81, 996, 996, 25_060, 783_249, 69_247_460,
        ],
    );
    check_row(
        0x6265_648f_bc79_7f25,
        &[
            0,
            0,
            0,
            3,
            3,
            5,
            5,
            5,
            5,
            5,
            11,
            11,
            91,
            859,
            859,
            3_365,
            995_163,
            207_037_733,
        ],
    );
    check_row(
        0x85ef_23a0_b545_d53b,
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
            14,
            16,
            16,
            816,
            816,
            37_934,
            71_472,
            536_090_416,
        ],
    );
    check_row(
        0xffff_ffff_ffff_ffff,
        &[
            0,
            1,
            2,
            2,
            2,
            2,
            2,
            7,
            7,
            7,
            7,
            16,
            73,
            288,
            288,
            27_680,
            863_264,
            1_533_357_088,
        ],
    );
}

/// The hashes of hash4j's README, `ConsistentHashingDemo`.
#[test]
fn the_published_example() {
    for (key_hash, of_two, of_three) in [
        (0x7f74_87ee_708c_8a96, 1, 1),
        (0x6265_648f_bc79_7f25, 0, 0),
        (0x85ef_23a0_b545_d53b, 0, 2),
    ] {
        assert_eq!(jump_back(key_hash, 2), of_two, "{key_hash:#x}");
        assert_eq!(jump_back(key_hash, 3), of_three, "{key_hash:#x}");
    }
}

#[test]
fn a_new_bucket_only_draws_keys() {
    checks::monotone(&JumpBack, 500, 300);
}

#[test]
fn work_and_shares_are_as_stated() {
    let expected = jump_back::STRATEGIES[0].expected;
    let no_params = router::Params::defaults(&[]);
    let sizes = [1, 2, 3, 4, 5, 7, 10, 64, 65, 100, 129];
    checks::theory(
        &JumpBack,
        |question| expected(&no_params, question),
        20_000,
        &sizes,
    );
}

#[test]
fn a_long_walk_moves_nothing_for_nothing() {
    checks::walk(jump_back::STRATEGIES, "jump-back");
}

/// The owner is the node at the bucket of the key's XXH3-64, seed 0: that of the empty input is
/// 0x2d06800538d394c2, by the reference implementation; its buckets are from an implementation in Python.
#[test]
fn the_router_hashes_the_key_first() {
    let spec = Catalog::new(jump_back::STRATEGIES).unwrap();
    let spec = spec.parse("jump-back").unwrap();
    for (n, place) in [(1, 0), (2, 1), (3, 2), (10, 5), (100, 17), (1000, 881)] {
        let nodes: Vec<NodeSpec> = (0..n).map(|i| format!("n{i}").into()).collect();
        let cluster = Cluster::build(&spec, &nodes).unwrap();
        let owner = cluster.route(b"").unwrap();
        assert_eq!(cluster.nodes().position(owner), Some(place), "{n} nodes");
    }
}
