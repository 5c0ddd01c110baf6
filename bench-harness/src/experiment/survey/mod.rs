//! Survey: the nine benchmarks of a published harness by its own definitions, with its headers, and
//! beside its numbers ours.
//!
//! ```text
//!                  +--> a table a benchmark, with the survey's header
//!   strategies ----+
//!                  +--> beside: theirs, its noise, ours of the same cluster, what differs
//!                  +--> claims: what a definition is said to show, and whether it does
//! ```
//!
//! Definitions and headers are those of the repository that the definition names.

mod balance;
mod beside;
mod judge;
mod keys;
mod memory;
mod monotonicity;
mod timing;

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, Result};
use router::{Change, Cluster, NodeSpec, Spec, Step};
use serde::Deserialize;

use super::{Claims, Extra, Findings, Setup, claims::shown};
use crate::{
    record::to_csv,
    workload::{Purpose, below, stream},
};
use beside::Beside;
use keys::Distribution;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Survey {
    /// What stands before a node's number.
    node_prefix: String,
    sizes: Vec<usize>,
    /// Keys a node.
    key_multipliers: Vec<u64>,
    iterations: u64,
    distributions: Vec<Distribution>,
    /// Shares of the nodes that monotonicity takes away.
    fractions: Vec<f64>,
    /// Nodes of the incremental benchmarks, and the shares that they take away.
    incremental_nodes: usize,
    removal_rates: Vec<f32>,
    seed: u64,
    /// Perfect routers behind a noise band.
    perfect_routers: usize,
    own: Own,
    time: timing::Time,
    algorithms: Vec<Algorithm>,
}

/// How our own metrics are sampled where shares are not exact, and where changes are asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    keys: u64,
    seeds: u64,
}

/// One of the survey's algorithms, as it is called there and here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Algorithm {
    name: String,
    spec: String,
    prime: Option<Prime>,
}

/// A parameter that is the smallest prime above so much a node.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prime {
    param: String,
    a_node: usize,
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let lab = Lab::new(setup)?;
    setup.progress.phase("survey", 4);
    let balances = balance::measure(&lab)?;
    setup.progress.step();
    let moves = monotonicity::measure(&lab)?;
    setup.progress.step();
    let memory = memory::measure(&lab)?;
    setup.progress.step();
    let times = timing::measure(&lab)?;
    setup.progress.step();

    let mut claims = Claims::new(setup.definition);
    judge::balance(&mut claims, &lab, &balances);
    judge::monotonicity(&mut claims, &lab, &moves);
    judge::memory(&mut claims, &lab, &memory);
    judge::times(&mut claims, &lab, &times);

    let mut beside = balance::beside(&lab, &balances);
    beside.extend(monotonicity::beside(&lab, &moves));
    beside.extend(memory::beside(&lab, &memory));
    let mut extra = balance::tables(&lab, &balances)?;
    extra.push(monotonicity::table(&lab, &moves)?);
    extra.extend(memory::tables(&lab, &memory)?);
    extra.push(Extra::new("beside", to_csv(&beside)?, true));
    extra.extend(timing::tables(&lab, &times)?);
    let timed = timing::beside(&lab, &times);
    extra.push(Extra::new("beside", to_csv(&timed)?, false));

    let series = vec![
        ("max", balance::series(&lab, &balances)),
        ("moved", monotonicity::series(&lab, &moves)),
    ];
    let left_out = lab.left_out.into_inner();
    let left_out = left_out.unwrap_or_else(PoisonError::into_inner);
    Ok(Findings {
        extra,
        ..claims.finish(series, left_out.into_iter().collect())
    })
}

/// An algorithm that is run.
struct Entry {
    name: String,
    spec: Spec,
    prime: Option<Prime>,
}

impl Entry {
    /// What it is called in charts: the spec, without what depends on the nodes.
    fn label(&self) -> String {
        self.spec.to_string()
    }

    /// Its spec for a cluster that begins with so many nodes.
    fn sized(&self, n_nodes: usize) -> Result<Spec, router::Error> {
        match &self.prime {
            Some(prime) => {
                let value = prime_above(prime.a_node * n_nodes);
                self.spec.with(&prime.param, &value.to_string())
            }
            None => Ok(self.spec.clone()),
        }
    }

    /// The hash that stands where the survey names its hash function.
    fn hash(&self) -> &'static str {
        self.spec.hash().name
    }

    /// Whether only the last node may leave.
    fn last_only(&self) -> bool {
        !self.spec.capabilities().any_removal
    }
}

/// Where all benchmarks work.
struct Lab<'a> {
    setup: &'a Setup<'a>,
    survey: Survey,
    entries: Vec<Entry>,
    left_out: Mutex<BTreeSet<String>>,
}

impl<'a> Lab<'a> {
    fn new(setup: &'a Setup<'a>) -> Result<Self> {
        let survey: Survey = setup.definition.setup();
        let mut entries = Vec::new();
        if setup.options.strategies.is_empty() {
            for algorithm in &survey.algorithms {
                entries.push(Entry {
                    name: algorithm.name.clone(),
                    spec: setup.spec(&algorithm.spec)?,
                    prime: algorithm.prime.clone(),
                });
            }
        }
        for spec in setup.specs(&[])? {
            entries.push(Entry {
                name: spec.to_string(),
                spec,
                prime: None,
            });
        }
        Ok(Self {
            setup,
            survey,
            entries,
            left_out: Mutex::default(),
        })
    }

    /// The name of a node.
    fn node(&self, number: usize) -> String {
        format!("{}{number}", self.survey.node_prefix)
    }

    fn nodes(&self, n_nodes: usize) -> Vec<NodeSpec> {
        (0..n_nodes)
            .map(|it| NodeSpec::from(self.node(it)))
            .collect()
    }

    /// A cluster of so many nodes; nothing, which will be said, where the strategy refuses them.
    fn cluster(&self, entry: &Entry, n_nodes: usize) -> Result<Option<Cluster>> {
        self.setup.check()?;
        let built = entry.sized(n_nodes);
        let built = built.and_then(|spec| Cluster::build(&spec, &self.nodes(n_nodes)));
        Ok(self.accepted(entry, n_nodes, built))
    }

    /// What a strategy accepted; that it did not will be said.
    fn accepted<T>(
        &self,
        entry: &Entry,
        n_nodes: usize,
        asked: Result<T, router::Error>,
    ) -> Option<T> {
        asked
            .map_err(|why| {
                let text = format!("left out: {} of {n_nodes} nodes: {why}", entry.name);
                let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
                left_out.insert(text);
            })
            .ok()
    }

    /// A cluster before and after so many of its nodes left, and the steps between: the last ones
    /// where no others may leave, else nodes drawn by seed.
    fn reduced(&self, entry: &Entry, n_nodes: usize, rate: f32) -> Result<Option<Reduced>> {
        let Some(before) = self.cluster(entry, n_nodes)? else {
            return Ok(None);
        };
        let mut order: Vec<usize> = (0..n_nodes).rev().collect();
        if !entry.last_only() {
            let mut rng = stream(self.survey.seed, Purpose::Order);
            for i in (1..n_nodes).rev() {
                order.swap(i, below(&mut rng, i + 1));
            }
        }
        // The survey multiplies in 32 bits and cuts.
        order.truncate((n_nodes as f32 * rate) as usize);
        let names: Vec<String> = order.into_iter().map(|it| self.node(it)).collect();
        let mut after = before.clone();
        let steps = names.iter().filter_map(|name| before.id(name));
        let steps = steps.map(Step::Remove).collect();
        let changes: Vec<Change> = names.into_iter().map(Change::Remove).collect();
        let changed = after.apply(&changes);
        let reduced = Reduced {
            before,
            after,
            steps,
        };
        Ok(self.accepted(entry, n_nodes, changed).map(|()| reduced))
    }

    /// Every entry at every size.
    fn cells(&self) -> Vec<(usize, usize)> {
        let sizes = &self.survey.sizes;
        let cells = (0..self.entries.len()).flat_map(|it| sizes.iter().map(move |&n| (it, n)));
        cells.collect()
    }
}

/// A cluster that lost nodes.
struct Reduced {
    before: Cluster,
    after: Cluster,
    steps: Vec<Step>,
}

/// A table under a header of the survey's.
struct Csv(csv::Writer<Vec<u8>>);

impl Csv {
    fn new(header: &str) -> Self {
        let bytes = format!("{header}\n").into_bytes();
        Self(csv::Writer::from_writer(bytes))
    }

    fn row(&mut self, fields: &[String]) -> Result<()> {
        Ok(self.0.write_record(fields)?)
    }

    fn finish(self) -> Result<Vec<u8>> {
        self.0.into_inner().context("write a table")
    }
}

/// A number as the files have it; a quotient of nothing by nothing as the survey's program prints it.
fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    shown(value)
}

/// The smallest prime above `n`.
fn prime_above(n: usize) -> usize {
    let is_prime = |it: &usize| {
        let mut divisors = (2..).take_while(|d| d * d <= *it);
        divisors.all(|d| !it.is_multiple_of(d))
    };
    ((n + 1).max(2)..)
        .find(is_prime)
        .expect("there is always one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_above() {
        for (n, prime) in [
            (0, 2),
            (2, 3),
            (1280, 1283),
            (12_800, 12_809),
            (128_000, 128_021),
        ] {
            assert_eq!(prime_above(n), prime, "{n}");
        }
    }

    #[test]
    fn numbers_as_the_survey_prints_them() {
        assert_eq!(number(f64::NAN), "NaN");
        assert_eq!(number(0.123_456_78), "0.123457");
        assert_eq!(number(12.0), "12");
    }
}
