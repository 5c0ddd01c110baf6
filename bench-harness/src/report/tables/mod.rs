//! Tables of the main numbers, for both pages.

mod clients;
mod contract;
mod experiment;
mod frontier;
mod numbers;
mod overview;
pub(in crate::report) mod race;
mod recovery;

use serde::Serialize;

use super::Cx;
use super::absent::Reason;
use super::field::Series;
use super::number::Unit;

pub(super) use clients::clients;
pub(super) use contract::{claims, matrix, summary};
pub(super) use experiment::judged;
pub(super) use frontier::{OF as FRONTIER_OF, efficient, enough, sentences};
pub(super) use numbers::{balance, build, in_vain, lookup};
pub(super) use overview::{glance, glances};
pub(super) use recovery::{OF as RECOVERY_OF, recovery};

/// A table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Table {
    pub(super) title: String,
    /// What the numbers are: situation and units.
    pub(super) caption: String,
    pub(super) head: Vec<Head>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// Whether its heads are set upright, because they are many and long.
    pub(super) upright: bool,
}

/// The head of a column.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Head {
    pub(super) text: String,
    /// Whether its cells are numbers, set flush right.
    pub(super) number: bool,
    /// By what the page's filters know the column; empty where none asks for it.
    pub(super) key: &'static str,
}

/// What stands in a cell.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cell {
    pub(super) text: String,
    /// `good`, `bad`, `dim` or empty: how loudly it is said.
    pub(super) tone: &'static str,
    /// Shown under the pointer.
    pub(super) hover: String,
    /// The number behind the text, by which the page sorts.
    pub(super) value: Option<f64>,
}

impl Head {
    fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            number: false,
            key: "",
        }
    }

    fn number(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            number: true,
            key: "",
        }
    }

    fn keyed(self, key: &'static str) -> Self {
        Self { key, ..self }
    }
}

impl Cell {
    fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tone: "",
            hover: String::new(),
            value: None,
        }
    }

    /// A text that stands for a number.
    fn number(text: impl Into<String>, value: f64) -> Self {
        Self {
            value: Some(value),
            ..Self::plain(text)
        }
    }

    /// The word for a number that is not there, and why.
    fn without(reason: &Reason) -> Self {
        Self {
            text: reason.word().to_owned(),
            tone: if matches!(reason, Reason::Failed(_)) {
                "bad"
            } else {
                "dim"
            },
            hover: reason.why().to_owned(),
            value: None,
        }
    }

    /// A number, or the word for it.
    fn of(value: Result<f64, Reason>, unit: Unit) -> Self {
        match value {
            Ok(value) => Self::number(unit.text(value), value),
            Err(reason) => Self::without(&reason),
        }
    }
}

/// The name of a row, with its contract's verdict where that is a failure.
fn name(cx: &Cx<'_>, series: &Series<'_>) -> Cell {
    match cx.field.failure(series.members[0]) {
        None => Cell::plain(&series.name),
        Some(why) => Cell {
            text: format!("{} (failed)", series.name),
            tone: "bad",
            hover: why,
            value: None,
        },
    }
}
