//! Measures: identical workloads for every strategy, in; rows, out. Draws nothing.
//!
//! ```text
//!   Request --contract gate--> balance, movement, work, memory     (all cores, by seed)
//!                              look-up, build and change           (alone on the machine)
//!                              look-ups during changes             (readers on all cores)
//!           --rows: bands, theory, gates--> Measured
//! ```

mod alloc;
mod arcs;
mod ask;
mod asked;
mod balance;
mod books;
mod cell;
pub mod choice;
pub mod compat;
mod competition;
mod contenders;
mod costs;
mod grid;
pub(crate) mod growth;
mod lane;
mod load;
mod losses;
mod metrics;
mod movement;
mod noise;
mod orders;
pub mod plan;
mod popularity;
mod progress;
pub mod race;
mod rows;
pub mod stats;
mod swap;
mod tasks;
mod timing;
mod trial;
mod trials;
mod twice;
mod views;

use std::{collections::BTreeMap, fmt};

use router::{
    Spec,
    suite::{self, Effort, Verdict},
};

pub use alloc::CountingAlloc;
pub(crate) use alloc::heap_bytes;
pub(crate) use ask::placed;
pub(crate) use balance::{Peaks, affordable, exact_peak};
pub use contenders::COMPARED_POINTS;
pub use grid::{Contender, Part, Profile, Request};
pub(crate) use lane::route_each;
pub use load::Load;
pub use metrics::{METRICS, Metric};
pub(crate) use noise::multinomial;
pub use noise::{Band, HashNoise};
pub use progress::{Interrupted, Progress};
pub use timing::TIMED_KEYS;
pub use twice::{Twice, twice};
pub(crate) use views::{Agreement, Stale, known_by};

use crate::record::{ArcRow, Compared, ContractRow, RawRow, Row, StrategyEntry, TimedRow};
use tasks::in_parallel;

/// Everything that a run measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Rows of `balance.csv`.
    pub balance: Vec<Row>,
    /// Rows of `movement.csv`.
    pub movement: Vec<Row>,
    /// Rows of `views.csv`.
    pub views: Vec<Row>,
    /// Rows of `work.csv`.
    pub work: Vec<Row>,
    /// Rows of `memory.csv`.
    pub memory: Vec<Row>,
    /// Rows of `lookup.csv`.
    pub lookup: Vec<TimedRow>,
    /// Rows of `build.csv`.
    pub build: Vec<TimedRow>,
    /// Rows of `swap.csv`.
    pub swap: Vec<TimedRow>,
    /// Rows of `contract.csv`.
    pub contract: Vec<ContractRow>,
    /// Rows of `points.csv`.
    pub arcs: Vec<ArcRow>,
    /// Entries of `strategies.json`.
    pub strategies: Vec<Compared>,
    /// A row a seed, by the name of the file; only where the request keeps them.
    pub raw: Vec<(&'static str, Vec<RawRow>)>,
}

/// Why a run ended without a result.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// The user interrupted it.
    Interrupted,
    /// The books of a cell do not balance: a fault of the harness. Which cell, and which identity.
    Books(String),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted; nothing was written"),
            Self::Books(fault) => write!(f, "the books do not balance: {fault}"),
        }
    }
}

impl std::error::Error for Stopped {}

impl From<Interrupted> for Stopped {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

/// Measures everything that `request` asks for.
///
/// # Errors
///
/// When it was interrupted, or when the books of a cell do not balance.
pub fn run(request: &Request, progress: &Progress) -> Result<Measured, Stopped> {
    let mut measured = Measured::default();
    let (contract, failed) = contract(request, progress)?;
    measured.contract = contract;
    // Who fails the contract is shown as failed and measured no further.
    let passed = Request {
        contenders: request
            .contenders
            .iter()
            .filter(|it| !failed.contains_key(it.spec.strategy().name))
            .cloned()
            .collect(),
        ..request.clone()
    };
    let mut checksums = vec![Vec::new(); passed.contenders.len()];
    if request.wants(Part::Balance) {
        let table = tasks::balance(&passed, progress, &mut checksums)?;
        measured.balance = table.keep("balance", &mut measured.raw);
        measured.arcs = arcs::measure(&passed);
    }
    if request.wants(Part::Movement) {
        let table = tasks::movement(&passed, progress, &mut checksums)?;
        measured.movement = table.keep("movement", &mut measured.raw);
    }
    if request.wants(Part::Views) {
        measured.views = tasks::views(&passed, progress)?.keep("views", &mut measured.raw);
    }
    if request.wants(Part::Work) {
        let table = tasks::costs_of(&passed, progress, "work", costs::work)?;
        measured.work = table.keep("work", &mut measured.raw);
    }
    if request.wants(Part::Memory) {
        let table = tasks::costs_of(&passed, progress, "memory", costs::memory)?;
        measured.memory = table.keep("memory", &mut measured.raw);
    }
    if request.wants(Part::Lookup) || request.wants(Part::Build) {
        let timed = timing::measure(&passed, progress)?;
        (measured.lookup, measured.build) = (timed.lookup, timed.build);
    }
    if request.wants(Part::Swap) {
        measured.swap = swap::measure(&passed, progress)?;
    }
    progress.end_phase();
    let alike = tasks::alike(&passed, &checksums);
    measured.strategies = request
        .contenders
        .iter()
        .map(|contender| {
            let label = contender.spec.to_string();
            let failed = failed.contains_key(contender.spec.strategy().name);
            Compared {
                alike: alike.get(&label).unwrap_or(&label).clone(),
                overview: contender.overview,
                points_per_node: contender.points_per_node,
                contract: if failed { "failed" } else { "passed" }.to_owned(),
                strategy: StrategyEntry::of(&contender.spec),
                label,
            }
        })
        .collect();
    measured.strategies.sort_by(|a, b| a.label.cmp(&b.label));
    Ok(measured)
}

/// Gate 1: the contract suite over every strategy once, with the parameters that it first stands
/// in the comparison with. The rows, and the first failing check of each strategy that fails.
type Contract = (Vec<ContractRow>, BTreeMap<&'static str, String>);

fn contract(request: &Request, progress: &Progress) -> Result<Contract, Stopped> {
    let mut firsts: Vec<&Contender> = Vec::new();
    for contender in &request.contenders {
        let name = contender.spec.strategy().name;
        if firsts.iter().all(|it| it.spec.strategy().name != name) {
            firsts.push(contender);
        }
    }
    progress.phase("contract", firsts.len());
    fn whose<'c>(contender: &&'c Contender) -> &'c Spec {
        &contender.spec
    }
    let outcomes = in_parallel(&firsts, progress, whose, |contender| {
        Ok(suite::run(&contender.spec, Effort::Gate))
    })?;
    let mut rows = Vec::new();
    let mut failed = BTreeMap::new();
    for (contender, outcomes) in firsts.iter().zip(outcomes) {
        for outcome in outcomes {
            let (status, note) = match outcome.verdict {
                Verdict::Passed => ("passed", String::new()),
                Verdict::Failed(why) => ("failed", why),
                Verdict::Unsupported(why) => ("unsupported", why),
            };
            if status == "failed" {
                failed
                    .entry(contender.spec.strategy().name)
                    .or_insert_with(|| format!("{}: {note}", outcome.check));
            }
            rows.push(ContractRow {
                strategy: contender.spec.to_string(),
                check: outcome.check.to_owned(),
                status: status.to_owned(),
                cases: outcome.cases,
                note,
            });
        }
    }
    // The suite's own order of checks stays, within a strategy.
    rows.sort_by(|a, b| a.strategy.cmp(&b.strategy));
    Ok((rows, failed))
}
