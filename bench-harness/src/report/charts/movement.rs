//! Keys that change their owner when the nodes change.

use std::collections::BTreeMap;

use super::{both, need, passed, sorted, value};
use crate::record::{OWN_CHANGE, Row};
use crate::report::absent::{Absent, Reason};
use crate::report::field::Series;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count, plural};
use crate::report::panels::{self, Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{FAINT, GREY, Stroke};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::scope::Ranked;
use crate::report::style::CONTROL;
use crate::report::table::{Drawn, Key, Table, nearest};
use crate::report::{Cx, FOCUS};

/// What moves of the keys in one change.
struct Moved {
    moved: f64,
    forced: f64,
    collateral: f64,
    optimum: Option<f64>,
    /// What a perfect router would move of as many keys.
    noise: Option<(f64, f64)>,
    keys: u64,
}

/// Reads one change of one series; the reason where it cannot be drawn.
fn moved(
    drawn: &mut Drawn,
    table: &Table<Row>,
    series: &Series<'_>,
    key: Key<'_>,
) -> Result<Moved, Reason> {
    let mut of = |metric: &'static str| value(drawn, table, series, Key { metric, ..key });
    let (row, moved) = of("moved")?;
    let (_, forced) = of("forced")?;
    let (_, collateral) = of("collateral")?;
    Ok(Moved {
        moved,
        forced,
        collateral,
        optimum: row.reference.filter(|&it| usable(it)),
        noise: both(row.noise_lo, row.noise_hi),
        keys: row.keys,
    })
}

/// Lose one node, replace one node: stacked, what had to move and what moved in vain.
pub(super) fn overview(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-overview-movement";
    const CHANGES: [(&str, &str); 3] = [
        (OWN_CHANGE, "The change that was given"),
        ("lose-random", "One random node is lost"),
        ("replace", "One node is replaced by another"),
    ];
    let table = need(&cx.data.movement, "data/movement.csv")?;
    // A user's own change is there only where one was asked for.
    let given = table.rows.iter().any(|row| row.change == OWN_CHANGE);
    let changes = &CHANGES[usize::from(!given)..];
    let ours = |row: &Row| row.metric == "moved" && changes.iter().any(|it| it.0 == row.change);
    let scenario = table.main_scenario(ours);
    let nodes = nearest(&table.sizes(ours), FOCUS)
        .ok_or("data/movement.csv has no rows for losing or replacing a node")?;
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let mut lines = Vec::new();
    let mut keys = 0;
    for series in passed(cx, cx.groups(), &mut absent) {
        let (mut cells, mut rank) = (Vec::new(), None);
        for &(change, title) in changes {
            let key = Key {
                scenario: &scenario,
                change,
                nodes,
                ..Key::default()
            };
            cells.push(match moved(&mut drawn, table, &series, key) {
                Ok(it) => {
                    rank = Some(rank.unwrap_or(0.0) + it.collateral);
                    keys = it.keys.max(keys);
                    cell(&it, &series.name, title)
                }
                Err(reason) => {
                    let cell = Cell::without(&reason);
                    absent.add(&format!("{} ({change})", series.name), reason);
                    cell
                }
            });
        }
        let Some(rank) = rank else { continue };
        lines.push(Ranked::new(&series, rank, Line::of(&series, cells)));
    }
    // By what moved in vain: how many keys had to move is the luck of the node that was drawn.
    let (lines, left) = cx.best(lines);
    let columns: Vec<Column> = changes
        .iter()
        .map(|(_, title)| Column {
            title: format!("{title}: keys moved"),
            scale: Scale::linear(0.0, 1.0),
            unit: Unit::Share,
            numbers: vec!["moved", "in vain"],
        })
        .collect();
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Overview,
        title: format!("Keys that move when one of {} changes", plural(nodes, "node")),
        reading: "Shorter is better. A key has to move when its owner leaves or its new owner has just come; \
                  every other move is in vain: a cache miss or a transfer that nobody asked for."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Fill, "had to move (forced)"),
            Legend::new(Sample::Hatch, "moved in vain (collateral)"),
            Legend::new(Sample::Tick, "optimum: the share of the weight that changed hands"),
            Legend::new(Sample::Band, "its hash noise"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    let mut notes: Vec<String> = left.into_iter().collect();
    if keys > 0 {
        notes.push(format!(
            "In vain 0 means fewer than 3 in {} keys (95 % confidence): none of those asked.",
            count(keys)
        ));
    }
    Ok(sheet.finish(cx, bottom, notes, absent, &drawn))
}

fn cell(it: &Moved, name: &str, title: &str) -> Cell {
    let mut marks = Vec::new();
    marks.extend(it.noise.map(|(lo, hi)| Mark::Band { lo, hi }));
    marks.extend([
        Mark::Bar {
            from: 0.0,
            to: it.forced,
            hatched: false,
        },
        Mark::Bar {
            from: it.forced,
            to: it.forced + it.collateral,
            hatched: true,
        },
    ]);
    marks.extend(it.optimum.map(|at| Mark::Tick { at, heavy: false }));
    let share = |value| Unit::Share.text(value);
    let optimum = it.optimum.map(|at| format!("; optimum {}", share(at)));
    let hover = format!(
        "{name}. {title}: {} of the keys moved, {} had to, {} in vain{}",
        share(it.moved),
        share(it.forced),
        share(it.collateral),
        optimum.unwrap_or_default()
    );
    Cell::new(marks, vec![share(it.moved), share(it.collateral)], hover)
}

/// Removing more and more nodes of a large cluster.
pub(super) fn curve(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-movement-curve";
    let table = need(&cx.data.movement, "data/movement.csv")?;
    let step = |row: &Row| {
        let percent = row.change.strip_prefix("curve-")?;
        percent.parse::<u32>().ok().filter(|&it| it <= 100)
    };
    let ours = |row: &Row| row.metric == "moved" && step(row).is_some();
    let scenario = table.main_scenario(ours);
    let nodes =
        nearest(&table.sizes(ours), 1000).ok_or("data/movement.csv has no removal curve")?;
    let mut steps: Vec<(u32, &str)> = table
        .rows
        .iter()
        .filter(|row| ours(row) && row.nodes == nodes)
        .filter_map(|row| Some((step(row)?, row.change.as_str())))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut panels, mut control) = (Vec::new(), None);
    let mut optimum = BTreeMap::new();
    for series in passed(cx, cx.groups(), &mut absent) {
        let (mut line, mut vain, mut middle) = (Vec::new(), Vec::new(), None);
        let mut why = None;
        for &(percent, change) in &steps {
            let key = Key {
                scenario: &scenario,
                change,
                nodes,
                ..Key::default()
            };
            match moved(&mut drawn, table, &series, key) {
                Ok(it) => {
                    let x = f64::from(percent) / 100.0;
                    line.push((x, it.moved));
                    vain.push((x, it.moved - it.collateral, it.moved));
                    optimum.extend(it.optimum.map(|at| (percent, (x, at))));
                    // The middle of the curve, where strategies differ most, gives the numbers.
                    if percent <= 50 {
                        middle = Some((percent, it));
                    }
                }
                Err(reason) => why = Some(reason),
            }
        }
        // A step that this size has no room for is no fault of the strategy.
        if let Some(reason) = why.filter(|it| line.is_empty() || *it != Reason::NoRow) {
            absent.add(&series.name, reason);
        }
        let Some((percent, it)) = middle else {
            continue;
        };
        if series.is_control() {
            control = Some(line.clone());
        }
        panels.push((
            it.moved,
            Panel {
                name: series.name.clone(),
                detail: format!(
                    "{percent} % lost: {}, {} in vain",
                    Unit::Share.text(it.moved),
                    Unit::Share.text(it.collateral)
                ),
                style: series.style,
                areas: vec![Area {
                    points: vain,
                    fill: Fill::Hatch(series.style.colour),
                }],
                curves: vec![Curve::main(line, series.style)],
            },
        ));
    }
    let panels = sorted(panels, |panel| &panel.name);
    let dashed = Stroke {
        dash: "4 3",
        ..Stroke::solid(GREY, 1.2)
    };
    let control_stroke = Stroke::solid(CONTROL, 1.0);
    let mut references = vec![Curve::plain(optimum.into_values().collect(), dashed)];
    references.extend(control.map(|points| Curve::plain(points, control_stroke)));
    let chart = Panels {
        wide: false,
        across: Axis {
            title: format!("share of the {} nodes that was removed", count(nodes)),
            scale: Scale::linear(0.0, 1.0),
            unit: Unit::Share,
        },
        up: Axis {
            title: "share of keys that moved".to_owned(),
            scale: Scale::linear(0.0, 1.0),
            unit: Unit::Share,
        },
        references,
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Movement,
        title: format!("Removing more and more of {} nodes", count(nodes)),
        reading: "Random nodes leave at once. On the dashed line only the keys of the lost nodes move; what is \
                  hatched above it moved in vain."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "moved"),
            Legend::new(Sample::Hatch, "of that, in vain"),
            Legend::new(Sample::Line(dashed), "optimum"),
            Legend::new(Sample::Line(control_stroke), "the control"),
            Legend::new(Sample::Line(Stroke::solid(FAINT, 1.2)), "the other strategies"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}
