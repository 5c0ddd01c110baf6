//! How evenly letters lie on nodes, beside what chance alone gives.

use super::series;
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::Scale;
use crate::report::table::Drawn;

pub(super) const PATH: &str = "data/experiment-ruby-tables-evenness.csv";

/// A row a table: its standard deviation in the band of chance.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-ruby-tables-evenness";
    let table = series(cx, PATH)?;
    let mut drawn = Drawn::default();
    let (mut lines, mut most) = (Vec::new(), 1.0_f64);
    for (i, row) in table.rows.iter().enumerate() {
        drawn.note(table, i);
        let Some(sd) = row.value else { continue };
        let (lo, mean, hi) = (
            row.lo.unwrap_or(sd),
            row.x.unwrap_or(sd),
            row.hi.unwrap_or(sd),
        );
        most = most.max(hi).max(sd);
        let marks = vec![
            Mark::Band { lo, hi },
            Mark::Tick {
                at: mean,
                heavy: false,
            },
            Mark::Dot {
                at: sd,
                size: 4.0,
                filled: true,
            },
        ];
        let hover = format!(
            "{}: sd {} letters; chance alone gives {} to {}, {} on average",
            row.label,
            Unit::Plain.text(sd),
            Unit::Plain.text(lo),
            Unit::Plain.text(hi),
            Unit::Plain.text(mean)
        );
        lines.push(Line {
            name: row.label.clone(),
            style: cx.field.style(&row.series),
            group: None,
            cells: vec![Cell::new(marks, vec![Unit::Plain.text(sd)], hover)],
        });
    }
    let columns = [Column {
        title: "standard deviation over the nodes, in letters".to_owned(),
        scale: Scale::linear(0.0, 1.05 * most),
        unit: Unit::Plain,
        numbers: vec!["sd"],
    }];
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Experiments,
        title: "26 letters on a few nodes: skill or chance".to_owned(),
        reading: "A dot within the band says nothing about the program: a perfect router gives that, too. Only the \
                  tables with one point a node lie beyond it."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "the page's table"),
            Legend::new(Sample::Band, "a perfect router, 5 % to 95 %"),
            Legend::new(Sample::Tick, "its mean"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}
