//! A router that can only lose its last node: with the n-th node, one key in n moves to it.

use router::{Capabilities, Members, NodeId, Router, Step, Strategy};

use super::{MIXED, hash, mix};

pub(crate) static JUMP: Strategy = Strategy {
    name: "jump",
    family: "tests",
    hash: &MIXED,
    summary: "Every node that joins draws its share from all before it",
    source: "after Lamping, Veach: A fast, minimal memory, consistent hash algorithm, 2014",
    capabilities: |_, _| CLAIMS,
    build: |_, _, _| Ok(Box::new(Jump::default())),
    ..Strategy::DEFAULT
};

pub(crate) const CLAIMS: Capabilities = Capabilities {
    any_removal: false,
    minimal: true,
    history_free: true,
    even: true,
    ..Capabilities::NONE
};

#[derive(Clone, Default)]
pub(crate) struct Jump {
    nodes: Vec<NodeId>,
}

impl Jump {
    /// The owner of a key with this hash.
    pub(crate) fn owner(&self, key_hash: u64) -> NodeId {
        let draw = |n: u64| mix(key_hash.wrapping_add(mix(n)));
        let draws = |n: &usize| draw(*n as u64).is_multiple_of(*n as u64);
        let last = (1..=self.nodes.len()).rev().find(draws);
        self.nodes[last.expect("the first node draws every key") - 1]
    }
}

impl Router for Jump {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.nodes = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owner(hash(0, key))
    }
}
