//! The scan itself: batches, counted work, the common hash.

use point_hash::xxh3;
use router::{Cluster, KeyBuf, NodeSpec, Position, Question};

use crate::world::{cluster, names, owners, points};

const SPECS: [&str; 6] = [
    "linear-ring-node-plain",
    "linear-ring-node:vnodes=7",
    "linear-ring-ruby:replicants=0",
    "linear-ring-ruby:replicants=6",
    "linear-ring:vnodes=1",
    "linear-ring:vnodes=7",
];

/// A batch answers as the scan does, also for the points' own labels, which hit them exactly.
#[test]
fn a_batch_is_the_same_as_one_by_one() {
    for spec in SPECS {
        for n in [1, 2, 13] {
            let cluster = cluster(spec, &names("node", n));
            let labels = points(&cluster).into_iter().map(|(_, _, label)| label);
            let keys: KeyBuf = labels
                .chain(names("key-", 2000))
                .chain([String::new(), "key-7".to_owned()])
                .collect();
            let found = owners(&cluster, &keys);
            for (key, found) in keys.keys().iter().zip(found) {
                assert_eq!(cluster.route(key), Some(found), "{spec}, {key:?}");
            }
            owners(&cluster, &KeyBuf::new());
        }
    }
}

/// Looked at are the points up to the one where the scan stops, or all.
#[test]
fn probes_are_the_points_looked_at() {
    for spec in SPECS {
        for n in [1, 2, 13] {
            let cluster = cluster(spec, &names("node", n));
            let sorted: Vec<Position> = points(&cluster).into_iter().map(|it| it.0).collect();
            for key in names("key-", 200) {
                let trace = cluster.trace(key.as_bytes()).unwrap();
                let hash = trace.key_hash.unwrap();
                let before = sorted.iter().filter(|&&point| point < hash).count();
                let all = sorted.len();
                let expected = if spec.contains("ruby") {
                    match before {
                        _ if all == 1 => 0,
                        0 => all,
                        before => (before + 1).min(all),
                    }
                } else {
                    (before + 1).min(all)
                };
                assert_eq!(trace.probes as usize, expected, "{spec}, {n} nodes, {key}");
                assert_eq!(trace.point, Some(sorted[before % all]), "{spec}, {key}");
                assert_eq!(trace.hash_evals, 1);
                // A bucket, the point found, and those of the bucket before it.
                assert!((2.0..=18.0).contains(&trace.batch_probes));
            }
        }
    }
}

/// The mean work over 200 deployments of 50 keys, within five standard errors (one false alarm in a
/// million, and the names are fixed).
#[test]
fn the_mean_scan_is_as_theory_says() {
    for spec in SPECS {
        for n in [1, 2, 13] {
            let per_deployment: Vec<f64> = (0..200)
                .map(|i| {
                    let cluster = cluster(spec, &names(&format!("10.{i}."), n));
                    let probes = |key: String| cluster.trace(key.as_bytes()).unwrap().probes;
                    let keys = names(&format!("key-{i}-"), 50).into_iter();
                    keys.map(|key| f64::from(probes(key))).sum::<f64>() / 50.0
                })
                .collect();
            let mean = per_deployment.iter().sum::<f64>() / 200.0;
            let squares = per_deployment.iter().map(|it| (it - mean).powi(2));
            let error = (squares.sum::<f64>() / (199.0 * 200.0)).sqrt();
            let question = Question::Probes { n: n as u64 };
            let expected = cluster(spec, &["a"]).spec().expected(question).unwrap();
            assert!(
                (mean - expected.mean).abs() <= 5.0 * error,
                "{spec}, {n} nodes: {mean} +- {error}, expected {expected:?}"
            );
        }
    }
}

#[test]
fn points_of_the_common_hash_are_seeded_and_named() {
    let cluster = cluster("linear-ring:vnodes=2", &["10.0.0.1:11211"]);
    let labels: Vec<(Position, String)> = points(&cluster)
        .into_iter()
        .map(|(position, _, label)| (position, label))
        .collect();
    let first = Position::Unsigned(3_672_439_993_205_693_912);
    assert!(labels.contains(&(first, "10.0.0.1:11211 (seed 1)".to_owned())));
    let trace = cluster.trace(b"key").unwrap();
    assert_eq!(
        trace.key_hash,
        Some(Position::Unsigned(xxh3(b"key").into()))
    );
}

/// Weights are for the common hash; the published programs have none.
#[test]
fn published_rings_take_no_weights() {
    for spec in SPECS {
        let refused = |cluster: &mut Cluster| cluster.add(NodeSpec::new("b", 2)).is_err();
        let mut cluster = cluster(spec, &["a"]);
        assert_eq!(
            refused(&mut cluster),
            !spec.starts_with("linear-ring:"),
            "{spec}"
        );
    }
}

/// T07: the order of adding decided who owns what. Here only a shared point could tell the orders
/// of the published rings apart, and there is none; T11: a number in the list decided, and a
/// removal moved everything behind it. <https://github.com/3rd-Eden/node-hashring/issues/11>,
/// <https://github.com/jcmoraisjr/haproxy-ingress/issues/798>
#[test]
fn neither_order_nor_number_matters() {
    let keys: KeyBuf = names("key-", 10_000).iter().collect();
    let mut backwards = names("node-", 10);
    backwards.reverse();
    for spec in SPECS {
        let mut ring = cluster(spec, &names("node-", 10));
        let before = owners(&ring, &keys);
        let other = cluster(spec, &backwards);
        for (one, two) in before.iter().zip(owners(&other, &keys)) {
            assert_eq!(ring.name(*one), other.name(two), "{spec}");
        }
        let gone = ring.id("node-5").unwrap();
        ring.remove("node-5").unwrap();
        for (before, after) in before.iter().zip(owners(&ring, &keys)) {
            assert_eq!(*before == after, *before != gone, "{spec}");
        }
        ring.add("node-5").unwrap();
        assert!(owners(&ring, &keys) == before, "{spec}");
    }
}
