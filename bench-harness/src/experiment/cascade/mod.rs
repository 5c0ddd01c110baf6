//! Cascade: nodes that can take so many times the mean load; one is lost, and then those for whom
//! its load is too much.
//!
//! ```text
//!   lose one --> owners of all keys --> who is above capacity? --nobody--> survivors, the busiest
//!                      ^                        |
//!                      +---- lose them all <----+
//! ```

mod judge;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use router::{Change, Cluster, KeyBuf, NodeId, NodeSpec, Spec};
use serde::Deserialize;

use super::{Claims, Findings, Setup, counts};
use crate::{
    measure::placed,
    record::SeriesRow,
    workload::{KeySet, LossOrder, Scenario, change_text, node_names},
};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cascade {
    nodes: usize,
    keys: u64,
    seeds: u64,
    losses: usize,
    capacities: Vec<f64>,
    strategies: Vec<String>,
    one_point: String,
    many_points: String,
    bounded: String,
    /// The factor of that bound.
    bound: f64,
}

/// How one loss ended.
#[derive(Clone, Copy, PartialEq, Debug)]
struct End {
    /// Nodes left.
    survivors: usize,
    /// The busiest of them, in means of the whole cluster before; 0 where none is left.
    peak: f64,
}

/// What one strategy showed.
#[derive(Default)]
struct Trial {
    /// By place of the capacity: how each loss of each seed ended.
    ends: BTreeMap<usize, Vec<End>>,
    /// Of each loss: survivors that got none of the lost node's load.
    spared: Vec<usize>,
    refused: BTreeSet<String>,
}

/// What was found.
struct Found {
    strategies: Vec<String>,
    trials: Vec<Trial>,
}

impl Found {
    /// The place of a strategy that was run.
    fn of(&self, spec: &str) -> Option<&Trial> {
        let place = self.strategies.iter().position(|it| it == spec)?;
        Some(&self.trials[place]).filter(|it| !it.ends.is_empty())
    }
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let mut cascade: Cascade = setup.definition.setup();
    for named in [
        &mut cascade.one_point,
        &mut cascade.many_points,
        &mut cascade.bounded,
    ] {
        *named = setup.spec(named)?.to_string();
    }
    let specs = setup.specs(&cascade.strategies)?;
    let tasks: Vec<(usize, u64)> = (0..specs.len())
        .flat_map(|strategy| (0..cascade.seeds).map(move |seed| (strategy, seed)))
        .collect();
    setup.progress.phase("cascade", tasks.len());
    let trials: Vec<Trial> = tasks
        .par_iter()
        .map(|&(strategy, seed)| {
            let trial = cascade.trial(setup, &specs[strategy], seed)?;
            setup.progress.step();
            Ok(trial)
        })
        .collect::<Result<_>>()?;
    let mut found = Found {
        strategies: specs.iter().map(Spec::to_string).collect(),
        trials: specs.iter().map(|_| Trial::default()).collect(),
    };
    for ((strategy, _), trial) in tasks.into_iter().zip(trials) {
        let all = &mut found.trials[strategy];
        for (capacity, ends) in trial.ends {
            all.ends.entry(capacity).or_default().extend(ends);
        }
        all.spared.extend(trial.spared);
        all.refused.extend(trial.refused);
    }
    let mut claims = Claims::new(setup.definition);
    judge::all(&mut claims, &cascade, &found);
    let refused = found
        .trials
        .iter()
        .flat_map(|it| it.refused.iter().cloned());
    let refused = refused.collect();
    Ok(claims.finish(vec![("survivors", cascade.series(&found))], refused))
}

impl Cascade {
    /// One strategy under one seed.
    fn trial(&self, setup: &Setup<'_>, spec: &Spec, seed: u64) -> Result<Trial> {
        let names = node_names(seed, self.nodes);
        let nodes: Vec<NodeSpec> = names.into_iter().map(NodeSpec::from).collect();
        let keys = KeySet::Hex64.keys(seed, self.keys);
        let cluster = Cluster::build(spec, &nodes).with_context(|| spec.to_string())?;
        let owners = placed(&cluster, keys.keys(), None);
        let before = counts(&cluster, &owners);
        let lost = Scenario::LosePercent(50, LossOrder::Random).changes(seed, &nodes);
        let mut trial = Trial::default();
        for change in lost.into_iter().flatten().take(self.losses) {
            let mut after = cluster.clone();
            if let Err(why) = after.apply(std::slice::from_ref(&change)) {
                trial
                    .refused
                    .insert(format!("left out: {spec}: {}: {why}", change_text(&change)));
                break;
            }
            let moved = placed(&after, keys.keys(), Some(&owners));
            let spared = after
                .nodes()
                .iter()
                .zip(counts(&after, &moved))
                .filter(|(node, now)| {
                    let place = cluster.nodes().position(node.id);
                    place.is_some_and(|it| before[it] >= *now)
                });
            trial.spared.push(spared.count());
            for (place, &capacity) in self.capacities.iter().enumerate() {
                setup.check()?;
                let end = self.fall(after.clone(), &keys, moved.clone(), capacity)?;
                match end {
                    Some(end) => trial.ends.entry(place).or_default().push(end),
                    None => {
                        let why = "those above capacity cannot leave in any order";
                        trial.refused.insert(format!("left out: {spec}: {why}"));
                    }
                }
            }
        }
        Ok(trial)
    }

    /// Loses who is above capacity until nobody is; nothing where the strategy cannot lose them.
    fn fall(
        &self,
        mut cluster: Cluster,
        keys: &KeyBuf,
        mut owners: Vec<NodeId>,
        capacity: f64,
    ) -> Result<Option<End>> {
        let mean = self.keys as f64 / self.nodes as f64;
        loop {
            let loads = counts(&cluster, &owners);
            let above = cluster.nodes().iter().zip(&loads);
            let above = above.filter(|(_, load)| **load as f64 > capacity * mean);
            let above: Vec<Change> = above
                .map(|(node, _)| Change::Remove(node.name.to_string()))
                .collect();
            if above.is_empty() {
                return Ok(Some(End {
                    survivors: loads.len(),
                    peak: loads.iter().copied().max().unwrap_or(0) as f64 / mean,
                }));
            }
            if above.len() == loads.len() {
                return Ok(Some(End {
                    survivors: 0,
                    peak: 0.0,
                }));
            }
            if cluster.apply(&above).is_err() {
                return Ok(None);
            }
            owners = placed(&cluster, keys.keys(), Some(&owners));
        }
    }

    /// Against the capacity: survivors, the busiest of them, and losses that no other followed.
    fn series(&self, found: &Found) -> Vec<SeriesRow> {
        let mut rows = Vec::new();
        for (spec, trial) in found.strategies.iter().zip(&found.trials) {
            for (&place, ends) in &trial.ends {
                let mut add = |series: &str, unit: &str, values: &[f64]| {
                    rows.extend(SeriesRow::spanned(values).map(|row| SeriesRow {
                        series: series.to_owned(),
                        label: spec.clone(),
                        x: Some(self.capacities[place]),
                        unit: unit.to_owned(),
                        ..row
                    }));
                };
                let share = |it: &End| it.survivors as f64 / self.nodes as f64;
                let alone = |it: &End| f64::from(u8::from(it.survivors + 1 == self.nodes));
                let left = ends.iter().filter(|it| it.survivors > 0);
                add(
                    "survivors",
                    "share of nodes",
                    &ends.iter().map(share).collect::<Vec<_>>(),
                );
                add(
                    "alone",
                    "share of losses",
                    &ends.iter().map(alone).collect::<Vec<_>>(),
                );
                add(
                    "peak",
                    "means before",
                    &left.map(|it| it.peak).collect::<Vec<_>>(),
                );
            }
        }
        rows
    }
}
