//! A peer behind [`Router`]: what all adapters have in common.

use router::{
    Capabilities, Error, Members, Node, NodeId, Param, ParamKind, ParamRole, Router, Step,
    WeightSupport, check_points,
};

/// What a peer's module writes: the calls of its crate, and nothing else.
pub(crate) trait Peer: Send + Sync + Sized + 'static {
    /// What it is built with besides the nodes.
    type Settings: Clone + Send + Sync + 'static;

    /// A router of these nodes, in joining order; at least one, and each has weight.
    fn build(settings: &Self::Settings, nodes: &[Node]) -> Self;

    /// Adds a node in place, behind all others, where the crate can.
    fn add(&mut self, settings: &Self::Settings, node: &Node) -> bool {
        let _ = (settings, node);
        false
    }

    /// Removes a node in place, where the crate can.
    fn remove(&mut self, settings: &Self::Settings, node: &Node) -> bool {
        let _ = (settings, node);
        false
    }

    /// A copy, where the crate can make one; otherwise it is built anew from the same nodes.
    fn copy(&self) -> Option<Self> {
        None
    }

    /// The owner of a key.
    fn route(&self, key: &[u8]) -> NodeId;

    /// The first `n` distinct owners of a key, where the crate can name them.
    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let _ = (key, n);
        None
    }

    /// Whether owners depend on the place of a node in joining order, so that a replaced node cannot
    /// simply leave and join.
    const ORDERED: bool = false;
}

/// A peer with the nodes that it serves.
pub(crate) struct Adapter<P: Peer> {
    settings: P::Settings,
    /// The nodes with weight, in joining order.
    nodes: Vec<Node>,
    /// None while there is no such node.
    peer: Option<P>,
}

impl<P: Peer> Adapter<P> {
    /// A peer without nodes, boxed as a strategy hands it out.
    pub(crate) fn boxed(settings: P::Settings) -> Box<dyn Router> {
        Box::new(Self {
            settings,
            nodes: Vec::new(),
            peer: None,
        })
    }

    /// Makes `step` in place; whether that was possible.
    fn step(&mut self, step: &Step, members: &Members) -> bool {
        match *step {
            Step::Add(id) => self.add(members.get(id)),
            Step::Remove(id) => self.remove(id),
            Step::SetWeight(id) => self.remove(id) && self.add(members.get(id)),
            Step::Replace { old, new } => {
                !P::ORDERED && self.remove(old) && self.add(members.get(new))
            }
        }
    }

    fn add(&mut self, node: Option<&Node>) -> bool {
        // Who left again within the same change is not there to be asked for its name.
        let Some(node) = node.filter(|it| it.weight > 0) else {
            return true;
        };
        let Some(peer) = &mut self.peer else {
            return false;
        };
        self.nodes.push(node.clone());
        peer.add(&self.settings, node)
    }

    fn remove(&mut self, id: NodeId) -> bool {
        let Some(place) = self.nodes.iter().position(|it| it.id == id) else {
            return true;
        };
        let node = self.nodes.remove(place);
        let Some(peer) = &mut self.peer else {
            return false;
        };
        !self.nodes.is_empty() && peer.remove(&self.settings, &node)
    }
}

impl<P: Peer> Clone for Adapter<P> {
    fn clone(&self) -> Self {
        let copy = |peer: &P| {
            let copy = peer.copy();
            copy.unwrap_or_else(|| P::build(&self.settings, &self.nodes))
        };
        Self {
            settings: self.settings.clone(),
            nodes: self.nodes.clone(),
            peer: self.peer.as_ref().map(copy),
        }
    }
}

impl<P: Peer> Router for Adapter<P> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let in_place = !steps.is_empty() && steps.iter().all(|it| self.step(it, members));
        if in_place {
            return;
        }
        let nodes = members.iter().filter(|it| it.weight > 0);
        self.nodes = nodes.cloned().collect();
        self.peer = None; // its memory first
        if !self.nodes.is_empty() {
            self.peer = Some(P::build(&self.settings, &self.nodes));
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let peer = self.peer.as_ref();
        peer.expect("asked only while a node has weight").route(key)
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        self.peer.as_ref()?.preference(key, n)
    }
}

/// What a crate of consistent hashing promises where any node may come and go.
pub(crate) const CONSISTENT: Capabilities = Capabilities {
    minimal: true,
    order_free: true,
    history_free: true,
    ..Capabilities::NONE
};

/// The same with points by weight.
pub(crate) const RING: Capabilities = Capabilities {
    weights: WeightSupport::Minimal,
    ..CONSISTENT
};

/// Points a node, for a crate that lets the caller choose.
pub(crate) const VNODES: Param = Param {
    name: "vnodes",
    role: ParamRole::PointsPerNode,
    kind: ParamKind::Int {
        default: 160,
        min: 1,
        max: 100_000,
        multiple_of: 1,
    },
    help: "points a node",
};

/// Entries of a table, for a crate that lets the caller choose.
pub(crate) const TABLE: Param = Param {
    name: "table",
    role: ParamRole::Table,
    kind: ParamKind::Int {
        default: 65537,
        min: 2,
        max: 10_000_000,
        multiple_of: 1,
    },
    help: "least number of entries of the table; the crate takes the next prime",
};

/// Checks the points of a ring with so many a node of weight 1.
pub(crate) fn check_ring(members: &Members, points_per_node: u32) -> Result<(), Error> {
    check_points(u128::from(members.total_weight()) * u128::from(points_per_node))
}

/// The points of a node of this weight.
pub(crate) fn points(node: &Node, points_per_node: u32) -> usize {
    node.weight as usize * points_per_node as usize
}
