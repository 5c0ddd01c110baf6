//! Ours beside other people's crates.

use super::both;
use crate::record::{RaceRow, Side};
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count};
use crate::report::race::{RaceData, reason};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::Scale;
use crate::report::style::{Shape, Style};
use crate::report::table::{Drawn, Key};

/// What ours are drawn in, and what peers are.
const OURS: &str = "#0072b2";
const PEERS: &str = "#d55e00";

/// Time a look-up, family by family.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-race-lookup";
    let race = cx.data.race.as_ref();
    let race = race.ok_or("data/timed-race.csv is not there: nobody was raced")?;
    let nodes = race.detailed_size();
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for family in race.families() {
        for first in race.strategies(family) {
            let mut take = |metric| take(&mut drawn, race, first, nodes, metric);
            let Some(row) = take("lookup_ns") else {
                continue;
            };
            if let Some(reason) = reason(row) {
                absent.add(&first.strategy, reason);
                continue;
            }
            let number = |row: Option<&RaceRow>| row.and_then(|it| it.median);
            let (batch, floor) = (number(take("route_batch_ns")), number(take("load_ns")));
            let (cell, mut drawn_values) = cell(row, batch, floor);
            values.append(&mut drawn_values);
            lines.push(Line {
                name: first.strategy.clone(),
                style: style(first.side),
                group: Some(format!("family {family}")),
                cells: vec![cell],
            });
        }
    }
    let columns = [Column {
        title: "time a look-up of a single key (log axis)".to_owned(),
        scale: Scale::log(values),
        unit: Unit::Nanoseconds,
        numbers: vec!["single", "in batches", "times peer"],
    }];
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Race,
        title: format!("Ours beside other people's crates, {} nodes", count(nodes)),
        reading: "Everybody is asked through the same trait, in turns of the same rounds. \"times peer\": how many \
                  times faster than the fastest peer of the family a single look-up is; above 1 is faster than \
                  every peer."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "ours: median over interleaved rounds, 95 % interval"),
            Legend::new(Sample::Hollow, "a peer"),
            Legend::new(Sample::Tick, "its own hash of the key and one random load"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}

fn take<'a>(
    drawn: &mut Drawn,
    race: &'a RaceData,
    first: &RaceRow,
    nodes: u64,
    metric: &str,
) -> Option<&'a RaceRow> {
    let key = Key {
        strategy: &first.strategy,
        change: &first.family,
        nodes,
        metric,
        ..Key::default()
    };
    drawn.take(&race.table, key)
}

/// The marks and numbers of a look-up, and the values that they stand at.
fn cell(row: &RaceRow, batch: Option<f64>, floor: Option<f64>) -> (Cell, Vec<f64>) {
    let at = row.median.unwrap_or_default();
    let (mut marks, mut values) = (Vec::new(), vec![at]);
    if let Some(floor) = floor.filter(|it| *it > 0.0) {
        marks.push(Mark::Tick {
            at: floor,
            heavy: false,
        });
        values.push(floor);
    }
    if let Some((lo, hi)) = both(row.lo, row.hi) {
        marks.push(Mark::Range { lo, hi });
        values.extend([lo, hi]);
    }
    marks.push(Mark::Dot {
        at,
        size: 3.8,
        filled: row.side == Side::Ours,
    });
    let text = |value: Option<f64>| value.map_or_else(String::new, |it| Unit::Nanoseconds.text(it));
    let times = row.to_peer.filter(|it| *it > 0.0).map(|it| 1.0 / it);
    let times = times.map_or_else(String::new, |it| Unit::Plain.text(it));
    let hover = format!("{}: {} a look-up", row.strategy, text(Some(at)));
    (
        Cell::new(marks, vec![text(Some(at)), text(batch), times], hover),
        values,
    )
}

fn style(side: Side) -> Style {
    Style {
        colour: match side {
            Side::Ours => OURS,
            Side::Peer => PEERS,
        },
        dash: "",
        shape: Shape::Circle,
        filled: side == Side::Ours,
    }
}
