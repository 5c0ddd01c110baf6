//! A table of slots, each placed by rendezvous: a limit of nodes, and shares without points.

use router::{Capabilities, Members, NodeId, Param, ParamKind, ParamRole, Router, Step, Strategy};

use super::{MIXED, Rendezvous, hash, mix};

pub(crate) static SLOTS: Strategy = Strategy {
    name: "slots",
    family: "tests",
    hash: &MIXED,
    summary: "A table of slots, each with the owner that rendezvous hashing gives it",
    source: "folklore",
    params: &[Param {
        name: "slots",
        role: ParamRole::Table,
        kind: ParamKind::Int {
            default: 1009,
            min: 1,
            max: 65_536,
            multiple_of: 1,
        },
        help: "slots in the table",
    }],
    suite_params: "slots=31",
    capabilities: |_, _| CLAIMS,
    build: |params, _, _| Ok(Box::new(Slots::new(params.count("slots")))),
    ..Strategy::DEFAULT
};

const CLAIMS: Capabilities = Capabilities {
    minimal: true,
    order_free: true,
    history_free: true,
    max_nodes: Some(24),
    ..Capabilities::NONE
};

#[derive(Clone)]
struct Slots {
    n_slots: u32,
    owners: Vec<NodeId>,
}

impl Slots {
    fn new(n_slots: u32) -> Self {
        Self {
            n_slots,
            owners: Vec::new(),
        }
    }
}

impl Router for Slots {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.owners.clear();
        if members.is_empty() {
            return;
        }
        let mut nodes = Rendezvous::default();
        nodes.update(members, &[]);
        let owner = |slot| nodes.first(mix(u64::from(slot)));
        self.owners = (0..self.n_slots).map(owner).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owners[(hash(0, key) % u64::from(self.n_slots)) as usize]
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let mut owners = self.owners.clone();
        owners.sort_unstable();
        let slots = f64::from(self.n_slots);
        let shares = owners.chunk_by(|one, other| one == other);
        Some(
            shares
                .map(|slot| (slot[0], slot.len() as f64 / slots))
                .collect(),
        )
    }
}
