//! Draws SVG: a few shapes, text whose width is known without a font, and the escaping of both.
//!
//! Everything in a chart ends here. Frames, texts, bars and rows call the pen themselves; lines and
//! areas in a plot come from plotters, through [`super::backend`].
//!
//! A program that only writes `<text>` needs no font, so a report has the same bytes on a desktop
//! and in a bare container. What it does need is how wide a text may become; [`width`] is a
//! cautious guess, and everything that is laid out here keeps to it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::style::Shape;

/// Ink for text that matters.
pub(super) const INK: &str = "#1f2328";
/// Ink for axes, notes and captions.
pub(super) const GREY: &str = "#59636e";
/// Ink for the grid.
pub(super) const GRID: &str = "#e4e7eb";
/// Ink for the lines of the others, behind the one that a panel is about.
pub(super) const FAINT: &str = "#c9ced4";
/// Fill of a noise band.
pub(super) const BAND: &str = "#e9e6dc";
/// The paper: every chart brings its own, so that it reads on a dark page too.
pub(super) const PAPER: &str = "#ffffff";

const FONT: &str = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif";

/// Which end of a text its `x` is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type<'a> {
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    pub(super) colour: &'a str,
}

impl Type<'static> {
    /// Small grey text that begins at `x`.
    pub(super) const NOTE: Self = Self {
        size: 10.5,
        anchor: Anchor::Start,
        bold: false,
        colour: GREY,
    };
    /// A name or a number.
    pub(super) const BODY: Self = Self {
        size: 11.5,
        anchor: Anchor::Start,
        bold: false,
        colour: INK,
    };
}

impl Type<'_> {
    pub(super) const fn end(self) -> Self {
        Self {
            anchor: Anchor::End,
            ..self
        }
    }

    pub(super) const fn middle(self) -> Self {
        Self {
            anchor: Anchor::Middle,
            ..self
        }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}

/// A line's colour, width and dashes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke<'a> {
    pub(super) colour: &'a str,
    pub(super) width: f64,
    /// SVG's `stroke-dasharray`; empty for an unbroken line.
    pub(super) dash: &'static str,
}

impl<'a> Stroke<'a> {
    pub(super) const fn solid(colour: &'a str, width: f64) -> Self {
        Self {
            colour,
            width,
            dash: "",
        }
    }
}

/// A growing SVG drawing, in absolute coordinates from the upper left corner.
#[derive(Default)]
pub(super) struct Pen {
    body: String,
    defs: BTreeMap<String, String>,
}

impl Pen {
    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{fill}"/>"#,
            px(x),
            px(y),
            px(width.max(0.0)),
            px(height.max(0.0)),
        );
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{}" y1="{}" x2="{}" y2="{}"{}/>"#,
            px(from.0),
            px(from.1),
            px(to.0),
            px(to.1),
            stroke_attributes(stroke),
        );
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        if points.len() < 2 {
            return;
        }
        let _ = writeln!(
            self.body,
            r#"<polyline points="{}" fill="none" stroke-linejoin="round"{}/>"#,
            point_list(points),
            stroke_attributes(stroke),
        );
    }

    pub(super) fn polygon(&mut self, points: &[(f64, f64)], fill: &str, opacity: f64) {
        let _ = writeln!(
            self.body,
            r#"<polygon points="{}" fill="{fill}" fill-opacity="{opacity}"/>"#,
            point_list(points),
        );
    }

    /// A marker of radius `r`: the shape filled, or the paper with its outline.
    pub(super) fn marker(
        &mut self,
        at: (f64, f64),
        r: f64,
        shape: Shape,
        colour: &str,
        filled: bool,
    ) {
        let fill = if filled { colour } else { PAPER };
        let _ = match shape.outline() {
            None => writeln!(
                self.body,
                r#"<circle cx="{}" cy="{}" r="{}" fill="{fill}" stroke="{colour}" stroke-width="1.4"/>"#,
                px(at.0),
                px(at.1),
                px(r),
            ),
            Some(outline) => {
                let points: Vec<(f64, f64)> = outline
                    .iter()
                    .map(|&(x, y)| (at.0 + x * r, at.1 + y * r))
                    .collect();
                writeln!(
                    self.body,
                    r#"<polygon points="{}" fill="{fill}" stroke="{colour}" stroke-width="1.4" stroke-linejoin="round"/>"#,
                    point_list(&points),
                )
            }
        };
    }

    /// `y` is the base line.
    pub(super) fn text(&mut self, x: f64, y: f64, set: Type, content: &str) {
        if content.is_empty() {
            return;
        }
        let anchor = match set.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = if set.bold {
            r#" font-weight="600""#
        } else {
            ""
        };
        let _ = writeln!(
            self.body,
            r#"<text x="{}" y="{}" font-size="{}"{anchor}{weight} fill="{}">{}</text>"#,
            px(x),
            px(y),
            set.size,
            set.colour,
            xml(content),
        );
    }

    /// Begins a group whose marks show `title` under the pointer. Ends with [`Pen::close`].
    pub(super) fn open(&mut self, title: &str) {
        let _ = writeln!(self.body, "<g><title>{}</title>", xml(title));
    }

    pub(super) fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// Draws once what is shown many times with [`Pen::repeat`].
    pub(super) fn define(&mut self, id: &str, draw: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        draw(&mut inner);
        self.defs.insert(
            id.to_owned(),
            format!("<g id=\"{}\">\n{}</g>\n", xml(id), inner.body),
        );
    }

    pub(super) fn repeat(&mut self, id: &str, x: f64, y: f64) {
        let _ = writeln!(
            self.body,
            r##"<use href="#{}" x="{}" y="{}"/>"##,
            xml(id),
            px(x),
            px(y)
        );
    }

    /// The `fill` that hatches in `colour`. Pattern ids begin with the figure's, because many
    /// figures stand in one page.
    pub(super) fn hatch(&mut self, figure: &str, colour: &str) -> String {
        let id = format!("{figure}-hatch-{}", colour.trim_start_matches('#'));
        self.defs.entry(id.clone()).or_insert_with(|| {
            format!(
                "<pattern id=\"{id}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"{colour}\" \
                 fill-opacity=\"0.14\"/><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" stroke=\"{colour}\" \
                 stroke-width=\"2.6\"/></pattern>\n"
            )
        });
        format!("url(#{id})")
    }

    /// The whole drawing. `made_by` stands on its first line, `metadata` as `name: value` lines.
    pub(super) fn finish(
        self,
        (width, height): (f64, f64),
        title: &str,
        made_by: &str,
        metadata: &[(&'static str, String)],
    ) -> String {
        let mut out = String::with_capacity(self.body.len() + 2048);
        let (w, h) = (px(width), px(height));
        let _ = writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" data-made-by="{}" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" font-family="{}">"#,
            xml(made_by),
            xml(FONT),
        );
        let _ = writeln!(out, "<title>{}</title>", xml(title));
        out.push_str("<metadata>\n");
        for (name, value) in metadata {
            let _ = writeln!(out, "{name}: {}", xml(value));
        }
        out.push_str("</metadata>\n");
        if !self.defs.is_empty() {
            out.push_str("<defs>\n");
            out.extend(self.defs.into_values());
            out.push_str("</defs>\n");
        }
        let _ = writeln!(out, r#"<rect width="{w}" height="{h}" fill="{PAPER}"/>"#);
        out.push_str(&self.body);
        out.push_str("</svg>\n");
        out
    }
}

fn stroke_attributes(stroke: Stroke) -> String {
    let dash = if stroke.dash.is_empty() {
        String::new()
    } else {
        format!(r#" stroke-dasharray="{}""#, stroke.dash)
    };
    format!(
        r#" stroke="{}" stroke-width="{}"{dash}"#,
        stroke.colour, stroke.width
    )
}

fn point_list(points: &[(f64, f64)]) -> String {
    let pairs: Vec<String> = points
        .iter()
        .map(|&(x, y)| format!("{},{}", px(x), px(y)))
        .collect();
    pairs.join(" ")
}

/// A coordinate with one decimal: enough for the eye, and the same on every machine.
fn px(value: f64) -> String {
    let tenths = (value * 10.0).round();
    if tenths % 10.0 == 0.0 {
        format!("{:.0}", tenths / 10.0 + 0.0)
    } else {
        format!("{:.1}", tenths / 10.0)
    }
}

/// Escapes `text` for XML content and attributes. What XML cannot hold becomes U+FFFD, and a line
/// break a blank.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The colour so far on the way from one colour to another.
pub(super) fn between(from: (u8, u8, u8), to: (u8, u8, u8), share: f64) -> (u8, u8, u8) {
    let mix = |from: u8, to: u8| {
        let value = f64::from(from) + share * (f64::from(to) - f64::from(from));
        value.round() as u8
    };
    (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// A colour as SVG writes it.
pub(super) fn hex((r, g, b): (u8, u8, u8)) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// How wide `text` may become: 0.6 em a character, 1.1 em outside ASCII.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars()
        .map(|c| if c.is_ascii() { 0.6 } else { 1.1 })
        .sum::<f64>()
        * size
}

/// `text`, its middle left out where it would become wider than `most`.
pub(super) fn fit(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    let mut keep = chars.len() - 1;
    loop {
        let head = keep - keep / 3;
        let cut: String = chars[..head]
            .iter()
            .chain(&['.', '.', '.'])
            .chain(&chars[chars.len() - keep / 3..])
            .collect();
        if width(&cut, size) <= most || keep == 0 {
            return cut;
        }
        keep -= 1;
    }
}

/// `text` in lines no wider than `most`, broken at blanks, and within a word at its punctuation
/// where the word alone is too wide; at most `lines` of them, the rest left out with dots.
pub(super) fn wrap(text: &str, size: f64, most: f64, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let words = text
        .split_whitespace()
        .flat_map(|word| pieces(word, size, most));
    let words: Vec<(&str, &str)> = words.collect();
    for (i, (gap, word)) in words.iter().enumerate() {
        let room = |last: &String| width(last, size) + width(gap, size) + width(word, size) <= most;
        if out.last().is_some_and(room) {
            let last = out.last_mut().expect("there is a last line");
            last.push_str(gap);
            last.push_str(word);
        } else if out.len() + 1 == lines {
            let rest = words[i + 1..]
                .iter()
                .map(|(gap, word)| format!("{gap}{word}"));
            let rest: String = std::iter::once((*word).to_owned()).chain(rest).collect();
            out.push(fit(&rest, size, most));
            break;
        } else {
            out.push(fit(word, size, most));
        }
    }
    out
}

/// `word` with the blank before it, or its parts where it is too wide for a line.
fn pieces(word: &str, size: f64, most: f64) -> Vec<(&'static str, &str)> {
    if width(word, size) <= most {
        return vec![(" ", word)];
    }
    let parts = word.split_inclusive([':', ',', '=', '/']);
    let gaps = std::iter::once(" ").chain(std::iter::repeat(""));
    gaps.zip(parts).collect()
}
