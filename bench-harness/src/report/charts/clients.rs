//! Clients: who agrees with whom, and what the loss of a node does to each.

use super::need;
use crate::record::{Compared, LossRow, Spoken};
use crate::report::Cx;
use crate::report::absent::{Absent, Reason};
use crate::report::agreement::{Agreement, Common};
use crate::report::field::Series;
use crate::report::figure::{Figure, Head, Legend, MARGIN, Sample, Section, Sheet, WIDTH};
use crate::report::number::{Unit, plural};
use crate::report::pen::{GREY, INK, PAPER, Type, between, fit, hex};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::{Drawn, Key};

/// Width of the names, with the number behind each.
const NAMES: f64 = 292.0;
/// Side of a cell, where there is room.
const SIDE: f64 = 44.0;
/// Smaller cells have no text.
const READABLE: f64 = 26.0;
/// All keys, everywhere.
const ALL: (u8, u8, u8) = (0x00, 0x9e, 0x73);
/// No key.
const NONE: (u8, u8, u8) = (0xf3, 0xf5, 0xf7);
/// Nearly all keys.
const MOST: (u8, u8, u8) = (0x56, 0xb4, 0xe9);

/// A heat map: a cell a pair.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-clients-agree";
    let mut drawn = Drawn::default();
    let agreement = Agreement::read(cx, &mut drawn)?;
    let compared = &agreement.about.compared;
    let lists = plural(agreement.about.lists.len() as u64, "list");
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Clients,
        title: format!("Who agrees with whom, on {lists} of nodes"),
        reading: "Each cell: the share of keys that both give to the same node, the mean over the lists that both \
                  serve. \"all\" means every key of every such list."
            .to_owned(),
        legend: Vec::new(),
    });
    let left = MARGIN + NAMES;
    let side = SIDE.min((WIDTH - MARGIN - left) / compared.len().max(1) as f64);
    let top = sheet.top + 16.0;
    let middle = Type {
        size: 10.0,
        ..Type::BODY.middle()
    };
    for (i, spec) in compared.iter().enumerate() {
        let (x, y) = (left + i as f64 * side, top + i as f64 * side);
        let name = fit(&spec.label, Type::BODY.size, NAMES - 36.0);
        let base = y + side / 2.0 + 4.0;
        sheet.pen.open(&spec.label);
        sheet.pen.text(left - 30.0, base, Type::BODY.end(), &name);
        sheet.pen.close();
        let number = (i + 1).to_string();
        if side >= 12.0 {
            sheet.pen.text(left - 8.0, base, Type::NOTE.end(), &number);
            let head = Type::NOTE.middle();
            sheet.pen.text(x + side / 2.0, top - 6.0, head, &number);
        }
        for (j, other) in compared.iter().enumerate() {
            let x = left + j as f64 * side;
            if i == j {
                sheet.pen.rect(x, y, side - 1.5, side - 1.5, "#d1d9e0");
                continue;
            }
            let cell = pair(&agreement, i, j);
            sheet.pen.open(&format!(
                "{} and {}: {}",
                spec.label, other.label, cell.hover
            ));
            sheet.pen.rect(x, y, side - 1.5, side - 1.5, &cell.fill);
            if side >= READABLE {
                let set = Type {
                    colour: cell.ink,
                    ..middle
                };
                sheet
                    .pen
                    .text(x + side / 2.0 - 0.75, y + side / 2.0 + 3.0, set, &cell.text);
            }
            sheet.pen.close();
        }
    }
    let bottom = top + compared.len() as f64 * side + 4.0;
    let mut notes = Vec::new();
    if !agreement.about.refused.is_empty() {
        notes.push(
            "A list that one of the two refuses is left out of their cell; the table below says who refuses what, \
             and why."
                .to_owned(),
        );
    }
    Ok(sheet.finish(cx, bottom, notes, Absent::default(), &drawn))
}

/// How a pair looks.
struct Pair {
    fill: String,
    ink: &'static str,
    text: String,
    hover: String,
}

fn pair(agreement: &Agreement<'_>, a: usize, b: usize) -> Pair {
    let common = agreement.everywhere(a, b);
    if common.is_empty() {
        return Pair {
            fill: PAPER.to_owned(),
            ink: GREY,
            text: "none".to_owned(),
            hover: "no list that both serve".to_owned(),
        };
    }
    let n_all = common.iter().filter(|it| it.1.all()).count();
    if n_all == common.len() {
        let lists = plural(n_all as u64, "list");
        return Pair {
            fill: hex(ALL),
            ink: PAPER,
            text: "all".to_owned(),
            hover: format!("all keys of {lists}"),
        };
    }
    let share = mean_share(&common);
    // Rounded down: what is not all never reads as 100.
    let percent = format!("{:.1}", libm::floor(share * 1000.0) / 10.0);
    let but: Vec<&str> = common
        .iter()
        .filter(|it| !it.1.all())
        .map(|it| agreement.about.lists[it.0].name.as_str())
        .collect();
    Pair {
        fill: hex(between(NONE, MOST, share)),
        ink: INK,
        hover: format!(
            "{percent} % of the keys, the mean over {}; all keys of {n_all}; not on {}",
            plural(common.len() as u64, "list"),
            but.join(", ")
        ),
        text: percent,
    }
}

fn mean_share(common: &[(usize, Common)]) -> f64 {
    let shares = common
        .iter()
        .map(|(_, it)| it.agree as f64 / it.keys.max(1) as f64);
    shares.sum::<f64>() / common.len().max(1) as f64
}

/// Bars: what moves when a node is lost, in both ways.
pub(super) fn losses(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-clients-losses";
    const MOST_LISTS: usize = 3;
    let path = "data/compat-loss.csv";
    let makes = |_| format!("{path} is not there: `ringmark compat` makes it");
    let table = need(&cx.data.losses, path).map_err(makes)?;
    let about = cx.data.clients.as_ref();
    let about = about.ok_or("data/compat.json is not there: `ringmark compat` makes it")?;
    let lost = |name: &str| table.rows.iter().any(|row| row.nodes == name);
    let lists = about.lists.iter().filter(|list| lost(&list.name));
    let lists: Vec<_> = lists.take(MOST_LISTS).collect();
    if lists.is_empty() {
        return Err(format!("{path} has no rows"));
    }
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut lines, mut most) = (Vec::new(), 0.01_f64);
    let entries: Vec<Compared> = about
        .compared
        .iter()
        .chain(&about.references)
        .map(described)
        .collect();
    for (place, entry) in entries.iter().enumerate() {
        let series = Series::of(vec![entry]);
        let mut cells = Vec::new();
        for list in &lists {
            let key = |change| Key {
                strategy: &entry.label,
                scenario: &list.name,
                change,
                ..Key::default()
            };
            let walked = drawn.take(table, key("failure"));
            let rebuilt = drawn.take(table, key("reconfiguration"));
            cells.push(match loss(rebuilt, walked, &series.name) {
                Ok((cell, moved)) => {
                    most = most.max(moved);
                    cell
                }
                Err(reason) => {
                    let cell = Cell::without(&reason);
                    absent.add(&format!("{} ({})", series.name, list.name), reason);
                    cell
                }
            });
        }
        lines.push(Line {
            group: (place >= about.compared.len()).then(|| "to hold them against".to_owned()),
            ..Line::of(&series, cells)
        });
    }
    let columns: Vec<Column> = lists
        .iter()
        .map(|list| Column {
            title: format!("{}, {}", list.name, plural(list.nodes, "node")),
            scale: Scale::linear(0.0, most * 1.05),
            unit: Unit::Share,
            numbers: vec!["in vain", "differ"],
        })
        .collect();
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Clients,
        title: "A node that fails, and one that is taken off the list".to_owned(),
        reading: "Share of keys that move when one node is lost, the mean over all nodes of the list. When it fails and \
                  clients walk on to the next node, its own keys move and no others. When it is taken off and the \
                  ring laid anew, others may move too, in vain. \"differ\" counts keys that are elsewhere after the \
                  one than after the other: what a client that walks on and one with the new list disagree on."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Fill, "keys of the lost node"),
            Legend::new(Sample::Hatch, "others, moved in vain by a new list"),
            Legend::new(Sample::Tick, "all that moves when clients walk on"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), absent, &drawn))
}

/// The description of a spec that stands in no other comparison.
fn described(spec: &Spoken) -> Compared {
    Compared {
        label: spec.label.clone(),
        overview: true,
        points_per_node: None,
        contract: "not tested".to_owned(),
        alike: spec.label.clone(),
        strategy: spec.strategy.clone(),
    }
}

fn loss(
    rebuilt: Option<&LossRow>,
    walked: Option<&LossRow>,
    name: &str,
) -> Result<(Cell, f64), Reason> {
    let row = rebuilt.ok_or(Reason::NoRow)?;
    let number = |value: Option<f64>| value.filter(|&it| usable(it));
    let (Some(moved), Some(forced), Some(collateral)) = (
        number(row.moved),
        number(row.forced),
        number(row.collateral),
    ) else {
        return Err(Reason::Unsupported(row.note.clone()));
    };
    let mut marks = vec![
        Mark::Bar {
            from: 0.0,
            to: forced,
            hatched: false,
        },
        Mark::Bar {
            from: forced,
            to: moved,
            hatched: true,
        },
    ];
    let walked = walked.and_then(|row| number(row.moved));
    marks.extend(walked.map(|at| Mark::Tick { at, heavy: false }));
    let share = |value| Unit::Share.text(value);
    let differ = number(row.differ).map_or("unsupported".to_owned(), share);
    let hover = format!(
        "{name}: with a new list {} move, {} of them in vain; walking on moves {}; elsewhere than the other: {differ}",
        share(moved),
        share(collateral),
        walked.map_or("nobody knows what".to_owned(), share),
    );
    Ok((
        Cell::new(marks, vec![share(collateral), differ], hover),
        moved,
    ))
}
