//! Growth: what a look-up, building, a change and memory cost as the nodes become many, and whether it
//! grows as its source says.
//!
//! ```text
//!   sizes x strategies --> bytes, work a look-up (counted) ----> power of n, beside its law's: claims
//!                     \--> look-up, build, add, remove (timed) -> power of n, beside law and floor
//! ```
//!
//! Which law who states for which cost is data, in the definition.

mod judge;
mod law;
mod tables;

use std::collections::BTreeMap;

use anyhow::Result;
use router::NodeSpec;
use serde::Deserialize;

use super::{Claims, Extra, Findings, Setup};
use crate::{
    measure::{
        Contender, Stopped,
        growth::{self, Grown, Lists, Pace, Refused},
        stats::median_interval,
    },
    record::{Status, to_csv},
    workload::{KeySet, node_names},
};
use law::{Law, Power};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Growth {
    /// Numbers of nodes, ascending.
    sizes: Vec<u64>,
    /// The fewest nodes that a power is fitted to.
    fit_from: u64,
    /// Keys that are asked in turns.
    keys: u64,
    rounds: u64,
    /// Seconds that building one router anew among the rounds of a size may take.
    rebuilding: f64,
    most_points: u64,
    /// Units of work: probes and four times the hash evaluations.
    most_units: f64,
    traced: usize,
    traced_units: f64,
    /// Whose clusters show what members there are before and after each change.
    members_of: String,
    strategies: Vec<Strategy>,
}

/// A strategy, and how what it costs is said to grow: the law, and who states it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strategy {
    /// What its claims begin with.
    name: String,
    spec: String,
    /// Where the spec does not say it in a parameter of that role.
    points_per_node: Option<u64>,
    /// Which count its law of a look-up is about.
    counts: Cost,
    lookup: Stated,
    bytes: Stated,
    build: Stated,
    add: Stated,
    remove: Stated,
}

type Stated = (Law, String);

/// What is measured against n.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Cost {
    HashEvals,
    Probes,
    Bytes,
    Lookup,
    /// The floor of a look-up: the strategy's hash, and one random load.
    Load,
    Build,
    Add,
    Remove,
}

impl Cost {
    const COUNTED: [Self; 3] = [Self::HashEvals, Self::Probes, Self::Bytes];
    const TIMED: [Self; 5] = [
        Self::Lookup,
        Self::Load,
        Self::Build,
        Self::Add,
        Self::Remove,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::HashEvals => "hash_evals",
            Self::Probes => "probes",
            Self::Bytes => "bytes",
            Self::Lookup => "lookup",
            Self::Load => "load",
            Self::Build => "build",
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::HashEvals | Self::Probes => "a look-up",
            Self::Bytes => "bytes",
            Self::Lookup | Self::Load => "ns a key",
            Self::Build | Self::Add | Self::Remove => "ns",
        }
    }
}

/// A strategy that is run.
struct Entry {
    contender: Contender,
    points_per_node: u64,
    /// What is said of it; nothing where a person chose another strategy than the definition's.
    said: Option<Strategy>,
}

impl Entry {
    fn label(&self) -> String {
        self.contender.spec.to_string()
    }

    /// The law of a cost, and who states it.
    fn law(&self, cost: Cost) -> Option<&Stated> {
        let said = self.said.as_ref()?;
        match cost {
            Cost::HashEvals | Cost::Probes => (said.counts == cost).then_some(&said.lookup),
            Cost::Lookup => Some(&said.lookup),
            Cost::Load => None,
            Cost::Bytes => Some(&said.bytes),
            Cost::Build => Some(&said.build),
            Cost::Add => Some(&said.add),
            Cost::Remove => Some(&said.remove),
        }
    }
}

/// A cost at one size, or why there is none.
type Measured = Result<Value, Refused>;

#[derive(Clone, Copy, Debug)]
struct Value {
    at: f64,
    /// The interval of a median.
    span: Option<(f64, f64)>,
    /// Rounds behind a median.
    rounds: usize,
}

impl Value {
    fn counted(at: f64) -> Self {
        Self {
            at,
            span: None,
            rounds: 0,
        }
    }
}

/// All costs of one entry, by size.
type Costs = BTreeMap<Cost, Vec<(u64, Measured)>>;

/// What was found.
struct Found {
    fit_from: u64,
    entries: Vec<Entry>,
    /// Of each entry.
    costs: Vec<Costs>,
}

impl Found {
    /// The values of a cost that there are.
    fn values(&self, entry: usize, cost: Cost) -> Vec<(u64, f64)> {
        let all = self.costs[entry].get(&cost).map_or(&[][..], Vec::as_slice);
        all.iter()
            .filter_map(|(n, value)| Some((*n, value.as_ref().ok()?.at)))
            .collect()
    }

    /// The power of n that a cost grows with.
    fn power(&self, entry: usize, cost: Cost) -> Option<Power> {
        Power::of(&self.values(entry, cost), self.fit_from)
    }

    /// Its law at the sizes that it was measured at.
    fn law(&self, entry: usize, cost: Cost) -> Option<(Law, Vec<(u64, f64)>)> {
        let it = &self.entries[entry];
        let law = it.law(cost)?.0;
        let at = |(n, _)| (n, law.at(n, it.points_per_node));
        Some((law, self.values(entry, cost).into_iter().map(at).collect()))
    }

    /// The power of n that its law has over the same sizes.
    fn law_power(&self, entry: usize, cost: Cost) -> Option<(Law, f64)> {
        let (law, values) = self.law(entry, cost)?;
        Some((law, Power::of(&values, self.fit_from)?.exponent))
    }
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let growth: Growth = setup.definition.setup();
    let mut found = Found {
        fit_from: growth.fit_from,
        entries: growth.entries(setup)?,
        costs: Vec::new(),
    };
    found.costs = found.entries.iter().map(|_| Costs::new()).collect();
    growth.measure(setup, &mut found)?;
    let mut claims = Claims::new(setup.definition);
    judge::all(&mut claims, &growth, &found);
    let mut findings = claims.finish(
        vec![("costs", tables::costs(&found, &Cost::COUNTED))],
        tables::printed(&found),
    );
    let timed = tables::costs(&found, &Cost::TIMED);
    findings.extra = vec![
        Extra::new("fits", to_csv(&tables::fits(&found, &Cost::COUNTED))?, true),
        Extra::new("costs", to_csv(&timed)?, false),
        Extra::new("fits", to_csv(&tables::fits(&found, &Cost::TIMED))?, false),
    ];
    Ok(findings)
}

impl Growth {
    /// Who is run: the definition's strategies, or those that a person chose, with what the definition
    /// says of them.
    fn entries(&self, setup: &Setup<'_>) -> Result<Vec<Entry>> {
        let mut said = Vec::new();
        for strategy in &self.strategies {
            said.push((setup.spec(&strategy.spec)?.to_string(), strategy));
        }
        let own: Vec<String> = self.strategies.iter().map(|it| it.spec.clone()).collect();
        let entry = |spec: router::Spec| {
            let label = spec.to_string();
            let said = said.iter().find(|it| it.0 == label).map(|it| it.1.clone());
            let contender = Contender::new(spec);
            let points = said.as_ref().and_then(|it| it.points_per_node);
            let points = points.or(contender.points_per_node);
            Entry {
                points_per_node: points.unwrap_or(1),
                contender,
                said,
            }
        };
        Ok(setup.specs(&own)?.into_iter().map(entry).collect())
    }

    fn measure(&self, setup: &Setup<'_>, found: &mut Found) -> Result<()> {
        let pace = Pace {
            rounds: self.rounds,
            rebuilding: self.rebuilding,
            most_points: self.most_points,
            most_units: self.most_units,
            traced_units: self.traced_units,
            traced: self.traced,
        };
        // A round of a dozen strategies takes as long as building half a million points.
        let weight = |points: u64| (points.min(self.most_points) / 500_000) as usize;
        let steps = self.sizes.iter().map(|&n| {
            let each = found
                .entries
                .iter()
                .map(|it| weight(n * it.points_per_node));
            each.sum::<usize>() + self.rounds as usize
        });
        setup.progress.phase("growth", steps.sum());
        let keys = KeySet::Hex64.keys(0, self.keys);
        let contenders: Vec<(&Contender, u64)> = found
            .entries
            .iter()
            .map(|it| (&it.contender, it.points_per_node))
            .collect();
        let members_of = setup.spec(&self.members_of)?;
        for &n in &self.sizes {
            let nodes: Vec<NodeSpec> = node_names(0, n as usize)
                .into_iter()
                .map(NodeSpec::from)
                .collect();
            let lists = Lists::new(&members_of, &nodes)?;
            drop(nodes);
            let grown = growth::measure(&contenders, &lists, &keys, pace, weight, setup.progress);
            let grown = grown.map_err(Stopped::from)?;
            for (costs, grown) in found.costs.iter_mut().zip(grown) {
                for cost in Cost::COUNTED.into_iter().chain(Cost::TIMED) {
                    let value = match &grown {
                        Ok(grown) => value(cost, grown),
                        Err(refused) => Err(refused.clone()),
                    };
                    costs.entry(cost).or_default().push((n, value));
                }
            }
        }
        setup.progress.end_phase();
        Ok(())
    }
}

/// One cost of what was measured.
fn value(cost: Cost, grown: &Grown) -> Measured {
    let unsupported = |why: &str| (Status::Unsupported, why.to_owned());
    let untold = || unsupported("it does not say what a look-up does");
    let median = |ns: &[f64]| {
        let (at, lo, hi) = median_interval(ns).ok_or_else(|| unsupported("it was not timed"))?;
        Ok(Value {
            at,
            span: Some((lo, hi)),
            rounds: ns.len(),
        })
    };
    let asked = |ns: &[f64]| match &grown.silent {
        Some(refused) => Err(refused.clone()),
        None => median(ns),
    };
    match cost {
        Cost::HashEvals => {
            let work = grown.work.ok_or_else(untold)?;
            Ok(Value::counted(work.hash_evals))
        }
        Cost::Probes => {
            let work = grown.work.ok_or_else(untold)?;
            Ok(Value::counted(work.probes))
        }
        Cost::Bytes => {
            let why = || unsupported("the program does not count its allocations");
            Ok(Value::counted(grown.bytes.ok_or_else(why)? as f64))
        }
        Cost::Lookup => asked(&grown.samples.lookup),
        Cost::Load => asked(&grown.samples.load),
        Cost::Build => median(&grown.samples.build),
        Cost::Add => median(&grown.samples.add),
        Cost::Remove => median(&grown.samples.remove),
    }
}
