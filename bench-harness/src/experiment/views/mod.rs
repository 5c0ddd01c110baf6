//! Views: what clients do to the same keys when they know different nodes.
//!
//! ```text
//!   n nodes, C clients:  each misses m, or is m changes behind   --> disagreement, spread, load
//!   ever more nodes:     each of as many clients misses half     --> the same
//!   a change:            heard of by one client after another    --> look-ups that miss
//! ```

mod judge;
mod order;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use router::{Cluster, NodeSpec, Spec};
use serde::Deserialize;

use super::{Claims, Findings, Setup};
use crate::{
    measure::{Agreement, Stale, known_by, placed},
    record::SeriesRow,
    workload::{KeySet, Scenario, View, node_names},
};
use order::one_order;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Views {
    keys: u64,
    seeds: u64,
    nodes: usize,
    clients: usize,
    steps: Vec<usize>,
    sizes: Vec<usize>,
    changes: Vec<String>,
    smooth: String,
    tolerance: f64,
    strategies: Vec<String>,
}

/// A situation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Case {
    /// Each client misses so many nodes.
    Missing(usize),
    /// Each client is up to so many changes behind.
    Behind(usize),
    /// Each of as many clients as nodes misses half of them.
    Half(usize),
    /// The change with this place has been heard of by so many clients.
    Heard(usize, usize),
    /// The change with this place, over all of its course.
    Change(usize),
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Count {
    /// Share of keys on which two clients differ.
    Disagreement,
    /// Nodes that some client takes for a key's owner, the mean over the keys.
    Spread,
    /// The same, 99th percentile.
    SpreadP99,
    /// Keys that some client gives to the busiest node, in fair shares.
    Load,
    /// Share of look-ups that miss.
    Misses,
    /// The same of a strategy that moves no more than it must.
    Least,
}

/// What was found: for each strategy, case and count a value a seed.
struct Found {
    strategies: Vec<Spec>,
    values: BTreeMap<(usize, Case, Count), Vec<f64>>,
    /// What a strategy refuses, a line each.
    refused: BTreeSet<String>,
}

impl Found {
    fn values(&self, strategy: usize, case: Case, count: Count) -> &[f64] {
        let found = self.values.get(&(strategy, case, count));
        found.map_or(&[], Vec::as_slice)
    }

    /// The mean over the seeds.
    fn mean(&self, strategy: usize, case: Case, count: Count) -> Option<f64> {
        let values = self.values(strategy, case, count);
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}

/// What one strategy showed under one seed.
#[derive(Default)]
struct Trial {
    samples: Vec<(Case, Count, f64)>,
    refused: Vec<String>,
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let definition: Views = setup.definition.setup();
    let changes: Vec<Scenario> = definition
        .changes
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let chosen = &setup.options.strategies;
    let strategies = if chosen.is_empty() {
        &definition.strategies
    } else {
        chosen
    };
    let mut specs: Vec<Spec> = Vec::new();
    for strategy in strategies {
        let spec = setup.spec(strategy)?;
        if specs.iter().all(|it| it.to_string() != spec.to_string()) {
            specs.push(spec);
        }
    }
    let tasks: Vec<(usize, u64)> = (0..specs.len())
        .flat_map(|strategy| (0..definition.seeds).map(move |seed| (strategy, seed)))
        .collect();
    setup.progress.phase("views", tasks.len());
    let trials: Vec<Trial> = tasks
        .par_iter()
        .map(|&(strategy, seed)| {
            let trial = definition.trial(setup, &specs[strategy], &changes, seed)?;
            setup.progress.step();
            Ok(trial)
        })
        .collect::<Result<_>>()?;
    let mut found = Found {
        strategies: specs,
        values: BTreeMap::new(),
        refused: BTreeSet::new(),
    };
    for ((strategy, _), trial) in tasks.into_iter().zip(trials) {
        for (case, count, value) in trial.samples {
            let values = found.values.entry((strategy, case, count));
            values.or_default().push(value);
        }
        found.refused.extend(trial.refused);
    }
    let mut claims = Claims::new(setup.definition);
    judge::all(&mut claims, &definition, &found);
    let series = definition.series(&found);
    Ok(claims.finish(series, found.refused.into_iter().collect()))
}

impl Views {
    /// One strategy under one seed.
    fn trial(
        &self,
        setup: &Setup<'_>,
        spec: &Spec,
        changes: &[Scenario],
        seed: u64,
    ) -> Result<Trial> {
        let keys = KeySet::Hex64.keys(seed, self.keys);
        let owners_of = |cluster: &Cluster| placed(cluster, keys.keys(), None);
        let nodes = |n: usize| -> Vec<NodeSpec> {
            let names = node_names(seed, n);
            names.into_iter().map(NodeSpec::from).collect()
        };
        let build = |n: usize| Cluster::build(spec, &nodes(n)).with_context(|| spec.to_string());
        let mut trial = Trial::default();
        let steps = self.steps.iter();
        let cases = steps.flat_map(|&m| [Case::Missing(m), Case::Behind(m)]);
        let cases = cases.chain(self.sizes.iter().map(|&n| Case::Half(n)));
        for case in cases {
            setup.check()?;
            let (n, clients, view) = match case {
                Case::Missing(m) => (self.nodes, self.clients, View::Missing(m)),
                Case::Behind(m) => (self.nodes, self.clients, View::Behind(m)),
                Case::Half(n) => (n, n, View::Missing(n / 2)),
                Case::Heard(..) | Case::Change(_) => continue,
            };
            match known_by(&build(n)?, view, clients, seed) {
                Err(why) => trial
                    .refused
                    .push(format!("left out: {spec}, {}: {why}", view.name())),
                Ok(views) => {
                    let owners: Vec<_> = views.iter().map(owners_of).collect();
                    let it = Agreement::of(&views, &owners);
                    trial.samples.extend([
                        (case, Count::Disagreement, it.disagreement),
                        (case, Count::Spread, it.spread),
                        (case, Count::SpreadP99, it.spread_p99),
                        (case, Count::Load, it.load),
                    ]);
                }
            }
        }
        for (at, change) in changes.iter().enumerate() {
            setup.check()?;
            let nodes = nodes(self.nodes);
            let batches = change.changes(seed, &nodes);
            match Stale::count(&build(self.nodes)?, &batches, self.clients, owners_of) {
                Err(why) => trial
                    .refused
                    .push(format!("left out: {spec}, {change}: {why}")),
                Ok(stale) => {
                    let whole = Case::Change(at);
                    trial.samples.push((whole, Count::Misses, stale.share()));
                    trial.samples.push((whole, Count::Least, stale.least));
                    let heard = (1..).zip(stale.by_heard());
                    let heard = heard.map(|(n, it)| (Case::Heard(at, n), Count::Misses, it));
                    trial.samples.extend(heard);
                }
            }
        }
        Ok(trial)
    }

    /// The curves.
    fn series(&self, found: &Found) -> Vec<(&'static str, Vec<SeriesRow>)> {
        let (mut steps, mut sizes, mut heard) = (Vec::new(), Vec::new(), Vec::new());
        for (&(strategy, case, count), values) in &found.values {
            let what = match count {
                Count::Disagreement => "disagreement",
                Count::Spread => "spread",
                Count::SpreadP99 => "spread p99",
                Count::Load => "load",
                Count::Misses => "misses",
                Count::Least => continue,
            };
            let (rows, series, x) = match case {
                Case::Missing(m) => (&mut steps, format!("missing, {what}"), m),
                Case::Behind(m) => (&mut steps, format!("behind, {what}"), m),
                Case::Half(n) => (&mut sizes, format!("half missing, {what}"), n),
                Case::Heard(at, n) => (&mut heard, self.changes[at].clone(), n),
                Case::Change(_) => continue,
            };
            rows.push(SeriesRow {
                series,
                label: found.strategies[strategy].to_string(),
                x: Some(x as f64),
                value: Some(values.iter().sum::<f64>() / values.len() as f64),
                lo: values.iter().copied().reduce(f64::min),
                hi: values.iter().copied().reduce(f64::max),
                unit: unit(count).to_owned(),
                text: String::new(),
            });
        }
        let exact = |rows: &mut Vec<SeriesRow>, name: &str, x: usize, n, m, clients| {
            let (disagreement, spread) = one_order(n, m, clients);
            for (what, value, count) in [
                ("disagreement", disagreement, Count::Disagreement),
                ("spread", spread, Count::Spread),
            ] {
                let series = format!("{name}, {what}, one order");
                rows.push(SeriesRow::point(&series, x as f64, value, unit(count)));
            }
        };
        for &m in &self.steps {
            exact(&mut steps, "missing", m, self.nodes, m, self.clients);
        }
        for &n in &self.sizes {
            exact(&mut sizes, "half missing", n, n, n / 2, n);
        }
        vec![("steps", steps), ("sizes", sizes), ("heard", heard)]
    }
}

fn unit(count: Count) -> &'static str {
    match count {
        Count::Disagreement | Count::Misses | Count::Least => "share",
        Count::Spread | Count::SpreadP99 => "nodes",
        Count::Load => "fair shares",
    }
}
