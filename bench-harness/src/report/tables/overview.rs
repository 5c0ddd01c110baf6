//! The field at a glance.

use super::{Cell, Head, Table, name};
use crate::record::{OWN_CHANGE, Row};
use crate::report::absent::Reason;
use crate::report::charts::{time, value};
use crate::report::field::Series;
use crate::report::number::{Unit, plural};
use crate::report::table::{self, Drawn, Key, nearest};
use crate::report::{Cx, FOCUS};

type Rows = table::Table<Row>;

/// One row a strategy: what it costs and what it can do, in a cluster of the usual size.
pub(in crate::report) fn glance(cx: &Cx<'_>) -> Option<Table> {
    let nodes = nearest(&sizes(cx).into_iter().collect(), FOCUS)?;
    Some(at(cx, nodes))
}

/// The same at every size at which changes were measured, by size; the usual one first.
pub(in crate::report) fn glances(cx: &Cx<'_>) -> Vec<(u64, Table)> {
    let mut sizes = sizes(cx);
    sizes.sort_unstable();
    sizes.dedup();
    let usual = nearest(&sizes.iter().copied().collect(), FOCUS);
    // Those of the control: others are measured for a few strategies alone, which is no comparison.
    let control = cx.singles().into_iter().find(|it| it.is_control());
    let compared = control
        .zip(cx.data.movement.as_ref())
        .map(|(series, rows)| {
            let label = &series.members[0].label;
            rows.sizes(|row| row.strategy == *label && row.metric == "moved")
        });
    sizes.retain(|n| Some(*n) == usual || compared.as_ref().is_some_and(|it| it.contains(n)));
    sizes.sort_by_key(|n| Some(*n) != usual);
    sizes.into_iter().map(|n| (n, at(cx, n))).collect()
}

fn sizes(cx: &Cx<'_>) -> Vec<u64> {
    let data = cx.data;
    let rows = [&data.movement, &data.balance, &data.memory];
    let rows = rows.into_iter().flatten();
    let mut sizes: Vec<u64> = rows.flat_map(|table| table.sizes(|_| true)).collect();
    sizes.extend(data.lookup.iter().flat_map(|table| table.sizes(|_| true)));
    sizes
}

fn at(cx: &Cx<'_>, nodes: u64) -> Table {
    let data = cx.data;
    let given = data.movement.as_ref();
    let given = given.is_some_and(|it| it.rows.iter().any(|row| row.change == OWN_CHANGE));
    let changes = &[OWN_CHANGE, "lose-random", "replace", "add"][usize::from(!given)..];
    let lines = cx.singles().into_iter().map(|series| {
        let mut cells = vec![name(cx, &series)];
        for change in changes {
            cells.extend(moved(&data.movement, &series, change, nodes));
        }
        cells.push(busiest(&data.balance, &series, nodes));
        cells.push(metric(
            &data.movement,
            &series,
            "n1_peak",
            nodes,
            Unit::Plain,
        ));
        cells.push(lookup(cx, &series, nodes));
        let bytes = metric(&data.memory, &series, "bytes_per_node", nodes, Unit::Bytes);
        cells.push(bytes);
        if cx.data.strategies.is_some() {
            let strategy = &series.members[0].strategy;
            let caps = &strategy.capabilities;
            cells.push(Cell::plain(if caps.any_removal {
                "yes"
            } else {
                "last only"
            }));
            cells.push(Cell::plain(&caps.weights));
            cells.push(Cell::plain(if caps.replicas { "yes" } else { "no" }));
            cells.push(Cell::plain(strategy.spoken_by.join(", ")));
        }
        cells
    });
    let mut head = vec![Head::text("strategy")];
    if given {
        let title = Head::number("the change given: moved").keyed("given");
        head.extend([title, Head::number("in vain")]);
    }
    head.extend([
        Head::number("one lost: moved").keyed("lost"),
        Head::number("in vain"),
        Head::number("one replaced: moved").keyed("replaced"),
        Head::number("in vain"),
        Head::number("one added: moved"),
        Head::number("in vain"),
        Head::number("busiest node, p95"),
        Head::number("n1_peak"),
        Head::number("look-up"),
        Head::number("bytes a node"),
    ]);
    if cx.data.strategies.is_some() {
        let abilities = [
            ("any removal", "removal"),
            ("weights", "weights"),
            ("replicas", "replicas"),
            ("spoken by", "spoken"),
        ];
        head.extend(abilities.map(|(text, key)| Head::text(text).keyed(key)));
    }
    Table {
        title: format!("The field at {}", plural(nodes, "node")),
        caption: "Moved and in vain: shares of all keys. Busiest node and n1_peak: fair shares; the busiest node in \
                  95 % of deployments, or over the seeds where keys had to be counted. Look-up: median."
            .to_owned(),
        rows: lines.collect(),
        head,
        upright: false,
    }
}

/// The value of a metric whose scenario and change are those that most rows have.
fn number(
    table: &Option<Rows>,
    series: &Series<'_>,
    metric: &str,
    change: Option<&str>,
    nodes: u64,
) -> Result<f64, Reason> {
    let table = table.as_ref().ok_or(Reason::NoRow)?;
    let of = |row: &Row| row.metric == metric && change.is_none_or(|it| it == row.change);
    let (scenario, main) = (table.main_scenario(of), table.main_change(of));
    let key = Key {
        scenario: &scenario,
        change: change.unwrap_or(&main),
        nodes,
        metric,
        ..Key::default()
    };
    value(&mut Drawn::default(), table, series, key).map(|(_, value)| value)
}

fn metric(table: &Option<Rows>, series: &Series<'_>, name: &str, nodes: u64, unit: Unit) -> Cell {
    Cell::of(number(table, series, name, None, nodes), unit)
}

/// Moved, and moved in vain.
fn moved(table: &Option<Rows>, series: &Series<'_>, change: &str, nodes: u64) -> [Cell; 2] {
    ["moved", "collateral"].map(|metric| {
        let found = number(table, series, metric, Some(change), nodes);
        Cell::of(found, Unit::Share)
    })
}

fn busiest(table: &Option<Rows>, series: &Series<'_>, nodes: u64) -> Cell {
    if let Ok(exact) = number(table, series, "exact_peak_p95", None, nodes) {
        return Cell::number(Unit::Plain.text(exact), exact);
    }
    let counted = table.as_ref().ok_or(Reason::NoRow).and_then(|table| {
        let scenario = table.main_scenario(|row| row.metric == "peak_to_avg");
        let key = Key {
            scenario: &scenario,
            change: "none",
            nodes,
            metric: "peak_to_avg",
            ..Key::default()
        };
        let (row, mean) = value(&mut Drawn::default(), table, series, key)?;
        Ok(row.p95.unwrap_or(mean))
    });
    match counted {
        Ok(peak) => Cell::number(format!("{} (counted)", Unit::Plain.text(peak)), peak),
        Err(reason) => Cell::without(&reason),
    }
}

fn lookup(cx: &Cx<'_>, series: &Series<'_>, nodes: u64) -> Cell {
    let timed = cx
        .data
        .lookup
        .as_ref()
        .ok_or(Reason::NoRow)
        .and_then(|table| {
            let scenario = table.main_scenario(|row| row.metric == "lookup_ns");
            let key = Key {
                scenario: &scenario,
                nodes,
                metric: "lookup_ns",
                ..Key::default()
            };
            time(&mut Drawn::default(), table, series, key).map(|(_, median)| median)
        });
    Cell::of(timed, Unit::Nanoseconds)
}
