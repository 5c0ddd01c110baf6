//! What a look-up does, counted.

use super::{need, passed, sorted, value};
use crate::record::Row;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, plural};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::{Drawn, Key, nearest};
use crate::report::{Cx, FOCUS};

/// Hash evaluations and probes: counted, the same on every machine.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-lookup-work";
    const METRICS: [(&str, &str); 2] = [
        ("hash_evals", "hash evaluations a look-up (log axis)"),
        ("probes", "probes a look-up (log axis)"),
    ];
    let table = need(&cx.data.work, "data/work.csv")?;
    let counted = |row: &Row| METRICS.iter().any(|it| it.0 == row.metric);
    let scenario = table.main_scenario(counted);
    let nodes = nearest(&table.sizes(counted), FOCUS)
        .ok_or("data/work.csv has no rows of hash_evals or probes")?;
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values) = (Vec::new(), [Vec::new(), Vec::new()]);
    for series in passed(cx, cx.singles(), &mut absent) {
        let mut cells = Vec::new();
        let mut rank = None;
        for (i, (metric, _)) in METRICS.iter().enumerate() {
            let key = Key {
                scenario: &scenario,
                change: "none",
                nodes,
                metric,
                ..Key::default()
            };
            match value(&mut drawn, table, &series, key) {
                Ok((row, at)) => {
                    values[i].push(at);
                    rank = Some(at);
                    let expected = row.expected.filter(|&it| usable(it));
                    values[i].extend(expected);
                    let mut marks = vec![Mark::Dot {
                        at,
                        size: 3.6,
                        filled: true,
                    }];
                    marks.extend(expected.map(|at| Mark::Tick { at, heavy: false }));
                    let text = Unit::Plain.tick(format!("{at:.2e}").parse().unwrap_or(at));
                    let hover = format!("{}: {text} {metric}", series.name);
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
    let columns: Vec<Column> = METRICS
        .iter()
        .zip(values)
        .map(|((_, title), values)| Column {
            title: (*title).to_owned(),
            scale: Scale::log(values),
            unit: Unit::Plain,
            numbers: vec!["mean"],
        })
        .collect();
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Lookup,
        title: format!("What a look-up does among {}", plural(nodes, "node")),
        reading: "Further left is less work. Counted, not timed, so it is the same on every machine: how often a \
                  hash is evaluated, and how many places of the strategy's own state are looked at."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "mean over the keys"),
            Legend::new(Sample::Tick, "what theory expects, where the strategy states it"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}
