//! Ketama in a form of our own, without what makes its variants differ.
//!
//! Everything is done in integers, and neither the order in which nodes were added nor a sorting
//! algorithm decides who has a point that two nodes share.
//!
//! ```text
//!   digests of a node   max(1, floor(points/4 * n * w / W))       n: nodes with a weight above 0
//!                       0 for weight 0                            w: its weight, W: their sum
//!   a shared point      belongs to the node with the smaller name
//! ```

use ring_points::{Tie, Weights};
use router::{Capabilities, MAX_POINTS, Param, ParamKind, ParamRole, Params, Role, Strategy};

use crate::{
    share::in_integers,
    variant::{RENORMALISED, Variant, WORDS, strategy},
};

/// The strategy `ketama`.
pub const STRATEGY: Strategy = Strategy {
    name: "ketama",
    role: Role::Ours,
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
    ..strategy::<Ours>()
};

/// Digests of a node of average weight.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Ours {
    digests: u64,
}

impl Variant for Ours {
    const TIE: Tie = Tie::SmallerName;

    fn of(params: &Params) -> Self {
        Self {
            digests: u64::from(params.count("points")) / WORDS,
        }
    }

    fn capabilities(self) -> Capabilities {
        Capabilities {
            minimal: true,
            order_free: true,
            ..RENORMALISED
        }
    }

    fn name(self, node: &str) -> Result<String, String> {
        Ok(node.to_owned())
    }

    fn n_points(self, weight: u32, weights: &Weights) -> u64 {
        WORDS * in_integers(self.digests, weight, weights).max(1)
    }
}
