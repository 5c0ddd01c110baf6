//! Look-ups while the nodes change.

use super::{both, need, passed, sorted, time};
use crate::record::TimedRow;
use crate::report::Cx;
use crate::report::FOCUS;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, plural};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::Scale;
use crate::report::table::{Drawn, Key, nearest};

/// What readers get done, and the longest that one of them waits: with a ring that stays, with one
/// that is built anew and swapped in, and with one that changes in place behind a lock.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-swap";
    /// Title, unit, what the data are divided by, and the metric of each way: still, swap, lock.
    const COLUMNS: [(&str, Unit, f64, [&str; 3]); 2] = [
        (
            "million look-ups a second",
            Unit::Plain,
            1e6,
            ["still_per_s", "swap_per_s", "lock_per_s"],
        ),
        (
            "longest stall of a reader",
            Unit::Nanoseconds,
            1.0,
            ["still_stall_ns", "swap_stall_ns", "lock_stall_ns"],
        ),
    ];
    const WAYS: [&str; 3] = ["while nothing changes", "swapped in", "behind a lock"];
    let table = need(&cx.data.swap, "data/swap.csv")?;
    let ours = |row: &TimedRow| row.metric == COLUMNS[0].3[1];
    let scenario = table.main_scenario(ours);
    let nodes = nearest(&table.sizes(ours), FOCUS).ok_or("data/swap.csv has no rows")?;
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut values) = (Vec::new(), [Vec::new(), Vec::new()]);
    for series in passed(cx, cx.singles(), &mut absent) {
        let (mut cells, mut rank) = (Vec::new(), None);
        for ((_, unit, per, metrics), values) in COLUMNS.iter().zip(&mut values) {
            let (mut marks, mut numbers, mut hovers) = (Vec::new(), Vec::new(), Vec::new());
            let mut refused = None;
            for (place, (metric, way)) in metrics.iter().zip(WAYS).enumerate() {
                let key = Key {
                    scenario: &scenario,
                    nodes,
                    metric,
                    ..Key::default()
                };
                let (row, at) = match time(&mut drawn, table, &series, key) {
                    Ok(found) => found,
                    Err(reason) => {
                        refused.get_or_insert(reason);
                        continue;
                    }
                };
                let at = at / per;
                values.push(at);
                let text = unit.text(at);
                hovers.push(format!("{text} {way}"));
                if place == 0 {
                    marks.push(Mark::Tick { at, heavy: true });
                    continue;
                }
                if let Some((lo, hi)) = both(row.lo, row.hi) {
                    let (lo, hi) = (lo / per, hi / per);
                    marks.push(Mark::Range { lo, hi });
                    values.extend([lo, hi]);
                }
                let filled = place == 1;
                marks.push(Mark::Dot {
                    at,
                    size: 3.4,
                    filled,
                });
                numbers.push(text);
                rank = rank.or(Some(-at));
            }
            cells.push(match refused {
                None => Cell::new(
                    marks,
                    numbers,
                    format!("{}: {}", series.name, hovers.join(", ")),
                ),
                Some(reason) => {
                    let cell = Cell::without(&reason);
                    absent.add(&series.name, reason);
                    cell
                }
            });
        }
        let Some(rank) = rank else { continue };
        lines.push((rank, Line::of(&series, cells)));
    }
    let lines = sorted(lines, |line| &line.name);
    let columns: Vec<Column> = COLUMNS
        .iter()
        .zip(values)
        .map(|((title, unit, ..), values)| Column {
            title: (*title).to_owned(),
            scale: Scale::log(values),
            unit: *unit,
            numbers: vec!["swap", "lock"],
        })
        .collect();
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Build,
        title: format!("Look-ups while the last of {} leaves and comes back", plural(nodes, "node")),
        reading: "Readers on all cores, a change every 5 ms or as fast as it can be made. Left: further right is \
                  better. Right: further left is better; what stalls a reader while nothing changes is the machine, \
                  not the ring."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "built anew and swapped in"),
            Legend::new(Sample::Hollow, "changed in place behind a lock"),
            Legend::new(Sample::HeavyTick, "while nothing changes"),
            Legend::new(Sample::Range, "95 % interval of a median"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}
