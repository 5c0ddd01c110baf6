//! `rule=text`: the largest point at or before the key, else the smallest point.

use router::{Cluster, NodeId, Position, Question};

use crate::world::{cluster, names, owner, points};

fn servers() -> Vec<String> {
    (1..=5).map(|i| format!("192.168.1.{i}")).collect()
}

/// The article's words and its code disagree on key 0 of its own example, whose hash 1330809503
/// lies between 884726303 (.3) and 1604930002 (.4).
#[test]
fn text_and_code_disagree() {
    // One point a node, as the first class has it, is not among the strategies with this rule; so
    // the points are looked at.
    let plain = cluster("btree-ring-java-plain", &servers());
    let hash = plain.trace(b"0").unwrap().key_hash.unwrap();
    assert_eq!(hash, Position::Signed(1_330_809_503));
    assert_eq!(owner(&plain, "0"), "192.168.1.4");
    let below = points(&plain).into_iter().rfind(|it| it.0 <= hash).unwrap();
    assert_eq!(below.1, "192.168.1.3");

    let text = cluster("btree-ring-java:rule=text", &servers());
    let code = cluster("btree-ring-java", &servers());
    let differ = names("", 1000)
        .iter()
        .filter(|key| owner(&text, key) != owner(&code, key))
        .count();
    assert!(differ > 500, "{differ} of 1000");
}

/// What the rule says, by looking at all points.
fn by_looking(ring: &Cluster, hash: Position) -> String {
    let points = points(ring);
    let below = points.iter().rfind(|point| point.0 <= hash);
    below.unwrap_or(&points[0]).1.clone()
}

#[test]
fn owners_are_those_of_the_words() {
    for n in 1..10 {
        for vnodes in [1, 4] {
            let spec = format!("btree-ring-java:vnodes={vnodes},rule=text");
            let ring = cluster(&spec, &names("node", n));
            for key in names("key-", 300) {
                let hash = ring.trace(key.as_bytes()).unwrap().key_hash.unwrap();
                assert_eq!(owner(&ring, &key), by_looking(&ring, hash), "{n}, {key}");
            }
            // A point owns itself.
            for (_, own, label) in points(&ring) {
                assert_eq!(owner(&ring, &label), own);
            }
        }
    }
}

/// The next in the list has the key when its node leaves: first down to the smallest point, then up
/// from the key.
#[test]
fn the_next_in_the_list_has_the_key() {
    let ring = cluster("btree-ring-java:vnodes=2,rule=text", &names("node", 6));
    for key in names("key-", 300) {
        let list = ring.preference(key.as_bytes(), 6).unwrap();
        let mut left = ring.clone();
        for &node in &list {
            assert_eq!(left.route(key.as_bytes()), Some(node), "{key}");
            left.remove(ring.name(node).unwrap()).unwrap();
        }
        assert_eq!(list.len(), 6);
    }
}

/// A node takes keys from others when it comes, gives them back when it goes, and no key moves
/// between two that stay.
#[test]
fn changes_are_minimal_and_forgotten() {
    let mut ring = cluster("btree-ring-java:vnodes=3,rule=text", &names("node", 4));
    let keys = names("key-", 2000);
    let ask = |ring: &Cluster| -> Vec<NodeId> {
        keys.iter()
            .map(|key| ring.route(key.as_bytes()).unwrap())
            .collect()
    };
    for name in ["node9", "other", "n"] {
        let before = ask(&ring);
        ring.add(name).unwrap();
        let newcomer = ring.id(name).unwrap();
        for (before, after) in before.iter().zip(ask(&ring)) {
            assert!(*before == after || after == newcomer);
        }
        ring.remove(name).unwrap();
        assert!(ask(&ring) == before, "{name} left no trace");
    }
}

/// Shares by arcs are the lengths of the pieces: the smallest point has the one below it too.
#[test]
fn shares_add_up_to_the_range() {
    for n in [1, 2, 5] {
        let ring = cluster("btree-ring-java:vnodes=1,rule=text", &names("node", n));
        let points = points(&ring);
        let at = |i: usize| match points[i].0 {
            Position::Signed(at) => at,
            Position::Unsigned(_) => panic!("signed"),
        };
        let shares = ring.shares().unwrap();
        for (i, (_, own, _)) in points.iter().enumerate() {
            let start = if i == 0 { i32::MIN.into() } else { at(i) };
            let end = if i + 1 == n {
                i64::from(i32::MAX) + 1
            } else {
                at(i + 1)
            };
            let place = ring
                .nodes()
                .iter()
                .position(|node| *node.name == **own)
                .unwrap();
            assert_eq!(
                shares[place],
                (end - start) as f64 / 2_f64.powi(32),
                "{own} of {n}"
            );
        }
    }
}

/// The exact spread of shares over 400 deployments against the derived one, within five standard
/// errors (one false alarm in a million, and the names are fixed).
#[test]
fn the_spread_of_shares_is_as_derived() {
    for (n, vnodes) in [(1, 1), (2, 1), (2, 3), (10, 1), (10, 5)] {
        let spec = format!("btree-ring-java:vnodes={vnodes},rule=text");
        let samples: Vec<f64> = (0..400)
            .map(|i| {
                let ring = cluster(&spec, &names(&format!("10.0.{i}."), n));
                let shares = ring.shares().unwrap();
                shares
                    .iter()
                    .map(|share| (share * n as f64 - 1.0).powi(2))
                    .sum::<f64>()
                    / n as f64
            })
            .collect();
        let mean = samples.iter().sum::<f64>() / 400.0;
        let squares = samples.iter().map(|it| (it - mean).powi(2));
        let error = (squares.sum::<f64>() / (399.0 * 400.0)).sqrt();
        let question = Question::ShareVariance { n: n as u64 };
        let expected = cluster(&spec, &["a"])
            .spec()
            .expected(question)
            .unwrap()
            .mean;
        assert!(
            (mean - expected).abs() <= 5.0 * error + 1e-12,
            "{n} nodes, {vnodes} points: {mean} +- {error}, expected {expected}"
        );
    }
}

#[test]
fn a_rule_that_is_none_is_refused() {
    let err = router::Catalog::new(btree_ring::STRATEGIES)
        .unwrap()
        .parse("btree-ring-java:rule=words")
        .unwrap_err();
    assert!(err.to_string().contains("code or text"), "{err}");
}
