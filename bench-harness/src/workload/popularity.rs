//! How often each key is asked.

use super::{Purpose, below, stream};

/// How unequal the popularity of keys is: the exponent of a Zipf law, in hundredths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Popularity(u32);

impl Popularity {
    /// The three that are measured: exponents 0.8, 0.99 and 1.2. Web requests lie around the first
    /// two; the last is a very hot set.
    pub const ALL: [Self; 3] = [Self(80), Self(99), Self(120)];

    /// Between a key set and an exponent in the name of a scenario.
    const LINK: &'static str = "-zipf-";

    /// The Zipf exponent.
    #[must_use]
    pub fn exponent(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// The name of the scenario that asks a key set with this popularity, `hex64-zipf-0.99`.
    #[must_use]
    pub fn scenario(self, key_set: &str) -> String {
        format!("{key_set}{}{}", Self::LINK, self.exponent())
    }

    /// The popularity that a scenario's name tells of; `None` where every key is asked as often as
    /// any other.
    #[must_use]
    pub fn of(scenario: &str) -> Option<Self> {
        let (_, exponent) = scenario.rsplit_once(Self::LINK)?;
        Self::ALL
            .into_iter()
            .find(|it| it.exponent().to_string() == exponent)
    }

    /// Requests for each rank of `n` keys, the most popular first, out of about 2^50 in all: whole
    /// numbers, so that their sums do not depend on the order.
    #[must_use]
    pub fn requests(self, n: usize) -> Vec<u64> {
        let shares = zipf_shares(n, self.exponent()).into_iter();
        shares
            .map(|share| libm::round(share * (1_u64 << 50) as f64) as u64)
            .collect()
    }
}

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

/// Whole requests for each rank of keys with these shares, the most popular first: `total` in all, each
/// rank within one of its share, however many keys there are for a request.
///
/// Rank r gets what rounding the sum of the first r shares adds to rounding that of those before.
#[must_use]
pub fn whole_requests(shares: &[f64], total: u64) -> Vec<u64> {
    let (mut sum, mut given) = (0.0, 0);
    let last = shares.len().saturating_sub(1);
    let requests = shares.iter().enumerate().map(|(rank, share)| {
        sum += share;
        // The shares add up to 1 but for rounding; the last rank takes what that leaves.
        let upto = match rank == last {
            true => total,
            false => (libm::round(sum * total as f64) as u64).min(total),
        };
        let ours = upto - given;
        given = upto;
        ours
    });
    requests.collect()
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
