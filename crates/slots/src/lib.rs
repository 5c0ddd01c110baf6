//! Hash slots: a key's hash picks one of a fixed number of slots, and a table says who has the slot.
//!
//! The number of slots never changes, so a key never changes its slot; what moves between nodes are
//! slots. At building they are dealt in contiguous ranges. From then on the table is state: a change
//! of members or weights starts from it and moves the fewest slots that make it even again.
//!
//! ```text
//!   12 slots            0 1 2 3 4 5 6 7 8 9 . .
//!   built of a b c      a a a a b b b b c c c c
//!   + d                 a a a d b b b d c c c d      each gives its last slot
//!   - b                 a a a d a c d d c c c d      its slots fill up a, c and d, from left to right
//! ```
//!
//! Exactly, with c slots:
//!
//! - Building: with W the sum of weights and w(1) ... w(i) those of the first i nodes in joining order,
//!   node i has the slots from `round(c (w(1) + ... + w(i-1)) / W)` up to, not including,
//!   `round(c (w(1) + ... + w(i)) / W)`, halves rounded up, in integers.
//! - A change: slots of a node that leaves are nobody's; a replacement hands its slots over. The
//!   quotas of the nodes now present are `c w / W` rounded down or up, rounded so that the fewest slots
//!   move: first those up that have more than the lower number, then those that were cut most, then those
//!   that joined first. Every node keeps its lowest slots up to its quota; all other slots, from lowest to
//!   highest, go to the first node in joining order that is short of its quota. Changes that are made at
//!   once count as one.
//! - When no node has weight, the table is forgotten, and the next node with weight starts anew.
//!
//! `slots` hashes with XXH3-64 (seed 0) and takes the slot `hash * c / 2^64`, rounded down. [`redis`] has
//! the slots of Redis Cluster.
//!
//! # Cost
//!
//! n nodes, c slots.
//!
//! | | |
//! |---|---|
//! | build and every change | c + n log n |
//! | look-up | one hash, one table entry read |
//! | memory | 4 bytes a slot |
//! | keys moved | those of the node that leaves or comes, equal weights: c/n slots, rounded |
//! | evenness | within one slot: a node's share is off by n/c at most |
//!
//! # Pick it when, avoid it when
//!
//! Pick it for stores that move data themselves: a slot is a unit to copy, to lock and to speak of, any
//! weights can be met, and an operator may move single slots. Avoid it where clients must agree
//! without talking: the table depends on all changes so far and has to be handed to everybody. Two
//! tables that went through the same removals in another order differ.
//!
//! # Deviations from the source
//!
//! Redis Cluster leaves who has which slot to its operator; here it is the rule above. There are at most
//! as many nodes as slots. A node whose weight is less than half a slot's worth may have none.
//!
//! # References
//!
//! - Redis Cluster specification, key distribution model, 2015.
//! - G. DeCandia and others, Dynamo: Amazon's Highly Available Key-value Store, SOSP 2007: section 6.2,
//!   strategy 3, equal partitions of a fixed number.

pub mod redis;
mod theory;

use std::marker::PhantomData;

use dealing::{settle, shares};
use point_hash::xxh3;
use router::{
    Capabilities, MAX_POINTS, Members, NodeId, Param, ParamKind, ParamRole, Params, Position, Role,
    Router, Step, Strategy, Trace, WeightSupport,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "slots",
        family: "slots",
        role: Role::CommonHash,
        hash: &point_hash::XXH3,
        summary: "Slots dealt in ranges, then moved as little as possible",
        source: "the slots of Redis Cluster, with the common hash",
        params: &[count(
            4096,
            1,
            MAX_POINTS as i64,
            "slots, 100 times the nodes or more",
        )],
        suite_params: "count=7",
        build: |params, _, _| Ok(Box::new(Slots::<Xxh3>::new(params))),
        ..COMMON
    },
    Strategy {
        name: "slots-redis",
        family: "slots",
        role: Role::Published,
        hash: &redis::CRC16,
        summary: "The 16384 slots of Redis Cluster: CRC16 and hash tags",
        source: "Redis Cluster specification, 2015",
        spoken_by: &["Redis Cluster", "Valkey Cluster"],
        params: &[count(
            redis::SLOTS,
            redis::SLOTS,
            redis::SLOTS,
            "slots: Redis Cluster has always 16384",
        )],
        build: |params, _, _| Ok(Box::new(Slots::<redis::Redis>::new(params))),
        ..COMMON
    },
];

/// What both have in common.
const COMMON: Strategy = Strategy {
    capabilities: |params, _| Capabilities {
        minimal: true,
        weights: WeightSupport::Renormalised,
        max_nodes: Some(params.count("count")),
        ..Capabilities::NONE
    },
    expected: |params, question| theory::expected(u64::from(params.count("count")), question),
    ..Strategy::DEFAULT
};

const fn count(default: i64, min: i64, max: i64, help: &'static str) -> Param {
    Param {
        name: "count",
        role: ParamRole::Table,
        kind: ParamKind::Int {
            default,
            min,
            max,
            multiple_of: 1,
        },
        help,
    }
}

/// How a key finds its slot.
pub trait SlotHash: Clone + Send + Sync + 'static {
    /// The hash of a key.
    fn hash(key: &[u8]) -> u64;
    /// The slot of a hash, below `n_slots`.
    fn slot(hash: u64, n_slots: usize) -> usize;
}

/// XXH3-64, seed 0; the slot is the hash as a fraction of 2^64, times the number of slots.
#[derive(Clone, Debug)]
pub struct Xxh3;

impl SlotHash for Xxh3 {
    #[inline]
    fn hash(key: &[u8]) -> u64 {
        xxh3(key)
    }

    #[inline]
    fn slot(hash: u64, n_slots: usize) -> usize {
        // Below the number of slots, so it fits.
        ((u128::from(hash) * n_slots as u128) >> 64) as usize
    }
}

/// A router that looks the owner of a key's slot up. Cloning copies the table.
#[derive(Clone, Debug)]
pub struct Slots<H> {
    n_slots: usize,
    /// The owner of every slot; empty while no node has weight.
    owners: Vec<NodeId>,
    hash: PhantomData<H>,
}

impl<H: SlotHash> Slots<H> {
    /// A router with the number of slots that these parameters give, and no nodes.
    #[must_use]
    pub fn new(params: &Params) -> Self {
        Self {
            n_slots: params.count("count") as usize,
            owners: Vec::new(),
            hash: PhantomData,
        }
    }

    /// The owners of all slots, in order; empty while no node has weight.
    #[must_use]
    pub fn owners(&self) -> &[NodeId] {
        &self.owners
    }

    /// Deals all slots anew, in contiguous ranges.
    fn deal(&mut self, members: &Members) {
        self.owners.clear();
        let total = u128::from(members.total_weight());
        let mut so_far = 0;
        for node in members.iter().filter(|node| node.weight > 0) {
            so_far += u128::from(node.weight);
            let twice = 2 * self.n_slots as u128 * so_far;
            // The quotient is at most the number of slots.
            let end = ((twice + total) / (2 * total)) as usize;
            self.owners.resize(end, node.id);
        }
    }

    /// Moves the fewest slots that give every node its quota.
    fn rebalance(&mut self, members: &Members, steps: &[Step]) {
        let mut owners: Vec<Option<NodeId>> = self.owners.drain(..).map(Some).collect();
        for step in steps {
            let (left, heir) = match *step {
                Step::Remove(id) => (id, None),
                Step::Replace { old, new } => (old, Some(new)),
                Step::Add(_) | Step::SetWeight(_) => continue,
            };
            let held = owners.iter_mut().filter(|owner| **owner == Some(left));
            held.for_each(|owner| *owner = heir);
        }
        let nodes: Vec<(NodeId, u32)> = members.iter().map(|it| (it.id, it.weight)).collect();
        settle(&nodes, &mut owners);
        self.owners.extend(owners.into_iter().flatten());
    }
}

impl<H: SlotHash> Router for Slots<H> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        if steps.is_empty() || self.owners.is_empty() {
            self.deal(members);
        } else {
            self.rebalance(members, steps);
        }
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.owners[H::slot(H::hash(key), self.owners.len())]
    }

    /// Slots over all slots. With the common hash the slots differ by one of 2^64 hashes, which is
    /// less than such a number can say.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        Some(shares(&self.owners))
    }

    /// The point is the slot.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = H::hash(key);
        let slot = H::slot(hash, self.owners.len());
        Some(Trace {
            hash_evals: 1,
            probes: 1,
            batch_probes: 1.0,
            key_hash: Some(Position::Unsigned(hash.into())),
            point: Some(Position::Unsigned(slot as u128)),
            label: Some(format!("slot {slot}")),
        })
    }
}
