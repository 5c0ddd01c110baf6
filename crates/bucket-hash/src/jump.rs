//! Jump: the buckets that a key would have had at smaller n, one after the other.
//!
//! J. Lamping and E. Veach, "A fast, minimal memory, consistent hash algorithm", 2014, figure 1.

use std::array;

use crate::{BucketFn, Work};

/// The step of the linear congruential generator. Lamping & Veach 2014, figure 1.
const MULTIPLIER: u64 = 2_862_933_555_777_941_757;

/// Keys that are walked side by side: more find no more divisions to overlap, and wait longer for
/// the last of them.
const LANES: usize = 4;

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

/// The walks of [`LANES`] keys side by side, so that the divisions overlap. A key that has arrived
/// stands still until the last one has.
#[inline]
fn jump_lanes(key_hashes: &[u64; LANES], n: u32) -> [u32; LANES] {
    let n = i64::from(n);
    let mut walks = key_hashes.map(Walk::new);
    while walks.iter().any(|walk| walk.j < n) {
        walks = array::from_fn(|i| {
            let (here, next) = (walks[i], walks[i].next());
            if here.j < n { next } else { here }
        });
    }
    walks.map(|walk| bucket_of(walk.b))
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
        let (lanes, rest) = key_hashes.as_chunks::<LANES>();
        let (by_lanes, by_one) = buckets.as_chunks_mut::<LANES>();
        for (buckets, key_hashes) in by_lanes.iter_mut().zip(lanes) {
            *buckets = jump_lanes(key_hashes, n);
        }
        for (bucket, &key_hash) in by_one.iter_mut().zip(rest) {
            *bucket = jump(key_hash, n, &mut ());
        }
    }
}
