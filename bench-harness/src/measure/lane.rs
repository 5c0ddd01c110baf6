//! A lane: one contender at one size, and what the rounds of a timing show of it.

use std::{hint::black_box, ops::Range, time::Instant};

use router::{HashFn, KeyBuf, Keys, NodeId, Router};

use super::{
    asked::{Alone, Asked, Lists, Whole},
    balance::deploy,
    competition::Competition,
    grid::{Contender, Part, Request},
    stats::{median_interval, nearest_rank},
    timing::Timed,
};
use crate::record::{Status, TimedRow};

/// Look-ups in a batch of `batch_mean_p99`.
const BATCH: usize = 1024;
/// What one turn of look-ups should take, and the longest it may for a whole batch.
const TURN_NS: f64 = 1.5e6;
const LONGEST_TURN_NS: f64 = 6e7;
/// Below this a look-up was optimised away: no load and no hash is that quick.
const IMPOSSIBLE_NS: f64 = 0.5;

/// A contender at one size, with what the rounds have shown of it.
pub(super) struct Lane<'a> {
    pub(super) contender: &'a Contender,
    hash: &'static HashFn,
    asked: Asked<'a>,
    /// Whether its turns ask look-ups.
    pub(super) asks: bool,
    /// One entry a point, or a table's entries: what a look-up that needs one random load reads from.
    table: Vec<u32>,
    window: usize,
    /// Look-ups of a turn that are not timed.
    warming: usize,
    pub(super) samples: Samples,
    fault: Option<String>,
    /// What making it anew took the last time, and all times together.
    pub(super) rebuild_ns: f64,
    rebuilding_ns: f64,
    /// What all its changes took together.
    changing_ns: f64,
}

/// Nanoseconds, one a round, except `batches` (one a batch).
#[derive(Default)]
pub(crate) struct Samples {
    pub(crate) lookup: Vec<f64>,
    pub(super) route_batch: Vec<f64>,
    batches: Vec<f64>,
    pub(super) hash: Vec<f64>,
    pub(crate) load: Vec<f64>,
    competing: Vec<f64>,
    pub(crate) build: Vec<f64>,
    pub(crate) add: Vec<f64>,
    pub(crate) remove: Vec<f64>,
}

impl<'a> Lane<'a> {
    /// A whole cluster of the request's nodes.
    pub(super) fn new(
        request: &Request,
        contender: &'a Contender,
        n: u64,
        keys: &KeyBuf,
    ) -> Result<Self, String> {
        let nodes = request.deployment(0, n);
        let since = Instant::now();
        let cluster = deploy(contender, &nodes)?;
        let rebuild_ns = since.elapsed().as_nanos() as f64;
        let asked = Asked::Whole(Whole::new(nodes, cluster)?);
        Ok(Self::over(request, contender, n, keys, asked, rebuild_ns))
    }

    /// A router alone, of the members of these lists.
    pub(super) fn alone(
        request: &Request,
        contender: &'a Contender,
        lists: &'a Lists,
        n: u64,
        keys: &KeyBuf,
    ) -> Result<Self, String> {
        let (alone, built_ns) = Alone::new(&contender.spec, lists)?;
        let asked = Asked::Alone(alone);
        Ok(Self::over(request, contender, n, keys, asked, built_ns))
    }

    fn over(
        request: &Request,
        contender: &'a Contender,
        n: u64,
        keys: &KeyBuf,
        asked: Asked<'a>,
        rebuild_ns: f64,
    ) -> Self {
        let mut lane = Self {
            contender,
            hash: contender.spec.hash(),
            asked,
            asks: true,
            table: (0..contender.entries(n)).map(|i| i as u32).collect(),
            window: 0,
            warming: 0,
            samples: Samples::default(),
            fault: None,
            rebuild_ns,
            rebuilding_ns: 0.0,
            changing_ns: 0.0,
        };
        let keys = keys.keys();
        let mut ns = lane.look_up_ns(keys, 0..16);
        // So few are asked while the table is cold; where turns warm it first, ask once it is not.
        if request.profile.warming_ns > 0.0 && ns * BATCH as f64 <= LONGEST_TURN_NS {
            lane.look_up_ns(keys, 0..BATCH);
            ns = lane.look_up_ns(keys, BATCH..2 * BATCH);
        }
        lane.window = window_of(ns).min(keys.len());
        lane.warming = ((request.profile.warming_ns / ns) as usize).min(keys.len());
        lane
    }

    /// The router that it asks.
    pub(super) fn router(&self) -> &dyn Router {
        self.asked.router()
    }

    /// What a router alone holds, newly built, where the program counts.
    pub(super) fn bytes(&self) -> Option<u64> {
        match &self.asked {
            Asked::Alone(alone) => alone.bytes,
            Asked::Whole(_) => None,
        }
    }

    /// What a look-up of these keys takes, in the mean.
    fn look_up_ns(&self, keys: Keys<'_>, range: Range<usize>) -> f64 {
        let range = range.start.min(keys.len())..range.end.min(keys.len());
        let asked = keys.slice(range);
        let mut owners = vec![NodeId::default(); asked.len()];
        let ns = clock(|| route_each(self.asked.router(), asked, &mut owners));
        ns / asked.len().max(1) as f64
    }

    /// Makes it anew, as long as that does not take too much of the run; changes it at least once.
    pub(super) fn rebuild(&mut self, request: &Request) {
        let limit = request.profile.rebuilding_ns;
        let affordable = self.rebuilding_ns + self.rebuild_ns <= limit;
        let since = Instant::now();
        if affordable {
            match self.asked.build(&self.contender.spec) {
                Ok(ns) => self.samples.build.push(ns),
                Err(_) => self.fault = Some("it was built once, and not again".to_owned()),
            }
        }
        // A router alone is changed in place, so it need not be made anew for another change.
        let in_place = matches!(self.asked, Asked::Alone(_)) && self.changing_ns <= limit;
        let due = affordable || in_place || self.samples.remove.is_empty();
        if request.wants(Part::Build) && due {
            let since = Instant::now();
            let [added, removed] = self.asked.change(&self.contender.spec);
            self.samples.add.extend(added);
            self.samples.remove.extend(removed);
            self.changing_ns += since.elapsed().as_nanos() as f64;
        }
        if affordable {
            self.rebuild_ns = since.elapsed().as_nanos() as f64;
            self.rebuilding_ns += self.rebuild_ns;
        }
    }

    pub(super) fn look_up(&mut self, all: Keys<'_>, round: u64) {
        if let Some(before) = self.keys_before(all, round) {
            self.look_up_ns(before, 0..before.len());
        }
        let keys = all.slice(self.window_at(all, round));
        let n_keys = keys.len() as f64;
        let mut owners = vec![NodeId::default(); keys.len()];
        let mut sum_ns = 0.0;
        for first in (0..keys.len()).step_by(BATCH) {
            let last = keys.len().min(first + BATCH);
            let batch = keys.slice(first..last);
            let ns = clock(|| route_each(self.asked.router(), batch, &mut owners[first..last]));
            sum_ns += ns;
            if batch.len() == BATCH {
                self.samples.batches.push(ns / BATCH as f64);
            }
        }
        self.samples.lookup.push(sum_ns / n_keys);

        let mut oracle = vec![NodeId::default(); keys.len()];
        let ns = clock(|| {
            self.asked
                .router()
                .route_batch(black_box(keys), black_box(&mut oracle));
        });
        self.samples.route_batch.push(ns / n_keys);
        if owners != oracle {
            self.fault = Some(format!(
                "round {round}: a timed answer is not what a batch of the same keys answers"
            ));
        }

        let eval = self.hash.eval;
        let ns = clock(|| {
            let hashes = keys.iter().map(eval);
            black_box(hashes.fold(0, |sum: u64, hash| sum.wrapping_add(hash)));
        });
        self.samples.hash.push(ns / n_keys);
        // The floor's table is another than the router's: as warm as that was.
        if let Some(before) = self.keys_before(all, round) {
            self.load(before);
        }
        let ns = clock(|| self.load(keys));
        self.samples.load.push(ns / n_keys);
    }

    /// Hashes each key and reads one random entry of the floor's table.
    fn load(&self, keys: Keys<'_>) {
        let (eval, table) = (self.hash.eval, black_box(&self.table[..]));
        let loads = keys.iter().map(|key| {
            // Fibonacci hashing spreads hashes that do not mix; the product picks the entry.
            let spread = eval(key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let place = (u128::from(spread) * table.len() as u128) >> 64;
            u64::from(table[place as usize])
        });
        black_box(loads.fold(0, |sum: u64, entry| sum.wrapping_add(entry)));
    }

    /// The keys before this turn's that are asked untimed; `None` where none are.
    fn keys_before<'k>(&self, keys: Keys<'k>, round: u64) -> Option<Keys<'k>> {
        let end = match self.window_at(keys, round).start {
            start if start < self.warming => keys.len(),
            start => start,
        };
        (self.warming > 0).then(|| keys.slice(end - self.warming..end))
    }

    pub(super) fn compete(&mut self, keys: Keys<'_>, round: u64, competition: &mut Competition) {
        let asked = keys.slice(self.window_at(keys, round));
        let ns = competition.round(self.asked.router(), asked);
        self.samples.competing.push(ns);
    }

    /// `competing_ns`, with the clock that it was read from.
    pub(super) fn competing_row(
        &self,
        request: &Request,
        n: u64,
        competition: &Result<Competition, String>,
    ) -> TimedRow {
        let samples = &self.samples.competing;
        let mut row = row(request, self.contender, n, "competing_ns", samples);
        match competition {
            Ok(competition) => {
                row.note = format!("the clock steps by {} ns", competition.resolution_ns);
            }
            Err(why) => {
                row.status = Status::Unsupported;
                row.note.clone_from(why);
            }
        }
        row
    }

    /// The keys of a turn: every turn goes on where the last one ended, so that all keys are asked
    /// in their order.
    fn window_at(&self, keys: Keys<'_>, round: u64) -> Range<usize> {
        let windows = (keys.len() / self.window).max(1);
        let start = (round as usize % windows) * self.window;
        start..start + self.window
    }

    /// Why its answers are void, if they are.
    pub(super) fn fault(&self) -> Option<String> {
        let median = median_interval(&self.samples.lookup).map(|(median, ..)| median);
        let optimised_away = median.is_some_and(|ns| ns < IMPOSSIBLE_NS);
        self.fault.clone().or_else(|| {
            optimised_away.then(|| "less than half a nanosecond: optimised away".to_owned())
        })
    }

    pub(super) fn rows(&self, request: &Request, n: u64, timed: &mut Timed) {
        let samples = &self.samples;
        let row = |metric, values: &[f64]| row(request, self.contender, n, metric, values);
        if request.wants(Part::Lookup) {
            let mut rows = vec![
                row("lookup_ns", &samples.lookup),
                row("route_batch_ns", &samples.route_batch),
                row("batch_mean_p99", &[]),
                row("hash_ns", &samples.hash),
                row("load_ns", &samples.load),
            ];
            let p99 = &mut rows[2];
            if samples.batches.is_empty() {
                p99.status = Status::OverBudget;
                p99.note = format!("a batch of {BATCH} look-ups takes longer than a turn may");
            } else {
                let mut batches = samples.batches.clone();
                batches.sort_by(f64::total_cmp);
                p99.rounds = batches.len() as u64;
                p99.median = Some(nearest_rank(&batches, 0.99));
            }
            if let Some(fault) = self.fault() {
                for row in &mut rows[..3] {
                    row.status = Status::Failed;
                    row.note.clone_from(&fault);
                }
            }
            timed.lookup.extend(rows);
        }
        if request.wants(Part::Build) {
            timed.build.push(row("build_ns", &samples.build));
            timed.build.push(row("add_ns", &samples.add));
            timed.build.push(row("remove_ns", &samples.remove));
        }
    }
}

/// How many keys a turn asks, where one takes so long: as many as fit its time, whole batches of 1024
/// where that is possible.
fn window_of(ns: f64) -> usize {
    let fitting = (TURN_NS / ns) as usize;
    let window = if fitting >= BATCH {
        fitting / BATCH * BATCH
    } else if ns * BATCH as f64 <= LONGEST_TURN_NS {
        BATCH
    } else {
        ((LONGEST_TURN_NS / ns) as usize).max(16)
    };
    window.min(1 << 15)
}

/// Asks key by key.
pub(crate) fn route_each(router: &dyn Router, keys: Keys<'_>, owners: &mut [NodeId]) {
    let router = black_box(router);
    for (owner, key) in owners.iter_mut().zip(keys.iter()) {
        *owner = router.route(key);
    }
    black_box(owners);
}

/// Nanoseconds that `work` takes.
pub(super) fn clock(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

pub(super) fn row(
    request: &Request,
    contender: &Contender,
    n: u64,
    metric: &str,
    ns: &[f64],
) -> TimedRow {
    let interval = median_interval(ns);
    let unit = match metric {
        "build_ns" | "add_ns" | "remove_ns" => "ns",
        _ => "ns a key",
    };
    TimedRow {
        strategy: contender.spec.to_string(),
        hash: contender.spec.hash().name.to_owned(),
        scenario: request.key_set.name().to_owned(),
        nodes: n,
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        rounds: ns.len() as u64,
        median: interval.map(|(median, ..)| median),
        lo: interval.map(|(_, lo, _)| lo),
        hi: interval.map(|(.., hi)| hi),
        status: Status::Ok,
        note: String::new(),
    }
}
