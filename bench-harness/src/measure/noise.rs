//! The hash-noise band: what evenly hashed keys alone would show.

use rand::Rng;
use rand_distr::{Binomial, Distribution};
use rand_pcg::Pcg64Mcg;

use super::{
    load::{Load, noise_variance},
    stats::{chi2_quantile, nearest_rank},
};
use crate::workload::{Purpose, stream};

/// 5 %, mean and 95 % of a metric under hash noise alone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Band {
    /// 5 %.
    pub lo: f64,
    /// Mean.
    pub mean: f64,
    /// 95 %.
    pub hi: f64,
}

impl Band {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self {
            lo: nearest_rank(&values, 0.05),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            hi: nearest_rank(&values, 0.95),
        }
    }

    fn scaled(self, factor: f64) -> Self {
        Self {
            lo: self.lo * factor,
            mean: self.mean * factor,
            hi: self.hi * factor,
        }
    }
}

/// The bands of every sampled balance metric, for one set of weights and one number of keys.
#[derive(Clone, Copy, Debug)]
pub struct HashNoise {
    /// `peak_to_avg` and `peak_after`.
    pub peak: Band,
    /// `min_to_avg`.
    pub min: Band,
    /// `cv` and `cv_after`.
    pub cv: Band,
    /// `sd_keys`.
    pub sd_keys: Band,
    /// `p01_to_avg`.
    pub p01: Band,
    /// `p99_to_avg`.
    pub p99: Band,
}

/// Multinomial draws behind a band.
const DRAWS: usize = 2000;

impl HashNoise {
    /// The bands for nodes of these shares of the weight and `keys` keys, all equally popular: 2,000 seeded multinomial
    /// draws; for equal weights `cv` and `sd_keys` come from chi-square with n - 1 degrees of
    /// freedom instead.
    #[must_use]
    pub fn new(weights: &[f64], keys: u64) -> Self {
        let draw = |rng: &mut _, counts: &mut [_]| multinomial(rng, weights, keys, counts);
        let drawn = Self::drawn(weights, draw);
        match equal_weights(weights) {
            Some(n) => {
                let cv = chi2_band(n, keys);
                let sd_keys = cv.scaled(keys as f64 / n);
                Self {
                    cv,
                    sd_keys,
                    ..drawn
                }
            }
            None => drawn,
        }
    }

    /// The same for the requests of keys that are asked so often: 2,000 seeded draws of an owner
    /// for each key. `sd_keys` counts requests here.
    #[must_use]
    pub fn of_requests(weights: &[f64], requests: &[u64]) -> Self {
        let cumulated: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        Self::drawn(weights, |rng, counts| {
            counts.fill(0);
            for request in requests {
                let point = rng.next_u64() as f64 / 2_f64.powi(64);
                let owner = cumulated.partition_point(|&end| end <= point);
                counts[owner.min(weights.len() - 1)] += request;
            }
        })
    }

    /// The bands over 2,000 draws of the loads of all nodes.
    fn drawn(weights: &[f64], mut draw: impl FnMut(&mut Pcg64Mcg, &mut [u64])) -> Self {
        let mut rng = stream(0, Purpose::Noise);
        let mut counts = vec![0; weights.len()];
        let mut values: [Vec<f64>; 6] = Default::default();
        for _ in 0..DRAWS {
            draw(&mut rng, &mut counts);
            let load = Load {
                counts: &counts,
                weights,
            };
            let (p01, p99) = load.p01_p99();
            for (values, value) in values.iter_mut().zip([
                load.peak(),
                load.min(),
                load.cv(),
                load.sd_keys(),
                p01,
                p99,
            ]) {
                values.push(value);
            }
        }
        let [peak, min, cv, sd_keys, p01, p99] = values.map(Band::of);
        Self {
            peak,
            min,
            cv,
            sd_keys,
            p01,
            p99,
        }
    }
}

/// The number of nodes when all weights are equal.
fn equal_weights(weights: &[f64]) -> Option<f64> {
    weights
        .windows(2)
        .all(|pair| pair[0] == pair[1])
        .then_some(weights.len() as f64)
}

/// The band of `cv` for n equal weights: K cv^2 is chi-square with n - 1 degrees of freedom, less
/// the finite-sample correction that fades with K. The mean is the root of the expected square.
fn chi2_band(n: f64, keys: u64) -> Band {
    let keys = keys as f64;
    let quantile = |q: f64| (chi2_quantile(q, n - 1.0) / keys).sqrt();
    Band {
        lo: quantile(0.05),
        mean: noise_variance(&vec![1.0 / n; n as usize], keys).sqrt(),
        hi: quantile(0.95),
    }
}

/// Throws `keys` keys on nodes of these shares: one binomial a node, each over what is left.
pub(crate) fn multinomial(rng: &mut Pcg64Mcg, weights: &[f64], keys: u64, counts: &mut [u64]) {
    let (mut left, mut weight_left) = (keys, 1.0_f64);
    let last = weights.iter().rposition(|&weight| weight > 0.0);
    for (i, (count, &weight)) in counts.iter_mut().zip(weights).enumerate() {
        if weight == 0.0 {
            *count = 0;
            continue;
        }
        // The last node takes what is left, so that rounding of the shares loses no key.
        let p = if Some(i) == last {
            1.0
        } else {
            (weight / weight_left).clamp(0.0, 1.0)
        };
        *count = Binomial::new(left, p)
            .expect("a share lies between 0 and 1")
            .sample(rng);
        left -= *count;
        weight_left -= weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_extremes_of_binomial_theory() {
        // E[max] and E[min] in fair shares at 1,000 keys a node: 1.048 and 0.953 for n = 10, 1.081
        // and 0.921 for n = 100 (extreme values of a binomial). 2,000 draws: standard error 0.0005.
        for (n, max, min) in [(10_usize, 1.048, 0.953), (100, 1.081, 0.921)] {
            let noise = HashNoise::new(&vec![1.0 / n as f64; n], 1000 * n as u64);
            assert!((noise.peak.mean - max).abs() < 0.004, "{noise:?}");
            assert!((noise.min.mean - min).abs() < 0.004, "{noise:?}");
        }
    }

    #[test]
    fn simulated_and_chi_square_cv_agree() {
        // 10,000 keys on 10 nodes: 2,000 draws put a quantile of cv within 4 % of chi-square's.
        let weights = [0.1; 10];
        let noise = HashNoise::new(&weights, 10_000);
        let mut rng = stream(2, Purpose::Noise);
        let mut counts = [0; 10];
        let drawn = Band::of(
            (0..DRAWS)
                .map(|_| {
                    multinomial(&mut rng, &weights, 10_000, &mut counts);
                    Load {
                        counts: &counts,
                        weights: &weights,
                    }
                    .cv()
                })
                .collect(),
        );
        assert!((noise.cv.lo / drawn.lo - 1.0).abs() < 0.04, "{noise:?}");
        assert!((noise.cv.hi / drawn.hi - 1.0).abs() < 0.04, "{noise:?}");
        // 26 letters on 4 nodes: the mean of sd_keys is 2.04.
        let mut rng = stream(1, Purpose::Noise);
        let mut counts = [0; 4];
        let mut sum = 0.0;
        for _ in 0..DRAWS {
            multinomial(&mut rng, &[0.25; 4], 26, &mut counts);
            assert_eq!(counts.iter().sum::<u64>(), 26);
            sum += Load {
                counts: &counts,
                weights: &[0.25; 4],
            }
            .sd_keys();
        }
        assert!((sum / DRAWS as f64 - 2.04).abs() < 0.06);
    }

    #[test]
    fn a_node_of_weight_zero_gets_nothing() {
        let mut rng = stream(0, Purpose::Noise);
        let mut counts = [9; 4];
        multinomial(&mut rng, &[0.5, 0.0, 0.5, 0.0], 1000, &mut counts);
        assert_eq!((counts[1], counts[3]), (0, 0));
        assert_eq!(counts.iter().sum::<u64>(), 1000);
    }
}
