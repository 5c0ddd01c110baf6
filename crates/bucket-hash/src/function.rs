//! What a bucket function is, and how its work is counted.

use router::{Position, Trace};

/// The most buckets that every function here can tell apart: 2^31 - 1, the limit of the published
/// programs, whose bucket numbers are signed 32-bit integers.
pub const MAX_BUCKETS: u32 = i32::MAX.cast_unsigned();

/// A function from a key's hash and a number of buckets to a bucket.
///
/// When n grows by one, a key's bucket stays or becomes the new one, n; the contract suite's
/// `minimal` tests it over any [`crate::Lifo`] router.
pub trait BucketFn: Clone + Send + Sync + 'static {
    /// Returns the bucket, below `n`, of a key with this hash, and tells `work` of every hash
    /// evaluated on the way (the key's own is the caller's) and of every bucket considered.
    ///
    /// `n` is 1 to [`MAX_BUCKETS`].
    fn bucket(&self, key_hash: u64, n: u32, work: &mut impl Work) -> u32;

    /// Writes the bucket of every hash, equal to [`BucketFn::bucket`] one by one. A function whose
    /// steps wait for each other walks several keys side by side here.
    fn buckets(&self, key_hashes: &[u64], n: u32, buckets: &mut [u32]) {
        for (bucket, &key_hash) in buckets.iter_mut().zip(key_hashes) {
            *bucket = self.bucket(key_hash, n, &mut ());
        }
    }

    /// Returns each bucket's exact share under an ideal hash, for a function that does not share
    /// evenly by design; `None` for one that does.
    fn shares(&self, n: u32) -> Option<Vec<f64>> {
        let _ = n;
        None
    }
}

/// Somebody who is told of the work of a look-up.
pub trait Work {
    /// A hash of bytes or words was evaluated.
    fn hash_eval(&mut self);
    /// A bucket was considered, be it taken or not.
    fn probe(&mut self);
}

/// Counts nothing and costs nothing: what a look-up uses.
impl Work for () {
    #[inline(always)]
    fn hash_eval(&mut self) {}

    #[inline(always)]
    fn probe(&mut self) {}
}

/// Counts everything: what a trace uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Hash evaluations.
    pub hash_evals: u32,
    /// Buckets considered.
    pub probes: u32,
}

impl Count {
    /// The trace of a look-up that hashed the key's bytes to `key_hash` and then did this work.
    #[must_use]
    pub fn trace(self, key_hash: u64) -> Trace {
        Trace {
            hash_evals: 1 + self.hash_evals,
            probes: self.probes,
            batch_probes: self.probes.into(),
            key_hash: Some(Position::Unsigned(key_hash.into())),
            ..Trace::default()
        }
    }
}

impl Work for Count {
    fn hash_eval(&mut self) {
        self.hash_evals += 1;
    }

    fn probe(&mut self) {
        self.probes += 1;
    }
}
