//! `JumpBackHash`: the walk of jump from its far end, with integers only.
//!
//! O. Ertl, "JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly to
//! Buckets", Software: Practice and Experience 55(3), 2025.

use point_hash::SplitMix64;

use crate::{BucketFn, Work};

/// The next 64 bits, counted as one evaluation.
#[inline]
fn draw(draws: &mut SplitMix64, work: &mut impl Work) -> u64 {
    work.hash_eval();
    draws.draw()
}

/// Returns the bucket among `n`, 1 to [`crate::MAX_BUCKETS`], of the key that `draws` was seeded
/// with. The caller may go on drawing where the function stopped.
///
/// Buckets fall into levels: 0, 1, 2 to 3, 4 to 7, and so on. The first draw says which levels the
/// key jumps in, and where it lands in each of them last; the highest is the key's. Only in the top
/// level, which may reach beyond n, can that be no bucket; then further draws, two tries each, go
/// on. 1 + s / (1 - s^2) draws in the mean, s = [`crate::gap`] of n: at most 5/3.
///
/// Probes are the buckets tried, 1 + 3/2 s / (1 - s) of them in the mean; bucket 0, where a key
/// stays that jumps nowhere, is one.
#[inline]
pub fn jump_back(draws: &mut SplitMix64, n: u32, work: &mut impl Work) -> u32 {
    // Symbols of the paper's algorithm:
    //   r0     the first draw, r a later one
    //   levels a bit for each level that the key jumps in; the highest of them is [low, 2 low)
    let r0 = draw(draws, work);
    let halves = [low_half(r0), low_half(r0 >> 32)];
    let mut levels = (halves[0] ^ halves[1]) & (n.next_power_of_two() - 1);
    while levels != 0 {
        let low = 1 << levels.ilog2();
        // Which half is used alternates from level to level.
        let half = halves[levels.count_ones() as usize % 2];
        let bucket = low + (half & (low - 1));
        work.probe();
        if bucket < n {
            return bucket;
        }
        if let Some(bucket) = retry(low, draws, n, work) {
            return bucket;
        }
        levels ^= low;
    }
    work.probe();
    0
}

/// Tries on in the level [`low`, 2 `low`), which reaches beyond `n`; `None` when the key leaves it
/// downwards.
#[inline]
fn retry(low: u32, draws: &mut SplitMix64, n: u32, work: &mut impl Work) -> Option<u32> {
    loop {
        let r = draw(draws, work);
        for half in [low_half(r), low_half(r >> 32)] {
            let bucket = half & (2 * low - 1);
            work.probe();
            if bucket < low {
                return None;
            }
            if bucket < n {
                return Some(bucket);
            }
        }
    }
}

/// The low 32 bits.
#[inline]
fn low_half(word: u64) -> u32 {
    word as u32
}

/// [`jump_back`] as a [`BucketFn`]: the draws are SplitMix64's, seeded with the key's hash.
#[derive(Clone, Copy, Debug, Default)]
pub struct JumpBack;

impl BucketFn for JumpBack {
    #[inline]
    fn bucket(&self, key_hash: u64, n: u32, work: &mut impl Work) -> u32 {
        jump_back(&mut SplitMix64::new(key_hash), n, work)
    }
}
