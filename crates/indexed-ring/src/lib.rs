//! A hash ring in a sorted vector with an index of buckets in front: the look-up of one memory access
//! for the bucket and one for the points.
//!
//! The points are those of `vec-ring`, and every key has the owner that it has there. But where
//! `vec-ring` halves all points, seventeen times among 100,000, each time waiting for what it has read,
//! here the first bits of the key's hash name a bucket, and the bucket names the first point in it or
//! behind it. Hashes are spread evenly, so a bucket has a point or three.
//!
//! ```text
//!   buckets   [ 0        | 2        | 3        | 6        ]        key at 17, a ring of 64
//!               0 .. 15    16 .. 31   32 .. 47   48 .. 63          17 lies in the second bucket
//!                          |
//!   points    [ 3:b  9:a  19:b  35:c  40:a  47:c  50:b ... ]       from point 2 on, four are looked at
//!                          ^     ^     ^     ^                     side by side: none of them is before
//!                          -> 19, b owns the key                   17, so the first of them owns the key
//! ```
//!
//! # The search
//!
//! From the bucket's first point on, four points are compared with the hash, whatever the hash, and
//! those before it are counted: the processor has nothing to guess, and the look-up of the next key
//! begins before this one has ended. Only if all four are before the hash, for 2 to 11 keys in a
//! hundred, the search goes on point by point, and it halves a bucket with more than sixteen, so that
//! no choice of names makes it slow. [`ring_points::Index`] is the table.
//!
//! A bucket without points could hold the owner of its keys itself and save the second access. Measured
//! side by side that was slower: the processor guesses wrong which buckets are empty, and to have many
//! of them the table has to be four times as large.
//!
//! # Cost
//!
//! n nodes, V points a node, N = n V points.
//!
//! | | |
//! |---|---|
//! | build | N hashes; a pass that deals the points out by their first bits, a few to sort at a time; a pass for the index |
//! | look-up | one hash, a bucket, four points that lie together; hardly more |
//! | look-ups in a batch | the same, all hashes of a block first |
//! | add or remove a node | V hashes, V log N comparisons, the other points moved in blocks, one addition a bucket |
//! | memory | 12 bytes a point, and 4 bytes a bucket: about 2 a point |
//! | keys moved | those of the node that leaves or comes: 1/n, give or take 1/(n sqrt V) |
//! | evenness | a node's share deviates by 1/sqrt V of its mean: 10 % at V = 100 |
//!
//! # Pick it when, avoid it when
//!
//! Pick it wherever `vec-ring` would do: it answers alike and is never slower. Avoid it when shares must
//! be even (1 % takes 10,000 points a node), and with the common hash names of exactly three bytes:
//! [`CommonHash`] says why. With a hash that does not mix, points crowd into few buckets, and what
//! is left is the halving.
//!
//! # Deviations from the source
//!
//! The idea is that of interpolation search, which asks where in a sorted list a value would lie if all
//! were spread evenly; the table makes the answer exact, so that one step is enough.
//!
//! # References
//!
//! - D. Karger and others, Consistent Hashing and Random Trees, STOC 1997: the ring, and in section 5.1
//!   a table of equal parts of it, each with a tree of its points, for look-ups in constant time.
//! - W. W. Peterson, Addressing for Random-Access Storage, IBM Journal of Research and Development,
//!   1957: interpolation search.

use ring_points::{CommonHash, Index, NamedHash, Placement, Ring};
use router::{Keys, Members, NodeId, Point, Role, Router, Step, Strategy, Trace};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "indexed-ring",
    family: "indexed-ring",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "Ring of 64-bit points in a sorted vector, an index of buckets in front",
    source: "Karger and others, Consistent Hashing and Random Trees, 1997, section 5.1, in a form of our own",
    params: &[CommonHash::VNODES, CommonHash::HASH],
    suite_params: "vnodes=2",
    capabilities: |params, _| CommonHash::capabilities(params),
    hash_with: NamedHash::hash_with,
    check: |params, members, _| CommonHash::check(params, members),
    build: |params, _, _| {
        Ok(match NamedHash::of(params) {
            None => Box::new(IndexedRing::new(CommonHash::of(params))),
            Some(named) => Box::new(IndexedRing::new(named)),
        })
    },
    expected: CommonHash::theory,
    ..Strategy::DEFAULT
}];

/// A ring whose sorted points are sought through an index of buckets.
#[derive(Clone, Debug)]
pub struct IndexedRing<P: Placement> {
    ring: Ring<P>,
    index: Index,
}

impl<P: Placement> IndexedRing<P> {
    /// A ring without nodes.
    #[must_use]
    pub fn new(placement: P) -> Self {
        Self {
            ring: Ring::new(placement),
            index: Index::default(),
        }
    }

    /// The index of the point that owns a key of this hash.
    #[inline]
    fn find(&self, hash: P::Position) -> usize {
        let points = self.ring.points();
        self.ring.around(self.index.first_at_or_after(points, hash))
    }
}

impl<P: Placement> Router for IndexedRing<P> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let edits = self.ring.update(members, steps);
        self.index.follow(self.ring.points(), &edits);
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.ring.points()[self.find(self.ring.hash(key))].owner()
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let settle = |_, at_or_after| self.ring.around(at_or_after);
        let index = Some(&self.index);
        self.ring.route_batch(index, keys, owners, settle);
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        Some(self.ring.owners_from(self.find(self.ring.hash(key)), n))
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        Some(self.ring.shares())
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.ring.labelled())
    }

    /// Probes are the bucket and the points that the search looks at.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.ring.hash(key);
        let probes = self.index.n_looked_at(self.ring.points(), hash);
        let point = self.find(hash);
        Some(self.ring.trace(hash, point, probes, probes.into()))
    }
}
