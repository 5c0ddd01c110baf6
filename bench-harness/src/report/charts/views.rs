//! What clients do that know different nodes.

use super::{both, need, passed, sorted, value};
use crate::record::Row;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count, plural};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::{Drawn, Key, nearest};
use crate::report::{Cx, FOCUS};

const PATH: &str = "data/views.csv";

/// Change, metric, title and unit of each column.
const COLUMNS: [(&str, &str, &str, Unit); 3] = [
    (
        "missing-2",
        "view_disagreement",
        "two clients, each missing 2 nodes: keys on which they differ",
        Unit::Share,
    ),
    (
        "missing-2",
        "view_load",
        "keys that any of them sends to the busiest node, in fair shares",
        Unit::Plain,
    ),
    (
        "rolling",
        "stale_misses",
        "rolling restart, heard of one by one: look-ups that miss",
        Unit::Share,
    ),
];

/// Disagreement, load and stale misses side by side.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    let table = need(&cx.data.views, PATH)?;
    let ours = |row: &Row| COLUMNS.iter().any(|it| it.1 == row.metric);
    let scenario = table.main_scenario(ours);
    let nodes = nearest(&table.sizes(ours), FOCUS).ok_or(format!("{PATH} has no rows of views"))?;
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let mut lines = Vec::new();
    let mut values = COLUMNS.map(|_| Vec::new());
    let mut keys = 0;
    for series in passed(cx, cx.groups(), &mut absent) {
        let (mut cells, mut rank) = (Vec::new(), None);
        for ((change, metric, _, unit), values) in COLUMNS.into_iter().zip(&mut values) {
            let key = Key {
                scenario: &scenario,
                change,
                nodes,
                metric,
                ..Key::default()
            };
            let (row, at) = match value(&mut drawn, table, &series, key) {
                Ok(found) => found,
                Err(reason) => {
                    cells.push(Cell::without(&reason));
                    absent.add(&format!("{} ({change})", series.name), reason);
                    continue;
                }
            };
            keys = keys.max(row.keys);
            rank = rank.or(Some(at));
            let mut marks = Vec::new();
            if let Some(at) = row.reference.filter(|&it| usable(it)) {
                marks.push(Mark::Tick { at, heavy: false });
                values.push(at);
            }
            if let Some((lo, hi)) = both(row.p5, row.p95) {
                marks.push(Mark::Range { lo, hi });
                values.extend([lo, hi]);
            }
            marks.push(Mark::Dot {
                at,
                size: 3.6,
                filled: true,
            });
            values.push(at);
            let text = unit.text(at);
            let hover = format!("{}, {change}: {metric} {text}", series.name);
            cells.push(Cell::new(marks, vec![text], hover));
        }
        let Some(rank) = rank else { continue };
        lines.push((rank, Line::of(&series, cells)));
    }
    let lines = sorted(lines, |line| &line.name);
    let columns = COLUMNS.into_iter().zip(values);
    let columns: Vec<Column> = columns
        .map(|((_, metric, title, unit), values)| Column {
            title: format!("{title} (log axis)"),
            scale: Scale::log(values),
            unit,
            numbers: vec![metric],
        })
        .collect();
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: "rm-movement-views",
            section: Section::Movement,
            title: format!("What happens among {} while clients disagree", plural(nodes, "node")),
            reading: "Further left is better. Clients seldom learn of a change at the same moment. Until they all have, \
                      they send the same key to different nodes: it is stored twice, or not found. Karger's spread and load, \
                      and what it costs a cache."
                .to_owned(),
            legend: vec![
                Legend::new(Sample::Dot, "mean over the seeds"),
                Legend::new(Sample::Range, "5 % to 95 % over the seeds"),
                Legend::new(Sample::Tick, "a strategy that moves no more than it must"),
            ],
        },
    );
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    let notes = vec![format!("30 clients, {} keys.", count(keys))];
    Ok(sheet.finish(cx, bottom, notes, absent, &drawn))
}
