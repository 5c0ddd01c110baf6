//! What the documents say of a cache whose nodes change, held against what was found.

use super::{Found, Kind};
use crate::{experiment::Claims, measure::stats};

/// No node was lost while requests came in.
const NO_LOSS: &str = "no node is lost in this log, with a level before it";
const NO_CONTROL: &str = "the control was not run";
const NO_OTHER: &str = "no strategy that moves no more than it must was run";

/// Chance with which equals are called unlike, over all strategies.
const UNLIKE: f64 = 0.01;

/// Judges every claim; `control` is the spec that stands for doing nothing about change.
pub(super) fn all(claims: &mut Claims<'_>, control: &str, found: &Found) {
    let control = found
        .kept()
        .find(|&it| found.strategies[it].to_string() == control);
    let minimal: Vec<usize> = found
        .kept()
        .filter(|&it| found.strategies[it].capabilities().minimal)
        .collect();
    let group = found.first(Kind::Loss).filter(|&at| {
        found
            .kept()
            .any(|it| !found.values(it, at, |_, _| 0.0).is_empty())
    });
    match (group, control) {
        (None, _) => claims.not_checkable("storm", "", NO_LOSS),
        (_, None) => claims.not_checkable("storm", "", NO_CONTROL),
        (Some(group), Some(control)) => storm(claims, found, group, control),
    }
    match (group, control) {
        (None, _) => claims.not_checkable("later", "", NO_LOSS),
        (_, None) => claims.not_checkable("later", "", NO_CONTROL),
        _ if minimal.is_empty() => claims.not_checkable("later", "", NO_OTHER),
        (Some(group), Some(control)) => later(claims, found, group, control, &minimal),
    }
    match group {
        None => {
            claims.not_checkable("only-lost", "", NO_LOSS);
            claims.not_checkable("alike", "", NO_LOSS);
        }
        _ if minimal.is_empty() => {
            claims.not_checkable("only-lost", "", NO_OTHER);
            claims.not_checkable("alike", "", NO_OTHER);
        }
        Some(group) => {
            only_lost(claims, found, group, &minimal);
            alike(claims, found, group, &minimal);
        }
    }
    restart(claims, found, control, &minimal);
}

/// What share of the requests reached the backend in the worst window.
fn storm(claims: &mut Claims<'_>, found: &Found, group: usize, control: usize) {
    let of = |pick: fn(&super::Recovery) -> f64| {
        let shares = found.runs.iter().filter_map(|run| {
            let recovery = run.served[control].recoveries[group].as_ref()?;
            let window = (run.groups[group].first / run.width) as usize;
            Some(pick(recovery) / run.requests.get(window)?)
        });
        stats::mean(&shares.collect::<Vec<_>>()).unwrap_or(0.0)
    };
    let (before, worst) = (of(|it| it.level), of(|it| it.peak));
    let measured = format!(
        "{:.1} % of the requests in the worst window, {:.1} % before",
        100.0 * worst,
        100.0 * before
    );
    claims.holds("storm", measured, worst > 0.5);
}

/// What reaches the backend beyond the level before, against what the lost node was asked.
fn only_lost(claims: &mut Claims<'_>, found: &Found, group: usize, minimal: &[usize]) {
    let (mut runs, mut above, mut most) = (0, 0, 0.0_f64);
    for run in &found.runs {
        for &strategy in minimal {
            let served = &run.served[strategy];
            let Some(recovery) = &served.recoveries[group] else {
                continue;
            };
            let (rise, lost) = (recovery.peak - recovery.level, served.lost[group]);
            // The peak is the highest of many windows, each with the noise of its count.
            let noise = 4.0 * (recovery.peak / run.width).sqrt();
            runs += 1;
            above += usize::from(rise > lost + noise);
            if lost > 0.0 {
                most = most.max(rise / lost);
            }
        }
    }
    let measured =
        format!("more in {above} of {runs} runs; at most {most:.2} of what it was asked");
    claims.holds("only-lost", measured, above == 0);
}

/// Whether the control is back later than the others, in every world.
fn later(claims: &mut Claims<'_>, found: &Found, group: usize, control: usize, minimal: &[usize]) {
    let seconds =
        |strategy| found.values(strategy, group, |it, _| it.seconds.unwrap_or(f64::INFINITY));
    let ours = seconds(control);
    let (mut least, mut most, mut sooner, mut runs) = (f64::INFINITY, 0.0_f64, 0, 0);
    for &strategy in minimal {
        for (own, other) in ours.iter().zip(seconds(strategy)) {
            (least, most) = (least.min(other), most.max(other));
            runs += 1;
            sooner += usize::from(other < *own);
        }
    }
    let text = |it: f64| match it.is_finite() {
        true => format!("{it:.0} s"),
        false => "not within the log".to_owned(),
    };
    let slowest = ours.iter().copied().fold(0.0, f64::max);
    let measured = format!(
        "{}, the slowest of its runs; the others {} to {}, sooner in {sooner} of {runs} runs",
        text(slowest),
        text(least),
        text(most)
    );
    claims.holds("later", measured, sooner == runs);
}

/// Whether what a loss costs differs among designs by more than from seed to seed.
fn alike(claims: &mut Claims<'_>, found: &Found, group: usize, minimal: &[usize]) {
    let costs: Vec<Vec<f64>> = minimal
        .iter()
        .map(|&it| found.values(it, group, |recovery, lost| recovery.extra / lost))
        .collect();
    let worlds = found.runs.len();
    if worlds < 3 || costs.len() < 2 {
        let why = "chance is told by three seeds and two designs at least: a log is one";
        return claims.not_checkable("alike", "", why);
    }
    let (unlike, measured) = compare(&costs);
    let unlike: Vec<String> = unlike
        .iter()
        .map(|&at| found.strategies[minimal[at]].to_string())
        .collect();
    let holds = unlike.is_empty();
    let measured = match holds {
        true => measured,
        false => format!("{measured}; unlike: {}", unlike.join(", ")),
    };
    claims.holds("alike", measured, holds);
}

/// The places of those whose values differ from the median of the others, seed by seed, by more than
/// chance; and all means in words.
fn compare(costs: &[Vec<f64>]) -> (Vec<usize>, String) {
    let worlds = costs.iter().map(Vec::len).min().unwrap_or(0);
    let unlike = (0..costs.len()).filter(|&at| {
        let apart: Vec<f64> = (0..worlds)
            .map(|world| {
                let others = costs.iter().enumerate().filter(|it| it.0 != at);
                let others: Vec<f64> = others.map(|(_, it)| it[world]).collect();
                costs[at][world] - stats::median_interval(&others).map_or(0.0, |it| it.0)
            })
            .collect();
        let p = stats::t_test(&apart, 0.0).map_or(1.0, |(_, p)| p);
        p < UNLIKE / costs.len() as f64
    });
    let means: Vec<f64> = costs.iter().filter_map(|it| stats::mean(it)).collect();
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let most = means.iter().copied().fold(0.0, f64::max);
    let words = format!(
        "{least:.1} to {most:.1} requests for each a second that the lost node had, {} designs",
        costs.len()
    );
    (unlike.collect(), words)
}

/// What a rolling restart costs the control and the others.
fn restart(claims: &mut Claims<'_>, found: &Found, control: Option<usize>, minimal: &[usize]) {
    let id = "restart";
    let Some(group) = found.first(Kind::Restart) else {
        return claims.not_checkable(id, "", "no node restarts in this log");
    };
    let extra = |it: usize| stats::mean(&found.values(it, group, |recovery, _| recovery.extra));
    let Some(ours) = control.and_then(extra) else {
        return claims.not_checkable(id, "", NO_CONTROL);
    };
    let mut others: Vec<f64> = minimal.iter().filter_map(|&it| extra(it)).collect();
    others.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (others.first(), others.last()) else {
        return claims.not_checkable(id, "", NO_OTHER);
    };
    let median = stats::nearest_rank(&others, 0.5);
    let measured = format!(
        "{ours:.0} requests more than before; the others {least:.0} to {most:.0}, median {median:.0}"
    );
    claims.holds(id, measured, ours <= 1.1 * median);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_differs_by_more_than_chance_is_named() {
        let noise = [0.3, -0.2, 0.1, -0.4, 0.2];
        let of = |mean: f64, turn: usize| -> Vec<f64> {
            (0..5)
                .map(|world| mean + noise[(world + turn) % 5])
                .collect()
        };
        let equals: Vec<Vec<f64>> = (0..4).map(|turn| of(20.0, turn)).collect();
        assert_eq!(compare(&equals).0, [] as [usize; 0]);
        let mut one_apart = equals;
        one_apart[2] = of(30.0, 2);
        assert_eq!(compare(&one_apart).0, [2]);
    }
}
