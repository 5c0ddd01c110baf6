//! What a node costs in memory.

use super::{need, passed, sorted, value};
use crate::record::Row;
use crate::report::Cx;
use crate::report::absent::{Absent, Reason};
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count, plural};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::Scale;
use crate::report::table::{Drawn, Key};

/// Heap bytes a node, at each size.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-memory-bytes";
    let table = need(&cx.data.memory, "data/memory.csv")?;
    // Whatever the metric: a strategy whose memory cannot be told has a row that says why.
    let overview = |row: &Row| {
        let entry = cx.field.entry(&row.strategy);
        entry.is_some_and(|it| it.overview)
    };
    let scenario = table.main_scenario(overview);
    let change = table.main_change(overview);
    let sizes = table.sizes(overview);
    let (Some(&few), Some(&many)) = (sizes.first(), sizes.last()) else {
        return Err("data/memory.csv has no rows of bytes_per_node".to_owned());
    };
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for series in passed(cx, cx.singles(), &mut absent) {
        let (mut found, mut why) = (Vec::new(), Reason::NoRow);
        for &nodes in &sizes {
            let key = Key {
                scenario: &scenario,
                change: &change,
                nodes,
                metric: "bytes_per_node",
                ..Key::default()
            };
            match value(&mut drawn, table, &series, key) {
                Ok((_, at)) => found.push((nodes, at)),
                Err(reason) => why = reason,
            }
        }
        let Some(&(largest, last)) = found.last() else {
            absent.add(&series.name, why);
            continue;
        };
        values.extend(found.iter().map(|it| it.1));
        let marks = found.iter().enumerate().filter_map(|(i, &(nodes, at))| {
            let filled = nodes == largest;
            // Of sizes that agree, the largest speaks for all.
            let differs = (at - last).abs() >= 0.02 * last;
            (filled || differs).then_some(Mark::Dot {
                at,
                size: 2.2 + 2.4 * i as f64 / found.len() as f64,
                filled,
            })
        });
        let marks = marks.collect();
        let text = |wanted: u64| {
            let at = found.iter().find(|it| it.0 == wanted);
            at.map_or("not measured".to_owned(), |it| Unit::Bytes.text(it.1))
        };
        let all: Vec<String> = found
            .iter()
            .map(|&(nodes, at)| format!("{} at {}", Unit::Bytes.text(at), plural(nodes, "node")))
            .collect();
        let mut numbers = vec![text(few)];
        if many > few {
            numbers.push(text(many));
        }
        let hover = format!("{}: {} a node", series.name, all.join(", "));
        lines.push((
            last,
            Line::of(&series, vec![Cell::new(marks, numbers, hover)]),
        ));
    }
    let lines = sorted(lines, |line| &line.name);
    let columns = [Column {
        title: "heap bytes a node (log axis)".to_owned(),
        scale: Scale::log(values),
        unit: Unit::Bytes,
        numbers: if many > few {
            vec!["fewest", "most"]
        } else {
            vec!["bytes"]
        },
    }];
    let each: Vec<String> = sizes.iter().map(|&it| count(it)).collect();
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: ID,
            section: Section::Build,
            title: "What a node costs in memory".to_owned(),
            reading: format!(
                "Further left is smaller. Bytes that the strategy holds on the heap, divided by the nodes; one mark a \
             size ({} nodes), larger marks for larger clusters.",
                each.join(", ")
            ),
            legend: vec![
                Legend::new(Sample::Dot, format!("at {}", plural(many, "node"))),
                Legend::new(
                    Sample::Hollow,
                    "at fewer nodes, where that differs by 2 % or more",
                ),
            ],
        },
    );
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}
