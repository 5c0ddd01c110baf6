//! The paper's claims, held against what was found.

use router::Role;

use super::{Case, Count, Found, Views};
use crate::experiment::Claims;

/// Judges every claim.
pub(super) fn all(claims: &mut Claims<'_>, views: &Views, found: &Found) {
    // The paper calls a hash function consistent when more nodes take keys from the others and
    // change nothing else: what `minimal` claims.
    let consistent = |strategy: usize| {
        let it = found.strategies[strategy].capabilities();
        it.minimal && !it.knows_load
    };
    let strategies = || 0..found.strategies.len();
    let consistent: Vec<usize> = strategies().filter(|&it| consistent(it)).collect();
    growth(claims, views, found, &consistent, "spread", Count::Spread);
    growth(claims, views, found, &consistent, "load", Count::Load);
    let control = |it: &usize| found.strategies[*it].strategy().role == Role::Control;
    let control: Vec<usize> = strategies().filter(control).collect();
    remainder(claims, views, found, &control, &consistent);
    order(claims, views, found, &consistent);
    smooth(claims, views, found, &consistent);
}

/// How much a count grows from the fewest nodes to the most, with half of them missing.
fn grown(views: &Views, found: &Found, strategy: usize, count: Count) -> Option<(f64, f64)> {
    let of = |n: Option<&usize>| found.mean(strategy, Case::Half(*n?), count);
    let (first, last) = (of(views.sizes.iter().min()), of(views.sizes.iter().max()));
    first.filter(|&it| it > 0.0).zip(last)
}

/// How much the logarithm of the nodes grows.
fn logarithm(views: &Views) -> f64 {
    let log = |n: Option<&usize>| libm::log(n.map_or(f64::NAN, |&n| n as f64));
    log(views.sizes.iter().max()) / log(views.sizes.iter().min())
}

/// The fewest and the most nodes, in words.
fn range(views: &Views) -> String {
    let end = |n: Option<&usize>| n.copied().unwrap_or(0);
    let (least, most) = (views.sizes.iter().min(), views.sizes.iter().max());
    format!("from {} to {} nodes", end(least), end(most))
}

/// Whether a count grows no faster than the logarithm of the nodes.
fn growth(
    claims: &mut Claims<'_>,
    views: &Views,
    found: &Found,
    consistent: &[usize],
    id: &str,
    count: Count,
) {
    let logarithm = logarithm(views);
    let allowed = logarithm * (1.0 + views.tolerance);
    let rows = consistent.iter().filter_map(|&strategy| {
        let (first, last) = grown(views, found, strategy, count)?;
        Some((
            last / first,
            first,
            last,
            found.strategies[strategy].to_string(),
        ))
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some((_, first, last, spec)) = rows.first() else {
        return claims.not_checkable(id, "", "no consistent hash was run");
    };
    let over: Vec<String> = rows
        .iter()
        .filter(|it| it.0 > allowed)
        .map(|it| format!("{} ({:.2} times)", it.3, it.0))
        .collect();
    let measured = format!(
        "{}: {first:.2} to {last:.2} for {spec}, which grows most; the logarithm grows {logarithm:.2} times; faster than that \
         and {} %: {}",
        range(views),
        100.0 * views.tolerance,
        if over.is_empty() {
            "none".to_owned()
        } else {
            over.join(", ")
        }
    );
    claims.holds(id, measured, over.is_empty());
}

/// Whether the control's spread grows faster than the logarithm of the nodes.
fn remainder(
    claims: &mut Claims<'_>,
    views: &Views,
    found: &Found,
    control: &[usize],
    consistent: &[usize],
) {
    let spread = |&strategy: &usize| grown(views, found, strategy, Count::Spread);
    let others = consistent.iter().filter_map(spread).map(|it| it.1);
    let others = others.reduce(f64::max);
    match (control.iter().find_map(spread), others) {
        (Some((first, last)), Some(others)) => {
            let measured = format!(
                "{}: {first:.2} to {last:.2} nodes a key, where the logarithm grows {:.2} times; the most of any \
                 consistent hash: {others:.2}",
                range(views),
                logarithm(views)
            );
            let allowed = logarithm(views) * (1.0 + views.tolerance);
            claims.holds("remainder", measured, last / first > allowed);
        }
        _ => claims.not_checkable(
            "remainder",
            "",
            "a remainder and a consistent hash were not run both",
        ),
    }
}

/// Whether the spread is that of one order of preference a key, in every case of missing nodes.
fn order(claims: &mut Claims<'_>, views: &Views, found: &Found, consistent: &[usize]) {
    let mut worst: Option<(f64, String)> = None;
    let mut apart: Vec<String> = Vec::new();
    for &strategy in consistent {
        let spec = found.strategies[strategy].to_string();
        let mut most = 0.0;
        for &m in &views.steps {
            let (_, exact) = super::one_order(views.nodes, m, views.clients);
            let Some(spread) = found.mean(strategy, Case::Missing(m), Count::Spread) else {
                continue;
            };
            let off = (spread / exact - 1.0).abs();
            most = f64::max(most, off);
            if worst.as_ref().is_none_or(|it| off > it.0) {
                let text =
                    format!("{spec} with {m} missing, {spread:.2} where {exact:.2} is expected");
                worst = Some((off, text));
            }
        }
        if most > views.tolerance {
            apart.push(spec);
        }
    }
    let Some((_, text)) = worst else {
        return claims.not_checkable("order", "", "no consistent hash was run");
    };
    let measured = format!(
        "within {} % for {} of {}; farthest: {text}",
        100.0 * views.tolerance,
        consistent.len() - apart.len(),
        consistent.len()
    );
    claims.holds("order", measured, apart.is_empty());
}

/// Whether a change of every node in turn makes no more look-ups miss than it must.
fn smooth(claims: &mut Claims<'_>, views: &Views, found: &Found, consistent: &[usize]) {
    let place = views.changes.iter().position(|it| *it == views.smooth);
    let case = Case::Change(place.unwrap_or(usize::MAX));
    let rows = consistent.iter().filter_map(|&strategy| {
        let misses = found.mean(strategy, case, Count::Misses)?;
        let least = found.mean(strategy, case, Count::Least)?;
        Some((
            misses / least,
            misses,
            least,
            found.strategies[strategy].to_string(),
        ))
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some((times, misses, least, spec)) = rows.first() else {
        return claims.not_checkable("smooth", "", "no consistent hash was run");
    };
    let measured = format!(
        "{}: at most {:.3} % of the look-ups of a restart of all nodes ({spec}), where {:.3} % must, {times:.3} times",
        views.smooth,
        100.0 * misses,
        100.0 * least
    );
    claims.holds("smooth", measured, *times <= 1.0 + views.tolerance);
}
