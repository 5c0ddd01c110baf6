//! The charts, in the order in which the pages show them.

mod build;
mod busiest;
mod clients;
mod criterion;
mod evenness;
mod experiment;
mod lookup;
mod memory;
mod movement;
mod points;
mod race;
mod ring;
mod survival;
mod swap;
mod views;
mod work;

use super::Cx;
use super::absent::{Absent, Reason, drawable, drawable_time};
use super::field::Series;
use super::figure::{Figure, LeftOut, Section};
use super::pen::Stroke;
use super::scale::usable;
use super::scope::Scope;
use super::style::CONTROL;
use super::table::{Drawn, Key, Keyed, Table};
use crate::record::{Row, Status, TimedRow};

pub(super) use experiment::{DESIGNS, ENOUGH, RECOVERY, SERIES, TIMED_DESIGNS};

/// Draws a chart, or says why it cannot be drawn from these data.
type Draw = fn(&Cx<'_>) -> Result<Figure, String>;

const CHARTS: &[(Section, &str, Draw)] = &[
    (Section::Overview, "Keys that move", movement::overview),
    (Section::Overview, "The busiest node", busiest::draw),
    (
        Section::Overview,
        "Surviving the loss of a node",
        survival::draw,
    ),
    (Section::Overview, "Look-up time", lookup::overview),
    (Section::Balance, "Evenness", evenness::draw),
    (Section::Balance, "Evenness by key set", evenness::key_sets),
    (
        Section::Balance,
        "Evenness of requests",
        evenness::popularity,
    ),
    (
        Section::Balance,
        "Evenness against points a node",
        points::draw,
    ),
    (Section::Balance, "The ring itself", ring::draw),
    (
        Section::Movement,
        "Removing more and more nodes",
        movement::curve,
    ),
    (Section::Movement, "Clients that disagree", views::draw),
    (
        Section::Lookup,
        "Look-up time against nodes",
        lookup::against_nodes,
    ),
    (Section::Lookup, "Work a look-up", work::draw),
    (Section::Lookup, "criterion beside ours", criterion::draw),
    (Section::Build, "Building and changing", build::draw),
    (Section::Build, SWAP, swap::draw),
    (Section::Build, "Bytes a node", memory::draw),
    (
        Section::Race,
        "Ours beside other people's crates",
        race::draw,
    ),
    (Section::Clients, "Who agrees with whom", clients::draw),
    (
        Section::Clients,
        "A node that fails, and one taken off the list",
        clients::losses,
    ),
];

/// The chart of look-ups during changes, which only a run that was asked for them has.
const SWAP: &str = "Look-ups while nodes change";

/// The line of the control, in the panels of the others.
const CONTROL_LINE: Stroke = Stroke {
    dash: "1.5 2",
    ..Stroke::solid(CONTROL, 1.2)
};

/// Draws all charts; those that cannot be drawn come with the reason.
pub(super) fn all(cx: &Cx<'_>) -> (Vec<Figure>, Vec<LeftOut>) {
    let (mut figures, mut left_out) = (Vec::new(), Vec::new());
    let experiments = experiment::charts(cx);
    let experiments = experiments.map(|(title, draw)| (Section::Experiments, title, draw));
    let charts = CHARTS.iter().copied();
    let charts = charts.filter(|it| it.1 != SWAP || cx.data.swap.is_some());
    for (section, title, draw) in charts.chain(experiments) {
        match draw(cx) {
            Ok(figure) => figures.push(figure),
            Err(why) => left_out.push(LeftOut {
                section,
                title,
                why,
            }),
        }
    }
    (figures, left_out)
}

/// What stands on the page of a family, where it can be drawn.
const OF_A_FAMILY: [Draw; 5] = [
    movement::overview,
    busiest::draw,
    survival::draw,
    evenness::draw,
    lookup::overview,
];

/// The charts of one family; what cannot be drawn is said where everybody is shown.
pub(super) fn of_family(cx: &Cx<'_>, family: &str) -> Vec<Figure> {
    let cx = Cx {
        scope: Scope::Family(family),
        ..*cx
    };
    OF_A_FAMILY
        .iter()
        .filter_map(|draw| draw(&cx).ok())
        .collect()
}

/// The table, or the reason why a chart of it is left out.
fn need<'a, T>(table: &'a Option<Table<T>>, path: &str) -> Result<&'a Table<T>, String> {
    let absent = || format!("{path} is not there: this run did not measure it");
    table.as_ref().ok_or_else(absent)
}

/// Those that passed their contract; the others are said to have failed.
fn passed<'a>(cx: &Cx<'_>, series: Vec<Series<'a>>, absent: &mut Absent) -> Vec<Series<'a>> {
    series
        .into_iter()
        .filter(|it| match cx.field.failure(it.members[0]) {
            Some(why) => {
                absent.add(&it.name, Reason::Failed(why));
                false
            }
            None => true,
        })
        .collect()
}

/// The row of the first member of `series` that has one; `key` without its strategy.
fn find<'a, T: Keyed>(
    drawn: &mut Drawn,
    table: &'a Table<T>,
    series: &Series<'_>,
    key: Key<'_>,
) -> Option<&'a T> {
    series.members.iter().find_map(|entry| {
        let strategy = entry.label.as_str();
        drawn.take(table, Key { strategy, ..key })
    })
}

/// The mean of that row, if it can be drawn.
///
/// A strategy that refuses a situation has one row there that says why, under whichever metric
/// comes first; one that cannot even be built has it under no change.
pub(super) fn value<'a>(
    drawn: &mut Drawn,
    table: &'a Table<Row>,
    series: &Series<'_>,
    key: Key<'_>,
) -> Result<(&'a Row, f64), Reason> {
    let refused = |row: &Row| matches!(row.status, Status::Unsupported | Status::OverBudget);
    let mut row = find(drawn, table, series, key);
    for change in [key.change, "none"] {
        let strategy = series.members[0].label.as_str();
        let key = Key {
            strategy,
            change,
            ..key
        };
        row = row.or_else(|| drawn.take_any(table, key, refused));
    }
    let row = drawable(row)?;
    Ok((row, row.mean.unwrap_or_default()))
}

/// The median of that timing, if it can be drawn.
pub(super) fn time<'a>(
    drawn: &mut Drawn,
    table: &'a Table<TimedRow>,
    series: &Series<'_>,
    key: Key<'_>,
) -> Result<(&'a TimedRow, f64), Reason> {
    let refused = |row: &TimedRow| matches!(row.status, Status::Unsupported | Status::OverBudget);
    let row = find(drawn, table, series, key).or_else(|| {
        let strategy = series.members[0].label.as_str();
        drawn.take_any(table, Key { strategy, ..key }, refused)
    });
    let row = drawable_time(row)?;
    Ok((row, row.median.unwrap_or_default()))
}

/// Both ends, where both can be drawn.
fn both(lo: Option<f64>, hi: Option<f64>) -> Option<(f64, f64)> {
    let end = |value: Option<f64>| value.filter(|&it| usable(it));
    Some((end(lo)?, end(hi)?))
}

/// The items by rising value, equal ones by name.
fn sorted<T>(mut items: Vec<(f64, T)>, name: impl Fn(&T) -> &str) -> Vec<T> {
    items.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| name(&a.1).cmp(name(&b.1))));
    items.into_iter().map(|(_, item)| item).collect()
}

/// Names of series that are more even than chance on structured keys.
#[derive(Default)]
struct Structured(Vec<String>);

impl Structured {
    fn note(&mut self, name: &str, row: &Row) {
        if row.status == Status::Structured && !self.0.iter().any(|it| it == name) {
            self.0.push(name.to_owned());
        }
    }

    fn sentence(self) -> Option<String> {
        (!self.0.is_empty()).then(|| {
            format!(
                "Structured keys under a hash that does not mix: more even than chance here, which says \
                 nothing about other keys: {}.",
                self.0.join(", ")
            )
        })
    }
}
