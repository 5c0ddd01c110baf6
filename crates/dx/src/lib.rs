//! `DxHash`: every key draws slots until it meets a live one.
//!
//! There are more slots than nodes, a power of two, and a bit for each says whether a node sits
//! there. A key draws slots at random, always the same ones in the same order, and the first live
//! one owns it. When a node leaves, its slot is dead, and its keys draw on; when one joins, a dead
//! slot comes alive and catches the keys that drew it before they drew another live one.
//!
//! ```text
//!   slots     0  1  2  3  4  5  6  7
//!             a  b  c  d  .  .  .  .
//!
//!   key one draws  6 4 1 ..            -> 1, b owns it
//!   key two draws  3 1 2 ..            -> 3, d owns it; without d: 1, b
//!                                         after slot 4 came alive, key one is there, key two is not
//! ```
//!
//! # Cost
//!
//! n nodes, a slots: n times the parameter `capacity` at building, rounded up to a power of two.
//!
//! | | |
//! |---|---|
//! | build | O(n), no hashes |
//! | look-up | a/n draws in the mean, one hash and one bit each: 2 to 4 at `capacity=2` |
//! | add or remove a node | one bit, and one pass over the node numbers to find the node |
//! | memory | 4 bytes and one bit for every slot that was ever live, 4 bytes for each that is free again |
//! | keys moved | those of the node that leaves or comes, no others: 1/n |
//! | evenness | exact: only chance in the keys themselves |
//!
//! # Pick it when, avoid it when
//!
//! Pick it when any node may leave, shares must be even, and routers may have missed the order in
//! which nodes left: only who sits where counts, and that is a list of slots that one authority can
//! hand out. Avoid it when most slots are dead for long: a look-up pays a/n draws, where
//! other methods pay the logarithm of that. Avoid it for weights and replicas, which it has not.
//!
//! # Deviations from the paper
//!
//! - **Draws.** The paper leaves the generator open; the authors' program chains CRC-32C, which is
//!   linear. Here draw 0 is XXH3-64, seed 0, of the key's bytes, and draw i from 1 on is `h_i`, with
//!   `h_i = mix64(h + (i + 1) * 0x9e3779b97f4a7c15)` modulo 2^64, h the draw 0 and `mix64` the
//!   finalizer of SplitMix64 ([`point_hash::rehash`]). The slot is the draw modulo a.
//! - **No slot found.** The authors' program gives up after 4a draws. Here a key that drew `max(4a,
//!   64)` dead slots belongs to the live slot s with the highest `h_(32 * 2^32 + s)`, the lower slot
//!   of equal ones. That is even, moves no key in vain, and happens to a share (1 - n/a)^max(4a, 64)
//!   of the keys: 1e-8 for 4 nodes in 16 slots, 1.8 % for one node in 64.
//! - **Growth.** The paper doubles a when all slots are live, which moves keys between nodes that
//!   stay, as every remainder changes. Here it does not: the slots that doubling i adds, from `2^(i-1) a`
//!   to `2^i a`, with a as at building, are a stretch with draws of its own, `h_(i * 2^32 + j)` for
//!   j = 0, 1, ... modulo `2^i a`. A key draws in the stretch that came last. If the slot lies in it,
//!   that is the draw; if it lies below, the next draw of the stretch before is taken in its place, and so on
//!   down to the draws above. So a key meets the old slots in the order in which it always met
//!   them. (Only a key that draws nothing but new slots 64 times in a row could move in vain: one
//!   in 2^64.) A grown range costs up to two hashes a draw. A cluster built empty begins
//!   with one slot.
//! - **Slots.** Nodes take slots 0, 1, 2 and so on; one that joins takes the slot that died last, so
//!   that a change and its undoing leave every key where it was. Any other free slot would do.
//!
//! # References
//!
//! - C. Dong, F. Wang and D. Feng, "DxHash: A Memory-Saving Consistent Hashing Algorithm", ACM
//!   Transactions on Architecture and Code Optimization, 2023 (arXiv 2107.07930).

mod slots;

use node_buckets::{BucketRouter, CAPACITY, check_capacity, even_and_minimal, reserved};
use router::{Estimate, Params, Question, Role, Strategy};

use slots::most_draws;

pub use slots::Dx;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "dx",
    family: "dx",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "DxHash: the first live slot among those that a key draws",
    source: "Dong, Wang and Feng, DxHash: A Memory-Saving Consistent Hashing Algorithm, 2023",
    params: &[CAPACITY],
    capabilities: |_, _| BucketRouter::CAPABILITIES,
    check: |params, members, _| check_capacity(params, members.len() as u64),
    build: |params, members, _| {
        let capacity = reserved(params, members.len() as u64);
        let capacity = u32::try_from(capacity).expect("it was checked");
        Ok(Box::new(BucketRouter::new(Dx::new(capacity))))
    },
    expected: |params, question| expected(params, question),
    ..Strategy::DEFAULT
}];

/// What theory says of a cluster as it was built. The draws are independent, so their number is
/// geometric, cut off where the live slots are ranked instead; each of n then takes one hash.
fn expected(params: &Params, question: Question) -> Option<Estimate> {
    match question {
        Question::HashEvals { n } | Question::Probes { n } if n > 0 => {
            let size = reserved(params, n).next_power_of_two();
            let live = n as f64 / size as f64;
            let none = libm::pow(1.0 - live, most_draws(size) as f64);
            Some(Estimate::exact((1.0 - none) / live + none * n as f64))
        }
        _ => even_and_minimal(question),
    }
}
