//! The factor of the caps, as the decimal number that a spec shows.

/// A factor of at least 1, exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factor {
    numerator: u64,
    denominator: u64,
}

impl Factor {
    /// The shortest decimal number that reads as `factor`, which is what a spec shows: 1.1 is 11/10,
    /// where the binary number nearest to it is a little more.
    ///
    /// # Panics
    ///
    /// When it is not from 1 to 1000.
    #[must_use]
    pub fn new(factor: f64) -> Self {
        assert!((1.0..=1000.0).contains(&factor), "factor {factor}");
        let text = factor.to_string();
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        // At most 17 digits, so that both numbers fit.
        let digits = u32::try_from(decimals.len()).expect("a few digits");
        Self {
            numerator: format!("{whole}{decimals}").parse().expect("digits"),
            denominator: 10_u64.pow(digits),
        }
    }

    /// `n` times the factor, rounded up.
    ///
    /// # Panics
    ///
    /// When that does not fit, from 2^54 on.
    #[must_use]
    pub fn times(self, n: u64) -> u64 {
        let product = u128::from(self.numerator) * u128::from(n);
        let whole = product.div_ceil(u128::from(self.denominator));
        u64::try_from(whole).expect("keys in memory, times 1000 at most")
    }
}
