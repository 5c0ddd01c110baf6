//! The rows of a race: `timed-race.csv` and `timed-race-musts.csv`.

use serde::{Deserialize, Serialize};

use super::{NewFile, Rounded, Status, files::add, table::six};
use crate::measure::race::Raced;

/// Who a row of a race is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// A strategy that the race calls ours.
    Ours,
    /// A strategy that ours are held against.
    Peer,
}

/// A row of `timed-race.csv`: one timing, or one count, of one strategy in one family of a race.
///
/// A strategy that races in two families has its rows in both. Ratios are those of medians of one
/// interleaved run; their intervals put the intervals of the two medians together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RaceRow {
    /// The family: who is held against whom.
    pub family: String,
    /// Canonical spec.
    pub strategy: String,
    /// Ours or a peer.
    pub side: Side,
    /// Name of its hash.
    pub hash: String,
    /// Nodes.
    pub nodes: u64,
    /// Metric, by its name in METHOD.md: `lookup_ns`, `route_batch_ns`, `hash_ns`, `load_ns`,
    /// `build_ns`, `add_ns`, `remove_ns`, `instructions`.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Rounds: the unit of statistics; 0 for a count.
    pub rounds: u64,
    /// Median over the rounds, or the count.
    pub median: Option<f64>,
    /// Lower end of its 95 % interval, by order statistics.
    pub lo: Option<f64>,
    /// Upper end of it.
    pub hi: Option<f64>,
    /// The median over that of the strategy's own load floor; for look-ups.
    pub to_floor: Option<f64>,
    /// Lower end of its interval.
    pub to_floor_lo: Option<f64>,
    /// Upper end of it.
    pub to_floor_hi: Option<f64>,
    /// The peer of the family that was the fastest at this.
    pub fastest_peer: String,
    /// The median over that of the fastest peer: below 1 is faster than every peer.
    pub to_peer: Option<f64>,
    /// Lower end of its interval.
    pub to_peer_lo: Option<f64>,
    /// Upper end of it.
    pub to_peer_hi: Option<f64>,
    /// `passed` or `failed`: the contract suite. Who fails is raced all the same.
    pub contract: String,
    /// What became of the row.
    pub status: Status,
    /// Why it is not `ok`; else the first check of the contract that failed, with its smallest case.
    pub note: String,
}

/// A row of `timed-race-musts.csv`: what was demanded of a race, and what came out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MustRow {
    /// What is demanded, in words.
    pub must: String,
    /// Our strategy.
    pub ours: String,
    /// The fastest of the peers that it is held against.
    pub peer: String,
    /// Nodes.
    pub nodes: u64,
    /// Metric of both.
    pub metric: String,
    /// How many times faster ours has to be.
    pub times: f64,
    /// How many times faster it ought to be, where more than that is aimed at.
    pub aim: Option<f64>,
    /// How many times faster it is: the peer's median over ours.
    pub ratio: Option<f64>,
    /// Lower end of its interval.
    pub lo: Option<f64>,
    /// Upper end of it.
    pub hi: Option<f64>,
    /// What became of it: `aim met`, `met`, `unsure` (the median falls short, and the interval does not),
    /// `missed` or `not measured`.
    pub verdict: String,
}

impl Rounded for RaceRow {
    fn rounded(&self) -> Self {
        Self {
            median: six(self.median),
            lo: six(self.lo),
            hi: six(self.hi),
            to_floor: six(self.to_floor),
            to_floor_lo: six(self.to_floor_lo),
            to_floor_hi: six(self.to_floor_hi),
            to_peer: six(self.to_peer),
            to_peer_lo: six(self.to_peer_lo),
            to_peer_hi: six(self.to_peer_hi),
            ..self.clone()
        }
    }
}

impl Rounded for MustRow {
    fn rounded(&self) -> Self {
        Self {
            ratio: six(self.ratio),
            lo: six(self.lo),
            hi: six(self.hi),
            ..self.clone()
        }
    }
}

/// The data files of a race.
///
/// # Errors
///
/// When a row cannot be written, which none of ours can cause.
pub fn race_files(raced: &Raced) -> anyhow::Result<Vec<NewFile>> {
    let mut files = Vec::new();
    add(&mut files, "data/timed-race.csv", &raced.rows, false)?;
    add(&mut files, "data/timed-race-musts.csv", &raced.musts, false)?;
    Ok(files)
}
