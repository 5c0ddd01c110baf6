//! CRUSH's hash of three words, rjenkins1.
//!
//! Robert Jenkins's mix of 96 bits ("Hash Functions", Dr. Dobb's Journal, 1997), put together as Ceph's
//! `crush/hash.c` does it: five mixes of the three words, two constants and the sum of all.

/// What the hash starts from, xored with the three words.
const SEED: u32 = 1_315_423_911;

/// The rjenkins1 hash of three words.
#[must_use]
#[inline(always)] // too long for the compiler's taste, but only where it stands in a loop does that become vectors
pub fn hash3(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    let mut hash = SEED ^ a ^ b ^ c;
    let (mut x, mut y) = (231_232, 1232);
    mix(&mut a, &mut b, &mut hash);
    mix(&mut c, &mut x, &mut hash);
    mix(&mut y, &mut a, &mut hash);
    mix(&mut b, &mut x, &mut hash);
    mix(&mut y, &mut c, &mut hash);
    hash
}

/// Mixes 96 bits: nine steps, each of which takes the two other words from one, and the next one
/// shifted.
#[inline(always)]
fn mix(a: &mut u32, b: &mut u32, c: &mut u32) {
    let less = |one: u32, two: u32, three: u32| one.wrapping_sub(two).wrapping_sub(three);
    *a = less(*a, *b, *c) ^ (*c >> 13);
    *b = less(*b, *c, *a) ^ (*a << 8);
    *c = less(*c, *a, *b) ^ (*b >> 13);
    *a = less(*a, *b, *c) ^ (*c >> 12);
    *b = less(*b, *c, *a) ^ (*a << 16);
    *c = less(*c, *a, *b) ^ (*b >> 5);
    *a = less(*a, *b, *c) ^ (*c >> 3);
    *b = less(*b, *c, *a) ^ (*a << 10);
    *c = less(*c, *a, *b) ^ (*b >> 15);
}
