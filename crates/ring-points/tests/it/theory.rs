//! What theory says, held against exact shares.

use ring_points::random_points;
use router::{Cluster, Estimate, Question};

use crate::world::{common, nodes};

/// The halved ring of `n` nodes with names that no other deployment has.
fn deployment(n: usize, vnodes: u32, number: usize) -> Cluster {
    let names = (0..n).map(|i| format!("10.{number}.{i}.1:11211"));
    let [_, ring, ..] = common(vnodes, &nodes(names));
    ring
}

/// Checks the mean of `samples` against the estimate, at five standard errors: one false alarm in a
/// million, and the names are fixed.
#[track_caller]
fn check(samples: &[f64], expected: Option<Estimate>) {
    let expected = expected.expect("theory says something");
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (mean - expected.mean).abs();
    assert!(
        error < 5.0 * (variance / n).sqrt(),
        "mean {mean} of {n} deployments, expected {expected:?}"
    );
    if let Some(sd) = expected.sd {
        // The standard deviation of a standard deviation is about a 20th here.
        let ratio = variance.sqrt() / sd;
        assert!(
            (0.8..1.25).contains(&ratio),
            "sd {} of {sd}",
            variance.sqrt()
        );
    }
}

#[test]
fn share_variance_is_that_of_random_points() {
    for (n, vnodes) in [(2, 1), (10, 1), (10, 10), (40, 5)] {
        let samples: Vec<f64> = (0..300)
            .map(|i| {
                let shares = deployment(n, vnodes, i).shares().unwrap();
                let squares = shares.iter().map(|share| (share * n as f64 - 1.0).powi(2));
                squares.sum::<f64>() / n as f64
            })
            .collect();
        let question = Question::ShareVariance { n: n as u64 };
        check(&samples, random_points(vnodes.into(), question));
    }
}

#[test]
fn the_busiest_of_single_points_is_the_harmonic_number() {
    let samples: Vec<f64> = (0..300)
        .map(|i| {
            let shares = deployment(10, 1, i).shares().unwrap();
            10.0 * shares.into_iter().fold(0.0, f64::max)
        })
        .collect();
    check(&samples, random_points(1, Question::Peak { n: 10 }));
    assert_eq!(random_points(2, Question::Peak { n: 10 }), None);
}

/// What three of ten nodes own moves when they leave, and did move when they came.
#[test]
fn what_moves_is_what_the_nodes_own() {
    let samples: Vec<f64> = (0..300)
        .map(|i| deployment(10, 10, i).shares().unwrap()[..3].iter().sum())
        .collect();
    let moved = |n, removed, added| random_points(10, Question::Moved { n, removed, added });
    check(&samples, moved(10, 3, 0));
    check(&samples, moved(7, 0, 3));
    assert_eq!(moved(10, 0, 0), Some(Estimate::exact(0.0)));
    assert_eq!(moved(10, 1, 1), None, "a replacement is not that simple");
    assert_eq!(moved(10, 10, 0), None, "then no key has an owner");
    assert_eq!(moved(0, 0, 1), None);
}
