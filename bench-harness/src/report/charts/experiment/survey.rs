//! The survey's numbers beside ours: a row an algorithm, a column a size or a share of nodes.

use super::{names, series};
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::absent::{Absent, Reason};
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::Drawn;

pub(super) const MAX: &str = "data/experiment-survey-max.csv";
pub(super) const MOVED: &str = "data/experiment-survey-moved.csv";

/// One of the two charts.
struct Chart {
    id: &'static str,
    path: &'static str,
    title: &'static str,
    reading: &'static str,
    /// What the axis at `x` shows.
    column: fn(f64) -> String,
    /// What the legend calls them.
    theirs: &'static str,
    ours: &'static str,
    /// What lies behind; nothing where this is empty.
    band: &'static str,
    /// Where the axis begins.
    start: f64,
    unit: Unit,
}

/// Max% with the fewest keys.
pub(super) fn max(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-survey-max",
            path: MAX,
            title: "The survey's Max% at 10 keys a node, and the peak of the same clusters",
            reading: "1 is fair. What lies inside the band says nothing of the algorithm: a perfect router lies there \
                      nine times in ten. The hollow dots are the same clusters without the chance in the keys.",
            column: |x| format!("{} nodes, in fair shares", Unit::Plain.text(x)),
            theirs: "Max%, the survey's: mean of 5 iterations",
            ours: "exact_peak, ours (peak_to_avg of many keys where shares are not exact)",
            band: "Max% of a perfectly even router, 5 to 95 %",
            start: 1.0,
            unit: Unit::Plain,
        },
    )
}

/// Keys that move between nodes that stay.
pub(super) fn moved(cx: &Cx<'_>) -> Result<Figure, String> {
    draw(
        cx,
        &Chart {
            id: "rm-experiment-survey-moved",
            path: MOVED,
            title: "Keys that move between nodes that stay, as the survey counts them and as we do",
            reading: "0 is best. The survey takes the last nodes away and shows a share of the keys that moved; ours is a \
                      share of all keys, and any nodes leave. No hollow dot: only the last may leave.",
            column: |x| format!("{} of the nodes leave", Unit::Share.text(x)),
            theirs: "KeysMovedFromOtherNodes%, the survey's",
            ours: "collateral, ours",
            band: "",
            start: 0.0,
            unit: Unit::Share,
        },
    )
}

fn draw(cx: &Cx<'_>, chart: &Chart) -> Result<Figure, String> {
    let table = series(cx, chart.path)?;
    let mut drawn = Drawn::default();
    let mut places: Vec<f64> = table.rows.iter().filter_map(|it| it.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut lines: Vec<Line> = names(table, |row| &row.label)
        .into_iter()
        .map(|spec| Line {
            name: spec.to_owned(),
            style: cx.field.style(spec),
            group: None,
            cells: Vec::new(),
        })
        .collect();
    let mut columns = Vec::new();
    for x in places {
        let mut find = |spec: &str, name: &str| -> Option<&SeriesRow> {
            let mut rows = table.rows.iter().enumerate();
            let same =
                |row: &SeriesRow| row.label == spec && row.series == name && row.x == Some(x);
            let (i, row) = rows.find(|(_, row)| same(row))?;
            drawn.note(table, i);
            row.value.is_some_and(usable_or_zero).then_some(row)
        };
        let mut all = vec![chart.start];
        for line in &mut lines {
            let (theirs, ours) = (find(&line.name, "theirs"), find(&line.name, "ours"));
            let Some((theirs, at)) = theirs.and_then(|it| Some((it, it.value?))) else {
                line.cells.push(Cell::without(&Reason::NoRow));
                continue;
            };
            let mut marks = Vec::new();
            if let Some((lo, hi)) = theirs.lo.zip(theirs.hi) {
                marks.push(Mark::Band { lo, hi });
                all.extend([lo, hi]);
            }
            let mut hover = format!("{}: theirs {}", line.name, chart.unit.text(at));
            let mut numbers = vec![chart.unit.text(at), String::new()];
            if let Some(at) = ours.and_then(|it| it.value) {
                marks.push(Mark::Dot {
                    at,
                    size: 4.2,
                    filled: false,
                });
                all.push(at);
                numbers[1] = chart.unit.text(at);
                hover.push_str(&format!(", ours {}", numbers[1]));
            }
            marks.push(Mark::Dot {
                at,
                size: 3.0,
                filled: true,
            });
            all.push(at);
            line.cells.push(Cell::new(marks, numbers, hover));
        }
        let most = all.iter().copied().fold(chart.start, f64::max);
        let least = all.iter().copied().fold(chart.start, f64::min);
        let room = if most > least {
            0.06 * (most - least)
        } else {
            1.0
        };
        let start = if least == 0.0 { 0.0 } else { least - room };
        columns.push(Column {
            title: (chart.column)(x),
            scale: Scale::linear(start, most + room),
            unit: chart.unit,
            numbers: vec!["theirs", "ours"],
        });
    }
    let mut legend = vec![
        Legend::new(Sample::Dot, chart.theirs),
        Legend::new(Sample::Hollow, chart.ours),
    ];
    if !chart.band.is_empty() {
        legend.push(Legend::new(Sample::Band, chart.band));
    }
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: chart.id,
            section: Section::Experiments,
            title: chart.title.to_owned(),
            reading: chart.reading.to_owned(),
            legend,
        },
    );
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}

/// 0 is a value here: nothing moves in vain.
fn usable_or_zero(value: f64) -> bool {
    value == 0.0 || usable(value)
}
