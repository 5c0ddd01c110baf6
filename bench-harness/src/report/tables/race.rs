//! The race: what was demanded, and every strategy beside its peers.

use std::collections::BTreeSet;

use super::{Cell, Head, Table};
use crate::record::{RaceRow, Side};
use crate::report::Cx;
use crate::report::absent::Reason;
use crate::report::number::{Unit, count};
use crate::report::race::{RaceData, reason};

/// What was demanded, and what came out.
pub(in crate::report) fn musts(cx: &Cx<'_>) -> Option<Table> {
    let musts = &cx.data.race.as_ref()?.musts;
    let lines = musts.iter().map(|must| {
        let tone = match must.verdict.as_str() {
            "met" | "aim met" => "good",
            "missed" => "bad",
            _ => "dim",
        };
        let times = |value: Option<f64>| match value {
            Some(value) => Cell::number(Unit::Plain.text(value), value),
            None => Cell::plain(""),
        };
        let interval = match (must.lo, must.hi) {
            (Some(lo), Some(hi)) => {
                format!("{} to {}", Unit::Plain.text(lo), Unit::Plain.text(hi))
            }
            _ => String::new(),
        };
        vec![
            Cell::plain(&must.must),
            Cell::plain(&must.ours),
            Cell::plain(&must.peer),
            times(Some(must.times)),
            times(must.aim),
            times(must.ratio),
            Cell::plain(interval),
            Cell {
                tone,
                ..Cell::plain(&must.verdict)
            },
        ]
    });
    (!musts.is_empty()).then(|| Table {
        title: "What is demanded".to_owned(),
        caption: "How many times faster than the fastest peer: the peer's median over ours, in one interleaved \
                  run, with an interval made of those of the two medians."
            .to_owned(),
        head: vec![
            Head::text("must"),
            Head::text("ours"),
            Head::text("fastest peer"),
            Head::number("at least"),
            Head::number("aim"),
            Head::number("measured"),
            Head::text("95 % interval"),
            Head::text("verdict"),
        ],
        rows: lines.collect(),
        upright: false,
    })
}

/// A table a family.
pub(in crate::report) fn families(cx: &Cx<'_>) -> Vec<Table> {
    let Some(race) = &cx.data.race else {
        return Vec::new();
    };
    let sizes: BTreeSet<u64> = race.table.sizes(|_| true);
    let detailed = race.detailed_size();
    let families = race.families().into_iter();
    families
        .map(|family| table(race, family, &sizes, detailed))
        .collect()
}

fn table(race: &RaceData, family: &str, sizes: &BTreeSet<u64>, detailed: u64) -> Table {
    let strategies = race.strategies(family);
    let cell = |strategy: &str, nodes, metric: &str| -> Cell {
        // What was not timed at all at this size has one row that says why.
        let row = race.row(family, strategy, nodes, metric);
        let why = || race.row(family, strategy, nodes, "lookup_ns");
        let row = match row {
            Some(row) => Some(row),
            None => why().filter(|it| it.median.is_none()),
        };
        match row.map(|row| (row, reason(row))) {
            None => Cell::without(&Reason::NoRow),
            Some((_, Some(why))) => Cell::without(&why),
            Some((row, None)) => {
                let unit = match metric {
                    "instructions" => Unit::Plain,
                    _ => Unit::Nanoseconds,
                };
                let at = row.median.unwrap_or_default();
                Cell {
                    hover: interval(row, unit),
                    ..Cell::number(unit.text(at), at)
                }
            }
        }
    };
    const DETAILS: [(&str, &str); 6] = [
        ("route_batch_ns", "in batches"),
        ("load_ns", "load floor"),
        ("build_ns", "build"),
        ("add_ns", "add one"),
        ("remove_ns", "remove one"),
        ("instructions", "instructions"),
    ];
    let lines = strategies.iter().map(|first| {
        let strategy = first.strategy.as_str();
        let contract = match first.contract.as_str() {
            "failed" => Cell {
                tone: "bad",
                ..Cell::plain("failed")
            },
            other => Cell::plain(other),
        };
        let side = match first.side {
            Side::Ours => "ours",
            Side::Peer => "peer",
        };
        let ratio = race.row(family, strategy, detailed, "lookup_ns");
        let ratio = ratio.and_then(|row| row.to_peer).filter(|it| *it > 0.0);
        let mut cells = vec![
            Cell::plain(strategy),
            Cell::plain(side),
            Cell::plain(&first.hash),
        ];
        cells.extend(
            sizes
                .iter()
                .map(|&nodes| cell(strategy, nodes, "lookup_ns")),
        );
        cells.push(match ratio {
            Some(ratio) => Cell::number(Unit::Plain.text(1.0 / ratio), 1.0 / ratio),
            None => Cell::plain(""),
        });
        cells.extend(DETAILS.iter().map(|it| cell(strategy, detailed, it.0)));
        cells.push(contract);
        cells
    });
    let mut head = vec![
        Head::text("strategy"),
        Head::text("side"),
        Head::text("hash"),
    ];
    head.extend(
        sizes
            .iter()
            .map(|&nodes| Head::number(format!("{} nodes", count(nodes)))),
    );
    head.push(Head::number("times the fastest peer"));
    head.extend(DETAILS.iter().map(|it| Head::number(it.1)));
    head.push(Head::text("contract"));
    Table {
        title: format!("Family {family}"),
        caption: format!(
            "Medians. Look-ups of single keys at each number of nodes; everything behind them at {} nodes. \
             Above 1 is faster than every peer.",
            count(detailed)
        ),
        head,
        rows: lines.collect(),
        upright: false,
    }
}

fn interval(row: &RaceRow, unit: Unit) -> String {
    match (row.lo, row.hi) {
        (Some(lo), Some(hi)) => format!("{} to {}", unit.text(lo), unit.text(hi)),
        _ => String::new(),
    }
}

/// The peers that break their contract, each with the first check that it fails.
pub(in crate::report) fn broken(cx: &Cx<'_>) -> Option<Table> {
    let race = cx.data.race.as_ref()?;
    let mut named = BTreeSet::new();
    let failed = race
        .table
        .rows
        .iter()
        .filter(|row| row.contract == "failed");
    // The note of a row that is not `ok` says something else.
    let failed = failed.filter(|row| row.median.is_some() && !row.note.is_empty());
    let failed: Vec<&RaceRow> = failed.filter(|row| named.insert(&row.strategy)).collect();
    let line = |row: &&RaceRow| vec![Cell::plain(&row.strategy), Cell::plain(&row.note)];
    (!failed.is_empty()).then(|| Table {
        title: "Contracts broken".to_owned(),
        caption: "The first check that fails, with the smallest case that was found. Who fails is raced all the \
                  same: what ours is held against is the fastest there is."
            .to_owned(),
        head: ["strategy", "check and smallest case"].map(Head::text).into(),
        rows: failed.iter().map(line).collect(),
        upright: false,
    })
}
