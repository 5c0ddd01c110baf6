//! The buckets that were left, and what each remembers.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use bucket_hash::{Work, jump};
use node_buckets::{Buckets, remainder};
use point_hash::{mix64, rehash};

/// What a bucket that was left remembers.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// The buckets that were in use once this one was left. Also where to look for the bucket that
    /// stands in for it: the last place of the list of those in use before. The paper's `c`.
    size: u32,
    /// The bucket that was left before it, or the first one that is not jump's yet. The paper's `p`.
    before: u32,
}

/// The buckets of `MementoHash`.
///
/// Memory: for each bucket that is out of use one entry of a hash table, 12 bytes and the table's
/// own, 14 to 30 in all.
#[derive(Clone, Debug, Default)]
pub struct Memento {
    /// Buckets 0 to this number, without it, are jump's. The paper's `n`.
    n: u32,
    /// Those out of use. The paper's `R`.
    left: HashMap<u32, Left, BuildHasherDefault<BucketHasher>>,
    /// The bucket that the next one to join takes. The paper's `l`.
    last: u32,
}

impl Memento {
    /// No bucket in use.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// [`Buckets::find`] with any hash functions: `key_hash` is what jump gets, and `inner(b)` the
    /// key's further hash for bucket b.
    #[inline]
    pub fn find_with(
        &self,
        key_hash: u64,
        mut inner: impl FnMut(u64) -> u64,
        work: &mut impl Work,
    ) -> u32 {
        // Symbols of the paper's loop: b = bucket, w_b = size, d = at_place
        let mut bucket = jump(key_hash, self.n, work);
        if self.left.is_empty() {
            return bucket;
        }
        while let Some(&Left { size, .. }) = self.left.get(&bucket) {
            work.hash_eval();
            let place = remainder(inner(bucket.into()), size);
            bucket = self.at_place(place, size, work);
        }
        bucket
    }

    /// The bucket at this place of the list of those in use when it was `size` long: where the
    /// bucket of that number had been left by then, the one that stands in for it, and so on.
    #[inline]
    fn at_place(&self, place: u32, size: u32, work: &mut impl Work) -> u32 {
        let mut bucket = place;
        loop {
            work.probe();
            match self.left.get(&bucket) {
                Some(left) if left.size >= size => bucket = left.size,
                _ => return bucket,
            }
        }
    }
}

/// The inner hashes are those of [`rehash`].
impl Buckets for Memento {
    fn clear(&mut self, _coming: usize) {
        *self = Self::new();
    }

    fn add(&mut self) -> u32 {
        let bucket = self.last;
        self.last = match self.left.remove(&bucket) {
            Some(left) => left.before,
            None => {
                self.n = bucket + 1;
                self.n
            }
        };
        bucket
    }

    fn remove(&mut self, bucket: u32) {
        if self.left.is_empty() && bucket + 1 == self.n {
            self.n = bucket;
        } else {
            let n_left = u32::try_from(self.left.len()).expect("buckets are u32");
            let left = Left {
                size: self.n - n_left - 1,
                before: self.last,
            };
            self.left.insert(bucket, left);
        }
        self.last = bucket;
    }

    #[inline]
    fn find(&self, key_hash: u64, work: &mut impl Work) -> u32 {
        self.find_with(key_hash, |bucket| rehash(key_hash, bucket), work)
    }
}

/// Hashes a bucket's number for the table, where nothing depends on the order of entries. It is
/// quicker than the standard one, which guards against keys that somebody chose; buckets nobody
/// does.
#[derive(Default)]
struct BucketHasher(u64);

impl Hasher for BucketHasher {
    #[inline]
    fn write_u32(&mut self, bucket: u32) {
        self.0 = mix64(u64::from(bucket) + 1);
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("the table's keys are u32");
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
