//! One size of a study of growth: the work of a look-up, heap bytes and times of routers alone, built
//! one after the other and asked in turns.
//!
//! The sampler is that of the look-ups. Who is built, and whose look-ups are timed, is decided by
//! counted work alone, so that every machine makes the same rows.

use router::KeyBuf;

pub(crate) use super::asked::Lists;
use super::{
    grid::{Contender, Part, Profile, Request},
    lane::{Lane, Samples},
    progress::{Interrupted, Progress},
    timing::{Timing, rounds},
};
use crate::{record::Status, workload::KeySet};

/// Fewest keys whose look-ups are counted.
const FEWEST_TRACED: usize = 16;

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Rounds of each size.
    pub(crate) rounds: u64,
    /// Seconds that building one router anew among the rounds of a size may take, and as many for
    /// changing it. Each is done once whatever it takes.
    pub(crate) rebuilding: f64,
    /// Most points of a router.
    pub(crate) most_points: u64,
    /// Most units of work of a look-up whose time is taken.
    pub(crate) most_units: f64,
    /// Units of work after which no more look-ups are counted.
    pub(crate) traced_units: f64,
    /// Most look-ups that are counted.
    pub(crate) traced: usize,
}

/// What one contender showed at one size.
pub(crate) struct Grown {
    /// What the newly built router holds, where the program counts.
    pub(crate) bytes: Option<u64>,
    /// What a look-up does, where the strategy says.
    pub(crate) work: Option<Work>,
    /// Nanoseconds.
    pub(crate) samples: Samples,
    /// Why its look-ups have no time.
    pub(crate) silent: Option<(Status, String)>,
}

/// Means over some look-ups.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Work {
    pub(crate) hash_evals: f64,
    pub(crate) probes: f64,
}

impl Work {
    /// As the budget counts it.
    fn units(self) -> f64 {
        self.probes + 4.0 * self.hash_evals
    }
}

/// Why a contender shows nothing at a size.
pub(crate) type Refused = (Status, String);

/// All contenders, each with its points a node, of the members of `lists`; `weight` says how many steps
/// of the progress building one of so many points is.
pub(crate) fn measure(
    contenders: &[(&Contender, u64)],
    lists: &Lists,
    keys: &KeyBuf,
    pace: Pace,
    weight: impl Fn(u64) -> usize,
    progress: &Progress,
) -> Result<Vec<Result<Grown, Refused>>, Interrupted> {
    let n = lists.n();
    let all: Vec<&Contender> = contenders.iter().map(|it| it.0).collect();
    let request = request(&all, n, pace);
    let mut lanes = Vec::new();
    let mut found = Vec::new();
    for &(contender, points_per_node) in contenders {
        progress.check()?;
        let points = n * points_per_node;
        let built = if points > pace.most_points {
            let most = pace.most_points;
            let why = format!("{points} points, {most} are allowed");
            Err((Status::OverBudget, why))
        } else {
            let lane = Lane::alone(&request, contender, lists, n, keys);
            lane.map_err(|why| (Status::Unsupported, why))
        };
        progress.steps(weight(points));
        found.push(built.map(|mut lane| {
            let work = work(&lane, keys, pace);
            let units = work.map_or(0.0, Work::units);
            lane.asks = units <= pace.most_units;
            let silent = (!lane.asks).then(|| {
                let most = pace.most_units;
                let why = format!("{units:.0} units of work a look-up, {most} are timed");
                (Status::OverBudget, why)
            });
            lanes.push(lane);
            (work, silent)
        }));
    }
    rounds(&request, &mut lanes, keys, n, None, progress)?;
    let mut lanes = lanes.into_iter();
    let finish = |found: Result<(Option<Work>, Option<Refused>), Refused>| {
        let (work, silent) = found?;
        let lane = lanes.next().expect("one a contender that was built");
        let bytes = lane.bytes();
        let timing = Timing::of(lane);
        let fault = timing.fault.map(|why| (Status::Failed, why));
        Ok(Grown {
            bytes,
            work,
            samples: timing.samples,
            silent: silent.or(fault),
        })
    };
    Ok(found.into_iter().map(finish).collect())
}

fn request(contenders: &[&Contender], n: u64, pace: Pace) -> Request {
    Request {
        contenders: contenders.iter().map(|&it| it.clone()).collect(),
        profile: Profile {
            name: "growth",
            sizes: vec![n],
            rounds: pace.rounds,
            rebuilding_ns: pace.rebuilding * 1e9,
            ..Profile::quick()
        },
        parts: vec![Part::Lookup, Part::Build],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    }
}

/// The mean work of the first look-ups.
fn work(lane: &Lane<'_>, keys: &KeyBuf, pace: Pace) -> Option<Work> {
    let (mut n, mut hash_evals, mut probes) = (0, 0_u64, 0_u64);
    for key in keys.keys().iter().take(pace.traced) {
        let trace = lane.router().trace(key)?;
        n += 1;
        hash_evals += u64::from(trace.hash_evals);
        probes += u64::from(trace.probes);
        let spent = probes as f64 + 4.0 * hash_evals as f64;
        if n >= FEWEST_TRACED && spent >= pace.traced_units {
            break;
        }
    }
    (n > 0).then(|| Work {
        hash_evals: hash_evals as f64 / n as f64,
        probes: probes as f64 / n as f64,
    })
}
