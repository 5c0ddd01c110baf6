//! A loss that brings others down: survivors, and the busiest of them, against what a node can take.

use super::{names, of_panels, points, series};
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::figure::{Figure, Legend, Sample};
use crate::report::number::Unit;
use crate::report::panels::{Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::scale::Scale;
use crate::report::table::Drawn;

pub(super) const PATH: &str = "data/experiment-cascade-survivors.csv";

const SECOND: Stroke<'static> = Stroke {
    dash: "4 2",
    ..Stroke::solid(INK, 1.2)
};
/// What a node can take.
const CAPACITY: Stroke<'static> = Stroke {
    dash: "1 3",
    ..Stroke::solid(GREY, 1.4)
};

/// One of the two charts.
struct Chart {
    id: &'static str,
    title: &'static str,
    reading: &'static str,
    series: &'static str,
    /// A second curve, and what the legend says of it.
    second: Option<(&'static str, &'static str)>,
    up: &'static str,
    unit: Unit,
    what: &'static str,
}

/// Who survives.
pub(super) fn survivors(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-cascade-survivors",
            title: "Who survives one loss, when nodes above their capacity are lost too",
            reading: "Higher and further left is better: the less room a cluster needs above its mean load, the \
                      cheaper. Between all and nothing there is little.",
            series: "survivors",
            second: Some(("alone", "share of losses that no other followed")),
            up: "share of nodes that survive",
            unit: Unit::Share,
            what: "nodes that survive: mean over the losses, shaded from least to most",
        },
    )
}

/// What the busiest survivor holds.
pub(super) fn peak(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-cascade-peak",
            title: "What the busiest survivor of a loss holds",
            reading: "Lower is better, in means of the whole cluster before the loss; nothing stands where nobody \
                      survives. Who lies far below the dotted line has room left.",
            series: "peak",
            second: None,
            up: "load of the busiest survivor, in means before the loss (log axis)",
            unit: Unit::Plain,
            what: "busiest survivor: mean over the losses with survivors, shaded from least to most",
        },
    )
}

fn draw(cx: &Cx<'_>, chart: &Chart) -> Result<Figure, String> {
    let table = series(cx, PATH)?;
    let mut drawn = Drawn::default();
    let capacities: Vec<f64> = table.rows.iter().filter_map(|row| row.x).collect();
    let mut values = Vec::new();
    let mut panels = Vec::new();
    for spec in names(table, |row| &row.label) {
        let ours = |it: &&SeriesRow| it.label == spec && it.series == chart.series;
        let line = points(&mut drawn, table, |row| ours(&row));
        let rows = table.rows.iter().filter(ours);
        let band: Vec<(f64, f64, f64)> = rows
            .filter_map(|row| Some((row.x?, row.lo?, row.hi?)))
            .collect();
        values.extend(band.iter().flat_map(|it| [it.1, it.2]));
        let style = cx.field.style(spec);
        let detail = match (chart.unit, line.iter().find(|it| it.1 >= 0.5), line.first()) {
            (Unit::Share, Some((x, _)), _) => format!("half from {} on", Unit::Plain.text(*x)),
            (Unit::Share, None, _) => "never half".to_owned(),
            (_, _, Some((x, _))) => format!("survivors from {} on", Unit::Plain.text(*x)),
            _ => "no survivors".to_owned(),
        };
        let mut curves = Vec::new();
        if let Some((name, _)) = chart.second {
            let second = points(&mut drawn, table, |row| {
                row.label == spec && row.series == name
            });
            curves.push(Curve::plain(second, SECOND));
        }
        curves.push(Curve {
            marked: false,
            ..Curve::main(line, style)
        });
        panels.push(Panel {
            name: spec.to_owned(),
            detail,
            style,
            areas: vec![Area {
                points: band,
                fill: Fill::Tint(style.colour, 0.2),
            }],
            curves,
        });
    }
    let shares = chart.unit == Unit::Share;
    let mut references = Vec::new();
    if !shares {
        let mut line: Vec<(f64, f64)> = capacities.iter().map(|&it| (it, it)).collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        line.dedup();
        values.extend(line.iter().map(|it| it.1));
        references.push(Curve::plain(line, CAPACITY));
    }
    let panels = Panels {
        wide: false,
        across: Axis {
            title: "load that a node can take, in means before the loss (log axis)".to_owned(),
            scale: Scale::log(capacities),
            unit: Unit::Plain,
        },
        up: Axis {
            title: chart.up.to_owned(),
            scale: match shares {
                true => Scale::linear(0.0, 1.0),
                false => Scale::log(values),
            },
            unit: chart.unit,
        },
        references,
        panels,
    };
    let main = Sample::Line(Stroke::solid(GREY, 1.8));
    let mut legend = vec![Legend::new(main, chart.what)];
    if let Some((_, text)) = chart.second {
        legend.push(Legend::new(Sample::Line(SECOND), text));
    }
    if !shares {
        legend.push(Legend::new(Sample::Line(CAPACITY), "what a node can take"));
    }
    let others = Sample::Line(Stroke::solid(FAINT, 1.2));
    legend.push(Legend::new(others, "the other strategies"));
    let words = [chart.id, chart.title, chart.reading];
    Ok(of_panels(cx, words, legend, &panels, &drawn))
}
