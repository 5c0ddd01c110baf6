//! More hashes of a key from its first one: the SplitMix64 sequence.
//!
//! Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. The state
//! is a counter with an odd step; a finalizer makes each of its values into an output. So the
//! `i`-th output needs none of those before it.

/// The counter's step: 2^64 over the golden ratio, made odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finalizer: a bijection of 64 bits in which each input bit turns about half of the
/// output bits. 0 stays 0.
#[must_use]
#[inline]
pub fn mix64(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The `i`-th further hash, from 0, of a key whose first hash is `key_hash`: output `i` of
/// [`SplitMix64`] with that seed, `mix64(key_hash + (i + 1) * 0x9e3779b97f4a7c15)`.
#[must_use]
#[inline]
pub fn rehash(key_hash: u64, i: u64) -> u64 {
    mix64(key_hash.wrapping_add(STEP.wrapping_mul(i.wrapping_add(1))))
}

/// The two halves of `x * 0x9e3779b97f4a7c15`, 128 bits wide, xored: one multiplication, at half
/// the price of [`mix64`].
///
/// The upper bits of the low half depend on every lower bit of `x`, the high half on the upper
/// ones. That is enough for an `x` whose bits are random already, such as the hash of a key xored
/// with the hash of a node, and not for a counter. Not a bijection; 0 stays 0.
#[must_use]
#[inline]
pub fn fold64(x: u64) -> u64 {
    let product = u128::from(x) * u128::from(STEP);
    (product >> 64) as u64 ^ product as u64
}

/// The SplitMix64 sequence: 64 bits a draw.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence that belongs to `seed`.
    #[must_use]
    #[inline]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix64(self.0)
    }
}
