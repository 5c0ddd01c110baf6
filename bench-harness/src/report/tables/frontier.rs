//! The points that a ring needs, and the efficient designs.

use super::{Cell, Head, Table};
use crate::record::{EnoughRow, TimedDesignRow};
use crate::report::Cx;
use crate::report::charts::{ENOUGH, TIMED_DESIGNS};
use crate::report::number::Unit;

/// The experiment whose tables these are.
pub(in crate::report) const OF: &str = "frontier";

/// What the points that are enough come to, a sentence a number of nodes.
pub(in crate::report) fn sentences(cx: &Cx<'_>) -> Vec<String> {
    let rows = cx.data.enough.as_ref().map_or(&[][..], |it| &it.rows);
    let sizes = rows.chunk_by(|a, b| (a.nodes, &a.strategy) == (b.nodes, &b.strategy));
    let sizes = sizes.map(|it| it.iter().collect::<Vec<_>>());
    sizes.filter_map(|it| EnoughRow::sentence(&it)).collect()
}

/// A row a limit and number of nodes; nothing where no points were tried.
pub(in crate::report) fn enough(cx: &Cx<'_>) -> Option<Table> {
    let rows = &cx.data.enough.as_ref()?.rows;
    let lines = rows.iter().map(|row| {
        let whole = |value: Option<u64>| match value {
            Some(value) => Cell::number(Unit::Plain.text(value as f64), value as f64),
            None => Cell::plain("more"),
        };
        let of = |value: Option<f64>, unit: Unit| match value {
            Some(value) => Cell::number(unit.text(value), value),
            None => Cell::plain(""),
        };
        let interval = match (row.points_lo, row.points_hi) {
            (Some(lo), Some(hi)) => format!("{lo:.0} to {hi:.0}"),
            (Some(lo), None) => format!("{lo:.0} to more"),
            _ => String::new(),
        };
        vec![
            Cell::number(Unit::Plain.text(row.nodes as f64), row.nodes as f64),
            Cell::number(row.limit.to_string(), row.limit),
            match row.points {
                Some(_) => whole(row.points),
                None => Cell::plain(format!("more than {}", row.most)),
            },
            Cell::plain(interval),
            whole(row.theory),
            of(row.bytes_per_node, Unit::Bytes),
            Cell::number(
                Unit::Plain.text(row.deployments as f64),
                row.deployments as f64,
            ),
        ]
    });
    let lines: Vec<Vec<Cell>> = lines.collect();
    let ring = rows.first()?.strategy.clone();
    Some(Table {
        title: "Points that are enough".to_owned(),
        caption: format!(
            "{ENOUGH}: {ring}; the fewest points a node with which the busiest node stays below the limit (in fair \
             shares) in 95 % of deployments, where one point less does not; its 95 % interval, what theory asks for, and \
             heap bytes a node."
        ),
        head: [
            Head::number("nodes"),
            Head::number("below"),
            Head::number("points a node"),
            Head::text("interval"),
            Head::number("by theory"),
            Head::number("bytes a node"),
            Head::number("deployments"),
        ]
        .into(),
        rows: lines,
        upright: false,
    })
}

/// The designs that are efficient in bytes, busiest node and time, with the fields in which they are.
pub(in crate::report) fn efficient(cx: &Cx<'_>) -> Option<Table> {
    let rows = &cx.data.timed_designs.as_ref()?.rows;
    let mut best: Vec<&TimedDesignRow> =
        rows.iter().filter(|it| !it.efficient.is_empty()).collect();
    best.sort_by(|a, b| {
        let bytes = |it: &TimedDesignRow| it.bytes_per_node.unwrap_or(f64::NAN);
        bytes(a).total_cmp(&bytes(b))
    });
    let lines = best.into_iter().map(|row| {
        let of = |value: Option<f64>, unit: Unit| match value {
            Some(value) => Cell::number(unit.text(value), value),
            None => Cell::plain(""),
        };
        let interval = match (row.lo, row.hi) {
            (Some(lo), Some(hi)) => format!("{lo:.1} to {hi:.1}"),
            _ => String::new(),
        };
        vec![
            Cell::plain(&row.strategy),
            of(row.bytes_per_node, Unit::Bytes),
            of(row.peak, Unit::Plain),
            of(row.lookup_ns, Unit::Nanoseconds),
            Cell::plain(interval),
            of(row.hash_ns, Unit::Nanoseconds),
            of(row.load_ns, Unit::Nanoseconds),
            Cell::plain(&row.efficient),
        ]
    });
    let lines: Vec<Vec<Cell>> = lines.collect();
    let nodes = rows.first()?.nodes;
    (!lines.is_empty()).then(|| Table {
        title: "The efficient designs".to_owned(),
        caption: format!(
            "{TIMED_DESIGNS}: at {nodes} nodes; no other design of the field has as few bytes, as low a peak and as short \
             a time, and less of one of them. Times are equal where their intervals overlap."
        ),
        head: [
            Head::text("strategy"),
            Head::number("bytes a node"),
            Head::number("busiest"),
            Head::number("look-up"),
            Head::text("interval, ns"),
            Head::number("hash alone"),
            Head::number("hash and a read"),
            Head::text("efficient where"),
        ]
        .into(),
        rows: lines,
        upright: false,
    })
}
