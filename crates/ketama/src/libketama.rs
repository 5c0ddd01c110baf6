//! The original: Richard Jones's C library for Last.fm, and its bindings.
//!
//! ```text
//!   label     address as written in the servers file, a hyphen, 0 .. digests - 1
//!   digests   floor32(part32 * 40.0 * n)          part32: weight / sum, in 32 bits
//!   a shared point belongs to the node listed first, where the C library's sort is stable
//! ```
//!
//! # Defects of the program, smallest inputs
//!
//! - **61 equal nodes have 156 points each, not 160**, so that the 61st moves keys between old
//!   nodes: 2,554 of 100,000. Here: kept.
//! - **A small weight has no point**: 1 beside 1000. Here: kept; that node owns nothing.
//! - **Shares are computed anew from all weights**: its own test takes away the last of eight nodes
//!   with different weights and finds 106,615 of 1,000,000 keys disturbed that were not on it. It
//!   compares points: 91,195 of them have another node. Here: kept.
//! - **Long addresses are cut**: 22 bytes of an address are kept, the last of them for its end, and
//!   from 22 on the answer is not the address that was given. Here: refused.
//! - **A node of weight 0, or a line that cannot be read, makes the whole list invalid.** Here: the
//!   list without that node.

use ring_points::{Tie, Weights};
use router::{Params, Strategy};

use crate::{
    share::part_in_single,
    variant::{Variant, WORDS, strategy},
};

/// The strategy `ketama-libketama`.
pub const STRATEGY: Strategy = Strategy {
    name: "ketama-libketama",
    summary: "The C library: shares in floats, first listed wins; a small weight gets no point",
    source: "R. Jones, libketama, 2007, commit 18cf9a77",
    spoken_by: &["libketama (C) and its PHP and Python bindings"],
    ..strategy::<Libketama>()
};

#[derive(Clone, Copy, PartialEq, Debug)]
struct Libketama;

/// Bytes of an address that the library keeps.
const MOST_BYTES: usize = 21;

impl Variant for Libketama {
    const TIE: Tie = Tie::FirstJoined;

    fn of(_: &Params) -> Self {
        Self
    }

    fn name(self, node: &str) -> Result<String, String> {
        if node.len() > MOST_BYTES {
            return Err(format!(
                "libketama keeps {MOST_BYTES} bytes of an address, and this has {}",
                node.len()
            ));
        }
        if node.contains(' ') {
            return Err("a blank ends an address in libketama's file".to_owned());
        }
        if node.starts_with('#') {
            return Err("libketama takes the line for a comment".to_owned());
        }
        Ok(node.to_owned())
    }

    fn n_points(self, weight: u32, weights: &Weights) -> u64 {
        WORDS * part_in_single(weight, weights)
    }
}
