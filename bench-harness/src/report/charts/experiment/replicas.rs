//! Sets of replicas: how often two failures cost a quorum, how much at once, and what a loss changes.

use super::{names, series};
use crate::report::Cx;
use crate::report::absent::{Absent, Reason};
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::Drawn;

pub(super) const PATH: &str = "data/experiment-replicas-sets.csv";

/// Series, title of its axis, head of its number, and whether small values matter.
const COLUMNS: [(&str, &str, &str, bool); 3] = [
    (
        "2 fail, hit",
        "pairs of nodes whose failure costs some key its quorum",
        "pairs",
        true,
    ),
    (
        "2 fail, worst",
        "keys without quorum after the worst pair",
        "keys",
        true,
    ),
    (
        "loss, set",
        "keys whose set is another after one loss",
        "keys",
        false,
    ),
];

/// A row a strategy.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-replicas-sets";
    let table = series(cx, PATH)?;
    let mut drawn = Drawn::default();
    let mut specs = names(table, |row| &row.label);
    specs.retain(|it| !it.is_empty());
    let mut lines: Vec<Line> = specs
        .iter()
        .map(|spec| Line {
            name: (*spec).to_owned(),
            style: cx.field.style(spec),
            group: None,
            cells: Vec::new(),
        })
        .collect();
    let mut columns = Vec::new();
    for (series, title, head, log) in COLUMNS {
        let mut find = |spec: &str, series: &str| {
            let mut rows = table.rows.iter().enumerate();
            let (i, row) = rows.find(|(_, row)| row.label == spec && row.series == series)?;
            drawn.note(table, i);
            let value = row.value.filter(|&it| usable(it))?;
            Some((value, row.lo.unwrap_or(value), row.hi.unwrap_or(value)))
        };
        let random = find("", &format!("{series}, random sets")).map(|it| it.0);
        let mut all: Vec<f64> = random.into_iter().collect();
        for (spec, line) in specs.iter().zip(&mut lines) {
            let Some((at, lo, hi)) = find(spec, series) else {
                line.cells.push(Cell::without(&Reason::NoRow));
                continue;
            };
            all.extend([lo, hi]);
            let mut marks: Vec<Mark> = random
                .map(|at| Mark::Tick { at, heavy: true })
                .into_iter()
                .collect();
            marks.push(Mark::Range { lo, hi });
            marks.push(Mark::Dot {
                at,
                size: 3.4,
                filled: true,
            });
            let text = Unit::Share.text(at);
            let hover = format!("{spec}: {title}: {text}");
            line.cells.push(Cell::new(marks, vec![text], hover));
        }
        let most = all.iter().copied().fold(0.0, f64::max);
        columns.push(Column {
            title: title.to_owned(),
            scale: match log {
                true => Scale::log(all),
                false => Scale::linear(0.0, if most > 0.0 { 1.1 * most } else { 1.0 }),
            },
            unit: Unit::Share,
            numbers: vec![head],
        });
    }
    let reading = "Further left is better in each, and the first two cannot be had together: the mean over all pairs is \
                   the same under every placement, so who loses more rarely loses more at once. Few points a node mean \
                   few distinct sets. A set that changes is copied.";
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: ID,
            section: Section::Experiments,
            title: "Three copies a key: what two failures cost, and what one loss changes"
                .to_owned(),
            reading: reading.to_owned(),
            legend: vec![
                Legend::new(Sample::Dot, "mean, least and most over the seeds or losses"),
                Legend::new(Sample::HeavyTick, "sets drawn at random; for a loss, R/n"),
            ],
        },
    );
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}
