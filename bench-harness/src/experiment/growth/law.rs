//! Laws of growth, and the power of n that a cost grows with.

use serde::Deserialize;

use crate::measure::stats::slope;

/// How a cost is said to grow with n nodes, m points among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum Law {
    #[serde(rename = "1")]
    Constant,
    #[serde(rename = "log n")]
    LogNodes,
    #[serde(rename = "log m")]
    LogPoints,
    #[serde(rename = "n")]
    Nodes,
    #[serde(rename = "m")]
    Points,
    #[serde(rename = "n log n")]
    NodesLogNodes,
    #[serde(rename = "m log m")]
    PointsLogPoints,
}

impl Law {
    /// Its name in the definition and in the files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Constant => "1",
            Self::LogNodes => "log n",
            Self::LogPoints => "log m",
            Self::Nodes => "n",
            Self::Points => "m",
            Self::NodesLogNodes => "n log n",
            Self::PointsLogPoints => "m log m",
        }
    }

    /// Its value at `n` nodes of so many points each, in units of its own.
    pub(super) fn at(self, n: u64, points_per_node: u64) -> f64 {
        let (nodes, points) = (n as f64, n as f64 * points_per_node as f64);
        match self {
            Self::Constant => 1.0,
            Self::LogNodes => libm::log(nodes),
            Self::LogPoints => libm::log(points),
            Self::Nodes => nodes,
            Self::Points => points,
            Self::NodesLogNodes => nodes * libm::log(nodes),
            Self::PointsLogPoints => points * libm::log(points),
        }
    }
}

/// The power b of cost = a n^b.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Power {
    pub(super) exponent: f64,
    /// Half of the width of its 95 % interval.
    pub(super) half: f64,
    /// Sizes that it is fitted to.
    pub(super) sizes: usize,
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Power {
    /// Least squares of the logarithms over the sizes from `from` on; `None` of fewer than three sizes, or
    /// where a cost is not above 0.
    pub(super) fn of(costs: &[(u64, f64)], from: u64) -> Option<Self> {
        let upper: Vec<(u64, f64)> = costs.iter().copied().filter(|it| it.0 >= from).collect();
        let ([first, .., last], true) = (&upper[..], upper.len() >= 3) else {
            return None;
        };
        if upper.iter().any(|it| !(it.1 > 0.0 && it.1.is_finite())) {
            return None;
        }
        let logs: Vec<(f64, f64)> = upper
            .iter()
            .map(|&(n, cost)| (libm::log(n as f64), libm::log(cost)))
            .collect();
        let (exponent, half) = slope(&logs)?;
        Some(Self {
            exponent,
            half: half?,
            sizes: upper.len(),
            from: first.0,
            to: last.0,
        })
    }

    /// The least that it may be.
    pub(super) fn lo(&self) -> f64 {
        self.exponent - self.half
    }

    /// The most.
    pub(super) fn hi(&self) -> f64 {
        self.exponent + self.half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [u64; 3] = [10, 100, 1000];

    fn power(of: impl Fn(u64) -> f64) -> f64 {
        let costs: Vec<(u64, f64)> = SIZES.iter().map(|&n| (n, of(n))).collect();
        Power::of(&costs, 0).expect("three sizes").exponent
    }

    #[test]
    fn laws_have_their_powers() {
        let of = |law: Law, points| power(|n| law.at(n, points));
        assert!(of(Law::Constant, 1).abs() < 1e-12);
        assert!((of(Law::Nodes, 1) - 1.0).abs() < 1e-12);
        assert!((of(Law::Points, 100) - 1.0).abs() < 1e-12);
        // Three equal steps: the slope is that from the first to the last, log10 3 over 2.
        let log = libm::log10(3.0) / 2.0;
        assert!((of(Law::LogNodes, 1) - log).abs() < 1e-12);
        assert!((of(Law::NodesLogNodes, 1) - 1.0 - log).abs() < 1e-12);
        // Of 10 to 1000 points the logarithm grows threefold, of 1000 to 10^5 by 5/3.
        let many = libm::log10(5.0 / 3.0) / 2.0;
        assert!((of(Law::LogPoints, 100) - many).abs() < 1e-12);
        assert!((of(Law::PointsLogPoints, 100) - 1.0 - many).abs() < 1e-12);
        assert_eq!(of(Law::LogPoints, 1), of(Law::LogNodes, 1));
    }

    #[test]
    fn powers_of_exact_data() {
        let cubes: Vec<(u64, f64)> = [1, 2, 4, 8].map(|n| (n, 7.0 * (n as f64).powf(1.5))).into();
        let fit = Power::of(&cubes, 2).unwrap();
        assert!((fit.exponent - 1.5).abs() < 1e-12 && fit.half < 1e-9);
        assert_eq!((fit.sizes, fit.from, fit.to), (3, 2, 8));
        assert_eq!(Power::of(&cubes, 4), None, "two sizes");
        let nothing = [(1, 1.0), (2, 0.0), (4, 1.0)];
        assert_eq!(Power::of(&nothing, 0), None, "a cost of 0");
    }
}
