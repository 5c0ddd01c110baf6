//! What the strategy says of itself, against simulation.

use router::{Estimate, Question};

use crate::{cluster, names, preference};

fn stated(spec: &str, question: Question) -> Option<Estimate> {
    cluster(spec, &["a"]).spec().expected(question)
}

/// A mean of many values lies within 5 standard errors, and `slack` of it, but once in a million; the
/// names are fixed, so it either always does or never.
#[track_caller]
fn check(what: &str, values: &[f64], expected: f64, slack: f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    assert!(
        (mean - expected).abs() <= 5.0 * error + slack * expected + 1e-12,
        "{what}: {mean} +- {error}, {expected} stated"
    );
}

/// The slack is 1/V, by which drawing points without replacement differs.
#[test]
fn shares_vary_as_stated() {
    for (vnodes, candidates, n, sets) in [
        (64, 8, 9, 200),
        (64, 8, 10, 200),
        (64, 8, 16, 150),
        (64, 8, 40, 50),
        (256, 8, 12, 40),
        (64, 2, 10, 200),
        (64, 16, 40, 40),
        (1, 1, 10, 400),
        (7, 1, 10, 300),
    ] {
        let spec = format!("lrh:vnodes={vnodes},candidates={candidates}");
        let variances: Vec<f64> = (0..sets)
            .map(|set| {
                let cluster = cluster(&spec, &names(&format!("set{set}-"), n));
                let shares = cluster.shares().unwrap();
                let squares = shares.iter().map(|it| (it * n as f64 - 1.0).powi(2));
                squares.sum::<f64>() / n as f64
            })
            .collect();
        let expected = stated(&spec, Question::ShareVariance { n: n as u64 }).unwrap();
        let slack = if candidates == 1 {
            0.0
        } else {
            1.0 / f64::from(vnodes)
        };
        check(&format!("{spec}, {n}"), &variances, expected.mean, slack);
    }
}

#[test]
fn known_forms() {
    let variance = |spec: &str, n| stated(spec, Question::ShareVariance { n });
    // One candidate is a ring.
    let ring = variance("lrh:vnodes=5,candidates=1", 10).unwrap().mean;
    assert!((ring - 9.0 / 51.0).abs() < 1e-12);
    // 1/(V C) for many nodes, with the first terms for fewer.
    for n in [1000.0_f64, 100_000.0] {
        let mean = variance("lrh", n as u64).unwrap().mean;
        let first = 1.0 + (64.0 / 3.0 - 8.0) / n;
        assert!((mean * 256.0 * 8.0 / first - 1.0).abs() < 1e-3, "{mean}");
    }
    // A window of all nodes is even.
    assert_eq!(variance("lrh", 8), Some(Estimate::exact(0.0)));
    assert_eq!(
        stated("lrh", Question::Peak { n: 8 }),
        Some(Estimate::exact(1.0))
    );
    assert_eq!(stated("lrh", Question::Peak { n: 9 }), None);
    assert_eq!(variance("lrh:vnodes=10", 40), None, "too few points to say");
    // 2C/((C + 1)(n + 1)).
    let one_more = Question::Moved {
        n: 40,
        removed: 0,
        added: 1,
    };
    let mean = stated("lrh", one_more).unwrap().mean;
    assert!((mean - 16.0 / (9.0 * 41.0)).abs() < 1e-12, "{mean}");
    let nobody = Question::Moved {
        n: 3,
        removed: 3,
        added: 0,
    };
    assert_eq!(stated("lrh", nobody), None);
    let none = Question::Moved {
        n: 3,
        removed: 0,
        added: 0,
    };
    assert_eq!(stated("lrh", none), Some(Estimate::exact(0.0)));
}

/// Shares of keys that moved, over sets of names.
#[test]
fn keys_move_as_stated() {
    for (candidates, n, added) in [
        (8, 40, 1),
        (8, 12, 3),
        (3, 10, 4),
        (1, 10, 2),
        (8, 5, 2),
        (8, 6, 4),
        (4, 2, 9),
    ] {
        let spec = format!("lrh:vnodes=20,candidates={candidates}");
        let shares: Vec<f64> = (0..150)
            .map(|set| {
                let few = cluster(&spec, &names(&format!("set{set}-"), n));
                let mut many = few.clone();
                for name in names(&format!("new{set}-"), added) {
                    many.add(name.as_str()).unwrap();
                }
                let keys = names(&format!("key{set}-"), 200);
                let moved = keys.iter().filter(|key| {
                    preference(&few, key.as_bytes(), 1) != preference(&many, key.as_bytes(), 1)
                });
                moved.count() as f64 / 200.0
            })
            .collect();
        let (n, added) = (n as u64, added as u64);
        let joining = Question::Moved {
            n,
            removed: 0,
            added,
        };
        let expected = stated(&spec, joining).unwrap();
        check(&format!("{spec}, {joining:?}"), &shares, expected.mean, 0.0);
        let leaving = Question::Moved {
            n: n + added,
            removed: added,
            added: 0,
        };
        assert_eq!(stated(&spec, leaving), Some(expected));
    }
}

#[test]
fn work_is_as_stated() {
    for (vnodes, candidates, n) in [
        (1, 8, 40),
        (2, 8, 10),
        (5, 8, 8),
        (5, 8, 3),
        (20, 8, 9),
        (20, 1, 9),
        (3, 4, 1),
    ] {
        let spec = format!("lrh:vnodes={vnodes},candidates={candidates}");
        let means: Vec<f64> = (0..300)
            .map(|set| {
                let cluster = cluster(&spec, &names(&format!("set{set}-"), n));
                let keys = names("key-", 40);
                let traces = keys
                    .iter()
                    .map(|key| cluster.trace(key.as_bytes()).unwrap());
                traces.map(|it| f64::from(it.probes)).sum::<f64>() / 40.0
            })
            .collect();
        let expected = stated(&spec, Question::Probes { n: n as u64 }).unwrap();
        check(&format!("probes, {spec}, {n}"), &means, expected.mean, 0.0);
        let hashes = stated(&spec, Question::HashEvals { n: n as u64 });
        assert_eq!(
            hashes,
            Some(Estimate::exact(1.0 + candidates.min(n) as f64))
        );
    }
}
