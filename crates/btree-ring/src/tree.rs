//! The tree: who owns which point, and who else has a claim to it.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, btree_map::Entry},
    iter,
};

use ring_points::{RingPoint, RingPosition};
use router::NodeId;

/// Points in a B-tree, with a list beside it of the nodes that share a point with its owner.
#[derive(Clone, Debug)]
pub(crate) struct Tree<T> {
    owners: BTreeMap<T, NodeId>,
    /// Nearly always empty. In the order in which the nodes would get the point; none is its owner,
    /// none is listed twice, no list is empty.
    sharers: BTreeMap<T, Vec<NodeId>>,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self {
            owners: BTreeMap::new(),
            sharers: BTreeMap::new(),
        }
    }
}

impl<T: RingPosition> Tree<T> {
    /// The tree of these points, sorted, at one position the owner first.
    pub(crate) fn of_sorted(points: &[RingPoint<T>]) -> Self {
        let groups = || points.chunk_by(|a, b| a.position() == b.position());
        let owners = groups().map(|group| (group[0].position(), group[0].owner()));
        let mut tree = Self {
            owners: owners.collect(),
            sharers: BTreeMap::new(),
        };
        for group in groups() {
            let mut nodes: Vec<NodeId> = group.iter().map(|point| point.owner()).collect();
            nodes.dedup();
            if nodes.len() > 1 {
                tree.sharers.insert(group[0].position(), nodes.split_off(1));
            }
        }
        tree
    }

    /// The owner of each point.
    pub(crate) fn owners(&self) -> &BTreeMap<T, NodeId> {
        &self.owners
    }

    /// Each point with its owner, in order.
    pub(crate) fn points(&self) -> impl DoubleEndedIterator<Item = RingPoint<T>> + Clone {
        let points = self.owners.iter();
        points.map(|(&position, &owner)| RingPoint::new(position, owner))
    }

    /// `owner` and the nodes that share its point, in the order in which they would get it.
    pub(crate) fn nodes_at(&self, position: &T, owner: NodeId) -> impl Iterator<Item = NodeId> {
        let sharers = self.sharers.get(position);
        iter::once(owner).chain(sharers.into_iter().flatten().copied())
    }

    /// Gives `node` a point. `order` says who of two comes first at it.
    pub(crate) fn place(
        &mut self,
        position: T,
        mut node: NodeId,
        order: impl Fn(NodeId, NodeId) -> Ordering,
    ) {
        let mut entry = match self.owners.entry(position) {
            Entry::Vacant(entry) => {
                entry.insert(node);
                return;
            }
            Entry::Occupied(entry) => entry,
        };
        match order(node, *entry.get()) {
            Ordering::Less => node = entry.insert(node),
            // Two labels of one node fell on one position.
            Ordering::Equal => return,
            Ordering::Greater => {}
        }
        let sharers = self.sharers.entry(position).or_default();
        let place = sharers.partition_point(|&other| order(other, node) == Ordering::Less);
        if sharers.get(place) != Some(&node) {
            sharers.insert(place, node);
        }
    }

    /// Takes a point from `node`; its next sharer gets it.
    pub(crate) fn withdraw(&mut self, position: T, node: NodeId) {
        let Entry::Occupied(mut owner) = self.owners.entry(position) else {
            return;
        };
        let Entry::Occupied(mut sharers) = self.sharers.entry(position) else {
            if *owner.get() == node {
                owner.remove();
            }
            return;
        };
        if *owner.get() == node {
            owner.insert(sharers.get_mut().remove(0));
        } else {
            sharers.get_mut().retain(|&other| other != node);
        }
        if sharers.get().is_empty() {
            sharers.remove();
        }
    }
}
