//! What a look-up, a change, building and memory cost against the number of nodes, with the laws.

use super::{names, of_panels, points, series};
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::figure::{Figure, Legend, Sample};
use crate::report::number::Unit;
use crate::report::panels::{Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::scale::{Scale, usable};
use crate::report::table::{Drawn, Table};

pub(super) const COUNTED: &str = "data/experiment-growth-costs.csv";
pub(super) const TIMED: &str = "data/timed-growth-costs.csv";

const LAW: Stroke<'static> = Stroke {
    dash: "4 3",
    ..Stroke::solid(INK, 1.1)
};
/// What a random load costs.
const FLOOR: Stroke<'static> = Stroke {
    dash: "1 2.5",
    ..Stroke::solid(GREY, 1.6)
};

/// A chart of one cost, or of two of which a strategy's law is about one.
struct Chart {
    id: &'static str,
    path: &'static str,
    title: &'static str,
    reading: &'static str,
    costs: &'static [&'static str],
    floor: bool,
    up: &'static str,
    unit: Unit,
}

pub(super) fn work(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-growth-work",
            path: COUNTED,
            title: "What a look-up does, against the number of nodes",
            reading: "Lower and flatter is better. Counted, so it is the same on every machine: hash evaluations or \
                      probes, whichever the law is about, the mean over 1000 keys (fewer of a scan). A line that \
                      runs along its law grows as it should.",
            costs: &["hash_evals", "probes"],
            floor: false,
            up: "hash evaluations or probes a look-up (log axis)",
            unit: Unit::Plain,
        },
    )
}

pub(super) fn bytes(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-growth-bytes",
            path: COUNTED,
            title: "What a router holds, against the number of nodes",
            reading: "Lower is better. Heap bytes of a newly built router, without the list of members. Who keeps \
                      nothing but who bucket i is has 4 bytes a node; a ring has 8 to 15 for each of its points.",
            costs: &["bytes"],
            floor: false,
            up: "heap bytes of the router (log axis)",
            unit: Unit::Bytes,
        },
    )
}

pub(super) fn lookup(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-growth-lookup",
            path: TIMED,
            title: "What a look-up takes, against the number of nodes",
            reading: "Lower and flatter is better. The dotted line is the floor: the strategy's hash and one random \
                      load from a table of as many entries, of the same rounds. Where both bend upwards together it \
                      is the caches, not the algorithm.",
            costs: &["lookup"],
            floor: true,
            up: "a look-up (log axis)",
            unit: Unit::Nanoseconds,
        },
    )
}

pub(super) fn build(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-growth-build",
            path: TIMED,
            title: "What building a router takes, against the number of nodes",
            reading: "Lower is better. The router alone, of members that are there.",
            costs: &["build"],
            floor: false,
            up: "building (log axis)",
            unit: Unit::Nanoseconds,
        },
    )
}

pub(super) fn add(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-growth-add",
            path: TIMED,
            title: "What it takes when a node joins, against the number of nodes",
            reading: "Lower and flatter is better. The router alone, told that a node which left has come back, behind \
                      all others.",
            costs: &["add"],
            floor: false,
            up: "one node joins (log axis)",
            unit: Unit::Nanoseconds,
        },
    )
}

pub(super) fn remove(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-growth-remove",
            path: TIMED,
            title: "What it takes when a node leaves, against the number of nodes",
            reading: "Lower and flatter is better. The router alone, told that the node in the middle has left; the last \
                      one where no other may.",
            costs: &["remove"],
            floor: false,
            up: "one node leaves (log axis)",
            unit: Unit::Nanoseconds,
        },
    )
}

fn draw(cx: &Cx<'_>, chart: &Chart) -> Result<Figure, String> {
    let table = series(cx, chart.path)?;
    let mut drawn = Drawn::default();
    let (mut sizes, mut values) = (Vec::new(), Vec::new());
    let mut panels = Vec::new();
    for spec in names(table, |row| &row.label) {
        let of = |cost: &&&str| {
            let law = format!("{cost} law");
            let mut rows = table.rows.iter();
            rows.any(|row| row.label == spec && row.series == law)
        };
        let all = || chart.costs.iter();
        let Some(cost) = all().find(of).or(all().last()) else {
            continue;
        };
        let mut line = |name: &str| {
            let mut line = points(&mut drawn, table, |row| {
                row.label == spec && row.series == name
            });
            line.retain(|it| usable(it.1));
            line
        };
        let measured = line(cost);
        let law = line(&format!("{cost} law"));
        let floor = match chart.floor {
            true => line("load"),
            false => Vec::new(),
        };
        let ours = |row: &&SeriesRow| row.label == spec && row.series == *cost;
        let band: Vec<(f64, f64, f64)> = table
            .rows
            .iter()
            .filter(ours)
            .filter_map(|row| Some((row.x?, row.lo?, row.hi?)))
            .filter(|it| usable(it.1) && usable(it.2))
            .collect();
        for &(x, y) in measured.iter().chain(&law).chain(&floor) {
            sizes.push(x);
            values.push(y);
        }
        values.extend(band.iter().flat_map(|it| [it.1, it.2]));
        let style = cx.field.style(spec);
        panels.push(Panel {
            name: spec.to_owned(),
            detail: detail(&mut drawn, table, spec, cost),
            style,
            areas: vec![Area {
                points: band,
                fill: Fill::Tint(style.colour, 0.25),
            }],
            curves: vec![
                Curve::plain(floor, FLOOR),
                Curve::main(measured, style),
                Curve::plain(law, LAW),
            ],
        });
    }
    let timed = chart.path == TIMED;
    let mut legend = vec![Legend::new(
        Sample::Line(Stroke::solid(GREY, 1.8)),
        match timed {
            true => "median, shaded its 95 % interval",
            false => "counted",
        },
    )];
    legend.push(Legend::new(
        Sample::Line(LAW),
        "the law that its source states, through the sizes of the fit",
    ));
    if chart.floor {
        let text = "its hash and one random load";
        legend.push(Legend::new(Sample::Line(FLOOR), text));
    }
    let others = Sample::Line(Stroke::solid(FAINT, 1.2));
    legend.push(Legend::new(others, "the other strategies"));
    let panels = Panels {
        wide: false,
        across: Axis {
            title: "nodes (log axis)".to_owned(),
            scale: Scale::log(sizes),
            unit: Unit::Plain,
        },
        up: Axis {
            title: chart.up.to_owned(),
            scale: match chart.unit {
                // A million does not fit beside the axis.
                Unit::Plain => Scale::log(values).ticked(vec![1.0, 1e1, 1e2, 1e3, 1e4, 1e5]),
                _ => Scale::log(values),
            },
            unit: chart.unit,
        },
        references: Vec::new(),
        panels,
    };
    let words = [chart.id, chart.title, chart.reading];
    Ok(of_panels(cx, words, legend, &panels, &drawn))
}

/// The power that was fitted, and the law's.
fn detail(drawn: &mut Drawn, table: &Table<SeriesRow>, spec: &str, cost: &str) -> String {
    let mut row = |name: String| {
        let mut rows = table.rows.iter().enumerate();
        let (i, row) = rows.find(|(_, row)| row.label == spec && row.series == name)?;
        drawn.note(table, i);
        Some((row.value?, row.text.as_str()))
    };
    let power = |value: f64| match format!("{value:.2}").as_str() {
        "-0.00" => "0.00".to_owned(),
        text => text.to_owned(),
    };
    let name = |law: &str| match law {
        "1" => "constant".to_owned(),
        law => law.to_owned(),
    };
    let (fit, law) = (row(format!("{cost} fit")), row(format!("{cost} law fit")));
    match (fit, law) {
        (Some((fit, _)), Some((law, text))) => {
            format!("n^{} ({}: n^{})", power(fit), name(text), power(law))
        }
        (Some((fit, _)), None) => format!("n^{}", power(fit)),
        _ => "too few sizes for a power".to_owned(),
    }
}
