//! Whether a report can be trusted: a report held against its own fingerprints, against the same run
//! made again, and against another report; and the statistics held against what they promise.
//!
//! ```text
//!   report folder --> files, redrawn --.
//!   the same run again ---> differing --+--> Difference, Verdict      (ringmark verify)
//!   another report folder --> differing, timed --> Change             (ringmark diff)
//! ```
//!
//! It writes nothing.

mod rows;
mod selftest;
mod timed;
mod two_ways;
mod verify;

pub use rows::{Differing, Only, differing};
pub use selftest::{Coverage, SameTwice, allowed, coverage};
pub use timed::{Change, Compared, MARGIN, Timings, compared};
pub use two_ways::{AGREEING, Cell, TwoWays};
pub use verify::{Difference, Recorded, Verdict, redrawn};
