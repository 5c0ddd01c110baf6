//! Figures of the papers, published and ours in one plot.

use super::{names, of_panels, points, series};
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::panels::{Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{GREY, INK, Stroke};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::Drawn;

pub(super) const FIGURE_2: &str = "data/experiment-papers-fig2.csv";
pub(super) const FIGURE_4: &str = "data/experiment-papers-fig4.csv";
pub(super) const FIGURE_12: &str = "data/experiment-papers-fig12.csv";
pub(super) const DRAWS: &str = "data/experiment-papers-draws.csv";
pub(super) const BIAS: &str = "data/experiment-papers-bias.csv";
pub(super) const REMOVALS: &str = "data/experiment-papers-removals.csv";
pub(super) const BOUNDED: &str = "data/experiment-papers-bounded.csv";

const OURS: Stroke<'static> = Stroke::solid(GREY, 1.8);
const SECOND: Stroke<'static> = Stroke {
    dash: "4 2",
    ..Stroke::solid(INK, 1.2)
};
const THIRD: Stroke<'static> = Stroke {
    dash: "1.5 2",
    ..Stroke::solid(INK, 1.2)
};

/// A row a ring: between which sizes 99 % of the buckets lie.
pub(super) fn figure_2(cx: &Cx<'_>) -> Result<Figure, String> {
    let table = series(cx, FIGURE_2)?;
    let mut drawn = Drawn::default();
    let mut all = vec![1.0];
    let mut lines = Vec::new();
    for spec in names(table, |row| &row.label) {
        let mut find = |what: &str| {
            let mut rows = table.rows.iter().enumerate();
            let (i, row) = rows.find(|(_, row)| row.label == spec && row.series == what)?;
            drawn.note(table, i);
            let (lo, hi) = row.lo.zip(row.hi)?;
            let values = (lo, row.value?, hi);
            (usable(lo) && usable(hi)).then_some(values)
        };
        let (ours, paper) = (find("ours"), find("published"));
        let Some((lo, sd, hi)) = ours else { continue };
        let text = |it: f64| Unit::Plain.text(it);
        let mut marks = vec![Mark::Range { lo, hi }];
        all.extend([lo, hi]);
        let mut numbers = vec![text(sd), String::new()];
        let mut hover = format!("{spec}: ours {} to {}", text(lo), text(hi));
        if let Some((lo, sd, hi)) = paper {
            all.extend([lo, hi]);
            marks.extend([lo, hi].map(|at| Mark::Tick { at, heavy: true }));
            numbers[1] = text(sd);
            hover.push_str(&format!(", published {} to {}", text(lo), text(hi)));
        }
        lines.push(Line {
            name: spec.to_owned(),
            style: cx.field.style(spec),
            group: None,
            cells: vec![Cell::new(marks, numbers, hover)],
        });
    }
    let columns = [Column {
        title: "bucket sizes, in fair shares (log axis), and their standard deviation".to_owned(),
        scale: Scale::log(all),
        unit: Unit::Plain,
        numbers: vec!["sd, ours", "published"],
    }];
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: "rm-experiment-papers-fig2",
            section: Section::Experiments,
            title: "How even a ring's buckets are: figure 2 of the jump paper".to_owned(),
            reading: "A thousand buckets. Ever more points a bucket make their sizes more alike, as the inverse square \
                      root. The paper's ticks stand where our lines end."
                .to_owned(),
            legend: vec![
                Legend::new(Sample::Range, "ours: 99 % of the buckets of 64 rings"),
                Legend::new(Sample::HeavyTick, "published ends"),
            ],
        },
    );
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}

/// A panel a label.
struct Chart {
    id: &'static str,
    path: &'static str,
    title: &'static str,
    reading: &'static str,
    /// Series and their legends: the first is what the panel is about.
    curves: &'static [(&'static str, &'static str)],
    /// What the band around the first is; there is none where this is empty.
    band: &'static str,
    across: (&'static str, Spread, Unit),
    up: (&'static str, Spread, Unit),
    wide: bool,
    /// Whether the points of the first carry markers.
    marked: bool,
}

/// How an axis is laid.
#[derive(Clone, Copy)]
enum Spread {
    /// From nothing.
    Zero,
    /// From the least.
    Least,
    Log,
}

impl Spread {
    fn scale(self, values: &[f64]) -> Scale {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match self {
            Self::Log => Scale::log(values.iter().copied()),
            Self::Least if most > least => {
                let room = 0.05 * (most - least);
                Scale::linear(least - room, most + room)
            }
            Self::Zero if most > 0.0 => Scale::linear(0.0, 1.05 * most),
            _ => Scale::linear(0.0, 1.0),
        }
    }
}

pub(super) fn figure_4(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-papers-fig4",
            path: FIGURE_4,
            title: "How jump's time grows: figure 4 of the jump paper",
            reading: "The times are the paper's, of its machine; the line is our count of steps, stretched to them by one \
                      factor and one start. A straight line on this axis is a logarithm.",
            curves: &[
                ("published", "published nanoseconds"),
                ("steps", "our steps, fitted"),
            ],
            band: "",
            across: ("buckets (log axis)", Spread::Log, Unit::Plain),
            up: ("a look-up", Spread::Zero, Unit::Nanoseconds),
            wide: true,
            marked: true,
        },
    )
}

pub(super) fn figure_12(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-papers-fig12",
            path: FIGURE_12,
            title: "What changes in a Maglev table when backends fail: figure 12",
            reading: "Lower is better. Entries that go from one backend that stays to another, of 1000 backends; those \
                      of failed ones, which must go, are left out, as in the paper's plot. A larger table changes less.",
            curves: &[("ours", "ours"), ("published", "read off the paper's plot")],
            band: "least and most of our trials",
            across: ("backends that fail at once", Spread::Zero, Unit::Plain),
            up: ("% of the table's entries", Spread::Zero, Unit::Plain),
            wide: false,
            marked: true,
        },
    )
}

pub(super) fn draws(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-papers-draws",
            path: DRAWS,
            title: "Random words that JumpBackHash draws, at the 93 sizes of its paper",
            reading: "Lower is better: 1 at every power of two, up to 5/3 just above. Who measures only powers of two \
                      sees the teeth's lower ends.",
            curves: &[("ours", "ours"), ("theory", "1 + s/(1 - s^2)")],
            band: "four standard errors",
            across: ("buckets (log axis)", Spread::Log, Unit::Plain),
            up: ("draws a look-up", Spread::Least, Unit::Plain),
            wide: true,
            marked: true,
        },
    )
}

pub(super) fn bias(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-papers-bias",
            path: BIAS,
            title: "What BinomialHash gives the nodes above a power of two",
            reading: "1 is fair. Right above 128 the newest nodes have too little, and the fewer rounds a key may try, the \
                      less; the older ones have the rest. The bias is gone at 256.",
            curves: &[("ours", "ours"), ("theory", "1 - s^(rounds + 1)")],
            band: "four standard errors",
            across: ("nodes", Spread::Least, Unit::Plain),
            up: (
                "load of the nodes above 128, in fair shares",
                Spread::Least,
                Unit::Plain,
            ),
            wide: false,
            marked: true,
        },
    )
}

pub(super) fn removals(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-papers-removals",
            path: REMOVALS,
            title: "What a look-up costs once nodes have left",
            reading: "Lower is better. A thousand nodes, and ever more of them leave in random order. Further hashes are \
                      alike for both; the steps through lists are not: Memento's overtake anchor's beyond the half.",
            curves: &[
                ("steps", "steps through lists"),
                ("hashes", "hashes after the first"),
                ("theory", "H_1000 - H_left"),
            ],
            band: "least and most of the orders",
            across: ("share of the nodes that left", Spread::Zero, Unit::Share),
            up: ("a look-up (log axis)", Spread::Log, Unit::Plain),
            wide: false,
            marked: true,
        },
    )
}

pub(super) fn bounded(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-papers-bounded",
            path: BOUNDED,
            title: "What a bound on the load costs on a ring",
            reading: "Lower is better; 1000 nodes, 100 keys each. More points a node bring more than a looser bound: the \
                      bound then binds hardly anybody.",
            curves: &[
                (
                    "moves",
                    "keys moved when a node leaves, for each that it held",
                ),
                ("skipped", "full nodes passed, for each key"),
                ("displaced", "share of the keys not at home"),
            ],
            band: "",
            across: (
                "the most that a node may get, in fair shares",
                Spread::Log,
                Unit::Plain,
            ),
            up: ("times, nodes, share (log axis)", Spread::Log, Unit::Plain),
            wide: false,
            marked: true,
        },
    )
}

fn draw(cx: &Cx<'_>, chart: &Chart) -> Result<Figure, String> {
    let table = series(cx, chart.path)?;
    let mut drawn = Drawn::default();
    let (mut across, mut up) = (Vec::new(), Vec::new());
    let mut panels = Vec::new();
    for label in names(table, |row| &row.label) {
        let is = |row: &SeriesRow, what: &str| row.label == label && row.series == what;
        let style = cx.field.style(label);
        let (mut curves, mut areas, mut detail) = (Vec::new(), Vec::new(), String::new());
        for (&(what, _), stroke) in chart.curves.iter().zip([OURS, SECOND, THIRD]) {
            let line = points(&mut drawn, table, |row| is(row, what));
            across.extend(line.iter().map(|it| it.0));
            up.extend(line.iter().map(|it| it.1));
            if !curves.is_empty() {
                curves.push(Curve::plain(line, stroke));
                continue;
            }
            let values = line.iter().map(|it| it.1);
            if let (Some(least), Some(most)) =
                (values.clone().reduce(f64::min), values.reduce(f64::max))
            {
                let text = |it| chart.up.2.text(it);
                detail = format!("{} to {}", text(least), text(most));
            }
            if !chart.band.is_empty() {
                let rows = table.rows.iter().filter(|row| is(row, what));
                let around = rows.filter_map(|row| Some((row.x?, row.lo?, row.hi?)));
                areas.push(Area {
                    points: around.collect(),
                    fill: Fill::Tint(style.colour, 0.22),
                });
            }
            curves.push(Curve {
                marked: chart.marked,
                ..Curve::main(line, style)
            });
        }
        // What the panel is about lies on top.
        curves.reverse();
        panels.push(Panel {
            name: label.to_owned(),
            detail,
            style,
            areas,
            curves,
        });
    }
    let axis = |(title, spread, unit): (&str, Spread, Unit), values: &[f64]| Axis {
        title: title.to_owned(),
        scale: spread.scale(values),
        unit,
    };
    let panels = Panels {
        wide: chart.wide,
        across: axis(chart.across, &across),
        up: axis(chart.up, &up),
        references: Vec::new(),
        panels,
    };
    let curves = chart.curves.iter().zip([OURS, SECOND, THIRD]);
    let mut legend: Vec<Legend> = curves
        .map(|(&(_, text), stroke)| Legend::new(Sample::Line(stroke), text))
        .collect();
    if !chart.band.is_empty() {
        legend.push(Legend::new(Sample::Fill, chart.band));
    }
    let words = [chart.id, chart.title, chart.reading];
    Ok(of_panels(cx, words, legend, &panels, &drawn))
}
