//! What a backend went through after each event of a replay, and how long.

use super::{Cell, Head, Table};
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::charts::RECOVERY;
use crate::report::number::Unit;

/// The experiment whose table it is.
pub(in crate::report) const OF: &str = "replay";

/// A row a strategy and event; nothing where no event was replayed.
pub(in crate::report) fn recovery(cx: &Cx<'_>) -> Option<Table> {
    let rows = &cx.data.series.get(RECOVERY)?.rows;
    let levels = rows.iter().filter(|it| it.series == "level");
    let lines: Vec<Vec<Cell>> = levels.map(|level| line(rows, level)).collect();
    (!lines.is_empty()).then(|| Table {
        title: "Recovery".to_owned(),
        caption: format!(
            "{RECOVERY}: requests a second to the backend before each event and at the worst, requests beyond the level \
             before until it is back, and seconds until it is back from the last change of the event; the mean over the \
             seeds, least and most in brackets where there are several."
        ),
        head: [
            Head::text("event"),
            Head::number("at, s"),
            Head::text("strategy"),
            Head::number("before"),
            Head::number("worst"),
            Head::number("times"),
            Head::number("requests more"),
            Head::number("back after, s"),
        ]
        .into(),
        rows: lines,
        upright: false,
    })
}

/// What became of the strategy of this row after its event.
fn line(rows: &[SeriesRow], level: &SeriesRow) -> Vec<Cell> {
    let of = |series: &str| {
        let mut rows = rows.iter();
        rows.find(|it| it.series == series && it.label == level.label && it.x == level.x)
    };
    let before = level.value.unwrap_or(f64::NAN);
    let times = of("peak").and_then(|it| it.value).map(|it| it / before);
    let times = times.filter(|it| it.is_finite());
    vec![
        Cell::plain(&level.text),
        cell(level.x, None),
        Cell::plain(&level.label),
        cell(level.value, None),
        cell(of("peak").and_then(|it| it.value), of("peak")),
        cell(times, None),
        cell(of("extra").and_then(|it| it.value), of("extra")),
        match of("seconds") {
            Some(row) if row.value.is_none() => Cell {
                tone: "bad",
                ..Cell::plain(&row.text)
            },
            row => cell(row.and_then(|it| it.value), row),
        },
    ]
}

/// A number, with its span where it has one.
fn cell(value: Option<f64>, span: Option<&SeriesRow>) -> Cell {
    let Some(value) = value else {
        return Cell::plain("");
    };
    let text = |it: f64| Unit::Plain.text(it);
    let ends = span.and_then(|it| it.lo.zip(it.hi));
    Cell::number(
        match ends.filter(|(lo, hi)| lo < hi) {
            Some((lo, hi)) => format!("{} ({} to {})", text(value), text(lo), text(hi)),
            None => text(value),
        },
        value,
    )
}
