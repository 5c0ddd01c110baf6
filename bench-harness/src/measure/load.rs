//! Balance of counts: how evenly keys lie on nodes of given weights.

use super::stats::{chi2_upper, nearest_rank};

/// Keys on each node and each node's share of the weight, both in joining order.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// Keys on each node.
    pub counts: &'a [u64],
    /// Share of the weight of each node; they add up to 1.
    pub weights: &'a [f64],
}

impl Load<'_> {
    /// Keys in all.
    #[must_use]
    pub fn n_keys(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Each node's load in fair shares, c_i / (K w_i), of the nodes with weight.
    pub fn ratios(&self) -> impl Iterator<Item = f64> {
        let keys = self.n_keys() as f64;
        self.counts
            .iter()
            .zip(self.weights)
            .filter(|&(_, &weight)| weight > 0.0)
            .map(move |(&count, &weight)| count as f64 / (keys * weight))
    }

    /// `peak_to_avg`: the busiest node, in fair shares.
    #[must_use]
    pub fn peak(&self) -> f64 {
        self.ratios().fold(f64::NAN, f64::max)
    }

    /// `min_to_avg`: the idlest node, in fair shares.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.ratios().fold(f64::NAN, f64::min)
    }

    /// `cv`: the population standard deviation of the loads in fair shares.
    #[must_use]
    pub fn cv(&self) -> f64 {
        population_sd(self.ratios())
    }

    /// `sd_keys`: the population standard deviation of the counts, empty nodes counted.
    #[must_use]
    pub fn sd_keys(&self) -> f64 {
        population_sd(self.counts.iter().map(|&count| count as f64))
    }

    /// The relative variance of the shares themselves, the key noise taken out. An unbiased
    /// estimate, so it may come out below 0; `share_cv` is the root of it, cut at 0.
    ///
    /// The noise term is mean((1 - w_i) / (K w_i)), which is (n - 1) / K for equal weights.
    #[must_use]
    pub fn share_variance(&self) -> f64 {
        let keys = self.n_keys() as f64;
        (self.cv().powi(2) - noise_variance(self.weights, keys)) / (1.0 - 1.0 / keys)
    }

    /// The 1st and 99th percentile of the loads in fair shares, nearest rank.
    #[must_use]
    pub fn p01_p99(&self) -> (f64, f64) {
        let mut ratios: Vec<f64> = self.ratios().collect();
        ratios.sort_by(f64::total_cmp);
        (nearest_rank(&ratios, 0.01), nearest_rank(&ratios, 0.99))
    }

    /// The chi-square statistic of the counts against expected shares, and its degrees of freedom.
    /// Infinite when a node without share has keys.
    #[must_use]
    pub fn chi2(&self, shares: &[f64]) -> (f64, f64) {
        let keys = self.n_keys() as f64;
        let mut statistic = 0.0;
        let mut df = -1.0;
        for (&count, &share) in self.counts.iter().zip(shares) {
            if share > 0.0 {
                df += 1.0;
                statistic += (count as f64 - keys * share).powi(2) / (keys * share);
            } else if count > 0 {
                statistic = f64::INFINITY;
            }
        }
        (statistic, df)
    }

    /// The upper-tail p-value of [`Load::chi2`].
    #[must_use]
    pub fn chi2_p(&self, shares: &[f64]) -> f64 {
        let (statistic, df) = self.chi2(shares);
        if statistic.is_infinite() {
            return 0.0;
        }
        chi2_upper(statistic, df)
    }
}

/// mean((1 - w_i) / (K w_i)) over the nodes with weight: the variance of the loads in fair shares
/// that evenly hashed keys alone give.
#[must_use]
pub(super) fn noise_variance(weights: &[f64], keys: f64) -> f64 {
    let weighted = || weights.iter().filter(|&&weight| weight > 0.0);
    let sum: f64 = weighted()
        .map(|weight| (1.0 - weight) / (keys * weight))
        .sum();
    sum / weighted().count() as f64
}

/// Population standard deviation.
fn population_sd(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / n)
        .sqrt()
}

/// The peak and the coefficient of variation of exact shares, in fair shares.
#[must_use]
pub(super) fn exact_peak_and_cv(shares: &[f64], weights: &[f64]) -> (f64, f64) {
    let ratios: Vec<f64> = shares
        .iter()
        .zip(weights)
        .filter(|&(_, &weight)| weight > 0.0)
        .map(|(share, weight)| share / weight)
        .collect();
    let peak = ratios.iter().copied().fold(f64::NAN, f64::max);
    (peak, population_sd(ratios.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_counts() {
        // Counts that users reported of a message exchange (total 100,000) and of a broker ring.
        let weights = [0.25; 4];
        let load = Load {
            counts: &[16849, 9423, 11531, 62197],
            weights: &weights,
        };
        assert!((load.peak() - 2.487_88).abs() < 1e-5);
        assert!((load.min() - 0.376_92).abs() < 1e-5);
        assert!((load.cv() - 0.865_820).abs() < 1e-6);
        let weights = [0.2; 5];
        let load = Load {
            counts: &[309_436, 278_731, 74_299, 146_689, 190_845],
            weights: &weights,
        };
        assert!((load.peak() - 1.547_18).abs() < 1e-5);
        assert!((load.cv() - 0.429_54).abs() < 1e-5);
        assert!((load.min() / load.peak() - 0.240_11).abs() < 1e-5);
    }

    #[test]
    fn an_empty_node_counts() {
        // The Node.js program leaves nodes without keys out and reports 0.3536 and 1 here.
        let load = Load {
            counts: &[1, 0],
            weights: &[0.5, 0.5],
        };
        assert_eq!(load.sd_keys(), 0.5);
        assert_eq!(load.min(), 0.0);
    }

    #[test]
    fn a_node_of_weight_zero_is_left_out() {
        let load = Load {
            counts: &[30, 0, 10],
            weights: &[0.75, 0.0, 0.25],
        };
        assert_eq!((load.peak(), load.min(), load.cv()), (1.0, 1.0, 0.0));
        assert_eq!(load.chi2_p(&[0.75, 0.0, 0.25]), 1.0);
        assert_eq!(
            Load {
                counts: &[30, 1, 9],
                weights: &[0.75, 0.0, 0.25]
            }
            .chi2_p(&[0.75, 0.0, 0.25]),
            0.0
        );
    }

    #[test]
    fn key_noise_is_taken_out() {
        // Two nodes of equal weight, K = 100: 55 to 45 is cv 0.1 = sqrt((n - 1) / K), all noise.
        let load = Load {
            counts: &[55, 45],
            weights: &[0.5, 0.5],
        };
        assert!(load.share_variance().abs() < 1e-12);
        // 27 letters on one of two nodes: the other extreme, share variance 1.
        let load = Load {
            counts: &[26, 0],
            weights: &[0.5, 0.5],
        };
        assert!((load.share_variance() - 1.0).abs() < 1e-12);
    }
}
