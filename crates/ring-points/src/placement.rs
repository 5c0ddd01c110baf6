//! What a ring is made of.

use std::cmp::Ordering;

use router::{Error, KeyBuf, Keys, Members, NodeId, check_points};

use crate::RingPosition;

/// What a ring is made of: the points of a node, the hash of a key, and who keeps a shared point.
///
/// A published ring is one implementation of this trait in its own crate; a test injects a broken
/// hash with another one.
pub trait Placement: Clone + Send + Sync + 'static {
    /// Where points and keys lie.
    type Position: RingPosition;

    /// Who keeps a point that two nodes share.
    const TIE: Tie;

    /// Returns the position of `key`.
    fn hash(&self, key: &[u8]) -> Self::Position;

    /// Writes the position of every key to `hashes`, which is as long, equal to
    /// [`Placement::hash`] key by key.
    fn hash_batch(&self, keys: Keys<'_>, hashes: &mut [Self::Position]) {
        for (hash, key) in hashes.iter_mut().zip(keys.iter()) {
            *hash = self.hash(key);
        }
    }

    /// Returns how many points a node of this weight has. `weights` sums up the nodes present, for
    /// rings where that matters; then their points are placed anew when it changes.
    fn n_points(&self, weight: u32, weights: &Weights) -> u64;

    /// Calls `place` with the first `n_points` points of the node called `name`, in order: the hashes
    /// of their labels, unless a ring has another rule.
    fn points(&self, name: &str, n_points: u64, place: impl FnMut(Self::Position)) {
        let labels: KeyBuf = (0..n_points).map(|i| self.label(name, i)).collect();
        self.place_labels(labels.keys(), place);
    }

    /// Calls `place` with the hash of every label, in order.
    fn place_labels(&self, labels: Keys<'_>, place: impl FnMut(Self::Position)) {
        let mut points = vec![Self::Position::MIN; labels.len()];
        self.hash_batch(labels, &mut points);
        points.into_iter().for_each(place);
    }

    /// Returns what was hashed to get point `i` of the node called `name`, as a person would write
    /// it.
    fn label(&self, name: &str, i: u64) -> String;
}

/// Who keeps a point that two nodes share.
#[derive(Clone, Copy, Debug)]
pub enum Tie {
    /// The node that joined first.
    FirstJoined,
    /// The node that joined last.
    LastJoined,
    /// The node whose name is smaller in byte order, so that the order of joining does not matter.
    SmallerName,
    /// The node whose name comes first in an order of the program's own, which holds no two names
    /// that can be present together for equal.
    FirstName(fn(&str, &str) -> Ordering),
}

impl Tie {
    /// Orders two present nodes that share a point; the lesser one keeps it.
    pub(crate) fn order(self, members: &Members, a: NodeId, b: NodeId) -> Ordering {
        let joined = || members.position(a).cmp(&members.position(b));
        let name = |id| members.get(id).map_or("", |node| &*node.name);
        match self {
            Self::FirstJoined => joined(),
            Self::LastJoined => joined().reverse(),
            Self::SmallerName => name(a).cmp(name(b)),
            Self::FirstName(order) => order(name(a), name(b)),
        }
    }
}

/// The weights of the nodes present, summed up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weights {
    /// Nodes with a weight above 0.
    pub n_nodes: u64,
    /// The sum of all weights.
    pub total: u64,
}

impl Weights {
    /// Sums up `members`.
    #[must_use]
    pub fn of(members: &Members) -> Self {
        let n_nodes = members.iter().filter(|node| node.weight > 0).count();
        Self {
            n_nodes: n_nodes as u64,
            total: members.total_weight(),
        }
    }
}

/// Checks that all points of `members` together are not too many, before any is placed.
///
/// # Errors
///
/// When there would be more than [`router::MAX_POINTS`].
pub fn check(placement: &impl Placement, members: &Members) -> Result<(), Error> {
    let weights = Weights::of(members);
    let n_points = |weight| u128::from(placement.n_points(weight, &weights));
    check_points(members.iter().map(|node| n_points(node.weight)).sum())
}
