//! The key's hash modulo the nodes in joining order.

use router::{Capabilities, Members, NodeId, Router, Step, Strategy};

use super::{MIXED, hash};

pub(crate) static MODULO: Strategy = Strategy {
    name: "modulo",
    family: "tests",
    hash: &MIXED,
    summary: "The key's hash modulo the nodes in joining order",
    source: "folklore",
    capabilities: |_, _| CLAIMS,
    build: |_, _, _| Ok(Box::new(Modulo::default())),
    ..Strategy::DEFAULT
};

pub(crate) const CLAIMS: Capabilities = Capabilities {
    history_free: true,
    even: true,
    ..Capabilities::NONE
};

#[derive(Clone, Default)]
pub(crate) struct Modulo {
    pub(crate) nodes: Vec<NodeId>,
}

impl Modulo {
    /// The owner of a key with this hash.
    pub(crate) fn owner(&self, key_hash: u64) -> NodeId {
        self.nodes[(key_hash % self.nodes.len() as u64) as usize]
    }
}

impl Router for Modulo {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.nodes = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owner(hash(0, key))
    }
}
