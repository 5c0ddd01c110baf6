//! Statistics over seeds and rounds. Distributions come from `statrs`; this only says which is used.

use statrs::distribution::{Beta, Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, StudentsT};

use crate::workload::{Purpose, below, stream};

/// What a metric looks like over the seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// Mean.
    pub mean: f64,
    /// Sample standard deviation; `None` for one value.
    pub sd: Option<f64>,
    /// 5th percentile, nearest rank.
    pub p5: f64,
    /// 95th percentile, nearest rank.
    pub p95: f64,
}

impl Summary {
    /// Summarises `values`; `None` when there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values)?;
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            mean,
            sd: sample_sd(values),
            p5: nearest_rank(&sorted, 0.05),
            p95: nearest_rank(&sorted, 0.95),
        })
    }
}

/// The mean; `None` for no values.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample standard deviation; `None` for fewer than two values.
#[must_use]
pub fn sample_sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The nearest-rank quantile of values in ascending order: the smallest that is not below a share
/// `q` of them.
///
/// # Panics
///
/// When there are no values.
#[must_use]
pub fn nearest_rank(sorted: &[f64], q: f64) -> f64 {
    // The small amount keeps 0.95 * 20 = 19.000000000000004 from being rank 20.
    let rank = (q * sorted.len() as f64 - 1e-9).ceil().max(1.0);
    sorted[rank as usize - 1]
}

/// The mean of `values` and its 95 % Student-t interval; without an interval for fewer than two.
#[must_use]
pub fn t_interval(values: &[f64]) -> Option<(f64, Option<(f64, f64)>)> {
    let mean = mean(values)?;
    let interval = t_half_width(values, 0.95).map(|half| (mean - half, mean + half));
    Some((mean, interval))
}

/// The fewest values that are drawn again: of fewer, a draw is too often one value many times.
const FEWEST_RESAMPLED: usize = 10;
/// How often they are drawn again; of so many the quantiles are the 25th from either end.
const RESAMPLES: usize = 999;

/// The mean of `values` and its 95 % interval as the reports have it: Student's t, or bootstrap-t
/// where ten values or more have a skewness above 1, of either sign.
///
/// Bootstrap-t (Efron 1981) takes the quantiles of t from the values themselves, drawn again 999
/// times with replacement: those of skewed values are not Student's. The draws are the same for the
/// same number of values, always.
#[must_use]
pub fn mean_interval(values: &[f64]) -> Option<(f64, Option<(f64, f64)>)> {
    let skewed = skewness(values).is_some_and(|it| it.abs() > 1.0);
    if skewed && values.len() >= FEWEST_RESAMPLED {
        return Some((mean(values)?, bootstrap_t(values)));
    }
    t_interval(values)
}

/// The sample skewness, third central moment over the second to 3/2; `None` where nothing varies.
#[must_use]
pub fn skewness(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let n = values.len() as f64;
    let moment = |power| values.iter().map(|it| (it - mean).powi(power)).sum::<f64>() / n;
    let variance = moment(2);
    (variance > 0.0).then(|| moment(3) / variance.powf(1.5))
}

fn bootstrap_t(values: &[f64]) -> Option<(f64, f64)> {
    let of = mean(values)?;
    let root = (values.len() as f64).sqrt();
    let error = sample_sd(values)? / root;
    let mut rng = stream(0, Purpose::Resamples);
    let mut drawn = vec![0.0; values.len()];
    let mut ts: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            for value in &mut drawn {
                *value = values[below(&mut rng, values.len())];
            }
            // The same value many times says nothing of how much they vary.
            let sd = sample_sd(&drawn).filter(|&sd| sd > 0.0)?;
            Some((mean(&drawn)? - of) / (sd / root))
        })
        .collect();
    ts.sort_by(f64::total_cmp);
    let end = |q| (!ts.is_empty()).then(|| of - nearest_rank(&ts, q) * error);
    Some((end(0.975)?, end(0.025)?))
}

/// Half of the width of the mean's Student-t interval at this `confidence`; `None` for fewer than two
/// values.
#[must_use]
pub fn t_half_width(values: &[f64], confidence: f64) -> Option<f64> {
    let sd = sample_sd(values)?;
    let n = values.len() as f64;
    let t = StudentsT::new(0.0, 1.0, n - 1.0).expect("at least one degree of freedom");
    Some(t.inverse_cdf(0.5 + 0.5 * confidence) * sd / n.sqrt())
}

/// The slope of the straight line through points by least squares, and half of the width of its 95 %
/// Student-t interval; without an interval for two points, `None` for fewer, or all at one x.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> Option<(f64, Option<f64>)> {
    let x_mean = mean(&points.iter().map(|it| it.0).collect::<Vec<_>>())?;
    let y_mean = mean(&points.iter().map(|it| it.1).collect::<Vec<_>>())?;
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        let points = points.iter();
        points.map(|&(x, y)| of(x - x_mean, y - y_mean)).sum()
    };
    let spread = sum(&|x, _| x * x);
    if spread <= 0.0 {
        return None;
    }
    let slope = sum(&|x, y| x * y) / spread;
    let free = points.len() as f64 - 2.0;
    let half = StudentsT::new(0.0, 1.0, free).ok().map(|t| {
        let left = sum(&|x, y| (y - slope * x).powi(2));
        t.inverse_cdf(0.975) * (left / free / spread).sqrt()
    });
    Some((slope, half))
}

/// How far the mean of `values` lies from `expected`, in standard errors, and the two-sided
/// p-value of Student's t test. `None` where the values do not vary or are fewer than two.
#[must_use]
pub fn t_test(values: &[f64], expected: f64) -> Option<(f64, f64)> {
    let mean = mean(values)?;
    let sd = sample_sd(values).filter(|&sd| sd > 0.0)?;
    let n = values.len() as f64;
    let z = (mean - expected) / (sd / n.sqrt());
    let t = StudentsT::new(0.0, 1.0, n - 1.0).expect("at least one degree of freedom");
    Some((z, 2.0 * t.sf(z.abs())))
}

/// P(chi-square with `df` degrees of freedom >= `x`).
#[must_use]
pub fn chi2_upper(x: f64, df: f64) -> f64 {
    chi2(df).map_or(1.0, |it| it.sf(x))
}

/// P(chi-square with `df` degrees of freedom <= `x`).
#[must_use]
pub fn chi2_lower(x: f64, df: f64) -> f64 {
    chi2(df).map_or(1.0, |it| it.cdf(x))
}

/// The `q` quantile of chi-square with `df` degrees of freedom; 0 for none.
#[must_use]
pub fn chi2_quantile(q: f64, df: f64) -> f64 {
    chi2(df).map_or(0.0, |it| it.inverse_cdf(q))
}

fn chi2(df: f64) -> Option<ChiSquared> {
    ChiSquared::new(df).ok()
}

/// The `q` quantile of the share of `trials` that succeed with probability `p`.
#[must_use]
pub fn binomial_share_quantile(q: f64, p: f64, trials: u64) -> f64 {
    match Binomial::new(p.clamp(0.0, 1.0), trials) {
        Ok(it) if trials > 0 => it.inverse_cdf(q) as f64 / trials as f64,
        _ => p,
    }
}

/// The median of rounds and its 95 % interval by order statistics.
///
/// The interval runs from the `k`th smallest to the `k`th largest, `k` as large as
/// P(fewer than k of n fair coins fall heads) <= 2.5 % allows: 10 and 21 of 30. Fewer than six
/// rounds have no such interval; then it is their whole range.
#[must_use]
pub fn median_interval(values: &[f64]) -> Option<(f64, f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let median = if n % 2 == 1 {
        sorted[n / 2]
    } else {
        f64::midpoint(sorted[n / 2 - 1], sorted[n / 2])
    };
    let coin = Binomial::new(0.5, n as u64).expect("a fair coin");
    let rank = (1..=n / 2)
        .take_while(|&k| coin.cdf(k as u64 - 1) <= 0.025)
        .last()
        .unwrap_or(1);
    Some((median, sorted[rank - 1], sorted[n - rank]))
}

/// The 95 % interval of the quantile `q` of values in ascending order, by order statistics: from the
/// largest value that lies above the quantile in at most 2.5 % of samples to the smallest that lies
/// below it in as few. Where there are too few values for an end, it is the least or the most of them.
///
/// # Panics
///
/// When there are no values, or `q` is no share.
#[must_use]
pub fn quantile_interval(sorted: &[f64], q: f64) -> (f64, f64) {
    let n = sorted.len();
    // The quantile is not below the k-th smallest as long as at least k values lie below it.
    let below = Binomial::new(q, n as u64).expect("a share");
    let lo = (1..=n)
        .take_while(|&k| below.cdf(k as u64 - 1) <= 0.025)
        .last()
        .unwrap_or(1);
    let hi = (1..=n)
        .find(|&k| below.cdf(k as u64 - 1) >= 0.975)
        .unwrap_or(n);
    (sorted[lo - 1], sorted[hi - 1])
}

/// What theory says of the busiest of `n` nodes with `points` random points each: the quantile `q` of
/// its load in fair shares, or a little more.
///
/// The arcs between uniform points are exchangeable, so a node's share is Beta(V, (n-1) V). The bound
/// adds up the chances of the n nodes to be above it, as if no two ever were at once; for q of 95 % and
/// more that is next to nothing.
#[must_use]
pub fn ring_peak(points: u64, n: u64, q: f64) -> f64 {
    if n < 2 {
        return 1.0;
    }
    let (v, rest) = (points as f64, ((n - 1) * points) as f64);
    let share = Beta::new(v, rest).expect("both are above 0");
    let above = |peak: f64| n as f64 * share.sf(peak / n as f64);
    let (mut lo, mut hi) = (1.0, n as f64);
    while hi - lo > 1e-9 * lo {
        let middle = f64::midpoint(lo, hi);
        if above(middle) > 1.0 - q {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    hi
}

/// A median with its interval, all above 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    /// The median.
    pub median: f64,
    /// Lower end of its interval.
    pub lo: f64,
    /// Upper end of it.
    pub hi: f64,
}

impl Span {
    /// The median with its interval; `None` unless all three are above 0 and finite.
    #[must_use]
    pub fn new(median: f64, lo: f64, hi: f64) -> Option<Self> {
        let usable = |it: f64| it > 0.0 && it.is_finite();
        (usable(median) && usable(lo) && usable(hi)).then_some(Self { median, lo, hi })
    }

    /// The quotient of two medians. The two intervals are of independent rounds, so their half widths add up as squares
    /// do, on the logarithmic scale on which ratios lie.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let apart = |a: f64, b: f64| libm::log(a / b).powi(2);
        let down = apart(self.median, self.lo) + apart(other.hi, other.median);
        let up = apart(self.hi, self.median) + apart(other.median, other.lo);
        let median = self.median / other.median;
        Self {
            median,
            lo: median * libm::exp(-down.sqrt()),
            hi: median * libm::exp(up.sqrt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_10_and_21_of_30() {
        let values: Vec<f64> = (1..=30).map(f64::from).collect();
        assert_eq!(median_interval(&values), Some((15.5, 10.0, 21.0)));
        assert_eq!(median_interval(&[7.0]), Some((7.0, 7.0, 7.0)));
        assert_eq!(median_interval(&[]), None);
    }

    #[test]
    fn quantile_intervals_of_a_hundred_and_a_thousand() {
        // P(Bin(100, 0.95) <= 89) = 1.1 %, <= 90: 2.8 %; <= 97: 88 %, <= 98: 96 %, <= 99: 99 %.
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(quantile_interval(&values, 0.95), (90.0, 100.0));
        let values: Vec<f64> = (1..=1000).map(f64::from).collect();
        let (lo, hi) = quantile_interval(&values, 0.95);
        assert!((934.0..=937.0).contains(&lo) && (962.0..=965.0).contains(&hi));
        assert_eq!(quantile_interval(&[7.0], 0.95), (7.0, 7.0));
    }

    #[test]
    fn the_peak_of_a_ring_by_theory() {
        // Of one point each: P(an arc is longer than x) = (1 - x)^(n-1), so the bound has a closed form.
        for n in [2_u64, 10, 1000] {
            let tail: f64 = 0.05 / n as f64;
            let exact = n as f64 * (1.0 - tail.powf(1.0 / (n - 1) as f64));
            assert!((ring_peak(1, n, 0.95) - exact).abs() < 1e-6, "{n}");
        }
        // Many points: nearly normal, with the standard deviation 1/sqrt(V).
        let near = 1.0 + 3.291 / 1000.0;
        assert!((ring_peak(1_000_000, 100, 0.95) - near).abs() < 3e-5);
        assert_eq!(ring_peak(5, 1, 0.95), 1.0);
    }

    #[test]
    fn nearest_rank_of_twenty() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(nearest_rank(&values, 0.05), 1.0);
        assert_eq!(nearest_rank(&values, 0.95), 19.0);
        assert_eq!(nearest_rank(&values, 1.0), 20.0);
        // The 99th percentile of 1..=100 is 99, of the same beside 1001..=1100 it is 1098.
        let pooled: Vec<f64> = (1..=100).chain(1001..=1100).map(f64::from).collect();
        assert_eq!(nearest_rank(&pooled, 0.99), 1098.0);
    }

    #[test]
    fn student_t_of_a_table() {
        // t(4; 0.975) = 2.776445, sd of 1..=5 = 1.581139.
        let (mean, interval) = t_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let (lo, hi) = interval.unwrap();
        assert_eq!(mean, 3.0);
        assert!((hi - 4.963_243).abs() < 1e-5 && (lo - 1.036_757).abs() < 1e-5);
        assert_eq!(t_interval(&[2.0]), Some((2.0, None)));
        // Little skewed, or few: the same.
        for values in [&[1.0, 2.0, 3.0, 4.0, 5.0][..], &[1.0, 1.0, 9.0], &[2.0]] {
            assert_eq!(mean_interval(values), t_interval(values));
        }
        // Skewed: further to the side of the long tail than to the other.
        let skewed: Vec<f64> = (0..20).map(|i| f64::from(i) / 4.0).map(f64::exp).collect();
        assert!(skewness(&skewed).unwrap() > 1.0);
        let (mean, interval) = mean_interval(&skewed).unwrap();
        let (lo, hi) = interval.unwrap();
        assert!(
            lo < mean && hi - mean > 1.5 * (mean - lo),
            "{lo} {mean} {hi}"
        );
        let mirrored: Vec<f64> = skewed.iter().map(|it| -it).collect();
        let (_, other) = mean_interval(&mirrored).unwrap();
        let (other_lo, other_hi) = other.unwrap();
        assert!((other_lo + hi).abs() < 0.2 * hi && (other_hi + lo).abs() < 0.2 * hi);
        assert_eq!(skewness(&[3.0, 3.0]), None);
    }

    #[test]
    fn slopes_with_their_intervals() {
        assert_eq!(slope(&[(1.0, 5.0)]), None);
        assert_eq!(slope(&[(1.0, 5.0), (1.0, 6.0)]), None);
        assert_eq!(slope(&[(1.0, 5.0), (2.0, 7.0)]), Some((2.0, None)));
        assert_eq!(
            slope(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0)]),
            Some((2.0, Some(0.0)))
        );
        // Squares left 1.5, spread 5, t(2; 0.975) = 4.302653: half is t sqrt(1.5 / 2 / 5).
        let (slope, half) = slope(&[(1.0, 2.0), (2.0, 3.0), (3.0, 6.0), (4.0, 6.0)]).unwrap();
        let half = half.unwrap();
        assert!((slope - 1.5).abs() < 1e-12, "{slope}");
        assert!((half - 1.666_410).abs() < 1e-4, "{half}");
    }

    #[test]
    fn chi_square_of_a_table() {
        assert!((chi2_upper(16.919, 9.0) - 0.05).abs() < 1e-4);
        assert!((chi2_quantile(0.95, 9.0) - 16.919).abs() < 1e-3);
    }
}
