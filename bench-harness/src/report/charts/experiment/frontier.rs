//! The frontier: designs by what two of bytes, busiest node and time they cost.

use super::{DESIGNS, TIMED_DESIGNS, note, there};
use crate::record::{DesignRow, FIELDS, TimedDesignRow, names_field};
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, plural};
use crate::report::panels::{Axis, Curve};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::plane::{self, Mark, Named, Plane, Rank};
use crate::report::scale::{Scale, usable};
use crate::report::table::Drawn;

/// The line through those that are efficient.
const STEPS: Stroke<'static> = Stroke::solid(INK, 1.4);
const PEAK: &str = "busiest node above its fair share, in 95 % of deployments (log axis, 0 apart)";
const BYTES: &str = "heap bytes a node (log axis)";
const TIME: &str = "look-up, median of the rounds (log axis)";

/// One design in one chart.
struct Dot<'a> {
    strategy: &'a str,
    sweep: &'a str,
    fields: &'a str,
    efficient: &'a str,
    at: Option<(f64, f64)>,
    hover: String,
}

/// What one of the charts shows.
struct Chart<'a> {
    id: &'static str,
    title: String,
    across: (&'static str, Unit),
    up: (&'static str, Unit),
    dots: Vec<Dot<'a>>,
}

/// Heap bytes against the busiest node.
pub(super) fn bytes_peak(cx: &Cx<'_>) -> Result<Figure, String> {
    let table = there(cx.data.designs.as_ref(), DESIGNS)?;
    let mut drawn = Drawn::default();
    note(&mut drawn, table);
    let dots = table.rows.iter().map(|row| Dot {
        strategy: &row.strategy,
        sweep: &row.sweep,
        fields: &row.fields,
        efficient: &row.efficient,
        at: row.bytes_per_node.zip(excess(row.peak)),
        hover: hover(row),
    });
    let nodes = table.rows.first().map_or(0, |it| it.nodes);
    let chart = Chart {
        id: "rm-experiment-frontier-bytes-peak",
        title: format!(
            "Bytes a node against the busiest node, at {}",
            plural(nodes, "node")
        ),
        across: (BYTES, Unit::Bytes),
        up: (PEAK, Unit::Share),
        dots: dots.collect(),
    };
    Ok(draw(cx, &chart, &drawn))
}

/// Time against the busiest node.
pub(super) fn ns_peak(cx: &Cx<'_>) -> Result<Figure, String> {
    timed(
        cx,
        [
            "rm-experiment-frontier-ns-peak",
            "Time of a look-up against the busiest node",
        ],
        ((TIME, Unit::Nanoseconds), (PEAK, Unit::Share)),
        |row| (row.lookup_ns.zip(excess(row.peak)), &row.efficient_ns_peak),
    )
}

/// Bytes against time.
pub(super) fn bytes_ns(cx: &Cx<'_>) -> Result<Figure, String> {
    timed(
        cx,
        [
            "rm-experiment-frontier-bytes-ns",
            "Bytes a node against the time of a look-up",
        ],
        ((BYTES, Unit::Bytes), (TIME, Unit::Nanoseconds)),
        |row| {
            (
                row.bytes_per_node.zip(row.lookup_ns),
                &row.efficient_ns_bytes,
            )
        },
    )
}

/// Where a row stands in a chart, and the fields in which it is efficient there.
type Spot<'a> = (Option<(f64, f64)>, &'a str);
type Axes = ((&'static str, Unit), (&'static str, Unit));

fn timed(
    cx: &Cx<'_>,
    [id, title]: [&'static str; 2],
    (across, up): Axes,
    of: fn(&TimedDesignRow) -> Spot<'_>,
) -> Result<Figure, String> {
    let table = there(cx.data.timed_designs.as_ref(), TIMED_DESIGNS)?;
    let mut drawn = Drawn::default();
    note(&mut drawn, table);
    let dots = table.rows.iter().map(|row| {
        let (at, efficient) = of(row);
        Dot {
            strategy: &row.strategy,
            sweep: &row.sweep,
            fields: &row.fields,
            efficient,
            at,
            hover: timed_hover(row),
        }
    });
    let nodes = table.rows.first().map_or(0, |it| it.nodes);
    let chart = Chart {
        id,
        title: format!("{title}, at {}", plural(nodes, "node")),
        across,
        up,
        dots: dots.collect(),
    };
    Ok(draw(cx, &chart, &drawn))
}

/// What the busiest node holds beyond its share.
fn excess(peak: Option<f64>) -> Option<f64> {
    peak.map(|it| it - 1.0)
        .filter(|it| *it >= 0.0 && usable(*it))
}

fn hover(row: &DesignRow) -> String {
    let bytes = row.bytes_per_node.map(|it| Unit::Bytes.text(it));
    let peak = row.peak.map(|it| {
        let of = plural(row.deployments, "deployment");
        let noise = match (row.noise_lo, row.noise_hi) {
            (Some(lo), Some(hi)) => {
                let [lo, hi] = [lo, hi].map(|it| Unit::Plain.text(it));
                let keys = plural(row.keys, "key");
                format!(", {keys}; evenly hashed keys alone: {lo} to {hi}")
            }
            _ => String::new(),
        };
        format!("{} ({}, {of}{noise})", Unit::Plain.text(it), row.metric)
    });
    let none = || "not measured".to_owned();
    format!(
        "{}: {} a node, busiest node {}",
        row.strategy,
        bytes.unwrap_or_else(none),
        peak.unwrap_or_else(none)
    )
}

fn timed_hover(row: &TimedDesignRow) -> String {
    let number = |value: Option<f64>, unit: Unit| {
        value.map_or("not measured".to_owned(), |it| unit.text(it))
    };
    let ns = |value| number(value, Unit::Nanoseconds);
    format!(
        "{}: {} ({} to {}; hash alone {}, with one read {}), {} a node, busiest node {}",
        row.strategy,
        ns(row.lookup_ns),
        ns(row.lo),
        ns(row.hi),
        ns(row.hash_ns),
        ns(row.load_ns),
        number(row.bytes_per_node, Unit::Bytes),
        number(row.peak, Unit::Plain)
    )
}

fn draw(cx: &Cx<'_>, chart: &Chart<'_>, drawn: &Drawn) -> Figure {
    let mut fields: Vec<&str> = Vec::new();
    for field in chart.dots.iter().flat_map(|it| it.fields.split(FIELDS)) {
        if !field.is_empty() && !fields.contains(&field) {
            fields.push(field);
        }
    }
    let legend = vec![
        Legend::new(
            Sample::Line(STEPS),
            "through the efficient of the two shown, named in bold",
        ),
        Legend::new(
            Sample::Line(Stroke::solid(GREY, 0.9)),
            "one design along its parameter",
        ),
        Legend::new(
            Sample::Line(Stroke::solid(FAINT, 3.0)),
            "cannot do what this field needs",
        ),
    ];
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: chart.id,
            section: Section::Experiments,
            title: chart.title.clone(),
            reading: "Lower and further left is better. Nothing of the field surely lies below and left of the line. The control stands in \
                      no field: it costs next to nothing, and moves nearly every key at a change."
                .to_owned(),
            legend,
        },
    );
    let values = |of: fn((f64, f64)) -> f64| chart.dots.iter().filter_map(move |it| it.at.map(of));
    let mut notes = Vec::new();
    let mut y = sheet.top;
    for field in fields {
        let axis = |(title, unit): (&str, Unit), scale| Axis {
            title: title.to_owned(),
            scale,
            unit,
        };
        let (main, others) = lines(cx, chart, field);
        let plane = Plane {
            title: format!("Field: {field}"),
            across: axis(chart.across, Scale::log(values(|it| it.0))),
            up: axis(chart.up, Scale::log(values(|it| it.1))),
            height: 250.0,
            levels: Vec::new(),
            lines: others.into_iter().chain([main]).collect(),
            marks: marks(cx, chart, field),
        };
        let (bottom, without) = plane::draw(&mut sheet, &plane, y);
        if !without.is_empty() {
            notes.push(format!(
                "Efficient too ({field}), without room for a name: {}.",
                without.join(", ")
            ));
        }
        y = bottom + 8.0;
    }
    let unknown = chart.dots.iter().filter(|it| it.at.is_none());
    let unknown: Vec<&str> = unknown.map(|it| it.strategy).collect();
    if !unknown.is_empty() {
        notes.push(format!("Not measured: {}.", unknown.join(", ")));
    }
    sheet.finish(cx, y - 8.0, notes, Absent::default(), drawn)
}

/// The steps of the efficient ones, and each sweep that has a part in the field.
fn lines(cx: &Cx<'_>, chart: &Chart<'_>, field: &str) -> (Named, Vec<Named>) {
    let unnamed = |curve| Named {
        curve,
        name: String::new(),
    };
    let ours = || chart.dots.iter().filter(|it| names_field(it.fields, field));
    let mut best: Vec<(f64, f64)> = ours()
        .filter(|it| names_field(it.efficient, field))
        .filter_map(|it| it.at)
        .collect();
    best.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (x, y) in best {
        if let Some(&(_, before)) = steps.last() {
            steps.push((x, before));
        }
        steps.push((x, y));
    }
    let mut sweeps: Vec<&str> = Vec::new();
    for dot in ours().filter(|it| !it.sweep.is_empty()) {
        if !sweeps.contains(&dot.sweep) {
            sweeps.push(dot.sweep);
        }
    }
    let sweeps = sweeps.into_iter().filter_map(|sweep| {
        let dots: Vec<&Dot<'_>> = ours().filter(|it| it.sweep == sweep).collect();
        let colour = cx.field.style(dots.first()?.strategy).colour;
        let line = dots.iter().filter_map(|it| it.at).collect();
        Some(unnamed(Curve::plain(line, Stroke::solid(colour, 0.9))))
    });
    let sweeps = sweeps.collect();
    (unnamed(Curve::plain(steps, STEPS)), sweeps)
}

/// Every design: the efficient by their specs, others by the name of the strategy, once each.
fn marks(cx: &Cx<'_>, chart: &Chart<'_>, field: &str) -> Vec<Mark> {
    let best = |dot: &Dot<'_>| names_field(dot.efficient, field);
    let mut told: Vec<&str> = Vec::new();
    let mut marks = Vec::new();
    // The last step of a sweep has its name, so the search for it goes backwards.
    for dot in chart.dots.iter().rev() {
        let Some(at) = dot.at else {
            continue;
        };
        let ours = names_field(dot.fields, field);
        let name = match dot.strategy.split_once(':') {
            Some((name, _)) if !dot.sweep.is_empty() => name,
            _ => dot.strategy,
        };
        let control = dot.fields.is_empty();
        let rank = match (ours, best(dot)) {
            (true, true) => Rank::Main,
            (true, false) => Rank::Usual,
            (false, _) if control => Rank::Usual,
            (false, _) => Rank::Faint,
        };
        let name = match rank {
            Rank::Main => dot.strategy,
            Rank::Usual if !told.contains(&name) => {
                told.push(name);
                name
            }
            _ => "",
        };
        marks.push(Mark {
            at,
            style: cx.field.style(dot.strategy),
            rank,
            hover: dot.hover.clone(),
            name: name.to_owned(),
        });
    }
    merged(marks)
}

/// Names of marks in the same place, in one.
fn merged(mut marks: Vec<Mark>) -> Vec<Mark> {
    for i in 0..marks.len() {
        for j in 0..i {
            if marks[i].at == marks[j].at
                && marks[i].rank == marks[j].rank
                && !marks[i].name.is_empty()
                && !marks[j].name.is_empty()
            {
                let name = std::mem::take(&mut marks[j].name);
                let both = format!("{} = {name}", marks[i].name);
                marks[i].name = both;
            }
        }
    }
    marks
}
