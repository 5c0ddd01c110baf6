//! Clients that know different nodes: disagreement, spread and load, and what they miss.

use super::{names, of_panels, points, series};
use crate::report::Cx;
use crate::report::figure::{Figure, Legend, Sample};
use crate::report::number::Unit;
use crate::report::panels::{Axis, Curve, Panel, Panels};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::scale::Scale;
use crate::report::table::Drawn;

pub(super) const STEPS: &str = "data/experiment-views-steps.csv";
pub(super) const SIZES: &str = "data/experiment-views-sizes.csv";
pub(super) const HEARD: &str = "data/experiment-views-heard.csv";

const SECOND: Stroke<'static> = Stroke {
    dash: "4 2",
    ..Stroke::solid(INK, 1.2)
};
const THIRD: Stroke<'static> = Stroke {
    dash: "1.5 2",
    ..Stroke::solid(INK, 1.2)
};
/// What is exact for a fixed order of preference.
const EXACT: Stroke<'static> = Stroke {
    dash: "1 3",
    ..Stroke::solid(GREY, 1.4)
};

/// A panel a strategy, up to three curves in it.
struct Chart {
    id: &'static str,
    path: &'static str,
    title: &'static str,
    reading: &'static str,
    /// Series, and what the legend says of each; the first is what the panel is about.
    curves: &'static [(&'static str, &'static str)],
    /// The series of a line that stands in every panel.
    exact: Option<&'static str>,
    across: &'static str,
    /// Whether the values across are few and far apart.
    steps: bool,
    up: &'static str,
    unit: Unit,
}

/// Against m: disagreement.
pub(super) fn disagreement(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-views-disagreement",
            path: STEPS,
            title: "How often two clients send a key to different nodes",
            reading: "Lower is better. A hash that gives each key one order of preference disagrees only where one of two \
                  clients misses what the other takes: the dotted line. Where nodes are replaced in their places, a \
                  remainder does as well.",
            curves: &[
                ("missing, disagreement", "each misses m nodes"),
                ("behind, disagreement", "up to m replacements behind"),
            ],
            exact: Some("missing, disagreement, one order"),
            across: "m",
            steps: true,
            up: "share of keys on which two clients differ",
            unit: Unit::Share,
        },
    )
}

/// Against m: spread.
pub(super) fn spread(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-views-spread",
            path: STEPS,
            title: "On how many nodes a key is, over all clients (spread)",
            reading: "Lower is better: 1 is one copy. The dotted line is exact where every key has a fixed order of \
                  preference. Who lies above it lets a key's next node depend on what else is missed, whatever it \
                  moves at one change.",
            curves: &[
                ("missing, spread", "each misses m nodes"),
                ("behind, spread", "up to m replacements behind"),
            ],
            exact: Some("missing, spread, one order"),
            across: "m",
            steps: true,
            up: "nodes that some client takes for a key's owner (log axis)",
            unit: Unit::Plain,
        },
    )
}

/// Against m: load.
pub(super) fn load(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-views-load",
            path: STEPS,
            title: "How many keys the busiest node is asked for, over all clients (load)",
            reading: "Lower is better, in fair shares of the client that knows the fewest nodes: what the busiest node \
                  has to hold once every client has asked for every key.",
            curves: &[
                ("missing, load", "each misses m nodes"),
                ("behind, load", "up to m replacements behind"),
            ],
            exact: None,
            across: "m",
            steps: true,
            up: "keys that some client gives to the busiest node, in fair shares (log axis)",
            unit: Unit::Plain,
        },
    )
}

/// Against the nodes: spread and load, with half of them missing.
pub(super) fn sizes(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-views-sizes",
            path: SIZES,
            title: "Spread and load when each client knows half of ever more nodes",
            reading: "As many clients as nodes. Both axes are logarithmic: what grows like a logarithm bends down, what \
                  is straight grows like a power of the number of nodes.",
            curves: &[
                ("half missing, spread", "spread, in nodes"),
                ("half missing, load", "load, in fair shares"),
            ],
            exact: Some("half missing, spread, one order"),
            across: "nodes",
            steps: true,
            up: "spread in nodes, load in fair shares (log axis)",
            unit: Unit::Plain,
        },
    )
}

/// Against the clients that have heard of a change: misses.
pub(super) fn heard(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-views-heard",
            path: HEARD,
            title: "What is missed while a change reaches the clients one by one",
            reading: "Lower is better. Who has not heard asks a node that is gone; the first who has heard finds an empty \
                  one. Every key is asked for once after each client has heard; in a rolling restart, the mean over \
                  the nodes.",
            curves: &[
                ("rolling", "rolling restart"),
                ("lose-random", "a node is lost"),
                ("add", "a node is added"),
            ],
            exact: None,
            across: "clients that have heard of the change",
            steps: false,
            up: "share of look-ups that miss (log axis)",
            unit: Unit::Share,
        },
    )
}

fn draw(cx: &Cx<'_>, chart: &Chart) -> Result<Figure, String> {
    let table = series(cx, chart.path)?;
    let mut drawn = Drawn::default();
    let mut of = |spec: &str, name: &str| {
        points(&mut drawn, table, |row| {
            row.label == spec && row.series == name
        })
    };
    let exact = chart.exact.map_or(Vec::new(), |name| of("", name));
    let mut all = exact.clone();
    let mut panels = Vec::new();
    for spec in names(table, |row| &row.label) {
        if spec.is_empty() {
            continue;
        }
        let style = cx.field.style(spec);
        let strokes = [Stroke::solid(style.colour, 1.8), SECOND, THIRD];
        let mut curves = Vec::new();
        let mut detail = String::new();
        for (&(name, _), stroke) in chart.curves.iter().zip(strokes) {
            let line = of(spec, name);
            all.extend(line.iter().copied());
            if curves.is_empty() {
                if let (Some(first), Some(last)) = (line.first(), line.last()) {
                    let text = |it: &(f64, f64)| chart.unit.text(it.1);
                    detail = format!("{} to {}", text(first), text(last));
                }
                curves.push(Curve {
                    marked: chart.steps,
                    ..Curve::main(line, style)
                });
            } else {
                curves.push(Curve::plain(line, stroke));
            }
        }
        // The panel's own line lies on top.
        curves.reverse();
        panels.push(Panel {
            name: spec.to_owned(),
            detail,
            style,
            areas: Vec::new(),
            curves,
        });
    }
    let across = all.iter().map(|it| it.0);
    let values = all.iter().map(|it| it.1);
    let least = across.clone().fold(f64::INFINITY, f64::min);
    let most = across.clone().fold(0.0, f64::max);
    let shares = chart.unit == Unit::Share && chart.steps;
    let panels = Panels {
        wide: false,
        across: Axis {
            title: chart.across.to_owned(),
            scale: match chart.steps {
                true => Scale::steps(across),
                false if most > least => Scale::linear(least, most),
                false => Scale::linear(0.0, 1.0),
            },
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
        references: vec![Curve::plain(exact.clone(), EXACT)],
        panels,
    };
    let samples = [Stroke::solid(GREY, 1.8), SECOND, THIRD];
    let curves = chart.curves.iter().zip(samples);
    let mut legend: Vec<Legend> = curves
        .map(|(&(_, text), stroke)| Legend::new(Sample::Line(stroke), text))
        .collect();
    if !exact.is_empty() {
        let text = "exact, for a fixed order of preference a key";
        legend.push(Legend::new(Sample::Line(EXACT), text));
    }
    legend.push(Legend::new(
        Sample::Line(Stroke::solid(FAINT, 1.2)),
        "the other strategies",
    ));
    let words = [chart.id, chart.title, chart.reading];
    Ok(of_panels(cx, words, legend, &panels, &drawn))
}
