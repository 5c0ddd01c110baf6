//! The standard deviation against virtual nodes, and what shapes it.

use super::{names, points, series};
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::panels::{self, Axis, Curve, Panel, Panels};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::scale::Scale;
use crate::report::style::Style;
use crate::report::table::Drawn;

pub(super) const CURVE: &str = "data/experiment-java-homework-curve.csv";
pub(super) const RESONANCE: &str = "data/experiment-java-homework-resonance.csv";

const EQUAL: Stroke<'static> = Stroke {
    dash: "1.5 2",
    ..Stroke::solid(INK, 1.2)
};
const RANDOM: Stroke<'static> = Stroke {
    dash: "5 3",
    ..Stroke::solid(INK, 1.2)
};

/// A line without markers and dashes: it has a thousand points.
fn line(points: Vec<(f64, f64)>, style: Style) -> Curve {
    let style = Style { dash: "", ..style };
    Curve {
        marked: false,
        ..Curve::main(points, style)
    }
}

/// A panel a curve, over the whole range.
pub(super) fn curve(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-java-homework-curve";
    let table = series(cx, CURVE)?;
    let mut drawn = Drawn::default();
    let (mut panels, mut all) = (Vec::new(), Vec::new());
    let mut references = Vec::new();
    for name in names(table, |row| &row.series) {
        let found = points(&mut drawn, table, |row| row.series == name);
        let label = table.rows.iter().find(|row| row.series == name);
        let spec = label.map_or("", |row| &row.label);
        if spec == "theory" {
            let stroke = if name == "equal arcs" { EQUAL } else { RANDOM };
            references.push(Curve::plain(found, stroke));
            continue;
        }
        let lowest = found.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        let detail = lowest.map_or(String::new(), |(x, y)| {
            format!("least {} at {}", Unit::Plain.text(y), Unit::Plain.tick(x))
        });
        let style = cx.field.style(spec);
        all.extend(found.clone());
        panels.push(Panel {
            name: name.to_owned(),
            detail,
            style,
            areas: Vec::new(),
            curves: vec![line(found, style)],
        });
    }
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "virtual nodes a node (log axis)".to_owned(),
            scale: Scale::log(all.iter().map(|it| it.0)),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "standard deviation of the loads, in keys (log axis)".to_owned(),
            scale: Scale::log(all.iter().map(|it| it.1)),
            unit: Unit::Plain,
        },
        references,
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Experiments,
        title: "Standard deviation against virtual nodes: the exercise's curve, and its neighbours".to_owned(),
        reading: "Lower is more even. The same points are quiet under random keys or another hash, down to what equal arcs \
                  give; random points fall by half for four times as many."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "this curve"),
            Legend::new(Sample::Line(RANDOM), "random points, by theory"),
            Legend::new(Sample::Line(EQUAL), "equal arcs, by theory"),
            Legend::new(Sample::Line(Stroke::solid(FAINT, 1.2)), "the others"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}

/// The published curve against the repetitions in one step of the leading digit.
pub(super) fn resonance(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-java-homework-resonance";
    const WHOLE: Stroke<'static> = Stroke {
        dash: "2 3",
        ..Stroke::solid(GREY, 1.0)
    };
    let table = series(cx, RESONANCE)?;
    let mut drawn = Drawn::default();
    let mut panels = Vec::new();
    let found = points(&mut drawn, table, |_| true);
    let most = found.last().map_or(1.0, |it| it.0).max(1.0);
    let values = || found.iter().map(|it| it.1);
    let (lo, hi) = values().fold((f64::INFINITY, 0.0_f64), |(lo, hi), it| {
        (lo.min(it), hi.max(it))
    });
    let whole = (1..=most as u32).map(|it| {
        let x = f64::from(it);
        Curve::plain(vec![(x, lo), (x, hi)], WHOLE)
    });
    let references = whole.collect();
    let up = Scale::log(values());
    if let Some(name) = names(table, |row| &row.series).first() {
        let curve = cx.data.series.get(CURVE);
        let row = curve.and_then(|it| it.rows.iter().find(|row| row.series == **name));
        let style = cx.field.style(row.map_or("", |row| &row.label));
        panels.push(Panel {
            name: (*name).to_owned(),
            detail: "one point for every number of virtual nodes".to_owned(),
            style,
            areas: Vec::new(),
            curves: vec![line(found, style)],
        });
    }
    let chart = Panels {
        wide: true,
        across: Axis {
            title: "how often the ten nodes come round while a key's leading digit goes one up: 31^5 / (10 intervals)".to_owned(),
            scale: Scale::linear(0.0, most),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "standard deviation of the loads, in keys (log axis)".to_owned(),
            scale: up,
            unit: Unit::Plain,
        },
        references,
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Experiments,
        title: "Where the swings come from: the hash of a numbered key, and the period of the points".to_owned(),
        reading: "Where the nodes come round a whole number of times, the leading digit of the key's number spreads \
                  nothing, and the next digit has to do: the curve has its peaks at the dotted lines. The exercise's own \
                  1500 stands at 2."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "as published"),
            Legend::new(Sample::Line(WHOLE), "a whole number of times"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}
