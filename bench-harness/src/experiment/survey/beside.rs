//! What stands beside a number of the survey's: ours, of the same cluster, and what differs.

use serde::Serialize;

use super::Entry;
use crate::record::{Rounded, six_digits};

/// A row of `experiment-survey-beside.csv` and `timed-survey-beside.csv`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Beside {
    pub(super) strategy: String,
    pub(super) algorithm: String,
    /// The survey's name for it.
    pub(super) benchmark: &'static str,
    pub(super) parameter: String,
    /// Which column of the survey's.
    pub(super) column: &'static str,
    pub(super) theirs: Option<f64>,
    /// 5 % and 95 % of what a perfectly even router shows there; for a time, the 99.9 % interval.
    pub(super) lo: Option<f64>,
    pub(super) hi: Option<f64>,
    /// Which metric of ours, as METHOD.md defines it.
    pub(super) metric: &'static str,
    pub(super) ours: Option<f64>,
    pub(super) difference: &'static str,
}

impl Beside {
    /// Of one entry under one parameter, with nothing in it yet.
    pub(super) fn of(entry: &Entry, benchmark: &'static str, parameter: String) -> Self {
        Self {
            strategy: entry.label(),
            algorithm: entry.name.clone(),
            benchmark,
            parameter,
            column: "",
            theirs: None,
            lo: None,
            hi: None,
            metric: "",
            ours: None,
            difference: "",
        }
    }
}

impl Rounded for Beside {
    fn rounded(&self) -> Self {
        let six = |value: Option<f64>| value.filter(|it| it.is_finite()).map(six_digits);
        Self {
            theirs: six(self.theirs),
            lo: six(self.lo),
            hi: six(self.hi),
            ours: six(self.ours),
            ..self.clone()
        }
    }
}
