//! What the strategy says of itself, against simulation.

use router::{Cluster, Estimate, NodeSpec, Question};

use crate::{cluster, names};

fn stated(spec: &str, question: Question) -> Option<Estimate> {
    cluster(spec, &["a"]).spec().expected(question)
}

/// A mean of hundreds of values lies within 5 standard errors but once in a million; the names are
/// fixed, so it either always does or never.
#[track_caller]
fn check(what: &str, values: &[f64], expected: f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    assert!(
        (mean - expected).abs() <= 5.0 * error + 1e-12,
        "{what}: {mean} +- {error}, {expected} stated"
    );
}

#[test]
fn shares_vary_as_stated() {
    for (vnodes, n, sets) in [
        (1, 1, 10),
        (7, 1, 10),
        (1, 2, 50),
        (1, 3, 800),
        (2, 2, 800),
        (1, 10, 400),
        (3, 10, 400),
        (20, 10, 200),
        (100, 40, 30),
    ] {
        let spec = format!("nearest-ring:vnodes={vnodes}");
        let variances: Vec<f64> = (0..sets)
            .map(|set| {
                let cluster = cluster(&spec, &names(&format!("set{set}-"), n));
                let shares = cluster.shares().unwrap();
                let squares = shares.iter().map(|it| (it * n as f64 - 1.0).powi(2));
                squares.sum::<f64>() / n as f64
            })
            .collect();
        let expected = stated(&spec, Question::ShareVariance { n: n as u64 }).unwrap();
        check(&format!("{spec}, {n}"), &variances, expected.mean);
    }
}

/// Half the variance of the common rule, for many nodes.
#[test]
fn the_variance_is_half_of_the_common_rings() {
    for vnodes in [1.0, 10.0, 100.0] {
        let spec = format!("nearest-ring:vnodes={vnodes}");
        let mean = stated(&spec, Question::ShareVariance { n: 1000 })
            .unwrap()
            .mean;
        let common = 999.0 / (1000.0 * vnodes + 1.0);
        assert!((mean / common - 0.5).abs() < 0.001, "{mean} of {common}");
    }
}

#[test]
fn newcomers_take_what_is_stated() {
    for (vnodes, n, added) in [(1, 9, 1), (5, 9, 1), (5, 8, 4)] {
        let spec = format!("nearest-ring:vnodes={vnodes}");
        let joint: Vec<f64> = (0..1000)
            .map(|set| {
                let mut nodes = names(&format!("set{set}-"), n);
                nodes.extend(names(&format!("new{set}-"), added));
                cluster(&spec, &nodes).shares().unwrap()[n..].iter().sum()
            })
            .collect();
        let (n, added) = (n as u64, added as u64);
        let moved = Question::Moved {
            n,
            removed: 0,
            added,
        };
        let expected = stated(&spec, moved).unwrap();
        check(&format!("{moved:?}, {spec}"), &joint, expected.mean);
        let squares: Vec<f64> = joint
            .iter()
            .map(|it| (it - expected.mean).powi(2))
            .collect();
        let variance = expected.sd.unwrap().powi(2);
        check(
            &format!("deviation of {moved:?}, {spec}"),
            &squares,
            variance,
        );
    }
}

#[test]
fn work_is_counted() {
    for n in (1..=33).chain([100]) {
        let ring = cluster("nearest-ring:vnodes=3", &names("node", n));
        let expected = stated("nearest-ring:vnodes=3", Question::Probes { n: n as u64 });
        for key in names("key-", 20) {
            let trace = ring.trace(key.as_bytes()).unwrap();
            let probes = Estimate::exact(trace.probes.into());
            assert_eq!((expected, trace.hash_evals), (Some(probes), 1), "{n}");
        }
    }
    // 3 points are halved twice and looked at once more, then both neighbours.
    assert_eq!(
        cluster("nearest-ring:vnodes=3", &["a"])
            .trace(b"")
            .unwrap()
            .probes,
        5
    );
}

/// A node of weight 3 has three times the points and the share.
#[test]
fn weights_are_points() {
    let spec = cluster("nearest-ring", &["a"]).spec().clone();
    let shares: Vec<f64> = (0..200)
        .map(|set| {
            let mut nodes: Vec<NodeSpec> = Vec::new();
            for name in names(&format!("set{set}-"), 4) {
                nodes.push(name.into());
            }
            nodes[0].weight = 3;
            let cluster = Cluster::build(&spec, &nodes).unwrap();
            assert_eq!(cluster.points().unwrap().len(), 600);
            cluster.shares().unwrap()[0]
        })
        .collect();
    check("share of weight 3 of 6", &shares, 0.5);
}
