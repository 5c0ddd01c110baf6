//! Jump: the buckets that a key would have had at smaller n, one after the other.
//!
//! J. Lamping and E. Veach, "A fast, minimal memory, consistent hash algorithm", 2014, figure 1.

use std::array;

use crate::{BucketFn, Work};

/// The step of the linear congruential generator. Lamping & Veach 2014, figure 1.
const MULTIPLIER: u64 = 2_862_933_555_777_941_757;

/// Keys that are walked side by side: their walks fill the caches' fastest few kilobytes.
const SIDE_BY_SIDE: usize = 64;

/// 2^52: a double from here up to twice as much has no room for a fraction, and its lowest bits are
/// those of the whole number.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// The walk of one key: it is in bucket `b` until there are more than `j` buckets, and then in `j`.
#[derive(Clone, Copy)]
struct Walk {
    state: u64,
    b: i64,
    j: i64,
}

impl Walk {
    #[inline]
    fn new(key_hash: u64) -> Self {
        Self {
            state: key_hash,
            b: -1,
            j: 0,
        }
    }

    /// The walk one jump further.
    #[inline]
    fn next(self) -> Self {
        let state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(1);
        // 31 random bits, plus one: both fit, so that the cheap signed conversion serves.
        let random = ((state >> 33) + 1).cast_signed();
        let scale = 2_147_483_648.0 / random as f64;
        Self {
            state,
            b: self.j,
            j: ((self.j + 1) as f64 * scale) as i64,
        }
    }
}

/// The bucket as it is counted elsewhere.
#[inline]
fn bucket_of(b: i64) -> u32 {
    u32::try_from(b).expect("a walk begins at bucket 0 and ends below n")
}

/// Returns the bucket of a key with this hash among `n`, 1 to [`crate::MAX_BUCKETS`].
///
/// Probes are the buckets that the key visits, H_n = 1 + 1/2 + ... + 1/n of them in the mean. The
/// generator's steps are no hash evaluations: each is a multiplication and an addition, and mixes
/// nothing that the key's hash had not mixed.
#[inline]
pub fn jump(key_hash: u64, n: u32, work: &mut impl Work) -> u32 {
    let mut walk = Walk::new(key_hash);
    while walk.j < i64::from(n) {
        work.probe();
        walk = walk.next();
    }
    bucket_of(walk.b)
}

/// The walks of many keys, step by step together. All is in doubles and without a branch, so that the
/// compiler makes vector instructions of a step: where a bucket is below n, and so where it counts,
/// every double is the whole number that [`Walk`] has.
struct Walks {
    state: [u64; SIDE_BY_SIDE],
    /// The bucket that a walk looks at. Beyond n it goes on, ever further, and never comes back.
    j: [f64; SIDE_BY_SIDE],
    /// The last bucket below n.
    b: [f64; SIDE_BY_SIDE],
    /// Whose walk it is.
    key: [usize; SIDE_BY_SIDE],
}

impl Walks {
    /// One jump of the first `m` walks; returns how many of them are still below `n`.
    #[inline]
    fn step(&mut self, m: usize, n: f64) -> u64 {
        let mut below = 0;
        let walks = self.state[..m]
            .iter_mut()
            .zip(&mut self.j[..m])
            .zip(&mut self.b[..m]);
        for ((state, j), b) in walks {
            *state = state.wrapping_mul(MULTIPLIER).wrapping_add(1);
            // The 31 random bits, plus one, as a double: written below the bits of 2^52.
            let random = f64::from_bits((*state >> 33) | WHOLE.to_bits()) - (WHOLE - 1.0);
            let exact = (*j + 1.0) * (2_147_483_648.0 / random);
            // To the nearest whole number, then down to the one below if that was above.
            let nearest = (exact + WHOLE) - WHOLE;
            *j = nearest - if nearest > exact { 1.0 } else { 0.0 };
            let reached = if *j < n { *j } else { 0.0 };
            *b = if reached > *b { reached } else { *b };
            below += u64::from(*j < n);
        }
        below
    }

    /// Writes the bucket of each of the first `m` walks and drops those that have arrived; returns
    /// how many are left, now in front.
    #[inline]
    fn drop_arrived(&mut self, m: usize, n: f64, buckets: &mut [u32]) -> usize {
        let mut left = 0;
        for i in 0..m {
            let (j, b, key) = (self.j[i], self.b[i], self.key[i]);
            buckets[key] = bucket_of(b as i64);
            self.state[left] = self.state[i];
            (self.j[left], self.b[left], self.key[left]) = (j, b, key);
            left += usize::from(j < n); // no branch: nobody could foretell it
        }
        left
    }
}

/// The buckets of at most [`SIDE_BY_SIDE`] keys.
fn jump_together(key_hashes: &[u64], n: u32, buckets: &mut [u32]) {
    let n = f64::from(n);
    let mut m = key_hashes.len();
    let mut walks = Walks {
        state: [0; SIDE_BY_SIDE],
        j: [0.0; SIDE_BY_SIDE],
        b: [0.0; SIDE_BY_SIDE],
        key: array::from_fn(|i| i),
    };
    walks.state[..m].copy_from_slice(key_hashes);
    while m > 0 {
        let below = walks.step(m, n) as usize;
        // Dropping costs about as much as a step: not before half of the walks have arrived.
        if 2 * below <= m {
            m = walks.drop_arrived(m, n, buckets);
        }
    }
}

/// [`jump`] as a [`BucketFn`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Jump;

impl BucketFn for Jump {
    #[inline]
    fn bucket(&self, key_hash: u64, n: u32, work: &mut impl Work) -> u32 {
        jump(key_hash, n, work)
    }

    fn buckets(&self, key_hashes: &[u64], n: u32, buckets: &mut [u32]) {
        let some = key_hashes.chunks(SIDE_BY_SIDE);
        for (key_hashes, buckets) in some.zip(buckets.chunks_mut(SIDE_BY_SIDE)) {
            jump_together(key_hashes, n, buckets);
        }
    }
}
