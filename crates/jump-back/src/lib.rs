//! `JumpBackHash`: the last jump of a key below n, found from the far end in a few draws.
//!
//! Jump simulates how a key moves while buckets are added one by one; only the last move counts. This
//! function draws it directly. Buckets fall into levels: bucket 0, bucket 1, and then each power of
//! two b opens the level [b, 2b). While buckets are added through a whole level, a key leaves for it
//! with probability 1/2, whatever happened before, and then the bucket of its last jump in it is any
//! of the level's with equal chance. So one random word says of all levels at once whether the key
//! jumps in them, another part of it where; the highest level it jumps in has it. If n cuts that
//! level, the bucket may lie at or beyond n: then earlier jumps of the same level are drawn, going
//! back, until one is below n or the level is left.
//!
//! ```text
//!   level       [0] [1] [2,4) [4,8) [8,16)        n = 11 cuts the highest level
//!   jumps?       -   1    0     1     1
//!   last jump        1          6    13           13 >= 11: the jump before it is drawn; if that
//!                                                 is 9, the key is in 9; if it is below 8, in 6
//! ```
//!
//! ```text
//!   draws: SplitMix64 seeded with XXH3-64 of the key, seed 0; every word is two halves of 32 bits
//!   r0 = first draw;  levels = (low half of r0) xor (high half of r0), its lowest ceil(log2 n) bits
//!   while levels > 0:
//!       b = highest power of two in levels
//!       half = high half of r0 if an odd number of bits of levels is set, else its low half
//!       bucket = b + half mod b;  if bucket < n: done
//!       repeat with r = next draw, its low half, then its high half, r = next draw, ...:
//!           bucket = half mod 2b
//!           if bucket < b: leave this level;  if bucket < n: done
//!       clear b in levels
//!   bucket = 0
//! ```
//!
//! # Cost
//!
//! n nodes, and s = 1 - n / 2^ceil(log2 n), the part of the power of two above n that has no bucket.
//!
//! | | |
//! |---|---|
//! | build | O(n): the list of nodes, 4 bytes each; the function itself has no state |
//! | look-up | one hash and 1 + s/(1 - s^2) draws in the mean: 1 at powers of two, up to 5/3 just above |
//! | the same, buckets tried | 1 + 3/2 s/(1 - s) in the mean: up to 5/2 |
//! | add or remove the last node | O(1) |
//! | keys moved | those of the last node: 1/(n + 1) when one joins, 1/n when it leaves |
//! | evenness | equal shares |
//!
//! The work is a saw-tooth of n: compare it at a power of two and just above. Hash evaluations are
//! the key's hash and the draws; probes the buckets tried.
//!
//! # Pick it when, avoid it when
//!
//! Pick it for numbered shards that only grow or shrink at the end: it has no division, no floating
//! point, and costs the same at ten nodes and at a million. Avoid it when any node may fail: as with
//! jump, only the last one can leave. Avoid building on it what asks for one key at several n and
//! needs those buckets to be independent as jump's are: one word serves several levels.
//!
//! # Deviations from the paper
//!
//! None from hash4j's form with SplitMix64, `ConsistentJumpBackBucketHasher`, for the same 64-bit
//! hash: a test holds its checksum of a million look-ups. That library also offers a cheaper
//! generator, a 64-bit xorshift whose first output is the hash itself; it must not be given keys
//! that nobody hashed (0 stays in bucket 0 and 1 in bucket 1 for all n), and is not offered here.
//!
//! # References
//!
//! - O. Ertl, "JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly to
//!   Buckets", Software: Practice and Experience 55(3), 2025, arXiv 2403.18682.
//! - hash4j, Dynatrace: the author's implementation.
//! - G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA
//!   2014: SplitMix64.

use bucket_hash::{CAPABILITIES, JumpBack, Lifo, even, gap};
use router::{Estimate, Question, Sizes, Strategy};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "jump-back",
    family: "jump-back",
    hash: &point_hash::XXH3,
    summary: "A key's last jump among n nodes, drawn from the far end; only the last can leave",
    source: "Ertl, JumpBackHash, Software: Practice and Experience, 2025; hash4j's draws",
    sizes: Sizes::PowersOfTwo,
    capabilities: |_, _| CAPABILITIES,
    build: |_, _, _| Ok(Box::new(Lifo::new(JumpBack))),
    expected: |_, question| expected(question),
    ..Strategy::DEFAULT
}];

fn expected(question: Question) -> Option<Estimate> {
    match question {
        // The key jumps in the top level with probability 1/2, and then lies beyond n with
        // probability 2s. A try that follows leaves the level with probability 1/2 and lies beyond
        // n again with probability s. A draw has two tries.
        Question::HashEvals { n } if n > 0 => {
            let s = gap(n);
            Some(Estimate::exact(2.0 + s / (1.0 - s * s)))
        }
        Question::Probes { n } if n > 0 => {
            let s = gap(n);
            Some(Estimate::exact(1.0 + 1.5 * s / (1.0 - s)))
        }
        _ => even(question),
    }
}
