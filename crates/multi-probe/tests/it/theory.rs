//! What the strategies say of themselves, against simulation.

use multi_probe::theory::{peak, share_variance};
use router::{Estimate, Question};

use crate::{cluster, names};

fn stated(spec: &str, question: Question) -> Option<Estimate> {
    cluster(spec, &["a"]).spec().expected(question)
}

/// Mean and standard error.
fn summary(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// Exact shares of `n` nodes, in fair shares, over this many sets of names.
fn shares(spec: &str, n: usize, sets: usize) -> Vec<Vec<f64>> {
    (0..sets)
        .map(|set| {
            let cluster = cluster(spec, &names(&format!("set{set}-"), n));
            let shares = cluster.shares().unwrap();
            shares.iter().map(|share| share * n as f64).collect()
        })
        .collect()
}

/// A mean of hundreds of values lies within 5 standard errors but once in a million; the names are
/// fixed, so it either always does or never.
#[track_caller]
fn check(what: &str, values: &[f64], expected: f64) {
    let (mean, error) = summary(values);
    assert!(
        (mean - expected).abs() <= 5.0 * error + 1e-12,
        "{what}: {mean} +- {error}, {expected} stated"
    );
}

#[test]
fn shares_vary_and_peak_as_stated() {
    for k in [1, 2, 3, 5, 21] {
        for (n, sets) in [
            (1, 10),
            (2, 800),
            (3, 800),
            (5, 600),
            (10, 400),
            (40, 200),
            (300, 60),
        ] {
            let spec = format!("multi-probe:probes={k}");
            let sets = shares(&spec, n, sets);
            let variance = |shares: &Vec<f64>| {
                shares.iter().map(|it| (it - 1.0).powi(2)).sum::<f64>() / n as f64
            };
            let variances: Vec<f64> = sets.iter().map(variance).collect();
            let n = n as u64;
            let expected = share_variance(k, n);
            check(&format!("variance, {spec}, {n}"), &variances, expected);
            let said = stated(&spec, Question::ShareVariance { n });
            assert_eq!(said, (n >= 4 * k).then(|| Estimate::mean(expected)));
            let largest = |shares: &Vec<f64>| shares.iter().copied().fold(0.0, f64::max);
            let peaks: Vec<f64> = sets.iter().map(largest).collect();
            let expected = peak(k, n);
            check(&format!("peak, {spec}, {n}"), &peaks, expected);
            let said = stated(&spec, Question::Peak { n });
            assert_eq!(said, (n >= 4 * k).then(|| Estimate::mean(expected)));
        }
    }
}

/// The forms that the literature gives: a ring's for one probe, 1/(2k - 1) and k/(k - 1) for many
/// nodes.
#[test]
fn known_forms() {
    let close = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{found}, {expected}");
    };
    for n in [1, 2, 10, 1000] {
        close(share_variance(1, n), (n - 1) as f64 / (n + 1) as f64);
    }
    close(peak(1, 3), 11.0 / 6.0);
    close(share_variance(21, 1000), 1.0 / 41.0);
    close(peak(21, 1000), 1.05);
    for k in [1, 2, 21] {
        close(share_variance(k, 1), 0.0);
        close(peak(k, 1), 1.0);
    }
}

/// Who joins takes a share that varies as shares do.
#[test]
fn newcomers_take_what_is_stated() {
    for (k, n, added) in [(1, 9, 1), (5, 9, 1), (21, 39, 1), (5, 8, 4)] {
        let spec = format!("multi-probe:probes={k}");
        let all = n + added;
        let joint: Vec<f64> = (0..1500)
            .map(|set| {
                let mut nodes = names(&format!("set{set}-"), n as usize);
                nodes.extend(names(&format!("new{set}-"), added as usize));
                let cluster = cluster(&spec, &nodes);
                cluster.shares().unwrap()[n as usize..].iter().sum()
            })
            .collect();
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
        let sd = expected.sd.unwrap();
        check(
            &format!("deviation of {moved:?}, {spec}"),
            &squares,
            sd * sd,
        );
        let gone = Question::Moved {
            n: all,
            removed: added,
            added: 0,
        };
        assert_eq!(stated(&spec, gone), Some(expected));
    }
}

/// Points looked at, counted over random keys and names; their deviation between deployments too.
#[test]
fn a_look_up_looks_at_as_many_points_as_stated() {
    for (spec, n) in [
        ("multi-probe", 1),
        ("multi-probe", 2),
        ("multi-probe", 10),
        ("multi-probe", 31),
        ("multi-probe:probes=5", 100),
        ("multi-probe-go", 10),
        ("multi-probe-go", 33),
    ] {
        let means: Vec<f64> = (0..200)
            .map(|set| {
                let cluster = cluster(spec, &names(&format!("set{set}-"), n));
                let traces = names("key-", 50);
                let traces = traces
                    .iter()
                    .map(|key| cluster.trace(key.as_bytes()).unwrap());
                traces.map(|it| f64::from(it.probes)).sum::<f64>() / 50.0
            })
            .collect();
        let expected = stated(spec, Question::Probes { n: n as u64 }).unwrap();
        check(&format!("probes, {spec}, {n}"), &means, expected.mean);
    }
    let (spec, n) = ("multi-probe:probes=2", 12);
    // So many keys that only the points differ.
    let squares: Vec<f64> = (0..60)
        .map(|set| {
            let cluster = cluster(spec, &names(&format!("set{set}-"), n));
            let keys = names("key-", 4000);
            let traces = keys
                .iter()
                .map(|key| cluster.trace(key.as_bytes()).unwrap());
            let mean = traces.map(|it| f64::from(it.probes)).sum::<f64>() / 4000.0;
            let expected = stated(spec, Question::Probes { n: n as u64 }).unwrap();
            (mean - expected.mean).powi(2)
        })
        .collect();
    let expected = stated(spec, Question::Probes { n: n as u64 }).unwrap();
    check(
        "deviation of probes",
        &squares,
        expected.sd.unwrap().powi(2),
    );
}

#[test]
fn hashes_are_counted() {
    for (spec, hashes) in [
        ("multi-probe", 21),
        ("multi-probe:probes=3", 3),
        ("multi-probe-go", 2),
    ] {
        let expected = stated(spec, Question::HashEvals { n: 10 });
        assert_eq!(expected, Some(Estimate::exact(f64::from(hashes))));
        let trace = cluster(spec, &names("node", 10)).trace(b"key").unwrap();
        assert_eq!(trace.hash_evals, hashes, "{spec}");
    }
}

/// Equal steps are no independent probes, and nothing is said that rests on it.
#[test]
fn the_published_program_states_only_what_holds() {
    let go = |question| stated("multi-probe-go", question);
    assert_eq!(go(Question::ShareVariance { n: 10 }), None);
    assert_eq!(go(Question::Peak { n: 10 }), None);
    let added = go(Question::Moved {
        n: 9,
        removed: 0,
        added: 1,
    });
    assert_eq!(added, Some(Estimate::mean(0.1)));
    assert_eq!(cluster("multi-probe-go", &["a", "b"]).shares(), None);
}
