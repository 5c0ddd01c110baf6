//! Multi-probe hashing: one point a node, several probes a key, and the nearest pair wins.
//!
//! A ring with one point a node is small but uneven: a node owns the arc before its point, and the
//! longest arc of n is H_n fair shares long. Here a key does not ask at one position but at k of them.
//! Every probe finds the next point on the way up; the probe that has the shortest way decides. A
//! long arc wins seldom, because most of its positions are far from its end.
//!
//! ```text
//!   points  --a--------------b----c-----------a--      k = 3 probes of one key
//!                 p2 ------->|    |
//!                    p0 ---->|    |
//!                              p1>|                    p1 has the shortest way: c owns the key
//! ```
//!
//! # The probes
//!
//! `multi-probe`: the point of a node is XXH3-64 of its name with seed 1, the first point of the common
//! ring. Probe 0 of a key is its XXH3-64 with seed 0, h; probe i > 0 is [`rehash`]`(h, i - 1)`, output
//! i - 1 of SplitMix64 from seed h. A probe finds the first point at or after itself, past the end the
//! first point. Of equally short ways the first probe's counts; a point that two nodes share is the
//! smaller name's. With one probe it is the common ring with one point a node. [`go`] is the published
//! program.
//!
//! # What it promises
//!
//! With independent probes the shares follow from the arcs (see [`MultiProbe`]'s `shares`), and their
//! moments from n - 1 uniform numbers, exactly for every n:
//!
//! ```text
//!   relative variance of a share   (1 - 2k / C(n + 2k - 1, n)) / (2k - 1)     21 probes: 15.6 %
//!   mean of the largest share      k / (k - 1) * (1 - 1 / C(n + k - 1, n))    21 probes: 1.05
//! ```
//!
//! (see [`theory`]), where the binomial coefficients C make no difference beyond a handful of nodes. For many nodes
//! the largest share is k / (k - 1) whatever the names; the smallest is about k / n: a node with a
//! short arc hardly ever wins. The method promises a peak, not evenness.
//!
//! # Cost
//!
//! n nodes, k probes, B buckets: the power of two from 4n to 8n.
//!
//! | | |
//! |---|---|
//! | build | n hashes, n log n comparisons, one pass over the buckets |
//! | look-up | one hash of the key, k - 1 of a word; k (1 + n / 2B) points looked at, in the mean |
//! | add or remove a node | one hash, one pass over points and buckets |
//! | memory | 12 bytes a point, 16 to 32 for the buckets |
//! | keys moved | those of the node that leaves or comes: 1/n, give or take 1/(n sqrt(2k - 1)) |
//!
//! # Pick it when, avoid it when
//!
//! Pick it when the busiest node decides, memory for thousands of points a node is not there, and a
//! look-up may take k searches. Avoid it when idle nodes are a loss too, when weights differ (one point
//! has no weight), or when there are not many more nodes than probes: then rendezvous hashing asks all
//! of them for the same price, and is exactly even.
//!
//! # Deviations from the paper
//!
//! The paper was not at hand in full; the rule is that of its abstract and of the published program.
//! Buckets in front of the points find the same points as halving does, in constant time.
//!
//! # References
//!
//! - B. Appleton and M. O'Reilly, Multi-Probe Consistent Hashing, arXiv 1505.00062, 2015.
//! - D. Gryski, go-mpchash, a program in Go: see [`go`].

pub mod go;
mod index;
mod siphash;
pub mod theory;

use std::{collections::HashSet, hint::select_unpredictable};

use point_hash::{rehash, xxh3, xxh3_seeded};
use ring_points::{Placement, Ring, Tie, Weights, check};
use router::{
    Capabilities, Members, NodeId, Param, ParamKind, ParamRole, Params, Point, Role, Router, Step,
    Strategy, Trace,
};

use index::Index;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "multi-probe",
        family: "multi-probe",
        role: Role::Ours,
        hash: &point_hash::XXH3,
        summary: "One point a node; of a key's probes the one nearest to a point decides",
        source: "Appleton and O'Reilly, Multi-Probe Consistent Hashing, 2015",
        params: &[PROBES],
        suite_params: "probes=2",
        capabilities: |_, _| Capabilities {
            minimal: true,
            order_free: true,
            history_free: true,
            replicas: true,
            ..Capabilities::NONE
        },
        check: |params, members, _| check(&Rehashed::of(params), members),
        build: |params, _, _| Ok(Box::new(MultiProbe::new(Rehashed::of(params)))),
        expected: |params, question| theory::independent(n_probes(params), question),
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "multi-probe-go",
        family: "multi-probe",
        role: Role::Published,
        hash: &go::SIPHASH,
        summary: "The same with SipHash, double hashing and strictly later points",
        source: go::SOURCE,
        params: &[PROBES],
        suite_params: "probes=2",
        capabilities: |_, _| Capabilities {
            minimal: true,
            history_free: true,
            replicas: true,
            ..Capabilities::NONE
        },
        check: |params, members, _| check(&go::DoubleHashed::of(params), members),
        build: |params, _, _| Ok(Box::new(MultiProbe::new(go::DoubleHashed::of(params)))),
        expected: |params, question| go::expected(n_probes(params), question),
        ..Strategy::DEFAULT
    },
];

const PROBES: Param = Param {
    name: "probes",
    role: ParamRole::Probes,
    kind: ParamKind::Int {
        default: 21,
        min: 1,
        max: 1024,
        multiple_of: 1,
    },
    help: "positions at which a key asks",
};

fn n_probes(params: &Params) -> u64 {
    params.count(PROBES.name).into()
}

/// A ring with one point a node, and the probes of a key.
pub trait Probing: Placement<Position = u64> {
    /// Returns where a key of this hash asks, in order; at least one position.
    fn probes(&self, hash: u64, key: &[u8]) -> impl Iterator<Item = u64>;

    /// How many hashes a look-up evaluates.
    fn hash_evals(&self) -> u32;

    /// Returns the number of probes if they are independent and evenly spread, so that the arcs
    /// alone decide the shares; else `None`.
    fn independent(&self) -> Option<u32>;
}

/// The common hash: further probes are [`rehash`]ed.
#[derive(Clone, Copy, Debug)]
pub struct Rehashed {
    probes: u32,
}

impl Rehashed {
    fn of(params: &Params) -> Self {
        let probes = params.count(PROBES.name);
        Self { probes }
    }
}

impl Placement for Rehashed {
    type Position = u64;
    const TIE: Tie = Tie::SmallerName;

    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        xxh3(key)
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        1
    }

    fn points(&self, name: &str, _: u64, mut place: impl FnMut(u64)) {
        place(xxh3_seeded(name.as_bytes(), 1));
    }

    fn label(&self, name: &str, _: u64) -> String {
        format!("{name} (seed 1)")
    }
}

impl Probing for Rehashed {
    #[inline]
    fn probes(&self, hash: u64, _: &[u8]) -> impl Iterator<Item = u64> {
        (0..u64::from(self.probes)).map(move |i| match i {
            0 => hash,
            _ => rehash(hash, i - 1),
        })
    }

    fn hash_evals(&self) -> u32 {
        self.probes
    }

    fn independent(&self) -> Option<u32> {
        Some(self.probes)
    }
}

/// A router that asks at several positions and takes the nearest point.
#[derive(Clone, Debug)]
pub struct MultiProbe<P: Probing> {
    probing: P,
    ring: Ring<P>,
    index: Index,
}

impl<P: Probing> MultiProbe<P> {
    /// A router without nodes.
    #[must_use]
    pub fn new(probing: P) -> Self {
        Self {
            ring: Ring::new(probing.clone()),
            index: Index::default(),
            probing,
        }
    }

    /// The first point at or after `probe`, and the way to it.
    #[inline]
    fn nearest(&self, probe: u64) -> Nearest {
        let points = self.ring.points();
        let point = match self.index.first_at_or_after(points, probe) {
            past if past == points.len() => 0,
            point => point,
        };
        let distance = points[point].position().wrapping_sub(probe);
        Nearest { distance, point }
    }

    /// The point that owns a key of this hash.
    #[inline]
    fn owner(&self, hash: u64, key: &[u8]) -> usize {
        let probes = self.probing.probes(hash, key);
        let ways = probes.map(|probe| self.nearest(probe));
        // Which probe is the next to come nearer cannot be guessed: two or three of 21 do.
        let first = ways
            .reduce(|best, next| select_unpredictable(next.distance < best.distance, next, best));
        first.expect("there is at least one probe").point
    }
}

/// What a probe found.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    distance: u64,
    point: usize,
}

impl<P: Probing> Router for MultiProbe<P> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.ring.update(members, steps);
        self.index = Index::of(self.ring.points());
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        let point = self.owner(self.ring.hash(key), key);
        self.ring.points()[point].owner()
    }

    /// All probes walk up side by side; a node's rank is the shortest way of any probe to it. Takes
    /// time linear in the probes for every point on the way.
    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let points = self.ring.points();
        let probes = self.probing.probes(self.ring.hash(key), key);
        let mut walks: Vec<(u64, Nearest)> =
            probes.map(|probe| (probe, self.nearest(probe))).collect();
        let mut seen = HashSet::new();
        let mut owners = Vec::new();
        while owners.len() < n.min(points.len()) {
            let nearest = walks.iter_mut().min_by_key(|(_, it)| it.distance);
            let (probe, at) = nearest.expect("there is at least one probe");
            let owner = points[at.point].owner();
            if seen.insert(owner) {
                owners.push(owner);
            }
            at.point = (at.point + 1) % points.len();
            at.distance = points[at.point].position().wrapping_sub(*probe);
        }
        Some(owners)
    }

    /// Follows from the arcs, where the probes are independent: a probe falls nearer than t to the
    /// end of its arc with probability A(t), the sum of min(t, arc) over all arcs, so a node with
    /// arc g wins with the integral of k (1 - A(t))^(k - 1) from 0 to g. 1 - A is made of straight
    /// pieces from one arc's length to the next.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let exponent = f64::from(self.probing.independent()?);
        let mut arcs = self.ring.shares();
        arcs.sort_by(|a, b| a.1.total_cmp(&b.1));
        let n = arcs.len();
        let (mut shorter, mut left, mut power, mut share) = (0.0, 1.0, 1.0, 0.0);
        let shares = arcs.into_iter().enumerate().map(|(i, (node, arc))| {
            let as_long = (n - i) as f64;
            left = f64::max(left - (arc - shorter) * as_long, 0.0);
            let before = std::mem::replace(&mut power, libm::pow(left, exponent));
            share += (before - power) / as_long;
            shorter = arc;
            (node, share)
        });
        Some(shares.collect())
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.ring.labelled())
    }

    /// Probes are the points that are looked at.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let points = self.ring.points();
        let hash = self.ring.hash(key);
        let probes = self.probing.probes(hash, key);
        let looked_at: usize = probes.map(|it| self.index.n_looked_at(points, it)).sum();
        let probes = u32::try_from(looked_at).expect("a few points for each of 1024 probes");
        let point = self.owner(hash, key);
        Some(Trace {
            hash_evals: self.probing.hash_evals(),
            ..self.ring.trace(hash, point, probes, probes.into())
        })
    }
}
