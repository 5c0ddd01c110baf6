//! An integer logarithm of 16-bit numbers.

use std::sync::LazyLock;

/// Binary digits behind the point.
const DIGITS: u32 = 44;

/// floor(2^44 log2(v)) for v from 1 to 65,536, at index v - 1: from 0 to 2^48.
///
/// Made when the first key is asked for, 512 KiB for all routers together.
pub(crate) static LOGS: LazyLock<Vec<u64>> = LazyLock::new(|| (1..=1 << 16).map(log2).collect());

/// Returns floor(2^44 log2(v)), for v from 1 to 65,536.
///
/// A logarithm's binary digits are found by squaring: if v is 2^e m with 1 <= m < 2, then e are the
/// digits before the point, and the next one is whether m^2 is 2 or more. m keeps 63 digits, so it may
/// end up too small by one in 2^19; for no v is that enough to lose a digit, which a test shows.
///
/// # Panics
///
/// When v is 0.
#[must_use]
pub fn log2(v: u64) -> u64 {
    let exponent = v.ilog2();
    let mut mantissa = v << (63 - exponent);
    let mut digits = u64::from(exponent);
    for _ in 0..DIGITS {
        // 126 digits behind the point.
        let square = u128::from(mantissa) * u128::from(mantissa);
        let digit = square >> 127;
        mantissa = (square >> (63 + digit)) as u64;
        digits = digits << 1 | digit as u64;
    }
    digits
}
