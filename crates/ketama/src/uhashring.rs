//! uhashring, for Python, in its ketama mode.
//!
//! ```text
//!   label     the node's name as given, a hyphen, 0 .. digests - 1
//!   digests   floor(40 * n * w / W), in integers
//!   a key belongs to the first point above its hash, never at it
//!   a shared point belongs to the node listed last
//! ```
//!
//! # Defects of the program, smallest inputs
//!
//! - **A key that hits a point exactly goes to the next point**: on four nodes `10.0.1.1:11211` to
//!   `10.0.1.4:11211` the key `10.0.1.1:11211-0` belongs to the third, not to the first. Here: kept.
//! - **A small weight has no point**: 1 beside 1000. Here: kept.
//! - **A node of weight 0 counts as one of n**, so that the others have more points. Here: the list
//!   without it.

use ring_points::{Tie, Weights};
use router::{Capabilities, Params, Strategy};

use crate::{
    share::in_integers,
    variant::{DIGESTS, RENORMALISED, Variant, WORDS, strategy},
};

/// The strategy `ketama-uhashring`.
pub const STRATEGY: Strategy = Strategy {
    name: "ketama-uhashring",
    summary: "For Python: the point above the hash, last listed wins; a small weight gets no point",
    source: "A. Jacob, uhashring 2.5, 2015 on",
    spoken_by: &["uhashring, hash_fn ketama"],
    ..strategy::<Uhashring>()
};

#[derive(Clone, Copy, PartialEq, Debug)]
struct Uhashring;

impl Variant for Uhashring {
    const TIE: Tie = Tie::LastJoined;
    const STRICT: bool = true;

    fn of(_: &Params) -> Self {
        Self
    }

    fn capabilities(self) -> Capabilities {
        Capabilities {
            minimal: true,
            ..RENORMALISED
        }
    }

    fn name(self, node: &str) -> Result<String, String> {
        Ok(node.to_owned())
    }

    fn n_points(self, weight: u32, weights: &Weights) -> u64 {
        WORDS * in_integers(DIGESTS, weight, weights)
    }
}
