//! What the survey's numbers are read as, held against what their definitions give.

use std::collections::BTreeMap;

use super::{
    Lab,
    balance::{Balance, shown, square},
    memory::Memory,
    monotonicity::{Moves, Row, cut},
    timing::Timed,
};
use crate::experiment::Claims;

const ABSENT: &str = "nothing was run that it could be seen on";

/// Balance and resize balance.
pub(super) fn balance(claims: &mut Claims<'_>, lab: &Lab<'_>, rows: &[Balance]) {
    let plain = |multiplier: Option<&u64>| -> BTreeMap<usize, f64> {
        let rows = rows.iter().filter(|it| !it.resized);
        let rows = rows.filter(|it| Some(&it.multiplier) == multiplier);
        rows.map(|it| (it.nodes, it.noise.max_share.1)).collect()
    };
    let multipliers = &lab.survey.key_multipliers;
    for (id, multiplier) in [
        ("perfect-few", multipliers.first()),
        ("perfect-many", multipliers.last()),
    ] {
        let peaks: Vec<f64> = plain(multiplier).into_values().collect();
        if peaks.is_empty() {
            claims.not_checkable(id, "", ABSENT);
        } else {
            claims.numbers(id, &peaks);
        }
    }
    let few: Vec<&Balance> = rows.iter().filter(|it| shown(lab, it)).collect();
    let inside = few.iter().filter(|it| {
        let (lo, _, hi) = it.noise.max_share;
        (lo..=hi).contains(&it.theirs.max_share)
    });
    let inside = inside.count();
    let measured = format!(
        "{inside} of {} numbers lie where a perfect router's lie 90 times in 100",
        few.len()
    );
    claims.holds("apart", measured, 2 * inside < few.len());

    for (id, resized) in [("mean-balance", false), ("mean-resize", true)] {
        let ours = rows.iter().filter(|it| it.resized == resized);
        let added = ours.map(|it| (it.theirs.var / it.theirs.true_var - 1.0, it));
        // More keys wash it out, so the most that it adds is told.
        match added.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((share, row)) => {
                let measured = format!(
                    "up to {:.3} % more: {}, {} nodes, {} keys",
                    100.0 * share + 0.0,
                    lab.entries[row.entry].name,
                    row.nodes,
                    row.keys
                );
                claims.holds(id, measured, share.abs() < 1e-9);
            }
            None => claims.not_checkable(id, "", ABSENT),
        }
    }
    let first = (0..).find(|&it| square(it, 0) < 0).unwrap_or(i32::MAX);
    let measured = format!("{first} keys above the mean: {}", square(first, 0));
    claims.holds("overflow", measured, square(first, 0) >= 0);

    let more = few
        .iter()
        .filter(|it| it.theirs.most as f64 > it.theirs.max);
    let worst = few.iter().map(|it| it.theirs.most as f64 / it.theirs.max);
    let worst = worst.fold(1.0, f64::max);
    let measured = format!(
        "a node had more in {} of {} rows, up to {:.1} %",
        more.clone().count(),
        few.len(),
        100.0 * (worst - 1.0)
    );
    claims.holds("most", measured, more.count() == 0);
    normal(claims, lab, rows);
}

/// Whether keys of another distribution lie otherwise: further from the first than chance takes them.
fn normal(claims: &mut Claims<'_>, lab: &Lab<'_>, rows: &[Balance]) {
    let [first, .., last] = lab.survey.distributions[..] else {
        return claims.not_checkable("normal", "", "one distribution alone was run");
    };
    let of = |it: &&Balance, distribution| it.distribution == distribution;
    let pairs = rows.iter().filter(|it| of(it, first)).filter_map(|a| {
        let same = |b: &&Balance| {
            (b.entry, b.resized, b.multiplier, b.nodes)
                == (a.entry, a.resized, a.multiplier, a.nodes)
        };
        let b = rows.iter().filter(|it| of(it, last)).find(same)?;
        let (lo, _, hi) = a.noise.max_share;
        Some((a.theirs.max_share - b.theirs.max_share).abs() > hi - lo)
    });
    let pairs: Vec<bool> = pairs.collect();
    let apart = pairs.iter().filter(|it| **it).count();
    let measured = format!(
        "Max% differs by more than the width of the noise band in {apart} of {} pairs",
        pairs.len()
    );
    claims.holds("normal", measured, 2 * apart > pairs.len());
}

/// Monotonicity.
pub(super) fn monotonicity(claims: &mut Claims<'_>, lab: &Lab<'_>, moves: &Moves) {
    let name = |row: &Row| lab.entries[row.entry].name.as_str();
    let minimal = |row: &&Row| lab.entries[row.entry].spec.capabilities().minimal;
    let breaches = |rows: &[&Row], of: &dyn Fn(&Row) -> u64| {
        let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
        for row in rows {
            *by_name.entry(name(row)).or_default() += of(row);
        }
        let listed = by_name.into_iter().filter(|it| it.1 > 0);
        let listed: Vec<String> = listed
            .map(|(name, keys)| format!("{name} {keys}"))
            .collect();
        let keys: u64 = rows.iter().map(|it| it.keys).sum();
        match listed.is_empty() {
            true => (format!("0 of {keys} keys"), true),
            false => (format!("{} of {keys} keys", listed.join(", ")), false),
        }
    };
    let all: Vec<&Row> = moves.rows.iter().collect();
    let claimed: Vec<&Row> = moves.rows.iter().filter(minimal).collect();
    for (id, rows, of) in [
        (
            "others-minimal",
            &claimed,
            (|row| row.counts.from_others) as fn(&Row) -> u64,
        ),
        ("others", &all, |row| row.counts.from_others),
        ("others-back", &all, |row| row.counts.to_others),
        ("relocated", &all, |row| row.counts.relocated),
    ] {
        if rows.is_empty() {
            claims.not_checkable(id, "", ABSENT);
        } else {
            let (measured, none) = breaches(rows, &of);
            claims.holds(id, measured, none);
        }
    }
    let in_vain = moves.rows.iter().filter(|it| it.counts.from_others > 0);
    let worst = in_vain.max_by_key(|it| it.counts.from_others * 1_000_000 / it.keys);
    match worst {
        Some(row) => {
            let of_all = row.counts.from_others as f64 / row.keys as f64;
            let measured = format!(
                "{}, {} nodes, {} of them gone: {:.1} % of the keys that moved, {:.1} % of the keys",
                name(row),
                row.nodes,
                cut(row.nodes, row.fraction).0,
                100.0 * row.counts.share_from_others(),
                100.0 * of_all
            );
            let same = (row.counts.share_from_others() - of_all).abs() < 1e-3;
            claims.holds("share", measured, same);
        }
        None => claims.not_checkable("share", "", "nothing moves in vain"),
    }
    counted(claims, lab);
    last(claims, lab, moves);
}

/// Whether the nodes that count as removed are as many as were removed.
fn counted(claims: &mut Claims<'_>, lab: &Lab<'_>) {
    const UP_TO: usize = 1000;
    let sizes = 2..=UP_TO;
    let cells = sizes.flat_map(|n| lab.survey.fractions.iter().map(move |&it| (n, it)));
    let cells: Vec<(usize, f64)> = cells.collect();
    let wrong = cells.iter().filter(|&&(n, fraction)| {
        let (leaving, staying) = cut(n, fraction);
        leaving + staying != n
    });
    let measured = format!(
        "a survivor counts as removed at {} of {} sizes and fractions up to {UP_TO} nodes",
        wrong.clone().count(),
        cells.len()
    );
    claims.holds("counted", measured, wrong.count() == 0);
}

/// Whether the last nodes stand for any.
fn last(claims: &mut Claims<'_>, lab: &Lab<'_>, moves: &Moves) {
    let only: Vec<&str> = lab
        .entries
        .iter()
        .filter(|it| it.last_only())
        .map(|it| it.name.as_str())
        .collect();
    // What random nodes move in vain beyond what the last do, of all keys: where that is most.
    let hidden = moves.rows.iter().filter_map(|row| {
        let [_, collateral, _] = moves.ours(row)?;
        let theirs = row.counts.from_others as f64 / row.keys as f64;
        Some((collateral - theirs, theirs, collateral, row))
    });
    let most = hidden.max_by(|a, b| a.0.total_cmp(&b.0));
    let most = most.filter(|it| it.0 > 0.0);
    let mut measured = Vec::new();
    if !only.is_empty() {
        measured.push(format!(
            "{} cannot lose another than the last",
            only.join(", ")
        ));
    }
    if let Some((_, theirs, ours, row)) = &most {
        measured.push(format!(
            "{} loses {} of {} nodes: {:.1} % of the keys move in vain when the last leave, {:.1} % when any do",
            lab.entries[row.entry].name,
            cut(row.nodes, row.fraction).0,
            row.nodes,
            100.0 * theirs,
            100.0 * ours
        ));
    }
    let same = measured.is_empty();
    if same {
        measured.push("any may leave, and nothing more moves in vain".to_owned());
    }
    claims.holds("last", measured.join("; "), same);
}

/// Memory.
pub(super) fn memory(claims: &mut Claims<'_>, lab: &Lab<'_>, rows: &[Memory]) {
    let largest = lab.survey.sizes.iter().max();
    let rows = rows.iter().filter(|it| Some(&it.nodes) == largest);
    let both = rows.filter_map(|it| Some((it, it.router?, it.cluster?)));
    let shares: Vec<(f64, &str)> = both
        .map(|(row, router, cluster)| {
            let share = router as f64 / cluster as f64;
            (share, lab.entries[row.entry].name.as_str())
        })
        .collect();
    let least = shares.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let most = shares.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    match (least, most, largest) {
        (Some(least), Some(most), Some(nodes)) => {
            let measured = format!(
                "the engine is {:.1} % ({}) to {:.1} % ({}) of a cluster of {nodes}",
                100.0 * least.0,
                least.1,
                100.0 * most.0,
                most.1
            );
            claims.holds("engine", measured, least.0 >= 0.9);
        }
        _ => {
            let why = "the program does not count its allocations";
            claims.not_checkable("engine", "", why);
        }
    }
}

/// Times.
pub(super) fn times(claims: &mut Claims<'_>, lab: &Lab<'_>, times: &[Timed]) {
    let of = |benchmark: &'static str| times.iter().filter(move |it| it.benchmark() == benchmark);
    let made = of("lookup-time").filter_map(|it| Some(1.0 - it.ours("lookup_ns")? / it.ours("")?));
    match middle(made.collect()) {
        Some((least, middle, most)) => {
            let measured = format!(
                "making the key is {:.0} % of the time in the median row ({:.0} to {:.0} %), by medians",
                100.0 * middle,
                100.0 * least,
                100.0 * most
            );
            claims.holds("key", measured, middle <= 0.1);
        }
        None => claims.not_checkable("key", "", ABSENT),
    }
    let largest = lab.survey.sizes.iter().max();
    let large = of("resize-time").filter(|it| Some(&it.nodes) == largest);
    let ratios = large.filter_map(|it| Some(it.ours("remove_ns")? / it.ours("add_ns")?));
    match middle(ratios.collect()) {
        Some((least, middle, most)) => {
            let measured = format!(
                "leaving takes {least:.2} to {most:.2} times as long as joining, {middle:.2} in the median row"
            );
            claims.holds("one-number", measured, least >= 0.5 && most <= 2.0);
        }
        None => claims.not_checkable("one-number", "", ABSENT),
    }
}

/// Least, median and most.
fn middle(mut values: Vec<f64>) -> Option<(f64, f64, f64)> {
    values.sort_by(f64::total_cmp);
    let (first, last) = (values.first()?, values.last()?);
    Some((*first, values[values.len() / 2], *last))
}
