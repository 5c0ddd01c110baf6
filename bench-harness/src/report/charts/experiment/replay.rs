//! A replayed log: what reaches the backend, and what the busiest node gets, second by second.

use super::{names, of_panels, points, series};
use crate::report::Cx;
use crate::report::figure::{Figure, Legend, Sample};
use crate::report::number::Unit;
use crate::report::panels::{Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{FAINT, GREY, Stroke};
use crate::report::scale::Scale;
use crate::report::table::Drawn;

pub(super) const CURVES: &str = "data/experiment-replay-curves.csv";

/// When something happened.
const EVENT: Stroke<'static> = Stroke {
    dash: "2 2",
    ..Stroke::solid("#8c959f", 0.9)
};
/// What one cache of all bytes would send on, or all requests.
const REFERENCE: Stroke<'static> = Stroke {
    dash: "1 2",
    ..Stroke::solid(GREY, 1.2)
};

/// One of the two charts.
struct Chart {
    id: &'static str,
    title: &'static str,
    reading: &'static str,
    series: &'static str,
    up: &'static str,
    /// The series of the line that stands in every panel, and what the legend says of it.
    reference: Option<(&'static str, &'static str)>,
}

/// What reaches the backend.
pub(super) fn backend(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-replay-backend",
            title: "Requests that reach the backend, while nodes are lost, come back and restart",
            reading: "Lower is better. Caches are empty at first, so the beginning shows what losing everything costs. \
                      The axis is logarithmic: a step of the same height is the same factor.",
            series: "backend",
            up: "requests a second to the backend (log axis)",
            reference: Some(("floor", "one cache with the bytes of all nodes")),
        },
    )
}

/// What the busiest node gets.
pub(super) fn hottest(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-replay-hottest",
            title: "Requests to the busiest node of a replay",
            reading: "Lower is better: what one node has to serve, hits and misses together. It holds the hottest keys, \
                      which no design splits, and its share of the rest.",
            series: "hottest",
            up: "requests a second to the busiest node (log axis)",
            reference: None,
        },
    )
}

fn draw(cx: &Cx<'_>, chart: &Chart) -> Result<Figure, String> {
    let table = series(cx, CURVES)?;
    let mut drawn = Drawn::default();
    let mut reference = Vec::new();
    if let Some((name, _)) = chart.reference {
        reference = points(&mut drawn, table, |row| row.series == name);
    }
    let mut values: Vec<f64> = reference.iter().map(|it| it.1).collect();
    let events = table.rows.iter().filter(|it| it.series == "event");
    // The window of the first event, which may begin before it.
    let first = events.clone().filter_map(|row| row.x).reduce(f64::min);
    let curves = table.rows.iter().filter(|it| it.series == chart.series);
    let starts = curves.filter_map(|row| row.x);
    let first = first.map_or(f64::INFINITY, |first| {
        starts.filter(|it| *it <= first).fold(0.0, f64::max)
    });
    let mut most = 0.0_f64;
    let mut panels = Vec::new();
    for spec in names(table, |row| &row.label) {
        if spec.is_empty() {
            continue;
        }
        let ours = |it: &&crate::record::SeriesRow| it.label == spec && it.series == chart.series;
        let line = points(&mut drawn, table, |row| ours(&row));
        let rows = table.rows.iter().filter(ours);
        let band = rows.filter_map(|row| Some((row.x?, row.lo?, row.hi?)));
        let band: Vec<(f64, f64, f64)> = band.filter(|it| it.1 < it.2).collect();
        values.extend(line.iter().map(|it| it.1));
        values.extend(band.iter().flat_map(|it| [it.1, it.2]));
        most = line.last().map_or(most, |it| most.max(it.0));
        let after = line.iter().filter(|it| it.0 >= first);
        let worst = after.map(|it| it.1).fold(0.0, f64::max);
        let style = cx.field.style(spec);
        let main = Curve {
            marked: false,
            stroke: Stroke::solid(style.colour, 1.3),
            ..Curve::main(line, style)
        };
        panels.push(Panel {
            name: spec.to_owned(),
            detail: match first.is_finite() {
                true => format!("at worst {} after an event", Unit::Plain.text(worst)),
                false => String::new(),
            },
            style,
            areas: vec![Area {
                points: band,
                fill: Fill::Tint(style.colour, 0.25),
            }],
            curves: vec![main],
        });
    }
    // The ends of an axis of its own, for lines from top to bottom.
    let up = Scale::log(values.iter().copied());
    let least = values.iter().copied().filter(|&it| it > 0.0);
    let least = least.fold(f64::INFINITY, f64::min);
    let top = values.iter().copied().fold(0.0, f64::max);
    let mut references = vec![Curve::plain(reference, REFERENCE)];
    for (i, row) in table.rows.iter().enumerate() {
        if let ("event", Some(at)) = (row.series.as_str(), row.x) {
            drawn.note(table, i);
            references.push(Curve::plain(vec![(at, least), (at, top)], EVENT));
        }
    }
    let events: Vec<String> = events
        .filter_map(|row| Some(format!("{} at {} s", row.text, Unit::Plain.tick(row.x?))))
        .collect();
    let panels = Panels {
        wide: false,
        across: Axis {
            title: "seconds since the first request".to_owned(),
            scale: Scale::linear(0.0, if most > 0.0 { most } else { 1.0 }),
            unit: Unit::Plain,
        },
        up: Axis {
            title: chart.up.to_owned(),
            scale: up,
            unit: Unit::Plain,
        },
        references,
        panels,
    };
    let mut legend = vec![Legend::new(
        Sample::Line(Stroke::solid(GREY, 1.3)),
        "mean over the seeds, shaded from least to most",
    )];
    if let Some((_, text)) = chart.reference {
        legend.push(Legend::new(Sample::Line(REFERENCE), text));
    }
    let others = Sample::Line(Stroke::solid(FAINT, 1.2));
    legend.push(Legend::new(others, "the other strategies"));
    if !events.is_empty() {
        legend.push(Legend::new(Sample::Line(EVENT), events.join("; ")));
    }
    let words = [chart.id, chart.title, chart.reading];
    Ok(of_panels(cx, words, legend, &panels, &drawn))
}
