//! Node names, keys and popularity: reproducible, distinct, and the same in pieces.
//!
//! Expected values come from an independent program (Python, `hashlib` and whole-number arithmetic)
//! that was written from the documentation of the generators alone.

use std::{collections::HashSet, ops::Range, sync::Arc};

use bench_harness::workload::{
    KeyFile, KeySet, NodeNames, Popularity, Purpose, below, node_names, ranks, stream, zipf_shares,
};
use rand::Rng;
use router::KeyBuf;

fn texts(keys: &KeyBuf) -> Vec<String> {
    keys.keys()
        .iter()
        .map(|key| String::from_utf8(key.to_vec()).expect("generated keys are text"))
        .collect()
}

#[test]
fn streams_begin_as_documented() {
    #[track_caller]
    fn check(purpose: Purpose, first_draws: [u64; 3]) {
        let draws = [7, 0, u64::MAX].map(|seed| stream(seed, purpose).next_u64());
        assert_eq!(draws, first_draws, "{purpose:?}");
    }
    check(
        Purpose::NodeNames,
        [
            0xc9dc_46ed_7a92_4d4a,
            0xf241_c2bc_0672_4173,
            0x68e9_91c8_8ffb_cda7,
        ],
    );
    check(
        Purpose::Keys,
        [
            0x728b_5fa5_89d0_ae4c,
            0xcd64_f15a_769c_b831,
            0xde6e_94ca_3fac_acaf,
        ],
    );
    check(
        Purpose::Changes,
        [
            0x42e8_25a6_59f4_6ca3,
            0xd22a_258d_dd0e_3537,
            0xdbe6_bf3d_b115_42fd,
        ],
    );
    check(
        Purpose::Order,
        [
            0x1d5c_aa8d_c165_10dc,
            0xec21_453c_bae7_4b30,
            0xf9b6_ffe5_a592_72bb,
        ],
    );
    check(
        Purpose::Popularity,
        [
            0xf5c0_fc65_3700_a0a6,
            0x55ed_0de6_b0a5_91eb,
            0x592a_7914_071d_8e83,
        ],
    );
    check(
        Purpose::Noise,
        [
            0x555d_ab3f_463b_d304,
            0xe171_4f12_3837_1d06,
            0x680c_b5e5_66fe_567c,
        ],
    );
}

#[test]
fn numbers_below_a_limit_meet_all_of_it() {
    let mut rng = stream(1, Purpose::Order);
    let mut counts = [0; 5];
    for _ in 0..5000 {
        counts[below(&mut rng, 5)] += 1;
    }
    // Each count is binomial with mean 1000 and standard deviation 28.3; 6 of them on either side
    // are passed by chance once in 10^8.
    assert!(
        counts.iter().all(|&n| (830..=1170).contains(&n)),
        "{counts:?}"
    );
    assert_eq!(below(&mut rng, 1), 0);
}

#[test]
fn node_names_begin_as_documented() {
    assert_eq!(
        node_names(7, 4),
        [
            "10.201.220.70:11211",
            "10.91.202.10:11211",
            "10.205.19.50:11211",
            "10.63.150.141:11211"
        ]
    );
    assert_eq!(
        node_names(0, 2),
        ["10.242.65.194:11211", "10.165.84.71:11211"]
    );
}

#[test]
fn there_are_as_many_distinct_nodes_as_asked() {
    for n in [0, 1, 10, 10_000, 300_000] {
        let names = node_names(3, n);
        assert_eq!(names.len(), n);
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), n);
    }
}

#[test]
fn more_nodes_extend_the_list() {
    let hundred = node_names(5, 100);
    assert_eq!(node_names(5, 99), hundred[..99]);
    assert_eq!(NodeNames::new(5).nth(99).as_ref(), hundred.last());
}

#[test]
fn another_seed_names_other_nodes() {
    let [one, two] = [1, 2].map(|seed| node_names(seed, 1000));
    assert_eq!(one, node_names(1, 1000));
    let both: HashSet<_> = one.iter().chain(&two).collect();
    // Chance makes 1000 * 1000 / 2^24 = 0.06 addresses common; more than 5 once in 10^9.
    assert!(both.len() >= 1995, "{} of 2000 are distinct", both.len());
}

#[test]
fn keys_are_as_documented() {
    #[track_caller]
    fn check(name: &str, first: &str, second: &str, thousandth: &str) {
        let set: KeySet = name.parse().unwrap();
        assert_eq!(set.name(), name);
        let keys = texts(&set.keys(7, 1000));
        assert_eq!(
            [&keys[0], &keys[1], &keys[999]],
            [first, second, thousandth]
        );
    }
    check(
        "hex64",
        "728b5fa589d0ae4c",
        "8cdfef74af333e75",
        "45f16124c2af921c",
    );
    check("user", "user0", "user1", "user999");
    check(
        "java",
        "testHashInDemo0",
        "testHashInDemo1",
        "testHashInDemo999",
    );
    check(
        "uuid",
        "728b5fa5-89d0-4e4c-8cdf-ef74af333e75",
        "1257183f-cd12-4805-b965-1fb6fb4a46e9",
        "1eaac135-9a49-4c41-84ed-c8a284be34de",
    );
    check(
        "url",
        "https://www.example.com/music/cedar-harbor/0",
        "https://shop.example.com/sports/delta-prairie/1",
        "https://www.example.com/tools/amber-juniper/999",
    );
}

#[test]
fn keys_are_distinct_and_follow_the_seed_where_they_are_random() {
    for set in KeySet::GENERATED {
        let keys = set.keys(1, 10_000);
        assert_eq!(keys.len(), 10_000);
        let distinct: HashSet<&[u8]> = keys.keys().iter().collect();
        assert_eq!(distinct.len(), 10_000, "{}", set.name());
        assert_eq!(texts(&keys), texts(&set.keys(1, 10_000)), "{}", set.name());
        let counted = matches!(set, KeySet::User | KeySet::Java);
        let same = texts(&keys) == texts(&set.keys(2, 10_000));
        assert_eq!(same, counted, "{}", set.name());
    }
}

#[test]
fn keys_made_in_pieces_are_those_made_at_once() {
    for set in KeySet::GENERATED {
        let whole = texts(&set.keys(9, 1000));
        let mut pieces = KeyBuf::new();
        for range in [0..1, 1..1, 1..2, 2..513, 513..1000] {
            set.fill(9, range, &mut pieces);
        }
        assert_eq!(texts(&pieces), whole, "{}", set.name());
    }
}

#[test]
fn far_keys_need_no_nearer_ones() {
    let far = 1 << 60;
    for set in KeySet::GENERATED {
        let mut keys = KeyBuf::new();
        set.fill(9, far..far + 2, &mut keys);
        let mut second = KeyBuf::new();
        set.fill(9, far + 1..far + 2, &mut second);
        assert_eq!(texts(&keys)[1..], texts(&second), "{}", set.name());
    }
}

#[test]
fn a_file_gives_the_keys_it_has() {
    let set = KeySet::File(Arc::new(KeyFile {
        name: "words".to_owned(),
        keys: ["a", "", "b"].iter().collect(),
    }));
    assert_eq!((set.name(), set.available()), ("words", Some(3)));
    assert!(set.structured());
    let check = |range: Range<u64>, expected: &[&str]| {
        for seed in [1, 2] {
            let mut keys = KeyBuf::new();
            set.fill(seed, range.clone(), &mut keys);
            assert_eq!(texts(&keys), expected);
        }
    };
    check(0..3, &["a", "", "b"]);
    check(1..2, &[""]);
    check(2..9, &["b"]);
    check(7..u64::MAX, &[]);
    assert_eq!(KeySet::Hex64.available(), None);
}

#[test]
fn an_unknown_key_set_is_told_the_known_ones() {
    let err = "Hex64".parse::<KeySet>().unwrap_err().to_string();
    assert_eq!(
        err,
        "unknown key set \"Hex64\"; valid are: hex64, user, java, uuid, url"
    );
}

#[test]
fn zipf_shares_fall_with_the_rank() {
    #[track_caller]
    fn check(n: usize, s: f64, expected: &[f64]) {
        let shares = zipf_shares(n, s);
        assert_eq!(shares.len(), n);
        for (share, expected) in shares.iter().zip(expected) {
            assert!(
                (share - expected).abs() < 1e-15,
                "{share} is not {expected}"
            );
        }
    }
    check(3, 1.0, &[6.0 / 11.0, 3.0 / 11.0, 2.0 / 11.0]);
    check(4, 0.0, &[0.25; 4]);
    check(1, 1.2, &[1.0]);
    check(0, 1.2, &[]);
    let shares = zipf_shares(100_000, 0.99);
    assert!(shares.is_sorted_by(|a, b| a > b));
    let total: f64 = shares.iter().sum();
    assert!((total - 1.0).abs() < 1e-12, "{total}");
}

#[test]
fn a_scenario_tells_its_popularity() {
    #[track_caller]
    fn check(scenario: &str, exponent: Option<f64>) {
        let popularity = Popularity::of(scenario);
        assert_eq!(popularity.map(Popularity::exponent), exponent, "{scenario}");
    }
    for popularity in Popularity::ALL {
        let scenario = popularity.scenario("hex64");
        check(&scenario, Some(popularity.exponent()));
    }
    check("hex64-zipf-0.99", Some(0.99));
    check("my-zipf-keys-zipf-1.2", Some(1.2));
    check("hex64", None);
    check("hex64-zipf-0.5", None);
    check("-zipf-", None);
}

#[test]
fn requests_are_whole_and_proportional_to_zipf_shares() {
    for popularity in Popularity::ALL {
        let requests = popularity.requests(1000);
        let total: u64 = requests.iter().sum();
        for (requests, share) in requests
            .iter()
            .zip(zipf_shares(1000, popularity.exponent()))
        {
            assert!((*requests as f64 / total as f64 - share).abs() < 1e-12);
        }
    }
}

#[test]
fn ranks_are_a_permutation_by_seed() {
    assert_eq!(ranks(7, 10), [9, 3, 6, 5, 4, 0, 8, 2, 1, 7]);
    let mut sorted = ranks(8, 1000);
    assert_ne!(sorted, ranks(9, 1000));
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..1000));
    assert!(ranks(7, 0).is_empty());
}
