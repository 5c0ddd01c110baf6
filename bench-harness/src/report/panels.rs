//! Small multiples: one panel a series, all on the same axes, with the others faint behind it.
//!
//! Twenty lines in one plot cannot be told apart, whatever their colours. In a panel of its own
//! each is named by its title, and the faint lines show where it stands among the others.

use super::figure::{MARGIN, Sheet, WIDTH};
use super::number::Unit;
use super::pen::{FAINT, GREY, GRID, Pen, Stroke, Type, fit, wrap};
use super::rows::ticks;
use super::scale::Scale;
use super::style::Style;

const ACROSS: usize = 4;
/// Width of the vertical axis's texts.
const AXIS: f64 = 50.0;
const GAP: f64 = 22.0;
const PLOT_WIDTH: f64 = (WIDTH - 2.0 * MARGIN - AXIS - GAP * (ACROSS as f64 - 1.0)) / ACROSS as f64;
const PLOT_HEIGHT: f64 = 110.0;
const LINE: f64 = 13.5;

/// An axis of all panels.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) title: String,
    pub(super) scale: Scale,
    pub(super) unit: Unit,
}

/// A line through points that rise in x.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) points: Vec<(f64, f64)>,
    pub(super) stroke: Stroke,
    /// Whether its points carry the series' marker.
    pub(super) marked: bool,
    /// Whether it stands faintly in the other panels.
    pub(super) shared: bool,
}

impl Curve {
    /// A line without markers that stands in no other panel.
    pub(super) fn plain(points: Vec<(f64, f64)>, stroke: Stroke) -> Self {
        Self {
            points,
            stroke,
            marked: false,
            shared: false,
        }
    }

    /// The line that a panel is about.
    pub(super) fn main(points: Vec<(f64, f64)>, style: Style) -> Self {
        Self {
            points,
            stroke: Stroke {
                dash: style.dash,
                ..Stroke::solid(style.colour, 1.8)
            },
            marked: true,
            shared: true,
        }
    }
}

/// What lies between two values, for each x.
#[derive(Clone, Debug)]
pub(super) struct Area {
    /// x, from, to.
    pub(super) points: Vec<(f64, f64, f64)>,
    pub(super) fill: Fill,
}

/// How an area is filled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fill {
    Tint(&'static str, f64),
    Hatch(&'static str),
}

/// The panel of one series.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) name: String,
    /// A number or two, in words.
    pub(super) detail: String,
    pub(super) style: Style,
    pub(super) areas: Vec<Area>,
    pub(super) curves: Vec<Curve>,
}

/// Small multiples.
#[derive(Debug)]
pub(super) struct Panels {
    pub(super) across: Axis,
    pub(super) up: Axis,
    /// Drawn in every panel: the control, an optimum, what theory says.
    pub(super) references: Vec<Curve>,
    pub(super) panels: Vec<Panel>,
}

/// Draws the panels below the head of `sheet`; returns where they end.
pub(super) fn draw(sheet: &mut Sheet, figure: &'static str, chart: &Panels) -> f64 {
    if chart.panels.is_empty() {
        let y = sheet.top + 12.0;
        sheet.pen.text(MARGIN, y, Type::BODY, "nothing to draw");
        return y;
    }
    let shared = format!("{figure}-others");
    let plot = Plot { chart };
    sheet.pen.define(&shared, |pen| {
        for curve in chart.panels.iter().flat_map(|panel| &panel.curves) {
            if curve.shared {
                let faint = Curve {
                    stroke: Stroke::solid(FAINT, 0.9),
                    ..curve.clone()
                };
                plot.curve(pen, (0.0, 0.0), &faint, None);
            }
        }
        for curve in &chart.references {
            plot.curve(pen, (0.0, 0.0), curve, None);
        }
    });
    let mut y = sheet.top + 12.0;
    sheet.pen.text(MARGIN, y, Type::NOTE, &chart.up.title);
    for row in chart.panels.chunks(ACROSS) {
        let names: Vec<Vec<String>> = row
            .iter()
            .map(|panel| wrap(&panel.name, 11.0, PLOT_WIDTH, 3))
            .collect();
        let most = names.iter().map(Vec::len).max().unwrap_or(1) as f64;
        y += 20.0;
        let top = y + most * LINE + 10.0;
        for (i, (panel, name)) in row.iter().zip(&names).enumerate() {
            let left = MARGIN + AXIS + i as f64 * (PLOT_WIDTH + GAP);
            let first = top - 10.0 - (name.len() as f64) * LINE;
            title(&mut sheet.pen, panel, name, (left, first));
            plot.frame(&mut sheet.pen, (left, top), i == 0);
            sheet.pen.open(&format!("{}: {}", panel.name, panel.detail));
            for area in &panel.areas {
                plot.area(&mut sheet.pen, figure, (left, top), area);
            }
            sheet.pen.repeat(&shared, left, top);
            for curve in &panel.curves {
                plot.curve(&mut sheet.pen, (left, top), curve, Some(panel.style));
            }
            sheet.pen.close();
        }
        y = top + PLOT_HEIGHT + 14.0;
    }
    y += 18.0;
    let middle = MARGIN + AXIS + (WIDTH - 2.0 * MARGIN - AXIS) / 2.0;
    let set = Type::NOTE.middle();
    sheet.pen.text(middle, y, set, &chart.across.title);
    y + 4.0
}

/// Name and numbers above a panel; `y` is where the name begins.
fn title(pen: &mut Pen, panel: &Panel, name: &[String], (x, y): (f64, f64)) {
    let set = Type {
        size: 11.0,
        ..Type::BODY.bold()
    };
    pen.open(&panel.name);
    for (i, line) in name.iter().enumerate() {
        pen.text(x, y + i as f64 * LINE, set, line);
    }
    pen.close();
    let detail = Type {
        size: 10.0,
        ..Type::NOTE
    };
    let below = y + name.len() as f64 * LINE;
    pen.text(
        x,
        below - 0.5,
        detail,
        &fit(&panel.detail, detail.size, PLOT_WIDTH),
    );
}

struct Plot<'a> {
    chart: &'a Panels,
}

impl Plot<'_> {
    fn place(&self, (left, top): (f64, f64), x: f64, y: f64) -> Option<(f64, f64)> {
        let across = self.chart.across.scale.at(x)?;
        let up = self.chart.up.scale.at(y)?;
        Some((left + across * PLOT_WIDTH, top + (1.0 - up) * PLOT_HEIGHT))
    }

    /// Grid and ticks; the vertical axis's texts where `first`.
    fn frame(&self, pen: &mut Pen, (left, top): (f64, f64), first: bool) {
        let (right, bottom) = (left + PLOT_WIDTH, top + PLOT_HEIGHT);
        let Axis { scale, unit, .. } = &self.chart.up;
        let set = Type {
            size: 10.0,
            ..Type::NOTE
        };
        let mut free = f64::INFINITY;
        for value in scale.ticks(4) {
            let Some(at) = scale.at(value) else { continue };
            let y = bottom - at * PLOT_HEIGHT;
            pen.line((left, y), (right, y), Stroke::solid(GRID, 1.0));
            if first && y < free {
                free = y - LINE;
                let text = fit(&unit.tick(value), set.size, AXIS - 6.0);
                pen.text(left - 6.0, y + 3.5, set.end(), &text);
            }
        }
        if let Some(end) = scale.gutter() {
            let y = bottom - end * PLOT_HEIGHT;
            let stroke = Stroke {
                dash: "1 3",
                ..Stroke::solid(GREY, 1.0)
            };
            pen.line((left, y), (right, y), stroke);
        }
        let Axis { scale, unit, .. } = &self.chart.across;
        for tick in ticks(scale, *unit, PLOT_WIDTH, set.size) {
            let x = left + tick.at;
            pen.line((x, top), (x, bottom), Stroke::solid(GRID, 1.0));
            if let Some((middle, text)) = tick.text {
                pen.text(left + middle, bottom + 13.0, set.middle(), &text);
            }
        }
        pen.line(
            (left, bottom),
            (right, bottom),
            Stroke::solid("#b6bec7", 1.0),
        );
    }

    fn area(&self, pen: &mut Pen, figure: &str, origin: (f64, f64), area: &Area) {
        let corner = |x: f64, y: f64| self.place(origin, x, y);
        let below = area.points.iter().filter_map(|&(x, lo, _)| corner(x, lo));
        let above = area
            .points
            .iter()
            .rev()
            .filter_map(|&(x, _, hi)| corner(x, hi));
        let outline: Vec<(f64, f64)> = below.chain(above).collect();
        if let [from, to] = outline[..] {
            // A single x: the area is a line.
            let (Fill::Tint(colour, _) | Fill::Hatch(colour)) = area.fill;
            pen.line(from, to, Stroke::solid(colour, 4.0));
        }
        if outline.len() < 3 {
            return;
        }
        match area.fill {
            Fill::Tint(colour, opacity) => pen.polygon(&outline, colour, opacity),
            Fill::Hatch(colour) => {
                let fill = pen.hatch(figure, colour);
                pen.polygon(&outline, &fill, 1.0);
            }
        }
    }

    fn curve(&self, pen: &mut Pen, origin: (f64, f64), curve: &Curve, style: Option<Style>) {
        let points = curve.points.iter();
        let points: Vec<(f64, f64)> = points
            .filter_map(|&(x, y)| self.place(origin, x, y))
            .collect();
        pen.polyline(&points, curve.stroke);
        if let (true, Some(style)) = (curve.marked, style) {
            for &at in &points {
                pen.marker(at, 2.9, style.shape, style.colour, style.filled);
            }
        }
    }
}
