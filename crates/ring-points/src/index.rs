//! Buckets in front of the points: where a search begins.

use std::ops::Range;

use crate::{RingPoint, RingPosition, first_at_or_after, n_probes};

/// For every one of equal parts of the ring, a power of two of them, the first point in it or
/// behind it.
///
/// Points that are spread evenly leave few to look at in a bucket. Where more than [`Index::FEW`]
/// crowd into one, it is halved, so that no hash and no choice of names makes a search slow.
#[derive(Clone, Debug)]
pub struct Index {
    /// By bucket, the index of a point; behind the last bucket the number of points.
    first: Vec<u32>,
    /// Buckets, as a power of two.
    log: u32,
}

impl Index {
    /// The most points of a bucket that are looked at one after the other.
    pub const FEW: usize = 16;

    /// How many buckets are in front of `n_points` points while many keys are sought, as a power
    /// of two: one to two points a bucket.
    #[must_use]
    pub fn log_for_batches(n_points: usize) -> u32 {
        n_points.next_power_of_two().ilog2().max(2) - 1
    }

    /// The index of these points, which are in order, with 2^`log` buckets, from 2 to 2^31. Takes
    /// one pass over the points and one over the buckets.
    #[must_use]
    pub fn of<T: RingPosition>(points: &[RingPoint<T>], log: u32) -> Self {
        let n_points = u32::try_from(points.len()).expect("at most 2^27 points");
        let mut first = vec![u32::MAX; (1 << log) + 1];
        // From the end, so that of a bucket's points the first one stays.
        for (point, i) in points.iter().zip(0..n_points).rev() {
            first[point.position().top_bits(log)] = i;
        }
        let mut behind = n_points;
        for entry in first.iter_mut().rev() {
            behind = if *entry == u32::MAX { behind } else { *entry };
            *entry = behind;
        }
        Self { first, log }
    }

    /// The bucket of a position: the indices of its points.
    #[inline]
    pub(crate) fn bucket<T: RingPosition>(&self, position: T) -> Range<usize> {
        let bucket = position.top_bits(self.log);
        self.first[bucket] as usize..self.first[bucket + 1] as usize
    }

    /// Returns the index of the first point at or after `hash`, or the number of points when there
    /// is none. `points` are those that the index is of.
    #[must_use]
    #[inline]
    pub fn first_at_or_after<T: RingPosition>(&self, points: &[RingPoint<T>], hash: T) -> usize {
        let bucket = self.bucket(hash);
        if bucket.len() > Self::FEW {
            return bucket.start + first_at_or_after(&points[bucket], hash);
        }
        let mut point = bucket.start;
        while point < bucket.end && points[point].position() < hash {
            point += 1;
        }
        point
    }

    /// Returns how many table entries and points a search looks at: the bucket, the points
    /// before the hash, and the one that it finds; of a crowded bucket all that halving it looks at.
    #[must_use]
    pub fn n_looked_at<T: RingPosition>(&self, points: &[RingPoint<T>], hash: T) -> u32 {
        let bucket = &points[self.bucket(hash)];
        let before = bucket.iter().filter(|point| point.position() < hash);
        n_looked_at(before.count(), bucket.len())
    }
}

/// Returns how many table entries and points a search looks at in a bucket with `n_points` points,
/// `n_before` of them before the hash: the bucket, these, and the point that it finds; of a crowded
/// one all that halving it looks at.
pub(crate) fn n_looked_at(n_before: usize, n_points: usize) -> u32 {
    if n_points > Index::FEW {
        return 1 + n_probes(n_points as u64);
    }
    2 + u32::try_from(n_before).expect("few")
}
