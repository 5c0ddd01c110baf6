//! Measures: identical workloads for every strategy, in; rows, out. Draws nothing.
//!
//! ```text
//!   Request --contract gate--> balance, movement, work, memory     (all cores, by seed)
//!                              look-up, build and change           (alone on the machine)
//!           --rows: bands, theory, gates--> Measured
//! ```

mod alloc;
mod arcs;
mod ask;
mod balance;
mod cell;
pub mod compat;
mod contenders;
mod costs;
mod grid;
mod load;
mod metrics;
mod movement;
mod noise;
mod progress;
mod rows;
pub mod stats;
mod timing;

use std::{collections::BTreeMap, fmt, slice};

use rayon::prelude::*;
use router::suite::{self, Effort, Verdict};

pub use alloc::CountingAlloc;
pub use contenders::COMPARED_POINTS;
pub use grid::{Contender, Part, Profile, Request};
pub use load::Load;
pub use metrics::{METRICS, Metric};
pub use noise::{Band, HashNoise};
pub use progress::{Interrupted, Progress};
pub use timing::TIMED_KEYS;

use crate::{
    record::{ArcRow, Compared, ContractRow, RawRow, Row, StrategyEntry, TimedRow},
    workload::KeySet,
};
use cell::{Cells, Outcome, Sample};
use rows::RowMaker;

/// Everything that a run measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Rows of `balance.csv`.
    pub balance: Vec<Row>,
    /// Rows of `movement.csv`.
    pub movement: Vec<Row>,
    /// Rows of `work.csv`.
    pub work: Vec<Row>,
    /// Rows of `memory.csv`.
    pub memory: Vec<Row>,
    /// Rows of `lookup.csv`.
    pub lookup: Vec<TimedRow>,
    /// Rows of `build.csv`.
    pub build: Vec<TimedRow>,
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
    let mut alike = BTreeMap::new();
    if request.wants(Part::Balance) {
        let table;
        (table, alike) = balance(&passed, progress)?;
        measured.balance = table.keep("balance", &mut measured.raw);
        measured.arcs = arcs::measure(&passed);
    }
    if request.wants(Part::Movement) {
        measured.movement = movement(&passed, progress)?.keep("movement", &mut measured.raw);
    }
    if request.wants(Part::Work) {
        let table = costs_of(&passed, progress, "work", costs::work)?;
        measured.work = table.keep("work", &mut measured.raw);
    }
    if request.wants(Part::Memory) {
        let table = costs_of(&passed, progress, "memory", costs::memory)?;
        measured.memory = table.keep("memory", &mut measured.raw);
    }
    if request.wants(Part::Lookup) || request.wants(Part::Build) {
        let timed = timing::measure(&passed, progress)?;
        (measured.lookup, measured.build) = (timed.lookup, timed.build);
    }
    progress.end_phase();
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

/// The rows of one file, and those of its seeds where they are kept.
struct Table {
    rows: Vec<Row>,
    raw: Option<Vec<RawRow>>,
}

impl Table {
    fn of(request: &Request, key_sets: &[KeySet], cells: &Cells) -> Self {
        let maker = RowMaker::new(request, key_sets, cells);
        Self {
            rows: maker.rows(),
            raw: request.raw.then(|| maker.raw_rows()),
        }
    }

    fn keep(self, name: &'static str, all_raw: &mut Vec<(&'static str, Vec<RawRow>)>) -> Vec<Row> {
        all_raw.extend(self.raw.map(|raw| (name, raw)));
        self.rows
    }
}

/// Steps on all cores, each by itself; the results keep their order.
fn in_parallel<T: Sync, R: Send>(
    tasks: &[T],
    progress: &Progress,
    work: impl Fn(&T) -> Result<R, Stopped> + Sync,
) -> Result<Vec<R>, Stopped> {
    tasks
        .par_iter()
        .with_max_len(1)
        .map(|task| {
            progress.check()?;
            let result = work(task)?;
            progress.step();
            Ok(result)
        })
        .collect()
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
    let outcomes = in_parallel(&firsts, progress, |contender| {
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

/// Labels of contenders by label: the first that places every key as they do.
type Alike = BTreeMap<String, String>;

fn balance(request: &Request, progress: &Progress) -> Result<(Table, Alike), Stopped> {
    let mut key_sets = vec![request.key_set.clone()];
    let profile = &request.profile;
    if let Some(size) = profile.more_key_sets
        && request.n_keys.is_none()
        && request.nodes.is_none()
        && profile.sizes.contains(&size)
    {
        let others = KeySet::GENERATED.into_iter();
        key_sets.extend(others.filter(|set| set.name() != request.key_set.name()));
    }
    struct Task {
        contender: usize,
        key_set: usize,
        n: u64,
        /// `None` for the deployments of a cell, which need no keys.
        asked: Option<(u64, u64)>,
    }
    let mut tasks = Vec::new();
    let mut cells = Cells::default();
    for (contender, it) in request.contenders.iter().enumerate() {
        for n in request.sizes(it) {
            for (key_set, set) in key_sets.iter().enumerate() {
                if key_set > 0 && (Some(n) != profile.more_key_sets || !it.overview) {
                    continue;
                }
                match ask::keys_for(request, it, set, n, profile.keys_per_node * n) {
                    Ok(n_keys) => tasks.extend((0..seeds(request, set)).map(|seed| Task {
                        contender,
                        key_set,
                        n,
                        asked: Some((n_keys, seed)),
                    })),
                    Err(why) => {
                        let refused = refusal(n, Outcome::OverBudget("peak_to_avg", why));
                        cells.push(contender, set.name(), refused);
                    }
                }
            }
            tasks.push(Task {
                contender,
                key_set: 0,
                n,
                asked: None,
            });
        }
    }
    tasks.sort_by_key(|task| std::cmp::Reverse(task.n)); // the long ones first, seeds in order
    progress.phase("balance", tasks.len());
    let done = in_parallel(&tasks, progress, |task| {
        let contender = &request.contenders[task.contender];
        Ok(match task.asked {
            Some((n_keys, seed)) => {
                let set = &key_sets[task.key_set];
                let (sample, sum) = balance::measure(request, contender, set, task.n, n_keys, seed);
                (Some(sample), Some((task.key_set, task.n, seed, sum)))
            }
            None => (balance::deployments(request, contender, task.n), None),
        })
    })?;
    let mut checksums = vec![Vec::new(); request.contenders.len()];
    for (task, (sample, sum)) in tasks.iter().zip(done) {
        if let Some(sample) = sample {
            cells.push(task.contender, key_sets[task.key_set].name(), sample);
        }
        checksums[task.contender].extend(sum);
    }
    let table = Table::of(request, &key_sets, &cells);
    Ok((table, alike(request, &checksums)))
}

/// The checksum of all owners, by key set, size and seed.
type Checksums = Vec<(usize, u64, u64, u64)>;

/// For every contender that is not the first with its checksums: who is.
fn alike(request: &Request, checksums: &[Checksums]) -> Alike {
    let mut firsts: BTreeMap<&Checksums, String> = BTreeMap::new();
    let mut alike = Alike::new();
    for (contender, sums) in request.contenders.iter().zip(checksums) {
        let label = contender.spec.to_string();
        if !sums.is_empty() {
            let first = firsts.entry(sums).or_insert_with(|| label.clone());
            alike.insert(label, first.clone());
        }
    }
    alike
}

/// Seeds for balance: one where neither keys nor nodes depend on it.
fn seeds(request: &Request, set: &KeySet) -> u64 {
    if request.nodes.is_some() && set.available().is_some() {
        1
    } else {
        request.profile.seeds
    }
}

/// Points that the clusters of all seeds of one size may have together, where movement is measured:
/// each is built anew or changed some thirty times.
const MOVED_POINTS: u64 = 4_000_000;

/// Seeds for movement: fewer, but at least two, for a strategy with very many points at this size.
fn movement_seeds(request: &Request, contender: &Contender, n: u64) -> u64 {
    let points = n * contender.points_per_node.unwrap_or(1);
    let affordable = (MOVED_POINTS / points.max(1)).max(2);
    request.profile.movement_seeds.min(affordable)
}

fn refusal(n: u64, outcome: Outcome) -> Sample {
    Sample {
        change: "none".to_owned(),
        nodes: n,
        nodes_after: n,
        keys: 0,
        outcome,
    }
}

fn movement(request: &Request, progress: &Progress) -> Result<Table, Stopped> {
    let profile = &request.profile;
    let mut tasks = Vec::new();
    let mut cells = Cells::default();
    let scenario = request.key_set.name();
    for (contender, it) in request.contenders.iter().enumerate() {
        if !it.overview {
            continue;
        }
        for n in request.sizes(it) {
            let wanted = profile
                .movement_min_keys
                .max(profile.movement_keys_per_node * n);
            match ask::keys_for(request, it, &request.key_set, n, wanted) {
                Ok(n_keys) => {
                    let seeds = movement_seeds(request, it, n);
                    tasks.extend((0..seeds).map(|seed| (contender, n, n_keys, seed)));
                }
                Err(why) => {
                    let refused = refusal(n, Outcome::OverBudget("moved", why));
                    cells.push(contender, scenario, refused);
                }
            }
        }
    }
    tasks.sort_by_key(|&(_, n, ..)| std::cmp::Reverse(n));
    progress.phase("movement", tasks.len());
    let done = in_parallel(&tasks, progress, |&(contender, n, n_keys, seed)| {
        let contender = &request.contenders[contender];
        movement::measure(request, contender, n, n_keys, seed).map_err(|fault| {
            Stopped::Books(format!(
                "{}, {n} nodes, seed {seed}, {fault}",
                contender.spec
            ))
        })
    })?;
    for (&(contender, ..), samples) in tasks.iter().zip(done) {
        for sample in samples {
            cells.push(contender, scenario, sample);
        }
    }
    Ok(Table::of(
        request,
        slice::from_ref(&request.key_set),
        &cells,
    ))
}

/// Seeds for work and memory.
const COST_SEEDS: u64 = 5;

/// Work or memory: one sample a seed.
fn costs_of(
    request: &Request,
    progress: &Progress,
    name: &'static str,
    measure: fn(&Request, &Contender, u64, u64) -> Sample,
) -> Result<Table, Stopped> {
    let mut tasks = Vec::new();
    for (contender, it) in request.contenders.iter().enumerate() {
        // A sweep shows what a parameter costs in memory; its work is the overview's.
        if !it.overview && name == "work" {
            continue;
        }
        for n in request.sizes(it) {
            // Few seeds suffice: memory and work hardly depend on them, and building takes time.
            let seeds = request.profile.seeds.min(COST_SEEDS);
            tasks.extend((0..seeds).map(|seed| (contender, n, seed)));
        }
    }
    progress.phase(name, tasks.len());
    let done = in_parallel(&tasks, progress, |&(contender, n, seed)| {
        Ok(measure(request, &request.contenders[contender], n, seed))
    })?;
    let mut cells = Cells::default();
    for (&(contender, ..), sample) in tasks.iter().zip(done) {
        cells.push(contender, request.key_set.name(), sample);
    }
    Ok(Table::of(
        request,
        slice::from_ref(&request.key_set),
        &cells,
    ))
}
