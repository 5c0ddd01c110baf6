//! Asking a cluster for the owners of many keys, within a budget of counted work.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use rayon::prelude::*;
use router::{Cluster, KeyBuf, Keys, NodeId, Spec};

use super::{
    balance::deploy,
    grid::{Contender, Request},
    progress::{Interrupted, Progress},
};
use crate::workload::KeySet;

/// Keys that are held at a time, where a key's owner does not depend on the other keys.
const CHUNK: u64 = 1 << 16;

/// The most keys of a set that is placed at once, which takes some 50 bytes a key.
const MOST_PLACED: u64 = 1 << 24;

/// Keys whose look-ups are counted to estimate the cost of all.
const TRACED: u64 = 1000;

/// Units of work a key: probes and four times the hash evaluations as `route_batch` does them, the
/// mean over the first 1000 keys. 5 (one hash and one probe) where the strategy does not say.
fn units(cluster: &Cluster, key_set: &KeySet, seed: u64) -> f64 {
    let keys = key_set.keys(seed, TRACED);
    let traces: Vec<_> = keys
        .keys()
        .iter()
        .map_while(|key| cluster.trace(key))
        .collect();
    if traces.is_empty() {
        return 5.0;
    }
    let sum: f64 = traces
        .iter()
        .map(|trace| trace.batch_probes + 4.0 * f64::from(trace.hash_evals))
        .sum();
    (sum / traces.len() as f64).max(1.0)
}

/// How many of `wanted` keys a cell of this contender and size may ask: the number that the user
/// gave, or else `wanted`, halved until it fits the budget. Decided on seed 0, for all seeds alike.
///
/// # Errors
///
/// What the cell would cost, when fewer than 10 keys a node would be left.
pub(super) fn keys_for(
    request: &Request,
    contender: &Contender,
    key_set: &KeySet,
    n: u64,
    wanted: u64,
) -> Result<u64, String> {
    if let Some(n_keys) = request.n_keys {
        return Ok(key_set.available().map_or(n_keys, |len| n_keys.min(len)));
    }
    if let Some(len) = key_set.available() {
        return Ok(len);
    }
    match deploy(contender, &request.deployment(0, n)) {
        Ok(cluster) => affordable(
            wanted.min(most_keys(&contender.spec)),
            units(&cluster, key_set, 0),
            request.profile.budget,
            n,
        ),
        // Refused nodes are said where they are asked.
        Err(_) => Ok(wanted),
    }
}

/// `keys`, halved until they fit the budget.
fn affordable(keys: u64, units: f64, budget: f64, nodes: u64) -> Result<u64, String> {
    let mut fitting = keys;
    while fitting as f64 * units > budget {
        fitting /= 2;
        if fitting < 10 * nodes {
            return Err(format!(
                "{:.3e} units of work, the profile allows {budget:.0e}",
                keys as f64 * units
            ));
        }
    }
    Ok(fitting)
}

/// The most keys that a cell may ask, whatever they cost.
fn most_keys(spec: &Spec) -> u64 {
    if spec.capabilities().knows_load {
        MOST_PLACED
    } else {
        u64::MAX
    }
}

/// Keys whose owners are counted apart from those of all others, by whichever core is free.
const PIECE: u64 = 1 << 22;

/// Keys of a piece; all, for a strategy that knows load.
fn piece_len(spec: &Spec, n: u64) -> u64 {
    if spec.capabilities().knows_load {
        n.max(1)
    } else {
        PIECE
    }
}

/// The pieces in which so many keys of one cell are asked.
pub(super) fn pieces(spec: &Spec, n: u64) -> u64 {
    n.div_ceil(piece_len(spec, n)).max(1)
}

/// Keys number 0 to `n` of a key set, for a strategy.
pub(super) struct Asked<'a> {
    pub(super) spec: &'a Spec,
    pub(super) key_set: &'a KeySet,
    pub(super) seed: u64,
    pub(super) n: u64,
}

/// What is counted over keys, and can be counted over some of them apart.
pub(super) trait Tally: Send {
    /// Takes in keys, the first of them this number: a chunk at a time, or all at once for a strategy
    /// that knows load, which places whole sets.
    fn count(&mut self, first: u64, keys: Keys<'_>);

    /// Takes in what another counted over other keys. The order must not matter.
    fn add(&mut self, other: Self);
}

/// Counts over all keys, on all cores where they are many; `fresh` has counted nothing. Every piece but
/// the last is a step of its own.
///
/// # Errors
///
/// When the run was interrupted.
pub(super) fn tally<T: Tally>(
    asked: &Asked<'_>,
    progress: &Progress,
    fresh: impl Fn() -> T + Sync,
) -> Result<T, Interrupted> {
    asked.in_pieces_of(piece_len(asked.spec, asked.n), progress, fresh)
}

impl Asked<'_> {
    fn in_pieces_of<T: Tally>(
        &self,
        piece: u64,
        progress: &Progress,
        fresh: impl Fn() -> T + Sync,
    ) -> Result<T, Interrupted> {
        let all = Mutex::new(fresh());
        let ask = |i: u64| {
            progress.check()?;
            let mut tally = fresh();
            self.count(i * piece..self.n.min((i + 1) * piece), &mut tally);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.add(tally);
            if i > 0 {
                progress.step();
            }
            Ok(())
        };
        // A single piece stays on this thread: to wait for another would take up other cells meanwhile.
        match self.n.div_ceil(piece) {
            0 | 1 => ask(0)?,
            pieces => {
                let pieces = (0..pieces as usize).into_par_iter().with_max_len(1);
                pieces.try_for_each(|i| ask(i as u64))?;
            }
        }
        Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn count(&self, range: Range<u64>, tally: &mut impl Tally) {
        let chunk = if self.spec.capabilities().knows_load {
            self.n
        } else {
            CHUNK
        };
        let mut buf = KeyBuf::new();
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + chunk);
            buf.clear();
            self.key_set.fill(self.seed, start..end, &mut buf);
            tally.count(start, buf.keys());
            start = end;
        }
    }
}

/// Writes the owner of every key: one by one, or, for a strategy that knows load, of the set placed
/// as a whole, where `before` holds the owners before, if there were any. Asked only while some node
/// has weight.
pub(super) fn place(
    cluster: &Cluster,
    keys: Keys<'_>,
    before: Option<&[NodeId]>,
    owners: &mut [NodeId],
) {
    if !cluster.spec().capabilities().knows_load {
        cluster.route_batch(keys, owners);
        return;
    }
    let mut placed: Vec<Option<NodeId>> = match before {
        Some(before) => before.iter().copied().map(Some).collect(),
        None => vec![None; keys.len()],
    };
    let answered = cluster.assign(keys, &mut placed);
    answered.expect("a strategy that knows load places key sets");
    for (owner, placed) in owners.iter_mut().zip(placed) {
        *owner = placed.expect("while a node has weight, every key is placed");
    }
}

/// The owner of every key, as [`place`] writes it.
pub(crate) fn placed(cluster: &Cluster, keys: Keys<'_>, before: Option<&[NodeId]>) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    place(cluster, keys, before, &mut owners);
    owners
}

#[cfg(test)]
mod tests {
    use router::{Capabilities, Catalog, Strategy};

    use super::*;

    /// Number, length and order of the keys that were counted.
    #[derive(Default)]
    struct Seen(Vec<(u64, Vec<u8>)>);

    impl Tally for Seen {
        fn count(&mut self, first: u64, keys: Keys<'_>) {
            self.0
                .extend((first..).zip(keys.iter().map(<[u8]>::to_vec)));
        }

        fn add(&mut self, other: Self) {
            self.0.extend(other.0);
            self.0.sort_unstable();
        }
    }

    static ANY: Strategy = Strategy {
        name: "any",
        ..Strategy::DEFAULT
    };

    static KNOWS_LOAD: Strategy = Strategy {
        name: "knows-load",
        capabilities: |_, _| Capabilities {
            knows_load: true,
            ..Capabilities::NONE
        },
        ..Strategy::DEFAULT
    };

    #[test]
    fn in_pieces_every_key_is_counted_once() {
        let catalog = Catalog::new([&ANY, &KNOWS_LOAD]).unwrap();
        let spec = catalog.parse("any").unwrap();
        for n in [0, 1, 9, 10, 11, 95] {
            let asked = Asked {
                spec: &spec,
                key_set: &KeySet::User,
                seed: 0,
                n,
            };
            let seen = asked.in_pieces_of(10, &Progress::new(), Seen::default);
            let all: Vec<(u64, Vec<u8>)> = (0..n).map(|i| (i, format!("user{i}").into())).collect();
            assert_eq!(seen.unwrap().0, all, "{n}");
        }
        assert_eq!(pieces(&spec, 3 * PIECE), 3);
        assert_eq!(pieces(&spec, 3 * PIECE + 1), 4);
        assert_eq!(pieces(&spec, 0), 1);
        // A set that is placed as a whole is one piece.
        assert_eq!(pieces(&catalog.parse("knows-load").unwrap(), 1 << 40), 1);
    }

    #[test]
    fn an_interrupt_ends_the_pieces() {
        let catalog = Catalog::new([&ANY]).unwrap();
        let spec = catalog.parse("any").unwrap();
        let progress = Progress::new();
        progress.interrupt();
        let asked = Asked {
            spec: &spec,
            key_set: &KeySet::User,
            seed: 0,
            n: 100,
        };
        assert!(asked.in_pieces_of(10, &progress, Seen::default).is_err());
        assert!(asked.in_pieces_of(100, &progress, Seen::default).is_err());
    }

    #[test]
    fn keys_are_halved_until_they_fit() {
        assert_eq!(affordable(1000, 10.0, 1e4, 10), Ok(1000));
        assert_eq!(affordable(1000, 10.0, 9999.0, 10), Ok(500));
        assert_eq!(
            affordable(1000, 10.0, 1000.0, 10),
            Err("1.000e4 units of work, the profile allows 1e3".to_owned())
        );
    }
}
