//! The draws, one by one.

use std::collections::BTreeSet;

use bucket_hash::Count;
use dx::Dx;
use node_buckets::Buckets;
use point_hash::{SplitMix64, rehash};

/// Slots of which 0 to `n` - 1 are live.
fn slots(capacity: u32, n: u32) -> Dx {
    let mut slots = Dx::new(capacity);
    for slot in 0..n {
        assert_eq!(slots.add(), slot);
    }
    slots
}

/// The slot of a key by the rule as it is told, and the draws it took; `None` where all were in
/// vain.
fn told(key_hash: u64, size: u64, live: &BTreeSet<u32>) -> Option<(u32, u32)> {
    let draws = (1..(4 * size).max(64)).map(|i| rehash(key_hash, i));
    let slots = std::iter::once(key_hash).chain(draws).map(|it| it % size);
    (1..)
        .zip(slots)
        .map(|(i, slot)| (u32::try_from(slot).unwrap(), i))
        .find(|(slot, _)| live.contains(slot))
}

#[test]
fn the_first_live_slot_owns_the_key() {
    let mut random = SplitMix64::new(1);
    for (capacity, size, n) in [
        (1, 1, 1),
        (3, 4, 2),
        (10, 16, 10),
        (33, 64, 5),
        (64, 64, 64),
    ] {
        let mut dx = slots(capacity, n);
        let mut live: BTreeSet<u32> = (0..n).collect();
        for _ in 0..200 {
            let draw = random.draw();
            if live.len() > 1 && (draw.is_multiple_of(2) || live.len() == size as usize) {
                let slot = *live.iter().nth((draw >> 32) as usize % live.len()).unwrap();
                live.remove(&slot);
                dx.remove(slot);
            } else if live.len() < size as usize {
                assert!(live.insert(dx.add()), "a dead slot comes alive");
            }
            for _ in 0..50 {
                let hash = random.draw();
                let mut count = Count::default();
                let slot = dx.find(hash, &mut count);
                if let Some((expected, draws)) = told(hash, size, &live) {
                    assert_eq!(slot, expected);
                    assert_eq!((count.probes, count.hash_evals), (draws, draws - 1));
                } else {
                    assert!(live.contains(&slot));
                }
            }
        }
    }
}

/// Whether a key finds no live slot among its draws of `size` slots.
fn draws_in_vain(dx: &Dx, key_hash: u64, size: u32) -> bool {
    let mut count = Count::default();
    dx.find(key_hash, &mut count);
    count.probes > 4 * size
}

#[track_caller]
fn check_binomial(found: usize, n: usize, share: f64) {
    let expected = n as f64 * share;
    let sd = (expected * (1.0 - share)).sqrt();
    // Five standard deviations: once in 1.7 million cases; the keys are fixed.
    assert!(
        (found as f64 - expected).abs() < 5.0 * sd,
        "{found} of {n}, {expected} expected"
    );
}

/// Keys that draw in vain are as many as stated, are shared evenly, and leave with their slot only.
#[test]
fn ranked_keys_keep_the_rules() {
    const N: usize = 400_000;
    let two = slots(64, 2);
    let mut random = SplitMix64::new(2);
    let hashes = std::iter::repeat_with(|| random.draw()).take(N);
    let ranked: Vec<u64> = hashes.filter(|&it| draws_in_vain(&two, it, 64)).collect();
    check_binomial(ranked.len(), N, (62.0_f64 / 64.0).powi(256));
    let owner = |dx: &Dx, hash| dx.find(hash, &mut ());
    let first = ranked.iter().filter(|&&it| owner(&two, it) == 0).count();
    check_binomial(first, ranked.len(), 0.5);
    let mut three = two.clone();
    assert_eq!(three.add(), 2);
    let mut left = two.clone();
    left.remove(0);
    for &hash in &ranked {
        let at_two = owner(&two, hash);
        assert!([at_two, 2].contains(&owner(&three, hash)), "to the new one");
        assert_eq!(owner(&left, hash), 1, "the other is alone");
    }
}

/// Every dead slot is passed, so an alone slot at the end of a doubled range is found by all keys.
#[test]
fn a_slot_alone_owns_all_keys() {
    for (capacity, n) in [(1, 200), (7, 100), (128, 128), (1, 1)] {
        let mut dx = slots(capacity, n);
        for slot in 0..n - 1 {
            dx.remove(slot);
        }
        let mut random = SplitMix64::new(3);
        for _ in 0..200 {
            assert_eq!(dx.find(random.draw(), &mut ()), n - 1);
        }
    }
}
