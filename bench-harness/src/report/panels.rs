//! Small multiples: one panel a series, all on the same axes, with the others faint behind it.
//!
//! Twenty lines in one plot cannot be told apart, whatever their colours. In a panel of its own
//! each is named by its title, and the faint lines show where it stands among the others.
//!
//! Each plot is a chart of plotters; titles, and the texts that must keep apart, are the pen's.

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::IntoDrawingArea;
use plotters::element::{PathElement, Polygon};
use plotters::series::LineSeries;
use plotters::style::{Color, IntoFont, TRANSPARENT};

use super::backend::{Canvas, Own, ink, pixels, rgb};
use super::figure::{MARGIN, Sheet, WIDTH};
use super::number::Unit;
use super::pen::{FAINT, GREY, GRID, Pen, Stroke, Type, fit, wrap};
use super::rows::{Placed, ticks};
use super::scale::Scale;
use super::style::Style;

const ACROSS: usize = 4;
/// Width of the vertical axis's texts.
pub(super) const AXIS: f64 = 50.0;
const GAP: f64 = 22.0;
/// Where the plots of a row lie, from the first one's left to the last one's right.
pub(super) const ROW: f64 = WIDTH - 2.0 * MARGIN - AXIS;
const PLOT_WIDTH: f64 = (ROW - GAP * (ACROSS as f64 - 1.0)) / ACROSS as f64;
const PLOT_HEIGHT: f64 = 110.0;
/// Height of a panel that has a row for itself.
const WIDE_HEIGHT: f64 = 230.0;
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
    pub(super) stroke: Stroke<'static>,
    /// Whether its points carry the series' marker.
    pub(super) marked: bool,
    /// Whether it stands faintly in the other panels.
    pub(super) shared: bool,
}

impl Curve {
    /// A line without markers that stands in no other panel.
    pub(super) fn plain(points: Vec<(f64, f64)>, stroke: Stroke<'static>) -> Self {
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
    /// Whether each panel has a row for itself: for curves of many turns.
    pub(super) wide: bool,
    pub(super) across: Axis,
    pub(super) up: Axis,
    /// Drawn in every panel: the control, an optimum, what theory says.
    pub(super) references: Vec<Curve>,
    pub(super) panels: Vec<Panel>,
}

/// Draws the panels below the head of `sheet`; returns where they end.
pub(super) fn draw(sheet: &mut Sheet, chart: &Panels) -> f64 {
    let figure = sheet.id.clone();
    if chart.panels.is_empty() {
        let y = sheet.top + 12.0;
        sheet.pen.text(MARGIN, y, Type::BODY, "nothing to draw");
        return y;
    }
    let shared = format!("{figure}-others");
    let size = match chart.wide {
        true => (ROW, WIDE_HEIGHT),
        false => (PLOT_WIDTH, PLOT_HEIGHT),
    };
    let plot = Plot::new(&chart.across, &chart.up, size, 4);
    sheet.pen.define(&shared, |pen| {
        let mut paper = plot.on(pen, (0.0, 0.0));
        for curve in chart.panels.iter().flat_map(|panel| &panel.curves) {
            if curve.shared {
                let faint = Curve {
                    stroke: Stroke::solid(FAINT, 0.9),
                    ..curve.clone()
                };
                plot.curve(&mut paper, &faint, None);
            }
        }
        for curve in &chart.references {
            plot.curve(&mut paper, curve, None);
        }
    });
    let mut y = sheet.top + 12.0;
    sheet.pen.text(MARGIN, y, Type::NOTE, &chart.up.title);
    for row in chart.panels.chunks(if chart.wide { 1 } else { ACROSS }) {
        let names: Vec<Vec<String>> = row
            .iter()
            .map(|panel| wrap(&panel.name, 11.0, plot.width, 3))
            .collect();
        let most = names.iter().map(Vec::len).max().unwrap_or(1) as f64;
        y += 20.0;
        let top = y + most * LINE + 10.0;
        for (i, (panel, name)) in row.iter().zip(&names).enumerate() {
            let left = MARGIN + AXIS + i as f64 * (plot.width + GAP);
            let first = top - 10.0 - (name.len() as f64) * LINE;
            title(&mut sheet.pen, panel, name, (left, first), plot.width);
            plot.frame(&mut sheet.pen, (left, top), i == 0);
            sheet.pen.open(&format!("{}: {}", panel.name, panel.detail));
            let mut paper = plot.on(&mut sheet.pen, (left, top));
            for area in &panel.areas {
                plot.area(&mut paper, &figure, area);
            }
            drop(paper);
            sheet.pen.repeat(&shared, left, top);
            let mut paper = plot.on(&mut sheet.pen, (left, top));
            for curve in &panel.curves {
                plot.curve(&mut paper, curve, Some(panel.style));
            }
            drop(paper);
            sheet.pen.close();
        }
        y = top + plot.height + 14.0;
    }
    y += 18.0;
    let middle = MARGIN + AXIS + ROW / 2.0;
    let set = Type::NOTE.middle();
    sheet.pen.text(middle, y, set, &chart.across.title);
    y + 4.0
}

/// Name and numbers above a panel; `y` is where the name begins.
fn title(pen: &mut Pen, panel: &Panel, name: &[String], (x, y): (f64, f64), most: f64) {
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
        &fit(&panel.detail, detail.size, most),
    );
}

/// A chart of plotters, in the plot of one panel.
pub(super) type Paper<'p> = ChartContext<'p, Canvas<'p>, Cartesian2d<Scale, Scale>>;

/// Why drawing is not asked whether it worked.
const NEVER: &str = "a canvas has no errors, and one chart at a time";

/// What the plots of all panels have in common; or a plot by itself.
pub(super) struct Plot {
    pub(super) width: f64,
    pub(super) height: f64,
    across: Scale,
    up: Scale,
    across_ticks: Vec<Placed>,
    /// Values and texts along the vertical axis, as many as there is room for.
    up_texts: Vec<(f64, String)>,
}

impl Plot {
    const TICK: Type<'static> = Type {
        size: 10.0,
        ..Type::NOTE
    };

    /// A plot of this width and height, with about `upright` ticks along its vertical axis.
    pub(super) fn new(
        across: &Axis,
        up: &Axis,
        (width, height): (f64, f64),
        upright: usize,
    ) -> Self {
        let Axis { scale, unit, .. } = across;
        let across_ticks = ticks(scale, *unit, width, Self::TICK.size);
        let values = across_ticks.iter().map(|tick| tick.value).collect();
        let across = scale.clone().ticked(values);
        let Axis { scale, unit, .. } = up;
        let mut values = scale.ticks(upright);
        values.retain(|&value| scale.at(value).is_some());
        let mut free = f64::INFINITY;
        let mut up_texts = Vec::new();
        for &value in &values {
            let y = -scale.at(value).unwrap_or_default() * height;
            if y < free {
                free = y - LINE;
                let text = fit(&unit.tick(value), Self::TICK.size, AXIS - 6.0);
                up_texts.push((value, text));
            }
        }
        Self {
            width,
            height,
            across,
            up: scale.clone().ticked(values),
            across_ticks,
            up_texts,
        }
    }

    /// The chart whose plot has its upper left corner at `origin`.
    pub(super) fn on<'p>(&self, pen: &'p mut Pen, origin: (f64, f64)) -> Paper<'p> {
        self.beside(pen, origin, 0.0)
    }

    /// The same, with an axis of width `room` at its left.
    fn beside<'p>(&self, pen: &'p mut Pen, (left, top): (f64, f64), room: f64) -> Paper<'p> {
        let size = (room + self.width, self.height);
        let area = Canvas::new(pen, (left - room, top), size).into_drawing_area();
        ChartBuilder::on(&area)
            .set_label_area_size(LabelAreaPosition::Left, pixels(room))
            .build_cartesian_2d(self.across.clone(), self.up.clone())
            .expect(NEVER)
    }

    /// Whether the point can stand in the plot.
    fn holds(&self, x: f64, y: f64) -> bool {
        self.across.at(x).is_some() && self.up.at(y).is_some()
    }

    /// Where a point lies, from the plot's upper left corner; nothing where it cannot stand in it.
    pub(super) fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (x, y) = self.across.at(x).zip(self.up.at(y))?;
        Some((x * self.width, (1.0 - y) * self.height))
    }

    /// Grid and ticks; the vertical axis's texts where `first`.
    pub(super) fn frame(&self, pen: &mut Pen, (left, top): (f64, f64), first: bool) {
        let (right, bottom) = (left + self.width, top + self.height);
        let text = |value: &f64| {
            let found = self.up_texts.iter().find(|it| it.0 == *value);
            found.map(|it| it.1.clone()).unwrap_or_default()
        };
        let room = if first { AXIS } else { 0.0 };
        let mut paper = self.beside(pen, (left, top), room);
        let font = ("sans-serif", pixels(Self::TICK.size)).into_font();
        paper
            .configure_mesh()
            .bold_line_style(ink(GRID, 1.0))
            .axis_style(TRANSPARENT)
            .y_label_style(font.color(&rgb(Self::TICK.colour)))
            .y_label_formatter(&text)
            // A text stands two ticks away from its axis.
            .set_tick_mark_size(LabelAreaPosition::Left, pixels(3.0))
            .draw()
            .expect(NEVER);
        drop(paper);
        if let Some(end) = self.up.gutter() {
            let y = bottom - end * self.height;
            let stroke = Stroke {
                dash: "1 3",
                ..Stroke::solid(GREY, 1.0)
            };
            pen.line((left, y), (right, y), stroke);
        }
        for tick in &self.across_ticks {
            if let Some((middle, text)) = &tick.text {
                pen.text(left + middle, bottom + 13.0, Self::TICK.middle(), text);
            }
        }
        pen.line(
            (left, bottom),
            (right, bottom),
            Stroke::solid("#b6bec7", 1.0),
        );
    }

    fn area(&self, paper: &mut Paper<'_>, figure: &str, area: &Area) {
        let below = area.points.iter().map(|&(x, lo, _)| (x, lo));
        let above = area.points.iter().rev().map(|&(x, _, hi)| (x, hi));
        let mut outline: Vec<(f64, f64)> = below.chain(above).collect();
        outline.retain(|&(x, y)| self.holds(x, y));
        let (Fill::Tint(colour, _) | Fill::Hatch(colour)) = area.fill;
        let drawn = match (outline.len(), area.fill) {
            (0 | 1, _) => return,
            // A single x: the area is a line.
            (2, _) => {
                let line = PathElement::new(outline, ink(colour, 4.0));
                paper.draw_series([line]).map(drop)
            }
            (_, Fill::Tint(_, opacity)) => {
                let filled = Polygon::new(outline, rgb(colour).mix(opacity));
                paper.draw_series([filled]).map(drop)
            }
            (_, Fill::Hatch(_)) => {
                let hatched = Own::new(outline, |pen, corners| {
                    let fill = pen.hatch(figure, colour);
                    pen.polygon(corners, &fill, 1.0);
                });
                paper.draw_series([hatched]).map(drop)
            }
        };
        drawn.expect(NEVER);
    }

    pub(super) fn curve(&self, paper: &mut Paper<'_>, curve: &Curve, style: Option<Style>) {
        let mut points = curve.points.clone();
        points.retain(|&(x, y)| self.holds(x, y));
        let stroke = curve.stroke;
        let drawn = if stroke.dash.is_empty() {
            let line = LineSeries::new(points.clone(), ink(stroke.colour, stroke.width));
            paper.draw_series(line).map(drop)
        } else {
            let draw = |pen: &mut Pen, points: &[(f64, f64)]| pen.polyline(points, stroke);
            paper
                .draw_series([Own::new(points.clone(), draw)])
                .map(drop)
        };
        drawn.expect(NEVER);
        if let (true, Some(style)) = (curve.marked, style) {
            let markers = Own::new(points, |pen, points| {
                for &at in points {
                    pen.marker(at, 2.9, style.shape, style.colour, style.filled);
                }
            });
            paper.draw_series([markers]).expect(NEVER);
        }
    }
}
