//! The trait that a strategy writes, and what its optional methods answer with.

use std::fmt;

use crate::{Keys, Members, NodeId};

/// One thing that led from the members before to the members now, as a router sees it.
///
/// A list of steps may name nodes that are not present at its end (added and removed again).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A node joined, behind all others.
    Add(NodeId),
    /// A node left.
    Remove(NodeId),
    /// A node that stays has another weight.
    SetWeight(NodeId),
    /// A new name took the place of an old one in the joining order, with its weight.
    Replace {
        /// The node that left.
        old: NodeId,
        /// The node in its place.
        new: NodeId,
    },
}

impl Step {
    /// The nodes that this step names; the second only for a replacement.
    #[must_use]
    pub fn nodes(&self) -> (NodeId, Option<NodeId>) {
        match *self {
            Self::Add(id) | Self::Remove(id) | Self::SetWeight(id) => (id, None),
            Self::Replace { old, new } => (old, Some(new)),
        }
    }
}

/// A value in a strategy's hash space: unsigned up to 128 bits, or signed as Java has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Position {
    /// An unsigned value.
    Unsigned(u128),
    /// A signed value.
    Signed(i64),
}

/// The value in decimal.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(value) => value.fmt(f),
            Self::Signed(value) => value.fmt(f),
        }
    }
}

/// A point of a ring (a virtual node's position), or whatever a strategy has in its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// Where it stands.
    pub position: Position,
    /// The node that keeps it.
    pub owner: NodeId,
    /// What was hashed to get it, as a person would write it.
    pub label: String,
}

/// What one look-up did. The counts are exact and the same on every machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// Evaluations of a hash function over bytes or words.
    pub hash_evals: u32,
    /// Points, table entries or nodes looked at.
    pub probes: u32,
    /// Probes a key when [`Router::route_batch`] is asked many keys at once: less than `probes`
    /// for a strategy that sorts the hashes and sweeps once.
    pub batch_probes: f64,
    /// The key's hash.
    pub key_hash: Option<Position>,
    /// The point that decided.
    pub point: Option<Position>,
    /// That point's label.
    pub label: Option<String>,
}

/// What a strategy writes: it maps any key to one of the nodes present.
///
/// A newcomer writes [`Router::update`] and [`Router::route`]. The other methods are optional;
/// what answers an `Option` says `None`, unsupported, unless it is written, so that nothing can be
/// claimed without being done.
pub trait Router: RouterClone + Send + Sync {
    /// Brings the mapping to `members`.
    ///
    /// `steps` is what led here from the members of the last call; it is empty at building, when
    /// everything is to be made from `members` alone. A router may always rebuild and ignore
    /// `steps`; one that can change in place uses them.
    fn update(&mut self, members: &Members, steps: &[Step]);

    /// Returns the node that owns `key`. Asked only while some node has weight; never panics.
    fn route(&self, key: &[u8]) -> NodeId;

    /// Writes the owner of every key to `owners`, equal to [`Router::route`] key by key.
    ///
    /// A strategy that scans sorts the hashes and sweeps once.
    ///
    /// # Panics
    ///
    /// May panic when the two lengths differ.
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        assert_eq!(keys.len(), owners.len(), "one owner a key");
        for (owner, key) in owners.iter_mut().zip(keys.iter()) {
            *owner = self.route(key);
        }
    }

    /// Returns the first `n` distinct owners of `key`, fewer when fewer nodes have weight; the
    /// first is `route(key)`, and a longer list begins with a shorter one.
    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let _ = (key, n);
        None
    }

    /// Places a whole key set, for strategies that know load.
    ///
    /// `owners` holds the owner of each key before, or `None`; it is overwritten with the owners
    /// now. Pure: asked twice with the same owners before, it answers the same.
    fn assign(&self, keys: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        let _ = (keys, owners);
        None
    }

    /// Returns how many nodes [`Router::assign`] looks at for each key of a set that it places afresh:
    /// 1 where the first choice has room. What a bound on the load costs, for strategies that have one.
    fn assign_probes(&self, keys: Keys<'_>) -> Option<Vec<u32>> {
        let _ = keys;
        None
    }

    /// Returns each node's exact share of the hash space, where it can be computed without keys.
    /// The shares of all nodes add up to 1; a node that owns nothing may be left out.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        None
    }

    /// Returns every point with its owner and label, in order of position.
    fn points(&self) -> Option<Vec<Point>> {
        None
    }

    /// Returns what the look-up of `key` does.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let _ = key;
        None
    }
}

/// Cloning behind a box. Every `Router` that is `Clone` has it; nobody writes it.
pub trait RouterClone {
    /// A clone of this router, boxed.
    fn boxed_clone(&self) -> Box<dyn Router>;
}

impl<T: Router + Clone + 'static> RouterClone for T {
    fn boxed_clone(&self) -> Box<dyn Router> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Router> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
