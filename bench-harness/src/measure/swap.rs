//! Look-ups while the nodes change: what readers on all cores get done, and how long one of them waits.
//!
//! ```text
//!   readers (one a core)  --route--> [ ring ] <--every 5 ms-- writer: the last node leaves, comes back
//!
//!   still   nobody writes: what the machine itself does to readers
//!   swap    the writer builds the next ring and swaps it in; readers never wait for it
//!   lock    the writer changes the ring in place, behind a lock that every look-up takes
//! ```
//!
//! In every round each strategy takes its turn in each way. Every owner that a reader gets is held
//! against those of the rings that its way goes through, which were asked before the clock ran.

use std::{
    ops::Range,
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use router::{Change, Cluster, KeyBuf, NodeId, NodeSpec};

use super::{
    balance::deploy,
    grid::{Contender, Request},
    lane::row,
    progress::{Interrupted, Progress},
};
use crate::record::{Status, TimedRow};

/// Keys that readers ask in turn, few enough to stay in a cache: the swap is what is measured.
const KEYS: u64 = 4096;
/// How long a turn takes.
const TURN: Duration = Duration::from_millis(40);
/// The time from the beginning of one change to that of the next; a change that takes longer is
/// followed by the next at once.
const PACE: Duration = Duration::from_millis(5);
/// Look-ups between two looks at the clock: a look costs as much as a quick look-up.
const BETWEEN_LOOKS: usize = 16;

/// How a ring reaches its readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Still,
    Swap,
    Lock,
}

impl Way {
    const ALL: [Self; 3] = [Self::Still, Self::Swap, Self::Lock];

    /// The rings that readers may meet, as places in [`Owners`].
    fn rings(self) -> Range<usize> {
        match self {
            Self::Still => 1..2,
            Self::Swap => 0..2,
            Self::Lock => 1..4,
        }
    }

    /// The metrics of a way: look-ups a second, longest stall, changes a second.
    fn metrics(self) -> [&'static str; 3] {
        match self {
            Self::Still => ["still_per_s", "still_stall_ns", "still_changes"],
            Self::Swap => ["swap_per_s", "swap_stall_ns", "swap_changes"],
            Self::Lock => ["lock_per_s", "lock_stall_ns", "lock_changes"],
        }
    }
}

/// Rows of `swap.csv`: every contender of the overview that can lose its last node, at every size.
pub(super) fn measure(
    request: &Request,
    progress: &Progress,
) -> Result<Vec<TimedRow>, Interrupted> {
    let keys = request.key_set.available().unwrap_or(KEYS).min(KEYS);
    let keys = request.key_set.keys(0, keys);
    let sizes = match &request.nodes {
        Some(nodes) => vec![nodes.len() as u64],
        None => request.profile.swap_sizes.clone(),
    };
    let overview: Vec<&Contender> = request.contenders.iter().filter(|it| it.overview).collect();
    progress.phase("swap", sizes.len() * request.profile.rounds as usize);
    let mut rows = Vec::new();
    for n in sizes {
        let nodes = request.deployment(0, n);
        let mut entries = Vec::new();
        for &contender in &overview {
            progress.check()?;
            match Entry::new(contender, &nodes, &keys) {
                Ok(entry) => entries.push(entry),
                Err(why) => rows.push(TimedRow {
                    status: Status::Unsupported,
                    note: why,
                    ..row(request, contender, n, Way::Swap.metrics()[0], &[])
                }),
            }
        }
        for _ in 0..request.profile.rounds {
            for entry in &mut entries {
                progress.check()?;
                entry.turn(&keys);
            }
            progress.step();
        }
        for entry in &entries {
            rows.extend(entry.rows(request, n));
        }
    }
    rows.sort_by(|a, b| (&a.strategy, a.nodes).cmp(&(&b.strategy, b.nodes)));
    Ok(rows)
}

/// The owners of a key: in the smaller ring built anew, in the whole one, in the smaller one that the
/// whole one was changed to in place, and in what becomes of that when the last node comes back.
/// Not every strategy has the same ring for the same nodes, however it came to them.
type Owners = [Option<NodeId>; 4];

/// A contender at one size: its two rings, who owns each key in them, and what the rounds showed.
struct Entry<'a> {
    contender: &'a Contender,
    /// All nodes, and all but the last.
    rings: [Vec<NodeSpec>; 2],
    whole: Cluster,
    /// For each key its owners in the four rings that a way may show.
    owners: Vec<Owners>,
    samples: [[Vec<f64>; 3]; 3],
    fault: Option<String>,
}

/// What the readers of one turn saw, all together.
#[derive(Default)]
struct Seen {
    look_ups: u64,
    longest: Duration,
    /// A key, and an owner that no ring of its way gives it.
    stranger: Option<(usize, Option<NodeId>)>,
}

impl<'a> Entry<'a> {
    fn new(contender: &'a Contender, nodes: &[NodeSpec], keys: &KeyBuf) -> Result<Self, String> {
        let (last, others) = nodes.split_last().ok_or("no nodes")?;
        if others.is_empty() {
            return Err("no node would be left".to_owned());
        }
        let whole = deploy(contender, nodes)?;
        let smaller = deploy(contender, others)?;
        let mut changed = whole.clone();
        let [leave, join] = changes(last);
        let mut change = |it: Change| {
            let changed = changed.apply(&[it]).map(|()| changed.clone());
            changed.map_err(|err| err.to_string())
        };
        let (without, again) = (change(leave)?, change(join)?);
        let rings = [&smaller, &whole, &without, &again];
        let owners = keys
            .keys()
            .iter()
            .map(|key| rings.map(|it| it.route(key)))
            .collect();
        Ok(Self {
            contender,
            owners,
            rings: [nodes.to_vec(), others.to_vec()],
            whole,
            samples: Default::default(),
            fault: None,
        })
    }

    /// One turn in each way.
    fn turn(&mut self, keys: &KeyBuf) {
        for (way, place) in Way::ALL.into_iter().zip(0..) {
            let (seen, n_changes, took) = match way {
                Way::Still => self.still(keys),
                Way::Swap => self.swap(keys),
                Way::Lock => self.lock(keys),
            };
            let seconds = took.as_secs_f64();
            let values = [
                seen.look_ups as f64 / seconds,
                seen.longest.as_nanos() as f64,
                n_changes as f64 / seconds,
            ];
            for (samples, value) in self.samples[place].iter_mut().zip(values) {
                samples.push(value);
            }
            if let (None, Some((key, owner))) = (&self.fault, seen.stranger) {
                let name = |id| self.whole.name(id).unwrap_or("nobody known").to_owned();
                let owner = owner.map_or_else(|| "nobody".to_owned(), name);
                let key = String::from_utf8_lossy(keys.keys().get(key));
                self.fault = Some(format!(
                    "{way:?}: key {key:?} went to {owner}, where no ring had it"
                ));
            }
        }
    }

    fn still(&self, keys: &KeyBuf) -> (Seen, u64, Duration) {
        let route = |key: &[u8]| self.whole.route(key);
        self.readers(Way::Still, keys, &route, |_| {})
    }

    fn swap(&self, keys: &KeyBuf) -> (Seen, u64, Duration) {
        let ring = ArcSwap::from_pointee(self.whole.clone());
        let route = |key: &[u8]| ring.load().route(key);
        self.readers(Way::Swap, keys, &route, |n_changes| {
            let nodes = &self.rings[usize::from(n_changes % 2 == 0)];
            let next = deploy(self.contender, nodes).expect("it was deployed before");
            ring.store(Arc::new(next));
        })
    }

    fn lock(&self, keys: &KeyBuf) -> (Seen, u64, Duration) {
        let ring = RwLock::new(self.whole.clone());
        let route = |key: &[u8]| ring.read().expect("nobody panics").route(key);
        let changes = self.rings[0].last().map(changes).expect("there is one");
        self.readers(Way::Lock, keys, &route, |n_changes| {
            let change = &changes[usize::from(n_changes % 2 == 1)];
            let mut ring = ring.write().expect("nobody panics");
            ring.apply(std::slice::from_ref(change))
                .expect("it was made before");
        })
    }

    /// Readers on all cores while `change`, which gets the number of changes so far, is made at its
    /// pace: what they saw, how many changes there were, and how long it took.
    fn readers(
        &self,
        way: Way,
        keys: &KeyBuf,
        route: &(dyn Fn(&[u8]) -> Option<NodeId> + Sync),
        change: impl Fn(u64),
    ) -> (Seen, u64, Duration) {
        let over = AtomicBool::new(false);
        // Whose ring remembers what was changed has another ring after every change; then a member is
        // all that an owner can be held to.
        let drifts = way == Way::Lock && !self.contender.spec.capabilities().history_free;
        let right = |place: usize, owner: Option<NodeId>| match owner {
            Some(id) if drifts => id.index() < self.rings[0].len(),
            _ => self.owners[place][way.rings()].contains(&owner),
        };
        let n_readers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            let (over, right) = (&over, &right);
            let reader = |first| move || read(keys, first, right, route, over);
            let first = |i| i * keys.len() / n_readers;
            let readers: Vec<_> = (0..n_readers)
                .map(|i| scope.spawn(reader(first(i))))
                .collect();
            let since = Instant::now();
            let mut n_changes = 0;
            while since.elapsed() < TURN {
                let begun = Instant::now();
                change(n_changes);
                n_changes += 1;
                thread::sleep(PACE.saturating_sub(begun.elapsed()));
            }
            let took = since.elapsed();
            over.store(true, Ordering::Relaxed);
            let mut all = Seen::default();
            for reader in readers {
                let seen = reader.join().expect("a reader does not panic");
                all.look_ups += seen.look_ups;
                all.longest = all.longest.max(seen.longest);
                all.stranger = all.stranger.or(seen.stranger);
            }
            (all, n_changes, took)
        })
    }

    fn rows(&self, request: &Request, n: u64) -> Vec<TimedRow> {
        let mut rows = Vec::new();
        for (way, samples) in Way::ALL.into_iter().zip(&self.samples) {
            let units = ["look-ups a second", "ns", "changes a second"];
            for ((metric, unit), values) in way.metrics().into_iter().zip(units).zip(samples) {
                if (way, unit) == (Way::Still, "changes a second") {
                    continue; // there are none
                }
                let mut row = row(request, self.contender, n, metric, values);
                row.unit = unit.to_owned();
                if let Some(fault) = &self.fault {
                    row.status = Status::Failed;
                    row.note.clone_from(fault);
                }
                rows.push(row);
            }
        }
        rows
    }
}

/// The last node leaves, and comes back.
fn changes(last: &NodeSpec) -> [Change; 2] {
    [Change::Remove(last.name.clone()), Change::Add(last.clone())]
}

/// Asks keys in turn, from the place `first` on, until it is over.
fn read(
    keys: &KeyBuf,
    first: usize,
    right: &(dyn Fn(usize, Option<NodeId>) -> bool + Sync),
    route: &(dyn Fn(&[u8]) -> Option<NodeId> + Sync),
    over: &AtomicBool,
) -> Seen {
    let mut seen = Seen::default();
    let mut place = first;
    let mut looked = Instant::now();
    while !over.load(Ordering::Relaxed) {
        for _ in 0..BETWEEN_LOOKS {
            let owner = route(keys.keys().get(place));
            if !right(place, owner) {
                seen.stranger = Some((place, owner));
            }
            place = (place + 1) % keys.len();
        }
        let now = Instant::now();
        seen.longest = seen.longest.max(now - looked);
        looked = now;
        seen.look_ups += BETWEEN_LOOKS as u64;
    }
    seen
}
