//! Keys whose hash is chosen.
//!
//! XXH3-64 maps the keys of eight bytes one to one onto all hashes: a bit flip, two rotations mixed
//! in, and twice a product and a shift, each of which can be undone. So there is one such key for
//! every hash, and a router can be asked what it does with that hash: which node has entry i of a
//! look-up table, or what an author's test found for the hashes it drew.

use router::HashFn;

/// The odd constant of the mixer for short keys.
const PRIME: u64 = 0x9fb2_1c65_1e98_df25;
/// Bytes of a key.
const LEN: u64 = 8;

/// Finds keys for a hash function that is XXH3-64 on keys of eight bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// What the hash function flips in a key, of its secret.
    flip: u64,
}

impl Wanted {
    /// `None` where the hash function is another.
    pub(super) fn of(hash: &HashFn) -> Option<Self> {
        let flip = unmixed((hash.eval)(&[0; LEN as usize]));
        let wanted = Self { flip };
        let seen = [0, 1, u64::MAX, 0x0123_4567_89ab_cdef];
        let found = |&it: &u64| (hash.eval)(&wanted.key(it)) == it;
        seen.iter().all(found).then_some(wanted)
    }

    /// The key of this hash.
    pub(super) fn key(self, hash: u64) -> [u8; LEN as usize] {
        // The function reads the second half of a key as its low word.
        (unmixed(hash) ^ self.flip).rotate_left(32).to_le_bytes()
    }
}

/// What the mixer makes into `hash`.
fn unmixed(hash: u64) -> u64 {
    let inverse = inverse(PRIME);
    let mut it = hash ^ (hash >> 28) ^ (hash >> 56);
    it = it.wrapping_mul(inverse);
    // The sum stays below bit 30, so the bits from 35 on are those from before.
    it ^= (it >> 35) + LEN;
    it = it.wrapping_mul(inverse);
    // x -> x ^ (x <<< 49) ^ (x <<< 24) is a polynomial in the rotation, over two elements; its 64th
    // power is 1, so its 63rd undoes it: the first, second, fourth ... 32nd power, one by one.
    for power in 0..6 {
        let by = |bits: u32| (bits << power) % 64;
        it ^= it.rotate_left(by(49)) ^ it.rotate_left(by(24));
    }
    it
}

/// The inverse of an odd number modulo 2^64: Newton's step doubles the bits that are right, and an
/// odd number is its own inverse to three bits.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |it, _| {
        it.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(it)))
    })
}
