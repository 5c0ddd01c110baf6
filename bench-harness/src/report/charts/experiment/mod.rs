//! Charts of the experiments, from their series.

mod cache_storm;
mod java_homework;
mod node_benchmark;
mod ruby_tables;
mod treemap_demo;

use super::Draw;
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::table::{Drawn, Table};

/// The series that charts draw: a file of [`SeriesRow`] each.
pub(in crate::report) const SERIES: &[&str] = &[
    ruby_tables::PATH,
    node_benchmark::PATH,
    java_homework::CURVE,
    java_homework::RESONANCE,
    treemap_demo::PATH,
    cache_storm::PATH,
];

/// Title and chart, in the order of the experiments.
pub(super) const CHARTS: &[(&str, Draw)] = &[
    ("Letters on nodes", ruby_tables::draw),
    ("Loads before and after", node_benchmark::draw),
    ("Standard deviation against points", java_homework::curve),
    ("Where the swings come from", java_homework::resonance),
    ("What a weak hash costs", treemap_demo::draw),
    ("Hit rate after a change", cache_storm::draw),
];

/// The series at `path`, or the reason why a chart of it is left out.
fn series<'a>(cx: &Cx<'a>, path: &str) -> Result<&'a Table<SeriesRow>, String> {
    let found = cx.data.series.get(path);
    found.ok_or_else(|| format!("{path} is not there: this experiment was not run"))
}

/// The points of the rows that `of` accepts, in order; those that cannot be drawn are left out.
fn points(
    drawn: &mut Drawn,
    table: &Table<SeriesRow>,
    of: impl Fn(&SeriesRow) -> bool,
) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for (i, row) in table.rows.iter().enumerate().filter(|(_, row)| of(row)) {
        drawn.note(table, i);
        points.extend(row.x.zip(row.value));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// The different values of `field`, in the order in which they first appear.
fn names<'a>(
    table: &'a Table<SeriesRow>,
    field: impl Fn(&'a SeriesRow) -> &'a str,
) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in table.rows.iter().map(field) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
