//! Hot keys: the busiest node with and without a bound on the load, and what the bound costs.

use super::{names, points, series};
use crate::record::SeriesRow;
use crate::report::Cx;
use crate::report::absent::{Absent, Reason};
use crate::report::figure::{Figure, Head, Legend, Sample, Section, Sheet};
use crate::report::number::Unit;
use crate::report::panels::{self, Axis, Curve, Panel, Panels};
use crate::report::pen::{FAINT, GREY, INK, Stroke};
use crate::report::rows::{self, Cell, Column, Line, Mark};
use crate::report::scale::{Scale, usable};
use crate::report::table::{Drawn, Table};

pub(super) const LOAD: &str = "data/experiment-skew-load.csv";
pub(super) const FACTOR: &str = "data/experiment-skew-factor.csv";

/// A row a strategy, a column a popularity: requests of the busiest node.
pub(super) fn load(cx: &Cx<'_>) -> Result<Figure, String> {
    const ID: &str = "rm-experiment-skew-load";
    let table = series(cx, LOAD)?;
    let mut drawn = Drawn::default();
    let mut popularities = names(table, |row| popularity(&row.series));
    popularities.retain(|it| !it.is_empty());
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
    for popularity in popularities {
        // The first that has this beginning: one rule of overflow is enough here.
        let mut find = |spec: &str, what: &str| {
            let wanted = format!("{popularity}, {what}");
            let mut rows = table.rows.iter().enumerate();
            let (i, row) =
                rows.find(|(_, row)| row.label == spec && row.series.starts_with(&wanted))?;
            drawn.note(table, i);
            let value = row.value.filter(|&it| usable(it))?;
            Some((value, row.lo.unwrap_or(value), row.hi.unwrap_or(value)))
        };
        let floor = find("", "hottest key").map(|it| it.0);
        let chance = find("", "chance");
        let mut all = vec![1.0];
        all.extend(floor);
        all.extend(chance.iter().flat_map(|it| [it.1, it.2]));
        for (spec, line) in specs.iter().zip(&mut lines) {
            let mut marks = Vec::new();
            marks.extend(chance.map(|(_, lo, hi)| Mark::Band { lo, hi }));
            marks.extend(floor.map(|at| Mark::Tick { at, heavy: true }));
            let Some((alone, lo, hi)) = find(spec, "alone") else {
                line.cells.push(Cell::without(&Reason::NoRow));
                continue;
            };
            let mut hover = format!(
                "{spec}, {popularity}: busiest node {} fair shares",
                Unit::Plain.text(alone)
            );
            all.extend([lo, hi]);
            for (what, mark) in [("keys bounded", false), ("requests bounded", true)] {
                let Some((at, ..)) = find(spec, what) else {
                    continue;
                };
                all.push(at);
                hover.push_str(&format!(", {what} {}", Unit::Plain.text(at)));
                marks.push(match mark {
                    true => Mark::Tick { at, heavy: false },
                    false => Mark::Dot {
                        at,
                        size: 5.2,
                        filled: false,
                    },
                });
            }
            marks.push(Mark::Range { lo, hi });
            marks.push(Mark::Dot {
                at: alone,
                size: 3.4,
                filled: true,
            });
            line.cells
                .push(Cell::new(marks, vec![Unit::Plain.text(alone)], hover));
        }
        columns.push(Column {
            title: format!("{popularity}: requests of the busiest node, in fair shares"),
            scale: Scale::log(all),
            unit: Unit::Plain,
            numbers: vec!["alone"],
        });
    }
    let mut sheet = Sheet::begin(cx, Head {
        id: ID,
        section: Section::Experiments,
        title: "What hot keys do to the busiest node, and which bound helps".to_owned(),
        reading: "Further left is better. A router that gives every key one node cannot go below the heavy tick, and \
                  inside the band differences between strategies mean nothing: a few hot keys decide. A bound on \
                  keys changes little; a bound on requests does what it says, by answering a hot key on several \
                  nodes."
            .to_owned(),
        legend: vec![
            Legend::new(Sample::Dot, "alone: mean, least and most over the seeds"),
            Legend::new(Sample::Hollow, "keys bounded"),
            Legend::new(Sample::Tick, "requests bounded"),
            Legend::new(Sample::HeavyTick, "the hottest key's own share"),
            Legend::new(Sample::Band, "a perfect placement of single keys, 5 % to 95 %"),
        ],
    });
    let bottom = rows::draw(&mut sheet, &columns, &lines);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}

/// `zipf-0.99` of `zipf-0.99, alone`.
fn popularity(series: &str) -> &str {
    series.split_once(", ").map_or("", |it| it.0)
}

/// A cost of a bound against its factor.
struct Cost {
    id: &'static str,
    /// The last word of its series.
    count: &'static str,
    title: &'static str,
    reading: &'static str,
    axis: &'static str,
    unit: Unit,
    log: bool,
}

pub(super) fn spill(cx: &Cx<'_>) -> Result<Figure, String> {
    cost(
        cx,
        &Cost {
            id: "rm-experiment-skew-spill",
            count: "spill",
            title: "What a bound on the load sends elsewhere",
            reading: "Lower is better: what is spilt is not where whoever knows only the nodes looks for it. A bound \
                  binds nobody once its factor is above the busiest node; an even strategy gets there first. A \
                  hot key's requests spill under any factor.",
            axis: "share that is not on the node which the strategy alone gives",
            unit: Unit::Share,
            log: false,
        },
    )
}

pub(super) fn extra(cx: &Cx<'_>) -> Result<Figure, String> {
    cost(
        cx,
        &Cost {
            id: "rm-experiment-skew-extra",
            count: "extra",
            title: "How far what overflows has to go",
            reading: "Lower is better: nodes looked at beyond the first, on average over all that is placed.",
            axis: "more nodes looked at, for each that is placed (log axis)",
            unit: Unit::Plain,
            log: true,
        },
    )
}

pub(super) fn moves(cx: &Cx<'_>) -> Result<Figure, String> {
    cost(
        cx,
        &Cost {
            id: "rm-experiment-skew-moves",
            count: "moves",
            title: "What a bound on the load moves when a node is lost",
            reading: "1 is what the strategy moves without a bound. Under a tight bound a lost node pushes others over \
                  their caps, and those others again. Losses of one node, one at a time.",
            axis: "moves for each without a bound (log axis)",
            unit: Unit::Plain,
            log: true,
        },
    )
}

/// A panel a strategy: keys under both rules of overflow, and requests.
fn cost(cx: &Cx<'_>, cost: &Cost) -> Result<Figure, String> {
    const OTHER: Stroke<'static> = Stroke {
        dash: "4 2",
        ..Stroke::solid(INK, 1.2)
    };
    const REQUESTS: Stroke<'static> = Stroke {
        dash: "1.5 2",
        ..Stroke::solid(INK, 1.2)
    };
    let table = series(cx, FACTOR)?;
    let mut drawn = Drawn::default();
    let kinds: Vec<(&str, &str)> = names(table, |row| &row.series)
        .into_iter()
        .filter_map(|name| kind(name, cost.count))
        .collect();
    let rules = rules(table, cost.count);
    let mut asked = distinct(kinds.iter().map(|it| it.0));
    asked.retain(|it| *it != "keys");
    let requests = asked.get(asked.len() / 2).copied().unwrap_or("requests");
    let mut panels = Vec::new();
    let mut all = Vec::new();
    for spec in names(table, |row| &row.label) {
        let mut of =
            |what: &str, rule: &str| curve(&mut drawn, table, spec, &[what, rule, cost.count]);
        let by_rule: Vec<_> = rules.iter().map(|rule| (rule, of("keys", rule))).collect();
        let mut by_rule = by_rule.into_iter().filter(|it| !it.1.is_empty());
        let Some((rule, keys)) = by_rule.next() else {
            continue;
        };
        let other = by_rule.next().map_or(Vec::new(), |it| it.1);
        let sent = of(requests, rule);
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
            continue;
        };
        let detail = format!(
            "{}: {} to {}",
            rule,
            cost.unit.text(first.1),
            cost.unit.text(last.1)
        );
        all.extend(keys.iter().chain(&other).chain(&sent).copied());
        let style = cx.field.style(spec);
        panels.push(Panel {
            name: spec.to_owned(),
            detail,
            style,
            areas: Vec::new(),
            curves: vec![
                Curve::plain(other, OTHER),
                Curve::plain(sent, REQUESTS),
                Curve::main(keys, style),
            ],
        });
    }
    let values = all.iter().map(|it| it.1);
    let most = values.clone().fold(0.0, f64::max);
    let chart = Panels {
        wide: false,
        across: Axis {
            title: "factor: the most that a node may get, in fair shares".to_owned(),
            scale: Scale::steps(all.iter().map(|it| it.0)),
            unit: Unit::Plain,
        },
        up: Axis {
            title: cost.axis.to_owned(),
            scale: match cost.log {
                true => Scale::log(values),
                false => Scale::linear(0.0, if most > 0.0 { 1.05 * most } else { 1.0 }),
            },
            unit: cost.unit,
        },
        references: Vec::new(),
        panels,
    };
    let rule = |i: usize| rules.get(i).copied().unwrap_or("the other rule");
    let mut sheet = Sheet::begin(
        cx,
        Head {
            id: cost.id,
            section: Section::Experiments,
            title: cost.title.to_owned(),
            reading: cost.reading.to_owned(),
            legend: vec![
                Legend::new(
                    Sample::Line(Stroke::solid(GREY, 1.8)),
                    format!(
                        "a bound on keys, {} (where a strategy has no second choice: {})",
                        rule(0),
                        rule(1)
                    ),
                ),
                Legend::new(Sample::Line(OTHER), format!("a bound on keys, {}", rule(1))),
                Legend::new(
                    Sample::Line(REQUESTS),
                    format!("a bound on requests, {requests}, {}", rule(0)),
                ),
                Legend::new(
                    Sample::Line(Stroke::solid(FAINT, 1.2)),
                    "the other strategies",
                ),
            ],
        },
    );
    let bottom = panels::draw(&mut sheet, &chart);
    Ok(sheet.finish(cx, bottom, Vec::new(), Absent::default(), &drawn))
}

/// What is placed, and the rule, of a series `keys, forward, spill` of this count.
fn kind<'a>(series: &'a str, count: &str) -> Option<(&'a str, &'a str)> {
    let rest = series.strip_suffix(count)?.strip_suffix(", ")?;
    rest.split_once(", ")
}

/// The rules of overflow, in the order of a strategy that has all of them.
fn rules<'a>(table: &'a Table<SeriesRow>, count: &str) -> Vec<&'a str> {
    let of = |spec: &str| {
        let rows = table.rows.iter().filter(|row| row.label == spec);
        distinct(rows.filter_map(|row| Some(kind(&row.series, count)?.1)))
    };
    let mut most: Vec<&str> = Vec::new();
    for rules in names(table, |row| &row.label).into_iter().map(of) {
        if rules.len() > most.len() {
            most = rules;
        }
    }
    most
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn curve(
    drawn: &mut Drawn,
    table: &Table<SeriesRow>,
    spec: &str,
    words: &[&str],
) -> Vec<(f64, f64)> {
    let wanted = words.join(", ");
    points(drawn, table, |row| {
        row.label == spec && row.series == wanted
    })
}
