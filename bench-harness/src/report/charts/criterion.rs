//! Two ways to time a look-up: criterion's beside ours.

use super::{both, find, need, passed, sorted, time};
use crate::record::CriterionRow;
use crate::report::Cx;
use crate::report::absent::{Absent, Reason};
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::{Drawn, Key, nearest};

/// criterion's estimates beside ours.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-lookup-criterion";
    let theirs = need(&cx.data.criterion, "data/criterion.csv")?;
    let drawable = |row: &CriterionRow| usable(row.ns);
    let nodes =
        nearest(&theirs.sizes(drawable), 100).ok_or("data/criterion.csv has no estimates")?;
    let table = cx.data.lookup.as_ref();
    let scenario = table.map_or(String::new(), |table| {
        table.main_scenario(|row| row.metric == "lookup_ns")
    });
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for series in passed(cx, cx.singles(), &mut absent) {
        let key = Key {
            nodes,
            ..Key::default()
        };
        let row = find(&mut drawn, theirs, &series, key).filter(|row| usable(row.ns));
        let Some(row) = row else {
            absent.add(&series.name, Reason::NoRow);
            continue;
        };
        let mut marks = Vec::new();
        let (mut number, mut ratio) = ("not measured".to_owned(), String::new());
        let key = Key {
            scenario: &scenario,
            nodes,
            metric: "lookup_ns",
            ..Key::default()
        };
        let own = table.and_then(|table| time(&mut drawn, table, &series, key).ok());
        if let Some((timed, at)) = own {
            if let Some((lo, hi)) = both(timed.lo, timed.hi) {
                marks.push(Mark::Range { lo, hi });
                values.extend([lo, hi]);
            }
            marks.push(Mark::Dot {
                at,
                size: 3.8,
                filled: true,
            });
            values.push(at);
            number = Unit::Nanoseconds.text(at);
            if at > 0.0 {
                ratio = Unit::Plain.text(row.ns / at);
            }
        }
        marks.push(Mark::Tick {
            at: row.ns,
            heavy: false,
        });
        values.push(row.ns);
        let theirs = Unit::Nanoseconds.text(row.ns);
        let interval = both(Some(row.lo), Some(row.hi)).map(|(lo, hi)| {
            let (lo, hi) = (Unit::Nanoseconds.text(lo), Unit::Nanoseconds.text(hi));
            format!(" ({lo} to {hi})")
        });
        let interval = interval.unwrap_or_default();
        let hover = format!(
            "{}: ours {number}, criterion's {theirs}{interval}",
            series.name
        );
        lines.push((
            row.ns,
            Line::of(
                &series,
                vec![Cell::new(marks, vec![number, theirs, ratio], hover)],
            ),
        ));
    }
    let lines = sorted(lines, |line| &line.name);
    let columns = [Column {
        title: "time a look-up (log axis)".to_owned(),
        scale: Scale::log(values),
        unit: Unit::Nanoseconds,
        numbers: vec!["ours", "criterion", "ratio"],
    }];
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Lookup,
        title: format!("criterion's estimate beside ours, {} nodes", count(nodes)),
        reading: "Two ways to time the same look-up. They should agree; where they do not, neither number should be \
                  cited without saying which it is."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "ours: median over interleaved rounds, 95 % interval"),
            Legend::new(Sample::Tick, "criterion's estimate"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}
