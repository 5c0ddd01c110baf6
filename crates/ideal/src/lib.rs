//! The ideal: as even as whole keys can be, and no key moves that need not.
//!
//! Who may look at all keys and at all owners before can do best by construction: every node gets its
//! fair share of the keys, rounded down or up, and after a change only what is above a share, or has no
//! owner any more, moves. Nothing that routes key by key can do better, so this is what to measure others
//! against. It is no strategy to use: it needs every key and its owner at hand.
//!
//! ```text
//!   10 keys in order      0 1 2 3 4 5 6 7 8 9
//!   placed on a b c       a a a a b b b c c c      4, 3 and 3
//!   + d                   a a a d b b b c c d      3, 3, 2 and 2: one of a's and one of c's move
//!   - b                   a a a d a c d c c d      4, 3 and 3: b's three go where they lack
//! ```
//!
//! Exactly, for a key set with the owners before:
//!
//! - Keys stand in the order of their XXH3-64 with seed 1, then of their bytes; equal keys as they are
//!   given. Nodes with weight stand in the order of their names.
//! - With m keys and the weights w of sum W, a node's quota is `m w / W` rounded down or up, so that all add
//!   up to m: first those up that had more than the lower number, then those cut most, then by name.
//! - Every node keeps its first keys up to its quota. The others, those without an owner before and those
//!   whose owner is no node with weight any more go, from first to last, to the first node that is short.
//!
//! A single key, asked for with `route`, is placed by weighted rendezvous, which is even in expectation
//! and moves nothing in vain either: `h = mix64(XXH3-64(key, seed 0) xor XXH3-64(name, seed 1))`, mix64 the
//! finalizer of SplitMix64, `u = (h / 2^11, rounded down, + 1/2) / 2^53`; the owner is the node with the
//! smallest `-ln(u) / w`, of equal ones the smaller name. Key sets do not ask it.
//!
//! # Cost
//!
//! n nodes, m keys.
//!
//! | | |
//! |---|---|
//! | build and change | n hashes of names, n log n comparisons |
//! | placing a key set | m hashes, m log m comparisons |
//! | look-up of a single key | one hash, n mixes and logarithms |
//! | memory | 24 bytes a node; the owners of all keys are the caller's |
//! | keys moved | the least possible: of a node that leaves its own, of one that joins its quota |
//! | evenness | within one key |
//!
//! # Pick it when, avoid it when
//!
//! Pick it as the line that charts are read against: the distance to it is what a strategy pays for
//! not knowing the keys. Avoid it for routing.
//!
//! # Deviations from the paper
//!
//! There is none. The strategy states no theory of itself, so nothing is held against it.
//!
//! # References
//!
//! - D. G. Thaler and C. V. Ravishankar, A name-based mapping scheme for rendezvous, 1996: `route`.

use dealing::{by_hash, settle};
use point_hash::{XXH3, mix64, xxh3, xxh3_seeded};
use router::{Capabilities, Keys, Members, NodeId, Role, Router, Step, Strategy, WeightSupport};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "ideal",
    family: "ideal",
    role: Role::Bound,
    hash: &XXH3,
    summary: "The bound: sees all keys, balanced and minimal by construction",
    source: "by construction",
    capabilities: |_, _| Capabilities {
        minimal: true,
        order_free: true,
        weights: WeightSupport::Renormalised,
        even: true,
        knows_load: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::new(Ideal::default())),
    ..Strategy::DEFAULT
}];

/// A router that places key sets evenly, starting from the owners before.
#[derive(Clone, Debug, Default)]
pub struct Ideal {
    /// The nodes with weight, in order of their names.
    nodes: Vec<Scored>,
}

#[derive(Clone, Copy, Debug)]
struct Scored {
    id: NodeId,
    weight: u32,
    hash: u64,
}

impl Scored {
    /// When a node of this weight claims the key, in a race of exponential clocks: the first wins.
    #[inline]
    fn claims_at(&self, key_hash: u64) -> f64 {
        let h = mix64(key_hash ^ self.hash);
        let u = ((h >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        -libm::log(u) / f64::from(self.weight)
    }
}

impl Router for Ideal {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        let mut nodes: Vec<_> = members.iter().filter(|node| node.weight > 0).collect();
        nodes.sort_unstable_by_key(|node| &node.name);
        let scored = nodes.into_iter().map(|node| Scored {
            id: node.id,
            weight: node.weight,
            hash: xxh3_seeded(node.name.as_bytes(), 1),
        });
        self.nodes = scored.collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let key_hash = xxh3(key);
        let claims = self
            .nodes
            .iter()
            .map(|node| (node.claims_at(key_hash), node.id));
        // Of equal times the first stays, which has the smaller name.
        let first = claims.reduce(|first, other| if other.0 < first.0 { other } else { first });
        first.expect("asked only while a node has weight").1
    }

    fn assign(&self, keys: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        let nodes: Vec<(NodeId, u32)> = self.nodes.iter().map(|it| (it.id, it.weight)).collect();
        let order = by_hash(keys);
        let mut placed: Vec<Option<NodeId>> = order.iter().map(|&i| owners[i]).collect();
        settle(&nodes, &mut placed);
        for (i, owner) in order.into_iter().zip(placed) {
            owners[i] = owner;
        }
        Some(())
    }
}
