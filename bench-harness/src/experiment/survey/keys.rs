//! The survey's keys: numbers drawn from a distribution, written in decimal.

use std::fmt::Write as _;

use rand::Rng as _;
use rand_pcg::Pcg64Mcg;
use router::KeyBuf;
use serde::Deserialize;

use crate::workload::{Purpose, stream};

/// What the numbers are drawn from. Once they are hashed as text it makes no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum Distribution {
    /// From 0 to 1, all alike.
    #[serde(rename = "UNIFORM")]
    Uniform,
    /// The standard normal distribution.
    #[serde(rename = "NORMAL")]
    Normal,
}

impl Distribution {
    /// Its name in the survey's tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "UNIFORM",
            Self::Normal => "NORMAL",
        }
    }

    /// An endless row of keys. The survey draws without a seed.
    pub(super) fn source(self, seed: u64) -> Source {
        Source {
            distribution: self,
            rng: stream(seed, Purpose::Keys),
        }
    }

    /// The first `n` keys of a seed.
    pub(super) fn keys(self, seed: u64, n: u64) -> KeyBuf {
        let (mut source, mut text) = (self.source(seed), String::new());
        let mut keys = KeyBuf::new();
        for _ in 0..n {
            source.write(&mut text);
            keys.push(text.as_bytes());
        }
        keys
    }
}

/// Where keys come from.
pub(super) struct Source {
    distribution: Distribution,
    rng: Pcg64Mcg,
}

impl Source {
    /// The next key, in place of `text`: the shortest decimal that is this number, without an
    /// exponent, where Java writes one below 0.001.
    pub(super) fn write(&mut self, text: &mut String) {
        let number = match self.distribution {
            Distribution::Uniform => self.uniform(),
            Distribution::Normal => {
                // Box and Muller; 1 - u is never 0.
                let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
                radius * libm::cos(std::f64::consts::TAU * self.uniform())
            }
        };
        text.clear();
        write!(text, "{number}").expect("a string takes everything");
    }

    fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / 2_f64.powi(53)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_distribution() {
        let numbers = |it: Distribution| -> Vec<f64> {
            let keys = it.keys(1, 10_000);
            let texts = keys.keys();
            let texts = texts.iter().map(|key| std::str::from_utf8(key).unwrap());
            texts.map(|it| it.parse().unwrap()).collect()
        };
        let moments = |it: &[f64]| {
            let n = it.len() as f64;
            let mean = it.iter().sum::<f64>() / n;
            let variance = it.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
            (mean, variance)
        };
        let uniform = numbers(Distribution::Uniform);
        assert!(uniform.iter().all(|it| (0.0..1.0).contains(it)));
        // Five standard errors of 10,000 draws.
        let (mean, variance) = moments(&uniform);
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.004, "{variance}");
        let (mean, variance) = moments(&numbers(Distribution::Normal));
        assert!(mean.abs() < 0.05, "{mean}");
        assert!((variance - 1.0).abs() < 0.071, "{variance}");
    }
}
