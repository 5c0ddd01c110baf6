//! Stoica and others 2001, section 6.2: keys a node, and what virtual nodes do about it.

use anyhow::Result;
use serde::Deserialize;

use super::{Lab, between, floats};
use crate::measure::stats::nearest_rank;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chord {
    /// The spec of a ring, with a place for POINTS.
    ring: String,
    nodes: usize,
    runs: u64,
    /// Keys of the figure with one point a node.
    keys: u64,
    /// Virtual nodes of the other figure, and its keys.
    virtual_nodes: Vec<u64>,
    virtual_keys: u64,
}

impl Chord {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        let fair = self.keys as f64 / self.nodes as f64;
        let runs = self.loads(lab, 1, self.keys)?;
        let most = runs.iter().flatten().copied().fold(0.0, f64::max);
        let busiest = |loads: &Vec<f64>| loads.iter().copied().fold(0.0, f64::max);
        let busiest: Vec<f64> = runs.iter().map(busiest).collect();
        lab.claims.draw("chord-most", &busiest);
        let mut all = runs.concat();
        all.sort_by(f64::total_cmp);
        lab.claims
            .number("chord-p99", nearest_rank(&all, 0.99) / fair);
        let with_idle = runs.iter().filter(|it| it.contains(&0.0)).count();
        let measured = format!(
            "in {with_idle} of {} runs; the most anywhere is {most} keys",
            runs.len()
        );
        lab.claims
            .holds("chord-idle", measured, with_idle == runs.len());
        let fair = self.virtual_keys as f64 / self.nodes as f64;
        let (mut low, mut high, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for &points in &self.virtual_nodes {
            let mut all = self.loads(lab, points, self.virtual_keys)?.concat();
            all.sort_by(f64::total_cmp);
            low.push(nearest_rank(&all, 0.01) / fair);
            high.push(nearest_rank(&all, 0.99) / fair);
            let at = (low[low.len() - 1], 1.0, high[high.len() - 1]);
            rows.push(between("ours", points as f64, at, "fair shares"));
        }
        let ends = |of: &[f64]| [of[0], of[of.len() - 1]];
        lab.claims.numbers("chord-virtual-p1", &ends(&low));
        lab.claims.numbers("chord-virtual-p99", &ends(&high));
        lab.series.push(("chord", rows));
        Ok(())
    }

    /// Keys on each node, a list a run.
    fn loads(&self, lab: &Lab<'_>, points: u64, keys: u64) -> Result<Vec<Vec<f64>>> {
        let spec = self.ring.replace("POINTS", &points.to_string());
        lab.by_seed(self.runs, |seed| {
            let cluster = lab.cluster(&spec, seed, self.nodes)?;
            Ok(floats(&lab.loads(&[cluster], seed, keys)?.concat()))
        })
    }
}
