//! What the papers and the users say of hot keys and bounds, held against what was found.

use std::collections::BTreeSet;

use super::{Bound, Count, Found, Skew};
use crate::experiment::Claims;

/// Nothing was placed under a bound.
const NONE: &str = "none of the strategies that were run can be bounded";

/// The least spill from which on it matters where a key goes that finds its node full.
const SPILLS: f64 = 0.01;

/// Judges every claim.
pub(super) fn all(claims: &mut Claims<'_>, skew: &Skew, found: &Found) {
    let bounds: BTreeSet<(usize, Bound)> = found.values.keys().map(|key| (key.0, key.1)).collect();
    let bounded: Vec<(usize, Bound)> = bounds
        .into_iter()
        .filter(|it| it.1 != Bound::Alone)
        .collect();
    one_key(claims, skew, found, &bounded);
    if bounded.is_empty() {
        for id in [
            "keys-bound",
            "cap",
            "probes",
            "moves",
            "jump-full",
            "jump-variance",
        ] {
            claims.not_checkable(id, "", NONE);
        }
        return;
    }
    keys_bound(claims, skew, found, &bounded);
    let above = |it: &(usize, Bound)| found.values(it.0, it.1, Count::Above).iter();
    let above: Vec<f64> = bounded.iter().flat_map(above).copied().collect();
    let breaches: f64 = above.iter().sum();
    let measured = format!(
        "{breaches} nodes above it, in {} placements on {} nodes each",
        above.len(),
        skew.nodes
    );
    claims.holds("cap", measured, breaches == 0.0);
    growth(
        claims,
        skew,
        found,
        &bounded,
        "probes",
        |strategy, bound| {
            let extra = found.mean(strategy, bound, Count::Extra)?;
            Some(1.0 + extra)
        },
    );
    growth(claims, skew, found, &bounded, "moves", |strategy, bound| {
        found.moves(strategy, bound)
    });
    jumps(claims, skew, found, "jump-full", Count::Full);
    jumps(claims, skew, found, "jump-variance", Count::Cv);
}

/// A key that is not split is a floor under the busiest node.
fn one_key(claims: &mut Claims<'_>, skew: &Skew, found: &Found, bounded: &[(usize, Bound)]) {
    let (mut runs, mut below) = (0, 0);
    let mut floors = Vec::new();
    for (at, &zipf) in skew.zipf.iter().enumerate() {
        let by_rank = skew.by_rank(zipf);
        let total: u64 = by_rank.iter().sum();
        let floor = by_rank[0] as f64 * skew.nodes as f64 / total as f64;
        floors.push(format!("{floor:.2} (zipf {zipf})"));
        for strategy in 0..found.strategies.len() {
            let peaks = found.values(strategy, Bound::Alone, Count::Peak(at));
            runs += peaks.len();
            below += peaks.iter().filter(|&&peak| peak < floor - 1e-9).count();
        }
    }
    let holders = bounded.iter().flat_map(|it| {
        let of = |zipf| found.values(it.0, it.1, Count::Holders(zipf));
        (0..skew.zipf.len()).flat_map(of)
    });
    let holders = holders.copied().fold(1.0, f64::max);
    let measured = format!(
        "one node in {runs} of {runs} runs without a bound, {below} busiest nodes below the hottest key's share, \
         {} fair shares; with every request bounded by itself up to {holders} nodes",
        floors.join(", ")
    );
    claims.holds("one-key", measured, below == 0);
}

/// What a bound on keys does to requests.
fn keys_bound(claims: &mut Claims<'_>, skew: &Skew, found: &Found, bounded: &[(usize, Bound)]) {
    let Some(shown) = skew.factors.iter().position(|&it| it == skew.shown_factor) else {
        return claims.not_checkable("keys-bound", "", "its factor was not run");
    };
    let most = |keys: bool| {
        let of = |&(strategy, bound): &(usize, Bound)| {
            let zipfs: Vec<usize> = match bound {
                Bound::Keys(_, factor) if keys && factor == shown => (0..skew.zipf.len()).collect(),
                Bound::Requests(zipf, _, factor) if !keys && factor == shown => vec![zipf],
                _ => Vec::new(),
            };
            zipfs
                .into_iter()
                .flat_map(move |zipf| found.values(strategy, bound, Count::Peak(zipf)))
        };
        bounded.iter().flat_map(of).copied().fold(0.0, f64::max)
    };
    let (keys, requests) = (most(true), most(false));
    let measured = format!(
        "at factor {} up to {keys:.2} times the mean with keys bounded, up to {requests:.2} with requests bounded",
        skew.shown_factor
    );
    claims.holds("keys-bound", measured, keys <= skew.shown_factor + 0.01);
}

/// Whether a cost that may be of the order of 1/eps^2 grows faster than that towards factor 1.
fn growth(
    claims: &mut Claims<'_>,
    skew: &Skew,
    found: &Found,
    bounded: &[(usize, Bound)],
    id: &str,
    cost: impl Fn(usize, Bound) -> Option<f64>,
) {
    let eps = |factor: usize| skew.factors[factor] - 1.0;
    let mut worst: Option<(f64, String)> = None;
    let (mut compared, mut faster) = (0, 0);
    for &(strategy, bound) in bounded {
        let (Some((_, near)), Some(now)) = (bound.rule(), cost(strategy, bound)) else {
            continue;
        };
        for far in 0..skew.factors.len() {
            let other = match bound {
                Bound::Alone => bound,
                Bound::Keys(overflow, _) => Bound::Keys(overflow, far),
                Bound::Requests(zipf, overflow, _) => Bound::Requests(zipf, overflow, far),
            };
            if !(eps(near) > 0.0 && eps(near) < eps(far) && eps(far) <= 1.0) {
                continue;
            }
            let Some(then) = cost(strategy, other).filter(|&it| it > 0.0) else {
                continue;
            };
            let allowed = (eps(far) / eps(near)).powi(2);
            let grown = now / then;
            compared += 1;
            faster += usize::from(grown > allowed);
            if worst.as_ref().is_none_or(|it| grown / allowed > it.0) {
                let text = format!(
                    "{grown:.2} times from {} to {}, where {allowed:.1} are allowed ({}, {})",
                    skew.factors[far],
                    skew.factors[near],
                    found.strategies[strategy],
                    skew.bound_name(bound)
                );
                worst = Some((grown / allowed, text));
            }
        }
    }
    match worst {
        Some((_, text)) => {
            let measured =
                format!("faster in {faster} of {compared} pairs of factors; closest: {text}");
            claims.holds(id, measured, faster == 0);
        }
        None => claims.not_checkable(id, "", "no two factors above 1 and up to 2 were measured"),
    }
}

/// Whether the last overflow rule is better than the first wherever keys overflow at all.
fn jumps(claims: &mut Claims<'_>, skew: &Skew, found: &Found, id: &str, count: Count) {
    let last = skew.overflows.len().saturating_sub(1);
    let (mut cases, mut better) = (0, 0);
    let mut most: Option<(f64, String)> = None;
    for (strategy, spec) in found.strategies.iter().enumerate() {
        for (factor, times) in skew.factors.iter().enumerate() {
            let [forward, jump] = [Bound::Keys(0, factor), Bound::Keys(last, factor)];
            let of = |bound, count| found.mean(strategy, bound, count);
            let spill = of(forward, Count::Spill).unwrap_or(0.0);
            let (Some(walked), Some(jumped)) = (of(forward, count), of(jump, count)) else {
                continue;
            };
            if spill < SPILLS {
                continue;
            }
            cases += 1;
            better += usize::from(jumped < walked);
            let gain = walked - jumped;
            if most.as_ref().is_none_or(|it| gain > it.0) {
                let text = format!("{walked:.3} to {jumped:.3} ({spec}, factor {times})");
                most = Some((gain, text));
            }
        }
    }
    match most.filter(|_| last > 0) {
        Some((_, text)) => {
            let measured =
                format!("in {better} of {cases} cases with 1 % spilt or more; the most: {text}");
            claims.holds(id, measured, better == cases);
        }
        None => claims.not_checkable(id, "", "no strategy overflows under both rules"),
    }
}
