//! The third program of a wiki page in Ruby.
//!
//! The page has three programs that deal the letters A to Z to the nodes named on the command line.
//! `ch1` and `ch2` scan the points (they are in the crate `linear-ring`), `ch3` halves them. A
//! point is the MD5 of a text; 32 lower-case hexadecimal digits compare as texts in the order of
//! the 128-bit numbers that they write.
//!
//! ```text
//!   points of n1     MD5("n1"), MD5("n1_1"), ... MD5("n1_R")     R replicants: R + 1 points
//!   a key's node     that of the point with   point before < key <= point
//!                    that of the smallest point for a key above the largest
//! ```
//!
//! The page says that this gives the same tables as the scan, "of course". It does for the letters,
//! and for every key that hits no point exactly; of the points' own texts used as keys three in
//! four differ (with four nodes: those that are not the smallest point's node's). The table that it
//! prints for 1,000 replicants comes out of this crate byte for byte.
//!
//! # Defects of the program, smallest inputs
//!
//! - **R replicants are R + 1 points.** Shown by: `ch3 1 n1`: two points. Here: kept.
//! - **The text of a point can mean two nodes.** Shown by: `ch3 1 n1 n1_1`: both have MD5("n1_1"),
//!   and the order of the arguments decides who has `key0`. Here: kept: the node listed first; it
//!   does not claim `order_free`.
//! - **Without nodes, or with a negative number of replicants, it fails with `NoMethodError`.**
//!   Shown by: `ch3 0`; `ch3 -1 n1`. Here: no owner; such a number is refused.
//! - **A number of replicants that is none means 0.** Shown by: `ch3 abc n1`. Here: refused.
//! - **A name that is given twice counts once.** Shown by: `ch3 0 n1 n1`. Here: refused as a
//!   duplicate.

use point_hash::{md5, md5_batch};
use ring_points::{Placement, Tie, Weights};
use router::{Keys, MAX_POINTS, Param, ParamKind, ParamRole, Params};

/// The page.
pub const SOURCE: &str = "Consistent Hasing を Ruby で試す, wiki page in Japanese, ch3.rb";

/// The program's parameter: points beside the first.
pub const REPLICANTS: Param = Param {
    name: "replicants",
    role: ParamRole::PointsPerNode,
    kind: ParamKind::Int {
        default: 100,
        min: 0,
        max: MAX_POINTS as i64 - 1,
        multiple_of: 1,
    },
    help: "points a node, beside the one at its bare name",
};

/// The points of the program: the bare name and its replicants.
#[derive(Clone, Copy, Debug)]
pub struct Replicated {
    replicants: u32,
}

impl Replicated {
    /// The placement that these parameters describe.
    #[must_use]
    pub fn of(params: &Params) -> Self {
        Self {
            replicants: params.count("replicants"),
        }
    }

    /// Points a node.
    #[must_use]
    pub fn points_per_node(&self) -> u64 {
        u64::from(self.replicants) + 1
    }
}

impl Placement for Replicated {
    type Position = u128;
    const TIE: Tie = Tie::FirstJoined;

    fn hash(&self, key: &[u8]) -> u128 {
        u128::from_be_bytes(md5(key))
    }

    fn hash_batch(&self, keys: Keys<'_>, hashes: &mut [u128]) {
        md5_batch(keys, |i, digest| hashes[i] = u128::from_be_bytes(digest));
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        self.points_per_node()
    }

    fn label(&self, name: &str, i: u64) -> String {
        match i {
            0 => name.to_owned(),
            i => format!("{name}_{i}"),
        }
    }
}
