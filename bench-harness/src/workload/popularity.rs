//! How often each key is asked.

use super::{Purpose, below, stream};

/// The share of all requests that each rank of `n` keys gets, the most popular first: proportional
/// to `1 / rank^s`, adding up to 1. With `s` = 0 all are equal.
///
/// Powers go through `libm`, and the sum starts at the smallest, so that every machine gives the
/// same bits and the rounding stays small.
#[must_use]
pub fn zipf_shares(n: usize, s: f64) -> Vec<f64> {
    let mut shares: Vec<f64> = (1..=n).map(|rank| libm::pow(rank as f64, -s)).collect();
    let total: f64 = shares.iter().rev().sum();
    for share in &mut shares {
        *share /= total;
    }
    shares
}

/// The popularity rank, from 0, of each of `n` keys: a random permutation by seed.
///
/// Fisher and Yates on the identity with the stream [`Purpose::Popularity`]: for i from 0 up, the
/// entries i and i + [`below`]`(n - i)` are exchanged.
#[must_use]
pub fn ranks(seed: u64, n: usize) -> Vec<usize> {
    let mut rng = stream(seed, Purpose::Popularity);
    let mut ranks: Vec<usize> = (0..n).collect();
    for i in 0..n {
        ranks.swap(i, i + below(&mut rng, n - i));
    }
    ranks
}
