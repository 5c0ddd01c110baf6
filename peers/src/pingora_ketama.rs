//! `pingora-ketama` 0.9.1 (Cloudflare): nginx's points, a chain of CRC-32s, of socket addresses. A ring is
//! built once and never changes.
//!
//! It takes socket addresses alone. A name that is none stands for an IPv6 address made of two hashes of it.
//! The crate answers an address; here its search for the point is used, and the point's owner looked up in a
//! table made at building, so that no address has to be searched for again.

use std::{
    collections::HashMap,
    net::{Ipv6Addr, SocketAddr},
};

use pingora_ketama::{Bucket, Continuum};
use point_hash::{xxh3, xxh3_seeded};
use router::{Capabilities, Node, NodeId, Role, Strategy};

use crate::{
    adapter::{Adapter, Peer, RING, check_ring},
    hashing::CRC32,
};

/// Points of a node of weight 1, which the crate does not let the caller choose.
const POINTS: u32 = 160;

pub(crate) static STRATEGIES: &[Strategy] = &[Strategy {
    name: "peer-pingora-ketama",
    family: "peer-pingora-ketama",
    role: Role::Peer,
    hash: &CRC32,
    summary: "Crate pingora-ketama 0.9.1: nginx's 160 points a node, a chain of CRC-32s",
    source: "github.com/cloudflare/pingora, crate pingora-ketama 0.9.1, 2026",
    capabilities: |_, _| Capabilities {
        max_nodes: Some(65536),
        // Which of two equal points wins is left to an unstable sort.
        order_free: false,
        ..RING
    },
    check: |_, members, _| check_ring(members, POINTS),
    build: |_, _, _| Ok(Adapter::<Ring>::boxed(())),
    ..Strategy::DEFAULT
}];

struct Ring {
    ring: Continuum,
    /// The owner of each point.
    owners: Vec<NodeId>,
}

fn address(name: &str) -> SocketAddr {
    name.parse().unwrap_or_else(|_| {
        let high = u128::from(xxh3(name.as_bytes())) << 64;
        let low = u128::from(xxh3_seeded(name.as_bytes(), 1));
        (Ipv6Addr::from(high | low), 1).into()
    })
}

impl Peer for Ring {
    type Settings = ();
    const ORDERED: bool = true;

    fn build((): &(), nodes: &[Node]) -> Self {
        let buckets: Vec<Bucket> = nodes
            .iter()
            .map(|it| Bucket::new(address(&it.name), it.weight))
            .collect();
        let ring = Continuum::new(&buckets);
        let ids: HashMap<SocketAddr, NodeId> =
            nodes.iter().map(|it| (address(&it.name), it.id)).collect();
        let (mut place, mut owners) = (0, Vec::new());
        // It steps to the next point, and from the last to the first.
        while let Some(owner) = ring.get_addr(&mut place) {
            owners.push(ids[owner]);
            if place == 0 {
                break;
            }
        }
        Self { ring, owners }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owners[self.ring.node_idx(key)]
    }
}
