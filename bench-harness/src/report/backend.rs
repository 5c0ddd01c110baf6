//! A backend for plotters that draws with our [`Pen`].
//!
//! plotters counts in whole pixels; a [`Canvas`] gives it ten to each unit of the pen, so that a
//! mark stands where its value is, to the pen's one decimal. What plotters has no style for (a
//! dash, a hatch, a marker of ours) is an [`Own`] element: plotters places it, the pen draws it.

use std::convert::Infallible;

use plotters::element::{Drawable, PointCollection};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{RGBColor, ShapeStyle};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};

use super::pen::{Anchor, Pen, Stroke, Type, width};
use super::style::Shape;

/// Pixels of a canvas in a unit of the pen.
const FINE: f64 = 10.0;

/// A length of the pen in pixels of a canvas.
pub(super) fn pixels(length: f64) -> i32 {
    (length * FINE).round() as i32
}

/// A colour as plotters has it.
pub(super) fn rgb(colour: &str) -> RGBColor {
    let part = |at: usize| u8::from_str_radix(&colour[at..at + 2], 16);
    let part = |at| part(at).expect("a colour is # and six hexadecimal digits");
    RGBColor(part(1), part(3), part(5))
}

/// A line's colour and width as plotters has them.
pub(super) fn ink(colour: &str, width: f64) -> ShapeStyle {
    ShapeStyle::from(rgb(colour)).stroke_width(pixels(width).unsigned_abs())
}

fn hex(BackendColor { rgb: (r, g, b), .. }: BackendColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A part of a drawing, lent to plotters.
///
/// Lines and texts are opaque or, at an alpha of 0, not there at all; only fills are translucent.
/// Texts stand upright.
pub(super) struct Canvas<'p> {
    pen: &'p mut Pen,
    origin: (f64, f64),
    size: (f64, f64),
}

impl<'p> Canvas<'p> {
    /// The part of `size` whose upper left corner is `origin`.
    pub(super) fn new(pen: &'p mut Pen, origin: (f64, f64), size: (f64, f64)) -> Self {
        Self { pen, origin, size }
    }

    fn place(&self, (x, y): BackendCoord) -> (f64, f64) {
        let (left, top) = self.origin;
        (left + f64::from(x) / FINE, top + f64::from(y) / FINE)
    }

    fn places(&self, points: impl IntoIterator<Item = BackendCoord>) -> Vec<(f64, f64)> {
        points.into_iter().map(|it| self.place(it)).collect()
    }
}

/// No drawing fails.
type Done = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    /// One pixel more than the size, because plotters leaves out the last one.
    fn get_size(&self) -> (u32, u32) {
        let with_end = |length| pixels(length).unsigned_abs() + 1;
        (with_end(self.size.0), with_end(self.size.1))
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Done {
        self.draw_rect(at, (at.0 + 1, at.1 + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        if style.color().alpha > 0.0 {
            let colour = hex(style.color());
            let stroke = Stroke::solid(&colour, f64::from(style.stroke_width()) / FINE);
            let (from, to) = (self.place(from), self.place(to));
            self.pen.line(from, to, stroke);
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        if style.color().alpha > 0.0 {
            let colour = hex(style.color());
            let stroke = Stroke::solid(&colour, f64::from(style.stroke_width()) / FINE);
            let points = self.places(path);
            self.pen.polyline(&points, stroke);
        }
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        if fill {
            self.fill_polygon(corners, style)
        } else {
            self.draw_path(corners.into_iter().chain([corners[0]]), style)
        }
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Done {
        let colour = style.color();
        if colour.alpha > 0.0 {
            let points = self.places(corners);
            self.pen.polygon(&points, &hex(colour), colour.alpha);
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        middle: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        if style.color().alpha > 0.0 {
            let (at, r) = (self.place(middle), f64::from(radius) / FINE);
            let colour = hex(style.color());
            self.pen.marker(at, r, Shape::Circle, &colour, fill);
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        if style.color().alpha > 0.0 {
            let size = style.size() / FINE;
            let (x, y) = self.place(at);
            // The pen asks for the base line: small letters are about half an em high.
            let down = match style.anchor().v_pos {
                VPos::Top => 0.76,
                VPos::Center => 0.35,
                VPos::Bottom => -0.22,
            };
            let anchor = match style.anchor().h_pos {
                HPos::Left => Anchor::Start,
                HPos::Center => Anchor::Middle,
                HPos::Right => Anchor::End,
            };
            let set = Type {
                size,
                anchor,
                bold: matches!(style.style(), FontStyle::Bold),
                colour: &hex(style.color()),
            };
            self.pen.text(x, y + down * size, set, text);
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let size = style.size() / FINE;
        let wide = pixels(width(text, size)).unsigned_abs();
        Ok((wide, pixels(size).unsigned_abs()))
    }
}

/// An element that plotters places and the pen draws.
pub(super) struct Own<F> {
    points: Vec<(f64, f64)>,
    draw: F,
}

impl<F: Fn(&mut Pen, &[(f64, f64)])> Own<F> {
    /// Values in the coordinates of a chart, and what draws them once they are places.
    pub(super) fn new(points: Vec<(f64, f64)>, draw: F) -> Self {
        Self { points, draw }
    }
}

impl<'a, F> PointCollection<'a, (f64, f64)> for &'a Own<F> {
    type Point = &'a (f64, f64);
    type IntoIter = &'a [(f64, f64)];

    fn point_iter(self) -> Self::IntoIter {
        &self.points
    }
}

impl<'p, F: Fn(&mut Pen, &[(f64, f64)])> Drawable<Canvas<'p>> for Own<F> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        points: I,
        canvas: &mut Canvas<'p>,
        _: (u32, u32),
    ) -> Done {
        let points = canvas.places(points);
        (self.draw)(canvas.pen, &points);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use plotters::prelude::{
        ChartBuilder, Circle, Color, IntoDrawingArea, IntoFont, PathElement, Polygon, Rectangle,
        Text,
    };

    use super::*;
    use crate::report::scale::Scale;

    /// Checks what one element becomes, on a canvas of 20 by 10 at (100, 50) whose axes go from 0
    /// to 1.
    #[track_caller]
    fn check<E>(element: E, expected: &str)
    where
        for<'b> &'b E: PointCollection<'b, (f64, f64)>,
        for<'p> E: Drawable<Canvas<'p>>,
    {
        let mut pen = Pen::default();
        {
            let area = Canvas::new(&mut pen, (100.0, 50.0), (20.0, 10.0)).into_drawing_area();
            let mut chart = ChartBuilder::on(&area)
                .build_cartesian_2d(Scale::linear(0.0, 1.0), Scale::linear(0.0, 1.0))
                .expect("a chart");
            chart.draw_series([element]).expect("an element");
        }
        let svg = pen.finish((200.0, 100.0), "", "", &[]);
        let shape = svg.lines().rev().nth(1).expect("a shape");
        assert_eq!(shape, expected);
    }

    #[test]
    fn each_shape_reaches_the_pen() {
        let ends = vec![(0.0, 0.0), (0.5, 0.125), (1.0, 1.0)];
        check(
            PathElement::new(ends.clone(), ink("#0072b2", 1.8)),
            r##"<polyline points="100,60 110,58.7 120,50" fill="none" stroke-linejoin="round" stroke="#0072b2" stroke-width="1.8"/>"##,
        );
        check(
            Polygon::new(ends.clone(), rgb("#e69f00").mix(0.3)),
            r##"<polygon points="100,60 110,58.7 120,50" fill="#e69f00" fill-opacity="0.3"/>"##,
        );
        check(
            Rectangle::new([(0.0, 1.0), (1.0, 0.5)], rgb("#000000").filled()),
            r##"<polygon points="100,50 120,50 120,55 100,55" fill="#000000" fill-opacity="1"/>"##,
        );
        check(
            Circle::new((0.5, 0.5), pixels(2.5), rgb("#000000")),
            r##"<circle cx="110" cy="55" r="2.5" fill="#ffffff" stroke="#000000" stroke-width="1.4"/>"##,
        );
        check(
            Text::new("a<b", (0.5, 0.5), ("sans-serif", 100).into_font()),
            r##"<text x="110" y="62.6" font-size="10" fill="#000000">a&lt;b</text>"##,
        );
        let dashed = Stroke {
            dash: "4 3",
            ..Stroke::solid("#000000", 1.0)
        };
        check(
            Own::new(ends, move |pen, points| pen.polyline(points, dashed)),
            r##"<polyline points="100,60 110,58.7 120,50" fill="none" stroke-linejoin="round" stroke="#000000" stroke-width="1" stroke-dasharray="4 3"/>"##,
        );
    }

    #[test]
    fn texts_are_as_wide_as_the_pen_takes_them() {
        let mut pen = Pen::default();
        let area = Canvas::new(&mut pen, (0.0, 0.0), (20.0, 10.0)).into_drawing_area();
        let style = ("sans-serif", 100).into_font().color(&rgb("#000000"));
        let size = area.estimate_text_size("abc", &style).expect("a size");
        assert_eq!(size, (180, 100));
    }
}
