//! Anchor hashing: buckets in use take over from those that are not, which remember who was there.
//!
//! All buckets that there may ever be are numbered in advance, more than there are nodes. A key's
//! hash names one. If that bucket is out of use, it remembers which buckets were in use when it was
//! left, and a second hash names one of those; that one may have been left later, and remembers a
//! shorter list; and so on, until a bucket in use is met. Each hash is even on its list, so the
//! buckets in use share the keys evenly; and a change touches only the keys whose way led to or
//! through the one bucket that changed.
//!
//! ```text
//!   8 buckets, 6 nodes      0  1  2  3  4  5  6  7
//!                           a  b  c  d  e  f  .  .      in use: 0 1 2 3 4 5
//!   c leaves bucket 2       a  b  .  d  e  f  .  .              0 1 5 3 4     2 remembers these 5
//!   a leaves bucket 0       .  b  .  d  e  f  .  .              4 1 5 3       0 remembers these 4
//!
//!   key --h mod 8--> 7  never in use: h_7 mod 7 --> 2   left: h_2 mod 5 --> place 0, bucket 0
//!                            left: h_0 mod 4 --> place 2, bucket 5, in use: f owns the key
//! ```
//!
//! When a node joins, it takes the bucket that was left last, and the list is as it was before.
//!
//! `anchor` is the paper's. `jump-back-anchor` is hash4j's: the first bucket of a key is the one that
//! `JumpBackHash` gives it among those that were ever in use, so nothing is reserved and nothing limits growth.
//!
//! # Cost
//!
//! n nodes; u buckets that were ever in use; `anchor` has a in all, of which the parameter
//! `capacity` says a/n at building. H_i = 1 + 1/2 + ... + 1/i; s = 1 - u / 2^ceil(log2 u).
//!
//! | | `anchor` | `jump-back-anchor` |
//! |---|---|---|
//! | build | O(n), no hashes | the same |
//! | look-up | 1 + H_a - H_n hashes in the mean, about 1 + ln(a/n): 1.69 at a = 2n, 3.30 at 10n | 2 + s / (1 - s^2) + H_u - H_n: 2 to 2.67 while no node has left out of turn |
//! | probes | one a hash, and after removals the steps through lists: 0.24 when half of a were left at random, 2.7 when 90 % were | 1 + 3/2 s / (1 - s), one a hash more, and the steps |
//! | add or remove a node | a few steps through lists, and one pass over u node numbers to find the node | the same |
//! | memory | 12 bytes for each of the u buckets, 4 for each that is free again; the reserve takes none | the same |
//! | keys moved | those of the node that leaves or comes, no others: 1/n | the same |
//! | evenness | exact: only chance in the keys themselves | the same |
//!
//! # Pick it when, avoid it when
//!
//! Pick it when any node may leave at any time, shares must be even, and one authority hands the
//! changes to all routers in one order: it is small, and fast while a/n is. Pick `jump-back-anchor`
//! when nobody knows how far the cluster will grow. Avoid both when routers learn of changes each in
//! its own order or only see who is present, for they would disagree: which keys a node has depends
//! on which nodes left before it, and in which order. Avoid them for weights and replicas, which
//! they have not.
//!
//! # Deviations from the paper
//!
//! `anchor`:
//!
//! - **Hashes.** The paper leaves them open. Here `h` is XXH3-64, seed 0, of the key's bytes, and `h_b`
//!   is `mix64(h + (b + 1) * 0x9e3779b97f4a7c15)` modulo 2^64, `mix64` being the finalizer of
//!   SplitMix64 ([`point_hash::rehash`]). The reference program's CRC-32C is linear: its keys of the
//!   form (k, not k) all meet in one bucket. [`Anchor::find_with`] takes any hashes, and gives the
//!   reference program's answers with its hash.
//! - **Memory.** Lists are not kept but read off the removals, as in the memory-saving form of the
//!   reference program; buckets that were never in use are not even remembered.
//! - **Growth.** The paper's a is a limit. A cluster may outgrow any limit that was set by its size
//!   at building, even one that was built empty (its a is 1), so here a full range doubles, and
//!   still no key moves but to the node that joins. With a as at building, doubling i adds the
//!   stretch from `floor = 2^(i-1) a` to `2 floor`. A key first draws in the stretch that came last,
//!   `h_(i * 2^32) mod (2 floor)`; while the bucket b drawn was never in use, it goes on to
//!   `h_b mod b`; once it is below `floor`, it draws in the stretch before, and in the end it has `h
//!   mod a` as always. A look-up then takes up to 3.7 more hashes in the mean right after a doubling,
//!   and up to 2 when the range is full again. A cluster that never was full answers as the paper's.
//! - **The last bucket.** While no other bucket was left, the last of those that were ever in use
//!   leaves as if it never had been. The paper's lists come to the same.
//! - **No node.** The paper asks for one bucket in use. Here a cluster that lost its last node starts
//!   afresh, with a as at building.
//!
//! `jump-back-anchor` has hash4j's answers, its buckets and its stream: SplitMix64 seeded with the
//! key's XXH3-64 gives `JumpBackHash` its draws, and then each list of c buckets the low half x of as
//! many as it takes, until x c mod 2^32 is not below 2^32 mod c; the place is x c / 2^32, rounded down.
//!
//! # References
//!
//! - G. Mendelson, S. Vargaftik, K. Barabash, D. Lorenz, I. Keslassy and A. Orda, "AnchorHash: A
//!   Scalable Consistent Hash", IEEE/ACM Transactions on Networking 29(2), 2021 (arXiv 1812.09674).
//! - The authors' program, github.com/anchorhash/cpp-anchorhash, 2020.
//! - O. Ertl, hash4j, Dynatrace, 2025: `ConsistentHashing.jumpBackAnchorHash`.
//! - D. Lemire, "Fast Random Integer Generation in an Interval", ACM Transactions on Modeling and
//!   Computer Simulation 29(1), 2019: the places.

mod anchor;
mod jump_back;
mod removals;

use bucket_hash::{gap, harmonic};
use node_buckets::{BucketRouter, CAPACITY, check_capacity, even_and_minimal, reserved};
use router::{Estimate, Params, Question, Role, Sizes, Strategy, check_points};

pub use anchor::Anchor;
pub use jump_back::JumpBackAnchor;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "anchor",
        family: "anchor",
        role: Role::Ours,
        hash: &point_hash::XXH3,
        summary: "Anchor hashing: a bucket that was left names one of those in use when it was",
        source: "Mendelson, Vargaftik, Barabash, Lorenz, Keslassy and Orda, AnchorHash, 2021",
        params: &[CAPACITY],
        capabilities: |_, _| BucketRouter::CAPABILITIES,
        check: |params, members, _| check_capacity(params, members.len() as u64),
        build: |params, members, _| {
            let capacity = reserved(params, members.len() as u64);
            let capacity = u32::try_from(capacity).expect("it was checked");
            Ok(Box::new(BucketRouter::new(Anchor::new(capacity))))
        },
        expected: |params, question| anchor_expected(params, question),
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "jump-back-anchor",
        family: "anchor",
        role: Role::Ours,
        hash: &point_hash::XXH3,
        summary: "Anchor hashing over JumpBackHash: nothing is reserved, and it grows without limit",
        source: "Ertl, hash4j, 2025: jumpBackAnchorHash",
        sizes: Sizes::PowersOfTwo,
        capabilities: |_, _| BucketRouter::CAPABILITIES,
        check: |_, members, _| check_points(members.len() as u128),
        build: |_, _, _| Ok(Box::new(BucketRouter::new(JumpBackAnchor::new()))),
        expected: |_, question| jump_back_expected(question),
        ..Strategy::DEFAULT
    },
];

/// What theory says of a cluster whose reserve was never in use: every bucket that is met is even on
/// those below the one before, and the chance to meet bucket b at all is 1 / (b + 1).
fn anchor_expected(params: &Params, question: Question) -> Option<Estimate> {
    match question {
        Question::HashEvals { n } | Question::Probes { n } if n > 0 => {
            let a = reserved(params, n);
            Some(Estimate::exact(1.0 + harmonic(a) - harmonic(n)))
        }
        _ => even_and_minimal(question),
    }
}

/// What theory says of a cluster that no node has left out of turn: it is `JumpBackHash`. The key
/// jumps in the top level with probability 1/2, and then lies beyond n with probability 2s. A try
/// that follows leaves the level with probability 1/2 and lies beyond n again with probability s. A
/// draw has two tries.
fn jump_back_expected(question: Question) -> Option<Estimate> {
    match question {
        Question::HashEvals { n } if n > 0 => {
            let s = gap(n);
            Some(Estimate::exact(2.0 + s / (1.0 - s * s)))
        }
        Question::Probes { n } if n > 0 => {
            let s = gap(n);
            Some(Estimate::exact(1.0 + 1.5 * s / (1.0 - s)))
        }
        _ => even_and_minimal(question),
    }
}
