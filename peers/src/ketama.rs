//! `ketama` 0.0.2 (ringline): libketama's points with equal weights, and an MD5 of its own. A ring is built
//! once and never changes.

use ketama::{Ring as Theirs, RingBuilder};
use point_hash::MD5;
use router::{Capabilities, Node, NodeId, Role, Strategy};

use crate::adapter::{Adapter, Peer, RING, check_ring};

/// Points of a node of weight 1, which the crate does not let the caller choose.
const POINTS: u32 = 160;

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-ketama",
    family: "peer-ketama",
    role: Role::Peer,
    hash: &MD5,
    summary: "Crate ketama 0.0.2: 160 points a node of MD5, 32 bits",
    source: "github.com/ringline-rs, crate ketama 0.0.2, 2026",
    capabilities: |_, _| Capabilities {
        max_nodes: Some(65535),
        // Which of two equal points wins is left to an unstable sort.
        order_free: false,
        ..RING
    },
    check: |_, members, _| check_ring(members, POINTS),
    build: |_, _, _| Ok(Adapter::<Ring>::boxed(())),
    ..Strategy::DEFAULT
}];

struct Ring {
    ring: Theirs,
    owners: Vec<NodeId>,
}

impl Peer for Ring {
    type Settings = ();
    const ORDERED: bool = true;

    fn build((): &(), nodes: &[Node]) -> Self {
        let builder = nodes.iter().fold(RingBuilder::new(), |ring, it| {
            ring.node(&it.name, it.weight)
        });
        Self {
            ring: builder.build(),
            owners: nodes.iter().map(|it| it.id).collect(),
        }
    }

    fn copy(&self) -> Option<Self> {
        Some(Self {
            ring: self.ring.clone(),
            owners: self.owners.clone(),
        })
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owners[self.ring.route(key)]
    }
}
