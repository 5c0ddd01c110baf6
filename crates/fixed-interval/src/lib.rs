//! Virtual nodes at fixed intervals of a signed 32-bit range.
//!
//! Nothing is hashed to place a node. The program takes the nodes in turn, `vnodes` rounds of them,
//! and puts each next virtual node one interval further on, round and round the 32-bit integers; a
//! key belongs to the last point at or below its hash. That deals out the hash space almost evenly,
//! and promises nothing when the number of nodes changes: then every point belongs to somebody else.
//!
//! ```text
//!   vnodes = 1, nodes 0 to 9: the interval is 2^31 - 1, so each second step lands 2 below the first
//!
//!   -2^31                    -8 -6 -4 -2 0                         2^31-9 -7 -5 -3 -1
//!     |- - - - - - - - - - - - 8  6  4  2  0 - - - - - - - - - - - - - - 9  7  5  3  1|
//!      below the first point:  ^            all this is node 0's
//!      node 8's, not node 1's
//! ```
//!
//! # Cost
//!
//! With n nodes and N = n * `vnodes` points: building and every change O(N log n), 8 bytes a point. A
//! look-up hashes the key once and scans the points from the first, N / 2 of them on average;
//! `route_batch` sorts the hashes and sweeps the points once. A change moves most keys: 85 % from 10
//! to 11 nodes at 1500, where 9 % would do.
//!
//! # Pick it when, avoid it when
//!
//! There is no reason to pick it: `modulo` is as even, moves little more and looks at one entry. Avoid
//! it for anything that grows or shrinks. It is here because it was published as consistent hashing,
//! and because measuring shows at once that it is not.
//!
//! # The published program
//!
//! `fixed-interval-java` answers as the class `DefaultNodeManger` of an exercise of 2020 does, key
//! for key, when its random start is fixed to `start`. Its defects, and the smallest input that shows
//! each:
//!
//! - The interval is `MAX / vnodes`, but n times as many points are laid with it, so n nodes go n / 2
//!   times round. With 10 nodes 4 of 5 virtual nodes own only 2 + 2r hash values, r = (2^31 - 1) mod
//!   `vnodes`. At `vnodes` 1 nodes 0 and 8 own all but 15 hash values; one node leaves half of the
//!   range without a point. Kept.
//! - It is no ring: a hash below the first point belongs to the first point, not to the last. With 10
//!   nodes at `vnodes` 1 the hash -9 belongs to node 8, whose point is -8. Kept.
//! - A taken position is replaced by `a + b / 2` where `(a + b) / 2` was meant, and the result may be
//!   taken too; then the later virtual node takes the point. {10, 20}, 20 taken: 25, not 15. {-20,
//!   -10}, -10 taken: -20, which is taken. 10 nodes first get there at `vnodes` 43690: 174756 times,
//!   21846 of them in vain. Kept. A list that holds a position twice answers as one that holds it
//!   once, so ours does.
//! - The start is drawn at random for each object, so two clients disagree: one interval further on,
//!   no key keeps its owner. Mended: `start` is a parameter, whose default is the value that the
//!   exercise measures with, the smallest integer plus one.
//! - It calls itself consistent, but a rebuild moves nearly everything: 852740 of 1,000,001 keys when
//!   the 11th node joins, 825833 when `vnodes` goes from 1500 to 1501. Kept.
//! - More virtual nodes do not make it more even. The points repeat with a period of n intervals, and
//!   `String.hashCode` of numbered keys is periodic too: the standard deviation of the exercise's keys
//!   is 4230 at 900, 60879 at its own 1500 and 13380 at 5000. Kept.
//! - `vnodes` 0 or below, or no nodes, ends it with an exception. Mended: such a spec is refused, and
//!   an empty cluster answers nobody.
//! - Building it asks a list whether it contains a position, once a virtual node: quadratic. Mended;
//!   the points are the same.
//!
//! # Deviations
//!
//! `fixed-interval` has the same points and the same search; its hash is the high half of XXH3-64,
//! taken as a signed number.
//!
//! # References
//!
//! - He Yixi, "Weekly exercise 5: implement consistent hashing in a language that you know" (blog
//!   article, in Chinese), 2020: the program and its measurements.

pub mod layout;

use std::{marker::PhantomData, sync::Arc};

use layout::lay;
use point_hash::{java_hash_code, xxh3};
use router::{
    Capabilities, Error, Estimate, Keys, Members, NodeId, Param, ParamKind, ParamRole, Params,
    Point, Position, Question, Role, Router, Step, Strategy, Trace, check_points,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "fixed-interval-java",
        role: Role::Published,
        hash: &point_hash::JAVA,
        summary: "Points at fixed intervals, Java's String.hashCode, linear scan, as published",
        build: |params, _, _| {
            let (start, vnodes) = layout_of(params);
            Ok(Box::new(FixedInterval::<JavaHash>::new(start, vnodes)))
        },
        ..FIXED_INTERVAL
    },
    Strategy {
        name: "fixed-interval",
        role: Role::CommonHash,
        hash: &point_hash::XXH3,
        summary: "The same points at fixed intervals, XXH3-64, linear scan",
        build: |params, _, _| {
            let (start, vnodes) = layout_of(params);
            Ok(Box::new(FixedInterval::<Xxh3>::new(start, vnodes)))
        },
        ..FIXED_INTERVAL
    },
];

/// What both have in common.
const FIXED_INTERVAL: Strategy = Strategy {
    family: "fixed-interval",
    source: "He Yixi, Weekly exercise 5, DefaultNodeManger (Java), 2020",
    params: &[
        Param::points_per_node("vnodes", 1500, "points a node"),
        Param {
            name: "start",
            role: ParamRole::Other,
            kind: ParamKind::Int {
                default: i32::MIN as i64 + 1,
                min: i32::MIN as i64,
                max: i32::MAX as i64,
                multiple_of: 1,
            },
            help: "where the first interval begins; the program draws it at random",
        },
    ],
    suite_params: "vnodes=3",
    capabilities: |_, _| Capabilities {
        history_free: true,
        ..Capabilities::NONE
    },
    check: |params, members, _| check(params, members),
    expected: |_, question| match question {
        Question::HashEvals { .. } => Some(Estimate::exact(1.0)),
        _ => None,
    },
    ..Strategy::DEFAULT
};

fn layout_of(params: &Params) -> (i32, u32) {
    let start = i32::try_from(params.int("start")).expect("the declared range is that of i32");
    (start, params.count("vnodes"))
}

fn check(params: &Params, members: &Members) -> Result<(), Error> {
    check_points(members.len() as u128 * u128::from(params.count("vnodes")))
}

/// A router over points at fixed intervals.
///
/// Cloning copies 8 bytes a point.
#[derive(Clone, Debug)]
pub struct FixedInterval<H> {
    start: i32,
    vnodes: u32,
    /// The nodes in joining order.
    nodes: Vec<(NodeId, Arc<str>)>,
    /// The positions, ascending.
    positions: Vec<i32>,
    /// The placement that owns each position; see [`layout::Placed`].
    placements: Vec<u32>,
    hash: PhantomData<H>,
}

impl<H> FixedInterval<H> {
    /// A router without nodes, which will place `vnodes` points a node, from one interval behind
    /// `start` on.
    #[must_use]
    pub fn new(start: i32, vnodes: u32) -> Self {
        Self {
            start,
            vnodes,
            nodes: Vec::new(),
            positions: Vec::new(),
            placements: Vec::new(),
            hash: PhantomData,
        }
    }

    /// The index of the point that owns `hash`: the last at or below it, or the first point when
    /// all are above. Scans from the point behind `from` on; the program's scan is from 0.
    fn scan(&self, from: usize, hash: i32) -> usize {
        let mut point = from;
        while point + 1 < self.positions.len() && self.positions[point + 1] <= hash {
            point += 1;
        }
        point
    }

    fn owner(&self, point: usize) -> NodeId {
        let placement = self.placements[point] as usize;
        self.nodes[placement % self.nodes.len()].0
    }

    /// What a person would call a point: its node's name and the round, from 0.
    fn label(&self, point: usize) -> String {
        let placement = self.placements[point] as usize;
        let (_, name) = &self.nodes[placement % self.nodes.len()];
        format!("{name}#{}", placement / self.nodes.len())
    }
}

impl<H: KeyHash> Router for FixedInterval<H> {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.nodes = members
            .iter()
            .map(|node| (node.id, Arc::clone(&node.name)))
            .collect();
        (self.positions, self.placements) = lay(self.start, self.vnodes, members.len())
            .into_iter()
            .unzip();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owner(self.scan(0, H::of(key)))
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        assert_eq!(keys.len(), owners.len(), "one owner a key");
        let hashes = keys.iter().map(H::of);
        let mut asked: Vec<(i32, usize)> = hashes.zip(0..).collect();
        asked.sort_unstable();
        let mut point = 0;
        for (hash, i) in asked {
            point = self.scan(point, hash);
            owners[i] = self.owner(point);
        }
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let mut values = vec![0_u64; self.nodes.len()];
        // Whatever the first position is, the first point owns all below it.
        let mut begin = i64::from(i32::MIN);
        for (point, &placement) in self.placements.iter().enumerate() {
            let next = self.positions.get(point + 1);
            let end = next.map_or(1_i64 << 31, |&it| i64::from(it));
            values[placement as usize % self.nodes.len()] += end.abs_diff(begin);
            begin = end;
        }
        let space = 2_f64.powi(32);
        let shares = values.into_iter().map(|it| it as f64 / space);
        Some(self.nodes.iter().map(|(id, _)| *id).zip(shares).collect())
    }

    fn points(&self) -> Option<Vec<Point>> {
        let points = self.positions.iter().enumerate();
        Some(
            points
                .map(|(point, &position)| Point {
                    position: Position::Signed(position.into()),
                    owner: self.owner(point),
                    label: self.label(point),
                })
                .collect(),
        )
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = H::of(key);
        let point = self.scan(0, hash);
        // The scan looks at the second point first, and one beyond the owner's if there is one.
        let last = self.positions.len() - 1;
        let probes = (point + 1).min(last).max(1);
        Some(Trace {
            hash_evals: 1,
            probes: u32::try_from(probes).expect("the points were counted before"),
            batch_probes: f64::from(usize::BITS - last.leading_zeros()).max(1.0),
            key_hash: Some(Position::Signed(hash.into())),
            point: Some(Position::Signed(self.positions[point].into())),
            label: Some(self.label(point)),
        })
    }
}

/// A hash of keys to signed 32-bit numbers.
pub trait KeyHash: Clone + Send + Sync + 'static {
    /// The hash of `key`.
    fn of(key: &[u8]) -> i32;
}

/// Java's `String.hashCode` of the decoded text.
#[derive(Clone, Debug)]
pub struct JavaHash;

impl KeyHash for JavaHash {
    #[inline]
    fn of(key: &[u8]) -> i32 {
        java_hash_code(key)
    }
}

/// The high half of XXH3-64.
#[derive(Clone, Debug)]
pub struct Xxh3;

impl KeyHash for Xxh3 {
    #[inline]
    fn of(key: &[u8]) -> i32 {
        let high = (xxh3(key) >> 32) as u32;
        high.cast_signed()
    }
}
