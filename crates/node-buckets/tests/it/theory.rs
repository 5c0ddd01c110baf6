//! What the strategies say of themselves, against counting.

use point_hash::SplitMix64;
use router::{Cluster, Question};

use crate::{SPECS, cluster, keys, owners, spec};

const N_KEYS: usize = 20_000;

/// Checks the share of keys that move when `removed` random nodes leave and `added` join. Six
/// standard deviations of a binomial count: once in 5e8 cases.
#[track_caller]
fn check_moved(text: &str, n: u64, removed: u64, added: u64) {
    let question = Question::Moved { n, removed, added };
    let stated = spec(text).expected(question).unwrap();
    assert_eq!(stated.sd, Some(0.0), "whoever leaves");
    let keys = keys(N_KEYS);
    let before = cluster(text, n);
    let mut after = before.clone();
    let mut names: Vec<u64> = (0..n).collect();
    let mut random = SplitMix64::new(n + 100 * removed + 10_000 * added);
    for _ in 0..removed {
        let place = random.draw() % names.len() as u64;
        let name = names.swap_remove(place as usize);
        after.remove(&name.to_string()).unwrap();
    }
    for i in 0..added {
        after.add(format!("new-{i}")).unwrap();
    }
    let (before, after) = (owners(&before, &keys), owners(&after, &keys));
    let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    let expected = N_KEYS as f64 * stated.mean;
    let sd = (expected * (1.0 - stated.mean)).sqrt();
    assert!(
        (moved as f64 - expected).abs() <= 6.0 * sd + 1e-6,
        "{text}: {n} - {removed} + {added}: {moved} moved, {expected} expected"
    );
}

#[test]
fn as_many_keys_move_as_stated() {
    for text in SPECS {
        for (n, removed, added) in [
            (10, 0, 0),
            (10, 0, 1),
            (10, 1, 0),
            (10, 1, 1),
            (10, 3, 1),
            (10, 1, 3),
            (10, 5, 5),
            (10, 10, 4),
            (40, 12, 0),
            (40, 0, 4),
            (40, 0, 50),
            (1, 0, 1),
            (2, 1, 5),
            (100, 95, 0),
        ] {
            check_moved(text, n, removed, added);
        }
        let all = Question::Moved {
            n: 3,
            removed: 3,
            added: 0,
        };
        assert_eq!(spec(text).expected(all), None, "nobody is left");
    }
}

/// The mean of `value` over the keys and its standard error.
fn mean(cluster: &Cluster, value: impl Fn(&router::Trace) -> u32) -> (f64, f64) {
    let keys = keys(N_KEYS);
    let values: Vec<f64> = keys
        .keys()
        .iter()
        .map(|key| value(&cluster.trace(key).unwrap()).into())
        .collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|it| (it - mean) * (it - mean)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// Checks the work of a look-up; six standard errors, as above.
#[track_caller]
fn check_work(text: &str, n: u64) {
    let cluster = cluster(text, n);
    for (what, question, (found, error)) in [
        (
            "hash evaluations",
            Question::HashEvals { n },
            mean(&cluster, |it| it.hash_evals),
        ),
        (
            "probes",
            Question::Probes { n },
            mean(&cluster, |it| it.probes),
        ),
    ] {
        let stated = spec(text).expected(question).unwrap();
        assert!(
            (found - stated.mean).abs() <= 6.0 * error + 1e-9,
            "{text}, {n} nodes: {found} {what}, {} expected",
            stated.mean
        );
    }
}

#[test]
fn a_look_up_works_as_stated() {
    for text in SPECS {
        for n in [1, 2, 3, 5, 10, 40, 64, 65, 100, 1000] {
            check_work(text, n);
        }
    }
}
