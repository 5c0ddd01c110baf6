//! The statistics held against what they promise: intervals that cover as often as they say, and no
//! difference found where there is none.

use std::fmt;

use rand_distr::{Distribution as _, LogNormal, StandardNormal};
use rand_pcg::Pcg64Mcg;
use statrs::distribution::{Binomial, DiscreteCDF as _};

use crate::{
    measure::{
        Twice,
        stats::{mean, mean_interval, median_interval, t_interval},
    },
    workload::{Purpose, stream},
};

/// How often an interval held the true value, over simulated runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Coverage {
    /// The interval.
    pub interval: &'static str,
    /// Values a run: seeds, or rounds.
    pub values: usize,
    /// What the values are drawn from.
    pub drawn: String,
    /// Share of runs whose interval held the true value.
    pub covered: f64,
    /// Between which shares it is accepted; `None` where it is only reported.
    pub accepted: Option<(f64, f64)>,
}

impl Coverage {
    /// Whether it is accepted, or only reported.
    #[must_use]
    pub fn passed(&self) -> bool {
        let within = |(lo, hi)| (lo..=hi).contains(&self.covered);
        self.accepted.is_none_or(within)
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            interval,
            values,
            drawn,
            covered,
            ..
        } = self;
        write!(
            f,
            "{interval}, {values:>2} values, {drawn}: {:.1} %",
            100.0 * covered
        )?;
        match self.accepted {
            Some((lo, hi)) => write!(f, " ({:.0} to {:.0} % accepted)", 100.0 * lo, 100.0 * hi),
            None => Ok(()),
        }
    }
}

/// What the values of a simulated run are drawn from.
#[derive(Clone, Copy)]
enum Drawn {
    Normal,
    /// Of this sigma: skewness 1.75 for 0.5, 6.2 for 1.
    LogNormal(f64),
    /// Normal, each value holding this share of the one before.
    Following(f64),
}

impl Drawn {
    fn name(self) -> String {
        match self {
            Self::Normal => "normal".to_owned(),
            Self::LogNormal(sigma) => format!("log-normal, sigma {sigma}"),
            Self::Following(share) => format!("normal with autocorrelation {share:.2}"),
        }
    }

    fn mean(self) -> f64 {
        match self {
            Self::LogNormal(sigma) => libm::exp(sigma * sigma / 2.0),
            Self::Normal | Self::Following(_) => 0.0,
        }
    }

    fn median(self) -> f64 {
        match self {
            Self::LogNormal(_) => 1.0,
            Self::Normal | Self::Following(_) => 0.0,
        }
    }

    fn values(self, n: usize, rng: &mut Pcg64Mcg) -> Vec<f64> {
        let normal = |rng: &mut Pcg64Mcg| -> f64 { StandardNormal.sample(rng) };
        match self {
            Self::Normal => (0..n).map(|_| normal(rng)).collect(),
            Self::LogNormal(sigma) => {
                let of = LogNormal::new(0.0, sigma).expect("sigma is above 0");
                (0..n).map(|_| of.sample(rng)).collect()
            }
            Self::Following(share) => {
                let fresh = (1.0 - share * share).sqrt();
                let mut last = normal(rng);
                let mut values = vec![last];
                while values.len() < n {
                    last = share * last + fresh * normal(rng);
                    values.push(last);
                }
                values
            }
        }
    }
}

/// An interval that the reports show: its name, and its ends for these values.
type Interval = (
    &'static str,
    fn(&[f64]) -> Option<(f64, f64)>,
    fn(Drawn) -> f64,
);

const STUDENT: Interval = (
    "Student's t, of the mean",
    |values| t_interval(values)?.1,
    Drawn::mean,
);
const REPORTED: Interval = (
    "bootstrap-t where skewed, of the mean",
    |values| mean_interval(values)?.1,
    Drawn::mean,
);
const RANKS: Interval = (
    "order statistics, of the median",
    |values| median_interval(values).map(|(_, lo, hi)| (lo, hi)),
    Drawn::median,
);

/// Shares of runs that an interval of 95 % may cover.
const ACCEPTED: (f64, f64) = (0.93, 0.97);

/// Simulates `runs` runs of each kind that the reports have: 20, 5 and 3 seeds under Student's t, 20
/// as they are reported, with bootstrap-t where they are skewed, 30 and 10 rounds under order statistics. `autocorrelation` is what successive rounds were seen to have.
///
/// What is normal and independent is accepted between 93 and 97 %; the rest is reported. So is the
/// interval of 10 rounds: by its ranks (2 and 9) it covers 97.9 %.
#[must_use]
pub fn coverage(seed: u64, runs: u64, autocorrelation: f64) -> Vec<Coverage> {
    let mut rng = stream(seed, Purpose::Selftest);
    let mut all = Vec::new();
    let kinds = [
        (STUDENT, &[20, 5, 3][..]),
        (RANKS, &[30, 10]),
        (REPORTED, &[20]),
    ];
    for (interval, sizes) in kinds {
        for &values in sizes {
            let mut drawn = vec![Drawn::Normal, Drawn::LogNormal(0.5), Drawn::LogNormal(1.0)];
            if interval.0 == RANKS.0 {
                drawn.push(Drawn::Following(autocorrelation.clamp(0.0, 0.99)));
            }
            for of in drawn {
                let judged = matches!(of, Drawn::Normal) && values != 10;
                all.push(simulated(interval, values, of, judged, runs, &mut rng));
            }
        }
    }
    all
}

fn simulated(
    (name, interval, truth): Interval,
    values: usize,
    drawn: Drawn,
    judged: bool,
    runs: u64,
    rng: &mut Pcg64Mcg,
) -> Coverage {
    let truth = truth(drawn);
    let covers = |_: &u64| {
        let ends = interval(&drawn.values(values, rng));
        ends.is_some_and(|(lo, hi)| lo <= truth && truth <= hi)
    };
    let covered = (0..runs).filter(covers).count();
    Coverage {
        interval: name,
        values,
        drawn: drawn.name(),
        covered: covered as f64 / runs as f64,
        accepted: judged.then_some(ACCEPTED),
    }
}

/// What comparisons of strategies with themselves showed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SameTwice {
    /// Comparisons.
    pub comparisons: usize,
    /// Those whose intervals do not overlap, by which a reader of a report tells two timings apart.
    pub different: usize,
    /// The most that may be.
    pub allowed: usize,
    /// Those whose differences round by round have a median with an interval without 0: what a test
    /// of the same values would find that knows which belong together.
    pub paired: usize,
    /// Of successive rounds of one entry, the mean over all entries, corrected for the bias of a short
    /// series.
    pub autocorrelation: f64,
}

impl SameTwice {
    /// Judges what was timed.
    #[must_use]
    pub fn of(found: &[Twice]) -> Self {
        let interval = |values: &[f64]| {
            let (_, lo, hi) = median_interval(values).unwrap_or_default();
            (lo, hi)
        };
        let different = |it: &&Twice| {
            let [(a_lo, a_hi), (b_lo, b_hi)] =
                [&it.rounds[0], &it.rounds[1]].map(|it| interval(it));
            a_hi < b_lo || b_hi < a_lo
        };
        let paired = |it: &&Twice| {
            let pairs = it.rounds[0].iter().zip(&it.rounds[1]);
            let (lo, hi) = interval(&pairs.map(|(a, b)| a - b).collect::<Vec<f64>>());
            lo > 0.0 || hi < 0.0
        };
        let entries = found.iter().flat_map(|it| &it.rounds);
        let lags: Vec<f64> = entries.filter_map(|it| autocorrelation(it)).collect();
        Self {
            comparisons: found.len(),
            different: found.iter().filter(different).count(),
            allowed: allowed(found.len()),
            paired: found.iter().filter(paired).count(),
            autocorrelation: mean(&lags).unwrap_or(0.0),
        }
    }

    /// Whether no more were called different than chance allows.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.different <= self.allowed
    }
}

/// The most of `comparisons` that may be called different: were each so in 5 % of cases, more would be
/// once in 135. That is 67 of 1000.
#[must_use]
pub fn allowed(comparisons: usize) -> usize {
    let called = Binomial::new(0.05, comparisons as u64).expect("5 % is a probability");
    let enough = |most: &usize| called.sf(*most as u64) < 1.0 / 134.0;
    (0..=comparisons).find(enough).unwrap_or(comparisons)
}

/// Of each value with the one before; `None` for values that do not vary.
fn autocorrelation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    let products = values.windows(2).map(|it| (it[0] - mean) * (it[1] - mean));
    let lag = products.sum::<f64>() / squares;
    let n = values.len() as f64;
    // Kendall 1954: a series of n values shows less than there is, by (1 + 3 r) / n.
    (squares > 0.0).then_some(lag + (1.0 + 3.0 * lag) / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_may_differ() {
        assert_eq!(allowed(1000), 67);
        assert_eq!(allowed(0), 0);
        let once_in = 1.0 / Binomial::new(0.05, 1000).unwrap().sf(67);
        assert!((134.0..136.0).contains(&once_in), "{once_in}");
    }

    #[test]
    fn autocorrelation_is_that_of_the_series() {
        let mut rng = stream(1, Purpose::Selftest);
        for share in [0.0, 0.5] {
            let lags = (0..2000).map(|_| Drawn::Following(share).values(30, &mut rng));
            let lags: Vec<f64> = lags.filter_map(|it| autocorrelation(&it)).collect();
            // The mean of 2000 has a standard error of 0.004.
            let found = mean(&lags).unwrap();
            assert!((found - share).abs() < 0.03, "{share}: {found}");
        }
        assert_eq!(autocorrelation(&[1.0, 1.0, 1.0]), None);
    }

    #[test]
    fn what_differs_is_found_and_what_is_equal_is_not() {
        let mut rng = stream(2, Purpose::Selftest);
        let mut pair = |shift: f64| {
            let mut entry = |by: f64| -> Vec<f64> {
                let values = Drawn::Normal.values(30, &mut rng);
                values.into_iter().map(|it| it + by).collect()
            };
            Twice {
                strategy: String::new(),
                rounds: [entry(0.0), entry(shift)],
            }
        };
        let equal: Vec<Twice> = (0..1000).map(|_| pair(0.0)).collect();
        let found = SameTwice::of(&equal);
        assert!(found.passed(), "{found:?}");
        // 4.3 % of 1000, and four standard errors to either side.
        assert!((18..=69).contains(&found.paired), "{found:?}");
        let shifted: Vec<Twice> = (0..1000).map(|_| pair(1.0)).collect();
        let found = SameTwice::of(&shifted);
        assert!(!found.passed() && found.different > 300, "{found:?}");
    }
}
