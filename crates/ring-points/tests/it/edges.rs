//! The ends of the ring, exact hits, and small ones.

use router::{Cluster, Position};

use crate::world::{Made, NAME, assert_same, common, keys, nodes, owner_names, rebuilt, rings};

#[track_caller]
fn check(cluster: &Cluster, key: &str, owner: &str) {
    let found = cluster.route(key.as_bytes()).unwrap();
    assert_eq!(cluster.name(found), Some(owner), "{cluster:?}, {key}");
}

/// T39: off by one in searches written by hand: above the last point undefined, below the first one
/// index -1, an exact hit the index instead of the key.
/// <https://github.com/dakatsuka/node-consistent-hashing/pull/1>
#[test]
fn the_smallest_and_the_largest_hash_have_owners() {
    fn check_type<T: Made>(ring_size: f64, min: Position, max: Position) {
        for mut cluster in rings::<T, NAME>("corners", 1, &nodes(["a", "b"])) {
            check(&cluster, "min", "a");
            check(&cluster, "min+1", "b");
            check(&cluster, "seven", "b");
            check(&cluster, "max", "b");
            let points = cluster.points().unwrap();
            assert_eq!((points[0].position, points[1].position), (min, max));
            // a owns one position of all: its own.
            let shares = cluster.shares().unwrap();
            assert_eq!(shares[0], 1.0 / ring_size);
            assert!((shares[0] + shares[1] - 1.0).abs() < 1e-15);
            // One point owns all, wherever it stands.
            cluster.remove("a").unwrap();
            for key in ["min", "min+1", "seven", "max"] {
                check(&cluster, key, "b");
            }
            assert_eq!(cluster.shares(), Some(vec![1.0]));
            cluster.add("a").unwrap();
            cluster.remove("b").unwrap();
            for key in ["min", "min+1", "seven", "max"] {
                check(&cluster, key, "a");
            }
            assert_eq!(cluster.shares(), Some(vec![1.0]));
        }
    }
    let unsigned = |max| (Position::Unsigned(0), Position::Unsigned(max));
    let (min, max) = unsigned(u32::MAX.into());
    check_type::<u32>(2_f64.powi(32), min, max);
    let (min, max) = unsigned(u64::MAX.into());
    check_type::<u64>(2_f64.powi(64), min, max);
    let (min, max) = unsigned(u128::MAX);
    check_type::<u128>(2_f64.powi(128), min, max);
    let (min, max) = (i32::MIN.into(), i32::MAX.into());
    check_type::<i32>(2_f64.powi(32), Position::Signed(min), Position::Signed(max));
}

/// T43: a tree-shaped ring died on the first removal after two additions.
/// <https://github.com/arriqaaq/xring/issues/3>
#[test]
fn nodes_come_and_go_down_to_none() {
    let keys = keys(100);
    for mut cluster in common(3, &nodes(["shard-1", "shard-2", "shard-3"])) {
        let check = |cluster: &Cluster| {
            let fresh = rebuilt(cluster);
            assert_same(
                &owner_names(cluster, &keys),
                &owner_names(&fresh, &keys),
                "fresh",
            );
        };
        check(&cluster);
        cluster.add("shard-4").unwrap();
        check(&cluster);
        cluster.add("shard-5").unwrap();
        check(&cluster);
        for name in ["shard-4", "shard-5", "shard-1", "shard-2"] {
            cluster.remove(name).unwrap();
            check(&cluster);
        }
        cluster.remove("shard-3").unwrap();
        assert_eq!(cluster.route(b"key-0"), None);
        cluster.add("shard-2").unwrap();
        check(&cluster);
    }
}

/// T41: the walk past nodes that are down skipped one place and could go on for ever.
/// <https://github.com/Kong/kong/issues/14957>
#[test]
fn a_walk_meets_every_node_once_and_ends() {
    for cluster in common(1, &nodes(["a", "b", "c", "d", "e"])) {
        for key in keys(100).keys().iter() {
            let mut walk = cluster.preference(key, 100).unwrap();
            assert_eq!(walk[..3], cluster.preference(key, 3).unwrap());
            assert_eq!(walk[0], cluster.route(key).unwrap());
            walk.sort();
            walk.dedup();
            assert_eq!(walk.len(), 5);
        }
        assert_eq!(cluster.preference(b"key", 0), Some(Vec::new()));
    }
}
