//! Known answers of jump, its other form, and what moves when it is misused.

use std::collections::BTreeMap;

use bucket_hash::{BucketFn, Jump, MAX_BUCKETS, checks};
use point_hash::{SplitMix64, md5};
use router::{Catalog, Cluster, ErrorKind, NodeSpec};

fn jump(key_hash: u64, n: u32) -> u32 {
    Jump.bucket(key_hash, n, &mut ())
}

/// A hash's buckets among 1, 2, 3, ... buckets. The published rows were made with the authors' C++
/// code (go-jump, `jump_test.go`, "Generated from the reference C++ code").
#[track_caller]
fn check_row(key_hash: u64, buckets: &[u32]) {
    for (n, &bucket) in (1..).zip(buckets) {
        assert_eq!(jump(key_hash, n), bucket, "{key_hash:#x} of {n}");
    }
}

#[test]
fn rows_of_the_reference_code() {
    check_row(0, &[0; 20]);
    check_row(
        1,
        &[
            0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 17, 17, 17,
        ],
    );
    check_row(
        0xdead_beef,
        &[
            0, 1, 2, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 16, 16, 16, 16,
        ],
    );
    check_row(
        0x0ddc_0ffe_ebad_f00d,
        &[
            0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 15, 15, 15, 15, 15,
        ],
    );
    // The one that the crate's page draws.
    check_row(995, &[0, 0, 2, 2, 2, 2, 2, 7, 7, 7, 7, 7, 12]);
}

/// Guava's `HashingTest` and go-jump's `TestGolden`: keys 0 to 19 among 100 buckets.
#[test]
fn golden_row_of_guava() {
    let golden = [
        0, 55, 62, 8, 45, 59, 86, 97, 82, 59, 73, 37, 17, 56, 86, 21, 90, 37, 38, 83,
    ];
    for (key, bucket) in (0..).zip(golden) {
        assert_eq!(jump(key, 100), bucket, "{key} of 100");
    }
}

#[track_caller]
fn check(key_hash: u64, n: u32, bucket: u32) {
    assert_eq!(jump(key_hash, n), bucket, "{key_hash} of {n}");
}

#[test]
fn single_answers() {
    // go-jump, `TestGolden`, where other languages' ports had differed.
    check(10_863_919_174_838_991, 11, 6);
    check(2_016_238_256_797_177_309, 11, 3);
    check(1_673_758_223_894_951_030, 11, 5);
    check(2, 100_001, 80_343);
    check(2201, 100_001, 22_152);
    check(2202, 100_001, 15_018);
    // From running the paper's figure 1 elsewhere.
    check(1, 10, 6);
    check(1, 1000, 549);
    check(42, 1000, 571);
    check(u64::MAX, 1000, 313);
    check(10_000, 10, 6);
    check(10_000, 20, 18);
}

/// The last bucket numbers that a signed 32-bit integer holds; from running figure 1 elsewhere.
#[test]
fn as_many_buckets_as_there_can_be() {
    check(1, MAX_BUCKETS, 262_355_607);
    check(0, MAX_BUCKETS, 0);
    check(u64::MAX, MAX_BUCKETS, 699_554_662);
    check(1 << 63, MAX_BUCKETS, 1_119_800_965);
    check((1 << 63) - 1, MAX_BUCKETS, 213_047_985);
    check(0x9999_9999_9999_9999, MAX_BUCKETS, 1_909_847_208);
    check(0x9999_9999_9999_9999, 1_000_000, 341_700);
    check(0x100, MAX_BUCKETS, 74_751_002);
    check(0x100, 65_536, 8799);
}

/// Guava's form: the scale is divided out of the divisor, and a jump beyond the last 32-bit integer
/// stays there.
fn jump_as_guava(mut state: u64, n: i32) -> i32 {
    let mut candidate = 0;
    loop {
        state = state
            .wrapping_mul(2_862_933_555_777_941_757)
            .wrapping_add(1);
        let random = ((state >> 33) + 1) as f64 / 2_147_483_648.0;
        let next = ((f64::from(candidate) + 1.0) / random) as i32;
        if !(0..n).contains(&next) {
            return candidate;
        }
        candidate = next;
    }
}

#[test]
fn the_other_form_parts_only_where_doubles_run_out_of_digits() {
    // Two of the few that were found among 20,000,000 random hashes.
    for (key_hash, guava, paper) in [
        (14_705_711_519_691_767_597, 1_918_241_565, 1_918_241_566),
        (13_099_301_952_140_421_980, 1_983_924_054, 1_983_924_053),
    ] {
        assert_eq!(jump_as_guava(key_hash, i32::MAX), guava, "{key_hash}");
        check(key_hash, MAX_BUCKETS, paper);
    }
    let mut draws = SplitMix64::new(5);
    for n in [1, 10, 1000, 1_000_000] {
        for _ in 0..20_000 {
            let key_hash = draws.draw();
            let guava = jump_as_guava(key_hash, n);
            check(key_hash, n.cast_unsigned(), guava.cast_unsigned());
        }
    }
}

#[test]
fn a_new_bucket_only_draws_keys() {
    checks::monotone(&Jump, 500, 300);
}

#[test]
fn work_and_shares_are_as_stated() {
    let expected = jump::STRATEGIES[0].expected;
    let no_params = router::Params::defaults(&[]);
    let sizes = [1, 2, 3, 10, 64, 65, 100];
    checks::theory(
        &Jump,
        |question| expected(&no_params, question),
        20_000,
        &sizes,
    );
}

#[test]
fn a_long_walk_moves_nothing_for_nothing() {
    checks::walk(jump::STRATEGIES, "jump");
}

fn cluster(n: usize) -> Cluster {
    let spec = Catalog::new(jump::STRATEGIES).unwrap();
    let spec = spec.parse("jump").unwrap();
    let nodes: Vec<NodeSpec> = (0..n).map(|i| format!("n{i}").into()).collect();
    Cluster::build(&spec, &nodes).unwrap()
}

/// The owner is the node at the bucket of the key's XXH3-64, seed 0: that of the empty input is
/// 0x2d06800538d394c2, by the reference implementation; its buckets are from running figure 1.
#[test]
fn the_router_hashes_the_key_first() {
    for (n, place) in [(1, 0), (2, 0), (10, 0), (100, 52), (1000, 241)] {
        let cluster = cluster(n);
        let owner = cluster.route(b"").unwrap();
        assert_eq!(cluster.nodes().position(owner), Some(place), "{n} nodes");
    }
}

/// The first eight bytes, big-endian, of the MD5 of `key-0` to `key-9999`.
fn md5_keys() -> impl Iterator<Item = u64> {
    (0..10_000).map(|i| {
        let [a, b, c, d, e, f, g, h, ..] = md5(format!("key-{i}").as_bytes());
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    })
}

/// How many keys are on another node when the list of nodes becomes another one.
fn n_moved(before: &[&str], after: &[&str]) -> usize {
    let owner = |nodes: &[&str], key| nodes[jump(key, nodes.len() as u32) as usize].to_owned();
    let moves = md5_keys().filter(|&key| owner(before, key) != owner(after, key));
    moves.count()
}

/// What operators met who took a node out of the middle, or sorted their list as text. The counts
/// are from running figure 1 elsewhere over the same keys.
#[test]
fn misuse_moves_what_need_not_move() {
    let four = ["n0", "n1", "n2", "n3"];
    let on_the_second = md5_keys().filter(|&key| jump(key, 4) == 1).count();
    assert_eq!(on_the_second, 2535);
    assert_eq!(n_moved(&four, &["n0", "n2", "n3"]), 6707, "closing ranks");
    assert_eq!(n_moved(&four, &["n0", "n3", "n2"]), 4168, "the last for it");
    assert_eq!(
        cluster(4).remove("n1").map_err(|err| err.kind()),
        Err(ErrorKind::OnlyLast)
    );

    let nine: Vec<String> = (1..=9).map(|i| format!("node{i}")).collect();
    let nine: Vec<&str> = nine.iter().map(String::as_str).collect();
    let mut behind = nine.clone();
    behind.push("node10");
    let mut as_text = behind.clone();
    as_text.sort_unstable();
    assert_eq!(as_text[1], "node10");
    assert_eq!(n_moved(&nine, &behind), 1010);
    assert_eq!(n_moved(&nine, &as_text), 8913);
}

/// No bucket stays empty on sequential keys that nobody hashed: smallest and largest bucket of
/// 500,000 keys among 2300, from running figure 1 elsewhere.
#[test]
fn sequential_hashes_fill_every_bucket() {
    let mut counts = BTreeMap::new();
    for key in 0..500_000 {
        *counts.entry(jump(key, 2300)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 2300);
    assert_eq!(counts.values().min(), Some(&173));
    assert_eq!(counts.values().max(), Some(&274));
}

/// Many keys at once, which are walked together in doubles, get the buckets that each gets alone.
#[test]
fn together_as_alone() {
    let mut draws = SplitMix64::new(11);
    // Hashes whose first steps have the least and the most random bits, and others.
    let extreme = [0, 1, 2, 995, u64::MAX, 1 << 63, (1 << 33) - 1, 1 << 33];
    let mut hashes: Vec<u64> = extreme.to_vec();
    hashes.extend((0..1_000_000).map(|_| draws.draw()));
    let mut together = vec![0; hashes.len()];
    for n in [1, 2, 3, 10, 1000, 1_000_003, MAX_BUCKETS - 1, MAX_BUCKETS] {
        // Alone at 2^31 costs three times as much: fewer there.
        let hashes = &hashes[..if n > 1000 { 100_000 } else { hashes.len() }];
        Jump.buckets(hashes, n, &mut together[..hashes.len()]);
        for (&hash, &bucket) in hashes.iter().zip(&together) {
            assert_eq!(bucket, jump(hash, n), "{hash:#x} of {n}");
        }
    }
    for len in 0..200 {
        let mut together = vec![u32::MAX; len];
        Jump.buckets(&hashes[..len], 40, &mut together);
        let alone: Vec<u32> = hashes[..len].iter().map(|&hash| jump(hash, 40)).collect();
        assert_eq!(together, alone, "{len} keys");
    }
}
