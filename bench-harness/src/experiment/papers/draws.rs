//! Ertl 2025: random words that `JumpBackHash` draws, at the numbers of buckets of the paper's
//! benchmark.

use anyhow::Result;
use router::{Change, NodeSpec};
use serde::Deserialize;

use super::{Lab, between};
use crate::{
    record::SeriesRow,
    workload::{KeySet, node_names},
};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Draws {
    jump_back: String,
    /// Numbers of buckets, rising.
    sizes: Vec<usize>,
    keys: u64,
}

impl Draws {
    /// One cluster grows through all sizes. What a look-up hashes besides the key are its draws.
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        const UNIT: &str = "draws";
        let most = self.sizes.iter().copied().max().unwrap_or(0);
        let names = node_names(0, most);
        let mut cluster = lab.setup.cluster::<&str>(&self.jump_back, &[])?;
        let (mut rows, mut outside, mut farthest) = (Vec::new(), 0, 0.0_f64);
        let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
        for &n in &self.sizes {
            let coming = names[cluster.nodes().len()..n].iter();
            let coming: Vec<Change> = coming
                .map(|name| Change::Add(NodeSpec::from(name.as_str())))
                .collect();
            cluster.apply(&coming)?;
            let keys = KeySet::Hex64.keys(n as u64, self.keys);
            let draws = |key: &[u8]| {
                let hashes = cluster.trace(key).map_or(0, |it| it.hash_evals);
                u64::from(hashes.saturating_sub(1))
            };
            let tally = lab.tally(keys.keys(), draws)?;
            let (found, error) = (tally.mean(), tally.error());
            let expected = expected(n);
            let apart = (found - expected).abs();
            outside += usize::from(apart > 4.0 * error + 1e-12);
            farthest = farthest.max(apart);
            least = least.min(found);
            largest = largest.max(found);
            let (x, around) = (n as f64, 4.0 * error);
            let ours = (found - around, found, found + around);
            rows.push(between("ours", x, ours, UNIT).named(&self.jump_back));
            let row = SeriesRow::point("theory", x, expected, UNIT);
            rows.push(row.named(&self.jump_back));
        }
        let measured = format!(
            "{} of {} sizes within 4 standard errors, none further off than {farthest:.4}",
            self.sizes.len() - outside,
            self.sizes.len()
        );
        lab.claims.holds("draws", measured, outside == 0);
        let measured = format!("{least:.4} to {largest:.4}");
        let within = least >= 1.0 && largest <= 5.0 / 3.0 + 0.01;
        lab.claims.holds("draws-range", measured, within);
        lab.series.push(("draws", rows));
        Ok(())
    }
}

/// 1 + s / (1 - s^2), s the part of the power of two above n that has no bucket.
fn expected(n: usize) -> f64 {
    let s = 1.0 - n as f64 / n.next_power_of_two() as f64;
    1.0 + s / (1.0 - s * s)
}
