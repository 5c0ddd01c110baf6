//! Buckets without nodes: from one to many and back.

use anchor::{Anchor, JumpBackAnchor};
use dx::Dx;
use memento::Memento;
use node_buckets::Buckets;
use point_hash::SplitMix64;

const N_KEYS: u64 = 5_000;

/// Buckets, of which 0 to `n` - 1 are in use.
fn in_use<B: Buckets>(mut buckets: B, n: u32) -> B {
    for bucket in 0..n {
        assert_eq!(buckets.add(), bucket);
    }
    buckets
}

/// Checks that hashes move between `before` and `after` in no other way than to or from `bucket`,
/// and how many do. Six standard deviations of a binomial count: once in 5e8 cases.
#[track_caller]
fn check_moves<B: Buckets>(before: &B, after: &B, bucket: u32, share: f64) {
    let mut random = SplitMix64::new(2);
    let mut moved = 0_u32;
    for _ in 0..N_KEYS {
        let hash = random.draw();
        let (from, to) = (before.find(hash, &mut ()), after.find(hash, &mut ()));
        if from != to {
            assert!(from == bucket || to == bucket, "{from} to {to}");
            moved += 1;
        }
    }
    let expected = N_KEYS as f64 * share;
    let sd = (expected * (1.0 - share)).sqrt();
    assert!(
        (f64::from(moved) - expected).abs() <= 6.0 * sd,
        "{moved} moved to or from {bucket}, {expected} expected"
    );
}

/// Lets buckets grow far beyond what they reserved, and one leave and return at every size.
#[track_caller]
fn check_growth<B: Buckets>(buckets: B) {
    let mut grown = in_use(buckets, 1);
    for n in 1..70_u32 {
        let before = grown.clone();
        assert_eq!(grown.add(), n);
        let share = 1.0 / f64::from(n + 1);
        check_moves(&before, &grown, n, share);
        let mut undone = grown.clone();
        undone.remove(n);
        check_moves(&before, &undone, n, 0.0);
        let mut left = grown.clone();
        left.remove(n / 2);
        check_moves(&grown, &left, n / 2, share);
        assert_eq!(left.add(), n / 2);
        check_moves(&grown, &left, n / 2, 0.0);
    }
}

#[test]
fn they_grow_without_a_move_in_vain() {
    for capacity in [1, 3, 40] {
        check_growth(Anchor::new(capacity));
        check_growth(Dx::new(capacity));
    }
    check_growth(Memento::new());
    check_growth(JumpBackAnchor::new());
}

/// Buckets that grew, lost some and were cleared, against new ones.
#[track_caller]
fn check_cleared<B: Buckets>(new: B) {
    let mut cleared = in_use(new.clone(), 20);
    cleared.remove(5);
    cleared.remove(19);
    cleared.clear(3);
    check_moves(&in_use(new, 3), &in_use(cleared, 3), 0, 0.0);
}

#[test]
fn cleared_they_are_as_new() {
    check_cleared(Anchor::new(3));
    check_cleared(Dx::new(3));
    check_cleared(Memento::new());
    check_cleared(JumpBackAnchor::new());
}
