//! The removals of anchor hashing over buckets that `JumpBackHash` chooses from.

use bucket_hash::{Work, jump_back};
use node_buckets::Buckets;
use point_hash::SplitMix64;

use crate::removals::Removals;

/// The buckets of hash4j's `JumpBackAnchorHash`, without a limit.
///
/// A key begins at the bucket that `JumpBackHash` gives it among all that were ever in use, so none
/// has to be reserved. From a bucket that was left it goes on as in [`crate::Anchor`], with numbers
/// from the stream of draws that `JumpBackHash` began.
///
/// Memory: 8 bytes for every bucket that was ever in use, 4 more while it is free again.
#[derive(Clone, Debug, Default)]
pub struct JumpBackAnchor {
    removals: Removals,
}

impl JumpBackAnchor {
    /// No bucket in use.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Buckets for JumpBackAnchor {
    fn clear(&mut self, coming: usize) {
        self.removals.clear(coming);
    }

    fn add(&mut self) -> u32 {
        self.removals.add()
    }

    fn remove(&mut self, bucket: u32) {
        self.removals.remove(bucket);
    }

    #[inline]
    fn find(&self, key_hash: u64, work: &mut impl Work) -> u32 {
        let mut draws = SplitMix64::new(key_hash);
        let mut bucket = jump_back(&mut draws, self.removals.used(), work);
        loop {
            let size = self.removals.size(bucket);
            if size == 0 {
                return bucket;
            }
            let place = below(&mut draws, size, work);
            bucket = self.removals.at_place(place, size, work);
        }
    }
}

/// An even number below `n`, from the low halves of as many draws as it takes: the high half of a
/// product, unless its low half is one of those that would favour some numbers. Lemire 2019,
/// algorithm 5 with 32 bits.
#[inline]
fn below(draws: &mut SplitMix64, n: u32, work: &mut impl Work) -> u32 {
    let mut product = || {
        work.hash_eval();
        (draws.draw() & u64::from(u32::MAX)) * u64::from(n)
    };
    let mut scaled = product();
    if low_half(scaled) < n {
        // 2^32 modulo n of the low halves are one too many.
        let too_many = n.wrapping_neg() % n;
        while low_half(scaled) < too_many {
            scaled = product();
        }
    }
    low_half(scaled >> 32)
}

/// The low 32 bits.
#[inline]
fn low_half(word: u64) -> u32 {
    word as u32
}
