//! The ranking of all slots for one key.

use bucket_hash::Work;
use point_hash::rehash;

use crate::choice::choose;

/// The seed of the i-th bucket function, i from 1, is the rehash of this number and i; those below
/// belong to the levels of function 0, whose seed is the key's hash itself.
const SEEDS: u64 = 31;

/// The slots 0 to n - 1 in a key's order, one after the other.
///
/// Every order has the same chance. With one slot more the order is the same but for the new slot,
/// which stands anywhere in it. The k-th slot costs up to k bucket functions.
#[derive(Clone, Debug)]
pub struct Ranking {
    key_hash: u64,
    n: u32,
    /// Those chosen before the last one, the highest first.
    chosen: Vec<u32>,
    /// The last one, and its place among the others; it is put there when the next one is asked
    /// for, so that a look-up which needs only one never allocates.
    last: Option<(usize, u32)>,
}

impl Ranking {
    /// The ranking of a key with this hash, of `n` slots.
    #[must_use]
    #[inline]
    pub fn new(key_hash: u64, n: u32) -> Self {
        Self {
            key_hash,
            n,
            chosen: Vec::new(),
            last: None,
        }
    }

    /// The next slot; `None` when all were named.
    #[inline]
    pub fn next_slot(&mut self, work: &mut impl Work) -> Option<u32> {
        if let Some((place, slot)) = self.last.take() {
            self.chosen.insert(place, slot);
        }
        // S(k, n) is known, S(k + 1, n) wanted. Its largest member is a choice of the newest function,
        // or that of S(k, n); in that case the rest of it are one more member than S(k - 1, ..)
        // among the slots below, and so on.
        let mut newest = self.n_chosen();
        if newest == self.n {
            return None;
        }
        let mut n = self.n;
        for (place, &largest) in self.chosen.iter().enumerate() {
            let choice = self.choice(newest, n, work);
            if choice > largest {
                self.last = Some((place, choice));
                return Some(choice);
            }
            n = largest;
            newest -= 1;
        }
        let choice = self.choice(0, n, work);
        self.last = Some((self.chosen.len(), choice));
        Some(choice)
    }

    fn n_chosen(&self) -> u32 {
        u32::try_from(self.chosen.len()).expect("no more are chosen than there are slots")
    }

    /// The choice c(i, n - i) + i of the i-th function among the slots from i to n - 1.
    #[inline]
    fn choice(&self, i: u32, n: u32, work: &mut impl Work) -> u32 {
        let seed = if i == 0 {
            self.key_hash
        } else {
            work.hash_eval();
            rehash(self.key_hash, SEEDS + u64::from(i))
        };
        choose(seed, n - i, work) + i
    }
}
