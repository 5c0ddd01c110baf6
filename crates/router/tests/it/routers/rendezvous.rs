//! Weighted rendezvous hashing: the node with the earliest arrival owns the key.

use std::sync::Arc;

use router::{Capabilities, Members, NodeId, Router, Step, Strategy, WeightSupport};

use super::{MIXED, hash, mix};

pub(crate) static RENDEZVOUS: Strategy = Strategy {
    name: "rendezvous",
    family: "tests",
    hash: &MIXED,
    summary: "The node with the lowest score owns the key",
    source: "Thaler, Ravishankar: Using name-based mappings to increase hit rates, 1998",
    capabilities: |_, _| CLAIMS,
    build: |_, _, _| Ok(Box::new(Rendezvous::default())),
    ..Strategy::DEFAULT
};

pub(crate) const CLAIMS: Capabilities = Capabilities {
    minimal: true,
    order_free: true,
    history_free: true,
    weights: WeightSupport::Minimal,
    replicas: true,
    even: true,
    ..Capabilities::NONE
};

#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) id: NodeId,
    pub(crate) name: Arc<str>,
    pub(crate) weight: u32,
    pub(crate) seed: u64,
}

#[derive(Clone, Default)]
pub(crate) struct Rendezvous {
    pub(crate) nodes: Vec<Candidate>,
}

impl Router for Rendezvous {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.nodes = members
            .iter()
            .map(|node| Candidate {
                id: node.id,
                name: Arc::clone(&node.name),
                weight: node.weight,
                seed: hash(1, node.name.as_bytes()),
            })
            .collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.first(hash(0, key))
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        Some(self.ranked(hash(0, key)).into_iter().take(n).collect())
    }
}

impl Rendezvous {
    /// The owner of a key with this hash.
    pub(crate) fn first(&self, key_hash: u64) -> NodeId {
        let scored = self.scored(key_hash).into_iter();
        let first = scored.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(other.1)));
        first.expect("a node has weight").2
    }

    /// All nodes with weight, the owner first.
    pub(crate) fn ranked(&self, key_hash: u64) -> Vec<NodeId> {
        let mut scored = self.scored(key_hash);
        scored.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(other.1)));
        scored.into_iter().map(|(_, _, id)| id).collect()
    }

    /// Exponential arrivals at a rate of `weight`: the first is node i with a chance of its weight
    /// in the total.
    fn scored(&self, key_hash: u64) -> Vec<(f64, &str, NodeId)> {
        let weighted = self.nodes.iter().filter(|node| node.weight > 0);
        weighted
            .map(|node| {
                let draw = mix(key_hash ^ node.seed) >> 11;
                let uniform = (draw as f64 + 0.5) / (1_u64 << 53) as f64;
                let arrival = -uniform.ln() / f64::from(node.weight);
                (arrival, &*node.name, node.id)
            })
            .collect()
    }
}
