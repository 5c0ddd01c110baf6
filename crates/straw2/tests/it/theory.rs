//! The law of the straws, and what the strategy says of itself.

use router::{Estimate, KeyBuf, Question};

use crate::{cluster, names, owners};

fn stated(question: Question) -> Option<Estimate> {
    cluster(&["a"]).spec().expected(question)
}

/// The share of node j of n names in order: it draws u, the smaller names less, the larger ones no
/// more, summed over all u.
fn share(n: i32, j: i32) -> f64 {
    let chance = |u: u32| {
        let (less, no_more) = (f64::from(u) / 65_536.0, f64::from(u + 1) / 65_536.0);
        less.powi(j) * no_more.powi(n - 1 - j)
    };
    (0..65_536).map(chance).sum::<f64>() / 65_536.0
}

#[test]
fn shares_are_as_the_draws_give_them() {
    for n in [1, 2, 3, 10, 40] {
        let fair: Vec<f64> = (0..n).map(|j| f64::from(n) * share(n, j)).collect();
        let variance = fair.iter().map(|it| (it - 1.0).powi(2)).sum::<f64>() / f64::from(n);
        let peak = fair.iter().copied().fold(0.0, f64::max);
        let n = n as u64;
        let said = stated(Question::ShareVariance { n }).unwrap().mean;
        assert!(
            (said - variance).abs() <= 1e-3 * variance + 1e-15,
            "{n}: {said}, {variance}"
        );
        let said = stated(Question::Peak { n }).unwrap().mean;
        assert!((said - peak).abs() < 1e-7, "{n}: {said}, {peak}");
    }
    assert_eq!(stated(Question::ShareVariance { n: 5000 }), None);
    // The first half of 1000 names own 50.19 %.
    let half: f64 = (0..500).map(|j| share(1000, j)).sum();
    assert!((half - 0.5019).abs() < 1e-4, "{half}");
}

/// Weights 1, 2, 3, 4 and 100,000 keys: 10, 20, 30, 40 % within 5 standard deviations.
#[test]
fn shares_follow_the_weights() {
    let cluster = cluster(&["a=1", "b=2", "c=3", "d=4"]);
    let keys: KeyBuf = names("user", 100_000).iter().collect();
    let owners = owners(&cluster, &keys);
    for (name, share) in [("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.4)] {
        let count = owners.iter().filter(|it| &***it == name).count() as f64;
        let sd = (1e5 * share * (1.0_f64 - share)).sqrt();
        assert!((count - 1e5 * share).abs() < 5.0 * sd, "{name}: {count}");
    }
}

/// One weight of many changes, from equal to unequal, up and down: keys move to or from that node alone.
#[test]
fn a_weight_touches_one_straw() {
    let keys: KeyBuf = names("key-", 5000).iter().collect();
    let mut cluster = cluster(&names("node-", 30));
    let mut before = owners(&cluster, &keys);
    for weight in [2, 3, 65_535, 7, 1, 0, 1] {
        cluster.set_weight("node-4", weight).unwrap();
        let after = owners(&cluster, &keys);
        for (from, to) in before.iter().zip(&after) {
            assert!(from == to || &**from == "node-4" || &**to == "node-4");
        }
        before = after;
    }
}

#[track_caller]
fn check_moved(n: u64, removed: u64, added: u64, expected: f64) {
    let said = stated(Question::Moved { n, removed, added }).unwrap();
    assert!((said.mean - expected).abs() < 1e-12, "{said:?}");
    let before = cluster(&names("node", n as usize));
    let mut after = before.clone();
    for i in 0..removed {
        after.remove(&format!("node{i}")).unwrap();
    }
    for i in 0..added {
        after.add(format!("new{i}").as_str()).unwrap();
    }
    let keys: KeyBuf = names("key-", 20_000).iter().collect();
    let owners = owners(&before, &keys)
        .into_iter()
        .zip(owners(&after, &keys));
    let moved = owners.filter(|(from, to)| from != to).count() as f64;
    let sd = (20_000.0 * expected * (1.0 - expected)).sqrt();
    assert!((moved - 20_000.0 * expected).abs() < 5.0 * sd, "{moved}");
}

#[test]
fn keys_move_as_stated() {
    check_moved(10, 1, 0, 0.1);
    check_moved(10, 0, 1, 1.0 / 11.0);
    check_moved(10, 3, 5, 8.0 / 15.0);
    assert_eq!(
        stated(Question::HashEvals { n: 7 }),
        Some(Estimate::exact(8.0))
    );
    assert_eq!(
        stated(Question::Probes { n: 7 }),
        Some(Estimate::exact(7.0))
    );
}
