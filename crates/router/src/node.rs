//! Nodes, their lasting ids, and the list of those present.

use std::{num::NonZeroU32, sync::Arc};

use crate::{Error, ErrorKind};

/// The id of a node: a small non-zero number that stays with its name for the cluster's whole life
/// and in all its clones.
///
/// A name that leaves and returns has its old id; an id is never given to another name. Ids of
/// clusters that were built apart say nothing about each other: compare those by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// The id with number `n`, or `None` for 0.
    #[must_use]
    pub const fn new(n: u32) -> Option<Self> {
        match NonZeroU32::new(n) {
            Some(n) => Some(Self(n)),
            None => None,
        }
    }

    /// The number itself, from 1 up.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// The number less one: an index into a table with one place an id.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The first id: a placeholder for owner buffers that are about to be filled.
impl Default for NodeId {
    fn default() -> Self {
        Self(NonZeroU32::MIN)
    }
}

/// A member of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its lasting id.
    pub id: NodeId,
    /// Its name, which is its identity: the only thing that places its keys.
    pub name: Arc<str>,
    /// Its weight: a whole number, 1 by default; a node of weight 0 is a member that owns nothing.
    pub weight: u32,
}

/// The nodes present, in joining order, always valid: unique names, weights that the strategy
/// supports, no more nodes than it allows.
#[derive(Clone, Debug, Default)]
pub struct Members {
    nodes: Vec<Node>,
    /// Place of each id in `nodes`, plus one; 0 for an id that is not present.
    places: Vec<u32>,
    total_weight: u64,
}

impl Members {
    /// The members with these nodes, in this order. The caller vouches for unique ids and names.
    pub(crate) fn new(nodes: Vec<Node>) -> Self {
        let n_ids = nodes
            .iter()
            .map(|node| node.id.index() + 1)
            .max()
            .unwrap_or(0);
        let mut places = vec![0; n_ids];
        for (place, node) in nodes.iter().enumerate() {
            places[node.id.index()] = u32::try_from(place + 1).expect("at most 2^32 - 1 nodes");
        }
        let total_weight = nodes.iter().map(|node| u64::from(node.weight)).sum();
        Self {
            nodes,
            places,
            total_weight,
        }
    }

    /// The place in joining order of the node with this id, if it is present.
    #[must_use]
    pub fn position(&self, id: NodeId) -> Option<usize> {
        match self.places.get(id.index()) {
            Some(&place) if place > 0 => Some(place as usize - 1),
            _ => None,
        }
    }

    /// The node with this id, if it is present.
    #[must_use]
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.position(id).map(|place| &self.nodes[place])
    }

    /// The sum of all weights.
    #[must_use]
    pub fn total_weight(&self) -> u64 {
        self.total_weight
    }
}

/// The nodes in joining order.
impl std::ops::Deref for Members {
    type Target = [Node];

    fn deref(&self) -> &[Node] {
        &self.nodes
    }
}

/// Checks that `name` can name a node: 1 to 255 bytes of UTF-8 without control characters.
///
/// # Errors
///
/// Says which rule the name breaks.
pub fn check_name(name: &str) -> Result<(), Error> {
    let fault = if name.is_empty() {
        "is empty"
    } else if name.len() > 255 {
        "is longer than 255 bytes"
    } else if name.chars().any(char::is_control) {
        "has a control character"
    } else {
        return Ok(());
    };
    let mut shown: String = name.chars().take(40).collect();
    if shown.len() < name.len() {
        shown.push_str("...");
    }
    Err(Error::new(
        ErrorKind::Name,
        format!("node name {shown:?} {fault}"),
    ))
}
