//! Buckets in front of the points: where a search begins.

use ring_points::RingPoint;

/// For every interval of equal length, a power of two of them, the first point in it or behind it.
///
/// There are 4 to 8 buckets a point. So most hold none, and the first point looked at is mostly the
/// one that is sought: a guess that the processor makes right.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// By bucket, the index of a point.
    first: Vec<u32>,
    /// How far a position is shifted to give its bucket.
    shift: u32,
}

/// Buckets in front of `n_points` points, as a power of two.
pub(crate) fn log_buckets(n_points: u64) -> u32 {
    n_points.max(1).next_power_of_two().ilog2() + 2
}

impl Index {
    /// The index of these points, in order of position. Takes one pass over points and buckets.
    pub(crate) fn of(points: &[RingPoint<u64>]) -> Self {
        let log = log_buckets(points.len() as u64);
        let shift = u64::BITS - log;
        let mut point = 0;
        let first = (0..1_u64 << log).map(|bucket| {
            while point < points.len() && points[point].position() >> shift < bucket {
                point += 1;
            }
            u32::try_from(point).expect("at most 2^27 points")
        });
        Self {
            first: first.collect(),
            shift,
        }
    }

    /// Returns the index of the first point at or after `position`, or the number of points when
    /// there is none.
    #[inline]
    pub(crate) fn first_at_or_after(&self, points: &[RingPoint<u64>], position: u64) -> usize {
        let mut point = self.start(position);
        // A probe in ten finds one point before it and cannot guess that, so no branch depends on it;
        // one in a hundred finds two.
        if let Some(first) = points.get(point) {
            point += usize::from(first.position() < position);
        }
        while point < points.len() && points[point].position() < position {
            point += 1;
        }
        point
    }

    /// Returns how many points a search looks at: those of the bucket before `position`, and the one
    /// that it finds, behind the last point the first one.
    pub(crate) fn n_looked_at(&self, points: &[RingPoint<u64>], position: u64) -> usize {
        self.first_at_or_after(points, position) - self.start(position) + 1
    }

    #[inline]
    fn start(&self, position: u64) -> usize {
        self.first[(position >> self.shift) as usize] as usize
    }
}
