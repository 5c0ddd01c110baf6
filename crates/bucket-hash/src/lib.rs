//! Bucket functions: which of n buckets a key belongs to, computed without any table.
//!
//! A bucket function takes a key's 64-bit hash and a number of buckets n, and answers a bucket from
//! 0 to n - 1. When n grows by one, a key either stays or goes to the new bucket; so buckets can
//! only be added and taken away at the end. A strategy is such a function and the nodes in joining
//! order, one a bucket: the node that joined last is the only one that can leave.
//!
//! ```text
//!   key --XXH3-64, seed 0--> hash --BucketFn (n buckets)--> 0..n --nodes in joining order--> owner
//!                              |
//!                              the same walk with a Count instead of ()  -->  the look-up's trace
//! ```
//!
//! Here are the trait [`BucketFn`], the router [`Lifo`] over any such function, what theory says of
//! all that share evenly ([`even`]), the functions that more than one strategy needs ([`jump`] and
//! [`jump_back`]), and what the tests of every strategy of the kind check ([`checks`]).
//!
//! # Work
//!
//! Every function tells a [`Work`] of each hash that it evaluates and of each bucket that it
//! considers. A look-up hands it `()`, which counts nothing and costs nothing; a trace hands it a
//! [`Count`]. So what is counted is what is done, written once.
//!
//! # Cost
//!
//! n nodes: building O(n), 4 bytes a node; a change touches the places that it names and no other.
//! What a look-up costs is the function's own business.

pub mod checks;
mod function;
mod jump;
mod jump_back;
mod lifo;
mod theory;

pub use function::{BucketFn, Count, MAX_BUCKETS, Work};
pub use jump::{Jump, jump};
pub use jump_back::{JumpBack, jump_back};
pub use lifo::{CAPABILITIES, Lifo};
pub use theory::{even, gap, harmonic};
