//! What is said of sets of replicas, held against what was found.

use super::{Count, Found, Replicas};
use crate::experiment::Claims;

const ABSENT: &str = "the strategies that this is said of were not run";
const NOBODY: &str = "none of the strategies that were run claims replicas";

/// By how much a mean over losses or over keys may differ from what is expected of it.
const WITHIN: f64 = 0.1;

/// Judges every claim.
pub(super) fn all(claims: &mut Claims<'_>, replicas: &Replicas, found: &Found) {
    if found.run().next().is_none() {
        for id in ["primary", "members", "mean"] {
            claims.not_checkable(id, "", NOBODY);
        }
    } else {
        loss(claims, replicas, found);
        mean(claims, replicas, found);
    }
    one_point(claims, replicas, found);
    random(claims, replicas, found);
    points(claims, replicas, found);
}

/// What a loss changes, against the least that it has to.
fn loss(claims: &mut Claims<'_>, replicas: &Replicas, found: &Found) {
    let n = replicas.nodes as f64;
    let name = |it: usize| found.strategies[it].to_string();
    let (mut least, mut most) = ((f64::INFINITY, 0), (0.0_f64, 0));
    for it in found.run() {
        let times = found.mean(it, Count::Primary).unwrap_or(0.0) * n;
        least = if times < least.0 { (times, it) } else { least };
        most = if times > most.0 { (times, it) } else { most };
    }
    let measured = format!(
        "{:.3}/n ({}) to {:.3}/n ({})",
        least.0,
        name(least.1),
        most.0,
        name(most.1)
    );
    let near = |it: f64| (it - 1.0).abs() <= WITHIN;
    claims.holds("primary", measured, near(least.0) && near(most.0));
    let needless = |it: &usize| found.mean(*it, Count::Needless).unwrap_or(0.0);
    let worst = found
        .run()
        .max_by(|a, b| needless(a).total_cmp(&needless(b)));
    let worst = worst.unwrap_or(0);
    let guilty = found.run().filter(|it| needless(it) > 0.0).count();
    let measured = match guilty {
        0 => format!("none, of {} strategies", found.run().count()),
        _ => format!(
            "of {guilty} of {} strategies; at most {:.2} % of the keys ({})",
            found.run().count(),
            100.0 * needless(&worst),
            name(worst)
        ),
    };
    claims.holds("members", measured, guilty == 0);
}

/// The mean over all failures, against the hypergeometric chance.
fn mean(claims: &mut Claims<'_>, replicas: &Replicas, found: &Found) {
    let (mut apart, mut texts) = (0.0_f64, Vec::new());
    for &failed in &replicas.failures {
        let expected = replicas.chance(failed);
        for it in found.run() {
            let mean = found.mean(it, Count::Mean(failed)).unwrap_or(0.0);
            apart = apart.max((mean / expected - 1.0).abs());
        }
        texts.push(format!("{:.4} % when {failed} fail", 100.0 * expected));
    }
    let measured = format!(
        "{}, each within {:.0e} of it",
        texts.join(", "),
        apart.max(1e-15)
    );
    claims.holds("mean", measured, apart < 1e-9);
}

/// Three in a row: two that fail share a key where they are at most two apart.
fn one_point(claims: &mut Claims<'_>, replicas: &Replicas, found: &Found) {
    let id = "one-point";
    let three = (replicas.replicas, replicas.quorum) == (3, 2);
    let hit = found
        .place(&replicas.one_point)
        .and_then(|it| found.mean(it, Count::Hit(2)));
    let Some(hit) = hit.filter(|_| three) else {
        return claims.not_checkable(id, "", ABSENT);
    };
    let expected = 4.0 / (replicas.nodes - 1) as f64;
    let measured = format!("{:.3} %, expected {:.3} %", 100.0 * hit, 100.0 * expected);
    // A short arc may hold none of the keys.
    claims.holds(id, measured, (hit / expected - 1.0).abs() <= WITHIN);
}

/// Sets as if drawn at random.
fn random(claims: &mut Claims<'_>, replicas: &Replicas, found: &Found) {
    let Some(it) = found.place(&replicas.random) else {
        return claims.not_checkable("random", "", ABSENT);
    };
    let (mut texts, mut holds) = (Vec::new(), true);
    for &failed in &replicas.failures {
        let (hit, expected) = (
            found.mean(it, Count::Hit(failed)).unwrap_or(0.0),
            replicas.random_hit(failed),
        );
        holds &= expected > 0.5 && (hit / expected - 1.0).abs() <= 0.01;
        texts.push(format!(
            "{:.2} % of the failures of {failed}, expected {:.2} %",
            100.0 * hit,
            100.0 * expected
        ));
    }
    claims.holds("random", texts.join("; "), holds);
}

/// From few points to many: more failures lose something, and each loses less.
fn points(claims: &mut Claims<'_>, replicas: &Replicas, found: &Found) {
    let places: Vec<usize> = replicas
        .points
        .iter()
        .filter_map(|it| found.place(it))
        .collect();
    let Some(&failed) = replicas.failures.first().filter(|_| places.len() > 1) else {
        return claims.not_checkable("points", "", ABSENT);
    };
    let of = |count| -> Vec<f64> {
        let values = places.iter().filter_map(|&it| found.mean(it, count));
        values.collect()
    };
    let (hits, worst) = (of(Count::Hit(failed)), of(Count::Worst(failed)));
    let percent = |values: &[f64]| {
        let texts: Vec<String> = values
            .iter()
            .map(|it| format!("{:.2}", 100.0 * it))
            .collect();
        texts.join(", ")
    };
    let measured = format!(
        "{} % of the failures of {failed} lose something; at most {} % of the keys at once",
        percent(&hits),
        percent(&worst)
    );
    let rising = hits.is_sorted_by(|a, b| a < b) && worst.is_sorted_by(|a, b| a > b);
    claims.holds("points", measured, rising);
}
