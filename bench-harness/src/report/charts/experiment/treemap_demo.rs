//! What a weak hash costs a ring.

use super::{names, points, series};
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::panels::{self, Axis, Curve, Panel, Panels};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::scale::Scale;
use crate::report::table::Drawn;

pub(super) const PATH: &str = "data/experiment-treemap-demo-hashes.csv";

/// A panel a hash: the spread of the shares and that of numbered keys, against the nodes.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-treemap-demo-hashes";
    const KEYS: Stroke<'static> = Stroke {
        dash: "3 2",
        ..Stroke::solid(INK, 1.2)
    };
    const THEORY: Stroke<'static> = Stroke {
        dash: "1.5 2",
        ..Stroke::solid(GREY, 1.2)
    };
    let table = series(cx, PATH)?;
    let mut drawn = Drawn::default();
    let theory = points(&mut drawn, table, |row| row.series == "random points");
    let (mut panels, mut all) = (Vec::new(), theory.clone());
    for hash in names(table, |row| &row.label) {
        let mut of = |series: &str| {
            points(&mut drawn, table, |row| {
                row.label == hash && row.series == series
            })
        };
        let (shares, keys) = (of("shares"), of("keys"));
        let last = |line: &[(f64, f64)]| line.last().map_or(f64::NAN, |it| it.1);
        let nodes = shares.last().map_or(0.0, |it| it.0);
        let detail = format!(
            "{} and {} at {} nodes",
            Unit::Plain.text(last(&shares)),
            Unit::Plain.text(last(&keys)),
            Unit::Plain.tick(nodes)
        );
        all.extend(shares.iter().chain(&keys));
        let style = cx.field.style(hash);
        panels.push(Panel {
            name: hash.to_owned(),
            detail,
            style,
            areas: Vec::new(),
            curves: vec![Curve::main(shares, style), Curve::plain(keys, KEYS)],
        });
    }
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "nodes".to_owned(),
            scale: Scale::steps(all.iter().map(|it| it.0)),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "standard deviation in fair shares (log axis)".to_owned(),
            scale: Scale::log(all.iter().map(|it| it.1)),
            unit: Unit::Plain,
        },
        references: vec![Curve::plain(theory, THEORY)],
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Experiments,
        title: "One ring under seven hashes, on nodes called node-1, node-2 and so on".to_owned(),
        reading: "Lower is more even. A hash that mixes gives what random points give, whatever the names; one that does \
                  not puts the points of node-1 to node-n, or the keys user0, user1, in heaps."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "exact shares of the nodes"),
            Legend::new(Sample::Line(KEYS), "numbered keys on the nodes"),
            Legend::new(Sample::Line(THEORY), "shares of random points, by theory"),
            Legend::new(Sample::Line(Stroke::solid(FAINT, 1.2)), "the other hashes"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}
