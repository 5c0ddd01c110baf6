//! The busiest node against the number of nodes.

use super::{CONTROL_LINE, both, need, passed, value};
use crate::record::Row;
use crate::report::Cx;
use crate::report::absent::{Absent, Reason};
use crate::report::field::Series;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, count};
use crate::report::panels::{self, Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{BAND, FAINT, GREY, Stroke};
use crate::report::scale::Scale;
use crate::report::scope::Ranked;
use crate::report::table::{Drawn, Key, Table};

const PATH: &str = "data/balance.csv";

/// The busiest node of one series at one size.
struct Peak {
    lo: f64,
    middle: f64,
    hi: f64,
    /// Whether keys were counted.
    counted: bool,
    /// Hash-noise band of counted keys.
    noise: Option<(f64, f64)>,
}

/// Exact shares over deployments where they are known, else counted keys over the seeds.
fn peak(
    drawn: &mut Drawn,
    table: &Table<Row>,
    series: &Series<'_>,
    key: Key<'_>,
) -> Result<Peak, Reason> {
    let mut of = |metric: &'static str| value(drawn, table, series, Key { metric, ..key });
    if let (Ok((_, middle)), Ok((_, hi))) = (of("exact_peak_p50"), of("exact_peak_p99")) {
        return Ok(Peak {
            lo: middle,
            middle,
            hi,
            counted: false,
            noise: None,
        });
    }
    let (row, middle) = of("peak_to_avg")?;
    let (lo, hi) = both(row.p5, row.p95).unwrap_or((middle, middle));
    Ok(Peak {
        lo,
        middle,
        hi,
        counted: true,
        noise: both(row.noise_lo, row.noise_hi),
    })
}

/// The busiest node against the number of nodes.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-overview-busiest";
    let table = need(&cx.data.balance, PATH)?;
    let ours = |row: &Row| row.metric == "peak_to_avg" || row.metric == "exact_peak_p50";
    let scenario = table.main_scenario(|row| row.metric == "peak_to_avg");
    let sizes = table.sizes(|row| ours(row) && row.scenario == scenario);
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let (mut panels, mut control) = (Vec::new(), None);
    for series in passed(cx, cx.groups(), &mut absent) {
        let (mut area, mut line, mut noise, mut last) = (vec![], vec![], vec![], None);
        let mut why = Reason::NoRow;
        for &nodes in &sizes {
            let key = Key {
                scenario: &scenario,
                change: "none",
                nodes,
                ..Key::default()
            };
            match peak(&mut drawn, table, &series, key) {
                Ok(it) => {
                    let x = nodes as f64;
                    area.push((x, it.lo, it.hi));
                    line.push((x, it.middle));
                    noise.extend(it.noise.map(|(lo, hi)| (x, lo, hi)));
                    last = Some((nodes, it));
                }
                Err(reason) => why = reason,
            }
        }
        let Some((nodes, it)) = last else {
            absent.add(&series.name, why);
            continue;
        };
        if series.is_control() {
            control = Some(line.clone());
        }
        let counted = if it.counted { " (counted)" } else { "" };
        let (lo, hi) = (Unit::Plain.text(it.lo), Unit::Plain.text(it.hi));
        let range = if lo == hi {
            lo
        } else {
            format!("{lo} to {hi}")
        };
        panels.push(Ranked::new(
            &series,
            it.hi,
            Panel {
                name: series.name.clone(),
                detail: format!("n={}: {range}{counted}", count(nodes)),
                style: series.style,
                areas: vec![
                    Area {
                        points: noise,
                        fill: Fill::Tint(BAND, 1.0),
                    },
                    Area {
                        points: area,
                        fill: Fill::Tint(series.style.colour, 0.3),
                    },
                ],
                curves: vec![Curve::main(line, series.style)],
            },
        ));
    }
    if sizes.is_empty() {
        return Err(format!("{PATH} has no rows of the busiest node"));
    }
    let (panels, left) = cx.best(panels);
    let all = panels.iter().flat_map(|panel| &panel.areas);
    let values: Vec<f64> = all
        .flat_map(|area| area.points.iter().flat_map(|&(_, lo, hi)| [lo, hi]))
        .collect();
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "nodes".to_owned(),
            scale: Scale::steps(sizes.iter().map(|&it| it as f64)),
            unit: Unit::Plain,
        },
        up: Axis {
            title: "busiest node, in fair shares of the keys (1 = perfectly even)".to_owned(),
            scale: Scale::log(values.into_iter().chain([1.0])),
            unit: Unit::Plain,
        },
        references: control
            .map(|points| Curve::plain(points, CONTROL_LINE))
            .into_iter()
            .collect(),
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Overview,
        title: "How full the busiest node becomes".to_owned(),
        reading: "Lower is better: the busiest node decides how much capacity has to be bought. Exact shares of \
                  the key space over many deployments, that is, sets of node names; where a strategy cannot state \
                  them, counted keys over the seeds, key noise included."
            .to_owned(),
        legend: vec![
            Legend::new(
                Sample::Line(Stroke::solid(GREY, 1.8)),
                "median deployment, up to the unluckiest 1 % (counted: mean, 5 % to 95 %)",
            ),
            Legend::new(Sample::Band, "hash noise: what evenly hashed keys give, 5 % to 95 %"),
            Legend::new(Sample::Line(CONTROL_LINE), "the control"),
            Legend::new(Sample::Line(Stroke::solid(FAINT, 1.2)), "the other strategies"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, left.into_iter().collect(), absent, &drawn))
}
