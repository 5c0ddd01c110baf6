//! The points of a ring under hashes that collide, and rings held against each other.
//!
//! Every test runs over the scanned, the halved, the tree-shaped and the indexed ring, with hashes
//! made up here.
//! Numbers such as T02 are those of public fault reports about other rings; each test says what
//! went wrong there and names one thread.

mod agree;
mod batch;
mod counting;
mod edges;
mod indexed;
mod named;
mod reference;
mod shared;
mod theory;
mod weights;
mod world;
