//! `MementoHash`: jump, with a memory of the buckets that were left.
//!
//! Jump gives a key one of n buckets and needs no memory at all, but only the last bucket can leave
//! it. Memento keeps jump's answer and remembers each bucket that left out of turn: how many were in
//! use afterwards. A key whose bucket was left hashes again, evenly over the list of those that were
//! in use then; in that list the place of every bucket left went to the last one of its time.
//!
//! ```text
//!   10 buckets, jump's n = 10    0 1 2 3 4 5 6 7 8 9      in use: 0 1 2 3 4 5 6 7 8 9
//!   3 leaves: 9 stay             0 1 2 . 4 5 6 7 8 9              0 1 2 9 4 5 6 7 8      3 -> 9
//!   7 leaves: 8 stay             0 1 2 . 4 5 6 . 8 9              0 1 2 9 4 5 6 8        7 -> 8
//!
//!   key --jump--> 7  left: h_7 mod 8 --> place 3: bucket 3, left before 7 was, so 9 stands there
//! ```
//!
//! When a node joins, it takes the bucket that was left last, and the memory of it goes; with nothing
//! to remember, it takes bucket n, and n grows: there is no limit to set in advance.
//!
//! # Cost
//!
//! n buckets of jump's, w nodes, so n - w buckets to remember. H_i = 1 + 1/2 + ... + 1/i.
//!
//! | | |
//! |---|---|
//! | build | O(n), no hashes |
//! | look-up | one hash and H_n jumps; then H_n - H_w hashes in the mean, about ln(n/w) |
//! | probes | the jumps, and after removals the steps through lists: 0.31 when half the nodes left at random, 6.7 when 90 % did, 94 when 99 % did |
//! | worst order | bucket 0 leaves, then n - 1 and so on down to 2: n steps a look-up |
//! | add or remove a node | one entry of a table, and one pass over the node numbers to find the node |
//! | memory | 4 bytes for each of n buckets, 14 to 30 more for each that is remembered |
//! | keys moved | those of the node that leaves or comes, no others: 1/w |
//! | evenness | exact: only chance in the keys themselves |
//!
//! # Pick it when, avoid it when
//!
//! Pick it when nodes mostly come and go at the end but any may fail, shares must be even, and
//! nobody can say how many nodes there will be: while nothing failed it is jump. Avoid it when more
//! than half of the nodes leave for good, because lists grow longer than those of anchor hashing.
//! Avoid it when routers do not all learn of changes in one order, for weights, and for replicas.
//!
//! # Deviations from the paper
//!
//! - **Hashes.** The paper leaves them open. Jump gets XXH3-64, seed 0, of the key's bytes, and the
//!   hash for bucket b is `mix64(h + (b + 1) * 0x9e3779b97f4a7c15)` modulo 2^64, with h that same hash
//!   and `mix64` the finalizer of SplitMix64 ([`point_hash::rehash`]). [`Memento::find_with`] takes any.
//! - **No node.** A cluster that lost its last node starts afresh with n = 0. The paper's state would
//!   remember all of n, to no purpose.
//!
//! # References
//!
//! - M. Coluzzi, A. Brocco, A. Antonucci and T. Leidi, "MementoHash: A Stateful, Minimal Memory, Best
//!   Performing Consistent Hash Algorithm", IEEE/ACM Transactions on Networking, 2024 (arXiv 2306.09783).
//! - J. Lamping and E. Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014: jump.

mod memory;

use bucket_hash::harmonic;
use node_buckets::{BucketRouter, even_and_minimal};
use router::{Estimate, Question, Role, Strategy, check_points};

pub use memory::Memento;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "memento",
    family: "memento",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "MementoHash: jump, with a memory of the buckets that were left",
    source: "Coluzzi, Brocco, Antonucci and Leidi, MementoHash, 2024",
    capabilities: |_, _| BucketRouter::CAPABILITIES,
    check: |_, members, _| check_points(members.len() as u128),
    build: |_, _, _| Ok(Box::new(BucketRouter::new(Memento::new()))),
    expected: |_, question| expected(question),
    ..Strategy::DEFAULT
}];

/// What theory says of a cluster that remembers nothing: it is jump, which visits bucket i with
/// probability 1 / (i + 1).
fn expected(question: Question) -> Option<Estimate> {
    match question {
        Question::HashEvals { .. } => Some(Estimate::exact(1.0)),
        Question::Probes { n } => Some(Estimate::exact(harmonic(n))),
        _ => even_and_minimal(question),
    }
}
