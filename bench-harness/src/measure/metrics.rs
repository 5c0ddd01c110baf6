//! Every metric by its name, with its unit and the file it stands in.

/// A metric of the deterministic files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// Its name in code, data and charts.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
}

const fn metric(name: &'static str, unit: &'static str) -> Metric {
    Metric { name, unit }
}

/// The metrics in table order: rows are sorted by it.
pub const METRICS: &[Metric] = &[
    // Balance
    metric("peak_to_avg", "fair shares"),
    metric("min_to_avg", "fair shares"),
    metric("cv", "1"),
    metric("sd_keys", "keys"),
    metric("share_cv", "1"),
    metric("p01_to_avg", "fair shares"),
    metric("p99_to_avg", "fair shares"),
    metric("exact_peak", "fair shares"),
    metric("exact_cv", "1"),
    metric("exact_peak_p50", "fair shares"),
    metric("exact_peak_p95", "fair shares"),
    metric("exact_peak_p99", "fair shares"),
    metric("chi2_p_shares", "probability"),
    metric("chi2_p", "probability"),
    // Movement
    metric("moved", "share of keys"),
    metric("forced", "share of keys"),
    metric("collateral", "share of keys"),
    metric("optimal", "share of keys"),
    metric("own_optimal", "share of keys"),
    metric("excess", "1"),
    metric("peak_after", "fair shares"),
    metric("cv_after", "1"),
    metric("n1_peak", "fair shares"),
    metric("failover_gain", "fair shares"),
    metric("receivers", "nodes"),
    metric("restored_mismatch", "share of keys"),
    metric("order_disagreement", "share of keys"),
    // Views
    metric("view_disagreement", "share of keys"),
    metric("view_spread", "nodes"),
    metric("view_spread_p99", "nodes"),
    metric("view_load", "fair shares"),
    metric("stale_misses", "share of look-ups"),
    // Memory
    metric("heap_bytes", "bytes"),
    metric("bytes_per_node", "bytes"),
    // Work
    metric("hash_evals", "evaluations"),
    metric("probes", "probes"),
];

/// Kept for the gates, not written: the unbiased estimate whose root is `share_cv`.
pub(super) const SHARE_VARIANCE: &str = "share_variance";
/// Kept for the gates, not written: chi-square against the weights, and its degrees of freedom.
pub(super) const CHI2: &str = "chi2";
pub(super) const CHI2_DF: &str = "chi2_df";

/// Kept for the rows, not written: deployments behind `exact_peak_p50`, `_p95` and `_p99`.
pub(super) const DEPLOYMENTS: &str = "deployments";

/// Kept for the rows, not written: what `view_disagreement` is held against.
pub(super) const VIEW_OPTIMAL: &str = "view_optimal";
/// Kept for the rows, not written: what `stale_misses` is held against.
pub(super) const STALE_OPTIMAL: &str = "stale_optimal";

/// The place of a metric in table order; `None` for one that is not written.
#[must_use]
pub(super) fn place(name: &str) -> Option<usize> {
    METRICS.iter().position(|metric| metric.name == name)
}
