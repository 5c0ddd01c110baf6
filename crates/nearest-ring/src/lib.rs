//! A hash ring where the nearest point owns the key, whichever side it lies on.
//!
//! This is the rule of the first paper on consistent hashing: nodes and keys are points of a circle, and
//! a key belongs to the node that has the point nearest to it. Practice made of it the first point on
//! the way up. The nearest one halves the variance for the same points: a point owns half of the arc on
//! either side, and the mean of two arcs varies less than one.
//!
//! ```text
//!   points   --b-----------a-----c----        first point on the way up
//!               aaaaaaaaaaaaccccccbbb
//!
//!   points   --b-----------a-----c----        nearest point
//!             bbbbbbbaaaaaaaaacccccbb
//! ```
//!
//! # The rule
//!
//! Points and hashes are those of the common ring ([`CommonHash`]): 64 bits, a node of weight w has w
//! times `vnodes` points. With h the key's hash, a the first point at or after it and b the last one
//! before it, both around the end of the circle if need be: b owns the key if h - b <= a - h, else a. So
//! of two points that are equally far the lower one has the key, as in HAProxy, and a point that two
//! nodes share is the smaller name's. Each key orders all points, by distance, side and name, so what
//! leaves or comes moves no key between others.
//!
//! Replicas are the owners of the points in that order, each node once: the walk goes both ways.
//!
//! # Cost
//!
//! n nodes, V points a node, N = n V points.
//!
//! | | |
//! |---|---|
//! | build | N hashes, N log N comparisons |
//! | look-up | one hash, ceil(log2 N) + 3 points looked at |
//! | N / 8 look-ups or more at once | one hash, a bucket and three or four points each, side by side; one pass over N points |
//! | add or remove a node | V hashes (none for a removal), one pass over N points |
//! | memory | 12 bytes a point |
//! | keys moved | those of the node that leaves or comes: 1/n, give or take 1/(n sqrt(2V)) |
//! | evenness | a node's share deviates by about 1/sqrt(2V) of its mean: 7 % at V = 100 |
//!
//! The relative variance is exactly n^2 ((V/2) (1 + (V - 1)/(N - 1)) + V^2) / (N (N + 1)) - 1: N arcs
//! are Dirichlet with all parameters 1, a node owns half an arc for each end of it, and V (V - 1)/(N - 1)
//! arcs have both their ends at one node, in the mean.
//!
//! # Pick it when, avoid it when
//!
//! Pick it instead of the common rule whenever no other program has to agree: it is as even with half
//! the points. Avoid it where clients of the common rule share the keys.
//!
//! # Deviations from the paper
//!
//! Karger and others take the unit interval; ours is a circle, so that its ends are no worse off. They
//! give each node some multiple of log C points, C the number of caches; here it is a parameter.
//! HAProxy's ring has 32-bit positions and hashes of its own; only its rule is here.
//!
//! # References
//!
//! - D. Karger, E. Lehman, T. Leighton, M. Levine, D. Lewin, R. Panigrahy, Consistent Hashing and Random
//!   Trees, STOC 1997, section 4.
//! - HAProxy, `hash-type consistent` (`src/lb_chash.c`): the nearer of two neighbours, the lower in doubt.

use ring_points::{CommonHash, Placement, Ring, RingPoint, distinct};
use router::{
    Estimate, Keys, Members, NodeId, Point, Question, Role, Router, Step, Strategy, Trace,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "nearest-ring",
    family: "nearest-ring",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "Ring of 64-bit points; the nearest one owns the key, on either side",
    source: "Karger and others, Consistent Hashing and Random Trees, 1997",
    params: &[CommonHash::VNODES],
    suite_params: "vnodes=2",
    capabilities: |_, _| CommonHash::CAPABILITIES,
    check: |params, members, _| CommonHash::check(params, members),
    build: |params, _, _| Ok(Box::new(NearestRing::new(CommonHash::of(params)))),
    expected: |params, question| expected(CommonHash::of(params).vnodes(), question),
    ..Strategy::DEFAULT
}];

/// A ring whose nearest point owns the key.
#[derive(Clone, Debug)]
pub struct NearestRing<P: Placement<Position = u64>> {
    ring: Ring<P>,
}

impl<P: Placement<Position = u64>> NearestRing<P> {
    /// A ring without nodes.
    #[must_use]
    pub fn new(placement: P) -> Self {
        Self {
            ring: Ring::new(placement),
        }
    }

    /// The walk from a key of this hash, nearest points first.
    #[inline]
    fn walk(&self, hash: u64) -> Walk<'_> {
        let points = self.ring.points();
        Walk::from(points, hash, first_at_or_after(points, hash, || ()))
    }

    /// The index of the point that owns a key of this hash.
    #[inline]
    fn owner(&self, hash: u64) -> usize {
        let points = self.ring.points();
        self.settle(hash, first_at_or_after(points, hash, || ()))
    }

    /// The same, given the first point at or after the hash.
    #[inline]
    fn settle(&self, hash: u64, first_at_or_after: usize) -> usize {
        let nearest = Walk::from(self.ring.points(), hash, first_at_or_after).next();
        nearest.expect("asked only while there are points")
    }
}

/// Returns the index of the first point at or after `hash`, or the number of points when there is
/// none. Calls `look` for every point that it looks at.
#[inline]
fn first_at_or_after(points: &[RingPoint<u64>], hash: u64, mut look: impl FnMut()) -> usize {
    points.partition_point(|point| {
        look();
        point.position() < hash
    })
}

/// Goes through the points by their distance from a hash; of equal ones the lower position first, at
/// one position in the order of the points.
struct Walk<'a> {
    points: &'a [RingPoint<u64>],
    hash: u64,
    /// The next point on the way up is this one, past the end the first.
    up: usize,
    /// The next point on the way down is the one before this, before the first the last.
    down: usize,
    /// Points at the position that the walk is at.
    here: std::ops::Range<usize>,
    /// Points that lie ahead, `here` left out.
    n_ahead: usize,
}

impl<'a> Walk<'a> {
    #[inline]
    fn from(points: &'a [RingPoint<u64>], hash: u64, first_at_or_after: usize) -> Self {
        Self {
            points,
            hash,
            up: first_at_or_after,
            down: first_at_or_after,
            here: 0..0,
            n_ahead: points.len(),
        }
    }
}

/// Indices of points.
impl Iterator for Walk<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if let Some(point) = self.here.next() {
            return Some(point);
        }
        let last = self.points.len().checked_sub(1)?;
        if self.n_ahead == 0 {
            return None;
        }
        let position = |point: usize| self.points[point].position();
        let above = if self.up > last { 0 } else { self.up };
        let below = if self.down == 0 { last } else { self.down - 1 };
        let distance_down = self.hash.wrapping_sub(position(below));
        let distance_up = position(above).wrapping_sub(self.hash);
        // A position's points lie side by side: none is on both ends of the list.
        self.here = if distance_down <= distance_up {
            let at = position(below);
            let mut start = below;
            while start > 0 && position(start - 1) == at {
                start -= 1;
            }
            self.down = start;
            start..below + 1
        } else {
            let at = position(above);
            let mut end = above + 1;
            while end <= last && position(end) == at {
                end += 1;
            }
            self.up = end;
            above..end
        };
        self.n_ahead -= self.here.len();
        self.here.next()
    }
}

impl<P: Placement<Position = u64>> Router for NearestRing<P> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.ring.update(members, steps);
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.ring.points()[self.owner(self.ring.hash(key))].owner()
    }

    /// Many keys are sought side by side: see [`ring_points::route_batch`].
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let settle = |hash, at_or_after| self.settle(hash, at_or_after);
        self.ring.route_batch(None, keys, owners, settle);
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let points = self.ring.points();
        let walk = self.walk(self.ring.hash(key));
        Some(distinct(walk.map(|point| points[point].owner()), n))
    }

    /// Of the g hashes behind a position up to the next one, the lower has floor(g / 2), the upper
    /// the rest.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let groups = self
            .ring
            .points()
            .chunk_by(|a, b| a.position() == b.position());
        let kept: Vec<RingPoint<u64>> = groups.map(|group| group[0]).collect();
        let next = kept.iter().cycle().skip(1);
        let arcs = kept.iter().zip(next).flat_map(|(lower, upper)| {
            let gap = u128::from(upper.position().wrapping_sub(lower.position()));
            let half = gap / 2;
            [
                (lower.owner(), half << 64),
                (upper.owner(), (gap - half) << 64),
            ]
        });
        Some(self.ring.sum_arcs(arcs))
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.ring.labelled())
    }

    /// Probes are the points that the search looks at, and the two neighbours.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.ring.hash(key);
        let mut probes = 2;
        first_at_or_after(self.ring.points(), hash, || probes += 1);
        let batch_probes = self.ring.batch_probes(hash) + 2.0;
        let trace = self
            .ring
            .trace(hash, self.owner(hash), probes, batch_probes);
        Some(trace)
    }
}

/// What theory says of n nodes with `n_points` random points each.
fn expected(n_points: u64, question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { n } if n > 0 => Some(Estimate::mean(share_variance(n_points, n))),
        Question::Moved { n, removed, added } => {
            Estimate::moved_minimally(n, removed, added, |n| Some(share_variance(n_points, n)))
        }
        Question::HashEvals { .. } => Some(Estimate::exact(1.0)),
        // A halving of N points looks at ceil(log2 N) + 1 of them.
        Question::Probes { n } => {
            let halvings = (n * n_points).max(1).next_power_of_two().ilog2();
            Some(Estimate::exact(f64::from(halvings) + 3.0))
        }
        _ => None,
    }
}

/// The relative variance of a share: see the crate's page.
fn share_variance(n_points: u64, n: u64) -> f64 {
    let (v, nodes) = (n_points as f64, n as f64);
    let points = v * nodes;
    if n == 1 {
        return 0.0;
    }
    let both_ends = (v - 1.0) / (points - 1.0);
    let square = (v / 2.0 * (1.0 + both_ends) + v * v) / (points * (points + 1.0));
    // Two points in all share evenly, but for the last place.
    (nodes * nodes * square - 1.0).max(0.0)
}
