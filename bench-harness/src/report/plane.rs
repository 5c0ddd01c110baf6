//! One wide plot of two axes: marks with names, lines between them, and levels across.
//!
//! Names stand beside their marks where there is room, the important ones first; what has none is told
//! to the caller. Every mark shows what it is under the pointer.

use super::figure::{MARGIN, Sheet};
use super::panels::{AXIS, Axis, Curve, Plot, ROW};
use super::pen::{Anchor, FAINT, GREY, INK, PAPER, Stroke, Type, width};
use super::style::{Shape, Style};

/// Room at the right for the names of lines.
const ENDS: f64 = 84.0;
/// Height of a line of text.
const LINE: f64 = 12.5;
/// Size of the names in a plot.
const SIZE: f64 = 10.0;
/// How far a mark reaches.
const REACH: f64 = 4.0;

/// A mark.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) at: (f64, f64),
    pub(super) style: Style,
    pub(super) rank: Rank,
    /// Shown under the pointer.
    pub(super) hover: String,
    /// What stands beside it; empty for nothing.
    pub(super) name: String,
}

/// How loudly a mark speaks; those that speak loudest are drawn last and named first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Rank {
    /// It stands there for comparison alone.
    Faint,
    Usual,
    /// It has to be named.
    Main,
}

/// A level across the plot, with what it is.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) at: f64,
    pub(super) name: String,
}

/// A line with a name at its right end.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) curve: Curve,
    /// Empty for none.
    pub(super) name: String,
}

/// A plot.
#[derive(Debug)]
pub(super) struct Plane {
    /// Stands above it; empty for none.
    pub(super) title: String,
    pub(super) across: Axis,
    pub(super) up: Axis,
    pub(super) height: f64,
    pub(super) levels: Vec<Level>,
    pub(super) lines: Vec<Named>,
    pub(super) marks: Vec<Mark>,
}

/// A text's or a mark's place on the paper.
#[derive(Clone, Copy)]
struct Box {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Box {
    fn apart(&self, other: &Self) -> bool {
        self.right <= other.left
            || other.right <= self.left
            || self.bottom <= other.top
            || other.bottom <= self.top
    }

    fn within(&self, other: &Self) -> bool {
        other.left <= self.left
            && self.right <= other.right
            && other.top <= self.top
            && self.bottom <= other.bottom
    }

    /// A mark's.
    fn mark((x, y): (f64, f64)) -> Self {
        Self {
            left: x - REACH,
            right: x + REACH,
            top: y - REACH,
            bottom: y + REACH,
        }
    }
}

/// Draws it from `y` on: where it ends, and the main names for which there was no room.
pub(super) fn draw(sheet: &mut Sheet, plane: &Plane, mut y: f64) -> (f64, Vec<String>) {
    if !plane.title.is_empty() {
        y += 14.0;
        let set = Type::BODY.bold();
        sheet.pen.text(MARGIN, y, set, &plane.title);
    }
    y += 16.0;
    sheet.pen.text(MARGIN, y, Type::NOTE, &plane.up.title);
    let named = plane.lines.iter().any(|it| !it.name.is_empty());
    let room = if named { ENDS } else { 0.0 };
    let size = (ROW - room, plane.height);
    let plot = Plot::new(
        &plane.across,
        &plane.up,
        size,
        (plane.height / 40.0) as usize,
    );
    let origin = (MARGIN + AXIS, y + 10.0);
    let bottom = origin.1 + plot.height;
    plot.frame(&mut sheet.pen, origin, true);
    let mut taken = levels(sheet, plane, &plot, origin);
    for Named { curve, name } in &plane.lines {
        if !name.is_empty() {
            sheet.pen.open(name);
        }
        let mut paper = plot.on(&mut sheet.pen, origin);
        plot.curve(&mut paper, curve, None);
        drop(paper);
        if !name.is_empty() {
            sheet.pen.close();
        }
    }
    ends(sheet, plane, &plot, origin);
    let without = marks(sheet, plane, &plot, origin, &mut taken);
    let middle = origin.0 + plot.width / 2.0;
    let set = Type::NOTE.middle();
    sheet
        .pen
        .text(middle, bottom + 29.0, set, &plane.across.title);
    (bottom + 34.0, without)
}

/// The levels, each with its name above it at the left; the places of the names.
fn levels(sheet: &mut Sheet, plane: &Plane, plot: &Plot, (left, top): (f64, f64)) -> Vec<Box> {
    let stroke = Stroke {
        dash: "4 3",
        ..Stroke::solid(GREY, 1.0)
    };
    let mut taken = Vec::new();
    for level in &plane.levels {
        let Some(at) = plane.up.scale.at(level.at) else {
            continue;
        };
        let y = top + (1.0 - at) * plot.height;
        sheet.pen.line((left, y), (left + plot.width, y), stroke);
        let set = Type {
            size: SIZE,
            ..Type::NOTE
        };
        sheet.pen.text(left + 4.0, y - 3.0, set, &level.name);
        taken.push(text_box((left + 4.0, y - 3.0), Anchor::Start, &level.name));
    }
    taken
}

/// The names of the lines, at their right ends and apart from each other.
fn ends(sheet: &mut Sheet, plane: &Plane, plot: &Plot, (left, top): (f64, f64)) {
    let mut ends: Vec<(f64, &Named)> = plane
        .lines
        .iter()
        .filter(|it| !it.name.is_empty())
        .filter_map(|it| Some((plot.place(*it.curve.points.last()?)?.1, it)))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The last stands by its end or above it, so that all stay within the plot.
    let mut free = plot.height + 4.0;
    for (y, _) in ends.iter_mut().rev() {
        *y = y.min(free);
        free = *y - LINE;
    }
    let mut free = 0.0;
    for (y, named) in ends {
        let y = y.max(free);
        free = y + LINE;
        let set = Type {
            size: SIZE,
            colour: named.curve.stroke.colour,
            ..Type::BODY.bold()
        };
        let x = left + plot.width + 8.0;
        sheet.pen.text(x, top + y + 3.5, set, &named.name);
    }
}

/// The marks, and their names where there is room; the main names for which there is none.
fn marks(
    sheet: &mut Sheet,
    plane: &Plane,
    plot: &Plot,
    (left, top): (f64, f64),
    taken: &mut Vec<Box>,
) -> Vec<String> {
    let placed = plane.marks.iter().filter_map(|mark| {
        let (x, y) = plot.place(mark.at)?;
        Some(((left + x, top + y), mark))
    });
    let mut placed: Vec<((f64, f64), &Mark)> = placed.collect();
    placed.sort_by_key(|it| it.1.rank);
    for &(at, mark) in &placed {
        let (r, style) = match mark.rank {
            Rank::Faint => (2.0, faint(mark.style)),
            Rank::Usual => (2.6, mark.style),
            Rank::Main => (3.8, mark.style),
        };
        sheet.pen.open(&mark.hover);
        sheet
            .pen
            .marker(at, r, style.shape, style.colour, style.filled);
        sheet.pen.close();
    }
    taken.extend(placed.iter().map(|it| Box::mark(it.0)));
    let frame = Box {
        left,
        right: left + plot.width,
        top: top - 6.0,
        bottom: top + plot.height - 1.0,
    };
    let mut without = Vec::new();
    for &(at, mark) in placed.iter().rev().filter(|it| !it.1.name.is_empty()) {
        let found = spots(at).into_iter().find(|&(place, anchor)| {
            let text = text_box(place, anchor, &mark.name);
            text.within(&frame) && taken.iter().all(|it| it.apart(&text))
        });
        let main = mark.rank == Rank::Main;
        let Some((place, anchor)) = found else {
            if main {
                without.push(mark.name.clone());
            }
            continue;
        };
        let text = text_box(place, anchor, &mark.name);
        taken.push(text);
        let middle = place.1 - 3.5;
        if (middle - at.1).abs() > 18.0 {
            let stroke = Stroke::solid(FAINT, 0.8);
            sheet.pen.line(at, (place.0, middle), stroke);
        }
        // Lines end at a name, so that they do not strike it out.
        let size = (text.right - text.left, text.bottom - text.top);
        sheet.pen.rect(text.left, text.top, size.0, size.1, PAPER);
        let set = Type {
            size: SIZE,
            anchor,
            bold: main,
            colour: if main { INK } else { GREY },
        };
        sheet.pen.text(place.0, place.1, set, &mark.name);
    }
    without.sort();
    without.dedup();
    without
}

/// Where a name may stand by its mark, the best first: beside, above and below, further up and down.
fn spots((x, y): (f64, f64)) -> Vec<((f64, f64), Anchor)> {
    let mut spots = vec![
        ((x + 7.0, y + 3.5), Anchor::Start),
        ((x - 7.0, y + 3.5), Anchor::End),
        ((x, y - 7.0), Anchor::Middle),
        ((x, y + 14.5), Anchor::Middle),
    ];
    for step in 1..6 {
        let down = f64::from(step) * LINE;
        for dy in [-down, down] {
            spots.push(((x + 7.0, y + 3.5 + dy), Anchor::Start));
            spots.push(((x - 7.0, y + 3.5 + dy), Anchor::End));
        }
    }
    spots
}

fn text_box((x, y): (f64, f64), anchor: Anchor, text: &str) -> Box {
    let wide = width(text, SIZE);
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - wide / 2.0,
        Anchor::End => x - wide,
    };
    Box {
        left,
        right: left + wide,
        top: y - 9.0,
        bottom: y + 3.0,
    }
}

/// The looks of a mark that stands in the background.
fn faint(style: Style) -> Style {
    Style {
        colour: FAINT,
        shape: Shape::Circle,
        filled: true,
        ..style
    }
}
