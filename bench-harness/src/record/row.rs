//! The rows of the result files: what `measure` writes and `report` reads.

use serde::{Deserialize, Serialize};

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Measured.
    Ok,
    /// A gate failed it; the note says which. Not ranked.
    Failed,
    /// The strategy cannot do this; the note says why.
    Unsupported,
    /// It would cost more than the profile allows; the note says how much.
    OverBudget,
    /// More even than chance, on structured keys under a hash that does not mix.
    Structured,
}

/// What a user's own change of a user's own nodes is called in the column `change`.
pub const OWN_CHANGE: &str = "own";

/// A row of `balance.csv`, `movement.csv`, `views.csv`, `work.csv` and `memory.csv`: one metric of one strategy
/// in one situation, over the seeds.
///
/// Empty fields are undefined values, never 0. Numbers have six significant digits.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Canonical spec.
    pub strategy: String,
    /// Name of its hash.
    pub hash: String,
    /// Key set.
    pub scenario: String,
    /// Change, `none` without one.
    pub change: String,
    /// Nodes before.
    pub nodes: u64,
    /// Nodes after.
    pub nodes_after: u64,
    /// Keys asked; 0 where no key is involved.
    pub keys: u64,
    /// Seeds.
    pub seeds: u64,
    /// Metric, by its name in METHOD.md.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Mean over the seeds.
    pub mean: Option<f64>,
    /// Sample standard deviation over the seeds; empty for one seed.
    pub sd: Option<f64>,
    /// 5th percentile over the seeds, nearest rank.
    pub p5: Option<f64>,
    /// 95th percentile over the seeds, nearest rank.
    pub p95: Option<f64>,
    /// Mean paired difference to the control, seed by seed.
    pub vs_control: Option<f64>,
    /// Lower end of its 95 % interval: Student-t, or bootstrap-t where the differences are skewed.
    pub vs_control_lo: Option<f64>,
    /// Upper end of it.
    pub vs_control_hi: Option<f64>,
    /// What it is held against: the optimum for movement.
    pub reference: Option<f64>,
    /// What theory says, where the strategy states it.
    pub expected: Option<f64>,
    /// Distance from it, in standard errors.
    pub z: Option<f64>,
    /// 5 % of the hash-noise band.
    pub noise_lo: Option<f64>,
    /// Its mean.
    pub noise_mean: Option<f64>,
    /// 95 % of it.
    pub noise_hi: Option<f64>,
    /// What became of it.
    pub status: Status,
    /// Why, where it is not `ok`.
    pub note: String,
}

/// A row of `data/seeds/*.csv`: what one seed showed. The quantiles over deployments have one value,
/// under seed 0.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RawRow {
    /// Canonical spec.
    pub strategy: String,
    /// Key set.
    pub scenario: String,
    /// Change, `none` without one.
    pub change: String,
    /// Nodes before.
    pub nodes: u64,
    /// Keys asked.
    pub keys: u64,
    /// The seed.
    pub seed: u64,
    /// Metric.
    pub metric: String,
    /// Its value; empty where undefined.
    pub value: Option<f64>,
}

/// A row of `lookup.csv`, `build.csv` and `swap.csv`: one timing, over rounds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimedRow {
    /// Canonical spec.
    pub strategy: String,
    /// Name of its hash.
    pub hash: String,
    /// Key set.
    pub scenario: String,
    /// Nodes.
    pub nodes: u64,
    /// Metric, by its name in METHOD.md: `lookup_ns`, `route_batch_ns`, `batch_mean_p99`,
    /// `hash_ns`, `load_ns`, `competing_ns`, `build_ns`, `add_ns`, `remove_ns`, and those of a swap.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Rounds: the unit of statistics.
    pub rounds: u64,
    /// Median over the rounds.
    pub median: Option<f64>,
    /// Lower end of its 95 % interval, by order statistics.
    pub lo: Option<f64>,
    /// Upper end of it.
    pub hi: Option<f64>,
    /// What became of it.
    pub status: Status,
    /// Why, where it is not `ok`.
    pub note: String,
}

/// A row of `criterion.csv`: criterion's estimate of one look-up, beside ours.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CriterionRow {
    /// Canonical spec.
    pub strategy: String,
    /// Nodes.
    pub nodes: u64,
    /// Criterion's estimate, nanoseconds a look-up.
    pub ns: f64,
    /// Lower end of its confidence interval.
    pub lo: f64,
    /// Upper end of it.
    pub hi: f64,
}

/// A row of `contract.csv`: one check of the contract suite.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ContractRow {
    /// Canonical spec.
    pub strategy: String,
    /// Name of the check.
    pub check: String,
    /// `passed`, `failed` or `unsupported`.
    pub status: String,
    /// Cases tried.
    pub cases: u64,
    /// The smallest failing case, or why it is unsupported.
    pub note: String,
}

/// A row of `points.csv`: an arc of a ring, for the picture of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArcRow {
    /// Canonical spec.
    pub strategy: String,
    /// Nodes.
    pub nodes: u64,
    /// Points a node.
    pub points_per_node: u64,
    /// Where the arc begins, as a share of the ring.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Place of its owner in joining order, from 0.
    pub node: u64,
}
