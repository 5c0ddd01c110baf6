//! The bucket function below the ranking: the last jump of a key below n, as jump has it.

use bucket_hash::Work;
use point_hash::{SplitMix64, rehash};

/// Returns the bucket among `n` of the function with this seed.
///
/// It is the idea of `JumpBackHash`: each power of two b opens a level [b, 2b) of buckets, a bit of
/// the seed says whether the key jumps in it, and the first of a sequence of random numbers below 2b
/// that is below n is where, or, if it is below b, sends the key to the next level. But every level
/// has a sequence of its own. So not only the bucket at each n but those at several n together have
/// the law of jump, which the orders of the ranking need; `JumpBackHash` uses one word for several
/// levels.
#[inline]
pub(crate) fn choose(seed: u64, n: u32, work: &mut impl Work) -> u32 {
    let mut levels = low_half(seed) & (n.next_power_of_two() - 1);
    while levels > 1 {
        let b = 1 << levels.ilog2();
        if let Some(bucket) = last_jump(seed, b, n, work) {
            return bucket;
        }
        levels ^= b;
    }
    work.probe();
    levels
}

/// The bucket of the level [`b`, 2 `b`) in which the key ends up; `None` when it is below the level.
#[inline]
fn last_jump(seed: u64, b: u32, n: u32, work: &mut impl Work) -> Option<u32> {
    work.hash_eval();
    work.probe();
    let word = rehash(seed, b.ilog2().into());
    // That the key jumps in this level is known, so its first number is not below b.
    let bucket = b + (low_half(word) & (b - 1));
    if bucket < n {
        return Some(bucket);
    }
    let mut words = SplitMix64::new(word);
    let mut left = Some(low_half(word >> 32));
    loop {
        let half = left.take().unwrap_or_else(|| {
            work.hash_eval();
            let word = words.draw();
            left = Some(low_half(word >> 32));
            low_half(word)
        });
        work.probe();
        let bucket = half & (2 * b - 1);
        if bucket < b {
            return None;
        }
        if bucket < n {
            return Some(bucket);
        }
    }
}

/// The low 32 bits.
#[inline]
fn low_half(word: u64) -> u32 {
    word as u32
}
