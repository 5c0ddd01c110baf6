//! Charts of the experiments, from their series.

mod cache_storm;
mod cascade;
mod enough;
mod frontier;
mod growth;
mod java_homework;
mod node_benchmark;
mod papers;
mod replay;
mod replicas;
mod ruby_tables;
mod skew;
mod survey;
mod treemap_demo;
mod views;

use super::Draw;
use crate::experiment::Experiment;
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Section, Sheet};
use crate::report::panels::{self, Panels};
use crate::report::table::{Drawn, Keyed, Table};

/// The series that charts draw: a file of [`SeriesRow`] each.
pub(in crate::report) const SERIES: &[&str] = &[
    ruby_tables::PATH,
    node_benchmark::PATH,
    java_homework::CURVE,
    java_homework::RESONANCE,
    treemap_demo::PATH,
    cache_storm::PATH,
    skew::LOAD,
    skew::FACTOR,
    views::STEPS,
    views::SIZES,
    views::HEARD,
    replay::CURVES,
    RECOVERY,
    cascade::PATH,
    enough::POINTS,
    replicas::PATH,
    papers::FIGURE_2,
    papers::FIGURE_4,
    papers::FIGURE_12,
    papers::DRAWS,
    papers::BIAS,
    papers::REMOVALS,
    papers::BOUNDED,
    survey::MAX,
    survey::MOVED,
    growth::COUNTED,
    growth::TIMED,
];

/// What the frontier found: designs without and with their times, and the points that are enough.
pub(in crate::report) const DESIGNS: &str = "data/experiment-frontier-designs.csv";
pub(in crate::report) const TIMED_DESIGNS: &str = "data/timed-frontier-designs.csv";
pub(in crate::report) const ENOUGH: &str = "data/experiment-frontier-enough.csv";

/// What became of the backend after each event of a replay.
pub(in crate::report) const RECOVERY: &str = "data/experiment-replay-recovery.csv";

/// A chart of an experiment: its name, and the chart's title.
type Chart = (&'static str, &'static str, Draw);

/// The charts, in the order of the experiments.
const CHARTS: &[Chart] = &[
    ("ruby-tables", "Letters on nodes", ruby_tables::draw),
    (
        "node-benchmark",
        "Loads before and after",
        node_benchmark::draw,
    ),
    (
        "java-homework",
        "Standard deviation against points",
        java_homework::curve,
    ),
    (
        "java-homework",
        "Where the swings come from",
        java_homework::resonance,
    ),
    ("treemap-demo", "What a weak hash costs", treemap_demo::draw),
    ("cache-storm", "Hit rate after a change", cache_storm::draw),
    ("skew", "Hot keys and the busiest node", skew::load),
    ("skew", "What a bound sends elsewhere", skew::spill),
    ("skew", "How far what overflows goes", skew::extra),
    ("skew", "What a bound moves", skew::moves),
    (
        "views",
        "Clients that disagree, by nodes",
        views::disagreement,
    ),
    ("views", "Spread", views::spread),
    ("views", "Load", views::load),
    ("views", "Spread and load against nodes", views::sizes),
    ("views", "Misses while a change spreads", views::heard),
    ("replay", "Requests to the backend", replay::backend),
    ("replay", "The busiest node of a replay", replay::hottest),
    ("cascade", "Survivors of a loss", cascade::survivors),
    ("cascade", "The busiest survivor", cascade::peak),
    ("frontier", "How many points", enough::draw),
    (
        "frontier",
        "Bytes and the busiest node",
        frontier::bytes_peak,
    ),
    ("frontier", "Time and the busiest node", frontier::ns_peak),
    ("frontier", "Bytes and time", frontier::bytes_ns),
    ("replicas", "Sets of replicas", replicas::draw),
    ("papers", "Bucket sizes on a ring", papers::figure_2),
    ("papers", "Jump's time and its steps", papers::figure_4),
    ("papers", "What changes in a table", papers::figure_12),
    ("papers", "Draws of a look-up", papers::draws),
    ("papers", "What the newest nodes get", papers::bias),
    ("papers", "Work after removals", papers::removals),
    ("papers", "What a bound moves", papers::bounded),
    ("survey", "Max% and its noise", survey::max),
    ("survey", "Keys that move in vain", survey::moved),
    ("growth", "Work against nodes", growth::work),
    ("growth", "Bytes against nodes", growth::bytes),
    ("growth", "Look-up time against nodes", growth::lookup),
    ("growth", "Time to build against nodes", growth::build),
    ("growth", "Time to join against nodes", growth::add),
    ("growth", "Time to leave against nodes", growth::remove),
];

/// Title and chart of the experiments that were run, and of those that a whole run makes: of what is
/// only called by name nobody misses a chart.
pub(super) fn charts<'a>(cx: &'a Cx<'_>) -> impl Iterator<Item = (&'static str, Draw)> + use<'a> {
    let wanted = |name: &str| {
        let run = cx
            .data
            .experiments
            .iter()
            .any(|it| it.experiment.name == name);
        run || Experiment::find(name).is_ok_and(|it| it.in_all)
    };
    let charts = CHARTS.iter().filter(move |it| wanted(it.0));
    charts.map(|&(_, title, draw)| (title, draw))
}

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

/// A chart of panels: its id, its title and how it is read; its legend, and what is drawn.
fn of_panels(
    cx: &Cx<'_>,
    [id, title, reading]: [&'static str; 3],
    legend: Vec<Legend>,
    panels: &Panels,
    drawn: &Drawn,
) -> Figure {
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id,
            section: Section::Experiments,
            title: title.to_owned(),
            reading: reading.to_owned(),
            legend,
        },
    );
    let bottom = panels::draw(&mut sheet, panels);
    sheet.finish(cx, bottom, Vec::new(), Absent::default(), drawn)
}

/// A table, or that its experiment was not run.
fn there<'a, T>(table: Option<&'a Table<T>>, path: &str) -> Result<&'a Table<T>, String> {
    table.ok_or_else(|| format!("{path} is not there: this experiment was not run"))
}

/// Notes every row as drawn.
fn note<T: Keyed>(drawn: &mut Drawn, table: &Table<T>) {
    (0..table.rows.len()).for_each(|i| drawn.note(table, i));
}
