//! Ketama: four ring points from every MD5 digest.
//!
//! The ring that clients of memcached agreed on. The MD5 of `name-0`, `name-1`, ... is cut into
//! four 32-bit numbers, each a point of the node; a key stands at the first such number of its own
//! MD5 and belongs to the first point at or after it, past the last point to the first.
//!
//! ```text
//!   MD5("10.0.1.1:11211-0")    1387ed90    033bcef5    a6860306    7d362ba2
//!   each, bytes reversed     2431485715  4123933443   100894374  2720740989
//!                            four points of the node 10.0.1.1:11211
//! ```
//!
//! This is a form of our own: everything is done in integers, and neither the order in which nodes
//! were added nor a sorting algorithm decides who has a point that two nodes share.
//!
//! ```text
//!   digests of a node   max(1, floor(points/4 * n * w / W))       n: nodes with a weight above 0
//!                       0 for weight 0                            w: its weight, W: their sum
//!   a shared point      belongs to the node with the smaller name
//! ```
//!
//! # Cost
//!
//! N points in all, 160 a node with equal weights.
//!
//! | | |
//! |---|---|
//! | build | N / 4 digests, N log N comparisons |
//! | look-up | one MD5, about log2 N points looked at |
//! | add or remove a node, equal weights | 40 digests (none for a removal), one pass over N points |
//! | the same, weights differ | the digests of every node whose number of points changes with n / W |
//! | memory | 8 bytes a point |
//! | keys moved | equal weights: those of the node that leaves or comes, 1/n give or take 8 % of it |
//!
//! # Pick it when, avoid it when
//!
//! Pick it to think about a fleet that speaks ketama already. Avoid it for something new: MD5 makes
//! look-ups slow, 32 bits make points collide (1,000 nodes share a few), and as soon as weights
//! differ every change of members or weights moves keys between nodes that it does not concern.
//!
//! # Deviations from the C library and its ports
//!
//! Several programs call themselves ketama, and no two of them agree on everything. The same owners
//! as Richard Jones's libketama, spymemcached in its own format and npm hashring, for every key, as
//! long as weights are equal, no point is shared and their rounding does not slip:
//!
//! | | libketama | here |
//! |---|---|---|
//! | number of digests | product of floats, rounded down: 39 instead of 40 a node for 61 equal nodes (other ports: 25, 47, 50, ...) | integers: 40, always |
//! | a small weight | may get no point: weight 1 beside 1000 | every node with a weight has four points at least |
//! | a shared point | the node listed first, if the C library's sort is stable; spymemcached: the last | the smaller name, in any order |
//! | long names | cut to 22 bytes | hashed whole |
//! | default port | hashed as written (libmemcached and twemproxy leave 11211 out) | hashed as written |
//! | exact hits | own the key (uhashring: the point after) | own the key |
//!
//! Weighted rings agree too where both formulas round alike.
//!
//! The excerpt of spymemcached in the article that this crate follows reads a volatile map twice in
//! one look-up, so a rebuild in between can answer nothing; here a look-up reads one ring.
//!
//! # References
//!
//! - R. Jones, libketama: a consistent hashing algo for memcache clients, 2007.
//! - D. Karger and others, Consistent Hashing and Random Trees, STOC 1997.

use point_hash::{MD5, md5_words};
use ring_points::{Placement, Ring, Tie, Weights, check, random_points};
use router::{
    Capabilities, MAX_POINTS, Members, NodeId, Param, ParamKind, ParamRole, Params, Point, Role,
    Router, Step, Strategy, Trace, WeightSupport,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "ketama",
    family: "ketama",
    role: Role::Ours,
    hash: &MD5,
    summary: "Four 32-bit points from every MD5 digest, in integers, ties by name",
    source: "R. Jones, libketama, 2007, in a form of our own",
    params: &[Param {
        name: "points",
        role: ParamRole::PointsPerNode,
        kind: ParamKind::Int {
            default: 160,
            min: WORDS as i64,
            max: MAX_POINTS as i64,
            multiple_of: WORDS as i64,
        },
        help: "points a node of average weight",
    }],
    suite_params: "points=4",
    capabilities: |_, _| Capabilities {
        minimal: true,
        order_free: true,
        history_free: true,
        weights: WeightSupport::Renormalised,
        replicas: true,
        ..Capabilities::NONE
    },
    check: |params, members, _| check(&Digests::of(params), members),
    build: |params, _, _| Ok(Box::new(Ketama::new(Digests::of(params)))),
    expected: |params, question| random_points(WORDS * Digests::of(params).per_node, question),
    ..Strategy::DEFAULT
}];

/// Points that one MD5 digest has room for.
const WORDS: u64 = 4;

/// The placement: digests of numbered labels, four points each.
#[derive(Clone, Copy, Debug)]
pub struct Digests {
    /// Digests of a node of average weight.
    per_node: u64,
}

impl Digests {
    /// The placement that these parameters describe.
    #[must_use]
    pub fn of(params: &Params) -> Self {
        Self {
            per_node: u64::from(params.count("points")) / WORDS,
        }
    }
}

impl Placement for Digests {
    type Position = u32;
    const TIE: Tie = Tie::SmallerName;

    #[inline]
    fn hash(&self, key: &[u8]) -> u32 {
        md5_words(key)[0]
    }

    fn n_points(&self, weight: u32, weights: &Weights) -> u64 {
        if weight == 0 {
            return 0;
        }
        let scaled = u128::from(self.per_node) * u128::from(weights.n_nodes) * u128::from(weight);
        let digests = (scaled / u128::from(weights.total)).max(1);
        WORDS * u64::try_from(digests).expect("a weight is at most their sum, digests below 2^57")
    }

    fn points(&self, name: &str, n_points: u64, mut place: impl FnMut(u32)) {
        for i in (0..n_points).step_by(WORDS as usize) {
            md5_words(self.label(name, i).as_bytes())
                .into_iter()
                .for_each(&mut place);
        }
    }

    fn label(&self, name: &str, i: u64) -> String {
        format!("{name}-{}", i / WORDS)
    }
}

/// The ring, its sorted points searched by halving.
#[derive(Clone, Debug)]
pub struct Ketama {
    ring: Ring<Digests>,
}

impl Ketama {
    /// A ring without nodes.
    #[must_use]
    pub fn new(placement: Digests) -> Self {
        Self {
            ring: Ring::new(placement),
        }
    }

    /// The index of the point that owns a key of this hash; `look` is told of every point that the
    /// search looks at.
    #[inline]
    fn find(&self, hash: u32, mut look: impl FnMut()) -> usize {
        let points = self.ring.points();
        let first_at_or_after = points.partition_point(|point| {
            look();
            point.position() < hash
        });
        if first_at_or_after == points.len() {
            0
        } else {
            first_at_or_after
        }
    }
}

impl Router for Ketama {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.ring.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let point = self.find(self.ring.hash(key), || ());
        self.ring.points()[point].owner()
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let point = self.find(self.ring.hash(key), || ());
        Some(self.ring.owners_from(point, n))
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        Some(self.ring.shares())
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.ring.labelled())
    }

    /// Probes are the points that the search looks at, counted as it does.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.ring.hash(key);
        let mut probes = 0;
        let point = self.find(hash, || probes += 1);
        Some(self.ring.trace(hash, point, probes, probes.into()))
    }
}
