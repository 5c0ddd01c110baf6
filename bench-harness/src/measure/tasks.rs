//! The askings of a run: which strategy at which size with which seeds, on all cores.

use std::{collections::BTreeMap, slice, time::Instant};

use rayon::prelude::*;
use router::Spec;

use super::{
    Stopped, ask, balance,
    cell::{Cells, Outcome, Sample},
    grid::{Contender, Request},
    movement, popularity,
    progress::Progress,
    rows::RowMaker,
    views,
};
use crate::{
    record::{RawRow, Row},
    workload::KeySet,
};

/// The rows of one file, and those of its seeds where they are kept.
pub(super) struct Table {
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

    pub(super) fn keep(
        self,
        name: &'static str,
        all_raw: &mut Vec<(&'static str, Vec<RawRow>)>,
    ) -> Vec<Row> {
        all_raw.extend(self.raw.map(|raw| (name, raw)));
        self.rows
    }
}

/// Steps on all cores, each by itself and booked on the strategy that it measures; the results keep
/// their order.
pub(super) fn in_parallel<'c, T: Sync, R: Send>(
    tasks: &[T],
    progress: &Progress,
    whose: impl Fn(&T) -> &'c Spec + Sync,
    work: impl Fn(&T) -> Result<R, Stopped> + Sync,
) -> Result<Vec<R>, Stopped> {
    tasks
        .par_iter()
        .with_max_len(1)
        .map(|task| {
            progress.check()?;
            let since = Instant::now();
            let result = work(task)?;
            progress.spent(whose(task), since);
            progress.step();
            Ok(result)
        })
        .collect()
}

/// One asking of `balance`.
struct BalanceTask {
    contender: usize,
    n: u64,
    asked: Asked,
}

/// What a task of `balance` asks.
enum Asked {
    /// So many keys of this key set, with this seed.
    Keys {
        key_set: usize,
        n_keys: u64,
        seed: u64,
    },
    /// The same for keys of unequal popularity.
    Popular { seed: u64 },
    /// Many deployments, which need no keys.
    Deployments,
}

/// How evenly keys, requests and shares lie.
pub(super) fn balance(
    request: &Request,
    progress: &Progress,
    checksums: &mut [Checksums],
) -> Result<Table, Stopped> {
    let key_sets = key_sets(request);
    let (tasks, mut cells) = balance_tasks(request, &key_sets);
    let spec = |contender: usize| &request.contenders[contender].spec;
    let steps = tasks.iter().map(|task| match task.asked {
        Asked::Keys { n_keys, .. } => ask::pieces(spec(task.contender), n_keys),
        Asked::Popular { .. } | Asked::Deployments => 1,
    });
    progress.phase("balance", steps.sum::<u64>() as usize);
    let whose = |task: &BalanceTask| spec(task.contender);
    let done = in_parallel(&tasks, progress, whose, |task| {
        let contender = &request.contenders[task.contender];
        Ok(match task.asked {
            Asked::Keys {
                key_set,
                n_keys,
                seed,
            } => {
                let set = &key_sets[key_set];
                let (sample, sum) =
                    balance::measure(request, contender, set, task.n, n_keys, seed, progress)?;
                let sum = (vec![key_set as u64, task.n, seed], sum);
                (vec![(set.name().to_owned(), sample)], Some(sum))
            }
            Asked::Popular { seed } => {
                (popularity::measure(request, contender, task.n, seed), None)
            }
            Asked::Deployments => {
                let sample = balance::deployments(request, contender, task.n);
                let name = request.key_set.name();
                let named = sample.map(|sample| (name.to_owned(), sample));
                (named.into_iter().collect(), None)
            }
        })
    })?;
    for (task, (samples, sum)) in tasks.iter().zip(done) {
        for (scenario, sample) in samples {
            cells.push(task.contender, &scenario, sample);
        }
        checksums[task.contender].extend(sum);
    }
    Ok(Table::of(request, &key_sets, &cells))
}

/// The key set that was asked for, and those that are measured beside it.
fn key_sets(request: &Request) -> Vec<KeySet> {
    let mut key_sets = vec![request.key_set.clone()];
    if more_scenarios(request).is_some() {
        let others = KeySet::GENERATED.into_iter();
        key_sets.extend(others.filter(|set| set.name() != request.key_set.name()));
    }
    key_sets
}

/// The size at which more key sets and other popularities are measured, where they are.
fn more_scenarios(request: &Request) -> Option<u64> {
    let size = request.profile.more_key_sets?;
    let generated = request.n_keys.is_none() && request.nodes.is_none();
    (generated && request.profile.sizes.contains(&size)).then_some(size)
}

/// The tasks, the long ones first; and cells for those that would cost too much.
fn balance_tasks(request: &Request, key_sets: &[KeySet]) -> (Vec<BalanceTask>, Cells) {
    let more = more_scenarios(request);
    let mut tasks = Vec::new();
    let mut cells = Cells::default();
    for (contender, it) in request.contenders.iter().enumerate() {
        for n in request.sizes(it) {
            let mut push = |asked| {
                tasks.push(BalanceTask {
                    contender,
                    n,
                    asked,
                });
            };
            let beside = it.overview && Some(n) == more;
            for (key_set, set) in key_sets.iter().enumerate() {
                if key_set > 0 && !beside {
                    continue;
                }
                let wanted = request.profile.keys_per_node * n;
                match ask::keys_for(request, it, set, n, wanted) {
                    Ok(n_keys) => (0..seeds(request, set)).for_each(|seed| {
                        push(Asked::Keys {
                            key_set,
                            n_keys,
                            seed,
                        });
                    }),
                    Err(why) => {
                        let refused = refusal(n, Outcome::OverBudget("peak_to_avg", why));
                        cells.push(contender, set.name(), refused);
                    }
                }
            }
            if beside {
                (0..request.profile.seeds).for_each(|seed| push(Asked::Popular { seed }));
            }
            push(Asked::Deployments);
        }
    }
    tasks.sort_by_key(|task| std::cmp::Reverse(task.n)); // seeds stay in order
    (tasks, cells)
}

/// The checksums of all owners of a contender: by what was asked, size, seed and change.
pub(super) type Checksums = Vec<(Vec<u64>, u64)>;

/// Labels of contenders by label: the first that places every key as they do, before and after every
/// change that was measured.
pub(super) fn alike(request: &Request, checksums: &[Checksums]) -> BTreeMap<String, String> {
    let mut firsts: BTreeMap<&Checksums, String> = BTreeMap::new();
    let mut alike = BTreeMap::new();
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
    let affordable = (MOVED_POINTS / contender.entries(n)).max(2);
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

/// What changes move.
pub(super) fn movement(
    request: &Request,
    progress: &Progress,
    checksums: &mut [Checksums],
) -> Result<Table, Stopped> {
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
    let whose = |task: &(usize, u64, u64, u64)| &request.contenders[task.0].spec;
    let steps = tasks.iter().map(|task| ask::pieces(whose(task), task.2));
    progress.phase("movement", steps.sum::<u64>() as usize);
    let done = in_parallel(&tasks, progress, whose, |&(contender, n, n_keys, seed)| {
        let contender = &request.contenders[contender];
        movement::measure(request, contender, n, n_keys, seed, progress).map_err(|stopped| {
            match stopped {
                Stopped::Books(fault) => Stopped::Books(format!("{}, {fault}", contender.spec)),
                interrupted @ Stopped::Interrupted => interrupted,
            }
        })
    })?;
    for (&(contender, n, _, seed), (samples, sums)) in tasks.iter().zip(done) {
        for sample in samples {
            cells.push(contender, scenario, sample);
        }
        let sums = sums.into_iter().zip(0..);
        checksums[contender].extend(sums.map(|(sum, change)| (vec![n, seed, change, 0], sum)));
    }
    Ok(Table::of(
        request,
        slice::from_ref(&request.key_set),
        &cells,
    ))
}

/// Seeds for views.
const VIEW_SEEDS: u64 = 3;

/// What clients do that know different nodes.
pub(super) fn views(request: &Request, progress: &Progress) -> Result<Table, Stopped> {
    let mut tasks = Vec::new();
    for (contender, it) in request.contenders.iter().enumerate() {
        let sizes = request.sizes(it).into_iter();
        let measured = |n: &u64| request.profile.view_sizes.contains(n) || request.nodes.is_some();
        for n in sizes.filter(|n| it.overview && measured(n)) {
            let seeds = request.profile.movement_seeds.min(VIEW_SEEDS);
            tasks.extend((0..seeds).map(|seed| (contender, n, seed)));
        }
    }
    progress.phase("views", tasks.len());
    let whose = |task: &(usize, u64, u64)| &request.contenders[task.0].spec;
    let done = in_parallel(&tasks, progress, whose, |&(contender, n, seed)| {
        Ok(views::measure(
            request,
            &request.contenders[contender],
            n,
            seed,
        ))
    })?;
    let mut cells = Cells::default();
    for (&(contender, ..), samples) in tasks.iter().zip(done) {
        for sample in samples {
            cells.push(contender, request.key_set.name(), sample);
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
pub(super) fn costs_of(
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
    let whose = |task: &(usize, u64, u64)| &request.contenders[task.0].spec;
    let done = in_parallel(&tasks, progress, whose, |&(contender, n, seed)| {
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
