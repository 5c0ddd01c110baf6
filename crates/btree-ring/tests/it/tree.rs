//! The tree itself: incremental changes, counted work, what is claimed.

use router::{Cluster, KeyBuf, NodeId, NodeSpec, Position, Question};

use crate::world::{cluster, names, owner, owners, points};

/// Thousands of points inserted and withdrawn one by one are those that building makes.
#[test]
fn a_tree_that_changed_is_one_that_was_built() {
    for spec in [
        "btree-ring:vnodes=50",
        "btree-ring-java:vnodes=50",
        "btree-ring-java-plain",
    ] {
        let mut ring = cluster(spec, &names("node", 20));
        for name in names("node", 20).iter().step_by(2) {
            ring.remove(name).unwrap();
        }
        for name in names("other", 15) {
            ring.add(name).unwrap();
        }
        ring.replace("node1", "node0").unwrap();
        let present: Vec<String> = ring
            .nodes()
            .iter()
            .map(|node| node.name.to_string())
            .collect();
        let built = cluster(spec, &present);
        assert_eq!(points(&ring), points(&built), "{spec}");
        let keys: KeyBuf = names("key-", 2000).iter().collect();
        let found = owners(&ring, &keys).into_iter().map(|it| ring.name(it));
        let expected = owners(&built, &keys).into_iter().map(|it| built.name(it));
        assert!(found.eq(expected), "{spec}");
        assert_eq!(ring.shares(), built.shares());
    }
}

/// ceil(log2(points + 1)) comparisons, whatever the key.
#[test]
fn probes_are_those_of_a_search_that_halves() {
    for (n, probes) in [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (40, 6)] {
        let ring = cluster("btree-ring:vnodes=1", &names("node", n));
        let trace = ring.trace(b"key").unwrap();
        assert_eq!((trace.probes, trace.hash_evals), (probes, 1), "{n} points");
        let expected = ring
            .spec()
            .expected(Question::Probes { n: n as u64 })
            .unwrap();
        assert_eq!((expected.mean, expected.sd), (f64::from(probes), Some(0.0)));
    }
}

/// T11: only the keys of the node that leaves move, also where its points are shared with others
/// (<https://github.com/haproxytech/kubernetes-ingress/issues/574>).
#[test]
fn only_the_keys_of_the_node_that_leaves_move() {
    for spec in ["btree-ring-java-plain", "btree-ring-java", "btree-ring"] {
        let mut ring = cluster(spec, &names("s", 10));
        let keys: KeyBuf = names("key-", 10_000).iter().collect();
        let before = owners(&ring, &keys);
        let gone = ring.id("s5").unwrap();
        ring.remove("s5").unwrap();
        for (before, after) in before.iter().zip(owners(&ring, &keys)) {
            assert_eq!(*before == after, *before != gone, "{spec}");
        }
    }
}

/// T07: for the published rings only a shared point could tell the orders apart, and there is none.
/// <https://github.com/andrasq/consistent-hash-js/issues/4>
#[test]
fn orders_of_joining_agree_where_no_point_is_shared() {
    let mut backwards = names("node-", 10);
    backwards.reverse();
    for spec in ["btree-ring-java-plain", "btree-ring-java", "btree-ring"] {
        let (one, other) = (
            cluster(spec, &names("node-", 10)),
            cluster(spec, &backwards),
        );
        for key in names("key-", 10_000) {
            assert_eq!(owner(&one, &key), owner(&other, &key), "{spec}");
        }
    }
}

#[test]
fn published_rings_take_no_weights() {
    let refused = |cluster: &mut Cluster| cluster.add(NodeSpec::new("b", 2)).is_err();
    assert!(refused(&mut cluster("btree-ring-java-plain", &["a"])));
    assert!(refused(&mut cluster("btree-ring-java", &["a"])));
    assert!(!refused(&mut cluster("btree-ring", &["a"])));
}

/// A key is any bytes; the trace says where it stands and what it met.
#[test]
fn any_bytes_are_a_key() {
    let long = vec![0xff; 1 << 20];
    let keys: [&[u8]; 5] = [b"", b"\0", &[0xff, 0xfe], "\u{1f600}".as_bytes(), &long];
    for spec in ["btree-ring-java-plain", "btree-ring-java", "btree-ring"] {
        let ring = cluster(spec, &names("node", 5));
        for key in keys {
            let trace = ring.trace(key).unwrap();
            let found = ring.route(key).unwrap();
            let points = ring.points().unwrap();
            let point = points
                .iter()
                .find(|it| Some(it.position) == trace.point)
                .unwrap();
            assert_eq!(
                (point.owner, Some(&point.label)),
                (found, trace.label.as_ref())
            );
            let hash = trace.key_hash.unwrap();
            let at_or_after = points
                .iter()
                .find(|it| it.position >= hash)
                .unwrap_or(&points[0]);
            assert_eq!(at_or_after.position, point.position);
            let signed = matches!(hash, Position::Signed(_));
            assert_eq!(signed, spec.contains("java"));
        }
    }
}

/// Also those that hit a point exactly; many keys, for which the points are written out of the tree,
/// and few.
#[test]
fn a_batch_is_the_same_as_one_by_one() {
    for spec in [
        "btree-ring",
        "btree-ring-java-plain",
        "btree-ring-java",
        "btree-ring-java:rule=text",
    ] {
        let ring = cluster(spec, &names("node-", 9));
        let labels = ring.points().unwrap().into_iter().map(|point| point.label);
        let texts = ["", "é", "订单42"].map(str::to_owned);
        let keys = labels.chain(texts).chain(names("key-", 3000));
        let keys: KeyBuf = keys.collect();
        let mut few = vec![NodeId::default(); keys.len()];
        for (i, owners) in few.chunks_mut(50).enumerate() {
            let keys = keys.keys().slice(50 * i..50 * i + owners.len());
            assert!(ring.route_batch(keys, owners));
        }
        for (i, all) in owners(&ring, &keys).into_iter().enumerate() {
            let one = ring.route(keys.keys().get(i));
            assert_eq!((one, one), (Some(all), Some(few[i])), "{spec}, key {i}");
        }
    }
}
