//! The remainder of a hash, without dividing.

/// A divisor with its inverse: the remainder takes two multiplications, where the division of a
/// 64-bit number is the slowest thing of a look-up.
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    divisor: u64,
    /// (2^64 - 1) / divisor, rounded down.
    inverse: u64,
}

impl Divisor {
    /// This divisor.
    ///
    /// # Panics
    ///
    /// When it is 0 or above 2^63.
    #[must_use]
    pub fn new(divisor: u64) -> Self {
        assert!((1..=1 << 63).contains(&divisor), "divisor {divisor}");
        Self {
            divisor,
            inverse: u64::MAX / divisor,
        }
    }

    /// The divisor itself.
    #[must_use]
    pub fn get(self) -> u64 {
        self.divisor
    }

    /// `n mod divisor`, exactly.
    #[must_use]
    #[inline]
    pub fn remainder(self, n: u64) -> u64 {
        // inverse >= 2^64 / divisor - 1, so this product over 2^64 is above n / divisor - 1: rounded
        // down it is the quotient or one less.
        let quotient = (u128::from(n) * u128::from(self.inverse)) >> 64;
        let rest = n - quotient as u64 * self.divisor;
        if rest >= self.divisor {
            rest - self.divisor
        } else {
            rest
        }
    }
}
