//! Time: look-ups, batches, floors, building and changing, all interleaved in short rounds.
//!
//! In every round each strategy takes its turn, in an order shuffled anew, so that drift of a noisy
//! machine hits all alike. Ten times among the rounds every router is built anew. Each sample's
//! owners are compared, outside the clock, with those of an untimed asking: one wrong answer voids
//! the row.

use std::time::Instant;

use router::KeyBuf;

use super::{
    balance::deploy,
    competition::Competition,
    grid::{Contender, Part, Request},
    lane::{Lane, Samples, row},
    progress::{Interrupted, Progress},
};
use crate::{
    record::{Status, TimedRow},
    workload::{Purpose, below, stream},
};

/// Distinct keys, in one contiguous buffer in the order in which they are asked.
pub const TIMED_KEYS: u64 = 1 << 20;
/// Times that every router is built anew among the rounds.
const REBUILDS: u64 = 10;

/// What the rounds of a race showed of one contender.
pub(super) struct Timing {
    pub(super) samples: Samples,
    /// Why its answers are void.
    pub(super) fault: Option<String>,
}

impl Timing {
    pub(super) fn of(mut lane: Lane<'_>) -> Self {
        // Who takes too long to be built again was built once.
        if lane.samples.build.is_empty() {
            lane.samples.build.push(lane.rebuild_ns);
        }
        Self {
            fault: lane.fault(),
            samples: lane.samples,
        }
    }
}

/// The rows of `lookup.csv` and of `build.csv`.
pub(super) struct Timed {
    pub(super) lookup: Vec<TimedRow>,
    pub(super) build: Vec<TimedRow>,
}

/// Times every contender of the overview at every size that is asked for.
pub(super) fn measure(request: &Request, progress: &Progress) -> Result<Timed, Interrupted> {
    let n_keys = request
        .key_set
        .available()
        .unwrap_or(TIMED_KEYS)
        .min(TIMED_KEYS);
    let keys = request.key_set.keys(0, n_keys);
    let mut timed = Timed {
        lookup: Vec::new(),
        build: Vec::new(),
    };
    let overview: Vec<&Contender> = request.contenders.iter().filter(|it| it.overview).collect();
    let mut sizes: Vec<u64> = overview.iter().flat_map(|it| request.sizes(it)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut competition = request.profile.competing_bytes.map(Competition::new);
    progress.phase("timing", sizes.len() * request.profile.rounds as usize);
    for n in sizes {
        let mut lanes = Vec::new();
        for &contender in &overview {
            if !request.sizes(contender).contains(&n) {
                continue;
            }
            progress.check()?;
            match Lane::new(request, contender, n, &keys) {
                Ok(lane) => lanes.push(lane),
                Err(why) => {
                    let row = row(request, contender, n, "lookup_ns", &[]);
                    timed.lookup.push(TimedRow {
                        status: Status::Unsupported,
                        note: why,
                        ..row
                    });
                }
            }
        }
        let competing = competition.as_mut().and_then(|it| it.as_mut().ok());
        rounds(request, &mut lanes, &keys, n, competing, progress)?;
        for lane in &lanes {
            lane.rows(request, n, &mut timed);
            if let (true, Some(competition)) = (request.wants(Part::Lookup), &competition) {
                timed
                    .lookup
                    .push(lane.competing_row(request, n, competition));
            }
        }
    }
    for rows in [&mut timed.lookup, &mut timed.build] {
        // Stable, so metrics keep the order in which a lane gives them.
        rows.sort_by(|a, b| (&a.strategy, a.nodes).cmp(&(&b.strategy, b.nodes)));
    }
    Ok(timed)
}

/// Whether a contender can be timed at `n` nodes.
pub(super) fn serves(request: &Request, contender: &Contender, n: u64) -> bool {
    deploy(contender, &request.deployment(0, n)).is_ok()
}

/// Nanoseconds a look-up, one a round, of two contenders that [`serves`] accepts.
pub(super) fn look_ups(
    request: &Request,
    contenders: [&Contender; 2],
    n: u64,
    keys: &KeyBuf,
    order: u64,
    progress: &Progress,
) -> Result<[Vec<f64>; 2], Interrupted> {
    let lane = |it| Lane::new(request, it, n, keys).expect("it serves this size");
    let mut lanes = contenders.map(lane);
    rounds(request, &mut lanes, keys, order, None, progress)?;
    Ok(lanes.map(|lane| lane.samples.lookup))
}

/// The rounds of a race at `n` nodes: every contender's own, or why it does not take part.
pub(super) fn race(
    request: &Request,
    contenders: &[&Contender],
    n: u64,
    keys: &KeyBuf,
    progress: &Progress,
) -> Result<Vec<Result<Timing, String>>, Interrupted> {
    let (mut lanes, mut refused) = (Vec::new(), Vec::new());
    for contender in contenders {
        progress.check()?;
        let lane = Lane::new(request, contender, n, keys);
        refused.push(lane.map(|lane| lanes.push(lane)));
    }
    rounds(request, &mut lanes, keys, n, None, progress)?;
    let mut lanes = lanes.into_iter();
    let mut timing = |()| Timing::of(lanes.next().expect("one a contender that takes part"));
    Ok(refused.into_iter().map(|it| it.map(&mut timing)).collect())
}

/// Lets the lanes take their turns, in orders from this seed.
pub(super) fn rounds(
    request: &Request,
    lanes: &mut [Lane<'_>],
    keys: &KeyBuf,
    order: u64,
    mut competition: Option<&mut Competition>,
    progress: &Progress,
) -> Result<(), Interrupted> {
    let mut rng = stream(order, Purpose::Order);
    let mut turns: Vec<usize> = (0..lanes.len()).collect();
    let rounds = request.profile.rounds;
    for round in 0..rounds {
        for i in 0..turns.len() {
            let other = i + below(&mut rng, turns.len() - i);
            turns.swap(i, other);
        }
        let rebuild = round % (rounds / REBUILDS).max(1) == 0;
        for &turn in &turns {
            progress.check()?;
            let (lane, since) = (&mut lanes[turn], Instant::now());
            if rebuild {
                lane.rebuild(request);
            }
            if request.wants(Part::Lookup) && lane.asks {
                lane.look_up(keys.keys(), round);
                if let Some(competition) = &mut competition {
                    lane.compete(keys.keys(), round, competition);
                }
            }
            progress.spent(&lane.contender.spec, since);
        }
        progress.step();
    }
    Ok(())
}
