//! What the strategies say of themselves, against counting every slot.

use point_hash::SplitMix64;
use router::{Change, Question};

use crate::world::{cluster, counts, key_of_each_slot, nodes, owners, spec};

#[test]
fn shares_are_as_even_as_stated() {
    for (c, n) in [
        (100, 1),
        (100, 3),
        (100, 99),
        (100, 100),
        (4096, 40),
        (4096, 1000),
    ] {
        let text = format!("slots:count={c}");
        let slots = counts(&cluster(&text, &nodes(n)), c);
        let fair = c as f64 / n as f64;
        let squares = slots.iter().map(|&it| (it as f64 / fair - 1.0).powi(2));
        let variance = squares.sum::<f64>() / n as f64;
        let peak = *slots.iter().max().unwrap() as f64 / fair;
        for (question, counted) in [
            (Question::ShareVariance { n: n as u64 }, variance),
            (Question::Peak { n: n as u64 }, peak),
        ] {
            let stated = spec(&text).expected(question).unwrap();
            assert_eq!(stated.sd, Some(0.0));
            assert!(
                (stated.mean - counted).abs() < 1e-12,
                "{c} slots, {n} nodes"
            );
        }
    }
}

/// Slots that change hands when these changes are made at once.
fn moved(n_slots: usize, n: usize, changes: &[Change]) -> usize {
    let before = cluster(&format!("slots:count={n_slots}"), &nodes(n));
    let mut after = before.clone();
    after.apply(changes).unwrap();
    let keys = key_of_each_slot(&before, n_slots);
    let (old, new) = (owners(&before, &keys), owners(&after, &keys));
    old.iter().zip(&new).filter(|(a, b)| a != b).count()
}

#[test]
fn newcomers_take_exactly_what_is_stated() {
    for (c, n) in [(12, 5), (50, 7), (64, 1), (64, 10), (64, 31), (100, 96)] {
        for added in [1, 2, 3, 4] {
            let changes = (0..added).map(|i| Change::Add(format!("new{i}").into()));
            let changes: Vec<_> = changes.collect();
            let question = Question::Moved {
                n: n as u64,
                removed: 0,
                added,
            };
            let stated = spec(&format!("slots:count={c}"))
                .expected(question)
                .unwrap();
            let counted = moved(c, n, &changes) as f64 / c as f64;
            assert_eq!(stated.sd, Some(0.0));
            assert!(
                (stated.mean - counted).abs() < 1e-12,
                "{c} slots, {n} + {added}"
            );
        }
    }
}

/// All ways to lose `removed` of a few nodes.
#[test]
fn losses_move_what_is_stated_in_the_mean() {
    for (c, n, removed) in [
        (20, 3, 1),
        (20, 6, 1),
        (20, 6, 2),
        (20, 6, 5),
        (24, 6, 3),
        (20, 7, 4),
    ] {
        let choices = (0..1_u32 << n).filter(|it| it.count_ones() == removed);
        let counted: Vec<f64> = choices
            .map(|choice| {
                let leaving = (0..n).filter(|i| choice >> i & 1 == 1);
                let changes: Vec<_> = leaving
                    .map(|i| Change::Remove(format!("node{i}")))
                    .collect();
                moved(c, n, &changes) as f64 / c as f64
            })
            .collect();
        let len = counted.len() as f64;
        let mean = counted.iter().sum::<f64>() / len;
        let variance = counted.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / len;
        let question = Question::Moved {
            n: n as u64,
            removed: removed.into(),
            added: 0,
        };
        let stated = spec(&format!("slots:count={c}"))
            .expected(question)
            .unwrap();
        assert!(
            (stated.mean - mean).abs() < 1e-12,
            "{c} slots, {n} - {removed}"
        );
        let sd = stated.sd.unwrap();
        assert!(
            (sd - variance.sqrt()).abs() < 1e-12,
            "{sd} of {}",
            variance.sqrt()
        );
    }
}

#[test]
fn what_is_not_known_is_not_stated() {
    let ask = |question| spec("slots:count=10").expected(question);
    let moved = |n, removed, added| Question::Moved { n, removed, added };
    for question in [
        moved(5, 1, 1),
        moved(5, 5, 0),
        moved(10, 0, 1),
        moved(0, 0, 1),
        moved(11, 1, 0),
        Question::ShareVariance { n: 11 },
        Question::Peak { n: 0 },
    ] {
        assert_eq!(ask(question), None, "{question:?}");
    }
    assert_eq!(ask(moved(5, 0, 0)).unwrap().mean, 0.0);
}

/// The slot of a hash is its place in the range of all hashes: 100,000 random keys on 7 slots,
/// chi-square with 6 degrees of freedom, one false alarm in a million is at 38.
#[test]
fn keys_fall_evenly_on_slots() {
    let seven = cluster("slots:count=7", &nodes(7));
    let mut draw = SplitMix64::new(3);
    let mut counts = [0_u32; 7];
    for _ in 0..100_000 {
        let owner = seven.route(&draw.draw().to_le_bytes()).unwrap();
        counts[seven.nodes().position(owner).unwrap()] += 1;
    }
    let fair = 1e5 / 7.0;
    let chi2: f64 = counts
        .iter()
        .map(|&it| (f64::from(it) - fair).powi(2) / fair)
        .sum();
    assert!(chi2 < 38.0, "{counts:?}");
}
