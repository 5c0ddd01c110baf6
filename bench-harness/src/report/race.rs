//! The race's rows, as tables and chart ask for them.

use super::absent::Reason;
use super::scale::usable;
use super::table::{Key, Keyed, Table, nearest};
use crate::record::{MustRow, RaceRow, Status};

/// The size that details are shown at, where it was raced.
const DETAILED: u64 = 1000;

/// A race, read.
#[derive(Debug)]
pub(super) struct RaceData {
    pub(super) table: Table<RaceRow>,
    pub(super) musts: Vec<MustRow>,
}

impl Keyed for RaceRow {
    const TIMED: bool = true;

    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            change: &self.family,
            nodes: self.nodes,
            metric: &self.metric,
            ..Key::default()
        }
    }

    fn repeats(&self) -> u64 {
        self.rounds
    }
}

impl RaceData {
    /// The families, in the order of the race.
    pub(super) fn families(&self) -> Vec<&str> {
        let mut families: Vec<&str> = Vec::new();
        for row in &self.table.rows {
            if !families.contains(&row.family.as_str()) {
                families.push(&row.family);
            }
        }
        families
    }

    /// A row of every strategy of a family, ours first.
    pub(super) fn strategies(&self, family: &str) -> Vec<&RaceRow> {
        let mut strategies: Vec<&RaceRow> = Vec::new();
        for row in self.table.rows.iter().filter(|row| row.family == family) {
            if strategies.iter().all(|it| it.strategy != row.strategy) {
                strategies.push(row);
            }
        }
        strategies.sort_by_key(|row| row.side);
        strategies
    }

    /// The size at which most is shown.
    pub(super) fn detailed_size(&self) -> u64 {
        let building = self.table.sizes(|row| row.metric == "build_ns");
        let all = self.table.sizes(|_| true);
        nearest(if building.is_empty() { &all } else { &building }, DETAILED).unwrap_or(DETAILED)
    }

    /// The row of a metric.
    pub(super) fn row(
        &self,
        family: &str,
        strategy: &str,
        nodes: u64,
        metric: &str,
    ) -> Option<&RaceRow> {
        let key = (family, strategy, nodes, metric);
        let found = |row: &&RaceRow| {
            key == (
                row.family.as_str(),
                row.strategy.as_str(),
                row.nodes,
                row.metric.as_str(),
            )
        };
        self.table.rows.iter().find(found)
    }
}

/// Why a row has no number to show, if it has none.
pub(super) fn reason(row: &RaceRow) -> Option<Reason> {
    match row.status {
        Status::Failed => Some(Reason::Failed(row.note.clone())),
        Status::Unsupported => Some(Reason::Unsupported(row.note.clone())),
        Status::OverBudget => Some(Reason::OverBudget(row.note.clone())),
        Status::Ok | Status::Structured if row.median.is_some_and(usable) => None,
        Status::Ok | Status::Structured => Some(Reason::Undefined),
    }
}
