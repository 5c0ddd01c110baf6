//! The router over any bucket function: nodes in joining order, one a bucket.

use point_hash::xxh3;
use router::{Capabilities, Keys, Members, NodeId, Router, Step, Trace};

use crate::{BucketFn, Count, MAX_BUCKETS};

/// Keys whose hashes, then buckets, then owners are found together in a batch.
const BLOCK: usize = 64;

/// A router that gives a key to the node in its bucket: `nodes[bucket(xxh3(key), n)]`, the nodes in
/// joining order.
///
/// Cloning copies 4 bytes a node.
#[derive(Clone, Debug)]
pub struct Lifo<F> {
    function: F,
    /// The nodes in joining order.
    owners: Vec<NodeId>,
}

/// What holds of [`Lifo`] over every function that shares evenly: only the last node can leave, and
/// nothing moves for nothing.
pub const CAPABILITIES: Capabilities = Capabilities {
    any_removal: false,
    minimal: true,
    history_free: true,
    even: true,
    max_nodes: Some(MAX_BUCKETS),
    ..Capabilities::NONE
};

impl<F: BucketFn> Lifo<F> {
    /// A router without nodes.
    #[must_use]
    pub fn new(function: F) -> Self {
        Self {
            function,
            owners: Vec::new(),
        }
    }

    #[inline]
    fn n(&self) -> u32 {
        u32::try_from(self.owners.len()).expect("the cluster holds at most MAX_BUCKETS nodes")
    }
}

impl<F: BucketFn> Router for Lifo<F> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        if steps.is_empty() {
            self.owners = members.iter().map(|node| node.id).collect();
            return;
        }
        // Nodes come and go at the end and are replaced in place, so no other place has a new owner
        // than those where a node named by a step stands now.
        self.owners.resize(members.len(), NodeId::default());
        for step in steps {
            let (first, second) = step.nodes();
            for id in std::iter::once(first).chain(second) {
                if let Some(place) = members.position(id) {
                    self.owners[place] = id;
                }
            }
        }
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        let bucket = self.function.bucket(xxh3(key), self.n(), &mut ());
        self.owners[bucket as usize]
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        assert_eq!(keys.len(), owners.len(), "one owner a key");
        let n = self.n();
        let (mut hashes, mut buckets) = ([0; BLOCK], [0; BLOCK]);
        let mut keys = keys.iter();
        for owners in owners.chunks_mut(BLOCK) {
            let hashes = &mut hashes[..owners.len()];
            let buckets = &mut buckets[..owners.len()];
            for (hash, key) in hashes.iter_mut().zip(keys.by_ref()) {
                *hash = xxh3(key);
            }
            self.function.buckets(hashes, n, buckets);
            for (owner, &bucket) in owners.iter_mut().zip(&*buckets) {
                *owner = self.owners[bucket as usize];
            }
        }
    }

    /// Those that an ideal hash gives: the function's own, or equal ones.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let n = self.n();
        let equal = || vec![1.0 / f64::from(n); self.owners.len()];
        let shares = self.function.shares(n).unwrap_or_else(equal);
        Some(self.owners.iter().copied().zip(shares).collect())
    }

    /// Hash evaluations are that of the key's bytes and those of the function; probes the buckets
    /// that it considers, the last of them the owner's.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let key_hash = xxh3(key);
        let mut count = Count::default();
        self.function.bucket(key_hash, self.n(), &mut count);
        Some(count.trace(key_hash))
    }
}
