//! Coluzzi and others 2024: what `BinomialHash` gives the nodes above the last power of two too little.

use anyhow::Result;
use router::Cluster;
use serde::Deserialize;

use super::{Lab, between};
use crate::record::SeriesRow;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bias {
    /// The spec, with a place for ROUNDS.
    binomial: String,
    rounds: Vec<i32>,
    sizes: Vec<usize>,
    /// The size of the published numbers.
    shown: usize,
    keys: u64,
}

impl Bias {
    /// The load of the nodes of the highest level, in fair shares, against 1 - s^(rounds + 1).
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        const UNIT: &str = "fair shares";
        let (mut rows, mut shown, mut outside, mut n_points) = (Vec::new(), Vec::new(), 0, 0);
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut cases = Vec::new();
        for &rounds in &self.rounds {
            let spec = self.binomial.replace("ROUNDS", &rounds.to_string());
            let label = lab.setup.spec(&spec)?.to_string();
            for &n in &self.sizes {
                clusters.push(lab.cluster(&spec, 0, n)?);
                cases.push((rounds, n, label.clone()));
            }
        }
        let loads = lab.loads(&clusters, 0, self.keys)?;
        for ((rounds, n, label), loads) in cases.into_iter().zip(loads) {
            let whole = n.next_power_of_two();
            let top = &loads[whole / 2..];
            let share = top.len() as f64 / n as f64;
            let fair = share * self.keys as f64;
            let found = top.iter().sum::<u64>() as f64 / fair;
            let error = ((1.0 - share) / fair).sqrt();
            let s = 1.0 - n as f64 / whole as f64;
            let expected = 1.0 - (0..=rounds).fold(1.0, |power, _| power * s);
            outside += usize::from((found - expected).abs() > 4.0 * error);
            n_points += 1;
            if n == self.shown {
                shown.push(found);
            }
            let x = n as f64;
            let around = (found - 4.0 * error, found, found + 4.0 * error);
            rows.push(between("ours", x, around, UNIT).named(&label));
            rows.push(SeriesRow::point("theory", x, expected, UNIT).named(&label));
        }
        lab.claims.numbers("bias", &shown);
        let measured = format!(
            "{} of {n_points} within 4 standard errors",
            n_points - outside
        );
        lab.claims.holds("bias-curve", measured, outside == 0);
        lab.series.push(("bias", rows));
        Ok(())
    }
}
