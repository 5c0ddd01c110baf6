//! The rings of the common hash place every key alike.

use router::{Change, Cluster, NodeSpec};

use crate::world::{assert_same, common, keys, nodes, owner_names, owners, rebuilt};

/// T42: a ring that was never sorted sent everything to one server, and with one server nobody
/// noticed. <https://github.com/petergoldstein/dalli/pull/23>
#[test]
fn scan_halving_and_tree_agree_after_any_changes() {
    let replace = |old: &str, new: &str| Change::Replace {
        old: old.to_owned(),
        new: new.to_owned(),
    };
    let changes: Vec<Vec<Change>> = vec![
        vec!["-n4".parse().unwrap()],
        vec!["+z".parse().unwrap(), "+a=3".parse().unwrap()],
        vec!["=n7=0".parse().unwrap(), "=n0=5".parse().unwrap()],
        vec![replace("n9", "n4"), "-n0".parse().unwrap()],
        vec!["+n0".parse().unwrap(), "=n7=1".parse().unwrap()],
        vec![
            replace("n4", "n9"),
            replace("n9", "n4"),
            "-z".parse().unwrap(),
        ],
    ];
    let names: Vec<String> = (0..10).rev().map(|i| format!("n{i}")).collect();
    let all_keys = keys(100_000);
    for vnodes in [1, 7, 100] {
        let mut rings = common(vnodes, &nodes(&names));
        check(&rings, &all_keys);
        for changes in &changes {
            for ring in &mut rings {
                ring.apply(changes).unwrap();
                assert_sorted(ring);
            }
            check(&rings, &all_keys);
        }
    }
}

#[track_caller]
fn check(rings: &[Cluster; 4], keys: &router::KeyBuf) {
    let [scan, halve, tree, index] = rings;
    let fresh = rebuilt(halve);
    let expected = owner_names(&fresh, keys);
    for ring in rings {
        assert_same(&owner_names(ring, keys), &expected, &format!("{ring:?}"));
        // One key after the other as all at once.
        for (i, expected) in expected.iter().enumerate().take(500) {
            let owner = ring.route(keys.keys().get(i)).unwrap();
            assert_eq!(ring.name(owner), Some(*expected), "{ring:?}, key {i}");
        }
        assert_eq!(ring.shares(), halve.shares(), "{ring:?}");
    }
    assert_eq!(scan.points(), halve.points());
    assert_eq!(tree.points(), halve.points());
    assert_eq!(index.points(), halve.points());
}

#[track_caller]
fn assert_sorted(ring: &Cluster) {
    let points = ring.points().unwrap();
    assert!(
        points.is_sorted_by(|a, b| a.position < b.position),
        "{ring:?}"
    );
}

/// T07: the order in which nodes were added, or their number in the list, decided who owns what.
/// <https://github.com/3rd-Eden/node-hashring/issues/11>
#[test]
fn the_order_of_joining_does_not_matter() {
    let orders: [[usize; 10]; 3] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
        [3, 7, 0, 9, 1, 5, 8, 2, 6, 4],
    ];
    let keys = keys(10_000);
    let [forwards, others @ ..] =
        orders.map(|order| common(20, &nodes(order.map(|i| format!("node-{i}")))));
    for other in others {
        for (one, other) in forwards.iter().zip(&other) {
            assert_same(
                &owner_names(one, &keys),
                &owner_names(other, &keys),
                "orders",
            );
        }
    }
}

/// T11: numbering nodes by their place in a list moved everything behind the one that left.
/// <https://github.com/jcmoraisjr/haproxy-ingress/issues/798>
#[test]
fn only_the_keys_of_the_node_that_leaves_move() {
    let names: Vec<String> = (0..10).map(|i| format!("s{i}")).collect();
    let keys = keys(10_000);
    for mut ring in common(100, &nodes(&names)) {
        let gone = ring.id("s5").unwrap();
        let before = owners(&ring, &keys);
        ring.remove("s5").unwrap();
        let after = owners(&ring, &keys);
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before == after, *before != gone);
        }
        ring.add("s5").unwrap();
        assert_same(&owners(&ring, &keys), &before, "back with its old id");
    }
}

/// T04: name and number without a separator are one text for two nodes.
/// <https://github.com/uber-node/ringpop-node/issues/241>
#[test]
fn no_two_points_mean_the_same() {
    let cases = [
        ["s1:1", "s1:11", "s2:2", "s2:5"],
        ["member", "member1", "member 1", "1member"],
        ["node", "0node", "a", "a-1"],
        ["x (seed 1)", "x", "x (seed", "x (seed 1) (seed 1)"],
    ];
    for names in cases {
        for ring in common(100, &nodes(names)) {
            let mut labels: Vec<String> = ring
                .points()
                .unwrap()
                .into_iter()
                .map(|it| it.label)
                .collect();
            labels.sort();
            labels.dedup();
            assert_eq!(labels.len(), 400, "{names:?}");
        }
    }
}

/// T48: a node that was added twice had a double share, or was half there after one removal; T49:
/// an unknown one brought a removal down. <https://github.com/ultrabug/uhashring/pull/36>,
/// <https://github.com/serialx/hashring/pull/3>
#[test]
fn duplicates_and_strangers_are_refused_and_change_nothing() {
    let keys = keys(10_000);
    for mut ring in common(100, &nodes(["a", "b"])) {
        let before = owners(&ring, &keys);
        assert!(ring.add("a").is_err());
        assert!(ring.add(NodeSpec::new("a", 5)).is_err());
        for stranger in ["ghost", "", "a "] {
            assert!(ring.remove(stranger).is_err());
        }
        assert_same(&owners(&ring, &keys), &before, "unchanged");
        ring.remove("a").unwrap();
        let b = ring.id("b").unwrap();
        assert!(owners(&ring, &keys).iter().all(|&owner| owner == b));
    }
}

/// T47: nodes that had been removed went on being returned.
/// <https://github.com/zonyitoo/conhash-rs/issues/4>
#[test]
fn a_removed_node_owns_nothing_and_comes_back_as_it_was() {
    let names = ["localhost:12345", "localhost:12346", "localhost:12347"];
    let keys = keys(10_000);
    for mut ring in common(3, &nodes(names)) {
        let before = owners(&ring, &keys);
        let gone = ring.id(names[0]).unwrap();
        ring.remove(names[0]).unwrap();
        assert!(!owners(&ring, &keys).contains(&gone));
        assert!(ring.remove(names[0]).is_err());
        ring.add(names[0]).unwrap();
        assert_same(&owners(&ring, &keys), &before, "unchanged");
    }
}

/// T31: a clone lost the variant that it was configured with.
/// <https://github.com/rckclmbr/goketama/pull/4>
#[test]
fn a_clone_answers_alike_and_goes_its_own_way() {
    let keys = keys(10_000);
    for ring in common(40, &nodes(["a", "b", "c"])) {
        let before = owners(&ring, &keys);
        let mut other = ring.clone();
        assert_same(&owners(&other, &keys), &before, "unchanged");
        other.remove("a").unwrap();
        assert_same(&owners(&ring, &keys), &before, "unchanged");
    }
}
