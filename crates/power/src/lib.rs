//! Power consistent hashing: a bucket among a power of two, and one jump on where n ends before it.
//!
//! Among a power of two of buckets the lowest bits of a hash say how high a key goes: the highest set
//! bit is its level [b, 2b), and where it stands in that level is a second hash. If n lies between
//! two powers of two, half = m/2 and m, a key that stands beyond n forgets that level; it then jumps,
//! as jump does, from bucket half - 1 over the buckets between half and n. If it lands on one, that
//! has it; if its first jump goes beyond n, the key is where it stands among the lower half.
//!
//! ```text
//!   n = 11:   0 1 2 3 4 5 6 7 | 8 9 10 . . . . .     m = 16, half = 8
//!                                          ^         f(16) = 13 >= 11
//!                           7 --> 9 -----------> 15  jumps from 7: the last bucket below 11 is 9
//!                           7 --------------> 12     or none is:   f(8), among 0 to 7
//! ```
//!
//! ```text
//!   key = XXH3-64 of the key's bytes, seed 0;  m = lowest power of two, at least n
//!   h(i) = output i, from 0, of SplitMix64 seeded with key
//!   f(m): x = key mod m;  x if x < 2, else b + h(log2 b) mod b, b = highest power of two in x
//!   if f(m) < n: done
//!   x = m/2 - 1
//!   repeat for i = 32, 33, ...:
//!       U = (2 floor(h(i) / 2^12) + 1) / 2^53                    exact in a double, never 0 or 1
//!       r = floor((x + 1) / U)                                   the quotient as a double
//!       if r >= n: stop;  x = r
//!   if x >= m/2: x, done
//!   f(m/2)
//! ```
//!
//! # Cost
//!
//! n nodes, m the power of two, s = 1 - n/m the part of it that is not there.
//!
//! | | |
//! |---|---|
//! | build | O(n): the list of nodes, 4 bytes each; the function itself has no state |
//! | look-up | the key's hash and 1 more in the mean at powers of two, 2 just above them |
//! | the same, buckets considered | 1 + s (1 + H_n - H_(m/2) + m/(2n)): up to 2 |
//! | add or remove the last node | O(1) |
//! | keys moved | those of the last node: 1/(n + 1) when one joins, 1/n when it leaves |
//! | evenness | equal shares, to within n / 2^52 of a share |
//!
//! H_n = 1 + 1/2 + ... + 1/n. The jumps of one look-up are 1 + H_n - H_(m/2) in the mean, at most
//! 1 + ln 2, a division each, and only s of the look-ups make any. The work is a saw-tooth of n:
//! compare it at a power of two and just above. Hash evaluations are the key's hash and each h;
//! probes the buckets considered, a jump beyond n included.
//!
//! # Pick it when, avoid it when
//!
//! Pick it for numbered shards that only grow or shrink at the end: constant time, no state, and just
//! above a power of two half the look-ups still take two hashes and no division. Avoid it when any
//! node may fail: as with jump, only the last one can leave. Avoid it where doubles are to be
//! avoided: others of its kind need none.
//!
//! # Deviations from the paper
//!
//! The paper leaves the random numbers open; here they are SplitMix64's, numbered so that no two
//! uses share one, and a number is never 0 (which a jump could not divide by). The paper's jump goes
//! to the quotient rounded up, less one; ours to the quotient rounded down, which is the same unless
//! the quotient is whole, and it never is below n but by its own rounding. A quotient of doubles is
//! rounded alike by every machine, so the owners do not depend on one.
//!
//! # References
//!
//! - E. Leu, "Fast Consistent Hashing in Constant Time", 2023, arXiv 2307.12448.
//! - J. Lamping and E. Veach, "A fast, minimal memory, consistent hash algorithm", 2014: the jump.

use bucket_hash::{BucketFn, CAPABILITIES, Lifo, Work, even, gap, harmonic};
use point_hash::rehash;
use router::{Estimate, Question, Sizes, Strategy};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "power",
    family: "power",
    hash: &point_hash::XXH3,
    summary: "A bucket among a power of two, jumping on beyond n; only the last can leave",
    source: "Leu, Fast Consistent Hashing in Constant Time, 2023, over SplitMix64",
    sizes: Sizes::PowersOfTwo,
    capabilities: |_, _| CAPABILITIES,
    build: |_, _, _| Ok(Box::new(Lifo::new(Power))),
    expected: |_, question| expected(question),
    ..Strategy::DEFAULT
}];

/// The first hash that a jump takes: those before it belong to the levels.
const FIRST_JUMP: u64 = 32;

/// The bucket function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Power;

impl BucketFn for Power {
    #[inline]
    fn bucket(&self, key_hash: u64, n: u32, work: &mut impl Work) -> u32 {
        let m = n.next_power_of_two();
        let bucket = among(m, key_hash, work);
        if bucket < n {
            return bucket;
        }
        let half = m / 2;
        let bucket = jump_on(half - 1, key_hash, n, work);
        if bucket >= half {
            return bucket;
        }
        among(half, key_hash, work)
    }
}

/// The paper's f: the bucket among `m`, a power of two.
#[inline]
fn among(m: u32, key_hash: u64, work: &mut impl Work) -> u32 {
    work.probe();
    let x = low_half(key_hash) & (m - 1);
    if x < 2 {
        return x;
    }
    let level = x.ilog2();
    let b = 1 << level;
    work.hash_eval();
    b + (low_half(rehash(key_hash, level.into())) & (b - 1))
}

/// The paper's g: jumps from bucket `x` as long as the next one is below `n`.
#[inline]
fn jump_on(mut x: u32, key_hash: u64, n: u32, work: &mut impl Work) -> u32 {
    for i in FIRST_JUMP.. {
        work.hash_eval();
        work.probe();
        let next = f64::from(x + 1) / unit(rehash(key_hash, i));
        if next >= f64::from(n) {
            break;
        }
        x = next as u32;
    }
    x
}

/// The middle of one of the 2^52 parts of the unit interval: between 0 and 1, and neither.
#[inline]
fn unit(word: u64) -> f64 {
    (2 * (word >> 12) + 1) as f64 / (1_u64 << 53) as f64
}

/// The low 32 bits.
#[inline]
fn low_half(word: u64) -> u32 {
    word as u32
}

fn expected(question: Question) -> Option<Estimate> {
    match question {
        // The key's own hash, and f's if the level has more than one bucket. The key stands beyond n
        // with probability s, jumps, and with probability m / (2n) finds no bucket.
        Question::HashEvals { n } if n > 0 => {
            let m = n.next_power_of_two() as f64;
            let f = |m: f64| (1.0 - 2.0 / m).max(0.0);
            let work = gap(n) * (n_jumps(n) + m / (2.0 * n as f64) * f(m / 2.0));
            Some(Estimate::exact(1.0 + f(m) + work))
        }
        Question::Probes { n } if n > 0 => {
            let m = n.next_power_of_two() as f64;
            let work = gap(n) * (n_jumps(n) + m / (2.0 * n as f64));
            Some(Estimate::exact(1.0 + work))
        }
        _ => even(question),
    }
}

/// Jumps of a look-up that makes any: one at every bucket visited, and the first.
fn n_jumps(n: u64) -> f64 {
    1.0 + harmonic(n) - harmonic(n.next_power_of_two() / 2)
}
