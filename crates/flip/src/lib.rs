//! `FlipHash`: a bucket among a power of two, flipped at random within its half, or drawn again.
//!
//! Among 2^r buckets the lowest r bits of a hash name one, and when the buckets double a key stays
//! or goes to the upper half: but always to the twin of its old bucket. So the bits below the highest
//! set one are flipped by a second hash, which depends on that bit's place, and the upper half is
//! entered at random. If n lies between two powers of two, a key whose bucket is beyond n draws
//! again, among the upper power of two: a draw below n counts if it is in the upper half, and the
//! first draw in the lower half sends the key to its bucket among the lower power of two.
//!
//! ```text
//!   n = 11, r = 4      lowest 4 bits of the hash   1 0 0 1     highest set bit: 8
//!                      flipped below it by         . 1 0 1     h(3, 0)
//!                                                  1 1 0 0     12 >= 11: draw again
//!                      h(3, 1) mod 16 = 14         beyond n:   again
//!                      h(3, 2) mod 16 = 10         the bucket; had it been 0 to 7: the lower half
//! ```
//!
//! ```text
//!   key = XXH3-64 of the key's bytes, seed 0;  r = ceil(log2 n)           all modulo 2^64
//!   h(b, i): k = key * (2b + 1);  k = (k xor k >> 27) * 0x3c79ac492ba7b653
//!            k = k * (2i + 1);    k = (k xor k >> 33) * 0x1c69b3f74ac4ae35;  k xor k >> 27
//!   p(r): x = h(0, 0) mod 2^r;  0 if x = 0, else x xor (h(b, 0) mod 2^b), b = floor(log2 x)
//!   d = p(r);  if d < n: done
//!   repeat for i = 1, 2, ..., 64:
//!       t = h(r - 1, i) mod 2^r;  if t < 2^(r-1): stop;  if t < n: t, done
//!   p(r - 1)
//! ```
//!
//! # Cost
//!
//! n nodes, m = 2^r buckets of which s = 1 - n/m are not there.
//!
//! | | |
//! |---|---|
//! | build | O(n): the list of nodes, 4 bytes each; the function itself has no state |
//! | look-up | the key's hash and 2 to 7/2 more in the mean: 2 + 3/2 s/(1 - s) |
//! | the same, buckets considered | 1 + 3/2 s/(1 - s) |
//! | add or remove the last node | O(1) |
//! | keys moved | those of the last node: 1/(n + 1) when one joins, 1/n when it leaves |
//! | evenness | equal shares |
//!
//! The hashes are a little fewer for small n: buckets 0 and 1 have no bits to flip, which saves 2/m of
//! a hash, and 4/m of one on the way to the lower half. The work is a saw-tooth of n: compare it at a
//! power of two and just above. Hash evaluations are the key's hash and each h; probes the buckets
//! considered.
//!
//! # Pick it when, avoid it when
//!
//! Pick it for numbered shards that only grow or shrink at the end, at any size: integers only, no
//! state, no division. Its hashes can also be taken from the key's bytes directly, where 64 bits a
//! key are not enough. Avoid it when any node may fail: as with jump, only the last one can leave.
//!
//! # Deviations from the paper
//!
//! The function is Datadog's `fliphash_64` with seed 0 on a key that was hashed first: one that is
//! equal to the seed is a fixed point of the mixer and stays in bucket 0 for every n. Its other form,
//! with h(b, i) = XXH3-64 of the bytes with seed b + 2^32 i, gives other owners; a test holds its
//! answers through [`flip`], but no strategy offers it. The draws end after 64, as Datadog's: that
//! many are not needed but once in more than 2^64 keys.
//!
//! # References
//!
//! - C. Masson and H. K. Lee, "FlipHash: A Constant-Time Consistent Range-Hashing Algorithm", 2024,
//!   arXiv 2402.17549.
//! - fliphash-rs, Datadog: the authors' implementation.

use bucket_hash::{BucketFn, CAPABILITIES, Lifo, Work, even, gap};
use router::{Estimate, Question, Sizes, Strategy};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "flip",
    family: "flip",
    hash: &point_hash::XXH3,
    summary: "Bits of the hash flipped by others, drawn again beyond n; only the last can leave",
    source: "Masson and Lee, FlipHash, 2024; the mixer of Datadog's fliphash_64",
    sizes: Sizes::PowersOfTwo,
    capabilities: |_, _| CAPABILITIES,
    build: |_, _, _| Ok(Box::new(Lifo::new(Flip))),
    expected: |_, question| expected(question),
    ..Strategy::DEFAULT
}];

/// The bucket function over [`hash64`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Flip;

impl BucketFn for Flip {
    #[inline]
    fn bucket(&self, key_hash: u64, n: u32, work: &mut impl Work) -> u32 {
        let bucket = flip(n.into(), |b, i| hash64(key_hash, b, i), work);
        u32::try_from(bucket).expect("it is below n")
    }
}

/// The most draws that a key makes beyond its first bucket.
const MOST_DRAWS: u32 = 64;

/// Returns the bucket among `n`, 1 to 2^63, of the key whose hashes are h(b, i).
///
/// The hashes must be independent from one (b, i) to the next.
#[inline]
pub fn flip(n: u64, h: impl Fn(u32, u32) -> u64, work: &mut impl Work) -> u64 {
    // Symbols of the paper:
    //   2^r    the lowest power of two that holds n buckets; mask keeps r bits
    //   d      the bucket among 2^r, t one drawn instead
    let mask = n.next_power_of_two() - 1;
    let r = mask.count_ones();
    work.hash_eval();
    let first = h(0, 0);
    let d = flipped(first & mask, &h, work);
    if d < n {
        return d;
    }
    for i in 1..=MOST_DRAWS {
        work.hash_eval();
        work.probe();
        let t = h(r - 1, i) & mask;
        if t <= mask >> 1 {
            break;
        }
        if t < n {
            return t;
        }
    }
    flipped(first & (mask >> 1), &h, work)
}

/// Flips the bits of `x` below its highest set one.
#[inline]
fn flipped(x: u64, h: &impl Fn(u32, u32) -> u64, work: &mut impl Work) -> u64 {
    work.probe();
    if x < 2 {
        return x;
    }
    work.hash_eval();
    let b = x.ilog2();
    x ^ (h(b, 0) & ((1 << b) - 1))
}

/// The 64-bit hash h(b, i) of a key that is a 64-bit number, with seed 0. 0 stays 0.
#[must_use]
#[inline]
pub fn hash64(key: u64, b: u32, i: u32) -> u64 {
    let odd = |it: u32| 2 * u64::from(it) + 1;
    let mut k = key.wrapping_mul(odd(b));
    k = (k ^ (k >> 27)).wrapping_mul(0x3c79_ac49_2ba7_b653);
    k = k.wrapping_mul(odd(i));
    k = (k ^ (k >> 33)).wrapping_mul(0x1c69_b3f7_4ac4_ae35);
    k ^ (k >> 27)
}

fn expected(question: Question) -> Option<Estimate> {
    match question {
        // The key's own hash, h(0, 0), and what flips the first bucket, if it has bits to flip. It
        // lies beyond n with probability s; a draw does so again with probability s, and is in the
        // lower half with probability 1/2.
        Question::HashEvals { n } if n > 0 => {
            let (s, m) = (gap(n), n.next_power_of_two() as f64);
            let flips = (1.0 - 2.0 / m).max(0.0);
            let flips_in_lower_half = (1.0 - 4.0 / m).max(0.0);
            let again = s / (1.0 - s) * (1.0 + 0.5 * flips_in_lower_half);
            Some(Estimate::exact(2.0 + flips + again))
        }
        Question::Probes { n } if n > 0 => {
            let s = gap(n);
            Some(Estimate::exact(1.0 + 1.5 * s / (1.0 - s)))
        }
        _ => even(question),
    }
}
