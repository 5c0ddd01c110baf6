//! Which buckets were left, in which order, and who stands in for each.

use bucket_hash::Work;

/// What is remembered of a bucket.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// The buckets that were in use once this one was left; 0 while it is in use. The paper's `A`.
    size: u32,
    /// The bucket that took over its place in the list of those in use. The paper's `K`.
    next: u32,
}

/// The buckets that were ever in use, 0 to `used`, and the order in which they were left.
///
/// The paper keeps the list of the buckets in use, `W`: when a bucket is left, the last of the list
/// moves to its place. A bucket that is left remembers how long the list then was and who moved. So
/// the list as it was at any later length can be read off without keeping it: whoever stands at
/// place p is found by starting at bucket p and following those who moved, as long as the bucket at
/// hand had been left by then. This is the paper's memory-saving form, without `W` and `L`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Removals {
    records: Vec<Record>,
    /// Buckets out of use, the one left last at the end. The paper's `R`, without those that were
    /// never in use.
    left: Vec<u32>,
}

impl Removals {
    /// Buckets 0 to this number, without it, were in use at some time.
    #[inline]
    pub(crate) fn used(&self) -> u32 {
        count(self.records.len())
    }

    /// Whether no bucket below [`Removals::used`] is out of use.
    pub(crate) fn all_in_use(&self) -> bool {
        self.left.is_empty()
    }

    /// Forgets all buckets, and makes memory ready for as many as are `coming`.
    pub(crate) fn clear(&mut self, coming: usize) {
        self.records.clear();
        self.records.reserve_exact(coming);
        self.left.clear();
    }

    /// Takes the bucket that was left last into use again, or the next new one.
    pub(crate) fn add(&mut self) -> u32 {
        let bucket = self.left.pop().unwrap_or_else(|| self.used());
        let record = Record {
            size: 0,
            next: bucket,
        };
        match self.records.get_mut(bucket as usize) {
            Some(known) => *known = record,
            None => self.records.push(record),
        }
        bucket
    }

    /// Takes a bucket out of use. The last one is forgotten when no other is out of use: it is as
    /// one that was never in use.
    pub(crate) fn remove(&mut self, bucket: u32) {
        if self.all_in_use() && bucket + 1 == self.used() {
            self.records.pop();
            return;
        }
        let size = self.used() - count(self.left.len()) - 1;
        let next = self.at_place(size, size + 1, &mut ());
        self.records[bucket as usize] = Record { size, next };
        self.left.push(bucket);
    }

    /// How many buckets were in use once this one was left; 0 while it is in use.
    #[inline]
    pub(crate) fn size(&self, bucket: u32) -> u32 {
        self.records[bucket as usize].size
    }

    /// The bucket at this place of the list of those in use when it was `size` long.
    #[inline]
    pub(crate) fn at_place(&self, place: u32, size: u32, work: &mut impl Work) -> u32 {
        let mut bucket = place;
        loop {
            work.probe();
            let record = self.records[bucket as usize];
            if record.size < size {
                return bucket;
            }
            bucket = record.next;
        }
    }
}

/// The length of a list of buckets.
fn count(len: usize) -> u32 {
    u32::try_from(len).expect("buckets are u32")
}
