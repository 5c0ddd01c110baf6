//! Known answers. No public program gives any, so both tables are from implementations of their own
//! in Python: jump and the paper's rules, XXH64 and XXH3 by the package `xxhash`.

use memento::Memento;
use node_buckets::Buckets;
use point_hash::xxh64;
use router::{Catalog, Cluster, NodeSpec};

use crate::memento;

/// Checks the buckets of `key-0` to `key-23` with the hashes of the C++ port by slashdotted
/// (github.com/slashdotted/cpp-consistent-hashing-algorithms): XXH64 with seed 0 for jump, with the
/// bucket as seed afterwards.
#[track_caller]
fn check(memento: &Memento, expected: [u32; 24]) {
    let buckets: Vec<u32> = (0..24)
        .map(|i| {
            let key = format!("key-{i}");
            let hash = |seed| xxh64(key.as_bytes(), seed);
            memento.find_with(hash(0), hash, &mut ())
        })
        .collect();
    assert_eq!(buckets, expected);
}

#[test]
#[rustfmt::skip] // a state a line
fn buckets_under_xxh64() {
    let mut buckets = memento(10);
    check(&buckets, [9, 3, 5, 7, 6, 0, 0, 7, 7, 5, 7, 8, 5, 7, 5, 3, 4, 3, 2, 9, 3, 9, 2, 2]);
    buckets.remove(3);
    check(&buckets, [9, 4, 5, 7, 6, 0, 0, 7, 7, 5, 7, 8, 5, 7, 5, 7, 4, 2, 2, 9, 6, 9, 2, 2]);
    buckets.remove(7);
    buckets.remove(0);
    check(&buckets, [9, 4, 5, 4, 6, 2, 6, 9, 4, 5, 1, 8, 5, 8, 5, 1, 4, 2, 2, 9, 6, 9, 2, 2]);
    assert_eq!(buckets.add(), 0);
    check(&buckets, [9, 4, 5, 4, 6, 0, 0, 9, 4, 5, 1, 8, 5, 8, 5, 1, 4, 2, 2, 9, 6, 9, 2, 2]);
    assert_eq!([(); 2].map(|()| buckets.add()), [7, 3]);
    check(&buckets, [9, 3, 5, 7, 6, 0, 0, 7, 7, 5, 7, 8, 5, 7, 5, 3, 4, 3, 2, 9, 3, 9, 2, 2]);
    assert_eq!(buckets.add(), 10);
    check(&buckets, [9, 3, 5, 7, 6, 0, 0, 7, 7, 5, 7, 8, 5, 7, 5, 3, 4, 3, 2, 9, 3, 9, 2, 2]);
}

/// The last bucket leaves jump itself; the others are remembered.
#[test]
#[rustfmt::skip]
fn a_last_bucket_is_not_remembered() {
    let mut buckets = memento(5);
    for bucket in [4, 1, 3] {
        buckets.remove(bucket);
    }
    check(&buckets, [2, 2, 0, 2, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 2, 2, 2, 2, 2, 2]);
    assert_eq!([(); 4].map(|()| buckets.add()), [3, 1, 4, 5]);
}

/// Checks the names of the owners of `key-0` to `key-23`.
#[track_caller]
fn check_owners(cluster: &Cluster, expected: &str) {
    let owner = |i: u32| cluster.route(format!("key-{i}").as_bytes()).unwrap();
    let found: Vec<&str> = (0..24).map(|i| cluster.name(owner(i)).unwrap()).collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn keys_lie_as_its_page_says() {
    let catalog = Catalog::new(memento::STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = (0..10).map(|i| i.to_string().into()).collect();
    let mut nodes = Cluster::build(&catalog.parse("memento").unwrap(), &nodes).unwrap();
    check_owners(&nodes, "1 7 7 0 3 7 6 2 7 6 7 2 7 3 8 9 0 5 6 9 2 4 9 8");
    for name in ["3", "7", "0"] {
        nodes.remove(name).unwrap();
    }
    check_owners(&nodes, "1 4 1 5 4 6 6 2 4 6 9 2 5 9 8 9 9 5 6 9 2 4 9 8");
    nodes.add("new").unwrap(); // in bucket 0
    check_owners(
        &nodes,
        "1 new 1 new 4 6 6 2 4 6 new 2 5 9 8 9 new 5 6 9 2 4 9 8",
    );
}
