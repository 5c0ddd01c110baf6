//! What a strategy costs to hold and to change.

use super::{both, need, passed, sorted, time};
use crate::record::TimedRow;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, plural};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::Scale;
use crate::report::table::{Drawn, Key, nearest};
use crate::report::{Cx, FOCUS};

/// Time to build the whole cluster, to add a node and to remove one.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-build-times";
    const METRICS: [(&str, &str); 3] = [
        ("build_ns", "build the whole cluster"),
        ("add_ns", "add one node"),
        ("remove_ns", "remove one node"),
    ];
    let table = need(&cx.data.build, "data/build.csv")?;
    let ours = |row: &TimedRow| METRICS.iter().any(|it| it.0 == row.metric);
    let scenario = table.main_scenario(ours);
    let nodes =
        nearest(&table.sizes(ours), FOCUS).ok_or("data/build.csv has no rows of build_ns")?;
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for series in passed(cx, cx.singles(), &mut absent) {
        let (mut cells, mut rank) = (Vec::new(), None);
        for (metric, title) in METRICS {
            let key = Key {
                scenario: &scenario,
                nodes,
                metric,
                ..Key::default()
            };
            match time(&mut drawn, table, &series, key) {
                Ok((row, at)) => {
                    let mut marks = Vec::new();
                    if let Some((lo, hi)) = both(row.lo, row.hi) {
                        marks.push(Mark::Range { lo, hi });
                        values.extend([lo, hi]);
                    }
                    marks.push(Mark::Dot {
                        at,
                        size: 3.4,
                        filled: true,
                    });
                    values.push(at);
                    rank = rank.or(Some(at));
                    let text = Unit::Nanoseconds.text(at);
                    let hover = format!("{}: {text} to {title}", series.name);
                    cells.push(Cell::new(marks, vec![text], hover));
                }
                Err(reason) => {
                    cells.push(Cell::without(&reason));
                    absent.add(&format!("{} ({metric})", series.name), reason);
                }
            }
        }
        let Some(rank) = rank else { continue };
        lines.push((rank, Line::of(&series, cells)));
    }
    let lines = sorted(lines, |line| &line.name);
    let scale = Scale::log(values);
    let columns: Vec<Column> = METRICS
        .iter()
        .map(|(_, title)| Column {
            title: (*title).to_owned(),
            scale: scale.clone(),
            unit: Unit::Nanoseconds,
            numbers: vec!["median"],
        })
        .collect();
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Build,
        title: format!("Building a cluster of {}, and changing it", plural(nodes, "node")),
        reading: "Further left is faster; the three log axes are the same. A change as slow as building means that \
                  the strategy builds anew."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "median over the rounds"),
            Legend::new(Sample::Range, "its 95 % interval (often narrower than the dot)"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}
