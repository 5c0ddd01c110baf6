//! Bounded loads: any strategy, with a cap on what a node may own.
//!
//! A cap is `factor` times a node's fair share of the keys. Keys are placed one after the other, each on
//! its owner under the base strategy if that still has room, else on the first node that has, of a walk
//! that the key determines. So no node is ever above its cap, and the larger the factor, the fewer keys
//! are away from home.
//!
//! ```text
//!   factor 1.25, 8 keys, 2 nodes: cap 5       ring order of owners   a a a b a a a b
//!   placed                                                           a a a b a a b b
//!                                                    the sixth key for a goes on to b ^
//! ```
//!
//! # What is placed where, exactly
//!
//! - *Caps.* The room for m keys is `factor * m`, rounded up, in integers: the factor is read as the
//!   decimal number that the spec shows, so that 1.1 is 11/10. It is dealt to the nodes by weight: each
//!   gets its part rounded down or up, and the parts add up to the room. Those cut most are rounded up
//!   first, and of equal ones those whose name has the smaller XXH3-64 (seed 0; then the smaller name).
//!   No cap of a node with weight is below 1.
//! - *Order.* By XXH3-64 of the key with seed 1, then by the key's bytes; the same key twice counts as
//!   two, in the order given. So the order in which keys are given makes no other difference.
//! - *Walk.* `overflow=forward`: the base's further choices, in its order of preference; on a ring, on
//!   clockwise. `overflow=random-jump`: the base's owner of another key, the eight bytes (little-endian) of
//!   the SplitMix64 outputs of the seed XXH3-64(key, seed 0), one after the other. After 64 + 8 n jumps, or
//!   when the base names nobody else, the nodes are tried in order of their names' hashes.
//! - *Before and after.* Owners before do not count: the same keys and nodes have the same owners,
//!   whatever happened.
//!
//! A single key, asked for with `route`, has the base's owner: no load is known then. Everything else
//! that is asked of one key (preference, points, trace) is the base's too. What the bound does is seen when
//! a key set is placed: [`BoundedLoad::place`] tells owners and probes; a key spills when its owner is not
//! the base's, and has probes - 1 nodes skipped.
//!
//! # Cost
//!
//! n nodes, m keys, of which a part is displaced.
//!
//! | | |
//! |---|---|
//! | build, change, memory | the base's, and 8 bytes a node |
//! | placing m keys | m look-ups of the base, m log m comparisons, and the walks |
//! | walks, V = 1 ring, factor 1.25 | 34 % displaced, 1.8 nodes skipped a key; random jumps 38 % and 1.7 |
//! | walks, V = 100 ring, factor 1.05 | 4.4 % displaced, 0.07 nodes skipped a key |
//! | keys moved when a node leaves | more than its own: 3.9 times as many with V = 1 and factor 1.25 (random jumps 1.9), 1.04 with V = 100 |
//! | evenness | no node above `factor` times its fair share, rounded up |
//!
//! The numbers are for n = 1000, m = 100,000, equal weights. While the factor is above 1 + 3.3 sqrt(1/V +
//! n/m), the busiest node of the ring alone, the cap binds nobody.
//!
//! # Pick it when, avoid it when
//!
//! Pick it when one node above its share is the failure to avoid, and when whoever routes knows the loads,
//! as a balancer does. Avoid it for stores: where a key lies depends on all other keys, and any change
//! moves keys between nodes that stay. Random jumps spread what overflows, where walking forward fills
//! one neighbour after the other.
//!
//! # Deviations from the paper
//!
//! The paper's cap is `ceil(c m / n)` for every node. When m or n changes by one, that number may step by
//! one for all nodes at once, and at V = 1 and factor 1.05 a removal then moves 117 keys for each that had to
//! move. Here the steps are spread: the caps are rounded down or up so that they add up. Keys are placed in
//! the order above, where the paper has any fixed order of arrival.
//!
//! # References
//!
//! - V. Mirrokni, M. Thorup and M. Zadimoghaddam, Consistent Hashing with Bounded Loads, SODA 2018.
//! - J. Chen, B. Coleman and A. Shrivastava, Revisiting Consistent Hashing with Bounded Loads, AAAI 2021:
//!   random jumps.

mod caps;
mod place;

use dealing::quotas;
use point_hash::{XXH3, xxh3};
use router::{
    Capabilities, Catalog, Error, ErrorKind, Keys, Members, NodeId, Param, ParamKind, ParamRole,
    Params, Point, Router, Spec, Step, Strategy, Trace, WeightSupport,
};

pub use caps::Factor;
pub use place::Placed;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "bounded-load",
    family: "bounded-load",
    hash: &XXH3,
    summary: "Any strategy with a cap on every node; what overflows walks on",
    source: "Mirrokni, Thorup, Zadimoghaddam, Consistent Hashing with Bounded Loads, SODA 2018",
    params: &[
        Param {
            name: "base",
            role: ParamRole::Other,
            kind: ParamKind::Spec {
                default: "vec-ring:vnodes=160",
            },
            help: "the strategy whose owners are bounded",
        },
        Param {
            name: "factor",
            role: ParamRole::Other,
            kind: ParamKind::Float {
                default: 1.25,
                min: 1.0,
                max: 1000.0,
            },
            help: "the most that a node may own, in fair shares",
        },
        Param {
            name: "overflow",
            role: ParamRole::Other,
            kind: ParamKind::Choice(&["forward", "random-jump"]),
            help: "where a key goes whose owner is full: on in order of preference, or anywhere",
        },
    ],
    capabilities,
    check: |params, members, catalog| base(params, catalog)?.check(members),
    build: |params, members, catalog| {
        let base = base(params, catalog)?;
        // Not updated: that is done with ours, right afterwards.
        let router = (base.strategy().build)(base.params(), members, base.catalog())?;
        let factor = Factor::new(params.float("factor"));
        Ok(Box::new(BoundedLoad::new(router, factor, overflow(params))))
    },
    ..Strategy::DEFAULT
}];

/// What the base claims, as far as it holds when key sets are placed under a bound.
fn capabilities(params: &Params, catalog: &Catalog) -> Capabilities {
    let base = base(params, catalog).map_or(Capabilities::NONE, |base| base.capabilities());
    Capabilities {
        minimal: false,
        even: false,
        weights: match base.weights {
            WeightSupport::No => WeightSupport::No,
            _ => WeightSupport::Renormalised,
        },
        knows_load: true,
        ..base
    }
}

/// The base strategy.
///
/// # Errors
///
/// When there is no such strategy, it knows load itself, or it has no order of preference to walk.
fn base(params: &Params, catalog: &Catalog) -> Result<Spec, Error> {
    let base = catalog.parse(params.word("base"))?;
    let claims = base.capabilities();
    let refused = |why: &str| Err(Error::new(ErrorKind::Syntax, format!("base={base}: {why}")));
    if claims.knows_load {
        return refused("expected a strategy that does not know load itself");
    }
    if overflow(params) == Overflow::Forward && !claims.replicas {
        return refused("it names no second choice to walk on to; say overflow=random-jump");
    }
    Ok(base)
}

fn overflow(params: &Params) -> Overflow {
    match params.word("overflow") {
        "forward" => Overflow::Forward,
        _ => Overflow::RandomJump,
    }
}

/// Where a key goes whose owner is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// On in the base's order of preference.
    Forward,
    /// To the base's owner of another, pseudo-random key.
    RandomJump,
}

/// A router that puts a cap on every node of another. Cloning clones the other.
#[derive(Clone)]
pub struct BoundedLoad {
    base: Box<dyn Router>,
    factor: Factor,
    overflow: Overflow,
    /// The nodes with weight, by the hash of their names.
    ranked: Vec<(NodeId, u32)>,
}

impl BoundedLoad {
    /// A bound on this router, without nodes.
    #[must_use]
    pub fn new(base: Box<dyn Router>, factor: Factor, overflow: Overflow) -> Self {
        Self {
            base,
            factor,
            overflow,
            ranked: Vec::new(),
        }
    }

    /// The most keys that each node with weight may own of a set of `n_keys`. The caps add up to the
    /// factor times the keys, rounded up, or to a little more where there are fewer keys than nodes.
    #[must_use]
    pub fn caps(&self, n_keys: usize) -> Vec<(NodeId, u64)> {
        let weights: Vec<u32> = self.ranked.iter().map(|&(_, weight)| weight).collect();
        let room = self.factor.times(n_keys as u64);
        let caps = quotas(room, &weights, &vec![0; weights.len()]);
        let nodes = self.ranked.iter().map(|&(id, _)| id);
        nodes.zip(caps.into_iter().map(|cap| cap.max(1))).collect()
    }

    /// Places a key set under the bound: owner and probes of each key. Asked only while a node has
    /// weight.
    #[must_use]
    pub fn place(&self, keys: Keys<'_>) -> Placed {
        self.place_within(keys, &self.caps(keys.len()))
    }
}

impl Router for BoundedLoad {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.base.update(members, steps);
        let mut nodes: Vec<_> = members.iter().filter(|node| node.weight > 0).collect();
        nodes.sort_by_cached_key(|node| (xxh3(node.name.as_bytes()), node.name.clone()));
        self.ranked = nodes.iter().map(|node| (node.id, node.weight)).collect();
    }

    /// The base's owner: of one key alone no load is known.
    fn route(&self, key: &[u8]) -> NodeId {
        self.base.route(key)
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        self.base.route_batch(keys, owners);
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        self.base.preference(key, n)
    }

    fn assign(&self, keys: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        let placed = self.place(keys);
        for (owner, now) in owners.iter_mut().zip(placed.owners) {
            *owner = Some(now);
        }
        Some(())
    }

    fn assign_probes(&self, keys: Keys<'_>) -> Option<Vec<u32>> {
        Some(self.place(keys).probes)
    }

    fn points(&self) -> Option<Vec<Point>> {
        self.base.points()
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        self.base.trace(key)
    }
}
