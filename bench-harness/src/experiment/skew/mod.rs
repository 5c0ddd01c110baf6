//! Skew: what hot keys do to the busiest node, and what a bound on the load does about it and costs.
//!
//! ```text
//!   seed --> nodes, keys, ranks --> requests of each key, by Zipf's law
//!                |                          |
//!   strategy alone: owner of a key --> requests a node
//!   bound on keys:     every key placed once     \  factor, overflow -->
//!   bound on requests: every request placed once /  spill, extra nodes, moves, requests a node
//! ```

mod judge;
mod trial;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rayon::prelude::*;
use router::{Change, KeyBuf, NodeSpec};
use serde::Deserialize;

use super::{Claims, Findings, Setup};
use crate::{
    measure::HashNoise,
    record::SeriesRow,
    workload::{KeySet, LossOrder, Scenario, node_names, ranks, whole_requests, zipf_shares},
};
use trial::{Sample, Trial};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skew {
    nodes: usize,
    keys_a_node: usize,
    requests_a_node: usize,
    /// Exponents of the popularity.
    zipf: Vec<f64>,
    factors: Vec<f64>,
    shown_factor: f64,
    seeds: u64,
    losses: usize,
    /// The spec of a bounded strategy, with places for three words.
    bounded: String,
    overflows: Vec<String>,
    strategies: Vec<String>,
}

/// What is placed: nothing under a bound, each key once, or each request once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Bound {
    /// The strategy alone.
    Alone,
    /// Keys, by place of the overflow and of the factor.
    Keys(usize, usize),
    /// Requests of the popularity with this place; then as for keys.
    Requests(usize, usize, usize),
}

impl Bound {
    /// The places of its overflow and its factor.
    fn rule(self) -> Option<(usize, usize)> {
        match self {
            Self::Alone => None,
            Self::Keys(overflow, factor) | Self::Requests(_, overflow, factor) => {
                Some((overflow, factor))
            }
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Count {
    /// Requests of the busiest node, in fair shares, for the popularity with this place.
    Peak(usize),
    /// Nodes that answer for the hottest key of the popularity with this place.
    Holders(usize),
    /// Share of what is placed that is not where the strategy alone puts it.
    Spill,
    /// Nodes looked at beyond the first, for one that is placed.
    Extra,
    /// Share that changes nodes when one node is lost.
    Moved,
    /// The same without a bound.
    MovedAlone,
    /// Share of the nodes that are within one of their cap.
    Full,
    /// Relative standard deviation of what is placed over the nodes.
    Cv,
    /// Nodes above their cap.
    Above,
}

/// What one seed gives all strategies.
struct World {
    nodes: Vec<NodeSpec>,
    keys: KeyBuf,
    /// The place of the hottest key.
    hottest: usize,
    demands: Vec<Demand>,
    /// Losses of one node, each by itself.
    losses: Vec<Change>,
}

/// How often each key is asked, for one popularity.
struct Demand {
    /// Every request, by the place of its key.
    order: Vec<usize>,
    /// The key of every request.
    stream: KeyBuf,
}

impl Skew {
    fn n_keys(&self) -> usize {
        self.nodes * self.keys_a_node
    }

    /// Requests of each rank, the hottest first.
    fn by_rank(&self, zipf: f64) -> Vec<u64> {
        let total = (self.nodes * self.requests_a_node) as u64;
        whole_requests(&zipf_shares(self.n_keys(), zipf), total)
    }

    fn world(&self, seed: u64) -> World {
        let names = node_names(seed, self.nodes);
        let nodes: Vec<NodeSpec> = names.into_iter().map(NodeSpec::from).collect();
        let keys = KeySet::Hex64.keys(seed, self.n_keys() as u64);
        let ranks = ranks(seed, keys.len());
        let demands = self.zipf.iter().map(|&zipf| {
            let by_rank = self.by_rank(zipf);
            let order: Vec<usize> = ranks
                .iter()
                .enumerate()
                .flat_map(|(key, &rank)| std::iter::repeat_n(key, by_rank[rank] as usize))
                .collect();
            let stream = order.iter().map(|&key| keys.keys().get(key)).collect();
            Demand { order, stream }
        });
        let lost = Scenario::LosePercent(50, LossOrder::Random).changes(seed, &nodes);
        World {
            demands: demands.collect(),
            hottest: ranks.iter().position(|&rank| rank == 0).unwrap_or(0),
            losses: lost.into_iter().flatten().take(self.losses).collect(),
            keys,
            nodes,
        }
    }

    /// The spec of a strategy under a bound.
    fn bounded_spec(&self, strategy: &str, overflow: usize, factor: usize) -> String {
        self.bounded
            .replace("SPEC", strategy)
            .replace("FACTOR", &self.factors[factor].to_string())
            .replace("OVERFLOW", &self.overflows[overflow])
    }

    /// What is bounded, as the series call it.
    fn bound_name(&self, bound: Bound) -> String {
        match bound {
            Bound::Alone => "alone".to_owned(),
            Bound::Keys(overflow, _) => format!("keys, {}", self.overflows[overflow]),
            Bound::Requests(zipf, overflow, _) => {
                format!("zipf-{}, {}", self.zipf[zipf], self.overflows[overflow])
            }
        }
    }
}

/// What was found: for each strategy, bound and count a value a seed.
struct Found {
    /// Canonical specs, in the order of the definition.
    strategies: Vec<String>,
    values: BTreeMap<(usize, Bound, Count), Vec<f64>>,
    /// What could not be bounded, and why, a line each.
    refused: BTreeSet<String>,
}

impl Found {
    fn values(&self, strategy: usize, bound: Bound, count: Count) -> &[f64] {
        let found = self.values.get(&(strategy, bound, count));
        found.map_or(&[], Vec::as_slice)
    }

    /// The mean over the seeds.
    fn mean(&self, strategy: usize, bound: Bound, count: Count) -> Option<f64> {
        let values = self.values(strategy, bound, count);
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Moves for each that moves without a bound. Over all seeds at once: one node may have lost
    /// next to nothing.
    fn moves(&self, strategy: usize, bound: Bound) -> Option<f64> {
        let sum = |count| self.values(strategy, bound, count).iter().sum::<f64>();
        let alone = sum(Count::MovedAlone);
        (alone > 0.0).then(|| sum(Count::Moved) / alone)
    }
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let skew: Skew = setup.definition.setup();
    let chosen = &setup.options.strategies;
    let strategies = if chosen.is_empty() {
        &skew.strategies
    } else {
        chosen
    };
    let mut specs: Vec<String> = Vec::new();
    for strategy in strategies {
        let spec = setup.spec(strategy)?.to_string();
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    setup
        .progress
        .phase("skew", specs.len() * skew.seeds as usize);
    let worlds: Vec<World> = (0..skew.seeds)
        .into_par_iter()
        .map(|seed| skew.world(seed))
        .collect();
    let tasks: Vec<(usize, &World)> = (0..specs.len())
        .flat_map(|strategy| worlds.iter().map(move |world| (strategy, world)))
        .collect();
    let trials: Vec<Trial> = tasks
        .par_iter()
        .map(|&(strategy, world)| {
            let trial = Trial::run(setup, &skew, &specs[strategy], world)?;
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
        for Sample {
            bound,
            count,
            value,
        } in trial.samples
        {
            let values = found.values.entry((strategy, bound, count));
            values.or_default().push(value);
        }
        found.refused.extend(trial.refused);
    }
    let mut claims = Claims::new(setup.definition);
    judge::all(&mut claims, &skew, &found);
    let series = vec![
        ("load", loads(&skew, &found)),
        ("factor", costs(&skew, &found)),
    ];
    Ok(claims.finish(series, found.refused.into_iter().collect()))
}

/// Requests of the busiest node: alone, under the bounds that the chart shows, and what no router
/// goes below.
fn loads(skew: &Skew, found: &Found) -> Vec<SeriesRow> {
    const UNIT: &str = "fair shares";
    let fair = vec![1.0 / skew.nodes as f64; skew.nodes];
    let mut rows = Vec::new();
    for (at, &zipf) in skew.zipf.iter().enumerate() {
        let by_rank = skew.by_rank(zipf);
        let name = |what: &str| format!("zipf-{zipf}, {what}");
        let total: u64 = by_rank.iter().sum();
        let floor = by_rank[0] as f64 * skew.nodes as f64 / total as f64;
        rows.push(SeriesRow::point(&name("hottest key"), zipf, floor, UNIT));
        let chance = HashNoise::of_requests(&fair, &by_rank).peak;
        let row = SeriesRow::point(&name("chance"), zipf, chance.mean, UNIT);
        rows.push(SeriesRow {
            lo: Some(chance.lo),
            hi: Some(chance.hi),
            ..row
        });
        for (strategy, spec) in found.strategies.iter().enumerate() {
            let mut bounds = vec![("alone".to_owned(), Bound::Alone)];
            let shown = skew.factors.iter().position(|&it| it == skew.shown_factor);
            for overflow in 0..skew.overflows.len() {
                let Some(factor) = shown else { continue };
                let rule = &skew.overflows[overflow];
                bounds.push((
                    format!("keys bounded, {rule}"),
                    Bound::Keys(overflow, factor),
                ));
                let requests = Bound::Requests(at, overflow, factor);
                bounds.push((format!("requests bounded, {rule}"), requests));
            }
            for (what, bound) in bounds {
                let row = SeriesRow::spanned(found.values(strategy, bound, Count::Peak(at)));
                rows.extend(row.map(|row| SeriesRow {
                    series: name(&what),
                    label: spec.clone(),
                    x: Some(zipf),
                    unit: UNIT.to_owned(),
                    ..row
                }));
            }
        }
    }
    rows
}

/// Against the factor: what a bound costs.
fn costs(skew: &Skew, found: &Found) -> Vec<SeriesRow> {
    let mut rows = Vec::new();
    let bounds: BTreeSet<(usize, Bound)> = found.values.keys().map(|key| (key.0, key.1)).collect();
    for (strategy, bound) in bounds {
        let Some((_, factor)) = bound.rule() else {
            continue;
        };
        let mut add = |what: &str, unit: &str, row: Option<SeriesRow>| {
            rows.extend(row.map(|row| SeriesRow {
                series: format!("{}, {what}", skew.bound_name(bound)),
                label: found.strategies[strategy].clone(),
                x: Some(skew.factors[factor]),
                unit: unit.to_owned(),
                ..row
            }));
        };
        let of = |count| SeriesRow::spanned(found.values(strategy, bound, count));
        add("spill", "share", of(Count::Spill));
        add("extra", "nodes", of(Count::Extra));
        let moves = found.moves(strategy, bound).map(|value| SeriesRow {
            value: Some(value),
            ..SeriesRow::default()
        });
        add("moves", "times", moves);
        add("full", "share", of(Count::Full));
        add("cv", "fair shares", of(Count::Cv));
        for (at, zipf) in skew.zipf.iter().enumerate() {
            add(
                &format!("zipf-{zipf} peak"),
                "fair shares",
                of(Count::Peak(at)),
            );
            add(
                &format!("zipf-{zipf} holders"),
                "nodes",
                of(Count::Holders(at)),
            );
        }
    }
    rows
}
