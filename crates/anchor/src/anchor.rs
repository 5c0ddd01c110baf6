//! The buckets of anchor hashing, with a reserve that grows when it is used up.

use bucket_hash::Work;
use node_buckets::{Buckets, remainder};
use point_hash::rehash;

use crate::removals::Removals;

/// The buckets of `AnchorHash`, and further stretches of them where it would be full.
///
/// Memory: 8 bytes for every bucket that was ever in use, 4 more while it is free again. The reserve
/// takes none.
#[derive(Clone, Debug)]
pub struct Anchor {
    /// Buckets reserved at building, at least 1. The paper's `a`.
    capacity: u32,
    /// How often the capacity was doubled since.
    doublings: u32,
    removals: Removals,
}

impl Anchor {
    /// Buckets with room for `capacity` of them, none of which is in use.
    ///
    /// # Panics
    ///
    /// When there is no room.
    #[must_use]
    pub fn new(capacity: u32) -> Self {
        assert!(capacity > 0, "no room for any bucket");
        Self {
            capacity,
            doublings: 0,
            removals: Removals::default(),
        }
    }

    /// [`Buckets::find`] with any hash functions: `key_hash` is the key's own, and `inner(i)` the
    /// i-th further hash of the key. Up to 2^32 - 1, i is the bucket that the search is leaving.
    #[inline]
    pub fn find_with(
        &self,
        key_hash: u64,
        mut inner: impl FnMut(u64) -> u64,
        work: &mut impl Work,
    ) -> u32 {
        // Symbols of the paper's loop: b = bucket, A[b] = size, h = place, then the bucket there
        let mut bucket = self.first(key_hash, &mut inner, work);
        loop {
            let size = self.removals.size(bucket);
            if size == 0 {
                return bucket;
            }
            work.hash_eval();
            let place = remainder(inner(bucket.into()), size);
            bucket = self.removals.at_place(place, size, work);
        }
    }

    /// Where the search begins: an even choice among the buckets that were ever in use, which moves
    /// to no other than the next new one when that is taken into use.
    #[inline]
    fn first(
        &self,
        key_hash: u64,
        inner: &mut impl FnMut(u64) -> u64,
        work: &mut impl Work,
    ) -> u32 {
        let used = self.removals.used();
        for level in (1..=self.doublings).rev() {
            let floor = self.capacity << (level - 1);
            work.hash_eval();
            let hash = inner(u64::from(level) << 32);
            let mut bucket = remainder(hash, 2 * floor);
            // Who meets a bucket that was never in use goes on below it; who leaves this stretch
            // is where it was before there was one.
            while bucket >= floor {
                work.probe();
                if bucket < used {
                    return bucket;
                }
                work.hash_eval();
                bucket = remainder(inner(bucket.into()), bucket);
            }
        }
        let mut bucket = remainder(key_hash, self.capacity);
        work.probe();
        while bucket >= used {
            work.hash_eval();
            bucket = remainder(inner(bucket.into()), bucket);
            work.probe();
        }
        bucket
    }
}

/// The inner hashes are those of [`rehash`].
impl Buckets for Anchor {
    fn clear(&mut self, coming: usize) {
        self.doublings = 0;
        self.removals.clear(coming);
    }

    fn add(&mut self) -> u32 {
        let full = self.removals.used() == self.capacity << self.doublings;
        if full && self.removals.all_in_use() {
            self.doublings += 1;
        }
        self.removals.add()
    }

    fn remove(&mut self, bucket: u32) {
        self.removals.remove(bucket);
    }

    #[inline]
    fn find(&self, key_hash: u64, work: &mut impl Work) -> u32 {
        self.find_with(key_hash, |i| rehash(key_hash, i), work)
    }
}
