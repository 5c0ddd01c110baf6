//! The chart of a plan: who gives what to whom, a heat map a strategy.

use std::collections::HashMap;

use super::figure::{MARGIN, WIDTH};
use super::number::{Unit, plural};
use super::pen::{GREY, INK, PAPER, Pen, Stroke, Type, between, fit, hex, wrap};
use crate::record::{Books, PlanDocument, PlanEntry};

const INNER: f64 = WIDTH - 2.0 * MARGIN;
/// Width of the names, with the number behind each.
const NAMES: f64 = 230.0;
/// Width of the sums behind the rows.
const SUMS: f64 = 90.0;
/// Side of a cell, where there is room.
const SIDE: f64 = 44.0;
/// Smaller cells have no text.
const READABLE: f64 = 33.0;
/// The most nodes that are drawn; of more, those that most keys come from or go to.
const MOST: usize = 60;
/// Nothing, and the most that goes from one node to another.
const SHADES: [(u8, u8, u8); 2] = [(0xf3, 0xf5, 0xf7), (0x00, 0x72, 0xb2)];
/// From this share of the most on, text is white.
const DARK: f64 = 0.55;

/// Draws who gives what to whom under every strategy of a plan; `command` made it. The same document
/// gives the same bytes.
#[must_use]
pub fn draw_plan(document: &PlanDocument, command: &str) -> Vec<u8> {
    let mut pen = Pen::default();
    let n_keys = document.plans.first().map_or(0, |it| it.books[0].total);
    let count = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
    let title = format!(
        "What moves: {} of {}",
        plural(count(n_keys), "key"),
        document.keys
    );
    let mut y = 36.0;
    let head = Type {
        size: 17.0,
        ..Type::BODY.bold()
    };
    for line in wrap(&title, head.size, INNER, 2) {
        pen.text(MARGIN, y, head, &line);
        y += 21.0;
    }
    let reading = Type {
        size: 12.0,
        colour: GREY,
        ..Type::BODY
    };
    let text = "Each cell: the share of all keys, in percent, that goes from the node of the row to the node with the \
                number of the column. The darkest is the most that goes from one node to another under any of the \
                strategies. Only nodes that give or get keys are shown.";
    for line in wrap(text, reading.size, INNER, 3) {
        pen.text(MARGIN, y, reading, &line);
        y += 16.0;
    }
    let flows = document.plans.iter().flat_map(|plan| &plan.flows);
    let most = flows.map(|flow| flow.moved.keys).max().unwrap_or(0).max(1);
    for plan in &document.plans {
        y = draw_one(&mut pen, document, plan, most as f64, y + 26.0);
    }
    y += 14.0;
    pen.line(
        (MARGIN, y),
        (WIDTH - MARGIN, y),
        Stroke::solid("#d1d9e0", 1.0),
    );
    let note = Type {
        size: 9.5,
        ..Type::NOTE
    };
    y += 4.0;
    let made_by = format!("ringmark {}: {command}", env!("CARGO_PKG_VERSION"));
    for line in wrap(&made_by, note.size, INNER, 3) {
        y += 12.0;
        pen.text(MARGIN, y, note, &line);
    }
    let metadata = [
        ("keys", document.keys.clone()),
        ("command", command.to_owned()),
    ];
    let svg = pen.finish((WIDTH, (y + 14.0).ceil()), &title, &made_by, &metadata);
    svg.into_bytes()
}

/// Draws the heat map of one strategy below `top` and returns where it ends.
fn draw_one(pen: &mut Pen, document: &PlanDocument, plan: &PlanEntry, most: f64, top: f64) -> f64 {
    let mut y = top;
    pen.text(
        MARGIN,
        y,
        Type {
            size: 13.0,
            ..Type::BODY.bold()
        },
        &fit(&plan.strategy, 13.0, INNER),
    );
    let Some(books) = plan.books.first() else {
        return y;
    };
    y += 17.0;
    pen.text(MARGIN, y, Type::BODY, &sentence(books));
    let (nodes, n_left_out) = nodes(document, plan);
    if nodes.is_empty() {
        return y;
    }
    let left = MARGIN + NAMES;
    let room = (WIDTH - MARGIN - SUMS - left) / nodes.len() as f64;
    let side = SIDE.min(room);
    y += 24.0;
    let cell_text = Type {
        size: 10.0,
        ..Type::BODY.middle()
    };
    let numbered = side >= 12.0;
    let flows: HashMap<(&str, &str), u64> = plan
        .flows
        .iter()
        .map(|flow| ((flow.from.as_str(), flow.to.as_str()), flow.moved.keys))
        .collect();
    let share = |keys: u64| keys as f64 / books.total.max(1) as f64;
    if numbered {
        for (place, (number, _)) in nodes.iter().enumerate() {
            let x = left + (place as f64 + 0.5) * side;
            pen.text(x, y, Type::NOTE.middle(), &number.to_string());
        }
    }
    pen.text(
        left + nodes.len() as f64 * side + 8.0,
        y,
        Type::NOTE,
        "gives",
    );
    y += 6.0;
    for (number, from) in &nodes {
        let base = y + side / 2.0 + 4.0;
        if numbered {
            pen.text(
                left - 30.0,
                base,
                Type::BODY.end(),
                &fit(from, Type::BODY.size, NAMES - 36.0),
            );
            pen.text(left - 8.0, base, Type::NOTE.end(), &number.to_string());
        }
        for (place, (_, to)) in nodes.iter().enumerate() {
            let x = left + place as f64 * side;
            if from == to {
                pen.rect(x, y, side - 1.5, side - 1.5, "#d1d9e0");
                continue;
            }
            let keys = flows.get(&(*from, *to)).copied().unwrap_or(0);
            let shade = keys as f64 / most;
            pen.open(&format!(
                "{from} to {to}: {}, {}",
                plural(keys, "key"),
                Unit::Share.text(share(keys))
            ));
            let fill = hex(between(SHADES[0], SHADES[1], shade));
            pen.rect(x, y, side - 1.5, side - 1.5, &fill);
            if side >= READABLE && keys > 0 {
                let ink = if shade > DARK { PAPER } else { INK };
                let set = Type {
                    colour: ink,
                    ..cell_text
                };
                let percent = 100.0 * share(keys);
                let text = match percent < 0.005 {
                    true => "<0.01".to_owned(),
                    false => format!("{percent:.2}"),
                };
                pen.text(x + side / 2.0 - 0.75, y + side / 2.0 + 3.0, set, &text);
            }
            pen.close();
        }
        if numbered {
            let gives = plan.flows.iter().filter(|flow| flow.from == **from);
            let gives: u64 = gives.map(|flow| flow.moved.keys).sum();
            let x = left + nodes.len() as f64 * side + 8.0;
            pen.text(x, base, Type::NOTE, &Unit::Share.text(share(gives)));
        }
        y += side;
    }
    if n_left_out > 0 {
        y += 14.0;
        let text = format!(
            "Not drawn: {} that give and get the least.",
            plural(n_left_out as u64, "node")
        );
        pen.text(MARGIN, y, Type::NOTE, &text);
    }
    y
}

/// What moves, beside what would have had to.
fn sentence(books: &Books) -> String {
    let share = |value: Option<f64>| value.map_or("-".to_owned(), |it| Unit::Share.text(it));
    format!(
        "{} of the keys move, {} in vain; the weights alone ask for {}, these loads for {}",
        share(books.moved_share),
        share(books.collateral_share),
        share(Some(books.optimal)),
        share(books.own_optimal),
    )
}

/// The nodes that give or get keys with their numbers among all, in joining order, and how many are
/// left out because there are too many.
fn nodes<'a>(document: &'a PlanDocument, plan: &'a PlanEntry) -> (Vec<(usize, &'a str)>, usize) {
    let mut keys: HashMap<&str, u64> = HashMap::new();
    for flow in &plan.flows {
        *keys.entry(&flow.from).or_default() += flow.moved.keys;
        *keys.entry(&flow.to).or_default() += flow.moved.keys;
    }
    let nodes = (1..).zip(document.nodes.iter().map(|it| it.node.as_str()));
    let mut nodes: Vec<(usize, &str)> = nodes.filter(|(_, node)| keys.contains_key(node)).collect();
    let n_all = nodes.len();
    nodes.sort_by_key(|(number, node)| (std::cmp::Reverse(keys[node]), *number));
    nodes.truncate(MOST);
    nodes.sort_unstable();
    (nodes, n_all - n_all.min(MOST))
}
