//! How many points: the busiest node of a ring against points a node, and the fewest that keep it
//! below a limit.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use rayon::prelude::*;
use router::{NodeSpec, Spec};
use serde::Deserialize;

use super::Setup;
use crate::{
    measure::{Contender, Peaks, Profile, affordable, exact_peak, heap_bytes, stats::ring_peak},
    record::{EnoughRow, SeriesRow},
    workload::node_names,
};

/// The share of deployments that a limit is held in.
pub(super) const MOST: f64 = 0.95;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Points {
    ring: String,
    param: String,
    pub(super) sizes: Vec<u64>,
    /// Points a node that every size is tried with, rising.
    sweep: Vec<u64>,
    /// What the busiest node may hold, in fair shares.
    limits: Vec<f64>,
    /// Deployments of fewer than 1000 nodes, and of more.
    deployments: u64,
    deployments_large: u64,
}

/// What one size showed.
pub(super) struct Curve {
    pub(super) nodes: u64,
    /// By points a node: the steps of the sweep, and those that were tried between them.
    pub(super) tried: BTreeMap<u64, Peaks>,
}

/// What all sizes showed.
pub(super) struct Found {
    pub(super) curves: Vec<Curve>,
    pub(super) enough: Vec<EnoughRow>,
    /// What was left out.
    pub(super) left_out: Vec<String>,
}

/// Tries every size with every step of the sweep, and then between the steps.
pub(super) fn measure(setup: &Setup<'_>, points: &Points) -> Result<Found> {
    let ring = setup.spec(&points.ring)?;
    ensure!(
        !points.sweep.is_empty() && points.sweep.is_sorted(),
        "the points a node rise"
    );
    let searches = points.sweep.len() + points.limits.len();
    setup
        .progress
        .phase("points", points.sizes.len() * searches);
    let mut found = Found {
        curves: Vec::new(),
        enough: Vec::new(),
        left_out: Vec::new(),
    };
    for &nodes in &points.sizes {
        let lab = Lab {
            setup,
            points,
            ring: &ring,
            nodes,
        };
        let mut tried = BTreeMap::new();
        for &step in &points.sweep {
            if let Some(peaks) = lab.peaks(step)? {
                tried.insert(step, peaks);
            }
            setup.progress.step();
        }
        if tried.len() < points.sweep.len() {
            let why = format!("left out: {ring} of {nodes} nodes: no exact shares of it");
            found.left_out.push(why);
            continue;
        }
        for &limit in &points.limits {
            found.enough.push(lab.enough(&mut tried, limit)?);
            setup.progress.step();
        }
        found.curves.push(Curve { nodes, tried });
    }
    Ok(found)
}

/// One ring among so many nodes.
struct Lab<'a> {
    setup: &'a Setup<'a>,
    points: &'a Points,
    ring: &'a Spec,
    nodes: u64,
}

impl Lab<'_> {
    fn contender(&self, points: u64) -> Result<Contender> {
        let spec = self.ring.with(&self.points.param, &points.to_string())?;
        Ok(Contender::new(spec))
    }

    fn names(&self, seed: u64) -> Vec<NodeSpec> {
        let names = node_names(seed, self.nodes as usize);
        names.into_iter().map(NodeSpec::from).collect()
    }

    /// The busiest node of every deployment at so many points, on all cores; nothing where the ring
    /// does not state its shares.
    fn peaks(&self, points: u64) -> Result<Option<Peaks>> {
        let contender = self.contender(points)?;
        let profile = Profile {
            deployments: self.points.deployments,
            deployments_large: self.points.deployments_large,
            deployed_entries: u64::MAX,
            ..Profile::quick()
        };
        let runs = affordable(&profile, &contender, self.nodes).map_err(anyhow::Error::msg)?;
        let peaks = (0..runs).into_par_iter().map(|seed| {
            self.setup.check()?;
            Ok(exact_peak(&contender, &self.names(seed)))
        });
        let peaks: Result<Vec<Option<f64>>> = peaks.collect();
        Ok(peaks?
            .into_iter()
            .collect::<Option<_>>()
            .and_then(Peaks::new))
    }

    /// The fewest points that keep the limit.
    fn enough(&self, tried: &mut BTreeMap<u64, Peaks>, limit: f64) -> Result<EnoughRow> {
        let known: BTreeMap<u64, f64> = tried
            .iter()
            .map(|(&points, peaks)| (points, peaks.quantile(MOST)))
            .collect();
        let points = fewest(known, limit, |points| {
            let peaks = self.peaks(points)?;
            let peaks = peaks.ok_or_else(|| anyhow::anyhow!("{} lost its shares", self.ring))?;
            let peak = peaks.quantile(MOST);
            tried.insert(points, peaks);
            Ok(peak)
        })?;
        let peak = |points| Some(tried.get(&points)?.quantile(MOST));
        let end = |of: fn((f64, f64)) -> f64| {
            let curve = tried.iter();
            let curve = curve.map(|(&points, peaks)| (points, of(peaks.interval(MOST))));
            crossing(&curve.collect(), limit)
        };
        let most = self.points.sweep.last().copied().unwrap_or(1);
        Ok(EnoughRow {
            strategy: self.ring.strategy().name.to_owned(),
            nodes: self.nodes,
            limit,
            points,
            points_lo: points.and_then(|_| end(|it| it.0)),
            points_hi: points.and_then(|_| end(|it| it.1)),
            peak: points.and_then(peak),
            peak_before: points.and_then(|it| peak(it.checked_sub(1)?)),
            theory: self.by_theory(limit, most),
            bytes_per_node: points.map(|it| self.bytes(it)).transpose()?.flatten(),
            deployments: tried.values().next().map_or(0, Peaks::deployments),
            most,
        })
    }

    /// The fewest points that theory asks for; it falls with every point.
    fn by_theory(&self, limit: f64, most: u64) -> Option<u64> {
        let holds = |points: u64| ring_peak(points, self.nodes, MOST) < limit;
        if !holds(most) {
            return None;
        }
        let (mut lo, mut hi) = (0, most);
        while hi - lo > 1 {
            let middle = u64::midpoint(lo, hi);
            if holds(middle) {
                hi = middle;
            } else {
                lo = middle;
            }
        }
        Some(hi)
    }

    /// Heap bytes a node of the router of the first deployment.
    fn bytes(&self, points: u64) -> Result<Option<f64>> {
        let contender = self.contender(points)?;
        let cluster = router::Cluster::build(&contender.spec, &self.names(0))?;
        let (router, bytes) = heap_bytes(|| contender.spec.router(cluster.nodes()));
        router?;
        Ok(bytes.map(|it| it as f64 / self.nodes as f64))
    }
}

/// Where the peaks that were tried come below the limit and stay there: the last step above it and the
/// first below; nothing where the last one is above.
fn bracket(tried: &BTreeMap<u64, f64>, limit: f64) -> Option<(Option<u64>, u64)> {
    let mut first = None;
    for (&points, &peak) in tried.iter().rev() {
        if peak >= limit {
            return first.map(|it| (Some(points), it));
        }
        first = Some(points);
    }
    first.map(|it| (None, it))
}

/// Between two steps, where the peak's excess over 1 reaches that of the limit: nearly a power of the
/// points.
fn between((a, above): (u64, f64), (b, below): (u64, f64), limit: f64) -> f64 {
    let [above, below, limit] = [above, below, limit].map(|it| libm::log((it - 1.0).max(1e-12)));
    let along = ((above - limit) / (above - below)).clamp(0.0, 1.0);
    let [a, b] = [a, b].map(|it| libm::log(it as f64));
    libm::exp(a + along * (b - a))
}

/// The points at which a curve comes below the limit, not a whole number; nothing where it does not.
fn crossing(curve: &BTreeMap<u64, f64>, limit: f64) -> Option<f64> {
    let (above, below) = bracket(curve, limit)?;
    Some(above.map_or(below as f64, |above| {
        between((above, curve[&above]), (below, curve[&below]), limit)
    }))
}

/// The fewest points whose peak is below the limit while one point less is not, found between the steps
/// that were tried: each guess halves in a way that knows that the excess is nearly a power of the
/// points. Nothing where the last step is not below.
fn fewest(
    mut tried: BTreeMap<u64, f64>,
    limit: f64,
    mut try_at: impl FnMut(u64) -> Result<f64>,
) -> Result<Option<u64>> {
    let Some((lo, mut hi)) = bracket(&tried, limit) else {
        return Ok(None);
    };
    let Some(mut lo) = lo else {
        return Ok(Some(hi));
    };
    // How often the guesses fell on one side: then the next goes further to the other.
    let (mut side, mut times) = (None, 0_u32);
    while hi - lo > 1 {
        let at = between((lo, tried[&lo]), (hi, tried[&hi]), limit);
        let further = if times > 1 {
            1 << (times - 2).min(16)
        } else {
            0
        };
        let guess = match side {
            Some(true) => (at.floor() as u64).saturating_sub(further),
            Some(false) => at.ceil() as u64 + further,
            None => at.round() as u64,
        };
        let guess = guess.clamp(lo + 1, hi - 1);
        let peak = try_at(guess)?;
        tried.insert(guess, peak);
        let below = peak < limit;
        times = if side == Some(below) { times + 1 } else { 1 };
        side = Some(below);
        if below {
            hi = guess;
        } else {
            lo = guess;
        }
    }
    Ok(Some(hi))
}

impl Found {
    /// Against points a node: the busiest node in half and in 95 % of deployments, and what theory says.
    pub(super) fn series(&self, sweep: &[u64]) -> Vec<SeriesRow> {
        let mut rows = Vec::new();
        for curve in &self.curves {
            for (&points, peaks) in curve.tried.iter().filter(|it| sweep.contains(it.0)) {
                let row = |series: &str, value, ends: Option<(f64, f64)>| SeriesRow {
                    label: curve.nodes.to_string(),
                    lo: ends.map(|it| it.0),
                    hi: ends.map(|it| it.1),
                    ..SeriesRow::point(series, points as f64, value, "fair shares")
                };
                let deployments = format!("{} deployments", peaks.deployments());
                let tried = [("p50", 0.5), ("p95", MOST)].map(|(series, q)| SeriesRow {
                    text: deployments.clone(),
                    ..row(series, peaks.quantile(q), Some(peaks.interval(q)))
                });
                rows.extend(tried);
                let theory = ring_peak(points, curve.nodes, MOST);
                rows.push(row("theory", theory, None));
            }
        }
        rows
    }

    /// A sentence a number of nodes.
    pub(super) fn sentences(&self) -> Vec<String> {
        let sizes = self.enough.chunk_by(|a, b| a.nodes == b.nodes);
        let rows = sizes.map(|it| it.iter().collect::<Vec<_>>());
        rows.filter_map(|it| EnoughRow::sentence(&it)).collect()
    }
}

impl Points {
    /// Points a node that every size is tried with.
    pub(super) fn sweep(&self) -> &[u64] {
        &self.sweep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches a curve that only falls; the fewest points, and how many were tried.
    fn search(curve: impl Fn(u64) -> f64, steps: &[u64], limit: f64) -> (Option<u64>, usize) {
        let known = steps.iter().map(|&it| (it, curve(it))).collect();
        let mut tries = 0;
        let found = fewest(known, limit, |points| {
            tries += 1;
            Ok(curve(points))
        });
        (found.expect("nothing fails"), tries)
    }

    #[test]
    fn the_fewest_of_a_curve_that_falls() {
        let steps = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
        for limit in [3.7, 2.0, 1.5, 1.25, 1.1, 1.09] {
            for factor in [0.5, 1.0, 3.3, 4.0] {
                for power in [0.4, 0.5, 0.62] {
                    let curve = |points: u64| 1.0 + factor / (points as f64).powf(power);
                    let wanted = (1..=2048).find(|&it| curve(it) < limit);
                    let (found, tries) = search(curve, &steps, limit);
                    assert_eq!(found, wanted, "{limit}, {factor}, {power}");
                    assert!(tries <= 12, "{tries} tries");
                }
            }
        }
        // A cliff is no power at all: it is found, with more tries.
        let cliff = |points: u64| if points < 1111 { 9.0 } else { 1.0 };
        let (found, tries) = search(cliff, &steps, 1.1);
        assert!(found == Some(1111) && tries < 60, "{found:?}, {tries}");
    }

    #[test]
    fn a_curve_that_rises_again_is_followed_to_where_it_stays_below() {
        let tried: BTreeMap<u64, f64> = [(1, 3.0), (2, 1.2), (4, 1.4), (8, 1.1), (16, 1.0)].into();
        assert_eq!(bracket(&tried, 1.25), Some((Some(4), 8)));
        assert_eq!(bracket(&tried, 1.0), None);
        assert_eq!(bracket(&tried, 4.0), Some((None, 1)));
        let at = crossing(&tried, 1.25).expect("it comes below");
        assert!((4.0..8.0).contains(&at), "{at}");
        assert_eq!(crossing(&tried, 4.0), Some(1.0));
        assert_eq!(crossing(&tried, 0.5), None);
    }
}
