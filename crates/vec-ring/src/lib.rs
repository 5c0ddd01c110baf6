//! Hash rings in a sorted vector, searched by halving.
//!
//! A hash puts every node at many points of a ring and every key at one position; the first point
//! at or after the key owns it, past the last point the first one. The points lie sorted in one
//! vector, and the search halves it until one point is left.
//!
//! ```text
//!   points   [ 3:b  9:a  14:b  22:c  31:a  40:c  47:b  58:a ]      key at 17
//!                                 ^ 31 >= 17: the lower half
//!                     ^ 14 < 17: from there on
//!                          ^ 22 >= 17: stay
//!                          -> 22, c owns the key
//! ```
//!
//! [`ruby`] is the last of three programs of a wiki page in Ruby; `vec-ring` is the same structure
//! with the common hash, and the ring to compare others with: what most clients and proxies do.
//!
//! # Cost
//!
//! n nodes, V points a node, N = n V points.
//!
//! | | |
//! |---|---|
//! | build | N hashes, a pass that deals the points out, a few to sort at a time |
//! | look-up | one hash, ceil(log2 N) + 1 points looked at, always |
//! | N / 8 look-ups or more at once | one hash, a bucket and four points each, side by side; one pass over N points |
//! | add or remove a node | V hashes, V log N comparisons, the other points moved in blocks |
//! | memory | 12 bytes a point (128-bit hashes: 20) |
//! | keys moved | those of the node that leaves or comes: 1/n, give or take 1/(n sqrt V) |
//! | evenness | a node's share deviates by 1/sqrt V of its mean: 10 % at V = 100 |
//!
//! # Pick it when, avoid it when
//!
//! Pick it when any node may leave or join at any time, when weights differ, when replicas are to
//! be found by walking on, and when all clients must agree without talking to each other. Avoid it
//! when shares must be even (1 % takes 10,000 points a node), or when nodes only come and go at the
//! end of the list, where methods without any table are even and smaller. With the common hash,
//! avoid names of exactly three bytes: [`CommonHash`] says why.
//!
//! # Deviations from the source
//!
//! `vec-ring-ruby` has the owner that the program gives for every key. The program's halving may
//! stop early when it meets the key's arc; ours never does, which costs nothing and makes every
//! look-up of one ring do the same work.
//!
//! # References
//!
//! - D. Karger and others, Consistent Hashing and Random Trees, STOC 1997: the ring (there with the
//!   nearest point; the clockwise rule is later practice).
//! - J. Lamping and E. Veach, A Fast, Minimal Memory, Consistent Hash Algorithm, 2014: a sorted
//!   vector and a tree of points, measured side by side.
//! - The wiki page is named in [`ruby`].

pub mod ruby;

use ring_points::{
    CommonHash, NamedHash, Placement, Ring, check, first_at_or_after, n_probes, random_points,
};
use router::{
    Capabilities, Estimate, Keys, Members, NodeId, Point, Question, Role, Router, Step, Strategy,
    Trace,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "vec-ring-ruby",
        family: "vec-ring",
        role: Role::Published,
        hash: &point_hash::MD5,
        summary: "Virtual nodes, MD5, binary search, as a Ruby wiki has it",
        source: ruby::SOURCE,
        params: &[ruby::REPLICANTS],
        suite_params: "replicants=1",
        capabilities: |_, _| Capabilities {
            minimal: true,
            history_free: true,
            replicas: true,
            ..Capabilities::NONE
        },
        check: |params, members, _| check(&ruby::Replicated::of(params), members),
        build: |params, _, _| Ok(Box::new(VecRing::new(ruby::Replicated::of(params)))),
        expected: |params, question| {
            expected(ruby::Replicated::of(params).points_per_node(), question)
        },
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "vec-ring",
        family: "vec-ring",
        role: Role::CommonHash,
        hash: &point_hash::XXH3,
        summary: "Ring of 64-bit points in a sorted vector, binary search",
        source: "the structure of the Ruby wiki page, with the common hash",
        params: &[CommonHash::VNODES, CommonHash::HASH],
        suite_params: "vnodes=2",
        capabilities: |params, _| CommonHash::capabilities(params),
        hash_with: NamedHash::hash_with,
        check: |params, members, _| CommonHash::check(params, members),
        build: |params, _, _| {
            Ok(match NamedHash::of(params) {
                None => Box::new(VecRing::new(CommonHash::of(params))),
                Some(named) => Box::new(VecRing::new(named)),
            })
        },
        expected: |params, question| match question {
            Question::Probes { .. } => expected(CommonHash::of(params).vnodes(), question),
            _ => CommonHash::theory(params, question),
        },
        ..Strategy::DEFAULT
    },
];

/// A ring whose sorted points are searched by halving.
#[derive(Clone, Debug)]
pub struct VecRing<P: Placement> {
    ring: Ring<P>,
}

impl<P: Placement> VecRing<P> {
    /// A ring without nodes.
    #[must_use]
    pub fn new(placement: P) -> Self {
        Self {
            ring: Ring::new(placement),
        }
    }

    /// The index of the point that owns a key of this hash.
    #[inline]
    fn find(&self, hash: P::Position) -> usize {
        self.ring
            .around(first_at_or_after(self.ring.points(), hash))
    }
}

impl<P: Placement> Router for VecRing<P> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.ring.update(members, steps);
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.ring.points()[self.find(self.ring.hash(key))].owner()
    }

    /// Many keys are sought side by side: see [`ring_points::route_batch`].
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let settle = |_, at_or_after| self.ring.around(at_or_after);
        self.ring.route_batch(None, keys, owners, settle);
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

    /// Probes are the points that the search looks at.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.ring.hash(key);
        let probes = n_probes(self.ring.points().len() as u64);
        let batch_probes = self.ring.batch_probes(hash);
        let trace = self.ring.trace(hash, self.find(hash), probes, batch_probes);
        Some(trace)
    }
}

/// What theory says: the ring, and how often it is halved.
fn expected(n_points: u64, question: Question) -> Option<Estimate> {
    match question {
        Question::Probes { n } => Some(Estimate::exact(n_probes(n * n_points).into())),
        _ => random_points(n_points, question),
    }
}
