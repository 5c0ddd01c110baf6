//! CRUSH straw2: every node draws a straw for the key, and the longest straw wins.
//!
//! This is how Ceph chooses within a bucket. A straw's length is the logarithm of a random number,
//! divided by the node's weight, so that the chance to draw the longest follows the weights exactly, and
//! a changed weight touches one straw alone. It is the law of weighted rendezvous hashing, in integers:
//! 16 random bits and a logarithm with 44 digits behind the point.
//!
//! ```text
//!   key, a --> 16 bits u --> log2((u + 1) / 2^16) / weight       a  |-----------------   -3.1
//!   key, b                                                       b  |-----               -0.4  wins
//!   key, c                                                       c  |---------           -1.2
//! ```
//!
//! # The rule
//!
//! x is the lower half of the key's XXH3-64 with seed 0; (lo, hi) are the halves of the node's id, XXH3-64
//! of its name with seed 1. u is the lower 16 bits of [`rjenkins::hash3`]`(x, lo, hi)`, and
//!
//! ```text
//!   draw = floor((2^48 - floor(2^44 log2(u + 1))) / (weight * 2^16))
//! ```
//!
//! The smallest draw wins, of equal ones the smaller name's. (CRUSH has the negative of it and takes the
//! largest.) Replicas are the next smallest draws. A node of weight 0 draws no straw. Weights are those
//! that fit 16.16 in 32 bits, as CRUSH has them: at most 65,535.
//!
//! # How even it is
//!
//! 16 bits tie. Of n equal nodes two have the longest straw with probability about n / 2^16, and the
//! smaller name wins: the first half of 1000 names own 50.19 % of the keys. Node j of the names in order,
//! from 0, has n (n - 1 - 2j) / (2^17 (n - 1)) more than its share; the relative variance is
//! n^2 (n + 1) / (12 (n - 1) 2^32): 0.4 % of a share at 1000 nodes. So it does not claim to be exactly
//! even. Large weights tie oftener: from about 5,900 on different u give one draw.
//!
//! # Cost
//!
//! | | |
//! |---|---|
//! | build | n hashes of names, n log n comparisons |
//! | look-up | one hash of the key, n of three words, each about 200 steps; a table of 512 KiB |
//! | add or remove a node | as building |
//! | memory | 24 bytes a node; the table once for all |
//! | keys moved | exactly those of the node that leaves or comes: 1/n |
//!
//! # Pick it when, avoid it when
//!
//! Pick it to see what Ceph's choice costs and how even it is. Avoid it otherwise: `rendezvous` follows
//! the same law with 52 bits in place of 16, at a fraction of the cost.
//!
//! # Deviations from the source
//!
//! It is not bit-compatible with Ceph: a placement group's data lies elsewhere there.
//!
//! - The logarithm ([`log`]) is exact to its last digit. CRUSH adds up two entries of tables that are rounded.
//! - Equal draws go to the smaller name, in CRUSH to the first of the bucket's list, whose order is part of
//!   the map. So the order of joining does not matter here.
//! - Items are numbers in CRUSH, and the third word is the replica's. Here a name's hash fills both words:
//!   of 10^5 names, two would share 32 bits, and one of them would own nothing. A replica is the next draw,
//!   where CRUSH draws again with another third word and tries on after a repetition.
//! - Only the choice within one bucket is here, not the hierarchy of buckets.
//!
//! # References
//!
//! - S. A. Weil, S. A. Brandt, E. L. Miller, C. Maltzahn, CRUSH: Controlled, Scalable, Decentralized
//!   Placement of Replicated Data, SC 2006.
//! - Ceph, `src/crush/mapper.c` (`bucket_straw2_choose`) and `src/crush/hash.c`.

pub mod log;
pub mod rjenkins;
mod straws;

use point_hash::{xxh3, xxh3_seeded};
use router::{
    Capabilities, Error, ErrorKind, Estimate, Members, NodeId, Position, Question, Role, Router,
    Step, Strategy, Trace, WeightSupport,
};

use log::LOGS;
use straws::Straws;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "straw2",
    family: "straw2",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "CRUSH's draw by its law: 16-bit straws, the longest wins; not Ceph's bits",
    source: "Weil and others, CRUSH, 2006; straw2 of Ceph",
    capabilities: |_, _| Capabilities {
        minimal: true,
        order_free: true,
        history_free: true,
        weights: WeightSupport::Minimal,
        replicas: true,
        ..Capabilities::NONE
    },
    check: |_, members, _| check(members),
    build: |_, _, _| Ok(Box::new(Straw2::default())),
    expected: |_, question| expected(question),
    ..Strategy::DEFAULT
}];

/// The largest whole weight that 16 bits before the point hold.
const MOST_WEIGHT: u32 = 65_535;

/// A router that draws a straw a node.
#[derive(Clone, Debug, Default)]
pub struct Straw2 {
    /// Of the nodes with weight, by name.
    straws: Straws,
}

impl Router for Straw2 {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        let mut drawing: Vec<_> = members.iter().filter(|node| node.weight > 0).collect();
        drawing.sort_unstable_by_key(|node| &node.name);
        self.straws = Straws::default();
        for node in drawing {
            let id = halves(xxh3_seeded(node.name.as_bytes(), 1));
            self.straws.push(id, node.weight, node.id);
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let [x, _] = halves(xxh3(key));
        self.straws.longest(x, LOGS.as_slice())
    }

    /// Takes time n log n for n nodes.
    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let [x, _] = halves(xxh3(key));
        Some(self.straws.by_length(x, LOGS.as_slice(), n))
    }

    /// A hash evaluation for the key, and one of three words for every node; every node is a probe.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let probes = u32::try_from(self.straws.len()).expect("ids of nodes are 32 bits wide");
        Some(Trace {
            hash_evals: probes + 1,
            probes,
            batch_probes: probes.into(),
            key_hash: Some(Position::Unsigned(xxh3(key).into())),
            ..Trace::default()
        })
    }
}

/// The lower and the upper half.
#[inline]
fn halves(hash: u64) -> [u32; 2] {
    [(hash & 0xffff_ffff) as u32, (hash >> 32) as u32]
}

fn check(members: &Members) -> Result<(), Error> {
    match members.iter().find(|node| node.weight > MOST_WEIGHT) {
        None => Ok(()),
        Some(node) => Err(Error::new(
            ErrorKind::Refused,
            format!(
                "the weight of {}, {}, is more than {MOST_WEIGHT}, which is what 16.16 bits hold",
                node.name, node.weight
            ),
        )),
    }
}

/// The numbers that 16 bits hold.
const DRAWS: f64 = 65_536.0;

/// So many nodes still tie seldom enough for two terms of the theory.
const FEW: u64 = 4096;

/// What theory says of nodes of equal weight. All deployments have the same shares, by the order of
/// their names; what is left out here are terms in 2^-32.
fn expected(question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { n } if n > 0 => share_variance(n).map(Estimate::mean),
        Question::Peak { n } if n > 0 && n <= FEW => {
            // That of the smallest name.
            let more = if n == 1 {
                0.0
            } else {
                n as f64 / (2.0 * DRAWS)
            };
            Some(Estimate::mean(1.0 + more))
        }
        Question::Moved { n, removed, added } => {
            Estimate::moved_minimally(n, removed, added, share_variance)
        }
        Question::HashEvals { n } => Some(Estimate::exact((n + 1) as f64)),
        Question::Probes { n } => Some(Estimate::exact(n as f64)),
        _ => None,
    }
}

fn share_variance(n: u64) -> Option<f64> {
    match n {
        1 => Some(0.0),
        2..=FEW => {
            let n = n as f64;
            Some(n * n * (n + 1.0) / (12.0 * (n - 1.0) * DRAWS * DRAWS))
        }
        _ => None,
    }
}
