//! The ring itself: who owns which arc of it.

use super::need;
use crate::record::ArcRow;
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, MARGIN, Section, Sheet, WIDTH};
use crate::report::number::{Unit, plural};
use crate::report::pen::{GREY, INK, PAPER, Stroke, Type, fit, width};
use crate::report::scale::usable;
use crate::report::table::{Drawn, Table};

/// Colours of the nodes: four that differ for everybody, in turn.
const NODES: [&str; 4] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"];
/// Ink that reads on each of them.
const INKS: [&str; 4] = [PAPER, INK, PAPER, INK];
const NAMES: f64 = 150.0;
const SHARE: f64 = 62.0;
const HEIGHT: f64 = 26.0;
/// More nodes have no room for their shares beside the strip.
const MOST_SHARES: u64 = 4;

/// A ring, cut open and laid flat.
struct Strip<'a> {
    strategy: &'a str,
    points: u64,
    nodes: u64,
    arcs: Vec<&'a ArcRow>,
}

/// Strips for few and many points a node.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-balance-ring";
    let table = need(&cx.data.points, "data/points.csv")?;
    let mut drawn = Drawn::default();
    let strips = collect(table, &mut drawn);
    let nodes = strips.first().ok_or("data/points.csv has no arcs")?.nodes;
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Balance,
        title: format!("The ring itself, cut open: {}", plural(nodes, "node")),
        reading: "Each strip is the whole key space, once round the ring; a colour is what one node owns. With one \
                  point a node chance decides who owns half of everything; with more points the pieces are smaller \
                  and their sums more even."
            .to_owned(),
        legend: Vec::new(),
    });
    let shown = nodes.min(MOST_SHARES);
    let left = MARGIN + NAMES + 12.0;
    let right = WIDTH - MARGIN - SHARE * shown as f64;
    let mut y = sheet.top + 18.0;
    for node in 0..shown {
        let x = right + SHARE * (node as f64 + 1.0);
        let text = format!("node {}", node + 1);
        let wide = width(&text, Type::NOTE.size);
        sheet
            .pen
            .rect(x - wide - 13.0, y - 8.0, 9.0, 9.0, of(&NODES, node));
        sheet.pen.text(x, y, Type::NOTE.end(), &text);
    }
    y += 10.0;
    for strip in &strips {
        let middle = y + HEIGHT / 2.0 + 4.0;
        let name = format!("{} a node", plural(strip.points, "point"));
        sheet
            .pen
            .text(left - 12.0, middle - 6.0, Type::BODY.end(), &name);
        let spec = fit(strip.strategy, Type::NOTE.size, NAMES);
        sheet
            .pen
            .text(left - 12.0, middle + 8.0, Type::NOTE.end(), &spec);
        let shares = arcs(&mut sheet, strip, (left, right), y);
        for (node, share) in shares.iter().take(MOST_SHARES as usize).enumerate() {
            let x = right + SHARE * (node as f64 + 1.0);
            sheet
                .pen
                .text(x, middle, Type::BODY.end(), &Unit::Share.text(*share));
        }
        y += HEIGHT + 16.0;
    }
    let set = Type::NOTE.middle();
    for (share, text) in [(0.0, "0"), (0.5, "half way round"), (1.0, "1")] {
        let x = left + share * (right - left);
        sheet
            .pen
            .line((x, y - 12.0), (x, y - 7.0), Stroke::solid(GREY, 1.0));
        sheet.pen.text(x, y + 3.0, set, text);
    }
    Ok(sheet.finish(cx, y + 8.0, Vec::new(), Absent::default(), &drawn))
}

fn collect<'a>(table: &'a Table<ArcRow>, drawn: &mut Drawn) -> Vec<Strip<'a>> {
    let mut strips: Vec<Strip<'a>> = Vec::new();
    for (i, arc) in table.rows.iter().enumerate() {
        if !(usable(arc.start) && usable(arc.end)) {
            continue;
        }
        drawn.note(table, i);
        let same = strips.iter_mut().find(|strip| {
            strip.strategy == arc.strategy
                && strip.points == arc.points_per_node
                && strip.nodes == arc.nodes
        });
        match same {
            Some(strip) => strip.arcs.push(arc),
            None => strips.push(Strip {
                strategy: &arc.strategy,
                points: arc.points_per_node,
                nodes: arc.nodes,
                arcs: vec![arc],
            }),
        }
    }
    strips.sort_by(|a, b| a.points.cmp(&b.points).then(a.strategy.cmp(b.strategy)));
    strips
}

/// Draws a strip; returns the share of each node.
fn arcs(sheet: &mut Sheet, strip: &Strip<'_>, (left, right): (f64, f64), y: f64) -> Vec<f64> {
    let mut shares = vec![0.0; usize::try_from(strip.nodes.min(MOST_SHARES)).unwrap_or(0)];
    for arc in &strip.arcs {
        let (start, end) = (arc.start.clamp(0.0, 1.0), arc.end.clamp(0.0, 1.0));
        let share = (end - start).max(0.0);
        if let Some(sum) = usize::try_from(arc.node)
            .ok()
            .and_then(|i| shares.get_mut(i))
        {
            *sum += share;
        }
        let (x, wide) = (left + start * (right - left), share * (right - left));
        sheet.pen.open(&format!(
            "node {}: {} of the ring",
            arc.node + 1,
            Unit::Share.text(share)
        ));
        sheet.pen.rect(x, y, wide, HEIGHT, of(&NODES, arc.node));
        sheet.pen.close();
        // The number of the node, where its arc has room for it.
        if wide > 18.0 {
            let set = Type {
                colour: of(&INKS, arc.node),
                ..Type::BODY.bold().middle()
            };
            let text = (arc.node + 1).to_string();
            sheet
                .pen
                .text(x + wide / 2.0, y + HEIGHT / 2.0 + 4.0, set, &text);
        }
    }
    let (a, b) = ((left, y + HEIGHT), (right, y + HEIGHT));
    sheet.pen.line(a, b, Stroke::solid(INK, 0.6));
    shares
}

fn of(palette: &[&'static str; 4], node: u64) -> &'static str {
    palette[usize::try_from(node % 4).expect("below four")]
}
