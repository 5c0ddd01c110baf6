//! Anchor hashing and `MementoHash`: what a look-up costs once nodes have left at random, or in the worst
//! order; and Memento's own example.

use anyhow::Result;
use router::{Change, Cluster};
use serde::Deserialize;

use super::{Lab, between, floats, harmonic, mean, peak};
use crate::{
    record::SeriesRow,
    workload::{KeySet, node_names, ranks},
};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Removals {
    /// Anchor hashing with no room but for its nodes, Memento, and the jump that Memento begins with.
    anchor: String,
    memento: String,
    jump: String,
    nodes: usize,
    /// Nodes left, falling, in each of so many random orders; and the keys that are looked up.
    left: Vec<usize>,
    shown: Vec<usize>,
    orders: u64,
    keys: u64,
    example: Example,
}

/// The example of the authors' program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    nodes: usize,
    removed: usize,
    keys: u64,
    draws: u64,
}

/// Work of a look-up: further hashes after the key's, and steps through lists.
#[derive(Clone, Copy, Default, Debug)]
struct Work {
    hashes: f64,
    steps: f64,
}

impl Removals {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        let orders = lab.by_seed(self.orders, |seed| self.order(lab, seed))?;
        let mut rows = Vec::new();
        for (strategy, name) in [&self.anchor, &self.memento].into_iter().zip(NAMES) {
            let place = usize::from(name == NAMES[1]);
            let (mut hashes, mut steps) = (Vec::new(), Vec::new());
            for (at, &left) in self.left.iter().enumerate() {
                let share = 1.0 - left as f64 / self.nodes as f64;
                let of = |count: fn(Work) -> f64| -> Vec<f64> {
                    let all = orders.iter().map(|it| count(it[at][place]));
                    all.collect()
                };
                let mut add = |what: &str, values: &[f64], unit: &str| {
                    let lo = values.iter().copied().fold(f64::INFINITY, f64::min);
                    let hi = values.iter().copied().fold(0.0, f64::max);
                    let row = between(what, share, (lo, mean(values), hi), unit);
                    rows.push(row.named(strategy));
                };
                add("hashes", &of(|it| it.hashes), "hashes");
                add("steps", &of(|it| it.steps), "steps");
                let law = harmonic(self.nodes) - harmonic(left);
                let row = SeriesRow::point("theory", share, law, "hashes");
                rows.push(row.named(strategy));
                if self.shown.contains(&left) {
                    hashes.push(mean(&of(|it| it.hashes)));
                    steps.push(mean(&of(|it| it.steps)));
                }
            }
            lab.claims.numbers(&format!("{name}-hashes"), &hashes);
            lab.claims.numbers(&format!("{name}-steps"), &steps);
        }
        lab.series.push(("removals", rows));
        self.worst(lab)?;
        self.example(lab)
    }

    /// The work of both strategies while nodes leave in one order.
    fn order(&self, lab: &Lab<'_>, seed: u64) -> Result<Vec<[Work; 2]>> {
        let names = node_names(seed, self.nodes);
        let order = ranks(seed, self.nodes);
        let keys = KeySet::Hex64.keys(seed, self.keys);
        let jump = lab.setup.cluster(&self.jump, &names)?;
        let jumps = lab.tally(keys.keys(), |key| traced(&jump, key).1)?.mean();
        let mut clusters = [&self.anchor, &self.memento]
            .map(|spec| lab.setup.cluster(spec, &names))
            .into_iter()
            .collect::<Result<Vec<Cluster>>>()?;
        let (mut gone, mut found) = (0, Vec::new());
        for &left in &self.left {
            let leaving = &order[gone..self.nodes - left];
            let leaving: Vec<Change> = leaving
                .iter()
                .map(|&it| Change::Remove(names[it].as_str().into()))
                .collect();
            gone = self.nodes - left;
            let mut work = [Work::default(); 2];
            for (place, cluster) in clusters.iter_mut().enumerate() {
                cluster.apply(&leaving)?;
                let hashes = lab.tally(keys.keys(), |key| traced(cluster, key).0)?.mean();
                let probes = lab.tally(keys.keys(), |key| traced(cluster, key).1)?.mean();
                // Both count the place that a further hash names; anchor also the key's first one,
                // Memento the jumps.
                let first = if place == 0 { 1.0 } else { jumps };
                work[place] = Work {
                    hashes: hashes - 1.0,
                    steps: probes - first - (hashes - 1.0),
                };
            }
            found.push(work);
        }
        Ok(found)
    }

    /// The first node leaves, then the last ones one by one.
    fn worst(&self, lab: &mut Lab<'_>) -> Result<()> {
        let names = node_names(0, self.nodes);
        let leaving = std::iter::once(0).chain((2..self.nodes).rev());
        let leaving: Vec<Change> = leaving
            .map(|it| Change::Remove(names[it].as_str().into()))
            .collect();
        let mut cluster = lab.setup.cluster(&self.memento, &names)?;
        cluster.apply(&leaving)?;
        let jump = lab.setup.cluster(&self.jump, &names)?;
        let keys = KeySet::Hex64.keys(0, self.keys);
        let of = |cluster: &Cluster, count: fn((u64, u64)) -> u64| {
            lab.tally(keys.keys(), |key| count(traced(cluster, key)))
        };
        let further = of(&cluster, |it| it.0)?.mean() - 1.0;
        let steps = of(&cluster, |it| it.1)?.mean() - of(&jump, |it| it.1)?.mean() - further;
        lab.claims.number("memento-worst", steps);
        Ok(())
    }

    fn example(&self, lab: &mut Lab<'_>) -> Result<()> {
        let example = &self.example;
        let peaks = lab.by_seed(example.draws, |seed| {
            let names = node_names(seed, example.nodes);
            let order = ranks(seed, example.nodes);
            let leaving: Vec<Change> = order[..example.removed]
                .iter()
                .map(|&it| Change::Remove(names[it].as_str().into()))
                .collect();
            let mut cluster = lab.setup.cluster(&self.memento, &names)?;
            cluster.apply(&leaving)?;
            let loads = lab.loads(&[cluster], seed, example.keys)?.concat();
            Ok(peak(&floats(&loads)))
        })?;
        lab.claims.draw("memento-example", &peaks);
        Ok(())
    }
}

/// What the claims of the two are called by.
const NAMES: [&str; 2] = ["anchor", "memento"];

/// Hash evaluations and probes of a look-up.
fn traced(cluster: &Cluster, key: &[u8]) -> (u64, u64) {
    let trace = cluster.trace(key).unwrap_or_default();
    (trace.hash_evals.into(), trace.probes.into())
}
