//! Weights: shares in whole digests, computed anew from all weights.

use router::{Cluster, NodeSpec};

use crate::world::{cluster, counts, keys, owners, points};

/// Digests of each node, in joining order.
fn digests(ring: &Cluster) -> Vec<usize> {
    let mut n_points = vec![0; ring.nodes().len()];
    for point in ring.points().unwrap() {
        n_points[ring.nodes().position(point.owner).unwrap()] += 1;
    }
    n_points.into_iter().map(|n: usize| n.div_ceil(4)).collect()
}

#[track_caller]
fn check_digests(nodes: &[(&str, u32)], expected: &[usize]) {
    assert_eq!(digests(&cluster("ketama", nodes)), expected, "{nodes:?}");
}

/// T22: a small node had no digest at all. <https://github.com/coreos/torus/issues/246>
#[test]
fn digests_are_rounded_down_and_at_least_one() {
    check_digests(&[("a", 1024), ("b", 1024), ("c", 5)], &[59, 59, 1]);
    check_digests(&[("a", 1), ("b", 79)], &[1, 79]);
    check_digests(&[("a", 1), ("b", 80)], &[1, 79]);
    check_digests(&[("a", 100), ("b", 9900)], &[1, 79]);
    // Weight 0 is not counted among the nodes: the other two are as without it.
    check_digests(&[("a", 1), ("b", 0), ("c", 3)], &[20, 0, 60]);
    check_digests(&[("a", 7), ("b", 0)], &[40, 0]);
    let large = u32::MAX;
    check_digests(&[("a", large), ("b", large), ("c", large)], &[40, 40, 40]);
    check_digests(&[("a", large), ("b", 1)], &[79, 1]);
}

/// T22: of a thousand nodes with weights 0 to 999 a user got 987.
/// <https://github.com/serialx/hashring/issues/22>
#[test]
fn every_node_with_a_weight_owns_something() {
    let names: Vec<String> = (0..1000).map(|i| format!("node{i:03}")).collect();
    let nodes: Vec<(&str, u32)> = names.iter().map(String::as_str).zip(0..).collect();
    let shares = cluster("ketama", &nodes).shares().unwrap();
    assert_eq!(shares[0], 0.0);
    assert!(shares[1..].iter().all(|&share| share > 0.0));
}

/// T23: a new weighted server moves keys between old ones, because everybody's digests are computed
/// anew. This is ketama as it is, and is what `renormalised` claims; `vec-ring` moves none.
/// <https://github.com/RJ/ketama/issues/13>
#[test]
fn a_new_weight_moves_keys_that_it_does_not_concern() {
    let nodes = [
        ("10.0.0.1:11211", 1),
        ("10.0.0.2:11211", 1),
        ("10.0.0.3:11211", 2),
    ];
    let mut ring = cluster("ketama", &nodes);
    let keys = keys(10_000);
    let before = owners(&ring, &keys);
    ring.add(NodeSpec::new("10.0.0.4:11211", 4)).unwrap();
    let newcomer = ring.id("10.0.0.4:11211").unwrap();
    let after = owners(&ring, &keys);
    let moved = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after);
    let (to_newcomer, in_vain): (Vec<_>, Vec<_>) =
        moved.partition(|&(_, &after)| after == newcomer);
    assert_eq!((to_newcomer.len(), in_vain.len()), (4626, 678));
}

/// T27: three to one, checked by a user.
/// <https://github.com/openresty/lua-resty-balancer/issues/11>
#[test]
fn three_to_one_is_three_to_one() {
    let ring = cluster(
        "ketama",
        &[("192.168.46.135:80", 3), ("192.168.46.136:80", 1)],
    );
    let shares = ring.shares().unwrap();
    assert!((shares[0] - 0.753_438).abs() < 5e-7, "{shares:?}");
    assert_eq!(
        counts(&ring, &owners(&ring, &keys(100_000))),
        [75_224, 24_776]
    );
}

/// T26: a weight of a million must not be a million times the points.
/// <https://github.com/nginx/nginx/issues/191>
#[test]
fn a_large_weight_takes_no_more_points() {
    let ring = cluster("ketama", &[("a", 1_000_000), ("b", 1)]);
    assert!(points(&ring).len() <= 320 + 4);
}

/// T24: weights of 0 crashed. <https://github.com/bnoguchi/node-hash-ring/issues/5>
#[test]
fn weight_0_owns_nothing_and_all_of_them_serve_nobody() {
    let mut ring = cluster("ketama", &[("A", 0), ("B", 0), ("C", 0)]);
    assert_eq!(ring.route(b"hi to the world"), None);
    ring.set_weight("B", 3).unwrap();
    assert_eq!(ring.route(b"hi to the world"), ring.id("B"));
    assert_eq!(digests(&ring), [0, 40, 0]);
}

/// Incremental changes are those of a new ring, also when every node's number of points changes.
#[test]
fn after_any_change_of_weights_the_ring_is_as_newly_built() {
    let mut ring = cluster("ketama:points=8", &[("a", 1), ("b", 2), ("c", 0)]);
    let check = |ring: &Cluster| {
        let nodes: Vec<(&str, u32)> = ring
            .nodes()
            .iter()
            .map(|node| (&*node.name, node.weight))
            .collect();
        let built = cluster("ketama:points=8", &nodes);
        assert_eq!(points(ring), points(&built), "{nodes:?}");
        assert_eq!(ring.shares(), built.shares());
    };
    check(&ring);
    for weight in [0, 1, 5, 2, 100] {
        ring.set_weight("c", weight).unwrap();
        check(&ring);
        ring.add(NodeSpec::new("d", 7)).unwrap();
        check(&ring);
        ring.replace("a", "e").unwrap();
        check(&ring);
        ring.replace("e", "a").unwrap();
        ring.remove("d").unwrap();
        check(&ring);
    }
}

/// A factor in common to all weights changes nothing.
#[test]
fn only_the_proportions_of_weights_count() {
    let ring = |scale: u32| {
        cluster(
            "ketama",
            &[("a", scale), ("b", 2 * scale), ("c", 4 * scale)],
        )
    };
    for scale in [2, 3, 1000, u32::MAX / 4] {
        assert_eq!(points(&ring(scale)), points(&ring(1)), "times {scale}");
    }
}
