//! Cells: one strategy in one situation, and what each seed showed there.

use std::collections::BTreeMap;

/// What identifies a cell; sorted as the files are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct CellKey {
    /// Place in the request's contenders.
    pub(super) contender: usize,
    /// Key set.
    pub(super) scenario: String,
    /// Change, `none` without one.
    pub(super) change: String,
    /// Nodes before.
    pub(super) nodes: u64,
    /// Nodes after: `order_disagreement` removes two nodes where `lose-10pct` would remove one.
    pub(super) nodes_after: u64,
}

/// What one seed showed in one cell.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// Change, `none` without one.
    pub(super) change: String,
    /// Nodes before.
    pub(super) nodes: u64,
    /// Nodes after.
    pub(super) nodes_after: u64,
    /// Keys asked.
    pub(super) keys: u64,
    /// Values by metric, or why there are none.
    pub(super) outcome: Outcome,
}

/// Values by metric; `None` where one is undefined.
pub(super) type Values = Vec<(&'static str, Option<f64>)>;

/// Values, or why there are none.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// A value a metric.
    Values(Values),
    /// The strategy cannot do this. The metric that says so, and why.
    Unsupported(&'static str, String),
    /// It would cost too much. The metric that says so, and how much.
    OverBudget(&'static str, String),
}

/// A cell over all its seeds.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    /// Keys asked.
    pub(super) keys: u64,
    /// Values by metric, seed by seed; `None` where undefined.
    pub(super) values: BTreeMap<&'static str, Vec<Option<f64>>>,
    /// Why there are no values: the metric that says so, whether for want of budget, and why.
    pub(super) refusal: Option<(&'static str, bool, String)>,
}

impl Cell {
    /// The defined values of a metric.
    #[must_use]
    pub(super) fn defined(&self, metric: &str) -> Vec<f64> {
        self.values
            .get(metric)
            .map(|values| values.iter().copied().flatten().collect())
            .unwrap_or_default()
    }
}

/// All cells of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells(pub(super) BTreeMap<CellKey, Cell>);

impl Cells {
    /// Takes in what a seed showed. Seeds must come in order.
    pub(super) fn push(&mut self, contender: usize, scenario: &str, sample: Sample) {
        let key = CellKey {
            contender,
            scenario: scenario.to_owned(),
            change: sample.change,
            nodes: sample.nodes,
            nodes_after: sample.nodes_after,
        };
        let cell = self.0.entry(key).or_default();
        match sample.outcome {
            Outcome::Values(values) => {
                cell.keys = cell.keys.max(sample.keys);
                for (metric, value) in values {
                    cell.values.entry(metric).or_default().push(value);
                }
            }
            Outcome::Unsupported(metric, why) => cell.refusal = Some((metric, false, why)),
            Outcome::OverBudget(metric, why) => cell.refusal = Some((metric, true, why)),
        }
    }
}
