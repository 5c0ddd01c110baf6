//! Nodes in numbered buckets, from which any may leave.
//!
//! Some strategies never look at a node. They map a key's hash to a number, its *bucket*, and know
//! of the nodes only which buckets are in use; a table beside them says who sits where. This crate
//! is that table, and what such strategies share: the reserve of buckets, and their theory.
//!
//! ```text
//!   key --XXH3--> hash --Buckets::find--> bucket 3 --table--> node c
//!
//!   bucket    0   1   2   3   4         remove b: 1 is free        a  -  d  c  e
//!   node      a   b   d   c   e         add f:    it takes 1       a  f  d  c  e
//! ```
//!
//! Rules that hold for every strategy that stands on this crate:
//!
//! - At building, nodes take buckets 0, 1, 2 and so on in joining order.
//! - A node that joins later takes a bucket that the strategy names. All strategies here name the
//!   one that was freed last, and a new one only when none is free. So a change and its undoing, the
//!   last change first, leave every key where it was.
//! - A replacement is one step: the new node takes the bucket of the old one, and no other key moves.
//! - Changes that arrive together do what they would do one by one.
//! - A cluster that lost its last node starts afresh: with no key owned by anybody, there is nothing
//!   to remember.
//!
//! Which bucket a node has depends on the order in which nodes came and went. So these strategies
//! are neither free of order nor of history: routers that are to agree must have seen the same
//! changes in the same order.
//!
//! # Cost
//!
//! A node takes 4 bytes here, as does a bucket that was left and is still free. A removal looks for
//! its node in a list of the nodes: 4 bytes a node are read. What else a look-up and a change cost is
//! the strategy's.

mod buckets;
mod capacity;
mod router;
mod theory;

pub use buckets::{Buckets, remainder};
pub use capacity::{CAPACITY, check_capacity, reserved};
pub use router::BucketRouter;
pub use theory::even_and_minimal;
