//! Horizontal rows: a name on the left, marks on one or more axes, numbers beside them.

use super::absent::Reason;
use super::field::Series;
use super::figure::{HEAVY_TICK, MARGIN, Sheet, TICK, WIDTH};
use super::number::Unit;
use super::pen::{BAND, GREY, GRID, INK, Stroke, Type, fit, width, wrap};
use super::scale::Scale;
use super::style::Style;

/// Width of the names.
const NAMES: f64 = 262.0;
/// Between the names, the plots and the numbers.
const GAP: f64 = 14.0;
/// Width of a column of numbers.
const NUMBER: f64 = 62.0;
/// Height of a line of a name.
const LINE: f64 = 14.0;

/// A mark on an axis.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    Bar { from: f64, to: f64, hatched: bool },
    Dot { at: f64, size: f64, filled: bool },
    Range { lo: f64, hi: f64 },
    Tick { at: f64, heavy: bool },
    Band { lo: f64, hi: f64 },
}

/// An axis with its numbers.
#[derive(Debug)]
pub(super) struct Column {
    /// What the axis shows, with its unit.
    pub(super) title: String,
    pub(super) scale: Scale,
    pub(super) unit: Unit,
    /// Heads of the numbers beside it.
    pub(super) numbers: Vec<&'static str>,
}

/// What a row shows in a column.
#[derive(Clone, Default, Debug)]
pub(super) struct Cell {
    pub(super) marks: Vec<Mark>,
    /// As many as the column has heads; none where there is nothing to draw.
    pub(super) numbers: Vec<String>,
    /// Stands where there is nothing to draw: why.
    pub(super) word: &'static str,
    /// Shown under the pointer.
    pub(super) hover: String,
}

/// A row.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) style: Style,
    /// Heading that it stands under; a new one is drawn where it differs from the row before.
    pub(super) group: Option<String>,
    /// A cell a column.
    pub(super) cells: Vec<Cell>,
}

impl Line {
    /// The row of a series, under no heading.
    pub(super) fn of(series: &Series<'_>, cells: Vec<Cell>) -> Self {
        Self {
            name: series.name.clone(),
            style: series.style,
            group: None,
            cells,
        }
    }
}

impl Cell {
    pub(super) fn new(marks: Vec<Mark>, numbers: Vec<String>, hover: String) -> Self {
        Self {
            marks,
            numbers,
            word: "",
            hover,
        }
    }

    /// A cell without a mark, and the word for it.
    pub(super) fn without(reason: &Reason) -> Self {
        Self {
            word: reason.word(),
            ..Self::default()
        }
    }
}

/// Draws the rows below the head of `sheet`; returns where they end.
pub(super) fn draw(sheet: &mut Sheet, columns: &[Column], lines: &[Line]) -> f64 {
    if lines.is_empty() {
        let y = sheet.top + 12.0;
        sheet.pen.text(MARGIN, y, Type::BODY, "nothing to draw");
        return y;
    }
    let layout = Layout::new(columns);
    let top = layout.heads(sheet, columns);
    let mut rows = Vec::new();
    let mut y = top + 4.0;
    let mut group = None;
    for line in lines {
        if line.group.is_some() && group != line.group.as_ref() {
            group = line.group.as_ref();
            y += 21.0;
        }
        let name = wrap(&line.name, Type::BODY.size, NAMES, 3);
        let height = (name.len() as f64 * LINE + 8.0).max(22.0);
        rows.push((y, height, name));
        y += height;
    }
    let bottom = y + 2.0;
    layout.grid(sheet, columns, top, bottom);
    let mut group = None;
    for (line, (y, height, name)) in lines.iter().zip(&rows) {
        if line.group.is_some() && group != line.group.as_ref() {
            group = line.group.as_ref();
            heading(sheet, line.group.as_deref().unwrap_or_default(), *y);
        }
        let middle = y + height / 2.0;
        names(sheet, &line.name, name, middle);
        for (i, cell) in line.cells.iter().enumerate() {
            layout.cell(sheet, (i, &columns[i]), (cell, line.style), (*y, *height));
        }
    }
    bottom + 18.0
}

fn heading(sheet: &mut Sheet, text: &str, y: f64) {
    let set = Type {
        size: 11.0,
        colour: GREY,
        ..Type::BODY.bold()
    };
    sheet
        .pen
        .text(MARGIN, y - 5.0, set, &fit(text, set.size, NAMES));
}

/// The name, right beside the axis, in as many lines as it took.
fn names(sheet: &mut Sheet, full: &str, lines: &[String], middle: f64) {
    sheet.pen.open(full);
    let mut y = middle - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
    for line in lines {
        sheet.pen.text(MARGIN + NAMES, y, Type::BODY.end(), line);
        y += LINE;
    }
    sheet.pen.close();
}

struct Layout {
    /// Left end and width of each plot.
    plots: Vec<(f64, f64)>,
    /// Right ends of each column's numbers.
    numbers: Vec<Vec<f64>>,
}

impl Layout {
    fn new(columns: &[Column]) -> Self {
        let left = MARGIN + NAMES + GAP;
        let numbers: usize = columns.iter().map(|column| column.numbers.len()).sum();
        let gaps = GAP * (columns.len() as f64 - 1.0).max(0.0);
        let free = WIDTH - MARGIN - left - numbers as f64 * NUMBER - gaps;
        let plot = free / columns.len().max(1) as f64;
        let (mut x, mut layout) = (
            left,
            Self {
                plots: Vec::new(),
                numbers: Vec::new(),
            },
        );
        for column in columns {
            layout.plots.push((x, plot));
            x += plot;
            let ends = (1..=column.numbers.len()).map(|i| x + i as f64 * NUMBER);
            layout.numbers.push(ends.collect());
            x += column.numbers.len() as f64 * NUMBER + GAP;
        }
        layout
    }

    /// Draws the columns' titles and the heads of the numbers; returns where the rows begin.
    fn heads(&self, sheet: &mut Sheet, columns: &[Column]) -> f64 {
        let set = Type {
            size: 11.0,
            ..Type::BODY.bold()
        };
        let titles: Vec<Vec<String>> = columns
            .iter()
            .zip(&self.plots)
            .map(|(column, &(_, plot))| {
                let room = plot + column.numbers.len() as f64 * NUMBER;
                wrap(&column.title, set.size, room, 3)
            })
            .collect();
        let most = titles.iter().map(Vec::len).max().unwrap_or(0);
        let base = sheet.top + 12.0;
        for (title, &(x, _)) in titles.iter().zip(&self.plots) {
            for (i, line) in title.iter().enumerate() {
                sheet.pen.text(x, base + i as f64 * LINE, set, line);
            }
        }
        let mut top = base + most as f64 * LINE;
        if self.numbers.iter().any(|ends| !ends.is_empty()) {
            for (column, ends) in columns.iter().zip(&self.numbers) {
                for (head, &x) in column.numbers.iter().zip(ends) {
                    sheet.pen.text(x, top + 2.0, Type::NOTE.end(), head);
                }
            }
            top += 8.0;
        }
        top
    }

    /// Draws the grid and the ticks' texts below it.
    fn grid(&self, sheet: &mut Sheet, columns: &[Column], top: f64, bottom: f64) {
        for (column, &(left, plot)) in columns.iter().zip(&self.plots) {
            let set = Type::NOTE.middle();
            for tick in ticks(&column.scale, column.unit, plot, set.size) {
                let (value, x) = (tick.value, left + tick.at);
                let stroke = Stroke::solid(if value == 0.0 { "#b6bec7" } else { GRID }, 1.0);
                sheet.pen.line((x, top), (x, bottom), stroke);
                if let Some((at, text)) = tick.text {
                    sheet.pen.text(left + at, bottom + 13.0, set, &text);
                }
            }
            if let Some(end) = column.scale.gutter() {
                let x = left + end * plot;
                let stroke = Stroke {
                    dash: "1 3",
                    ..Stroke::solid(GREY, 1.0)
                };
                sheet.pen.line((x, top), (x, bottom), stroke);
            }
            sheet.pen.line(
                (left, bottom),
                (left + plot, bottom),
                Stroke::solid("#b6bec7", 1.0),
            );
        }
    }

    fn cell(
        &self,
        sheet: &mut Sheet,
        (i, column): (usize, &Column),
        (cell, style): (&Cell, Style),
        (top, height): (f64, f64),
    ) {
        let y = top + height / 2.0;
        let (left, plot) = self.plots[i];
        let at = |value: f64| column.scale.at(value).map(|share| left + share * plot);
        sheet.pen.text(left + 4.0, y + 4.0, Type::NOTE, cell.word);
        sheet.pen.open(&cell.hover);
        for mark in &cell.marks {
            match *mark {
                Mark::Bar { from, to, hatched } => {
                    let (Some(a), Some(b)) = (at(from), at(to)) else {
                        continue;
                    };
                    let fill = if hatched {
                        sheet.pen.hatch(&sheet.id, style.colour)
                    } else {
                        style.colour.to_owned()
                    };
                    sheet
                        .pen
                        .rect(a.min(b), y - 5.5, (b - a).abs(), 11.0, &fill);
                }
                Mark::Dot {
                    at: value,
                    size,
                    filled,
                } => {
                    if let Some(x) = at(value) {
                        sheet
                            .pen
                            .marker((x, y), size, style.shape, style.colour, filled);
                    }
                }
                Mark::Range { lo, hi } => {
                    if let (Some(a), Some(b)) = (at(lo), at(hi)) {
                        let stroke = Stroke::solid(style.colour, 1.8);
                        sheet.pen.line((a, y), (b, y), stroke);
                    }
                }
                Mark::Tick { at: value, heavy } => {
                    if let Some(x) = at(value) {
                        let stroke = if heavy { HEAVY_TICK } else { TICK };
                        sheet.pen.line((x, y - 7.5), (x, y + 7.5), stroke);
                    }
                }
                Mark::Band { lo, hi } => {
                    if let (Some(a), Some(b)) = (at(lo), at(hi)) {
                        sheet.pen.rect(a, top, b - a, height, BAND);
                    }
                }
            }
        }
        sheet.pen.close();
        for (text, &x) in cell.numbers.iter().zip(&self.numbers[i]) {
            let set = Type {
                size: 10.5,
                colour: INK,
                ..Type::NOTE.end()
            };
            sheet
                .pen
                .text(x, y + 4.0, set, &fit(text, set.size, NUMBER - 6.0));
        }
    }
}

/// A tick of an axis.
pub(super) struct Placed {
    pub(super) value: f64,
    /// Distance from the axis's beginning.
    pub(super) at: f64,
    /// Middle of its text and the text, where there is room for one.
    pub(super) text: Option<(f64, String)>,
}

/// The ticks of an axis of `length`, as many as their texts have room for side by side, set at
/// `size`. A text stands out of the axis by a few units at most.
pub(super) fn ticks(scale: &Scale, unit: Unit, length: f64, size: f64) -> Vec<Placed> {
    let most = (length / 36.0).max(2.0) as usize;
    let mut placed = Vec::new();
    for wanted in (2..=most).rev() {
        placed = place(scale.ticks(wanted), scale, unit, length, size);
        if placed.iter().all(|tick| tick.text.is_some()) {
            break;
        }
    }
    placed
}

fn place(values: Vec<f64>, scale: &Scale, unit: Unit, length: f64, size: f64) -> Vec<Placed> {
    const OUT: f64 = GAP / 2.0 - 1.0;
    let mut end = f64::NEG_INFINITY;
    let placed = values.into_iter().filter_map(|value| {
        let at = scale.at(value)? * length;
        let text = unit.tick(value);
        let wide = width(&text, size);
        let middle = at.max(wide / 2.0 - OUT).min(length + OUT - wide / 2.0);
        let room = middle - wide / 2.0 > end + 6.0;
        if room {
            end = middle + wide / 2.0;
        }
        let text = room.then_some((middle, text));
        Some(Placed { value, at, text })
    });
    placed.collect()
}
