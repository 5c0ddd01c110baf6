//! Caches behind a strategy: what they miss after a change, and how they recover.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use rand::Rng as _;
use router::{Change, Cluster, KeyBuf, NodeId, NodeSpec};
use serde::Deserialize;

use super::{Claims, Findings, Numbered, Setup};
use crate::{
    record::SeriesRow,
    workload::{Purpose, ranks, stream, zipf_shares},
};

/// Servers that hold keys: maps in this process, or real ones.
pub(super) trait Caches {
    /// Starts an empty server.
    fn start(&mut self, node: &str) -> Result<()>;
    /// Stops a server with all that it holds.
    fn stop(&mut self, node: &str) -> Result<()>;
    /// Stores keys on a server.
    fn set(&mut self, node: &str, keys: &[&[u8]]) -> Result<()>;
    /// Asks a server for keys: which of them it has.
    fn get(&mut self, node: &str, keys: &[&[u8]]) -> Result<Vec<bool>>;
}

/// Servers in this process.
#[derive(Default)]
struct Maps {
    servers: HashMap<String, HashMap<Box<[u8]>, &'static [u8]>>,
}

/// What is stored under every key.
pub(super) const VALUE: &[u8] = b"cached";

impl Caches for Maps {
    fn start(&mut self, node: &str) -> Result<()> {
        self.servers.insert(node.to_owned(), HashMap::new());
        Ok(())
    }

    fn stop(&mut self, node: &str) -> Result<()> {
        self.servers.remove(node);
        Ok(())
    }

    fn set(&mut self, node: &str, keys: &[&[u8]]) -> Result<()> {
        let server = self.servers.entry(node.to_owned()).or_default();
        server.extend(keys.iter().map(|&key| (key.into(), VALUE)));
        Ok(())
    }

    fn get(&mut self, node: &str, keys: &[&[u8]]) -> Result<Vec<bool>> {
        let server = self.servers.get(node);
        let has = |key: &&[u8]| server.is_some_and(|it| it.contains_key(*key));
        Ok(keys.iter().map(has).collect())
    }
}

/// What the definition says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Storm {
    nodes: Numbered,
    keys: Numbered,
    /// More keys, which are not numbered.
    #[serde(default)]
    awkward: Vec<String>,
    lose: String,
    newcomer: String,
    requests: usize,
    zipf: f64,
    window: usize,
    seed: u64,
    strategies: Vec<String>,
    remainder: String,
    ring: String,
}

/// Runs it with maps.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let storm: Storm = setup.definition.setup();
    let mut claims = Claims::new(setup.definition);
    let found = storm.measure(setup, &mut Maps::default())?;
    judge(&mut claims, &storm, &found);
    let series = vec![("hits", found.hits), ("missed", found.missed)];
    Ok(claims.finish(series, found.printed))
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// Every strategy under every change.
    pub(super) cells: Vec<Cell>,
    /// Hit rate in windows of requests.
    pub(super) hits: Vec<SeriesRow>,
    /// Share of first requests that missed, and of keys that moved.
    pub(super) missed: Vec<SeriesRow>,
    /// Lines for the terminal.
    pub(super) printed: Vec<String>,
}

/// A strategy under a change.
pub(super) struct Cell {
    pub(super) strategy: String,
    pub(super) change: &'static str,
    /// First requests that missed.
    pub(super) missed: u64,
    /// Keys whose owner changed.
    pub(super) moved: u64,
    /// Servers that lost keys to the others, the one that left not counted.
    losers: usize,
    /// Share of hits in each window.
    hit_rates: Vec<f64>,
}

impl Storm {
    /// All keys.
    pub(super) fn keys(&self) -> KeyBuf {
        let awkward = self.awkward.iter().cloned();
        self.keys.names().chain(awkward).collect()
    }

    /// The changes, each by itself.
    fn changes(&self) -> [(&'static str, Change); 3] {
        let newcomer = || self.newcomer.clone();
        [
            ("lose", Change::Remove(self.lose.clone())),
            ("add", Change::Add(NodeSpec::from(newcomer().as_str()))),
            (
                "replace",
                Change::Replace {
                    old: self.lose.clone(),
                    new: newcomer(),
                },
            ),
        ]
    }

    /// Runs every strategy through every change.
    pub(super) fn measure(&self, setup: &Setup<'_>, caches: &mut dyn Caches) -> Result<Found> {
        let keys = self.keys();
        let requests = self.requests(keys.len());
        let chosen = &setup.options.strategies;
        let strategies = if chosen.is_empty() {
            &self.strategies
        } else {
            chosen
        };
        let changes = self.changes();
        setup
            .progress
            .phase("cache-storm", strategies.len() * changes.len());
        let mut found = Found::default();
        for strategy in strategies {
            let spec = setup.spec(strategy)?.to_string();
            for (name, change) in &changes {
                let before = setup.cluster(&spec, &self.nodes.list())?;
                let mut after = before.clone();
                if let Err(refused) = after.apply(std::slice::from_ref(change)) {
                    found
                        .printed
                        .push(format!("{spec}: {name}: unsupported: {refused}"));
                    continue;
                }
                let run = Run {
                    keys: &keys,
                    owners: setup.owners(&before, keys.keys())?,
                    owners_after: setup.owners(&after, keys.keys())?,
                    before,
                    after,
                };
                run.fill(setup, caches, change)?;
                let asked = run.ask(setup, caches, &requests, self)?;
                run.empty(caches)?;
                setup.progress.step();
                let cell = Cell {
                    strategy: spec.clone(),
                    change: name,
                    missed: asked.first_missed,
                    moved: run.moved(),
                    losers: run.losers(),
                    hit_rates: asked.hit_rates,
                };
                cell.rows(&mut found, keys.len(), self.window);
                found.cells.push(cell);
            }
        }
        Ok(found)
    }

    /// Which key is asked, request by request: by popularity first, then each that was not asked.
    fn requests(&self, n_keys: usize) -> Vec<u32> {
        let mut key_of_rank = vec![0_u32; n_keys];
        for (key, rank) in (0..).zip(ranks(self.seed, n_keys)) {
            key_of_rank[rank] = key;
        }
        let mut sum = 0.0;
        let shares = zipf_shares(n_keys, self.zipf).into_iter();
        let up_to: Vec<f64> = shares
            .map(|share| {
                sum += share;
                sum
            })
            .collect();
        let mut rng = stream(self.seed, Purpose::Order);
        let mut asked = vec![false; n_keys];
        let mut requests: Vec<u32> = (0..self.requests)
            .map(|_| {
                // 53 bits, from 0 up to 1.
                let at = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                let rank = up_to.partition_point(|&it| it <= at).min(n_keys - 1);
                let key = key_of_rank[rank];
                asked[key as usize] = true;
                key
            })
            .collect();
        requests.extend(
            (0..)
                .zip(&asked)
                .filter(|(_, asked)| !**asked)
                .map(|it| it.0),
        );
        requests
    }
}

impl Cell {
    fn rows(&self, found: &mut Found, n_keys: usize, window: usize) {
        let share = |keys: u64| keys as f64 / n_keys as f64;
        for (what, keys) in [("missed", self.missed), ("moved", self.moved)] {
            let series = format!("{}, {what}", self.change);
            let row = SeriesRow {
                series,
                label: self.strategy.clone(),
                value: Some(share(keys)),
                unit: "share of keys".to_owned(),
                ..SeriesRow::default()
            };
            found.missed.push(row);
        }
        for (i, &rate) in self.hit_rates.iter().enumerate() {
            let x = ((i + 1) * window) as f64;
            let row = SeriesRow::point(self.change, x, rate, "share of requests");
            found.hits.push(row.named(&self.strategy));
        }
    }
}

/// One strategy and one change.
struct Run<'a> {
    keys: &'a KeyBuf,
    before: Cluster,
    after: Cluster,
    owners: Vec<NodeId>,
    owners_after: Vec<NodeId>,
}

/// What the requests met.
struct Asked {
    first_missed: u64,
    hit_rates: Vec<f64>,
}

/// Keys that are sent at once.
const BATCH: usize = 256;

impl Run<'_> {
    /// Starts the servers, stores every key on its owner, and lets the change happen.
    fn fill(&self, setup: &Setup<'_>, caches: &mut dyn Caches, change: &Change) -> Result<()> {
        let mut held: BTreeMap<NodeId, Vec<&[u8]>> = BTreeMap::new();
        for (key, &owner) in self.keys.keys().iter().zip(&self.owners) {
            held.entry(owner).or_default().push(key);
        }
        for node in self.before.nodes().iter() {
            caches.start(&node.name)?;
            for keys in held.remove(&node.id).unwrap_or_default().chunks(BATCH) {
                setup.check()?;
                caches.set(&node.name, keys)?;
            }
        }
        match change {
            Change::Remove(name) => caches.stop(name),
            Change::Add(node) => caches.start(&node.name),
            Change::Replace { old, new } => caches.stop(old).and_then(|()| caches.start(new)),
            Change::SetWeight(_) => Ok(()),
        }
    }

    /// Stops the servers.
    fn empty(&self, caches: &mut dyn Caches) -> Result<()> {
        let mut nodes = self.after.nodes().iter();
        nodes.try_for_each(|node| caches.stop(&node.name))
    }

    /// Asks the keys in order and stores again what was missed.
    fn ask(
        &self,
        setup: &Setup<'_>,
        caches: &mut dyn Caches,
        requests: &[u32],
        storm: &Storm,
    ) -> Result<Asked> {
        let mut asked_before = vec![false; self.keys.len()];
        let mut hits = vec![0_u64; storm.requests.div_ceil(storm.window)];
        let mut first_missed = 0;
        let mut start = 0;
        for batch in distinct_runs(requests) {
            setup.check()?;
            let mut by_node: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
            for (place, &key) in batch.iter().enumerate() {
                let owner = self.owners_after[key as usize];
                by_node.entry(owner).or_default().push(place);
            }
            for (owner, places) in by_node {
                let node = self.after.name(owner).unwrap_or_default();
                let key = |place: usize| self.keys.keys().get(batch[place] as usize);
                let keys: Vec<&[u8]> = places.iter().map(|&it| key(it)).collect();
                let found = caches.get(node, &keys)?;
                let mut missed = Vec::new();
                for ((place, key), hit) in places.into_iter().zip(keys).zip(found) {
                    let first = !std::mem::replace(&mut asked_before[batch[place] as usize], true);
                    if hit {
                        let window = (start + place) / storm.window;
                        if let Some(hits) = hits
                            .get_mut(window)
                            .filter(|_| start + place < storm.requests)
                        {
                            *hits += 1;
                        }
                    } else {
                        missed.push(key);
                        first_missed += u64::from(first);
                    }
                }
                caches.set(node, &missed)?;
            }
            start += batch.len();
        }
        let in_window = |i: usize| (storm.requests - i * storm.window).min(storm.window);
        let rate = |(i, &hits): (usize, &u64)| hits as f64 / in_window(i) as f64;
        Ok(Asked {
            first_missed,
            hit_rates: hits.iter().enumerate().map(rate).collect(),
        })
    }

    fn changed(&self) -> impl Iterator<Item = NodeId> {
        let pairs = self.owners.iter().zip(&self.owners_after);
        pairs.filter(|(old, new)| old != new).map(|(old, _)| *old)
    }

    fn moved(&self) -> u64 {
        self.changed().count() as u64
    }

    fn losers(&self) -> usize {
        let stays = |id: &NodeId| self.after.nodes().position(*id).is_some();
        let mut losers: Vec<NodeId> = self.changed().filter(stays).collect();
        losers.sort_unstable();
        losers.dedup();
        losers.len()
    }
}

/// The requests cut where a key would come twice in one piece, and at [`BATCH`]: what is missed is
/// stored before it is asked again.
fn distinct_runs(requests: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = requests;
    std::iter::from_fn(move || {
        let mut seen = std::collections::HashSet::new();
        let run = rest.iter().take(BATCH).take_while(|key| seen.insert(**key));
        let (run, left) = rest.split_at(run.count());
        rest = left;
        (!run.is_empty()).then_some(run)
    })
}

/// Judges what the article says, where its strategies were run.
pub(super) fn judge(claims: &mut Claims<'_>, storm: &Storm, found: &Found) {
    let n_keys = storm.keys().len() as f64;
    let cell = |strategy: &str, change: &str| {
        let mut cells = found.cells.iter();
        cells.find(|it| it.strategy == strategy && it.change == change)
    };
    let percent = |keys: u64| format!("{:.2} %", 100.0 * keys as f64 / n_keys);
    const ABSENT: &str = "the article's own strategies were not run";
    for (id, change) in [("almost-all-lost", "lose"), ("almost-all-added", "add")] {
        match cell(&storm.remainder, change) {
            Some(cell) => {
                let measured = format!("{} of the keys missed", percent(cell.missed));
                claims.holds(id, measured, cell.missed as f64 > 0.75 * n_keys);
            }
            None => claims.not_checkable(id, "", ABSENT),
        }
    }
    match cell(&storm.ring, "lose") {
        Some(cell) => {
            let measured = format!(
                "{} of the keys missed, of {} other servers none",
                percent(cell.missed),
                storm.nodes.count - 1
            );
            claims.holds("only-failed", measured, cell.losers == 0);
        }
        None => claims.not_checkable("only-failed", "", ABSENT),
    }
    match cell(&storm.ring, "add") {
        Some(cell) => {
            let measured = format!(
                "{} of the keys missed, of {} servers",
                percent(cell.missed),
                cell.losers
            );
            claims.holds("only-part", measured, cell.losers <= 1);
        }
        None => claims.not_checkable("only-part", "", ABSENT),
    }
    match cell(&storm.remainder, "lose") {
        Some(cell) => {
            let missed = |rate: Option<&f64>| 100.0 * (1.0 - rate.copied().unwrap_or(1.0));
            let (first, last) = (
                missed(cell.hit_rates.first()),
                missed(cell.hit_rates.last()),
            );
            let measured = format!(
                "{first:.1} % of the first {} requests, {last:.1} % of the last",
                storm.window
            );
            claims.holds("storm", measured, first > 50.0);
        }
        None => claims.not_checkable("storm", "", ABSENT),
    }
    let equal = found
        .cells
        .iter()
        .filter(|it| it.missed == it.moved)
        .count();
    let measured = format!("equal in {equal} of {} runs", found.cells.len());
    claims.holds("misses-are-moves", measured, equal == found.cells.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_comes_twice_in_a_run() {
        let requests = [1, 2, 1, 1, 3, 4, 3];
        let runs: Vec<&[u32]> = distinct_runs(&requests).collect();
        assert_eq!(runs, [&[1, 2][..], &[1], &[1, 3, 4], &[3]]);
        let many: Vec<u32> = (0..1000).collect();
        let lengths: Vec<usize> = distinct_runs(&many).map(<[u32]>::len).collect();
        assert_eq!(lengths, [256, 256, 256, 232]);
    }
}
