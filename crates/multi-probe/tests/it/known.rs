//! Known answers: the published program's, and the definition's in Python.

use point_hash::md5_hex;

use crate::{cluster, names, owner};

/// The 6,000 owners on record in go-mpchash's `testdata/compat.out`: nodes `shard-1` to `shard-6000`,
/// the same names as keys, an owner a line.
#[test]
fn the_published_program_gives_these_6000_owners() {
    let shards: Vec<String> = (1..=6000).map(|i| format!("shard-{i}")).collect();
    let cluster = cluster("multi-probe-go", &shards);
    let owners: Vec<&str> = shards
        .iter()
        .map(|key| owner(&cluster, key.as_bytes()))
        .collect();
    // The first of them, for whoever has to find a fault.
    let first = [1389, 4257, 4744, 4613, 3027, 1872, 3565, 5494, 5517, 3009];
    for (owner, number) in owners.iter().zip(first) {
        assert_eq!(*owner, format!("shard-{number}"));
    }
    let lines: String = owners.iter().map(|owner| format!("{owner}\n")).collect();
    let digest: String = md5_hex(lines.as_bytes()).map(char::from).iter().collect();
    assert_eq!(digest, "3c8c617b8f193a12b04c414da353b700");
}

/// Hashes of keys, from the definition written in Python, which gives the paper's own example too
/// (appendix A: 0xa129ca6149be45e5).
#[test]
fn siphash_is_that_of_the_paper() {
    let hash = |key: &str| {
        let trace = cluster("multi-probe-go", &["a"]).trace(key.as_bytes());
        trace.unwrap().key_hash.unwrap().to_string()
    };
    SIPHASHES
        .iter()
        .for_each(|&(key, expected)| assert_eq!(hash(key), expected, "{key:?}"));
}

#[rustfmt::skip]
const SIPHASHES: &[(&str, &str)] = &[
    ("", "6117966011428545502"),
    ("a", "13210982519884571601"),
    ("1234567", "1381527931910536142"),
    ("12345678", "1828378436274956567"),
    ("123456789", "940686918301283021"),
    ("sixteen bytes ok", "1770116784652936430"),
    ("shard-6000", "2412740346971029898"),
    ("café", "5676148460051970450"),
];

/// Owners among `n0` to `n9` with 1, 2 and 21 probes, from the definition written in Python over its
/// `xxhash` package.
#[track_caller]
fn check(key: &str, owners: [&str; 3]) {
    for (probes, expected) in [1, 2, 21].into_iter().zip(owners) {
        let cluster = cluster(&format!("multi-probe:probes={probes}"), &names("n", 10));
        assert_eq!(
            owner(&cluster, key.as_bytes()),
            expected,
            "{key:?}, {probes}"
        );
    }
}

#[test]
fn the_definition_gives_these_owners() {
    check("", ["n7", "n7", "n8"]);
    check("a", ["n8", "n8", "n8"]);
    check("user0", ["n6", "n0", "n8"]);
    check("user1", ["n5", "n5", "n6"]);
    check("user2", ["n2", "n2", "n6"]);
    check("user3", ["n2", "n6", "n1"]);
    check("user4", ["n2", "n2", "n2"]);
    check("user5", ["n2", "n9", "n6"]);
    check("n3", ["n1", "n1", "n1"]);
}
