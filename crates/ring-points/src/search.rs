//! The search that every ring knows: halving.

use std::hint::select_unpredictable;

use crate::{RingPoint, RingPosition};

/// Returns the index of the first point at or after `hash`, or the number of points when there is
/// none. Looks at [`n_probes`] points, whatever the hash.
#[must_use]
#[inline]
pub fn first_at_or_after<T: RingPosition>(points: &[RingPoint<T>], hash: T) -> usize {
    // What lies before `base` is before the hash, what lies from `base + size` on is not.
    let (mut base, mut size) = (0, points.len());
    while size > 1 {
        let half = size / 2;
        let middle = base + half;
        // Which half it is cannot be guessed, so no branch depends on it.
        base = select_unpredictable(points[middle].position() < hash, middle, base);
        size -= half;
    }
    base + usize::from(size == 1 && points[base].position() < hash)
}

/// Returns how many points a search among `n_points` looks at: one for every halving, and the last
/// one.
#[must_use]
pub fn n_probes(n_points: u64) -> u32 {
    match n_points {
        0 => 0,
        n => (n - 1).checked_ilog2().map_or(0, |log| log + 1) + 1,
    }
}
