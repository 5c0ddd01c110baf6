//! From cells to rows: summaries, the control beside, bands, theory, and the gates that fail a row.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use router::{Question, Role};

use super::{
    cell::{Cell, CellKey, Cells},
    grid::{Contender, Request},
    metrics::{
        CHI2, CHI2_DF, DEPLOYMENTS, METRICS, SHARE_VARIANCE, STALE_OPTIMAL, VIEW_OPTIMAL, place,
    },
    noise::{Band, HashNoise},
    stats::{Summary, binomial_share_quantile, chi2_lower, mean_interval, t_test},
};
use crate::{
    record::{OWN_CHANGE, RawRow, Row, Status},
    workload::{KeySet, Popularity, Scenario},
};

/// Gate 3 fails a row below this lower-tail probability, pooled over the seeds.
const TOO_EVEN: f64 = 1e-9;
/// Gate 4 fails a row below this two-sided probability.
const AGAINST_THEORY: f64 = 1e-6;

/// Makes rows out of the cells of one file.
pub(super) struct RowMaker<'a> {
    request: &'a Request,
    key_sets: &'a [KeySet],
    cells: &'a Cells,
    control: Option<usize>,
    /// Bands by weights (as bits), keys and popularity.
    noise: HashMap<(Vec<u64>, u64, Option<Popularity>), HashNoise>,
}

impl<'a> RowMaker<'a> {
    pub(super) fn new(request: &'a Request, key_sets: &'a [KeySet], cells: &'a Cells) -> Self {
        let control = request
            .contenders
            .iter()
            .position(|it| it.spec.strategy().role == Role::Control);
        let mut maker = Self {
            request,
            key_sets,
            cells,
            control,
            noise: HashMap::new(),
        };
        maker.simulate_noise();
        maker
    }

    /// Simulates every band that the rows will need, on all cores: each takes a while.
    fn simulate_noise(&mut self) {
        let mut wanted = BTreeMap::new();
        for (key, cell) in &self.cells.0 {
            let sampled = ["cv", "cv_after"]
                .iter()
                .any(|metric| cell.values.contains_key(metric));
            for n in [key.nodes, key.nodes_after] {
                if sampled && let Some(weights) = self.weights(key, cell, n) {
                    let popularity = Popularity::of(&key.scenario);
                    wanted.insert((bits(&weights), cell.keys, popularity), weights);
                }
            }
        }
        self.noise = wanted
            .into_par_iter()
            .map(|(key, weights)| {
                let noise = match key.2 {
                    None => HashNoise::new(&weights, key.1),
                    Some(popularity) => {
                        HashNoise::of_requests(&weights, &popularity.requests(key.1 as usize))
                    }
                };
                (key, noise)
            })
            .collect();
    }

    /// All rows: in byte order of strategy, scenario and change, then by nodes and metric.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (key, cell) in &self.cells.0 {
            self.cell_rows(key, cell, &mut rows);
        }
        rows.sort_by(|a, b| {
            (&a.strategy, &a.scenario, &a.change, a.nodes)
                .cmp(&(&b.strategy, &b.scenario, &b.change, b.nodes))
                .then_with(|| place(&a.metric).cmp(&place(&b.metric)))
        });
        rows
    }

    /// A row a seed, in the order of the summaries.
    pub(super) fn raw_rows(&self) -> Vec<RawRow> {
        let mut rows = Vec::new();
        for (key, cell) in &self.cells.0 {
            for metric in METRICS {
                let values = cell.values.get(metric.name).into_iter().flatten();
                rows.extend(values.enumerate().map(|(seed, value)| RawRow {
                    strategy: self.request.contenders[key.contender].spec.to_string(),
                    scenario: key.scenario.clone(),
                    change: key.change.clone(),
                    nodes: key.nodes,
                    keys: cell.keys,
                    seed: seed as u64,
                    metric: metric.name.to_owned(),
                    value: *value,
                }));
            }
        }
        rows
    }

    fn cell_rows(&self, key: &CellKey, cell: &Cell, rows: &mut Vec<Row>) {
        let contender = &self.request.contenders[key.contender];
        let too_even = self.too_even(key, contender, cell);
        for metric in METRICS {
            let values = cell.defined(metric.name);
            let Some(all) = cell.values.get(metric.name) else {
                continue;
            };
            let mut row = self.blank(key, contender, cell, metric.name);
            row.seeds = all.len() as u64;
            if metric.name.starts_with("exact_") || cell.keys == 0 {
                row.keys = 0;
            }
            if metric.name.starts_with("exact_peak_p")
                && let Some(&runs) = cell.defined(DEPLOYMENTS).first()
            {
                row.seeds = runs as u64;
            }
            if let Some(summary) = Summary::of(&values) {
                row.mean = Some(summary.mean);
                row.sd = summary.sd;
                row.p5 = summary.sd.map(|_| summary.p5);
                row.p95 = summary.sd.map(|_| summary.p95);
            }
            self.beside_control(key, cell, metric.name, &mut row);
            self.with_band(key, cell, metric.name, &mut row);
            self.with_theory(key, contender, cell, metric.name, &mut row);
            if let Some((status, note)) = &too_even
                && matches!(
                    metric.name,
                    "peak_to_avg" | "min_to_avg" | "cv" | "sd_keys" | "share_cv"
                )
            {
                row.status = *status;
                row.note.clone_from(note);
            }
            rows.push(row);
        }
        if let Some((metric, budget, why)) = &cell.refusal {
            let mut row = self.blank(key, contender, cell, metric);
            row.keys = 0;
            row.status = if *budget {
                Status::OverBudget
            } else {
                Status::Unsupported
            };
            row.note.clone_from(why);
            rows.push(row);
        }
    }

    fn blank(&self, key: &CellKey, contender: &Contender, cell: &Cell, metric: &str) -> Row {
        let unit = place(metric).map_or("", |place| METRICS[place].unit);
        Row {
            strategy: contender.spec.to_string(),
            hash: contender.spec.hash().name.to_owned(),
            scenario: key.scenario.clone(),
            change: key.change.clone(),
            nodes: key.nodes,
            nodes_after: key.nodes_after,
            keys: cell.keys,
            seeds: 0,
            metric: metric.to_owned(),
            unit: unit.to_owned(),
            mean: None,
            sd: None,
            p5: None,
            p95: None,
            vs_control: None,
            vs_control_lo: None,
            vs_control_hi: None,
            reference: None,
            expected: None,
            z: None,
            noise_lo: None,
            noise_mean: None,
            noise_hi: None,
            status: Status::Ok,
            note: String::new(),
        }
    }

    /// The paired difference to the control: seed by seed, where it was asked the same keys.
    fn beside_control(&self, key: &CellKey, cell: &Cell, metric: &str, row: &mut Row) {
        let Some(control) = self.control.filter(|&control| control != key.contender) else {
            return;
        };
        let control_key = CellKey {
            contender: control,
            ..key.clone()
        };
        let Some(other) = self.cells.0.get(&control_key) else {
            return;
        };
        let (Some(ours), Some(theirs)) = (cell.values.get(metric), other.values.get(metric)) else {
            return;
        };
        if other.keys != cell.keys || ours.len() != theirs.len() {
            return;
        }
        let differences: Vec<f64> = ours
            .iter()
            .zip(theirs)
            .filter_map(|(a, b)| Some((*a)? - (*b)?))
            .collect();
        if let Some((mean, interval)) = mean_interval(&differences) {
            row.vs_control = Some(mean);
            row.vs_control_lo = interval.map(|(lo, _)| lo);
            row.vs_control_hi = interval.map(|(_, hi)| hi);
        }
    }

    /// The hash-noise band of sampled balance, and of the keys that a perfect router would move.
    fn with_band(&self, key: &CellKey, cell: &Cell, metric: &str, row: &mut Row) {
        let band = match metric {
            "peak_to_avg" => self.noise(key, cell, key.nodes).map(|it| it.peak),
            "min_to_avg" => self.noise(key, cell, key.nodes).map(|it| it.min),
            "cv" => self.noise(key, cell, key.nodes).map(|it| it.cv),
            "sd_keys" => self.noise(key, cell, key.nodes).map(|it| it.sd_keys),
            "p01_to_avg" => self.noise(key, cell, key.nodes).map(|it| it.p01),
            "p99_to_avg" => self.noise(key, cell, key.nodes).map(|it| it.p99),
            "peak_after" => self.noise(key, cell, key.nodes_after).map(|it| it.peak),
            "cv_after" => self.noise(key, cell, key.nodes_after).map(|it| it.cv),
            "moved" | "forced" => {
                let optimal = super::stats::mean(&cell.defined("optimal"));
                row.reference = optimal;
                // A rolling restart adds up many changes; its sum has no binomial band.
                optimal
                    .filter(|&it| it <= 1.0 && row.change != "rolling")
                    .map(|optimal| Band {
                        lo: binomial_share_quantile(0.05, optimal, cell.keys),
                        mean: optimal,
                        hi: binomial_share_quantile(0.95, optimal, cell.keys),
                    })
            }
            "collateral" | "restored_mismatch" | "order_disagreement" => {
                row.reference = Some(0.0);
                None
            }
            "view_disagreement" => {
                row.reference = super::stats::mean(&cell.defined(VIEW_OPTIMAL));
                None
            }
            "stale_misses" => {
                row.reference = super::stats::mean(&cell.defined(STALE_OPTIMAL));
                None
            }
            // When all agree, a key has one owner, and nodes hold fair shares.
            "view_spread" | "view_spread_p99" | "view_load" => {
                row.reference = Some(1.0);
                None
            }
            "excess" => {
                row.reference = Some(1.0);
                None
            }
            _ => None,
        };
        if let Some(band) = band {
            row.noise_lo = Some(band.lo);
            row.noise_mean = Some(band.mean);
            row.noise_hi = Some(band.hi);
        }
    }

    /// The band for `n` nodes at this cell's keys.
    fn noise(&self, key: &CellKey, cell: &Cell, n: u64) -> Option<HashNoise> {
        let weights = self.weights(key, cell, n)?;
        let popularity = Popularity::of(&key.scenario);
        self.noise
            .get(&(bits(&weights), cell.keys, popularity))
            .copied()
    }

    /// The shares of the weight of `n` nodes in this cell: equal ones, or those of the user's own
    /// nodes while nothing has changed; `None` where they are not known here.
    fn weights(&self, key: &CellKey, cell: &Cell, n: u64) -> Option<Vec<f64>> {
        if n == 0 || cell.keys == 0 || [OWN_CHANGE, "weight-double"].contains(&&*key.change) {
            return None;
        }
        match &self.request.nodes {
            Some(nodes) if key.change == "none" && n == key.nodes => {
                let total: u64 = nodes.iter().map(|node| u64::from(node.weight)).sum();
                let shares = nodes.iter().map(|it| f64::from(it.weight) / total as f64);
                Some(shares.collect())
            }
            Some(nodes) if nodes.iter().any(|node| node.weight != 1) => None,
            _ => Some(vec![1.0 / n as f64; n as usize]),
        }
    }

    /// Gate 4: what the strategy's own theory says, and whether the seeds agree with it.
    fn with_theory(
        &self,
        key: &CellKey,
        contender: &Contender,
        cell: &Cell,
        metric: &str,
        row: &mut Row,
    ) {
        if self.request.nodes.is_some() || contender.spec.strategy().role == Role::Bound {
            return; // theory speaks of random names and equal weights
        }
        let n = key.nodes;
        let (question, tested) = match metric {
            "share_cv" => (Question::ShareVariance { n }, SHARE_VARIANCE),
            "exact_peak" => (Question::Peak { n }, metric),
            "hash_evals" => (Question::HashEvals { n }, metric),
            "probes" => (Question::Probes { n }, metric),
            "moved" => match resize(&key.change, n, key.nodes_after) {
                Some(question) => (question, metric),
                None => return,
            },
            _ => return,
        };
        let random_keys = self
            .key_sets
            .iter()
            .any(|set| set.name() == key.scenario && !set.structured());
        let Some(estimate) = contender.spec.expected(question) else {
            return;
        };
        let root = metric == "share_cv";
        row.expected = Some(if root {
            estimate.mean.sqrt()
        } else {
            estimate.mean
        });
        let values = cell.defined(tested);
        if !random_keys {
            return; // structured keys may part from theory; that is what they are there to show
        }
        match t_test(&values, estimate.mean) {
            Some((z, p)) => {
                row.z = Some(z);
                if p < AGAINST_THEORY {
                    row.status = Status::Failed;
                    row.note = format!(
                        "theory: {z:.1} standard errors from what is expected (p = {p:.1e}, \
                         fails below {AGAINST_THEORY:.0e})"
                    );
                }
            }
            None => {
                let worst = values
                    .iter()
                    .map(|value| (value - estimate.mean).abs())
                    .fold(0.0, f64::max);
                if worst > 1e-9 * estimate.mean.abs().max(1.0) && values.len() > 1 {
                    row.status = Status::Failed;
                    row.note = format!("theory: all seeds show {}", values[0]);
                }
            }
        }
    }

    /// Gate 3: whether the keys lie more evenly than chance allows, over all seeds together. A
    /// failure for a hash that mixes, on random keys; `structured` for one that does not, on
    /// structured keys.
    fn too_even(
        &self,
        key: &CellKey,
        contender: &Contender,
        cell: &Cell,
    ) -> Option<(Status, String)> {
        let knows_load = contender.spec.capabilities().knows_load;
        let mixes = contender.spec.hash().mixes;
        let structured = self
            .key_sets
            .iter()
            .any(|set| set.name() == key.scenario && set.structured());
        let status = match (knows_load, mixes, structured) {
            (false, true, false) => Status::Failed,
            (false, false, true) => Status::Structured,
            _ => return None,
        };
        let statistic: f64 = cell.defined(CHI2).iter().sum();
        let df: f64 = cell.defined(CHI2_DF).iter().sum();
        if df == 0.0 {
            return None;
        }
        let p = chi2_lower(statistic, df);
        (p < TOO_EVEN).then(|| {
            let note = format!(
                "more even than chance: pooled chi-square {statistic:.1} at {df} degrees of freedom \
                 (p = {p:.1e})"
            );
            (status, note)
        })
    }
}

/// Weights as something to look up by.
fn bits(weights: &[f64]) -> Vec<u64> {
    weights.iter().map(|weight| weight.to_bits()).collect()
}

/// The question that a random loss or an addition asks; `None` for other changes.
fn resize(change: &str, n: u64, nodes_after: u64) -> Option<Question> {
    let random = matches!(
        change.parse::<Scenario>().ok()?,
        Scenario::LoseRandom
            | Scenario::Add
            | Scenario::AddPercent(_)
            | Scenario::LosePercent(_, crate::workload::LossOrder::Random)
            | Scenario::Curve(_)
    );
    random.then(|| Question::Moved {
        n,
        removed: n.saturating_sub(nodes_after),
        added: nodes_after.saturating_sub(n),
    })
}
