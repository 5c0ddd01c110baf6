//! The two rings of an article in JavaScript.
//!
//! The article writes a class for Node.js, first with one point a node, then with virtual nodes. A
//! map leads from point to node, a sorted array beside it holds the points; a look-up goes through
//! the array from its start until the key's hash is at most the point, and takes the first point
//! when there is none.
//!
//! ```text
//!   hash(text)     first eight hexadecimal digits of SHA-256, read as a number: 32 bits
//!   first class    point = hash("Node7")
//!   last class     points = hash("Node7#0"), hash("Node7#1"), ... as many as `vnodes`
//! ```
//!
//! The article then removes one node at random and counts: without virtual nodes all its keys go to
//! the next node on the ring, with them to many. Both hold: of 1,000,000 keys on 100 nodes
//! `Node41` leaves 66,146 keys, all to `Node83`; with 100 points a node 10,217 keys to 66 nodes.
//!
//! # Defects of the programs, smallest inputs
//!
//! - **A node whose point is taken is dropped, and removing it deletes the other node's point.**
//!   Shown by: first class, add `Node6215` and `Node37621` (both 822610230): one point; remove
//!   `Node37621`: none, every look-up `undefined`. Here: the first to join keeps the point, as
//!   published; the other has it when the first leaves, and leaves it alone when it leaves.
//! - **The same for virtual nodes.** Shown by: last class, `Node320#74` and `Node615#73` are both
//!   4007766069; add `Node320` and `Node615`, remove `Node615`: 99 points remain instead of 100;
//!   with `Node2` besides, 4,591 of 1,000,000 keys move that were not on `Node615`, and adding and
//!   removing `Node615` is no identity. Here: mended likewise.
//! - **An empty ring answers `undefined` (first class) or `null` (last).** Shown by: no node, any
//!   key. Here: a cluster without nodes answers no owner.
//! - **`replicas` 0 registers nodes that own nothing.** Shown by: `replicas` 0, one node: `null`.
//!   Here: `vnodes` is at least 1.
//! - **The scan is linear although the array is sorted.** Shown by: any key. Here: kept: it is what
//!   this crate measures.
//! - **A key that is neither text nor bytes throws; a lone surrogate hashes like U+FFFD.** Shown
//!   by: `getNode(7)`. Here: keys are bytes.
//! - **Statistics leave out nodes without keys.** Shown by: 2 nodes, 1 key: smallest load 1,
//!   deviation 0.35; right: 0 and 0.5. Here: counted by the harness, empty nodes included.
//! - **`reassigned` counts the removed node's keys and never compares owners, so the 4,591 keys
//!   above are not seen.** Shown by: as above. Here: the harness compares every key's owner before
//!   and after.
//! - **After the only node left, keys are counted under the name "undefined" and the average is
//!   infinite.** Shown by: 1 node, remove it. Here: as for an empty ring.
//! - **The node to remove is random, so no run repeats another.** Shown by: any run. Here: nodes to
//!   remove are drawn from a seed.

use point_hash::sha256;
use ring_points::{Placement, Tie, Weights};
use router::{HashFn, Params};

/// The article.
pub const SOURCE: &str =
    "Consistent hashingni Node.jsda noldan yozamiz (benchmark), article in Uzbek";

/// The first eight hexadecimal digits of SHA-256, as a number of 32 bits.
pub static SHA256_32: HashFn = HashFn {
    name: "sha256-32",
    mixes: true,
    eval: |key| sha256_32(key).into(),
};

/// Returns the first four bytes of SHA-256, big-endian.
fn sha256_32(bytes: &[u8]) -> u32 {
    let digest = sha256(bytes);
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// The first class: one point a node.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Placement for Plain {
    type Position = u32;
    const TIE: Tie = Tie::FirstJoined;

    fn hash(&self, key: &[u8]) -> u32 {
        sha256_32(key)
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        1
    }

    fn label(&self, name: &str, _: u64) -> String {
        name.to_owned()
    }
}

/// The last class: virtual nodes.
#[derive(Clone, Copy, Debug)]
pub struct Virtual {
    vnodes: u32,
}

impl Virtual {
    /// The placement that these parameters describe.
    #[must_use]
    pub fn of(params: &Params) -> Self {
        Self {
            vnodes: params.count("vnodes"),
        }
    }
}

impl Placement for Virtual {
    type Position = u32;
    const TIE: Tie = Tie::FirstJoined;

    fn hash(&self, key: &[u8]) -> u32 {
        sha256_32(key)
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        self.vnodes.into()
    }

    fn label(&self, name: &str, i: u64) -> String {
        format!("{name}#{i}")
    }
}
