//! Bounded loads: keys displaced, nodes skipped and keys moved, against how tight the bound is.

use anyhow::Result;
use router::{Cluster, NodeId};
use serde::Deserialize;

use super::{Lab, between};
use crate::{
    measure::placed,
    workload::{KeySet, node_names, ranks},
};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bounded {
    nodes: usize,
    keys: u64,
    /// Factors, in fair shares.
    factors: Vec<f64>,
    seeds: u64,
    /// Nodes removed, one at a time.
    losses: usize,
    variants: Vec<Variant>,
}

/// A base and a rule of overflow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    /// What its claims are called by.
    id: String,
    /// The spec, with a place for FACTOR.
    bounded: String,
}

/// Counts over seeds and losses.
#[derive(Clone, Copy, Default, Debug)]
struct Count {
    keys: u64,
    displaced: u64,
    skipped: u64,
    held: u64,
    moved: u64,
}

/// What is counted, and over how much.
type Ratio = fn(&Count) -> (u64, u64);

impl Bounded {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        let mut rows = Vec::new();
        for variant in &self.variants {
            let mut columns: [(Vec<f64>, Vec<f64>); 3] = Default::default();
            for &factor in &self.factors {
                let spec = variant.bounded.replace("FACTOR", &factor.to_string());
                let counts = lab.by_seed(self.seeds, |seed| self.count(lab, &spec, seed))?;
                let ratios: [Ratio; 3] = [
                    |it| (it.displaced, it.keys),
                    |it| (it.skipped, it.keys),
                    |it| (it.moved, it.held),
                ];
                for ((column, ratio), what) in columns.iter_mut().zip(ratios).zip(COLUMNS) {
                    let (found, error) = overall(&counts, ratio);
                    column.0.push(found);
                    column.1.push(error);
                    let around = (found - 3.0 * error, found, found + 3.0 * error);
                    rows.push(between(what, factor, around, what).named(&variant.id));
                }
            }
            for ((found, errors), what) in columns.iter().zip(COLUMNS) {
                let id = format!("{}-{what}", variant.id);
                lab.claims.means(&id, found, errors);
            }
        }
        lab.series.push(("bounded", rows));
        Ok(())
    }

    fn count(&self, lab: &Lab<'_>, spec: &str, seed: u64) -> Result<Count> {
        let names = node_names(seed, self.nodes);
        let cluster = lab.setup.cluster(spec, &names)?;
        let keys = KeySet::Hex64.keys(seed, self.keys);
        let mut at_home = vec![NodeId::default(); keys.len()];
        cluster.route_batch(keys.keys(), &mut at_home);
        let owners = placed(&cluster, keys.keys(), None);
        let probes = cluster.assign_probes(keys.keys()).unwrap_or_default();
        let skipped = probes.iter().map(|&it| u64::from(it.saturating_sub(1)));
        let mut count = Count {
            keys: self.keys,
            displaced: differing(&at_home, &owners),
            skipped: skipped.sum(),
            ..Count::default()
        };
        for &lost in &ranks(seed, self.nodes)[..self.losses] {
            let mut after: Cluster = cluster.clone();
            let id = after.id(&names[lost]);
            count.held += owners.iter().filter(|&&it| Some(it) == id).count() as u64;
            after.remove(&names[lost])?;
            let moved = placed(&after, keys.keys(), Some(&owners));
            count.moved += differing(&owners, &moved);
        }
        Ok(count)
    }
}

/// What is counted, as claims and series call it.
const COLUMNS: [&str; 3] = ["displaced", "skipped", "moves"];

/// A ratio of counts over all of them, and its standard error from how they differ.
fn overall(counts: &[Count], ratio: Ratio) -> (f64, f64) {
    let parts = counts.iter().map(|it| {
        let (part, of) = ratio(it);
        (part as f64, of as f64)
    });
    let (part, of) = parts
        .clone()
        .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let found = part / of;
    let n = counts.len() as f64;
    if counts.len() < 2 {
        return (found, 0.0);
    }
    let off = parts.map(|(part, of)| (part - found * of) * (part - found * of));
    let squares: f64 = off.sum();
    (found, (squares * n / (n - 1.0)).sqrt() / of)
}

fn differing(a: &[NodeId], b: &[NodeId]) -> u64 {
    a.iter().zip(b).filter(|(a, b)| a != b).count() as u64
}
