//! A race: strategies of ours beside those of others, in one interleaved run.
//!
//! Who races whom, at which sizes and what is demanded is data, a TOML document that names specs. The
//! sampler is that of the look-ups, so a peer is asked as everybody else is: through the same trait,
//! in turns of the same rounds, over the same keys.

mod judge;
mod plan;

use std::collections::BTreeMap;

use router::{
    Catalog, Spec,
    suite::{self, Effort, Verdict},
};

use super::{
    Stopped,
    grid::{Contender, Part, Profile, Request},
    progress::Progress,
    stats::median_interval,
    tasks::in_parallel,
    timing::{self, Timing},
};
use crate::{
    record::{MustRow, RaceRow, Status},
    workload::KeySet,
};

pub use plan::{METRICS, Must, Race, RaceFamily};

/// What a turn asks before it is timed: dozens of tables take turns, and each drives others out of the
/// caches.
const WARMING_NS: f64 = 5e6;
/// What building and changing one router anew may take among the rounds of one size, where that is shown
/// and where it is not.
const REBUILDING_NS: [f64; 2] = [2e9, 5e8];
/// A router that would take longer to build, going by the sizes before, is not built.
const LONGEST_BUILD_NS: f64 = 3e10;
/// A router that takes longer to build has no instructions counted: counting is dozens of times slower.
const LONGEST_COUNTED_NS: f64 = 1e9;

/// What a race showed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Raced {
    /// Rows of `timed-race.csv`.
    pub rows: Vec<RaceRow>,
    /// Rows of `timed-race-musts.csv`.
    pub musts: Vec<MustRow>,
}

/// Counts the instructions of one look-up of a spec among so many nodes; or says why it cannot.
pub type Counter<'a> = &'a (dyn Fn(&Spec, u64) -> Result<f64, String> + Sync);

/// Runs a race over keys of the set `hex64`.
///
/// # Errors
///
/// When it was interrupted.
///
/// # Panics
///
/// When the race was not read with this catalog.
pub fn run(
    race: &Race,
    catalog: &Catalog,
    counter: Counter<'_>,
    progress: &Progress,
) -> Result<Raced, Stopped> {
    let contenders: Vec<Contender> = race
        .specs()
        .into_iter()
        .map(|spec| Contender::new(catalog.parse(spec).expect("the race was read so")))
        .collect();
    let mut found = Found {
        contract: contract(&contenders, progress)?,
        sizes: BTreeMap::new(),
    };
    let keys = KeySet::Hex64.keys(0, timing::TIMED_KEYS);
    progress.phase("race", race.sizes.len() * race.rounds as usize);
    for &n in &race.sizes {
        let request = request(race, &contenders, n);
        let mut turns: Vec<Outcome> = contenders.iter().map(|it| found.forecast(it, n)).collect();
        let racing = contenders.iter().zip(&turns);
        let racing: Vec<&Contender> = racing
            .filter_map(|(it, outcome)| outcome.is_ok().then_some(it))
            .collect();
        let mut timed = timing::race(&request, &racing, n, &keys, progress)?.into_iter();
        for outcome in turns.iter_mut().filter(|it| it.is_ok()) {
            let timing = timed.next().expect("one a contender that races");
            *outcome = match timing {
                Ok(timing) => Ok(Figures::of(&timing, race.build_sizes.contains(&n))),
                Err(why) => Err((Status::Unsupported, why)),
            };
        }
        let labels = contenders.iter().map(|it| it.spec.to_string());
        found.sizes.insert(n, labels.zip(turns).collect());
    }
    if let Some(n) = race.counted_size {
        found.count(&contenders, n, counter, progress)?;
    }
    progress.end_phase();
    Ok(judge::judge(race, catalog, &found))
}

fn request(race: &Race, contenders: &[Contender], n: u64) -> Request {
    let mut parts = vec![Part::Lookup];
    if race.build_sizes.contains(&n) {
        parts.push(Part::Build);
    }
    Request {
        contenders: contenders.to_vec(),
        profile: Profile {
            name: "race",
            sizes: vec![n],
            rounds: race.rounds,
            warming_ns: WARMING_NS,
            rebuilding_ns: REBUILDING_NS[usize::from(!race.build_sizes.contains(&n))],
            ..Profile::quick()
        },
        parts,
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    }
}

/// What was measured, before anyone is held against another.
struct Found {
    /// The first failing check of a spec's contract, with its smallest case; none where it passed.
    contract: BTreeMap<String, Option<String>>,
    /// By number of nodes, by spec.
    sizes: BTreeMap<u64, BTreeMap<String, Outcome>>,
}

/// The figures of one spec at one size, or what became of it and why.
type Outcome = Result<Figures, (Status, String)>;

/// Figures of one spec at one size: a metric's median with its interval and rounds, or what became of
/// it and why.
#[derive(Clone, PartialEq, Debug, Default)]
struct Figures {
    metrics: BTreeMap<&'static str, Result<Figure, (Status, String)>>,
    /// What building takes, whether it is shown or not.
    build_ns: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Figure {
    rounds: u64,
    median: f64,
    lo: f64,
    hi: f64,
}

impl Figures {
    fn of(timing: &Timing, with_build: bool) -> Self {
        let samples = &timing.samples;
        let figure = |ns: &[f64]| {
            let (median, lo, hi) = median_interval(ns)?;
            Some(Figure {
                rounds: ns.len() as u64,
                median,
                lo,
                hi,
            })
        };
        let mut metrics = BTreeMap::new();
        let mut put = |metric, ns: &[f64], fault: Option<&String>| {
            let value = match (fault, figure(ns)) {
                (Some(why), _) => Err((Status::Failed, why.clone())),
                (None, Some(figure)) => Ok(figure),
                (None, None) => Err((Status::Unsupported, "it refused every time".to_owned())),
            };
            metrics.insert(metric, value);
        };
        let fault = timing.fault.as_ref();
        put("lookup_ns", &samples.lookup, fault);
        put("route_batch_ns", &samples.route_batch, fault);
        put("hash_ns", &samples.hash, None);
        put("load_ns", &samples.load, None);
        if with_build {
            put("build_ns", &samples.build, None);
            put("add_ns", &samples.add, None);
            put("remove_ns", &samples.remove, None);
        }
        let build_ns = figure(&samples.build).map_or(0.0, |it| it.median);
        Self { metrics, build_ns }
    }
}

impl Found {
    /// Whether a contender races at `n` nodes, going by what building it took at the sizes before: a
    /// structure whose cost grows with the square of its points would take hours.
    fn forecast(&self, contender: &Contender, n: u64) -> Outcome {
        let label = contender.spec.to_string();
        let built = self.sizes.iter().filter_map(|(&nodes, outcomes)| {
            let figures = outcomes.get(&label)?.as_ref().ok()?;
            (figures.build_ns > 0.0).then_some((nodes as f64, figures.build_ns))
        });
        let built: Vec<(f64, f64)> = built.collect();
        let [.., (n1, ns1), (n2, ns2)] = built[..] else {
            return Ok(Figures::default());
        };
        // Costs are a power of the size. Noise must not make it a high one: no structure here that is
        // built at all is worse than a square.
        let power = (libm::log(ns2 / ns1) / libm::log(n2 / n1)).clamp(1.0, 2.0);
        let forecast = ns2 * libm::pow(n as f64 / n2, power);
        if forecast <= LONGEST_BUILD_NS {
            return Ok(Figures::default());
        }
        let why = format!("building it would take about {:.0} s", forecast / 1e9);
        Err((Status::OverBudget, why))
    }

    /// Adds the instructions of a look-up at `n` nodes. They do not depend on what else the machine
    /// does, so all cores count.
    fn count(
        &mut self,
        contenders: &[Contender],
        n: u64,
        counter: Counter<'_>,
        progress: &Progress,
    ) -> Result<(), Stopped> {
        let outcomes = self.sizes.entry(n).or_default();
        let counted: Vec<(&Contender, f64)> = contenders
            .iter()
            .filter_map(|it| {
                let figures = outcomes.get(&it.spec.to_string())?.as_ref().ok()?;
                Some((it, figures.build_ns))
            })
            .collect();
        progress.phase("instructions", counted.len());
        fn whose<'c>(task: &(&'c Contender, f64)) -> &'c Spec {
            &task.0.spec
        }
        let counts = in_parallel(&counted, progress, whose, |(contender, build_ns)| {
            if *build_ns > LONGEST_COUNTED_NS {
                let why = format!("not measured (building it takes {:.1} s)", build_ns / 1e9);
                return Ok(Err((Status::OverBudget, why)));
            }
            let count = counter(&contender.spec, n);
            Ok(count.map_err(|why| (Status::Unsupported, why)))
        })?;
        for ((contender, _), count) in counted.iter().zip(counts) {
            let figure = count.map(|it| Figure {
                rounds: 0,
                median: it,
                lo: it,
                hi: it,
            });
            if let Some(Ok(figures)) = outcomes.get_mut(&contender.spec.to_string()) {
                figures.metrics.insert("instructions", figure);
            }
        }
        Ok(())
    }
}

/// The contract suite over every spec: the first check that fails, with its smallest case.
fn contract(
    contenders: &[Contender],
    progress: &Progress,
) -> Result<BTreeMap<String, Option<String>>, Stopped> {
    progress.phase("contract", contenders.len());
    fn whose<'c>(contender: &&'c Contender) -> &'c Spec {
        &contender.spec
    }
    let tasks: Vec<&Contender> = contenders.iter().collect();
    let failed = in_parallel(&tasks, progress, whose, |contender| {
        let outcomes = suite::run(&contender.spec, Effort::Gate);
        Ok(outcomes
            .into_iter()
            .find_map(|outcome| match outcome.verdict {
                Verdict::Failed(why) => Some(format!("{}: {why}", outcome.check)),
                _ => None,
            }))
    })?;
    let labels = contenders.iter().map(|it| it.spec.to_string());
    Ok(labels.zip(failed).collect())
}
