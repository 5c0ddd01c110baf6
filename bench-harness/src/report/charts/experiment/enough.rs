//! The points that a ring needs: the busiest node against points a node.

use super::{ENOUGH, names, note, points as of_series, series, there};
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, plural};
use crate::report::panels::{Axis, Curve};
use crate::report::pen::{GREY, Stroke};
use crate::report::plane::{self, Level, Mark, Named, Plane, Rank};
use crate::report::scale::Scale;
use crate::report::style::{Shape, Style};
use crate::report::table::Drawn;

pub(super) const POINTS: &str = "data/experiment-frontier-points.csv";

/// Colours of the sizes, from few nodes to many.
const SIZES: [&str; 6] = [
    "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#0072b2",
];

/// The busiest node against points a node.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    let table = series(cx, POINTS)?;
    let enough = there(cx.data.enough.as_ref(), ENOUGH)?;
    let mut drawn = Drawn::default();
    note(&mut drawn, enough);
    let beyond = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        let points = points.into_iter().map(|(x, peak)| (x, peak - 1.0));
        points.filter(|it| it.1 > 0.0).collect()
    };
    let (mut lines, mut marks) = (Vec::new(), Vec::new());
    for (i, nodes) in names(table, |row| &row.label).into_iter().enumerate() {
        let colour = SIZES[i % SIZES.len()];
        let mut of = |series: &str| {
            let points = of_series(&mut drawn, table, |row| {
                row.label == nodes && row.series == series
            });
            beyond(points)
        };
        let (half, most, theory) = (of("p50"), of("p95"), of("theory"));
        let dotted = |dash| Stroke {
            dash,
            ..Stroke::solid(colour, 1.1)
        };
        lines.push(Named {
            curve: Curve::plain(theory, dotted("1 3")),
            name: String::new(),
        });
        lines.push(Named {
            curve: Curve::plain(half, dotted("6 3")),
            name: String::new(),
        });
        let style = Style {
            colour,
            dash: "",
            shape: Shape::Circle,
            filled: true,
        };
        let count: u64 = nodes.parse().unwrap_or(0);
        for &(x, y) in &most {
            marks.push(Mark {
                at: (x, y),
                style,
                rank: Rank::Usual,
                hover: format!(
                    "{} at {}: {} in 95 % of deployments",
                    plural(count, "node"),
                    plural(x as u64, "point"),
                    Unit::Plain.text(y + 1.0)
                ),
                name: String::new(),
            });
        }
        for row in enough.rows.iter().filter(|it| it.nodes == count) {
            let Some(points) = row.points else {
                continue;
            };
            marks.push(Mark {
                at: (points as f64, row.limit - 1.0),
                style: Style {
                    shape: Shape::Diamond,
                    ..style
                },
                rank: Rank::Main,
                hover: format!(
                    "{}: below {} with {} a node",
                    plural(count, "node"),
                    row.limit,
                    plural(points, "point")
                ),
                name: points.to_string(),
            });
        }
        lines.push(Named {
            curve: Curve::plain(most, Stroke::solid(colour, 1.8)),
            name: plural(count, "node"),
        });
    }
    let mut limits: Vec<f64> = enough.rows.iter().map(|it| it.limit).collect();
    limits.sort_by(f64::total_cmp);
    limits.dedup();
    let all = || lines.iter().flat_map(|it| &it.curve.points);
    let levels = limits.iter().map(|&it| it - 1.0);
    let up = Scale::log(all().map(|it| it.1).chain(levels));
    let ring = enough.rows.first().map_or("the ring", |it| &it.strategy);
    let reading = format!(
        "{ring}. Lower is more even; every point costs memory. A diamond is the fewest points that keep the busiest node \
         below the dashed level, in 95 % of deployments; the number beside it says how many."
    );
    let plane = Plane {
        title: String::new(),
        across: Axis {
            title: "points a node (log axis)".to_owned(),
            scale: Scale::steps(all().map(|it| it.0)),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "busiest node above its fair share (log axis)".to_owned(),
            scale: up,
            unit: Unit::Share,
        },
        height: 400.0,
        levels: limits
            .iter()
            .map(|&limit| Level {
                at: limit - 1.0,
                name: format!("{limit} times its share"),
            })
            .collect(),
        lines,
        marks,
    };
    let dotted = |dash| {
        Sample::Line(Stroke {
            dash,
            ..Stroke::solid(GREY, 1.2)
        })
    };
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: "rm-experiment-frontier-points",
            section: Section::Experiments,
            title: "How many points a ring needs".to_owned(),
            reading,
            legend: vec![
                Legend::new(
                    Sample::Line(Stroke::solid(GREY, 1.8)),
                    "in 95 % of deployments",
                ),
                Legend::new(dotted("6 3"), "in half of them"),
                Legend::new(dotted("1 3"), "95 % by theory: shares are Beta(V, (n-1) V)"),
            ],
        },
    );
    let top = sheet.top;
    let (bottom, without) = plane::draw(&mut sheet, &plane, top);
    let notes = match without.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "Without room for its number: {}.",
            without.join(", ")
        )],
    };
    Ok(sheet.finish(cx, bottom, notes, Absent::default(), &drawn))
}
