//! The sorted points of a hash ring: weights, tie rule, growth and removal, and many look-ups at
//! once.
//!
//! A ring puts every node at some points of a hash space and gives a key to the first point at or
//! after the key's own hash, past the end to the first point. This crate keeps the points; how one
//! key finds its point (scan, halving, tree) is the business of the strategy that stands on it, and
//! so is how a published program names its points. How many keys that are asked at once find theirs
//! is the same for all, and is here ([`route_batch`]).
//!
//! ```text
//!   Placement                  what a ring is made of: points of a node, hash of a key, tie rule
//!      |
//!   Layout = Placement + the nodes present       whose points are where, and their labels
//!      |                          \
//!   Ring = Layout + sorted points   (a strategy with a container of its own, such as a tree)
//!      |                          /
//!   search of the strategy
//! ```
//!
//! Two rules make rings right that in the field often are not:
//!
//! - **A shared point is never lost.** All points of all nodes are kept, also those that fall on one
//!   position. There the node that the [`Tie`] rule names comes first and owns the keys; when it
//!   leaves, the next one has them.
//! - **A change is incremental and exact.** The points of a node that joins or leaves are put between
//!   the others or taken out from between them, many at once likewise; the result is the same as if
//!   the ring had been built from the nodes now present.
//!
//! # Many keys at once
//!
//! A block of keys is hashed and then sought side by side, so that memory answers all of them at the
//! same time. Where there are many keys for the points, an [`Index`] is made of the points first and
//! thrown away afterwards, unless the ring keeps one for its single look-ups, which goes with every
//! change ([`Index::follow`]). The answer is that of the single look-up, key by key.
//!
//! # Cost
//!
//! N points in all, P points of the nodes that change: building takes N hashes, one pass that deals
//! the points out by their first bits, and a few to sort at a time; a change P hashes, P log N
//! comparisons, and moves the other points in blocks. A point takes the bytes of its position and 4
//! more, without padding; an index 4 bytes a bucket, about 2 a point. A batch of K keys takes K hashes,
//! a bucket and four points a key, and one pass over N points if no index is kept; of less than N / 8
//! keys without an index, log2 N points a key.

mod batch;
mod common;
mod edit;
mod index;
mod layout;
mod named;
mod placement;
mod position;
mod ring;
mod search;
mod theory;

pub use batch::{are_many, batch_probes, route_batch};
pub use common::CommonHash;
pub use edit::Edits;
pub use index::Index;
pub use layout::{Changed, Layout, distinct};
pub use named::NamedHash;
pub use placement::{Placement, Tie, Weights, check};
pub use position::RingPosition;
pub use ring::{Ring, RingPoint};
pub use search::{first_at_or_after, n_probes};
pub use theory::random_points;
