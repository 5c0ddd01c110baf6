//! Appleton and O'Reilly 2015: the busiest node against the number of probes, and the points that a
//! ring needs for the same.

use anyhow::Result;
use serde::Deserialize;

use super::{Lab, mean, peak};
use crate::measure::stats::sample_sd;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Probes {
    /// The specs, with a place for PROBES and for POINTS.
    multi_probe: String,
    ring: String,
    nodes: usize,
    /// Numbers of probes; `shown` is the one with a published peak.
    probes: Vec<u64>,
    shown: u64,
    seeds: u64,
    /// Nodes of the rings, and how many are laid for each.
    ring_nodes: Vec<usize>,
    rings: u64,
}

impl Probes {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        let mut above = 0;
        let mut listed = Vec::new();
        for &probes in &self.probes {
            let spec = self.multi_probe.replace("PROBES", &probes.to_string());
            let peaks = self.peaks(lab, &spec, self.nodes, self.seeds)?;
            let found = mean(&peaks);
            let sd = sample_sd(&peaks).unwrap_or(0.0);
            let error = sd / (peaks.len() as f64).sqrt();
            let bound = probes as f64 / (probes - 1) as f64;
            above += usize::from(found > bound + 3.0 * error);
            listed.push(format!(
                "{found:.4} of {bound:.4} with {probes} (standard error {error:.4})"
            ));
            if probes == self.shown {
                lab.claims.number("probes-peak", found);
            }
        }
        lab.claims
            .holds("probes-bound", listed.join(", "), above == 0);
        let (mut most, mut listed) = (0.0_f64, Vec::new());
        for &nodes in &self.ring_nodes {
            let points = libm::ceil(700.0 * libm::log(nodes as f64));
            let spec = self.ring.replace("POINTS", &format!("{points}"));
            let found = mean(&self.peaks(lab, &spec, nodes, self.rings)?);
            most = most.max(found);
            listed.push(format!("{found:.4} with {points} points on {nodes} nodes"));
        }
        lab.claims
            .holds("probes-ring", listed.join(", "), most <= 1.05);
        Ok(())
    }

    /// The largest exact share, a number a seed.
    fn peaks(&self, lab: &Lab<'_>, spec: &str, nodes: usize, seeds: u64) -> Result<Vec<f64>> {
        lab.by_seed(seeds, |seed| {
            let shares = lab.cluster(spec, seed, nodes)?.shares();
            Ok(peak(&shares.unwrap_or_default()))
        })
    }
}
