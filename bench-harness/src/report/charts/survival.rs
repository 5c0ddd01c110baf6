//! How much load the busiest survivor takes when any one node is lost.

use super::{both, need, passed, value};
use crate::record::Row;
use crate::report::absent::Absent;
use crate::report::field::Series;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count, plural};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::scope::Ranked;
use crate::report::table::{Drawn, Key, nearest};
use crate::report::{Cx, FOCUS};

/// The busiest survivor against points a node.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-overview-survival";
    let table = need(&cx.data.movement, "data/movement.csv")?;
    let ours = |row: &Row| row.metric == "n1_peak";
    let scenario = table.main_scenario(ours);
    let change = table.main_change(ours);
    let nodes =
        nearest(&table.sizes(ours), FOCUS).ok_or("data/movement.csv has no rows of n1_peak")?;
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let ideal = nodes as f64 / (nodes as f64 - 1.0);
    let (mut lines, mut values) = (Vec::new(), vec![1.0]);
    // Steps of a sweep belong here too, where they were measured.
    let swept = cx.field.entries.iter().filter(|entry| {
        let has_row = |row: &Row| ours(row) && row.strategy == entry.label;
        !entry.overview && table.rows.iter().any(has_row)
    });
    let swept = swept.map(|entry| Series::of(vec![entry])).collect();
    let series = cx.groups().into_iter().chain(cx.within(swept));
    for series in passed(cx, series.collect(), &mut absent) {
        let key = Key {
            scenario: &scenario,
            change: &change,
            nodes,
            metric: "n1_peak",
            ..Key::default()
        };
        let (row, peak) = match value(&mut drawn, table, &series, key) {
            Ok(found) => found,
            Err(reason) => {
                absent.add(&series.name, reason);
                continue;
            }
        };
        let reference = row.reference.filter(|&it| usable(it)).unwrap_or(ideal);
        let mut marks = Vec::new();
        if usable(reference) {
            marks.push(Mark::Tick {
                at: reference,
                heavy: false,
            });
            values.push(reference);
        }
        if let Some((lo, hi)) = both(row.p5, row.p95) {
            marks.push(Mark::Range { lo, hi });
            values.extend([lo, hi]);
        }
        marks.push(Mark::Dot {
            at: peak,
            size: 3.8,
            filled: true,
        });
        values.push(peak);
        let points = series.members.iter().find_map(|it| it.points_per_node);
        let room = if peak > 0.0 {
            Unit::Share.text(1.0 / peak)
        } else {
            "undefined".to_owned()
        };
        let hover = format!(
            "{}: the busiest survivor holds {} fair shares, so {room} of each node can be used",
            series.name,
            Unit::Plain.text(peak)
        );
        let group = points.map(|it| format!("{} a node", plural(it, "point")));
        let group = group.unwrap_or("no such parameter".to_owned());
        let numbers = vec![Unit::Plain.text(peak), room];
        let line = Line {
            group: Some(group),
            ..Line::of(&series, vec![Cell::new(marks, numbers, hover)])
        };
        let line = Ranked::new(&series, peak, line);
        lines.push(line.in_group(points.unwrap_or(u64::MAX)));
    }
    let (lines, left) = cx.best(lines);
    let columns = [Column {
        title: "busiest survivor after the worst single loss, in fair shares before it".to_owned(),
        scale: Scale::log(values),
        unit: Unit::Plain,
        numbers: vec!["n1_peak", "usable"],
    }];
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Overview,
        title: format!("What the busiest survivor takes when any one of {} is lost", plural(nodes, "node")),
        reading: "Further left is better. Nodes are lost one at a time, and the busiest survivor is what counts: a \
                  cluster sized so that nobody overflows may be filled to the share under \"usable\"."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "mean over the seeds"),
            Legend::new(Sample::Range, "5 % to 95 % over the seeds"),
            Legend::new(
                Sample::Tick,
                format!("even before and after: {0}/({0} - 1)", count(nodes)),
            ),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, left.into_iter().collect(), absent, &drawn))
}
