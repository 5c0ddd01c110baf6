//! `BinomialHash`: a bucket among a power of two, tried again a few times where n ends before it.
//!
//! The buckets form a binomial tree: the lowest bits of a hash name a node, its highest set bit is
//! its level [b, 2b), and a second hash places the key anew within the level, so that a key that
//! enters a new level need not go to the twin of its old bucket. If n lies between two powers of two
//! and the key stands beyond n, the hash is hashed again and the key tries again, at most `rounds`
//! times; a try in the lower half of the power of two, or having no try left, sends the key to its
//! bucket there.
//!
//! ```text
//!   n = 11, 16 places      first      13 >= 11    beyond n
//!                          round 1    12 >= 11    beyond n
//!                          round 2    10          the bucket; had it been below 8, or the last
//!                                                 round beyond n, then the bucket among 0 to 7
//! ```
//!
//! ```text
//!   key = XXH3-64 of the key's bytes, seed 0;  m = lowest power of two, at least n
//!   rehash(h, i) = output i, from 0, of SplitMix64 seeded with h
//!   relocate(x, h): x if x < 2, else b + rehash(h, b - 1) mod b, b = highest power of two in x
//!   x = relocate(key mod m, key);  if x < n: done
//!   h = key
//!   repeat `rounds` times:
//!       h = rehash(h, m - 1);  if h mod m < m/2: stop
//!       x = relocate(h mod m, h);  if x < n: done
//!   relocate(key mod m/2, key)
//! ```
//!
//! # Cost
//!
//! n nodes, m the power of two, s = 1 - n/m the part of it that is not there, q = s^(rounds + 1).
//!
//! | | |
//! |---|---|
//! | build | O(n): the list of nodes, 4 bytes each; the function itself has no state |
//! | look-up | the key's hash and 1 more at powers of two; just above them 3 |
//! | add or remove the last node | O(1) |
//! | keys moved | the last node's share, and no others |
//! | evenness | a node of the upper half has 1 - q of a fair share, one of the lower half 1 + q (1 - 2s) |
//!
//! The keys that run out of rounds are too few above and too many below: the shares are exact as
//! stated, for every hash that mixes. Right above a power of two s is nearly 1/2, and the nodes that
//! came last have 12.5 % too little with 2 rounds, 3.1 % with 4, 0.8 % with 6; at powers of two all
//! shares are equal. Their relative variance is q^2 (1 - 2s).
//!
//! The work is a saw-tooth of n: compare it at a power of two and just above. Hash evaluations are
//! the key's hash and each rehash; probes the places considered.
//!
//! # Pick it when, avoid it when
//!
//! Pick it for numbered shards that only grow or shrink at the end, with a bound on the work of every
//! single look-up: integers only, at most 2 `rounds` + 2 further hashes. Avoid it when shares must be equal
//! just above a power of two; jump-back and flip have them at the same price. Avoid it when any node
//! may fail: as with jump, only the last one can leave.
//!
//! # Deviations from the paper
//!
//! The authors' program rehashes by squaring a step of a linear generator and keeps 32 bits of that,
//! which mixes too little: of five nodes some have 3.8 % too much or too little, where theory says
//! 0.7 %. Ours rehashes by SplitMix64; the authors' answers are reproduced by the same function,
//! [`binomial`], with their rehash. They use 4 rounds, we 6 by default.
//!
//! # References
//!
//! - M. Coluzzi, A. Brocco, A. Antonucci and T. Leidi, "BinomialHash: A Constant Time, Minimal Memory
//!   Consistent Hashing Algorithm", 2024, arXiv 2406.19836.
//! - The authors' survey of algorithms in Java, class `BinomialEngine`.

mod theory;

use bucket_hash::{BucketFn, CAPABILITIES, Lifo, Work};
use point_hash::rehash;
use router::{Capabilities, Param, ParamKind, ParamRole, Params, Sizes, Strategy};

use theory::{Shares, expected};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "binomial",
    family: "binomial",
    hash: &point_hash::XXH3,
    summary: "Places of a binomial tree, tried again beyond n; only the last can leave",
    source: "Coluzzi and others, BinomialHash, 2024, over SplitMix64",
    params: &[Param {
        name: "rounds",
        role: ParamRole::Other,
        kind: ParamKind::Int {
            default: 6,
            min: 1,
            max: 64,
            multiple_of: 1,
        },
        help: "tries of a key that stands beyond the last node",
    }],
    // Few, so that keys run out of them.
    suite_params: "rounds=1",
    sizes: Sizes::PowersOfTwo,
    capabilities: |_, _| Capabilities {
        even: false,
        ..CAPABILITIES
    },
    build: |params, _, _| Ok(Box::new(Lifo::new(Binomial::of(params)))),
    expected: |params, question| expected(Binomial::of(params).rounds, question),
    ..Strategy::DEFAULT
}];

/// The bucket function.
#[derive(Clone, Copy, Debug)]
pub struct Binomial {
    /// Tries of a key that stands beyond n.
    pub rounds: u32,
}

impl Binomial {
    fn of(params: &Params) -> Self {
        Self {
            rounds: params.count("rounds"),
        }
    }
}

impl BucketFn for Binomial {
    #[inline]
    fn bucket(&self, key_hash: u64, n: u32, work: &mut impl Work) -> u32 {
        binomial(key_hash, n, self.rounds, rehash, work)
    }

    fn shares(&self, n: u32) -> Option<Vec<f64>> {
        let shares = Shares::new(n.into(), self.rounds);
        Some((0..n.into()).map(|bucket| shares.of(bucket)).collect())
    }
}

/// Returns the bucket among `n`, 1 to 2^31, of a key with this hash, in at most `rounds` tries beyond
/// the first.
#[inline]
pub fn binomial(
    key_hash: u64,
    n: u32,
    rounds: u32,
    rehash: impl Fn(u64, u64) -> u64,
    work: &mut impl Work,
) -> u32 {
    // Symbols of the paper: E, the mask of the enclosing tree, and M, that of the minor tree.
    let enclosing = n.next_power_of_two() - 1;
    let minor = enclosing >> 1;
    work.probe();
    let bucket = relocate(masked(key_hash, enclosing), key_hash, &rehash, work);
    if bucket < n {
        return bucket;
    }
    let mut hash = key_hash;
    for _ in 0..rounds {
        work.hash_eval();
        work.probe();
        hash = rehash(hash, enclosing.into());
        let place = masked(hash, enclosing);
        if place <= minor {
            break;
        }
        let bucket = relocate(place, hash, &rehash, work);
        if bucket < n {
            return bucket;
        }
    }
    work.probe();
    relocate(masked(key_hash, minor), key_hash, &rehash, work)
}

/// Another place of the level of `place`.
#[inline]
fn relocate(place: u32, hash: u64, rehash: &impl Fn(u64, u64) -> u64, work: &mut impl Work) -> u32 {
    if place < 2 {
        return place;
    }
    work.hash_eval();
    let b = 1 << place.ilog2();
    b + masked(rehash(hash, u64::from(b) - 1), b - 1)
}

/// The bits of `word` under a mask.
#[inline]
fn masked(word: u64, mask: u32) -> u32 {
    word as u32 & mask
}
