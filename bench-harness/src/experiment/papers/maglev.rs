//! Eisenbud and others 2016, sections 3.4 and 5.3: how even tables are, and figure 12, what changes
//! in a table when backends fail.

use anyhow::Result;
use router::{Change, Cluster, KeyBuf, NodeId};
use serde::Deserialize;

use super::{Lab, between, mean, peak, wanted::Wanted};
use crate::{record::SeriesRow, workload::ranks};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Maglev {
    /// The spec of a table, with a place for ENTRIES.
    table: String,
    ring: String,
    rendezvous: String,
    backends: usize,
    tables: Vec<Table>,
    /// Backends that fail at once, for each point of figure 12.
    failures: Vec<usize>,
    /// Trials of each point, and sets of names that they are spread over.
    trials: u64,
    worlds: u64,
}

/// A table's size.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// What its claims are called by.
    id: String,
    entries: u64,
    /// Tables that the other two rules fill, by seed.
    draws: u64,
}

impl Maglev {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        for table in &self.tables {
            self.even(lab, table)?;
        }
        let mut rows = Vec::new();
        for table in &self.tables {
            self.figure_12(lab, table, &mut rows)?;
        }
        lab.series.push(("fig12", rows));
        Ok(())
    }

    fn spec(&self, table: &Table) -> String {
        self.table.replace("ENTRIES", &table.entries.to_string())
    }

    /// How far the fullest backend of a table lies above the mean.
    fn even(&self, lab: &mut Lab<'_>, table: &Table) -> Result<()> {
        let cluster = lab.cluster(&self.spec(table), 0, self.backends)?;
        let above = peak(&cluster.shares().unwrap_or_default()) - 1.0;
        let measured = format!("{:.3} %", 100.0 * above);
        let most = self.backends as f64 / table.entries as f64;
        lab.claims.holds(
            &format!("maglev-{}", table.id),
            measured,
            above <= most + 1e-12,
        );
        // The most backends for which a table still has a hundred times as many entries.
        let most = (table.entries / 100) as usize;
        let cluster = lab.cluster(&self.spec(table), 0, most)?;
        let shares = cluster.shares().unwrap_or_default();
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let apart = peak(&shares) - least * most as f64;
        let measured = format!("{:.3} % with {most} backends", 100.0 * apart);
        lab.claims.holds(
            &format!("maglev-rule-{}", table.id),
            measured,
            apart <= 0.01 + 1e-12,
        );
        for (name, spec) in [("karger", &self.ring), ("rendezvous", &self.rendezvous)] {
            let above = lab.by_seed(table.draws, |seed| {
                let cluster = lab.cluster(spec, seed, self.backends)?;
                let loads = lab.loads(&[cluster], seed, table.entries)?.concat();
                let loads: Vec<f64> = super::floats(&loads);
                Ok(100.0 * (peak(&loads) - 1.0))
            })?;
            lab.claims.draw(&format!("{name}-{}", table.id), &above);
        }
        Ok(())
    }

    /// Entries that change hands between backends that did not fail, in percent of the table.
    fn figure_12(&self, lab: &mut Lab<'_>, table: &Table, rows: &mut Vec<SeriesRow>) -> Result<()> {
        const UNIT: &str = "% of entries";
        let id = format!("fig12-{}", table.id);
        let spec = self.spec(table);
        let parsed = lab.setup.spec(&spec)?;
        let label = parsed.to_string();
        let Some(wanted) = Wanted::of(parsed.strategy().hash) else {
            let why = "no keys can be found for the entries of its table";
            lab.claims.not_checkable(&id, "", why);
            return Ok(());
        };
        let keys: KeyBuf = (0..table.entries).map(|entry| wanted.key(entry)).collect();
        let bases = lab.by_seed(self.worlds, |seed| {
            let cluster = lab.cluster(&spec, seed, self.backends)?;
            let owners = entries(&cluster, &keys);
            Ok((cluster, owners))
        })?;
        let mut means = Vec::new();
        let paper = lab.published(&id);
        for (place, &failures) in self.failures.iter().enumerate() {
            let changed = lab.by_seed(self.trials, |trial| {
                let (cluster, before) = &bases[(trial % self.worlds) as usize];
                let order = ranks(trial, self.backends);
                let names: Vec<&str> = cluster.nodes().iter().map(|it| &*it.name).collect();
                let failed: Vec<&str> = order[..failures].iter().map(|&it| names[it]).collect();
                let gone: Vec<Option<NodeId>> =
                    failed.iter().map(|name| cluster.id(name)).collect();
                let mut gone: Vec<NodeId> = gone.into_iter().flatten().collect();
                gone.sort_unstable();
                let changes: Vec<Change> = failed
                    .iter()
                    .map(|name| Change::Remove((*name).into()))
                    .collect();
                let mut after = cluster.clone();
                after.apply(&changes)?;
                let after = entries(&after, &keys);
                let pairs = before.iter().zip(&after);
                let differ = pairs.filter(|(before, after)| {
                    before != after && gone.binary_search(before).is_err()
                });
                Ok(100.0 * differ.count() as f64 / table.entries as f64)
            })?;
            let lo = changed.iter().copied().fold(f64::INFINITY, f64::min);
            let hi = changed.iter().copied().fold(0.0, f64::max);
            means.push(mean(&changed));
            let x = failures as f64;
            let ours = (lo, means[place], hi);
            rows.push(between("ours", x, ours, UNIT).named(&label));
            if let Some(&read) = paper.get(place) {
                let row = SeriesRow::point("published", x, read, UNIT);
                rows.push(row.named(&label));
            }
        }
        lab.claims.numbers(&id, &means);
        Ok(())
    }
}

/// Who has each entry: the owner of a key whose hash is the entry's number.
fn entries(cluster: &Cluster, keys: &KeyBuf) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    cluster.route_batch(keys.keys(), &mut owners);
    owners
}
