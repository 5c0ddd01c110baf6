//! Hash modulo the number of nodes: the control.
//!
//! The nodes stand in joining order; a key's hash, divided by their number, leaves the place of its
//! owner as the remainder. Nothing could be simpler, faster or more even, and nothing moves more
//! keys: when the number changes from 10 to 11, ten of eleven remainders change with it. It is here
//! so that every chart has a zero: what a strategy costs, and what it saves, is read against this.
//!
//! ```text
//!   hash      0 1 2 3 4 5 6 7 8 9 ...        3 nodes    a b c a b c a b c a ...
//!                                            4 nodes    a b c d a b c d a b ...
//!                                            stays      * * *                    3 of lcm(3, 4)
//! ```
//!
//! # Cost
//!
//! With n nodes: building and every change O(n), 4 bytes a node; a look-up hashes the key once and
//! reads one table entry, whatever n is. When nodes join, n becoming n', `1 - n / lcm(n, n')` of the
//! keys move: 91 % from 10 to 11. When one leaves, whichever it is, `1 - 1/n` move: 90 % from 10 to 9.
//!
//! # Pick it when, avoid it when
//!
//! Pick it when the number of nodes never changes, or when moving everything costs nothing. Avoid it
//! for caches and stores: each change of membership moves nearly all keys, so one lost cache node
//! empties the other caches too.
//!
//! # The published program
//!
//! `modulo-java` is the rule that the blog article on splitting tables (zouyq, 2018) starts from:
//! `hash(user_id) % size`, with Java's `String.hashCode` of the decoded text. Its defects, and the
//! smallest input that shows each:
//!
//! - Java's `%` takes the sign of the hash, so a key whose hash is negative has no table: `user10` of
//!   10 gives -2, and of decimal numbers `1700000` is the first, -2 too. Mended: the remainder is
//!   `Math.floorMod`, which is what the rule gives wherever it gives one (place 8 for both keys).
//! - `Math.abs` before `%`, the mending that is often proposed, fails for the one hash that has no
//!   positive twin: `polygenelubricants` hashes to -2147483648, and `abs` leaves that as it is: -8.
//!   Our place is 2. Masking the sign bit gives every key a place, but not the rule's: 0 for this one.
//! - `String.hashCode` mixes nothing: `Aa` and `BB` have one hash, and keys that differ in their last
//!   digit alone lie side by side. Kept. So `modulo-java` shares the hash space evenly, but does not
//!   claim to share keys evenly.
//!
//! # Deviations
//!
//! `modulo` divides all 64 bits of XXH3-64. The places differ by at most one of 2^64 hash values,
//! which is not measurable, and which `even` passes over.
//!
//! # References
//!
//! - zouyq, "A personal understanding of consistent hashing, from splitting tables in business" (blog
//!   article, in Chinese), 2018: the rule, and why it is not enough.
//! - D. E. Knuth, "The Art of Computer Programming", volume 3, section 6.4: hashing by division.

use std::marker::PhantomData;

use point_hash::{java_hash_code, xxh3};
use router::{
    Capabilities, Estimate, Members, NodeId, Position, Question, Role, Router, Step, Strategy,
    Trace,
};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "modulo",
        family: "modulo",
        role: Role::Control,
        hash: &point_hash::XXH3,
        summary: "XXH3-64 modulo the number of nodes: the control of every chart",
        source: "division hashing (Knuth, The Art of Computer Programming, vol. 3) with the common hash",
        capabilities: |_, _| Capabilities {
            even: true,
            ..CAPABILITIES
        },
        build: |_, _, _| Ok(Box::new(Modulo::<Xxh3>::default())),
        expected: |_, question| expected(question),
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "modulo-java",
        family: "modulo",
        role: Role::Published,
        hash: &point_hash::JAVA,
        summary: "hash(user_id) % size with Java's String.hashCode, as a table-splitting rule",
        source: "zouyq, blog article on consistent hashing and table splitting, 2018",
        capabilities: |_, _| CAPABILITIES,
        build: |_, _, _| Ok(Box::new(Modulo::<JavaHash>::default())),
        expected: |_, question| work(question),
        ..Strategy::DEFAULT
    },
];

const CAPABILITIES: Capabilities = Capabilities {
    history_free: true,
    ..Capabilities::NONE
};

/// A router that divides a key's hash by the number of nodes; the remainder is the owner's place.
///
/// Cloning copies 4 bytes a node.
#[derive(Clone, Debug)]
pub struct Modulo<H> {
    /// The nodes in joining order.
    owners: Vec<NodeId>,
    hash: PhantomData<H>,
}

impl<H> Default for Modulo<H> {
    fn default() -> Self {
        Self {
            owners: Vec::new(),
            hash: PhantomData,
        }
    }
}

impl<H: KeyHash> Router for Modulo<H> {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.owners = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.owners[H::place(H::of(key), self.owners.len())]
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let n = self.owners.len();
        // The places repeat from the lowest hash value on, so the first of them get one more value.
        let first = H::place(H::LOWEST, n);
        let space = 1_u128 << H::BITS;
        let shares = self.owners.iter().enumerate().map(|(place, &owner)| {
            let begins = (place + n - first) % n;
            let values = (space - begins as u128).div_ceil(n as u128);
            (owner, values as f64 / space as f64)
        });
        Some(shares.collect())
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        Some(Trace {
            hash_evals: 1,
            probes: 1,
            batch_probes: 1.0,
            key_hash: Some(H::position(H::of(key))),
            ..Trace::default()
        })
    }
}

/// A hash of keys, and its remainder.
pub trait KeyHash: Clone + Send + Sync + 'static {
    /// A hash value.
    type Value: Copy;
    /// The number of hash values, as a power of two.
    const BITS: u32;
    /// The lowest hash value.
    const LOWEST: Self::Value;

    /// The hash of `key`.
    fn of(key: &[u8]) -> Self::Value;
    /// The remainder of `hash` divided by `n`, from 0 to n - 1.
    fn place(hash: Self::Value, n: usize) -> usize;
    /// The hash value as the harness shows it.
    fn position(hash: Self::Value) -> Position;
}

/// XXH3-64, seed 0.
#[derive(Clone, Debug)]
pub struct Xxh3;

impl KeyHash for Xxh3 {
    type Value = u64;
    const BITS: u32 = 64;
    const LOWEST: u64 = 0;

    #[inline]
    fn of(key: &[u8]) -> u64 {
        xxh3(key)
    }

    #[inline]
    fn place(hash: u64, n: usize) -> usize {
        (hash % n as u64) as usize
    }

    fn position(hash: u64) -> Position {
        Position::Unsigned(hash.into())
    }
}

/// Java's `String.hashCode` of the decoded text; the remainder is Java's `Math.floorMod`.
#[derive(Clone, Debug)]
pub struct JavaHash;

impl KeyHash for JavaHash {
    type Value = i32;
    const BITS: u32 = 32;
    const LOWEST: i32 = i32::MIN;

    #[inline]
    fn of(key: &[u8]) -> i32 {
        java_hash_code(key)
    }

    #[inline]
    fn place(hash: i32, n: usize) -> usize {
        i64::from(hash).rem_euclid(n as i64) as usize
    }

    fn position(hash: i32) -> Position {
        Position::Signed(hash.into())
    }
}

/// The theory of a hash that mixes.
fn expected(question: Question) -> Option<Estimate> {
    match question {
        // The shares differ by one of 2^64 values.
        Question::ShareVariance { .. } => Some(Estimate::exact(0.0)),
        Question::Peak { .. } => Some(Estimate::exact(1.0)),
        Question::Moved { n, removed, added } => moved(n, removed, added),
        _ => work(question),
    }
}

/// One hash, one table entry, whatever the hash and the number of nodes.
fn work(question: Question) -> Option<Estimate> {
    match question {
        Question::HashEvals { .. } | Question::Probes { .. } => Some(Estimate::exact(1.0)),
        _ => None,
    }
}

/// The share of keys that move when `removed` random nodes of `n` leave and `added` join behind the
/// others.
///
/// A key stays when the node at place `h mod n` survives and its new place is `h mod n'`. It has
/// moved up by the number d of nodes that left before it, so both remainders can hold only if `g =
/// gcd(n, n')` divides d, and then they do for one h of every `lcm(n, n')`. For a survivor drawn at
/// random, d is each of `0..=removed` equally often: it ranks anywhere among those that left.
fn moved(n: u64, removed: u64, added: u64) -> Option<Estimate> {
    let survivors = n.checked_sub(removed)?;
    let after = survivors.checked_add(added)?;
    if n == 0 || after == 0 {
        return None;
    }
    let g = gcd(n, after);
    let lcm = n as f64 * (after / g) as f64;
    let divisible = (removed / g + 1) as f64 / (removed + 1) as f64;
    let mean = 1.0 - survivors as f64 * divisible / lcm;
    // With g = 1 every d is a multiple: which nodes leave makes no difference.
    Some(if removed == 0 || g == 1 {
        Estimate::exact(mean)
    } else {
        Estimate::mean(mean)
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
