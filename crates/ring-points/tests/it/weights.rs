//! Weights of the common-hash rings.

use router::{Catalog, Cluster, NodeSpec};

use crate::world::{assert_same, common, keys, nodes, owners};

fn weighted(nodes: &[(&str, u32)]) -> Vec<NodeSpec> {
    let nodes = nodes.iter();
    nodes
        .map(|&(name, weight)| NodeSpec::new(name, weight))
        .collect()
}

/// T22: points in proportion to the weight, rounded down, left small nodes without any: a user got
/// 987 of 1,000 nodes. <https://github.com/serialx/hashring/issues/22>
#[test]
fn every_node_with_a_weight_owns_something() {
    let weights: Vec<NodeSpec> = (0..1000)
        .map(|i| NodeSpec::new(format!("node{i:03}"), i))
        .collect();
    let [_, ring, ..] = common(1, &weights);
    let shares = ring.shares().unwrap();
    assert_eq!(shares[0], 0.0, "weight 0 owns nothing");
    assert!(shares[1..].iter().all(|&share| share > 0.0));
    assert_eq!(ring.points().unwrap().len(), 999 * 1000 / 2);
}

/// T23: a new server, or a new weight, changed everybody's points, and keys moved between servers
/// that it did not concern. <https://github.com/RJ/ketama/issues/13>
#[test]
fn a_weight_touches_no_other_nodes_points() {
    let before = weighted(&[
        ("10.0.0.1:11211", 1),
        ("10.0.0.2:11211", 1),
        ("10.0.0.3:11211", 2),
    ]);
    let keys = keys(10_000);
    for mut ring in common(160, &before) {
        let old = owners(&ring, &keys);
        ring.add(NodeSpec::new("10.0.0.4:11211", 4)).unwrap();
        let new = owners(&ring, &keys);
        let newcomer = ring.id("10.0.0.4:11211").unwrap();
        let moved = old.iter().zip(&new).filter(|(old, new)| old != new);
        assert!(moved.clone().all(|(_, &new)| new == newcomer));
        // Half the weight is new. A share of 640 of 1,280 points: standard deviation 0.014.
        let n_moved = moved.count();
        assert!((4300..5700).contains(&n_moved), "{n_moved}");

        ring.set_weight("10.0.0.1:11211", 2).unwrap();
        let raised = ring.id("10.0.0.1:11211").unwrap();
        let newer = owners(&ring, &keys);
        let mut moved = new.iter().zip(&newer).filter(|(new, newer)| new != newer);
        assert!(moved.all(|(&new, &newer)| newer == raised && new != raised));
        ring.set_weight("10.0.0.1:11211", 1).unwrap();
        assert_same(
            &owners(&ring, &keys),
            &new,
            "the old weight, the old owners",
        );
    }
}

/// T24: a node of weight 0 killed the update task, or all of them the process.
/// <https://github.com/cloudflare/pingora/issues/1006>
#[test]
fn weight_0_is_a_member_that_owns_nothing() {
    for mut ring in common(10, &weighted(&[("a", 1), ("b", 0)])) {
        let a = ring.id("a").unwrap();
        assert!(owners(&ring, &keys(1000)).iter().all(|&owner| owner == a));
        assert_eq!(ring.shares(), Some(vec![1.0, 0.0]));
        assert_eq!(ring.preference(b"key", 2), Some(vec![a]));
        ring.set_weight("a", 0).unwrap();
        assert_eq!(ring.route(b"hi to the world"), None);
        ring.set_weight("b", 7).unwrap();
        assert_eq!(ring.route(b"hi to the world"), ring.id("b"));
    }
}

/// T26: a weight of a million took gigabytes. <https://github.com/nginx/nginx/issues/191>
#[test]
fn too_many_points_are_refused_before_they_are_placed() {
    let refused = weighted(&[("a", 1_000_000), ("b", 1)]);
    for mut ring in common(160, &nodes(["b"])) {
        let err = Cluster::build(ring.spec(), &refused).unwrap_err();
        assert!(err.to_string().contains("160000160"), "{err}");
        let err = ring.set_weight("b", u32::MAX).unwrap_err();
        assert!(err.to_string().contains("687194767200"), "{err}");
        assert_eq!(ring.points().unwrap().len(), 160, "nothing was changed");
    }
}

/// T44: 0 virtual nodes silently meant 2, and -1 meant 3.
/// <https://github.com/discord/ex_hash_ring/pull/11>
#[test]
fn a_number_of_points_that_is_none_is_refused() {
    let catalog = Catalog::new(vec_ring::STRATEGIES).unwrap();
    for vnodes in ["0", "-1", "4294967295", "4294967296", "", "1.5", "1e3"] {
        let err = catalog
            .parse(&format!("vec-ring:vnodes={vnodes}"))
            .unwrap_err();
        assert!(err.to_string().contains("from 1 to 134217728"), "{err}");
    }
}

/// T27: users check the split, so it must follow the weights: 3 to 1, within five deviations of a
/// share of 300 of 400 points. <https://github.com/openresty/lua-resty-balancer/issues/11>
#[test]
fn shares_follow_the_weights() {
    for ring in common(100, &weighted(&[("a", 3), ("b", 1)])) {
        let share = ring.shares().unwrap()[0];
        assert!(
            (share - 0.75).abs() < 5.0 * (0.75 * 0.25 / 401_f64).sqrt(),
            "{share}"
        );
    }
}
