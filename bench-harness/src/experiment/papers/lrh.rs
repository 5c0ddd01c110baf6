//! Guan 2025: the busiest of many nodes under local rendezvous hashing and under a ring.

use anyhow::Result;
use serde::Deserialize;

use super::{Lab, floats, mean, peak};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lrh {
    lrh: String,
    ring: String,
    nodes: usize,
    keys: u64,
    seeds: u64,
}

impl Lrh {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        let mut peaks: [Vec<f64>; 2] = Default::default();
        for seed in 0..self.seeds {
            let ring = lab.cluster(&self.ring, seed, self.nodes)?;
            let lrh = lab.cluster(&self.lrh, seed, self.nodes)?;
            let loads = lab.loads(&[ring, lrh], seed, self.keys)?;
            for (peaks, loads) in peaks.iter_mut().zip(loads) {
                peaks.push(peak(&floats(&loads)));
            }
        }
        lab.claims.number("lrh-ring", mean(&peaks[0]));
        lab.claims.number("lrh-peak", mean(&peaks[1]));
        let why = "that rival has 256 points a node; ours, as its own paper has it, has one";
        lab.claims.not_checkable("lrh-multi-probe", "", why);
        let why = "keys a second of another machine and of 20 threads";
        lab.claims.not_checkable("lrh-speed", "", why);
        Ok(())
    }
}
