//! What a chart does not draw, and why: said in words below it.

use super::scale::usable;
use crate::record::{Row, Status, TimedRow};

/// Why a series has no mark.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Reason {
    /// It failed a gate; how.
    Failed(String),
    /// It cannot do this; why.
    Unsupported(String),
    /// It would cost too much; how much.
    OverBudget(String),
    /// There is a row, but its value is undefined.
    Undefined,
    /// There is no row.
    NoRow,
}

impl Reason {
    /// The word that stands where a number would.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::Unsupported(_) => "unsupported",
            Self::OverBudget(_) => "over budget",
            Self::Undefined => "undefined",
            Self::NoRow => "not measured",
        }
    }

    /// The reason given, if any.
    pub(super) fn why(&self) -> &str {
        match self {
            Self::Failed(why) | Self::Unsupported(why) | Self::OverBudget(why) => why,
            Self::Undefined | Self::NoRow => "",
        }
    }
}

/// The series that a chart leaves out.
#[derive(Default, Debug)]
pub(super) struct Absent {
    list: Vec<(Reason, String)>,
}

impl Absent {
    pub(super) fn add(&mut self, name: &str, reason: Reason) {
        let entry = (reason, name.to_owned());
        if !self.list.contains(&entry) {
            self.list.push(entry);
        }
    }

    /// A sentence for each reason, with the names it holds for.
    pub(super) fn sentences(mut self) -> Vec<String> {
        self.list.sort();
        let groups = self.list.chunk_by(|a, b| a.0 == b.0);
        groups
            .map(|group| {
                let names: Vec<&str> = group.iter().map(|(_, name)| name.as_str()).collect();
                let names = names.join(", ");
                match &group[0].0 {
                    Reason::Failed(why) => format!("Failed, not drawn: {names} ({}).", said(why)),
                    Reason::Unsupported(why) => format!("Unsupported: {names} ({}).", said(why)),
                    Reason::OverBudget(why) => format!("Over budget: {names} ({}).", said(why)),
                    Reason::Undefined => format!("Undefined, not drawn: {names}."),
                    Reason::NoRow => format!("Not measured here: {names}."),
                }
            })
            .collect()
    }
}

fn said(note: &str) -> &str {
    let note = note.trim().trim_end_matches('.');
    if note.is_empty() {
        "no reason given"
    } else {
        note
    }
}

/// The row, if its value can be drawn.
pub(super) fn drawable(row: Option<&Row>) -> Result<&Row, Reason> {
    let row = row.ok_or(Reason::NoRow)?;
    check(row.status, row.mean, &row.note).map(|()| row)
}

/// The timing, if its value can be drawn.
pub(super) fn drawable_time(row: Option<&TimedRow>) -> Result<&TimedRow, Reason> {
    let row = row.ok_or(Reason::NoRow)?;
    check(row.status, row.median, &row.note).map(|()| row)
}

fn check(status: Status, value: Option<f64>, note: &str) -> Result<(), Reason> {
    match status {
        Status::Failed => Err(Reason::Failed(note.to_owned())),
        Status::Unsupported => Err(Reason::Unsupported(note.to_owned())),
        Status::OverBudget => Err(Reason::OverBudget(note.to_owned())),
        Status::Ok | Status::Structured if value.is_some_and(usable) => Ok(()),
        Status::Ok | Status::Structured => Err(Reason::Undefined),
    }
}
