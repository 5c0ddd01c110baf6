//! hashring, for Node.js, with and without a default port.
//!
//! ```text
//!   label     the server as given; with `default port` the host alone where the port is 11211
//!   digests   floor(w / W * 40 * n), in 64 bits
//!   a shared point belongs to the node listed first
//! ```
//!
//! With a default port the package cuts a name at its first colon. An IPv6 address is cut inside
//! and so keeps its brackets and its port.
//!
//! # Defects of the program, smallest inputs
//!
//! - **7 equal nodes have 156 points each, not 160**; 14, 28, 49, 56 and 98 too: from 6 to 7 nodes
//!   1,894 of 100,000 keys move between old nodes. Here: kept.
//! - **A small weight has no point**: 1 beside 1000. Here: kept.
//! - **Weight 0 means 1.** Here: a node of weight 0 is not in the list.

use ring_points::{Tie, Weights};
use router::{Params, Strategy};

use crate::{
    address::{Address, DEFAULT_PORT},
    share::all_in_double,
    variant::{Variant, WORDS, strategy},
};

const SOURCE: &str = "A. Kazemier, hashring 3.2.0 for Node.js, 2011 on";

/// The strategy `ketama-node-hashring`.
pub const STRATEGY: Strategy = Strategy {
    name: "ketama-node-hashring",
    summary: "For Node.js: shares in doubles, first listed wins; a small weight gets no point",
    source: SOURCE,
    spoken_by: &["hashring (npm)"],
    ..strategy::<Hashring<false>>()
};

/// The strategy `ketama-node-hashring-default-port`.
pub const STRATEGY_DEFAULT_PORT: Strategy = Strategy {
    name: "ketama-node-hashring-default-port",
    summary: "For Node.js with default port 11211, left out; a small weight gets no point",
    source: SOURCE,
    spoken_by: &["hashring (npm), default port 11211"],
    ..strategy::<Hashring<true>>()
};

#[derive(Clone, Copy, PartialEq, Debug)]
struct Hashring<const DEFAULT: bool>;

impl<const DEFAULT: bool> Variant for Hashring<DEFAULT> {
    const TIE: Tie = Tie::FirstJoined;

    fn of(_: &Params) -> Self {
        Self
    }

    fn name(self, node: &str) -> Result<String, String> {
        if !DEFAULT {
            return Ok(node.to_owned());
        }
        match Address::parse(node)? {
            Address::Host {
                port: Some(DEFAULT_PORT),
                ..
            } if !node.starts_with('[') => {
                let host = node.split(':').next();
                Ok(host.unwrap_or(node).to_owned())
            }
            _ => Ok(node.to_owned()),
        }
    }

    fn n_points(self, weight: u32, weights: &Weights) -> u64 {
        WORDS * all_in_double(weight, weights)
    }
}
