//! What theory says of bucket functions.

use router::{Estimate, Question};

/// Euler's constant, to the last bit of a double.
const EULER: f64 = 0.577_215_664_901_532_9;

/// Returns what holds of every [`crate::Lifo`] router whose function shares evenly; work is the
/// function's own.
///
/// Only the nodes that joined last can leave. Of n nodes `removed` leave and `added` join: a key
/// keeps its owner if its bucket is below n - `removed` before and after. A key that is there at the
/// larger of both numbers of buckets is there at the smaller too, so this is one share of the larger
/// number: 1 - (n - removed) / max(n, n - removed + added) of the keys move.
#[must_use]
pub fn even(question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { .. } => Some(Estimate::exact(0.0)),
        Question::Peak { .. } => Some(Estimate::exact(1.0)),
        Question::Moved { n, removed, added } => {
            let kept = n.checked_sub(removed)?;
            let most = n.max(kept.checked_add(added)?);
            (most > 0).then(|| Estimate::exact((most - kept) as f64 / most as f64))
        }
        _ => None,
    }
}

/// Returns H_n = 1 + 1/2 + ... + 1/n, to within 1e-14; 0 for n = 0. Takes
/// constant time.
#[must_use]
pub fn harmonic(n: u64) -> f64 {
    if n <= 1024 {
        return (1..=n).rev().fold(0.0, |sum, i| sum + 1.0 / i as f64);
    }
    // The asymptotic series; its next term, 1 / (252 n^6), is nothing beside the sum.
    let n = n as f64;
    let n2 = n * n;
    libm::log(n) + EULER + 1.0 / (2.0 * n) - 1.0 / (12.0 * n2) + 1.0 / (120.0 * n2 * n2)
}

/// Returns s = 1 - n / 2^ceil(log2 n): how much of the power of two that holds n buckets has none. 0
/// at powers of two, nearly 1/2 just above them. The work of functions that draw among a power of
/// two depends on n by it alone, or nearly so.
///
/// # Panics
///
/// When n is 0 or above 2^63.
#[must_use]
pub fn gap(n: u64) -> f64 {
    assert!(n > 0, "no buckets, no gap");
    let room = n.next_power_of_two();
    (room - n) as f64 / room as f64
}
