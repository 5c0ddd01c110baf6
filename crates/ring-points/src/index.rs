//! Buckets in front of the points: where a search begins.

use std::ops::Range;

use crate::{Edits, RingPoint, RingPosition, first_at_or_after, n_probes};

/// For every one of equal parts of the ring, a power of two of them, the first point in it or
/// behind it.
///
/// Points that are spread evenly leave few to look at in a bucket: a handful, looked at side by side,
/// is nearly always enough. Where more than [`Index::FEW`] crowd into one, it is halved, so that no
/// hash and no choice of names makes a search slow.
#[derive(Clone, Debug)]
pub struct Index {
    /// By bucket, the index of a point; behind the last bucket the number of points.
    first: Vec<u32>,
    /// Buckets, as a power of two.
    log: u32,
}

impl Default for Index {
    /// The index of no points.
    fn default() -> Self {
        Self::of::<u64>(&[], 1)
    }
}

impl Index {
    /// The most points of a bucket that are looked at one after the other.
    pub const FEW: usize = 16;

    /// Points of a bucket, and of those behind it, that are looked at side by side, whatever the hash.
    const ABREAST: usize = 4;

    /// How many buckets in front of `n_points` points serve look-ups best, as a power of two: one and
    /// a half to three points a bucket. More buckets leave fewer points to look at, but the points
    /// that are looked at side by side cost no more than one, and a small table stays in the cache.
    #[must_use]
    pub fn log_for(n_points: usize) -> u32 {
        (n_points / 3).max(2).next_power_of_two().ilog2()
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

    /// Goes with a change of the ring, whose points are now these: takes one addition a bucket, or what
    /// [`Index::of`] takes where there is nothing to follow or another number of buckets serves better.
    pub fn follow<T: RingPosition>(&mut self, points: &[RingPoint<T>], edits: &Edits<T>) {
        let log = Self::log_for(points.len());
        // One bucket too many or too few is no reason: else a ring whose size sways would be indexed
        // anew every time.
        if edits.everything || self.log.abs_diff(log) > 1 {
            *self = Self::of(points, log);
            return;
        }
        let bucket = |position: &T| position.top_bits(self.log);
        let gone = edits.gone.iter().map(|at| (bucket(at), u32::MAX));
        let come = edits.come.iter().map(|at| (bucket(at), 1));
        let mut steps: Vec<(usize, u32)> = gone.chain(come).collect();
        steps.sort_unstable();
        // Every bucket behind one that got a point begins one later, modulo 2^32 for one that lost one.
        let (mut moved, mut from) = (0_u32, 0);
        for (bucket, step) in steps.into_iter().chain([(self.first.len() - 1, 0)]) {
            for entry in &mut self.first[from..=bucket] {
                *entry = entry.wrapping_add(moved);
            }
            from = bucket + 1;
            moved = moved.wrapping_add(step);
        }
    }

    /// The bucket of a position: the indices of its points.
    #[inline]
    fn bucket<T: RingPosition>(&self, position: T) -> Range<usize> {
        let bucket = position.top_bits(self.log);
        self.first[bucket] as usize..self.first[bucket + 1] as usize
    }

    /// Returns the index of the first point at or after `hash`, or the number of points when there
    /// is none. `points` are those that the index is of.
    #[must_use]
    #[inline]
    pub fn first_at_or_after<T: RingPosition>(&self, points: &[RingPoint<T>], hash: T) -> usize {
        let start = self.first[hash.top_bits(self.log)] as usize;
        // How many of them are before the hash cannot be guessed, so no branch depends on it.
        if let Some(abreast) = points[start..].first_chunk::<{ Self::ABREAST }>() {
            let before = abreast.iter().map(|it| usize::from(it.position() < hash));
            let n_before: usize = before.sum();
            if n_before < Self::ABREAST {
                return start + n_before;
            }
        }
        self.go_on(points, hash)
    }

    /// As [`Index::first_at_or_after`], one point after the other, or by halving a crowded bucket.
    #[inline(never)]
    fn go_on<T: RingPosition>(&self, points: &[RingPoint<T>], hash: T) -> usize {
        let bucket = self.bucket(hash);
        let start = bucket.start;
        let points = &points[bucket];
        if points.len() > Self::FEW {
            return start + first_at_or_after(points, hash);
        }
        start + points.iter().take_while(|it| it.position() < hash).count()
    }

    /// Returns how many table entries and points a search looks at: see [`batch_probes`].
    ///
    /// [`batch_probes`]: crate::batch_probes
    #[must_use]
    pub fn n_looked_at<T: RingPosition>(&self, points: &[RingPoint<T>], hash: T) -> u32 {
        let bucket = self.bucket(hash);
        let n_behind = points.len() - bucket.start;
        let bucket = &points[bucket];
        let before = bucket.iter().filter(|point| point.position() < hash);
        n_looked_at(before.count(), bucket.len(), n_behind)
    }
}

/// Returns how many table entries and points a search looks at in a bucket with `n_points` points,
/// `n_before` of them before the hash: the bucket; the points that are looked at side by side; and if
/// all of them are before the hash, these again and on to the one that it finds, or of a crowded
/// bucket all that halving it looks at. `n_behind` points are in the bucket and behind it.
pub(crate) fn n_looked_at(n_before: usize, n_points: usize, n_behind: usize) -> u32 {
    let abreast = if n_behind < Index::ABREAST {
        0
    } else {
        Index::ABREAST
    };
    let again = match n_before {
        few if few < abreast => 0,
        _ if n_points > Index::FEW => n_probes(n_points as u64) as usize,
        many => many + 1,
    };
    u32::try_from(1 + abreast + again).expect("few")
}
