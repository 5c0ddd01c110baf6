//! All points of a ring in one sorted vector.

use std::cmp::Ordering;

use router::{Keys, Members, NodeId, Point, Step, Trace};

use crate::{
    Index, Layout, Placement, RingPosition, batch_probes, distinct, first_at_or_after, route_batch,
};

/// A point: a position and the node that put it there.
///
/// Packed, so that it takes the bytes of the position and 4 more, whatever the position's width.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub struct RingPoint<T> {
    position: T,
    owner: NodeId,
}

impl<T: RingPosition> RingPoint<T> {
    /// A point of `owner` at `position`.
    #[must_use]
    #[inline]
    pub fn new(position: T, owner: NodeId) -> Self {
        Self { position, owner }
    }

    /// Where it stands.
    #[must_use]
    #[inline]
    pub fn position(self) -> T {
        self.position
    }

    /// The node that put it there.
    #[must_use]
    #[inline]
    pub fn owner(self) -> NodeId {
        self.owner
    }
}

/// All points of a ring in one sorted vector.
#[derive(Clone, Debug)]
pub struct Ring<P: Placement> {
    layout: Layout<P>,
    /// By position; at one position the node first that keeps it, so that a search for the first
    /// point at or after a hash finds its owner.
    points: Vec<RingPoint<P::Position>>,
}

impl<P: Placement> Ring<P> {
    /// A ring without nodes.
    #[must_use]
    pub fn new(placement: P) -> Self {
        Self {
            layout: Layout::new(placement),
            points: Vec::new(),
        }
    }

    /// Brings the ring to `members`, as [`router::Router::update`] asks: P hashes and P log P
    /// comparisons for the P points of the nodes that changed, and one pass over all points.
    pub fn update(&mut self, members: &Members, steps: &[Step]) {
        let changed = self.layout.changed(members, steps);
        self.points.retain(|point| !changed.contains(point.owner()));
        self.layout.set_members(members);
        let arriving = self.layout.sorted_points(&changed);
        self.merge(arriving);
    }

    /// Merges sorted points into the sorted points, in place.
    fn merge(&mut self, arriving: Vec<RingPoint<P::Position>>) {
        if self.points.is_empty() {
            self.points = arriving;
            return;
        }
        let (mut n_old, mut n_new) = (self.points.len(), arriving.len());
        self.points.reserve_exact(n_new);
        self.points.extend_from_slice(&arriving);
        // From the end, so that nothing is overwritten before it has moved; when the last newcomer
        // stands, the rest stands where it stood.
        while n_new > 0 {
            let place = n_old + n_new - 1;
            let new = arriving[n_new - 1];
            let last = n_old.checked_sub(1).map(|old| self.points[old]);
            self.points[place] = match last {
                Some(old) if self.layout.order(old, new) == Ordering::Greater => {
                    n_old -= 1;
                    old
                }
                _ => {
                    n_new -= 1;
                    new
                }
            };
        }
    }

    /// Returns the position of `key`.
    #[must_use]
    #[inline]
    pub fn hash(&self, key: &[u8]) -> P::Position {
        self.layout.hash(key)
    }

    /// All points in order; at a shared position the node first that keeps it.
    #[must_use]
    #[inline]
    pub fn points(&self) -> &[RingPoint<P::Position>] {
        &self.points
    }

    /// Writes the owner of every key to `owners`: see [`route_batch`].
    pub fn route_batch(
        &self,
        index: Option<&Index>,
        keys: Keys<'_>,
        owners: &mut [NodeId],
        settle: impl Fn(P::Position, usize) -> usize,
    ) {
        let placement = self.layout.placement();
        route_batch(placement, &self.points, index, keys, owners, settle);
    }

    /// Returns how many buckets and points are looked at for a key of this hash among many keys
    /// that are asked at once.
    #[must_use]
    pub fn batch_probes(&self, hash: P::Position) -> f64 {
        let (below, above) = self.points.split_at(first_at_or_after(&self.points, hash));
        let position = |point: &RingPoint<P::Position>| point.position();
        let below = below.iter().rev().map(position);
        batch_probes(self.points.len(), hash, below, above.iter().map(position))
    }

    /// Returns the first `n` different owners on the way up from the point with index `start`,
    /// around the ring.
    #[must_use]
    pub fn owners_from(&self, start: usize, n: usize) -> Vec<NodeId> {
        let (before, after) = self.points.split_at(start);
        distinct(after.iter().chain(before).map(|point| point.owner()), n)
    }

    /// Returns the share of the ring of every node, by arcs.
    #[must_use]
    pub fn shares(&self) -> Vec<(NodeId, f64)> {
        self.layout.shares(self.points.iter().copied())
    }

    /// Returns the share of every node, by arcs that a rule of the strategy's own gives to them: see
    /// [`Layout::sum_arcs`].
    #[must_use]
    pub fn sum_arcs(&self, arcs: impl Iterator<Item = (NodeId, u128)>) -> Vec<(NodeId, f64)> {
        self.layout.sum_arcs(arcs)
    }

    /// Returns every position that has a point, with the node that keeps it and the label.
    #[must_use]
    pub fn labelled(&self) -> Vec<Point> {
        let groups = self.points.chunk_by(|a, b| a.position() == b.position());
        self.layout.labelled(groups.map(|group| group[0]))
    }

    /// Returns what the look-up of a key with this hash did that ended at the point with index
    /// `point`.
    #[must_use]
    pub fn trace(&self, hash: P::Position, point: usize, probes: u32, batch_probes: f64) -> Trace {
        let point = self.points[point];
        self.layout.trace(hash, point, probes, batch_probes)
    }
}
