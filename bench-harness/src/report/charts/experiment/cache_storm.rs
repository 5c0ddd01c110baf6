//! The hit rate of caches after a server is lost, added or replaced.

use super::{names, points, series};
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::panels::{self, Axis, Curve, Panel, Panels};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::scale::Scale;
use crate::report::table::Drawn;

pub(super) const PATH: &str = "data/experiment-cache-storm-hits.csv";

/// A panel a strategy, a line a change.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-cache-storm-hits";
    const ADD: Stroke<'static> = Stroke {
        dash: "4 2",
        ..Stroke::solid(INK, 1.2)
    };
    const REPLACE: Stroke<'static> = Stroke {
        dash: "1.5 2",
        ..Stroke::solid(INK, 1.2)
    };
    let table = series(cx, PATH)?;
    let mut drawn = Drawn::default();
    let (mut panels, mut most) = (Vec::new(), 1.0_f64);
    for strategy in names(table, |row| &row.label) {
        let mut of = |change: &str| {
            points(&mut drawn, table, |row| {
                row.label == strategy && row.series == change
            })
        };
        let (lose, add, replace) = (of("lose"), of("add"), of("replace"));
        let first = |line: &[(f64, f64)]| line.first().map_or(f64::NAN, |it| it.1);
        let at = lose.first().map_or(0.0, |it| it.0);
        let detail = format!(
            "{} of the first {}",
            Unit::Share.text(first(&lose)),
            Unit::Plain.text(at)
        );
        let ends = lose.iter().chain(&add).chain(&replace).map(|it| it.0);
        most = ends.fold(most, f64::max);
        let style = cx.field.style(strategy);
        let main = Curve {
            marked: false,
            ..Curve::main(lose, style)
        };
        panels.push(Panel {
            name: strategy.to_owned(),
            detail,
            style,
            areas: Vec::new(),
            curves: vec![main, Curve::plain(add, ADD), Curve::plain(replace, REPLACE)],
        });
    }
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "requests since the change".to_owned(),
            scale: Scale::linear(0.0, most),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "share of requests that hit".to_owned(),
            scale: Scale::linear(0.0, 1.0),
            unit: Unit::Share,
        },
        references: Vec::new(),
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Experiments,
        title: "How caches recover when one of their servers is lost, added or replaced".to_owned(),
        reading: "Higher is better; what is missing to 100 % goes to the database. Every key was cached before the \
                  change, and what is missed is cached again, so the line climbs as popular keys return."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "one of five lost"),
            Legend::new(Sample::Line(ADD), "a sixth added"),
            Legend::new(Sample::Line(REPLACE), "one replaced"),
            Legend::new(Sample::Line(Stroke::solid(FAINT, 1.2)), "the other strategies, one lost"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}
