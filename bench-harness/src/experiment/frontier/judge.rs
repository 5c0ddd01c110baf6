//! What is said of points, probes and tables, held against what was measured.

use anyhow::Result;
use serde::Deserialize;

use super::{
    designs,
    points::{self, MOST},
};
use crate::{
    experiment::{Claims, Setup, claims::shown},
    measure::stats::ring_peak,
};

/// Whose claims these are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claimed {
    /// Probes of what need no memory.
    probes: String,
    /// Who is said to be better than a ring in everything, and than which.
    better: String,
    worse: String,
}

const ABSENT: &str = "what this is said of was not run";

/// Judges every claim.
pub(super) fn all(
    claims: &mut Claims<'_>,
    setup: &Setup<'_>,
    claimed: &Claimed,
    points: &points::Found,
    designs: &designs::Found,
) -> Result<()> {
    one_point(claims, points);
    theory(claims, points);
    growth(claims, points);
    probes(claims, setup, claimed, designs)?;
    better(claims, setup, claimed, designs)
}

/// The longest of n arcs is H_n means long, in the mean.
fn one_point(claims: &mut Claims<'_>, points: &points::Found) {
    let mut told = Vec::new();
    let mut holds = true;
    for curve in &points.curves {
        let Some(peaks) = curve.tried.get(&1) else {
            continue;
        };
        let harmonic: f64 = (1..=curve.nodes).map(|it| 1.0 / it as f64).sum();
        let (mean, error) = peaks.mean();
        holds &= (mean - harmonic).abs() <= 3.0 * error;
        told.push(format!(
            "{} +- {} for {}",
            shown(mean),
            shown(3.0 * error),
            shown(harmonic)
        ));
    }
    match told.is_empty() {
        true => claims.not_checkable("one-point", "", ABSENT),
        false => claims.holds("one-point", told.join(", "), holds),
    }
}

/// Whether theory lies in the interval of what was measured.
fn theory(claims: &mut Claims<'_>, points: &points::Found) {
    let (mut inside, mut of, mut furthest) = (0, 0, 0.0_f64);
    for curve in &points.curves {
        for (&step, peaks) in &curve.tried {
            let said = ring_peak(step, curve.nodes, MOST);
            let (lo, hi) = peaks.interval(MOST);
            of += 1;
            inside += usize::from((lo..=hi).contains(&said));
            furthest = furthest.max((peaks.quantile(MOST) / said - 1.0).abs());
        }
    }
    if of == 0 {
        return claims.not_checkable("theory", "", ABSENT);
    }
    let measured = format!(
        "in the interval at {inside} of {of} points, at most {} % away",
        shown(100.0 * furthest)
    );
    claims.holds("theory", measured, 10 * inside >= 9 * of);
}

/// Whether the points that a limit takes grow no faster than the logarithm of the nodes.
fn growth(claims: &mut Claims<'_>, points: &points::Found) {
    let mut told = Vec::new();
    let mut holds = true;
    let mut limits: Vec<f64> = points.enough.iter().map(|it| it.limit).collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup();
    for limit in limits {
        let rows = points.enough.iter().filter(|it| it.limit == limit);
        let known: Vec<(u64, u64)> = rows
            .filter_map(|it| Some((it.nodes, it.points?)))
            .filter(|it| it.0 > 1)
            .collect();
        let [first, .., last] = known[..] else {
            continue;
        };
        let factor = last.1 as f64 / first.1 as f64;
        let logarithms = libm::log(last.0 as f64) / libm::log(first.0 as f64);
        holds &= factor <= 1.1 * logarithms;
        told.push(format!(
            "below {limit}: {} times from {} to {} nodes, whose logarithms grow {} times",
            shown(factor),
            first.0,
            last.0,
            shown(logarithms)
        ));
    }
    match told.is_empty() {
        true => claims.not_checkable("growth", "", ABSENT),
        false => claims.holds("growth", told.join("; "), holds),
    }
}

/// Whether more probes take more memory.
fn probes(
    claims: &mut Claims<'_>,
    setup: &Setup<'_>,
    claimed: &Claimed,
    designs: &designs::Found,
) -> Result<()> {
    let strategy = setup.spec(&claimed.probes)?.strategy().name;
    let ours = designs.designs.iter().filter(|it| {
        let name = it.row.strategy.split(':').next();
        name == Some(strategy)
    });
    let bytes: Vec<f64> = ours.filter_map(|it| it.row.bytes_per_node).collect();
    let least = bytes.iter().copied().reduce(f64::min);
    let most = bytes.iter().copied().reduce(f64::max);
    match (least.zip(most), bytes.len()) {
        (Some((least, most)), 2..) => {
            let measured = format!(
                "{} to {} bytes a node over {} numbers of probes",
                shown(least),
                shown(most),
                bytes.len()
            );
            claims.holds("probes-memory", measured, least == most);
        }
        _ => claims.not_checkable("probes-memory", "", ABSENT),
    }
    Ok(())
}

/// Whether one is better than another in everything.
fn better(
    claims: &mut Claims<'_>,
    setup: &Setup<'_>,
    claimed: &Claimed,
    designs: &designs::Found,
) -> Result<()> {
    let of = |spec: &str| -> Result<Option<[f64; 4]>> {
        let found = designs.of(&setup.spec(spec)?.to_string());
        Ok(found.and_then(|it| {
            Some([
                it.row.bytes_per_node?,
                it.row.peak?,
                it.timed.lo?,
                it.timed.hi?,
            ])
        }))
    };
    let (Some(a), Some(b)) = (of(&claimed.better)?, of(&claimed.worse)?) else {
        claims.not_checkable("better", "", ABSENT);
        return Ok(());
    };
    let measured = format!(
        "{} against {} bytes a node, busiest node {} against {}, {} to {} ns against {} to {}",
        shown(a[0]),
        shown(b[0]),
        shown(a[1]),
        shown(b[1]),
        shown(a[2]),
        shown(a[3]),
        shown(b[2]),
        shown(b[3])
    );
    claims.holds(
        "better",
        measured,
        a[0] < b[0] && a[1] < b[1] && a[3] < b[2],
    );
    Ok(())
}
