//! A router that knows load: no node is given more than 5/4 of its fair share of a key set.

use std::collections::HashMap;

use router::{Capabilities, Keys, Members, NodeId, Router, Step, Strategy, WeightSupport};

use super::{MIXED, Rendezvous, hash, rendezvous};

pub(crate) static BOUNDED: Strategy = Strategy {
    name: "bounded",
    family: "tests",
    hash: &MIXED,
    summary: "Rendezvous hashing that passes full nodes by",
    source: "after Mirrokni, Thorup, Zadimoghaddam: Consistent hashing with bounded loads, 2018",
    capabilities: |_, _| CLAIMS,
    build: |_, _, _| Ok(Box::new(Bounded::default())),
    ..Strategy::DEFAULT
};

pub(crate) const CLAIMS: Capabilities = Capabilities {
    weights: WeightSupport::No,
    knows_load: true,
    ..rendezvous::CLAIMS
};

#[derive(Clone, Default)]
pub(crate) struct Bounded {
    nodes: Rendezvous,
}

impl Router for Bounded {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.nodes.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.nodes.route(key)
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        self.nodes.preference(key, n)
    }

    fn assign(&self, keys: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        let most = (5 * keys.len()).div_ceil(4 * self.nodes.nodes.len());
        let mut loads: HashMap<NodeId, usize> = HashMap::new();
        for (key, owner) in keys.iter().zip(owners) {
            let ranked = self.nodes.ranked(hash(0, key));
            let free = |id: &NodeId| loads.get(id).is_none_or(|&load| load < most);
            let id = ranked.into_iter().find(free)?;
            *loads.entry(id).or_default() += 1;
            *owner = Some(id);
        }
        Some(())
    }
}
