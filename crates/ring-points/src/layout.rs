//! Whose points are where: a placement and the nodes present.

use std::{cmp::Ordering, collections::HashSet};

use router::{Members, Node, NodeId, Point, Step, Trace};

use crate::{Placement, RingPoint, RingPosition, Tie, Weights};

/// A placement and the nodes present: all that can be said of a ring without looking a key up.
#[derive(Clone, Debug)]
pub struct Layout<P> {
    placement: P,
    members: Members,
    weights: Weights,
}

/// The nodes whose points a change takes from the ring or puts on it.
#[derive(Clone, Debug)]
pub struct Changed {
    /// At building there is nothing to keep.
    everybody: bool,
    /// By index of the id.
    named: Vec<bool>,
}

impl Changed {
    /// Whether these are all nodes.
    #[must_use]
    pub fn is_everybody(&self) -> bool {
        self.everybody
    }

    /// Returns whether the points of this node are to be dropped and, if it is present, placed
    /// anew.
    #[must_use]
    #[inline]
    pub fn contains(&self, id: NodeId) -> bool {
        self.everybody || self.named.get(id.index()).is_some_and(|&named| named)
    }
}

impl<P: Placement> Layout<P> {
    /// A layout without nodes.
    #[must_use]
    pub fn new(placement: P) -> Self {
        Self {
            placement,
            members: Members::default(),
            weights: Weights::default(),
        }
    }

    /// Returns the position of `key`.
    #[must_use]
    #[inline]
    pub fn hash(&self, key: &[u8]) -> P::Position {
        self.placement.hash(key)
    }

    /// Whose points are where.
    #[must_use]
    pub fn placement(&self) -> &P {
        &self.placement
    }

    /// The nodes present.
    #[must_use]
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// Returns which nodes are not where they were, on the way from the present nodes to `members`:
    /// those that a step names (one that left and came back stands at another place in the joining
    /// order) and those whose number of points differs. Takes time linear in the nodes and steps.
    #[must_use]
    pub fn changed(&self, members: &Members, steps: &[Step]) -> Changed {
        let mut named = Vec::new();
        let mut name = |id: NodeId| {
            if named.len() <= id.index() {
                named.resize(id.index() + 1, false);
            }
            named[id.index()] = true;
        };
        for step in steps {
            let (id, other) = step.nodes();
            name(id);
            other.into_iter().for_each(&mut name);
        }
        let weights = Weights::of(members);
        for node in members.iter() {
            let now = self.placement.n_points(node.weight, &weights);
            if self.members.get(node.id).map(|node| self.n_points(node)) != Some(now) {
                name(node.id);
            }
        }
        Changed {
            everybody: steps.is_empty(),
            named,
        }
    }

    /// Takes over `members` as the nodes present.
    pub fn set_members(&mut self, members: &Members) {
        self.members = members.clone();
        self.weights = Weights::of(members);
    }

    /// Calls `place` with every point of a present node, in order of its labels. Takes a hash a
    /// point.
    pub fn each_point(&self, node: &Node, place: impl FnMut(P::Position)) {
        self.placement
            .points(&node.name, self.n_points(node), place);
    }

    /// Returns the points of those present nodes that `changed` names, in order: by position, at
    /// one position the node first that keeps it.
    #[must_use]
    pub fn sorted_points(&self, changed: &Changed) -> Vec<RingPoint<P::Position>> {
        // `check` has refused what does not fit.
        let n_points = usize::try_from(self.n_points_of(changed)).unwrap_or(0);
        let mut points = Vec::with_capacity(n_points);
        for node in self.chosen(changed) {
            self.each_point(node, |position| {
                points.push(RingPoint::new(position, node.id));
            });
        }
        sort(&mut points, P::TIE, &self.members);
        points
    }

    /// Returns how many points those present nodes have that `changed` names.
    #[must_use]
    pub fn n_points_of(&self, changed: &Changed) -> u64 {
        let chosen = self.chosen(changed);
        chosen.map(|node| self.n_points(node)).sum()
    }

    fn chosen(&self, changed: &Changed) -> impl Iterator<Item = &Node> {
        let present = self.members.iter();
        present.filter(|node| changed.contains(node.id))
    }

    /// Orders two points of present nodes: by position, at one position the node first that keeps
    /// it.
    #[must_use]
    #[inline]
    pub fn order(&self, a: RingPoint<P::Position>, b: RingPoint<P::Position>) -> Ordering {
        order(P::TIE, &self.members, a, b)
    }

    /// Returns the share of every present node, in joining order, when a point owns what lies
    /// behind the point before it. `points` are all points in order.
    #[must_use]
    pub fn shares(
        &self,
        points: impl DoubleEndedIterator<Item = RingPoint<P::Position>> + Clone,
    ) -> Vec<(NodeId, f64)> {
        let last = points.clone().next_back().into_iter();
        let before = last.chain(points.clone());
        self.sum_arcs(points.zip(before).map(|(point, before)| {
            let arc = point.position().since(before.position());
            (point.owner(), arc)
        }))
    }

    /// Returns the share of every present node, in joining order, from the arcs that nodes own, in
    /// parts of 2^128 of the ring; together they are the whole ring, or all 0 when the first node
    /// owns all. Exact to the last bit of an `f64`.
    #[must_use]
    pub fn sum_arcs(&self, arcs: impl Iterator<Item = (NodeId, u128)>) -> Vec<(NodeId, f64)> {
        const RING: f64 = 2.0 * (1_u128 << 127) as f64;
        let mut sums = vec![0_u128; self.members.len()];
        let mut first = None;
        for (owner, arc) in arcs {
            let place = self.members.position(owner).expect("owners are present");
            // Only the whole ring does not fit; it wraps to 0.
            sums[place] = sums[place].wrapping_add(arc);
            first = first.or(Some(place));
        }
        let mut shares: Vec<f64> = sums.iter().map(|&sum| sum as f64 / RING).collect();
        if let Some(first) = first
            && sums.iter().all(|&sum| sum == 0)
        {
            shares[first] = 1.0;
        }
        let ids = self.members.iter().map(|node| node.id);
        ids.zip(shares).collect()
    }

    /// Returns `owned`, the points that own keys, in order, with their labels. Takes a hash a
    /// point and N log N comparisons.
    #[must_use]
    pub fn labelled(&self, owned: impl Iterator<Item = RingPoint<P::Position>>) -> Vec<Point> {
        let mut numbered = Vec::new();
        for node in self.members.iter() {
            let mut i = 0;
            self.each_point(node, |position| {
                numbered.push((position, node.id, i));
                i += 1;
            });
        }
        numbered.sort_unstable();
        owned
            .map(|point| {
                let this = (point.position(), point.owner());
                let place = numbered.partition_point(|&(position, id, _)| (position, id) < this);
                Point {
                    position: point.position().shown(),
                    owner: point.owner(),
                    label: self.name_point(point.owner(), numbered[place].2),
                }
            })
            .collect()
    }

    /// Returns what the look-up of a key with this hash did that ended at `point`. Takes as many
    /// hashes as the owner has points, to find the label.
    #[must_use]
    pub fn trace(
        &self,
        hash: P::Position,
        point: RingPoint<P::Position>,
        probes: u32,
        batch_probes: f64,
    ) -> Trace {
        let mut label = None;
        if let Some(owner) = self.members.get(point.owner()) {
            let mut i = 0;
            self.each_point(owner, |position| {
                if label.is_none() && position == point.position() {
                    label = Some(self.name_point(owner.id, i));
                }
                i += 1;
            });
        }
        Trace {
            hash_evals: 1,
            probes,
            batch_probes,
            key_hash: Some(hash.shown()),
            point: Some(point.position().shown()),
            label,
        }
    }

    fn n_points(&self, node: &Node) -> u64 {
        self.placement.n_points(node.weight, &self.weights)
    }

    fn name_point(&self, owner: NodeId, i: u64) -> String {
        let owner = self.members.get(owner).expect("owners are present");
        self.placement.label(&owner.name, i)
    }
}

#[inline]
fn order<T: RingPosition>(
    tie: Tie,
    members: &Members,
    a: RingPoint<T>,
    b: RingPoint<T>,
) -> Ordering {
    let by_position = a.position().cmp(&b.position());
    by_position.then_with(|| tie.order(members, a.owner(), b.owner()))
}

/// Sorts points; compiled once a type of position, not once a placement.
///
/// Hashes are spread evenly, so a pass that deals the points out by their first bits leaves a few to
/// sort at a time. Of bits that are not spread evenly it leaves many, which costs that one pass.
fn sort<T: RingPosition>(points: &mut Vec<RingPoint<T>>, tie: Tie, members: &Members) {
    /// Fewer points are sorted at once.
    const MANY: usize = 1024;
    /// More places to deal to would not stay in the cache.
    const MOST_BITS: u32 = 15;
    let by_order = |&a: &RingPoint<T>, &b: &RingPoint<T>| order(tie, members, a, b);
    if points.len() < MANY {
        points.sort_unstable_by(by_order);
        return;
    }
    let n_bits = (points.len().ilog2() - 2).min(MOST_BITS);
    // By first bits, where the next of these points goes to.
    let mut places = vec![0_u32; 1 << n_bits];
    for point in &*points {
        places[point.position().top_bits(n_bits)] += 1;
    }
    let mut sum = 0;
    for place in &mut places {
        let n = std::mem::replace(place, sum);
        sum += n;
    }
    let mut dealt = points.clone();
    for &point in &*points {
        let place = &mut places[point.position().top_bits(n_bits)];
        dealt[*place as usize] = point;
        *place += 1;
    }
    // Now each place is the end of its points.
    let mut rest = &mut dealt[..];
    let mut start = 0;
    for end in places {
        let (now, later) = rest.split_at_mut((end - start) as usize);
        now.sort_unstable_by(by_order);
        (rest, start) = (later, end);
    }
    *points = dealt;
}

/// Returns the first `n` different nodes of `owners`, fewer when there are fewer.
#[must_use]
pub fn distinct(owners: impl Iterator<Item = NodeId>, n: usize) -> Vec<NodeId> {
    let mut seen = HashSet::new();
    owners.filter(|&owner| seen.insert(owner)).take(n).collect()
}
