//! CRUSH's hash of three words, rjenkins1.
//!
//! Robert Jenkins's mix of 96 bits ("Hash Functions", Dr. Dobb's Journal, 1997), put together as Ceph's
//! `crush/hash.c` does it: five mixes of the three words, two constants and the sum of all.

/// What the hash starts from, xored with the three words.
const SEED: u32 = 1_315_423_911;

/// The rjenkins1 hash of three words.
#[must_use]
#[inline]
pub fn hash3(a: u32, b: u32, c: u32) -> u32 {
    let [hash] = hash3_lanes([a], [b], [c]);
    hash
}

/// The hashes of `N` times three words, step by step side by side.
#[must_use]
#[inline]
pub fn hash3_lanes<const N: usize>(mut a: [u32; N], mut b: [u32; N], mut c: [u32; N]) -> [u32; N] {
    let mut hash: [u32; N] = std::array::from_fn(|i| SEED ^ a[i] ^ b[i] ^ c[i]);
    let (mut x, mut y) = ([231_232; N], [1232; N]);
    mix(&mut a, &mut b, &mut hash);
    mix(&mut c, &mut x, &mut hash);
    mix(&mut y, &mut a, &mut hash);
    mix(&mut b, &mut x, &mut hash);
    mix(&mut y, &mut c, &mut hash);
    hash
}

/// Mixes 96 bits: nine steps, each of which takes the two other words from one, and the next one
/// shifted.
#[inline(always)] // see `right`
fn mix<const N: usize>(a: &mut [u32; N], b: &mut [u32; N], c: &mut [u32; N]) {
    right::<13, N>(a, b, c);
    left::<8, N>(b, c, a);
    right::<13, N>(c, a, b);
    right::<12, N>(a, b, c);
    left::<16, N>(b, c, a);
    right::<5, N>(c, a, b);
    right::<3, N>(a, b, c);
    left::<10, N>(b, c, a);
    right::<15, N>(c, a, b);
}

// The loop of a step becomes one vector operation only where all steps are in sight of each other.
#[inline(always)]
fn right<const BY: u32, const N: usize>(one: &mut [u32; N], two: &[u32; N], three: &[u32; N]) {
    for i in 0..N {
        one[i] = one[i].wrapping_sub(two[i]).wrapping_sub(three[i]) ^ (three[i] >> BY);
    }
}

#[inline(always)]
fn left<const BY: u32, const N: usize>(one: &mut [u32; N], two: &[u32; N], three: &[u32; N]) {
    for i in 0..N {
        one[i] = one[i].wrapping_sub(two[i]).wrapping_sub(three[i]) ^ (three[i] << BY);
    }
}
