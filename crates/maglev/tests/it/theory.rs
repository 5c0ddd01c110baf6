//! What the strategies say of themselves, against counting and simulation.

use router::{Cluster, Estimate, Question};

use crate::world::{cluster, entries, nodes, spec};

#[test]
fn shares_are_as_even_as_stated() {
    for (m, n) in [
        (251, 1),
        (251, 2),
        (251, 10),
        (251, 250),
        (251, 251),
        (65537, 40),
        (7, 3),
    ] {
        let text = format!("maglev:table={m}");
        let counts = entries(&cluster(&text, &nodes("node", n)), m);
        assert_eq!(counts.iter().sum::<u64>(), m);
        let fair = m as f64 / n as f64;
        let squares = counts.iter().map(|&it| (it as f64 / fair - 1.0).powi(2));
        let variance = squares.sum::<f64>() / n as f64;
        let peak = *counts.iter().max().unwrap() as f64 / fair;
        for (question, counted) in [
            (Question::ShareVariance { n: n as u64 }, variance),
            (Question::Peak { n: n as u64 }, peak),
        ] {
            let stated = spec(&text).expected(question).unwrap();
            assert_eq!(stated.sd, Some(0.0), "the same for all names");
            assert!(
                (stated.mean - counted).abs() < 1e-12,
                "{m} entries, {n} nodes"
            );
        }
    }
}

#[test]
fn what_is_not_known_is_not_stated() {
    let spec = spec("maglev:table=251");
    let ask = |question| spec.expected(question);
    assert_eq!(ask(Question::ShareVariance { n: 252 }), None);
    assert_eq!(ask(Question::Peak { n: 0 }), None);
    let moved = |removed, added| Question::Moved {
        n: 10,
        removed,
        added,
    };
    assert_eq!(ask(moved(1, 0)), None);
    assert_eq!(ask(moved(0, 1)), None);
    assert_eq!(ask(moved(0, 0)), Some(Estimate::exact(0.0)));
    assert_eq!(ask(Question::Probes { n: 10 }), Some(Estimate::exact(1.0)));
}

/// The share of a table that changes when one node leaves, over the share of that node.
fn moved_in_vain(m: u64, n: usize, seed: usize) -> f64 {
    let before = cluster(
        &format!("maglev:table={m}"),
        &nodes(&format!("s{seed}-n"), n),
    );
    let mut after = before.clone();
    after.remove(&format!("s{seed}-n{}", n / 2)).unwrap();
    let moved = changed(&before, &after, 20_000);
    moved * n as f64
}

/// The share of keys whose owner changes.
fn changed(before: &Cluster, after: &Cluster, n_keys: u32) -> f64 {
    let keys = (0..n_keys).map(u32::to_le_bytes);
    let moved = keys.filter(|key| before.route(key) != after.route(key));
    moved.count() as f64 / f64::from(n_keys)
}

/// Simulations of one removal: all changed entries over the unavoidable ones. The spread from one
/// set of names to the next is about a tenth of the excess, so that 8 of them fix it well enough.
#[test]
fn a_removal_moves_more_than_it_must() {
    for (m, n, simulated) in [(1009, 10, 1.24), (10007, 100, 2.61)] {
        let sum: f64 = (0..8).map(|seed| moved_in_vain(m, n, seed)).sum();
        let mean = sum / 8.0;
        assert!(
            (mean / simulated - 1.0).abs() < 0.1,
            "{mean} of {simulated}"
        );
    }
}
