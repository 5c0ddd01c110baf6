//! Hash rings searched by a linear scan.
//!
//! A hash puts every node at one or many points of a ring and every key at one position. The sorted
//! points are looked at one after the other, from the smallest up, until one lies at or after the
//! key; past the last point the first one has it.
//!
//! ```text
//!   0                   key                        2^64 - 1
//!   |--b---a------b------*------c----a--------b-----|
//!      1   2      3             4  <- the scan stops here: c owns the key
//! ```
//!
//! This is how two of the source programs search, although their points are sorted. It is in the
//! comparison to show what that costs: [`node`] is the article in JavaScript, [`ruby`] the one in
//! Ruby, and `linear-ring` is the same structure with the common hash, which places every key as
//! `vec-ring` and `btree-ring` do.
//!
//! # Cost
//!
//! n nodes, V points a node, N = n V points.
//!
//! | | |
//! |---|---|
//! | build | N hashes, N log N comparisons |
//! | look-up | one hash, N / 2 + N / (N + 1) points looked at on average |
//! | many look-ups at once | no scan: one hash, a bucket and one or two points each, side by side; one pass over N points |
//! | add or remove a node | V hashes (none for a removal), one pass over N points |
//! | memory | 12 bytes a point (32-bit hashes: 8, 128-bit: 20) |
//! | keys moved | those of the node that leaves or comes: 1/n, give or take 1/(n sqrt V) |
//!
//! # Pick it when, avoid it when
//!
//! Pick it for a handful of points, up to about twenty, where a scan is as fast as anything, or
//! when look-ups come in large batches, which are not scanned. Avoid it for anything else: at 100 nodes
//! with 100 points each a look-up reads 5,000 points where halving reads 15. With the common hash,
//! avoid names of exactly three bytes: [`CommonHash`] says why.
//!
//! # Deviations from the sources
//!
//! Owners are those of the published programs for every key for which they give one. Mended is what
//! corrupts their own state, by one rule: after any change the ring is the one that the program
//! would build from the nodes then present, in joining order. The pages of the two modules list
//! every defect.
//!
//! # References
//!
//! - D. Karger and others, Consistent Hashing and Random Trees, STOC 1997: the ring (there with the
//!   nearest point; the clockwise rule is later practice).
//! - The two articles are named in [`node`] and [`ruby`].

pub mod node;
pub mod ruby;

use ring_points::{CommonHash, NamedHash, Placement, Ring, check, random_points};
use router::{
    Capabilities, Estimate, Keys, Members, NodeId, Param, Point, Question, Role, Router, Step,
    Strategy, Trace,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "linear-ring-node-plain",
        family: "linear-ring",
        role: Role::Published,
        hash: &node::SHA256_32,
        summary: "One point a node, SHA-256 cut to 32 bits, linear scan, as a Node.js article has it",
        source: node::SOURCE,
        capabilities: |_, _| PUBLISHED,
        check: |_, members, _| check(&node::Plain, members),
        build: |_, _, _| Ok(Box::new(LinearRing::new(node::Plain, Scan::AtOrAfter))),
        expected: |_, question| expected(1, Scan::AtOrAfter, question),
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "linear-ring-node",
        family: "linear-ring",
        role: Role::Published,
        hash: &node::SHA256_32,
        summary: "Virtual nodes, SHA-256 cut to 32 bits, linear scan, as a Node.js article has it",
        source: node::SOURCE,
        params: &[Param::points_per_node("vnodes", 100, "points a node")],
        suite_params: "vnodes=2",
        capabilities: |_, _| PUBLISHED,
        check: |params, members, _| check(&node::Virtual::of(params), members),
        build: |params, _, _| {
            let placement = node::Virtual::of(params);
            Ok(Box::new(LinearRing::new(placement, Scan::AtOrAfter)))
        },
        expected: |params, question| {
            expected(params.count("vnodes").into(), Scan::AtOrAfter, question)
        },
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "linear-ring-ruby",
        family: "linear-ring",
        role: Role::Published,
        hash: &point_hash::MD5,
        summary: "Virtual nodes, MD5, linear scan for two points around the key, as a Ruby wiki has it",
        source: ruby::SOURCE,
        params: &[ruby::REPLICANTS],
        suite_params: "replicants=1",
        // A key that hits a point exactly goes to the first point of the ring, whoever joins or
        // leaves there.
        capabilities: |_, _| Capabilities {
            minimal: false,
            ..PUBLISHED
        },
        check: |params, members, _| check(&ruby::Replicated::of(params), members),
        build: |params, _, _| {
            let placement = ruby::Replicated::of(params);
            Ok(Box::new(LinearRing::new(placement, Scan::Between)))
        },
        expected: |params, question| {
            expected(
                ruby::Replicated::of(params).points_per_node(),
                Scan::Between,
                question,
            )
        },
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "linear-ring",
        family: "linear-ring",
        role: Role::CommonHash,
        hash: &point_hash::XXH3,
        summary: "Ring of 64-bit points, linear scan",
        source: "the structure of the Node.js and Ruby articles, with the common hash",
        // Places every key as `vec-ring` does, which is swept over points a node for all three.
        params: &[
            Param {
                role: router::ParamRole::Other,
                ..CommonHash::VNODES
            },
            CommonHash::HASH,
        ],
        suite_params: "vnodes=2",
        capabilities: |params, _| CommonHash::capabilities(params),
        hash_with: NamedHash::hash_with,
        check: |params, members, _| CommonHash::check(params, members),
        build: |params, _, _| {
            let scan = Scan::AtOrAfter;
            Ok(match NamedHash::of(params) {
                None => Box::new(LinearRing::new(CommonHash::of(params), scan)),
                Some(named) => Box::new(LinearRing::new(named, scan)),
            })
        },
        expected: |params, question| match question {
            // How far the scan goes depends on where keys fall among the points.
            Question::Probes { .. } if !NamedHash::mixes(params) => None,
            Question::Probes { .. } => {
                expected(CommonHash::of(params).vnodes(), Scan::AtOrAfter, question)
            }
            _ => CommonHash::theory(params, question),
        },
        ..Strategy::DEFAULT
    },
];

/// What a published program's ring can claim: shared points go by the order of joining.
const PUBLISHED: Capabilities = Capabilities {
    minimal: true,
    history_free: true,
    replicas: true,
    ..Capabilities::NONE
};

/// A ring whose points are scanned from the first up.
#[derive(Clone, Debug)]
pub struct LinearRing<P: Placement> {
    ring: Ring<P>,
    scan: Scan,
}

/// Where the scan stops. Where it does not, the first point has the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scan {
    /// At the first point at or after the key.
    AtOrAfter,
    /// At the first point strictly after the key whose neighbour below lies strictly before it.
    Between,
}

impl<P: Placement> LinearRing<P> {
    /// A ring without nodes.
    #[must_use]
    pub fn new(placement: P, scan: Scan) -> Self {
        Self {
            ring: Ring::new(placement),
            scan,
        }
    }

    /// Scans for the point at which the look-up of this hash stops.
    #[inline]
    fn find(&self, hash: P::Position) -> Option<usize> {
        let points = self.ring.points();
        match self.scan {
            Scan::AtOrAfter => points.iter().position(|point| hash <= point.position()),
            Scan::Between => points
                .windows(2)
                .position(|pair| pair[0].position() < hash && hash < pair[1].position())
                .map(|below| below + 1),
        }
    }

    /// How many points a scan looks at that stops there.
    fn n_looked_at(&self, stop: Option<usize>) -> usize {
        let n_points = self.ring.points().len();
        match (stop, self.scan) {
            (Some(stop), _) => stop + 1,
            // A single point has no neighbour to look at.
            (None, Scan::Between) if n_points == 1 => 0,
            (None, _) => n_points,
        }
    }

    /// The point that has a key of this hash, given the first point at or after the hash, or the
    /// number of points when there is none.
    fn settle(&self, at_or_after: usize, hash: P::Position) -> usize {
        let points = self.ring.points();
        let next = points.get(at_or_after);
        let stops = match self.scan {
            Scan::AtOrAfter => next.is_some(),
            Scan::Between => next.is_some_and(|point| hash < point.position()),
        };
        if stops { at_or_after } else { 0 }
    }
}

impl<P: Placement> Router for LinearRing<P> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.ring.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let stop = self.find(self.ring.hash(key)).unwrap_or(0);
        self.ring.points()[stop].owner()
    }

    /// No scan: many keys are sought side by side: see [`ring_points::route_batch`].
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let settle = |hash, at_or_after| self.settle(at_or_after, hash);
        self.ring.route_batch(None, keys, owners, settle);
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let stop = self.find(self.ring.hash(key)).unwrap_or(0);
        Some(self.ring.owners_from(stop, n))
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        Some(self.ring.shares())
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.ring.labelled())
    }

    /// Probes are the points that the scan looks at.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.ring.hash(key);
        let stop = self.find(hash);
        let probes = u32::try_from(self.n_looked_at(stop)).expect("at most 2^27 points");
        let batch_probes = self.ring.batch_probes(hash);
        let trace = self
            .ring
            .trace(hash, stop.unwrap_or(0), probes, batch_probes);
        Some(trace)
    }
}

/// What theory says: the ring, and how far the scan goes. Among N random points the number of
/// points before a key is evenly spread over 0 to N.
fn expected(n_points: u64, scan: Scan, question: Question) -> Option<Estimate> {
    match question {
        Question::Probes { n } if n > 0 => {
            let all = n as f64 * n_points as f64;
            // Each possible stop adds the points up to it; where the scan does not stop, all.
            let (stops, n_misses) = match scan {
                Scan::AtOrAfter => (all * (all + 1.0) / 2.0, 1.0),
                Scan::Between if all < 2.0 => (0.0, 0.0),
                Scan::Between => (all * (all + 1.0) / 2.0 - 1.0, 2.0),
            };
            Some(Estimate::mean((stops + n_misses * all) / (all + 1.0)))
        }
        _ => random_points(n_points, question),
    }
}
