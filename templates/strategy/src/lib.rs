//! One sentence: what this strategy does. (A working strategy to start from: replace it by yours.)
//!
//! The idea in a paragraph, with a small diagram. Here: every node gets a score for the key, a hash
//! of the key seeded with a hash of the node's name, and the highest score wins.
//!
//! ```text
//!   key --+-- seeded with a --> 17
//!         +-- seeded with b --> 93   b owns the key
//!         +-- seeded with c --> 42
//! ```
//!
//! # Cost
//!
//! With n nodes: building and every change O(n), 24 bytes a node and its name; a look-up evaluates n
//! hashes. A node that leaves gives up its keys and no other key moves: 1/n of them.
//!
//! # Pick it when, avoid it when
//!
//! Pick it for few nodes. Avoid it for thousands: a look-up asks every one of them.
//!
//! # Deviations from the paper
//!
//! None. Say here what you do otherwise than the source, and why.
//!
//! # References
//!
//! - D. G. Thaler and C. V. Ravishankar, "A name-based mapping scheme for rendezvous", 1996.

use std::sync::Arc;

use point_hash::{xxh3, xxh3_seeded};
use router::{Capabilities, Members, NodeId, Role, Router, Step, Strategy};

/// The strategies of this crate: one entry a variant.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "strategy-name",
    family: "strategy-name",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "The node with the highest score for the key owns it",
    source: "Thaler and Ravishankar, A name-based mapping scheme for rendezvous, 1996",
    // Each claim is tested by the contract suite: make those that hold and no others.
    capabilities: |_, _| Capabilities {
        any_removal: true,
        minimal: true,
        order_free: true,
        history_free: true,
        even: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::new(HighestScore::default())),
    ..Strategy::DEFAULT
}];

/// A router that gives each key to the node with the highest score.
///
/// `update` and `route` are all that must be written. `router::Router` lists what may be: batches,
/// replicas, exact shares, points, and the work that a look-up does.
#[derive(Clone, Debug, Default)]
pub struct HighestScore {
    nodes: Vec<Scored>,
}

#[derive(Clone, Debug)]
struct Scored {
    id: NodeId,
    seed: u64,
    name: Arc<str>,
}

impl Router for HighestScore {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.nodes = members
            .iter()
            .map(|node| Scored {
                id: node.id,
                seed: xxh3(node.name.as_bytes()),
                name: Arc::clone(&node.name),
            })
            .collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        // The name decides between equal scores, so that the order of joining does not.
        let score = |node: &Scored| xxh3_seeded(key, node.seed);
        let best = self.nodes.iter().max_by_key(|&it| (score(it), &*it.name));
        best.expect("asked only while there is a node").id
    }
}
