//! Timings of two runs: better, worse, the same, or not to be told.

use std::{collections::BTreeMap, fmt};

use crate::measure::stats::Span;
use crate::record::{ClaimRow, CriterionRow, Status, TimedRow, Verdict};

/// What became of a timing from one run to the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// Slower, by more than [`MARGIN`] whatever the true values are.
    Worse,
    /// Quicker, likewise.
    Better,
    /// The interval is too wide to tell, or there is none.
    Unsure,
    /// Within [`MARGIN`] whatever the true values are.
    Same,
}

impl Change {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 4] = [Self::Worse, Self::Better, Self::Unsure, Self::Same];

    /// Its name on the terminal.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Unsure => "unsure",
            Self::Same => "same",
        }
    }
}

/// How far a ratio may lie from 1 and count as the same. A convention: an interval knows the rounds of
/// its own run, not what differs between runs, such as addresses and what else the machine did.
pub const MARGIN: f64 = 0.15;

/// A timing of two runs, as the ratio of what each took to the load floor of its own run.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// Which timing.
    pub name: String,
    /// What became of it.
    pub change: Change,
    /// New to old: the ratio of the medians, and its interval; below 1 is quicker.
    pub ratio: Option<(f64, f64, f64)>,
    /// Why there is no ratio, or what else there is to say.
    pub why: String,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<6} ", self.change.name())?;
        match self.ratio {
            Some((ratio, lo, hi)) => write!(f, "{ratio:>6.2} [{lo:.2}, {hi:.2}]  {}", self.name)?,
            None => write!(f, "{}", self.name)?,
        }
        if !self.why.is_empty() {
            write!(f, ": {}", self.why)?;
        }
        Ok(())
    }
}

/// The timings of one run.
#[derive(Clone, Default, Debug)]
pub struct Timings<'a> {
    /// Rows of `lookup.csv` and `build.csv`.
    pub rows: Vec<&'a TimedRow>,
    /// Rows of `criterion.csv`.
    pub criterion: Vec<&'a CriterionRow>,
    /// Claims of the experiments about time, each with its experiment's name.
    pub claims: Vec<(&'a str, &'a ClaimRow)>,
}

/// The floors: what everything else is held against.
const LOAD_FLOOR: &str = "load_ns";
const HASH_FLOOR: &str = "hash_ns";

/// A timing before it is held against that of another run.
struct Timing {
    /// In load floors of its run.
    relative: Result<Span, String>,
    failed: bool,
}

impl Timings<'_> {
    /// By name; the floors are the scale and not judged.
    fn named(&self) -> BTreeMap<String, Timing> {
        let floors = self.rows.iter().filter(|row| row.metric == LOAD_FLOOR);
        let floors: BTreeMap<(&str, u64), &TimedRow> = floors
            .map(|row| ((&*row.strategy, row.nodes), *row))
            .collect();
        let in_floors = |strategy: &str, nodes, span: Option<Span>| {
            let floor = floors.get(&(strategy, nodes)).and_then(|row| span_of(row));
            let floor = floor.ok_or("there is no load floor beside it")?;
            Ok(span.ok_or("it has no interval")?.over(floor))
        };
        let mut named = BTreeMap::new();
        for row in &self.rows {
            if row.metric == LOAD_FLOOR || row.metric == HASH_FLOOR {
                continue;
            }
            let timing = Timing {
                relative: match row.status {
                    Status::Ok => in_floors(&row.strategy, row.nodes, span_of(row)),
                    _ => Err("it is not measured"),
                }
                .map_err(str::to_owned),
                failed: row.status == Status::Failed,
            };
            let scenario = &row.scenario;
            let name = format!(
                "{} {}, {} nodes, {scenario}",
                row.strategy, row.metric, row.nodes
            );
            named.insert(name, timing);
        }
        for row in &self.criterion {
            let span = Span::new(row.ns, row.lo, row.hi);
            let timing = Timing {
                relative: in_floors(&row.strategy, row.nodes, span).map_err(str::to_owned),
                failed: false,
            };
            named.insert(
                format!("{} criterion, {} nodes", row.strategy, row.nodes),
                timing,
            );
        }
        named
    }
}

fn span_of(row: &TimedRow) -> Option<Span> {
    Span::new(row.median?, row.lo?, row.hi?)
}

/// Holds every timing of the run `new` against the same one of the run `old`; the worst first.
#[must_use]
pub fn compared(old: &Timings<'_>, new: &Timings<'_>) -> Vec<Compared> {
    let (before, mut after) = (old.named(), new.named());
    let mut found = Vec::new();
    for (name, old) in before {
        found.push(match after.remove(&name) {
            Some(new) => judge(name, &old, &new),
            None => unsure(name, "only in the first run"),
        });
    }
    found.extend(
        after
            .into_keys()
            .map(|name| unsure(name, "only in the second run")),
    );
    found.extend(claims(&old.claims, &new.claims));
    let worth = |it: &Compared| it.ratio.map_or(0.0, |(ratio, ..)| ratio.ln().abs());
    found.sort_by(|a, b| {
        let order = a.change.cmp(&b.change);
        order
            .then(worth(b).total_cmp(&worth(a)))
            .then_with(|| a.name.cmp(&b.name))
    });
    found
}

fn unsure(name: String, why: &str) -> Compared {
    Compared {
        name,
        change: Change::Unsure,
        ratio: None,
        why: why.to_owned(),
    }
}

fn judge(name: String, old: &Timing, new: &Timing) -> Compared {
    if old.failed != new.failed {
        let (change, why) = match new.failed {
            true => (Change::Worse, "failed, and did not before"),
            false => (Change::Better, "failed before, and does not now"),
        };
        return Compared {
            change,
            ..unsure(name, why)
        };
    }
    match (&old.relative, &new.relative) {
        (Ok(old), Ok(new)) => {
            let ratio = new.over(*old);
            Compared {
                name,
                change: change_of(ratio.lo, ratio.hi),
                ratio: Some((ratio.median, ratio.lo, ratio.hi)),
                why: String::new(),
            }
        }
        (Err(why), _) | (_, Err(why)) => unsure(name, why),
    }
}

/// What a ratio between `lo` and `hi` says.
fn change_of(lo: f64, hi: f64) -> Change {
    let (least, most) = (1.0 / (1.0 + MARGIN), 1.0 + MARGIN);
    match () {
        () if lo > most => Change::Worse,
        () if hi < least => Change::Better,
        () if lo >= least && hi <= most => Change::Same,
        () => Change::Unsure,
    }
}

/// A claim about time gets worse when it is no longer reproduced.
fn claims(old: &[(&str, &ClaimRow)], new: &[(&str, &ClaimRow)]) -> Vec<Compared> {
    let mut found = Vec::new();
    for (experiment, before) in old {
        let same =
            |(other, it): &&(&str, &ClaimRow)| other == experiment && it.claim == before.claim;
        let Some((_, after)) = new.iter().find(same) else {
            continue;
        };
        let change = match (before.verdict, after.verdict) {
            (a, b) if a == b => Change::Same,
            (Verdict::Reproduced, _) => Change::Worse,
            (_, Verdict::Reproduced) => Change::Better,
            _ => Change::Unsure,
        };
        let why = match change {
            Change::Same => String::new(),
            _ => format!("was {}, is {}", before.verdict.name(), after.verdict.name()),
        };
        found.push(Compared {
            name: format!("{experiment}: {}", before.claim),
            change,
            ratio: None,
            why,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(metric: &str, median: f64, lo: f64, hi: f64) -> TimedRow {
        TimedRow {
            strategy: "s".to_owned(),
            hash: "h".to_owned(),
            scenario: "hex64".to_owned(),
            nodes: 10,
            metric: metric.to_owned(),
            unit: "ns a key".to_owned(),
            rounds: 30,
            median: Some(median),
            lo: Some(lo),
            hi: Some(hi),
            status: Status::Ok,
            note: String::new(),
        }
    }

    #[track_caller]
    fn check(old: &[TimedRow], new: &[TimedRow], change: Change) {
        let timings = |rows: &'_ [TimedRow]| -> Vec<TimedRow> { rows.to_vec() };
        let (old, new) = (timings(old), timings(new));
        let of = |rows| Timings {
            rows,
            ..Timings::default()
        };
        let found = compared(&of(old.iter().collect()), &of(new.iter().collect()));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].change, change, "{}", found[0]);
    }

    #[test]
    fn a_ratio_to_the_floor_is_judged_by_its_interval() {
        let floor = row("load_ns", 10.0, 9.9, 10.1);
        let with = |lookup: TimedRow| [floor.clone(), lookup];
        let old = with(row("lookup_ns", 50.0, 49.5, 50.5));
        check(&old, &old, Change::Same);
        check(
            &old,
            &with(row("lookup_ns", 70.0, 69.0, 71.0)),
            Change::Worse,
        );
        check(
            &old,
            &with(row("lookup_ns", 35.0, 34.0, 36.0)),
            Change::Better,
        );
        check(
            &old,
            &with(row("lookup_ns", 70.0, 50.0, 90.0)),
            Change::Unsure,
        );
        // The whole machine was twice as slow, and so was its floor.
        let slow = [
            row("load_ns", 20.0, 19.8, 20.2),
            row("lookup_ns", 100.0, 99.0, 101.0),
        ];
        check(&old, &slow, Change::Same);
        check(
            &old,
            &with(TimedRow {
                lo: None,
                ..row("lookup_ns", 70.0, 0.0, 71.0)
            }),
            Change::Unsure,
        );
        check(&old, &[row("lookup_ns", 70.0, 69.0, 71.0)], Change::Unsure);
        let failed = TimedRow {
            status: Status::Failed,
            ..row("lookup_ns", 50.0, 49.0, 51.0)
        };
        check(&old, &with(failed.clone()), Change::Worse);
        check(&with(failed), &old, Change::Better);
    }

    #[test]
    fn half_widths_add_up_as_squares_do() {
        let span = |median, lo, hi| Span::new(median, lo, hi).unwrap();
        // Factors of e^0.3 and e^0.4 make one of e^0.5.
        let (three, four) = (libm::exp(0.3), libm::exp(0.4));
        let ratio = span(4.0, 4.0 / three, 4.0 * four).over(span(2.0, 2.0 / three, 2.0 * four));
        assert_eq!(ratio.median, 2.0);
        assert!((ratio.lo - 2.0 / libm::exp(0.5)).abs() < 1e-12);
        assert!((ratio.hi - 2.0 * libm::exp(0.5)).abs() < 1e-12);
        let exact = span(2.0, 2.0, 2.0);
        let ratio = span(4.0, 3.0, 5.0).over(exact);
        assert!((ratio.lo - 1.5).abs() < 1e-12 && (ratio.hi - 2.5).abs() < 1e-12);
        assert!(Span::new(0.0, 0.0, 1.0).is_none() && Span::new(f64::NAN, 1.0, 2.0).is_none());
    }
}
