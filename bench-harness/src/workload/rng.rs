//! Seeded random streams: one a purpose, so that more draws for one list change no other.

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use sha2::{Digest, Sha256};

/// What a stream of random numbers is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Names of nodes.
    NodeNames,
    /// Keys.
    Keys,
    /// Which nodes a change meets.
    Changes,
    /// The order in which equals take their turns.
    Order,
    /// Which keys are popular.
    Popularity,
    /// Bytes of what is stored under a key.
    Bytes,
    /// Simulated hash noise.
    Noise,
    /// Values drawn again from those that were seen.
    Resamples,
    /// Simulated runs, whose statistics are tested.
    Selftest,
}

impl Purpose {
    /// Its name in the text that seeds its stream.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NodeNames => "nodes",
            Self::Keys => "keys",
            Self::Changes => "changes",
            Self::Order => "order",
            Self::Popularity => "popularity",
            Self::Bytes => "bytes",
            Self::Noise => "noise",
            Self::Resamples => "resamples",
            Self::Selftest => "selftest",
        }
    }
}

/// The stream of this seed and purpose, independent of all others.
///
/// The generator is PCG XSL RR 128/64 (MCG), known as `pcg64_fast`. Its state before the first step
/// is the first 16 bytes of the SHA-256 of the text `ringmark PURPOSE SEED` (such as
/// `ringmark nodes 7`), read as a little-endian number, with the lowest bit set to 1. A *draw* is
/// one step and its 64-bit output.
#[must_use]
pub fn stream(seed: u64, purpose: Purpose) -> Pcg64Mcg {
    let digest = Sha256::digest(format!("ringmark {} {seed}", purpose.name()));
    let (state, _) = digest
        .split_first_chunk()
        .expect("a SHA-256 has 32 bytes, of which 16 are taken");
    Pcg64Mcg::new(u128::from_le_bytes(*state))
}

/// A number from 0 to `n - 1` from one draw: the high 64 bits of the draw times `n`.
///
/// Always one draw, so a list's later entries do not depend on luck with earlier ones. No number is
/// more likely than another by more than one part in 2^64 / `n`.
///
/// # Panics
///
/// When `n` is 0.
pub fn below(rng: &mut Pcg64Mcg, n: usize) -> usize {
    assert!(n > 0, "there is no number below 0");
    let product = u128::from(rng.next_u64()) * n as u128;
    (product >> 64) as usize
}
