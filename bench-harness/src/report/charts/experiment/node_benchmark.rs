//! The load of every node, before and after one leaves.

use super::{names, points, series};
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::panels::{self, Axis, Curve, Panel, Panels};
use crate::report::pen::{GREY, INK, Stroke};
use crate::report::scale::Scale;
use crate::report::table::Drawn;

pub(super) const PATH: &str = "data/experiment-node-benchmark-loads.csv";

/// A panel a program: nodes in order of load.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-node-benchmark-loads";
    const AFTER: Stroke<'static> = Stroke {
        dash: "3 2",
        ..Stroke::solid(INK, 1.2)
    };
    let table = series(cx, PATH)?;
    let mut drawn = Drawn::default();
    let (mut panels, mut loads) = (Vec::new(), Vec::new());
    for name in names(table, |row| &row.series) {
        let Some(spec) = name.strip_suffix(", before") else {
            continue;
        };
        let mut ranked = |when: &str| {
            let wanted = format!("{spec}, {when}");
            let found = points(&mut drawn, table, |row| row.series == wanted);
            let mut loads: Vec<f64> = found.into_iter().map(|it| it.1).collect();
            loads.sort_by(|a, b| b.total_cmp(a));
            loads
        };
        let (before, after) = (ranked("before"), ranked("after"));
        let most = |loads: &[f64]| Unit::Plain.text(loads.first().copied().unwrap_or(0.0));
        let detail = format!("most {} keys, after {}", most(&before), most(&after));
        loads.extend(before.iter().chain(&after).copied());
        let line = |loads: Vec<f64>| (1..).map(f64::from).zip(loads).collect::<Vec<_>>();
        let style = cx.field.style(spec);
        panels.push(Panel {
            name: spec.to_owned(),
            detail,
            style,
            areas: Vec::new(),
            curves: vec![
                Curve {
                    marked: false,
                    ..Curve::main(line(before), style)
                },
                Curve::plain(line(after), AFTER),
            ],
        });
    }
    let most_nodes = panels
        .iter()
        .flat_map(|it| &it.curves)
        .map(|it| it.points.len())
        .max();
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "nodes, from the most loaded down".to_owned(),
            scale: Scale::linear(1.0, most_nodes.unwrap_or(2).max(2) as f64),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "keys on the node (log axis)".to_owned(),
            scale: Scale::log(loads),
            unit: Unit::Plain,
        },
        references: Vec::new(),
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Experiments,
        title: "What a node's leaving does to the others, without and with virtual nodes".to_owned(),
        reading: "Flatter is more even. With one point a node the load of the one that leaves falls on a single \
                  other; with many points it is shared out, and the line hardly moves."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "before"),
            Legend::new(Sample::Line(AFTER), "after"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}
