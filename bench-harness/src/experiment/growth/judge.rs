//! Laws held against powers: what is counted against its law itself, what is timed against its law and
//! the growth of the load floor.

use super::{Cost, Found, Growth, law::Power, tables::short};
use crate::experiment::Claims;

const ABSENT: &str = "the strategy that this is said of was not run";
const FEW: &str = "it has a value at fewer than three of the sizes that a power is fitted to";

/// Judges every claim.
pub(super) fn all(claims: &mut Claims<'_>, growth: &Growth, found: &Found) {
    for strategy in &growth.strategies {
        let ours = |it: &super::Entry| {
            let said = it.said.as_ref();
            said.is_some_and(|it| it.name == strategy.name)
        };
        let place = found.entries.iter().position(ours);
        for (what, cost) in [("lookup", strategy.counts), ("bytes", Cost::Bytes)] {
            let id = format!("{}-{what}", strategy.name);
            match place {
                Some(place) => counted(claims, found, &id, place, cost),
                None => claims.not_checkable(&id, "", ABSENT),
            }
        }
    }
    for cost in [Cost::Lookup, Cost::Build, Cost::Add, Cost::Remove] {
        timed(claims, found, cost);
    }
}

/// A law of what is counted: the power is the law's.
fn counted(claims: &mut Claims<'_>, found: &Found, id: &str, place: usize, cost: Cost) {
    let powers = found.power(place, cost).zip(found.law_power(place, cost));
    let Some((power, (_, law))) = powers else {
        return claims.not_checkable(id, "", FEW);
    };
    let values = found.values(place, cost);
    let (first, last) = (at(&values, power.from), at(&values, power.to));
    let measured = format!(
        "n^{} where the law has n^{}: {first} {} at {} nodes, {last} at {}",
        short(power.exponent),
        short(law),
        match cost {
            Cost::Bytes => "bytes",
            Cost::HashEvals => "hash evaluations",
            _ => "probes",
        },
        power.from,
        power.to
    );
    claims.apart(id, measured, power.exponent - law);
}

/// The value at this size, as it is shown.
fn at(values: &[(u64, f64)], n: u64) -> String {
    let found = values.iter().find(|it| it.0 == n);
    let value = found.map_or(f64::NAN, |it| it.1);
    match value.fract() == 0.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.2}"),
    }
}

/// Times: none grows faster than its law times what a random load grows by. Faster is where the whole
/// interval of the power is above.
fn timed(claims: &mut Claims<'_>, found: &Found, cost: Cost) {
    let id = format!("time-{}", cost.name());
    let mut excesses = Vec::new();
    for (place, entry) in found.entries.iter().enumerate() {
        if let Some((excess, law)) = excess(found, place, cost) {
            excesses.push((entry.label(), law, excess));
        }
    }
    let most = excesses.iter().map(|it| it.2.lo());
    let Some(most) = most.reduce(f64::max) else {
        return claims.not_checkable(&id, "", FEW);
    };
    let allowed = claims.within(&id);
    let beyond = excesses.iter().filter(|it| it.2.lo() > allowed);
    let beyond: Vec<String> = beyond
        .map(|(label, law, excess)| {
            let power = short(excess.exponent);
            let (lo, hi) = (short(excess.lo()), short(excess.hi()));
            format!("{label} n^{power} ({lo} to {hi}) above {law} and the floor")
        })
        .collect();
    let of = excesses.len();
    let measured = match beyond.is_empty() {
        true => format!("none of {of}"),
        false => format!("{} of {of}: {}", beyond.len(), beyond.join("; ")),
    };
    claims.apart(&id, measured, most.max(0.0));
}

/// What is left of a time's growth when its law and its load floor are taken off, and the law's name.
fn excess(found: &Found, place: usize, cost: Cost) -> Option<(Power, &'static str)> {
    let (law, laws) = found.law(place, cost)?;
    // Who has no look-ups timed at a size has no floor there; then the last one that there is stands.
    let floors = found.values(place, Cost::Load);
    let over = |((n, ns), (_, law)): ((u64, f64), (u64, f64))| {
        let floor = floors.iter().rev().find(|it| it.0 <= n)?.1;
        Some((n, ns / law / floor))
    };
    let left: Vec<(u64, f64)> = found
        .values(place, cost)
        .into_iter()
        .zip(laws)
        .filter_map(over)
        .collect();
    Some((Power::of(&left, found.fit_from)?, law.name()))
}
