//! Which nodes are asked, and what a change does to them.

use point_hash::{fold64, xxh3, xxh3_seeded};
use router::{Cluster, Position};

use crate::{cluster, names, preference};

fn score(key: &[u8], name: &str) -> u64 {
    fold64(xxh3(key) ^ xxh3_seeded(name.as_bytes(), 1))
}

/// The different nodes of all points from the key on, and the position of each one's first point.
fn in_walking_order(cluster: &Cluster, key: &[u8]) -> Vec<(String, Position)> {
    let points = cluster.points().unwrap();
    let hash = Position::Unsigned(xxh3(key).into());
    let start = points.iter().position(|point| point.position >= hash);
    let (before, after) = points.split_at(start.unwrap_or(0));
    let mut order: Vec<(String, Position)> = Vec::new();
    for point in after.iter().chain(before) {
        let name = cluster.name(point.owner).unwrap();
        if order.iter().all(|(met, _)| met != name) {
            order.push((name.to_owned(), point.position));
        }
    }
    order
}

#[test]
fn the_highest_score_of_the_window_owns_the_key() {
    for (vnodes, candidates, n) in [
        (1, 1, 9),
        (1, 3, 9),
        (5, 3, 9),
        (5, 8, 9),
        (5, 9, 9),
        (5, 32, 9),
        (3, 4, 1),
        (3, 4, 2),
    ] {
        let spec = format!("lrh:vnodes={vnodes},candidates={candidates}");
        let cluster = cluster(&spec, &names("node", n));
        for key in names("key-", 200) {
            let key = key.as_bytes();
            let mut order = in_walking_order(&cluster, key);
            let size = candidates.min(n);
            order[..size].sort_by_key(|(name, _)| std::cmp::Reverse(score(key, name)));
            let expected: Vec<&str> = order.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(preference(&cluster, key, n), expected, "{spec}");
            let trace = cluster.trace(key).unwrap();
            assert_eq!(
                trace.point,
                Some(order[0].1),
                "{spec}: the owner's first point"
            );
            assert_eq!(trace.hash_evals as usize, 1 + size, "{spec}");
        }
    }
}

/// With up to C nodes the ring makes no difference: rendezvous hashing, whatever the points.
#[test]
fn a_window_of_all_nodes_is_rendezvous_hashing() {
    let nodes = names("node", 8);
    let (one, many) = (
        cluster("lrh:vnodes=1", &nodes),
        cluster("lrh:vnodes=50", &nodes),
    );
    for key in names("key-", 500) {
        let key = key.as_bytes();
        let best = nodes.iter().max_by_key(|name| score(key, name)).unwrap();
        assert_eq!(preference(&one, key, 1), [best]);
        assert_eq!(preference(&many, key, 1), [best]);
    }
    for share in one.shares().unwrap() {
        assert!((share - 0.125).abs() < 1e-12);
    }
}

/// A node that is down while the ring stays: its keys go to the second of their window. The ring
/// without the node would let another node into the window, and give some keys to that one.
#[test]
fn the_second_is_who_takes_over_while_the_ring_stays() {
    let cluster = cluster("lrh:vnodes=10,candidates=3", &names("node", 10));
    let mut without = cluster.clone();
    without.remove("node4").unwrap();
    let (mut same, mut other) = (0, 0);
    for key in names("key-", 20_000) {
        let key = key.as_bytes();
        let list = preference(&cluster, key, 2);
        if list[0] == "node4" {
            match preference(&without, key, 1)[0] == list[1] {
                true => same += 1,
                false => other += 1,
            }
        }
    }
    // The new third had the best or second best score of four: one half.
    let share = f64::from(other) / f64::from(same + other);
    let sd = (0.25 / f64::from(same + other)).sqrt();
    assert!(
        (share - 0.5).abs() < 5.0 * sd,
        "{other} of {}",
        same + other
    );
}

/// A newcomer takes keys, and so do nodes that were there before: it is not minimal.
#[test]
fn a_newcomer_pushes_another_out() {
    let before = cluster("lrh:vnodes=10,candidates=3", &names("node", 10));
    let mut after = before.clone();
    after.add("new").unwrap();
    let keys = names("key-", 20_000);
    let mut collateral = 0;
    for key in &keys {
        let (from, to) = (
            preference(&before, key.as_bytes(), 1)[0],
            preference(&after, key.as_bytes(), 1)[0],
        );
        collateral += i32::from(from != to && to != "new");
    }
    assert!(collateral > 0);
    assert!(!before.spec().capabilities().minimal);
}

#[test]
fn it_takes_no_weights() {
    let mut cluster = cluster("lrh", &["a", "b"]);
    assert!(cluster.set_weight("a", 2).is_err());
    assert!(cluster.set_weight("a", 0).is_err());
}
