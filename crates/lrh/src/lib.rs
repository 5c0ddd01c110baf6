//! Local rendezvous hashing: a ring picks a few candidates, and the highest score among them wins.
//!
//! A ring finds a node fast but shares unevenly; rendezvous hashing shares evenly but asks every node.
//! Here a key goes to its place on a ring and walks up until it has met C different nodes, its window.
//! Each gets a score for the key, and the highest owns it. Every node stands in many windows with many
//! different others, so its luck on the ring is spread over all of them.
//!
//! ```text
//!   points  --a-------c---a--c--b-----d----c--     C = 3
//!                  ^ key                            window c a b, scores 17 93 42: a owns the key
//! ```
//!
//! # The rule
//!
//! Points and hashes are those of the common ring ([`CommonHash`]), 64 bits. The window of a key with
//! hash h are the first C different nodes of the points from the first one at or after h on, around the
//! end; all nodes when there are fewer. A node's id is XXH3-64 of its name with seed 1 and its score
//! [`fold64`]`(h ^ id)`. The highest score wins, of equal ones the node that was met first; so names and
//! points decide, and the order of joining does not.
//!
//! # What a change moves
//!
//! Two things are called a change. A node that is down while the ring stays as it is: its keys go to the
//! next score of their window, the second of `preference`, and no other key moves. A change of the ring,
//! which is what adding and removing a node is here: it also pushes a node out of each window that the
//! new one enters. Of n + 1 nodes a new one enters a share C / (n + 1) of the windows; in each the owner
//! changes if the new node or the one pushed out has the best score of those C + 1. So
//!
//! ```text
//!   moved by one more node = 2 C / ((C + 1) (n + 1))         for n >= C
//! ```
//!
//! which is 1.78 times the least that must move, for C = 8, and nearly twice for large C. It does not
//! claim to be minimal.
//!
//! # Cost
//!
//! n nodes, V points a node, N = n V, m = min(C, n).
//!
//! | | |
//! |---|---|
//! | build | N hashes, N log N comparisons |
//! | look-up | one hash of the key, m of a word; ceil(log2 N) + 1 points looked at, and the window: m for many nodes, n (H_n - H_(n-m)) for few |
//! | add or remove a node | V hashes (none for a removal), one pass over N points |
//! | memory | 12 bytes a point, 8 a node |
//! | keys moved | see above |
//! | evenness | relative variance of a share 1/(V C) for many nodes, for few F(n, m) / V |
//!
//! ```text
//!   F(n, m) = (2 m (n-m) - 2 (n-m)^2 D - n (n-m)^2 D^2 / (n-1)) / m^2,   D = H_n - H_(n-m)
//! ```
//!
//! For up to C nodes every window holds all of them, and it is rendezvous hashing: exactly even, and
//! minimal while that lasts.
//!
//! # Pick it when, avoid it when
//!
//! Pick it for thousands of nodes when shares must be more even than memory for ring points allows,
//! and membership is steady: a node that is down costs no more than it must. Avoid it when nodes come
//! and go often, since nearly twice as many keys move as with a ring, and when weights differ.
//!
//! # Deviations from the paper
//!
//! The paper was at hand as its abstract alone. It stores for each point how far the next different node
//! is; here the walk looks at the points themselves, which lie side by side. Its weights, a weighted
//! score within the window, give shares that follow the weights only as far as windows average them, so
//! weights are not claimed.
//!
//! # References
//!
//! - Y. Guan, Local Rendezvous Hashing, arXiv 2512.23434, 2025.

mod theory;

use std::cmp::Reverse;

use point_hash::{fold64, xxh3_seeded};
use ring_points::{CommonHash, Placement, Ring, RingPoint, distinct};
use router::{
    Capabilities, Keys, Members, Node, NodeId, Param, ParamKind, ParamRole, Point, Role, Router,
    Step, Strategy, Trace,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "lrh",
    family: "lrh",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "The highest score among the next different nodes of a ring",
    source: "Guan, Local Rendezvous Hashing, 2025",
    params: &[VNODES, CANDIDATES],
    suite_params: "vnodes=2,candidates=2",
    capabilities: |_, _| Capabilities {
        order_free: true,
        history_free: true,
        replicas: true,
        ..Capabilities::NONE
    },
    check: |params, members, _| CommonHash::check(params, members),
    build: |params, _, _| {
        let candidates = params.count(CANDIDATES.name);
        Ok(Box::new(Lrh::new(CommonHash::of(params), candidates)))
    },
    expected: |params, question| {
        let vnodes = CommonHash::of(params).vnodes();
        theory::expected(vnodes, params.count(CANDIDATES.name).into(), question)
    },
    ..Strategy::DEFAULT
}];

const VNODES: Param = Param::points_per_node("vnodes", 256, "points a node");

const CANDIDATES: Param = Param {
    name: "candidates",
    role: ParamRole::Other,
    kind: ParamKind::Int {
        default: 8,
        min: 1,
        max: MOST_CANDIDATES as i64,
        multiple_of: 1,
    },
    help: "different nodes that a key chooses from",
};

/// A window is looked through for every node that is met, so it stays small.
const MOST_CANDIDATES: usize = 32;

/// A router that takes the highest score among the next different nodes of a ring.
#[derive(Clone, Debug)]
pub struct Lrh<P: Placement<Position = u64>> {
    ring: Ring<P>,
    candidates: usize,
    /// Different nodes in a window: `candidates`, or as many as there are.
    window: usize,
    /// By index of the node's id.
    ids: Vec<u64>,
}

impl<P: Placement<Position = u64>> Lrh<P> {
    /// A router without nodes, for windows of this many different nodes, at most 32.
    #[must_use]
    pub fn new(placement: P, candidates: u32) -> Self {
        Self {
            ring: Ring::new(placement),
            candidates: MOST_CANDIDATES.min(candidates as usize),
            window: 0,
            ids: Vec::new(),
        }
    }

    /// The index of the point at which the walk of a key of this hash begins. Calls `look` for every
    /// point that the search looks at.
    #[inline]
    fn start(&self, hash: u64, mut look: impl FnMut()) -> usize {
        let points = self.ring.points();
        let found = points.partition_point(|point| {
            look();
            point.position() < hash
        });
        self.ring.around(found)
    }

    #[inline]
    fn score(&self, hash: u64, node: NodeId) -> u64 {
        fold64(hash ^ self.ids[node.index()])
    }

    /// The first of the nodes with the highest score in the window of a key of this hash.
    #[inline]
    fn owner(&self, hash: u64) -> NodeId {
        let point = self.best(hash, self.start(hash, || ()));
        self.ring.points()[point].owner()
    }

    /// The point at which the owner is met first, on the walk of a key of this hash from the point
    /// with index `start` on.
    #[inline]
    fn best(&self, hash: u64, start: usize) -> usize {
        let mut best: Option<(u64, usize)> = None;
        let points = self.ring.points();
        walk(points, start, self.window, |point, node| {
            let score = self.score(hash, node);
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, point));
            }
        });
        best.expect("asked only while there are points").1
    }
}

/// Calls `meet` with the first `n` different owners of the points from index `start` on, around the
/// ring, and the point at which each is met first; returns how many points it looked at.
#[inline]
fn walk(
    points: &[RingPoint<u64>],
    start: usize,
    n: usize,
    mut meet: impl FnMut(usize, NodeId),
) -> usize {
    let mut met = [NodeId::default(); MOST_CANDIDATES];
    let mut n_met = 0;
    for (i, at) in (start..points.len()).chain(0..start).enumerate() {
        let node = points[at].owner();
        if met[..n_met].contains(&node) {
            continue;
        }
        met[n_met] = node;
        n_met += 1;
        meet(at, node);
        if n_met == n {
            return i + 1;
        }
    }
    points.len()
}

impl<P: Placement<Position = u64>> Router for Lrh<P> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.ring.update(members, steps);
        self.window = self.candidates.min(members.len());
        // A node's number and name belong together for ever, so what is known stays known.
        let n_ids = members.iter().map(|node| node.id.index() + 1).max();
        self.ids.resize(self.ids.len().max(n_ids.unwrap_or(0)), 0);
        let mut learn = |node: &Node| {
            self.ids[node.id.index()] = xxh3_seeded(node.name.as_bytes(), 1);
        };
        if steps.is_empty() {
            members.iter().for_each(&mut learn);
        }
        for step in steps {
            let (id, other) = step.nodes();
            let named = [Some(id), other].into_iter().flatten();
            named.filter_map(|id| members.get(id)).for_each(&mut learn);
        }
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.owner(self.ring.hash(key))
    }

    /// The walks begin side by side: see [`ring_points::route_batch`].
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let settle = |hash, found| self.best(hash, self.ring.around(found));
        self.ring.route_batch(None, keys, owners, settle);
    }

    /// The window by score, then the nodes behind it in the order of the ring.
    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let hash = self.ring.hash(key);
        let start = self.start(hash, || ());
        let mut window = Vec::with_capacity(self.window);
        walk(self.ring.points(), start, self.window, |_, node| {
            window.push(node)
        });
        // Stable: of equal scores the node that was met first.
        window.sort_by_key(|&node| Reverse(self.score(hash, node)));
        if n <= window.len() {
            window.truncate(n);
            return Some(window);
        }
        let behind = self.ring.owners_from(start, usize::MAX);
        Some(distinct(window.into_iter().chain(behind), n))
    }

    /// All hashes between two points have one window, and its nodes share them evenly: what scores
    /// that are evenly spread give. Takes a walk for every point.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let points = self.ring.points();
        let mut sums = vec![0_u128; self.ids.len()];
        let mut below = points.last()?.position();
        for (i, point) in points.iter().enumerate() {
            // From a position around to itself it is the whole ring.
            let arc = match point.position().wrapping_sub(below) {
                0 if i == 0 => 1 << 64,
                arc => u128::from(arc),
            };
            below = point.position();
            walk(points, i, self.window, |_, node| sums[node.index()] += arc);
        }
        let whole = (1_u128 << 64) as f64 * self.window as f64;
        let nodes = distinct(points.iter().map(|point| point.owner()), usize::MAX);
        let share = |node: NodeId| (node, sums[node.index()] as f64 / whole);
        Some(nodes.into_iter().map(share).collect())
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.ring.labelled())
    }

    /// Probes are the points that the search looks at, and those of the walk. The owner's own point
    /// is the first one in the window.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let points = self.ring.points();
        let hash = self.ring.hash(key);
        let mut probes = 0;
        let start = self.start(hash, || probes += 1);
        let walked = walk(points, start, self.window, |_, _| ());
        let walked = u32::try_from(walked).expect("at most 2^27 points");
        probes += walked;
        let batch_probes = self.ring.batch_probes(hash) + f64::from(walked);
        let point = self.best(hash, start);
        let window = u32::try_from(self.window).expect("at most 32 nodes");
        Some(Trace {
            hash_evals: 1 + window,
            ..self.ring.trace(hash, point, probes, batch_probes)
        })
    }
}
