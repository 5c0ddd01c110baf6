//! What a strategy over buckets writes.

use bucket_hash::Work;

/// A mapping of hashes to buckets, some of which are in use.
pub trait Buckets: Clone + Send + Sync + 'static {
    /// Takes all buckets out of use and forgets every change; what was reserved at building is as it
    /// was then. `coming` buckets will be taken into use next: so much memory may be made ready.
    fn clear(&mut self, coming: usize);

    /// Takes a bucket into use and returns it: bucket 0 when none is in use.
    fn add(&mut self) -> u32;

    /// Takes a bucket out of use. It is in use, and not the only one: that is [`Buckets::clear`].
    fn remove(&mut self, bucket: u32);

    /// Returns the bucket, one in use, that owns a key of this hash. Tells `work` of every hash
    /// evaluated on the way (the key's own is the caller's) and of every bucket looked at. Asked only
    /// while a bucket is in use.
    fn find(&self, key_hash: u64, work: &mut impl Work) -> u32;
}

/// Returns the remainder of a hash divided by `n`: one of `n` buckets. Below 2^27 buckets it favours
/// none by more than 2^-37.
///
/// # Panics
///
/// When `n` is 0.
#[must_use]
#[inline]
pub fn remainder(hash: u64, n: u32) -> u32 {
    (hash % u64::from(n)) as u32
}
