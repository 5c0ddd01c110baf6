//! All points of a ring in one sorted vector.

use router::{Keys, Members, NodeId, Point, Step, Trace};

use crate::{
    Edits, Index, Layout, Placement, RingPosition, batch_probes, distinct,
    edit::{are_few, put_in, take_out},
    first_at_or_after, route_batch,
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

    /// Brings the ring to `members`, as [`router::Router::update`] asks, and returns what became of the
    /// points, for an [`Index`] to follow. Takes P hashes and P log N comparisons for the P points of
    /// the nodes that changed, and moves the other points by blocks; where many change, one pass over
    /// all points.
    pub fn update(&mut self, members: &Members, steps: &[Step]) -> Edits<P::Position> {
        let changed = self.layout.changed(members, steps);
        if changed.is_everybody() {
            self.layout.set_members(members);
            self.points = self.layout.sorted_points(&changed);
            return Edits::everything();
        }
        let goes = |point: RingPoint<P::Position>| changed.contains(point.owner());
        let n_leaving = usize::try_from(self.layout.n_points_of(&changed)).unwrap_or(usize::MAX);
        let gone = are_few(n_leaving, self.points.len()).then(|| {
            let leaving = self.layout.sorted_points(&changed);
            let positions = leaving.chunk_by(|a, b| a.position() == b.position());
            let positions = positions.map(|at_one| at_one[0].position());
            take_out(&mut self.points, positions, goes)
        });
        if gone.is_none() {
            self.points.retain(|&point| !goes(point));
        }
        self.layout.set_members(members);
        let arriving = self.layout.sorted_points(&changed);
        put_in(&mut self.points, &arriving, |a, b| self.layout.order(a, b));
        gone.map_or_else(Edits::everything, |gone| Edits {
            everything: false,
            gone,
            come: arriving.iter().map(|point| point.position()).collect(),
        })
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

    /// The index of the point that a search ends at: the first one at or after a position, or around the
    /// end the first of all, where the search answered the number of points.
    #[must_use]
    #[inline]
    pub fn around(&self, at_or_after: usize) -> usize {
        if at_or_after == self.points.len() {
            0
        } else {
            at_or_after
        }
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
