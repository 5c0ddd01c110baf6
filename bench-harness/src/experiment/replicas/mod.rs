//! Replicas: sets of nodes that hold a key's copies, when one node is lost and when several fail.
//!
//! ```text
//!   preference(key, R) --> a set of nodes a key
//!      one node lost:   whose first node, whose set is another?
//!      all failures of two, of three: which keys lose their quorum?
//! ```

mod failures;
mod judge;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};
use rayon::prelude::*;
use router::{Cluster, Keys, NodeId, NodeSpec, Spec};
use serde::Deserialize;

use super::{Claims, Findings, Setup};
use crate::{
    record::SeriesRow,
    workload::{KeySet, LossOrder, Scenario, node_names},
};
use failures::Failures;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Replicas {
    nodes: usize,
    keys: u64,
    seeds: u64,
    replicas: usize,
    quorum: usize,
    losses: usize,
    failures: Vec<usize>,
    strategies: Vec<String>,
    one_point: String,
    points: Vec<String>,
    random: String,
}

/// What is counted. The numbers are of nodes that fail together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Count {
    /// Share of keys whose first node is another after a loss.
    Primary,
    /// Share of keys whose set is another.
    Members,
    /// Share of keys whose set is another although the lost node was not in it.
    Needless,
    /// Distinct sets.
    Sets,
    /// Share of failures in which some key loses its quorum.
    Hit(usize),
    /// Share of keys that lose it, the mean over all failures.
    Mean(usize),
    /// The same for the worst failure.
    Worst(usize),
}

/// What was found: for each strategy and count a value a seed, or a loss.
struct Found {
    strategies: Vec<Spec>,
    values: BTreeMap<(usize, Count), Vec<f64>>,
    refused: BTreeSet<String>,
}

impl Found {
    fn values(&self, strategy: usize, count: Count) -> &[f64] {
        let found = self.values.get(&(strategy, count));
        found.map_or(&[], Vec::as_slice)
    }

    fn mean(&self, strategy: usize, count: Count) -> Option<f64> {
        crate::measure::stats::mean(self.values(strategy, count))
    }

    /// The place of a strategy that was run.
    fn place(&self, spec: &str) -> Option<usize> {
        let place = self
            .strategies
            .iter()
            .position(|it| it.to_string() == spec)?;
        Some(place).filter(|&it| !self.values(it, Count::Sets).is_empty())
    }

    /// The places of those that were.
    fn run(&self) -> impl Iterator<Item = usize> {
        (0..self.strategies.len()).filter(|&it| !self.values(it, Count::Sets).is_empty())
    }
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let mut replicas: Replicas = setup.definition.setup();
    let named = [&mut replicas.one_point, &mut replicas.random];
    for named in named.into_iter().chain(&mut replicas.points) {
        *named = setup.spec(named)?.to_string();
    }
    ensure!(
        (1..=replicas.replicas).contains(&replicas.quorum) && replicas.replicas < replicas.nodes,
        "expected a quorum of some of the copies, and more nodes than copies"
    );
    let mut found = Found {
        strategies: setup.specs(&replicas.strategies)?,
        values: BTreeMap::new(),
        refused: BTreeSet::new(),
    };
    let mut tasks: Vec<(usize, u64)> = Vec::new();
    for (strategy, spec) in found.strategies.iter().enumerate() {
        if spec.capabilities().replicas {
            tasks.extend((0..replicas.seeds).map(|seed| (strategy, seed)));
        } else {
            let line = format!("left out: {spec}: it does not claim replicas");
            found.refused.insert(line);
        }
    }
    setup.progress.phase("replicas", tasks.len());
    let trials: Vec<Vec<(Count, f64)>> = tasks
        .par_iter()
        .map(|&(strategy, seed)| {
            let trial = replicas.trial(setup, &found.strategies[strategy], seed)?;
            setup.progress.step();
            Ok(trial)
        })
        .collect::<Result<_>>()?;
    for ((strategy, _), trial) in tasks.into_iter().zip(trials) {
        for (count, value) in trial {
            found
                .values
                .entry((strategy, count))
                .or_default()
                .push(value);
        }
    }
    let mut claims = Claims::new(setup.definition);
    judge::all(&mut claims, &replicas, &found);
    let series = vec![("sets", replicas.series(&found))];
    Ok(claims.finish(series, found.refused.into_iter().collect()))
}

/// The nodes of each key, one key behind the other, the first of each in front.
fn orders(cluster: &Cluster, keys: Keys<'_>, n: usize) -> Vec<NodeId> {
    let mut orders = Vec::with_capacity(keys.len() * n);
    for key in keys.iter() {
        let order = cluster.preference(key, n).expect("it claims replicas");
        assert!(
            order.len() == n,
            "{}: fewer nodes than there are",
            cluster.spec()
        );
        orders.extend(order);
    }
    orders
}

impl Replicas {
    /// One strategy under one seed.
    fn trial(&self, setup: &Setup<'_>, spec: &Spec, seed: u64) -> Result<Vec<(Count, f64)>> {
        let names = node_names(seed, self.nodes);
        let nodes: Vec<NodeSpec> = names.into_iter().map(NodeSpec::from).collect();
        let keys = KeySet::Hex64.keys(seed, self.keys);
        let cluster = Cluster::build(spec, &nodes).with_context(|| spec.to_string())?;
        let before = orders(&cluster, keys.keys(), self.replicas);
        let mut trial = Vec::new();
        let lost = Scenario::LosePercent(50, LossOrder::Random).changes(seed, &nodes);
        for change in lost.into_iter().flatten().take(self.losses) {
            setup.check()?;
            let mut after = cluster.clone();
            after
                .apply(std::slice::from_ref(&change))
                .with_context(|| spec.to_string())?;
            let gone = cluster
                .nodes()
                .iter()
                .find(|it| after.name(it.id).is_none());
            let gone = gone.map(|it| it.id);
            let after = orders(&after, keys.keys(), self.replicas);
            let (mut primary, mut members, mut needless) = (0, 0, 0);
            let sets = before
                .chunks(self.replicas)
                .zip(after.chunks(self.replicas));
            for (old, new) in sets {
                let changed = old.iter().any(|it| !new.contains(it));
                primary += u64::from(old[0] != new[0]);
                members += u64::from(changed);
                needless += u64::from(changed && !old.iter().any(|it| Some(*it) == gone));
            }
            let share = |count: u64| count as f64 / self.keys as f64;
            trial.push((Count::Primary, share(primary)));
            trial.push((Count::Members, share(members)));
            trial.push((Count::Needless, share(needless)));
        }
        let sets = before.chunks(self.replicas).map(|set| {
            let place = |id: &NodeId| cluster.nodes().position(*id).expect("it is present");
            set.iter().map(place).collect()
        });
        let failures = Failures::new(self.nodes, self.quorum, sets);
        trial.push((Count::Sets, failures.distinct() as f64));
        for &n in &self.failures {
            setup.check()?;
            let lost = failures.of(n);
            trial.push((Count::Hit(n), lost.hit));
            trial.push((Count::Mean(n), lost.mean));
            trial.push((Count::Worst(n), lost.worst));
        }
        Ok(trial)
    }

    /// All counts, and what theory says of random sets.
    fn series(&self, found: &Found) -> Vec<SeriesRow> {
        let mut rows = Vec::new();
        let name = |count: Count| match count {
            Count::Primary => ("loss, first node".to_owned(), "share of keys"),
            Count::Members => ("loss, set".to_owned(), "share of keys"),
            Count::Needless => ("loss, set without the lost".to_owned(), "share of keys"),
            Count::Sets => ("distinct sets".to_owned(), "sets"),
            Count::Hit(n) => (format!("{n} fail, hit"), "share of failures"),
            Count::Mean(n) => (format!("{n} fail, mean"), "share of keys"),
            Count::Worst(n) => (format!("{n} fail, worst"), "share of keys"),
        };
        for (&(strategy, count), values) in &found.values {
            let (series, unit) = name(count);
            rows.extend(SeriesRow::spanned(values).map(|row| SeriesRow {
                series,
                label: found.strategies[strategy].to_string(),
                unit: unit.to_owned(),
                ..row
            }));
        }
        let mut theory = |count: Count, value: f64| {
            let (series, unit) = name(count);
            rows.push(SeriesRow {
                series: format!("{series}, random sets"),
                value: Some(value),
                unit: unit.to_owned(),
                ..SeriesRow::default()
            });
        };
        let n = self.nodes as f64;
        theory(Count::Primary, 1.0 / n);
        theory(Count::Members, self.replicas as f64 / n);
        theory(Count::Sets, self.random_sets());
        for &failed in &self.failures {
            theory(Count::Hit(failed), self.random_hit(failed));
            theory(Count::Mean(failed), self.chance(failed));
        }
        rows
    }

    /// The chance that a key loses its quorum when so many nodes fail at random, whatever the
    /// placement: more of its nodes are among them than it can do without.
    fn chance(&self, failed: usize) -> f64 {
        let (n, r) = (self.nodes, self.replicas);
        let enough = r - self.quorum + 1..=failed.min(r);
        let ways = enough.map(|lost| choose(failed, lost) * choose(n - failed, r - lost));
        ways.sum::<f64>() / choose(n, r)
    }

    /// The share of failures in which one of the keys loses its quorum, if their sets are drawn at
    /// random.
    fn random_hit(&self, failed: usize) -> f64 {
        1.0 - libm::pow(1.0 - self.chance(failed), self.keys as f64)
    }

    /// Distinct sets of so many keys, if they are drawn at random.
    fn random_sets(&self) -> f64 {
        let all = choose(self.nodes, self.replicas);
        all * (1.0 - libm::pow(1.0 - 1.0 / all, self.keys as f64))
    }
}

/// The number of ways to choose `k` of `n`.
fn choose(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k).fold(1.0, |ways, i| ways * (n - i) as f64 / (i + 1) as f64)
}
