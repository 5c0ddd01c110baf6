//! Evenness against points a node.

use super::{CONTROL_LINE, both, find, need, passed, value};
use crate::record::Row;
use crate::report::Cx;
use crate::report::absent::Absent;
use crate::report::field::Series;
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::{Unit, plural};
use crate::report::panels::{self, Area, Axis, Curve, Fill, Panel, Panels};
use crate::report::pen::{FAINT, GREY, Stroke};
use crate::report::scale::{Scale, usable};
use crate::report::style::Style;
use crate::report::table::{Drawn, Key, Table, nearest};

const PATH: &str = "data/balance.csv";

/// Evenness against points a node, with what theory says of a ring of random points.
pub(super) fn draw(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-balance-points";
    let table = need(&cx.data.balance, PATH)?;
    let swept = |row: &Row| {
        let entry = cx.field.entry(&row.strategy);
        row.metric == "share_cv"
            && entry.is_some_and(|it| !it.overview && it.points_per_node.is_some())
    };
    let scenario = table.main_scenario(swept);
    let nodes = nearest(&table.sizes(swept), 100)
        .ok_or(format!("{PATH} has no sweep of the points a node"))?;
    let key = Key {
        scenario: &scenario,
        change: "none",
        nodes,
        metric: "share_cv",
        ..Key::default()
    };
    let (mut drawn, mut absent) = (Drawn::default(), Absent::default());
    let mut panels = Vec::new();
    for sweep in sweeps(cx) {
        let (mut line, mut area) = (Vec::new(), Vec::new());
        for (points, series) in sweep.steps {
            let Some(series) = passed(cx, vec![series], &mut absent).pop() else {
                continue;
            };
            match value(&mut drawn, table, &series, key) {
                Ok((row, cv)) => {
                    line.push((points as f64, cv));
                    let (lo, hi) = both(row.p5, row.p95).unwrap_or((cv, cv));
                    area.push((points as f64, lo, hi));
                }
                Err(reason) => absent.add(&series.name, reason),
            }
        }
        let Some(&(points, cv)) = line.last() else {
            continue;
        };
        panels.push((
            cv,
            Panel {
                name: sweep.name,
                detail: format!(
                    "{} at {} points a node",
                    Unit::Plain.text(cv),
                    Unit::Plain.tick(points)
                ),
                style: sweep.style,
                areas: vec![Area {
                    points: area,
                    fill: Fill::Tint(sweep.style.colour, 0.3),
                }],
                curves: vec![Curve::main(line, sweep.style)],
            },
        ));
    }
    panels.sort_by(|a, b| a.1.name.cmp(&b.1.name));
    let panels: Vec<Panel> = panels.into_iter().map(|(_, panel)| panel).collect();
    let all: Vec<(f64, f64, f64)> = panels
        .iter()
        .flat_map(|it| it.areas[0].points.clone())
        .collect();
    let across = Scale::steps(all.iter().map(|it| it.0));
    let ends = all.iter().fold((f64::INFINITY, 0.0_f64), |ends, it| {
        (ends.0.min(it.0), ends.1.max(it.0))
    });
    let theory: Vec<(f64, f64)> = [ends.0, ends.1]
        .into_iter()
        .filter(|it| *it > 0.0 && it.is_finite())
        .map(|points| (points, 1.0 / points.sqrt()))
        .collect();
    let ideal = Stroke {
        dash: "5 3",
        ..Stroke::solid(GREY, 1.2)
    };
    let control = control(cx, &mut drawn, table, key);
    let positive = control.filter(|&it| it > 0.0);
    let mut references = vec![Curve::plain(theory.clone(), ideal)];
    references
        .extend(positive.map(|at| Curve::plain(vec![(ends.0, at), (ends.1, at)], CONTROL_LINE)));
    let up = all.iter().flat_map(|it| [it.1, it.2]);
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "points a node".to_owned(),
            scale: across,
            unit: Unit::Plain,
        },
        up: Axis {
            title: "share_cv: sd of load / fair share, key noise taken out".to_owned(),
            scale: Scale::log(up.chain(theory.iter().map(|it| it.1)).chain(positive)),
            unit: Unit::Plain,
        },
        references,
        panels,
    };
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Balance,
        title: format!("What more points a node buy, at {}", plural(nodes, "node")),
        reading: "Lower is more even. A ring of random points follows 1/sqrt(V): four times the points, and the \
                  memory, for half the unevenness. A curve that leaves the line does not place its points at random."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Line(Stroke::solid(GREY, 1.8)), "mean, and 5 % to 95 % over the seeds"),
            Legend::new(Sample::Line(ideal), "1/sqrt(V)"),
            Legend::new(
                Sample::Line(CONTROL_LINE),
                match control {
                    Some(at) if at > 0.0 => "the control".to_owned(),
                    Some(_) => "the control: 0, below the axis".to_owned(),
                    None => "the control: not measured here".to_owned(),
                },
            ),
            Legend::new(Sample::Line(Stroke::solid(FAINT, 1.2)), "the other strategies"),
        ],
    });
    let bottom = panels::draw(&mut sheet, &chart);
    let enough = cx.data.enough.as_ref().map(|_| {
        "How many points keep the busiest node below a limit: experiments/frontier.md.".to_owned()
    });
    let notes = enough.into_iter().collect();
    Ok(sheet.finish(cx, bottom, notes, absent, &drawn))
}

/// The control's value at this key.
fn control(cx: &Cx<'_>, drawn: &mut Drawn, table: &Table<Row>, key: Key<'_>) -> Option<f64> {
    let series = cx.groups().into_iter().find(Series::is_control)?;
    find(drawn, table, &series, key)?
        .mean
        .filter(|&it| usable(it))
}

/// A strategy at several numbers of points a node.
struct Sweep<'a> {
    name: String,
    style: Style,
    steps: Vec<(u64, Series<'a>)>,
}

/// The strategies with two numbers of points or more; one that places every key as another does,
/// at each of its steps, only adds its name to that one.
fn sweeps<'a>(cx: &Cx<'a>) -> Vec<Sweep<'a>> {
    let mut sweeps: Vec<Sweep<'a>> = Vec::new();
    for entry in &cx.field.entries {
        let Some(points) = entry.points_per_node else {
            continue;
        };
        let step = (points, Series::of(vec![entry]));
        let name = &entry.strategy.name;
        match sweeps.iter_mut().find(|sweep| sweep.name == *name) {
            Some(sweep) => sweep.steps.push(step),
            None => sweeps.push(Sweep {
                name: name.clone(),
                style: step.1.style,
                steps: vec![step],
            }),
        }
    }
    for sweep in &mut sweeps {
        sweep.steps.sort_by_key(|step| step.0);
        // It stands for all its steps: no dash and no hollow marker of one of them.
        sweep.style.filled = true;
        sweep.style.dash = "";
    }
    let within = |a: &Sweep<'_>, b: &Sweep<'_>| {
        a.steps.iter().all(|(points, series)| {
            b.steps.iter().any(|(other, like)| {
                points == other && series.members[0].alike == like.members[0].alike
            })
        })
    };
    sweeps.sort_by_key(|sweep| std::cmp::Reverse(sweep.steps.len()));
    let mut kept: Vec<Sweep<'a>> = Vec::new();
    for sweep in sweeps {
        match kept.iter_mut().find(|it| within(&sweep, it)) {
            Some(it) => it.name = format!("{} = {}", it.name, sweep.name),
            None => kept.push(sweep),
        }
    }
    kept.retain(|sweep| sweep.steps.len() > 1);
    kept
}
