//! Time and work of a look-up.

use super::{CONTROL_LINE, both, need, passed, sorted, time};
use crate::record::TimedRow;
use crate::report::absent::{Absent, Reason};
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, plural};
use crate::report::panels::{self, Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{FAINT, GREY, Stroke};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::Scale;
use crate::report::scope::Ranked;
use crate::report::table::{Drawn, Key, nearest};
use crate::report::{Cx, FOCUS};

const PATH: &str = "data/lookup.csv";

fn ours(row: &TimedRow) -> bool {
    row.metric == "lookup_ns"
}

/// One look-up at one size, with its interval and its floors.
pub(super) fn overview(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-overview-lookup";
    let table = need(&cx.data.lookup, PATH)?;
    let scenario = table.main_scenario(ours);
    let nodes =
        nearest(&table.sizes(ours), FOCUS).ok_or(format!("{PATH} has no rows of lookup_ns"))?;
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for series in passed(cx, cx.singles(), &mut absent) {
        let key = |metric| Key {
            scenario: &scenario,
            nodes,
            metric,
            ..Key::default()
        };
        let (row, lookup) = match time(&mut drawn, table, &series, key("lookup_ns")) {
            Ok(found) => found,
            Err(reason) => {
                absent.add(&series.name, reason);
                continue;
            }
        };
        let mut marks = Vec::new();
        let mut floor = |metric, heavy| {
            let (_, at) = time(&mut drawn, table, &series, key(metric)).ok()?;
            marks.push(Mark::Tick { at, heavy });
            values.push(at);
            Some(at)
        };
        let (load, hash) = (floor("load_ns", true), floor("hash_ns", false));
        if let Some((lo, hi)) = both(row.lo, row.hi) {
            marks.push(Mark::Range { lo, hi });
            values.extend([lo, hi]);
        }
        marks.push(Mark::Dot {
            at: lookup,
            size: 3.4,
            filled: true,
        });
        values.push(lookup);
        let text = |value| Unit::Nanoseconds.text(value);
        let number = |value: Option<f64>| value.map_or("not measured".to_owned(), text);
        let interval = both(row.lo, row.hi);
        let interval = interval.map(|(lo, hi)| format!(" ({} to {})", text(lo), text(hi)));
        let hover = format!(
            "{}: {} a look-up{}; its hash {}; hash and one load {}",
            series.name,
            text(lookup),
            interval.unwrap_or_default(),
            number(hash),
            number(load)
        );
        let numbers = vec![text(lookup), number(hash)];
        let line = Line::of(&series, vec![Cell::new(marks, numbers, hover)]);
        lines.push(Ranked::new(&series, lookup, line));
    }
    let (lines, left) = cx.best(lines);
    let columns = [Column {
        title: "time a look-up (log axis)".to_owned(),
        scale: Scale::log(values),
        unit: Unit::Nanoseconds,
        numbers: vec!["look-up", "its hash"],
    }];
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Overview,
        title: format!("How long a look-up takes among {}", plural(nodes, "node")),
        reading: "Further left is faster. The thin tick is the hash alone, the heavy one the hash and one random \
                  read of a table as large as the strategy's: what lies right of the ticks is the search."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "median over the rounds"),
            Legend::new(Sample::Range, "its 95 % interval (often narrower than the dot)"),
            Legend::new(Sample::Tick, "hash alone (hash_ns)"),
            Legend::new(Sample::HeavyTick, "hash and one load (load_ns)"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, left.into_iter().collect(), absent, &drawn))
}

/// One look-up against the number of nodes.
pub(super) fn against_nodes(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-lookup-nodes";
    const FLOOR: Stroke = Stroke {
        dash: "4 3",
        ..Stroke::solid(GREY, 1.2)
    };
    let table = need(&cx.data.lookup, PATH)?;
    let scenario = table.main_scenario(ours);
    let sizes = table.sizes(|row| ours(row) && row.scenario == scenario);
    if sizes.len() < 2 {
        return Err(format!("{PATH} has fewer than two sizes"));
    }
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut panels, mut control, mut values) = (Vec::new(), None, Vec::new());
    for series in passed(cx, cx.singles(), &mut absent) {
        let (mut line, mut area, mut floor) = (Vec::new(), Vec::new(), Vec::new());
        let mut why = Reason::NoRow;
        for &nodes in &sizes {
            let x = nodes as f64;
            let key = |metric| Key {
                scenario: &scenario,
                nodes,
                metric,
                ..Key::default()
            };
            match time(&mut drawn, table, &series, key("lookup_ns")) {
                Ok((row, at)) => {
                    line.push((x, at));
                    let (lo, hi) = both(row.lo, row.hi).unwrap_or((at, at));
                    area.push((x, lo, hi));
                    values.extend([at, lo, hi]);
                }
                Err(reason) => {
                    why = reason;
                    continue;
                }
            }
            if let Ok((_, at)) = time(&mut drawn, table, &series, key("hash_ns")) {
                floor.push((x, at));
                values.push(at);
            }
        }
        let (Some(&(few, first)), Some(&(many, last))) = (line.first(), line.last()) else {
            absent.add(&series.name, why);
            continue;
        };
        if series.is_control() {
            control = Some(line.clone());
        }
        let text = |value| Unit::Nanoseconds.text(value);
        panels.push((
            last,
            Panel {
                name: series.name.clone(),
                detail: format!(
                    "{} at {few}, {} at {}",
                    text(first),
                    text(last),
                    Unit::Plain.tick(many)
                ),
                style: series.style,
                areas: vec![Area {
                    points: area,
                    fill: Fill::Tint(series.style.colour, 0.3),
                }],
                curves: vec![Curve::plain(floor, FLOOR), Curve::main(line, series.style)],
            },
        ));
    }
    let panels = sorted(panels, |panel| &panel.name);
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "nodes".to_owned(),
            scale: Scale::steps(sizes.iter().map(|&it| it as f64)),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "time a look-up (log axis)".to_owned(),
            scale: Scale::log(values),
            unit: Unit::Nanoseconds,
        },
        references: control
            .map(|points| Curve::plain(points, CONTROL_LINE))
            .into_iter()
            .collect(),
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Lookup,
        title: "How a look-up grows with the nodes".to_owned(),
        reading: "Lower is faster; a flat line does not mind the size of the cluster. The distance to the dashed line \
                  is the search, what lies below it is the hash of the key."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "median and its 95 % interval"),
            Legend::new(Sample::Line(FLOOR), "hash alone (hash_ns)"),
            Legend::new(Sample::Line(CONTROL_LINE), "the control"),
            Legend::new(Sample::Line(Stroke::solid(FAINT, 1.2)), "the other strategies"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}
