//! Jump consistent hash: a key's bucket by simulating its jumps.
//!
//! Let the number of buckets grow from one. With every new bucket a key either stays or jumps into
//! the new one, with probability 1/n when it is the n-th, which keeps all buckets equally likely.
//! Jumps get rare, so the function does not walk from bucket to bucket but from jump to jump: from
//! bucket b the next one is at or beyond i with probability (b + 1) / i, which one random number and
//! one division simulate. The generator is seeded with the key's hash, so that every client sees the
//! same jumps.
//!
//! ```text
//!   n             1    2    3    4    5    6    7    8    9   10
//!   bucket        0    0    2    2    2    2    2    7    7    7     the life of hash 995
//!   looked at     0 -------> 2 --------------------> 7 -------> 12   12 >= 10: the key is in 7
//! ```
//!
//! ```text
//!   state = XXH3-64 of the key, seed 0;  b = -1;  j = 0
//!   while j < n:
//!       b = j
//!       state = state * 2862933555777941757 + 1                          modulo 2^64
//!       j = floor((b + 1) * (2^31 / ((state >> 33) + 1)))                in IEEE doubles, as bracketed
//!   the owner is the node at place b of the joining order
//! ```
//!
//! # Cost
//!
//! n nodes.
//!
//! | | |
//! |---|---|
//! | build | O(n): the list of nodes, 4 bytes each; the function itself has no state |
//! | look-up | one hash and H_n = 1 + 1/2 + ... + 1/n steps in the mean: 2.9 at n = 10, 7.5 at 1,000 |
//! | look-ups in a batch | the same steps, of 64 keys together in vector instructions, for less than half the time |
//! | add or remove the last node | O(1) |
//! | keys moved | those of the last node: 1/(n + 1) when one joins, 1/n when it leaves |
//! | evenness | equal shares, to within n / 2^31 of a share |
//!
//! A step costs a division whose result the next step waits for. Probes count the buckets that the
//! key visits, the last of them its own. The generator's steps are not counted as hash evaluations:
//! only the key's hash looks at its bytes.
//!
//! # Pick it when, avoid it when
//!
//! Pick it for numbered shards that only grow or shrink at the end, and when simplicity counts: it
//! is ten lines, and there are ports of it everywhere. Avoid it when any node may fail: taking one
//! out of the middle renumbers all behind it, which is why a cluster refuses that here. Of 10,000
//! keys on four nodes, 2,535 of them on the second, losing that one moves 6,707 when the others
//! close ranks, and 4,168 when the last node takes its place (a test holds the numbers). Lists
//! sorted as text renumber too: the tenth of `node1`, `node2`, ... sorts to the second place. The
//! other functions of its kind cost less at large n.
//!
//! # Deviations from the paper
//!
//! None in the function; the key is hashed first, because a bare 0 stays in bucket 0 for every n up
//! to 2^31. Two forms of the function are in use that differ in the last bit of a double: Guava
//! divides (b + 1) by ((state >> 33) + 1) / 2^31, which rounds once, where the paper's form rounds
//! twice. Near n = 2^31 they part for one key in some millions; up to a million buckets no key is
//! known for which they do.
//!
//! # References
//!
//! - J. Lamping and E. Veach, "A fast, minimal memory, consistent hash algorithm", 2014,
//!   arXiv 1406.2294, figure 1.
//! - Guava, `com.google.common.hash.Hashing.consistentHash`, since 2011: the other form.

use bucket_hash::{CAPABILITIES, Jump, Lifo, even, harmonic};
use router::{Estimate, Question, Strategy};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "jump",
    family: "jump",
    hash: &point_hash::XXH3,
    summary: "From jump to jump of the growing number of nodes; only the last can leave",
    source: "Lamping and Veach, A fast, minimal memory, consistent hash algorithm, 2014",
    capabilities: |_, _| CAPABILITIES,
    build: |_, _, _| Ok(Box::new(Lifo::new(Jump))),
    expected: |_, question| expected(question),
    ..Strategy::DEFAULT
}];

fn expected(question: Question) -> Option<Estimate> {
    match question {
        Question::HashEvals { .. } => Some(Estimate::exact(1.0)),
        // The key jumps at the i-th bucket with probability 1/i.
        Question::Probes { n } => Some(Estimate::exact(harmonic(n))),
        _ => even(question),
    }
}
