//! The numbers behind the charts, metric by metric.

use std::collections::BTreeSet;

use super::{Cell, Head, Table, name};
use crate::record::{Row, TimedRow};
use crate::report::charts::{time, value};
use crate::report::field::Series;
use crate::report::number::{Unit, count, plural};
use crate::report::table::{self, Drawn, Key, nearest};
use crate::report::{Cx, FOCUS};

/// Balance at one size.
pub(in crate::report) fn balance(cx: &Cx<'_>) -> Option<Table> {
    const METRICS: [&str; 9] = [
        "peak_to_avg",
        "min_to_avg",
        "cv",
        "share_cv",
        "sd_keys",
        "exact_cv",
        "exact_peak_p50",
        "exact_peak_p95",
        "exact_peak_p99",
    ];
    let table = cx.data.balance.as_ref()?;
    let scenario = table.main_scenario(|row| row.metric == "cv");
    let ours = |row: &Row| row.scenario == scenario && METRICS.contains(&row.metric.as_str());
    let nodes = nearest(&table.sizes(ours), FOCUS)?;
    let key = Key {
        scenario: &scenario,
        change: "none",
        nodes,
        ..Key::default()
    };
    let rows = cx.groups().into_iter().map(|series| {
        let cells = METRICS.iter().map(|metric| {
            let found = value(&mut Drawn::default(), table, &series, Key { metric, ..key });
            Cell::of(found.map(|it| it.1), Unit::Plain)
        });
        std::iter::once(name(cx, &series)).chain(cells).collect()
    });
    let heads = METRICS.map(Head::number);
    Some(Table {
        title: format!("Balance at {}, key set {scenario}", plural(nodes, "node")),
        caption: "Peaks and minimum in fair shares, sd_keys in keys, the others as ratios to the fair share; means \
                  over the seeds, exact_peak_* over deployments."
            .to_owned(),
        head: std::iter::once(Head::text("strategy")).chain(heads).collect(),
        rows: rows.collect(),
        upright: false,
    })
}

/// Keys moved in vain, change by change, at one size.
pub(in crate::report) fn in_vain(cx: &Cx<'_>) -> Option<Table> {
    let table = cx.data.movement.as_ref()?;
    let ours = |row: &Row| row.metric == "collateral" && !row.change.starts_with("curve-");
    let scenario = table.main_scenario(ours);
    let nodes = nearest(&table.sizes(ours), FOCUS)?;
    let mut changes: Vec<&str> = Vec::new();
    for row in table
        .rows
        .iter()
        .filter(|row| ours(row) && row.nodes == nodes)
    {
        if !changes.contains(&row.change.as_str()) {
            changes.push(&row.change);
        }
    }
    let rows = cx.groups().into_iter().map(|series| {
        let cells = changes.iter().map(|change| {
            let of = |metric| {
                let key = Key {
                    scenario: &scenario,
                    change,
                    nodes,
                    metric,
                    ..Key::default()
                };
                value(&mut Drawn::default(), table, &series, key).map(|it| it.1)
            };
            // A change that the strategy refuses has its reason at the first metric.
            let found = of("moved").and_then(|moved| of("collateral").map(|vain| (moved, vain)));
            let hover = found
                .as_ref()
                .ok()
                .map(|it| format!("{} moved", Unit::Share.text(it.0)));
            let cell = Cell::of(found.map(|it| it.1), Unit::Share);
            Cell {
                hover: hover.unwrap_or(cell.hover.clone()),
                ..cell
            }
        });
        std::iter::once(name(cx, &series)).chain(cells).collect()
    });
    let heads = changes.iter().map(|it| Head::number(*it));
    Some(Table {
        title: format!(
            "Keys moved in vain at {}, change by change",
            plural(nodes, "node")
        ),
        caption: "Share of all keys; 0 means fewer than 3 of the keys asked, at 95 % confidence."
            .to_owned(),
        head: std::iter::once(Head::text("strategy"))
            .chain(heads)
            .collect(),
        rows: rows.collect(),
        upright: false,
    })
}

/// Look-up time at each size, and what stands beside it at one.
pub(in crate::report) fn lookup(cx: &Cx<'_>) -> Option<Table> {
    const BESIDE: [(&str, &str); 5] = [
        ("route_batch_ns", "in batches"),
        ("batch_mean_p99", "batch p99"),
        ("hash_ns", "hash alone"),
        ("load_ns", "hash and load"),
        ("competing_ns", "competing for the caches"),
    ];
    let table = cx.data.lookup.as_ref()?;
    // The last one is measured by the profile full alone.
    let beside = || {
        let of = BESIDE.iter().copied();
        of.filter(|(metric, _)| table.rows.iter().any(|row| row.metric == *metric))
    };
    let scenario = table.main_scenario(|row| row.metric == "lookup_ns");
    let sizes = table.sizes(|row| row.metric == "lookup_ns" && row.scenario == scenario);
    let nodes = nearest(&sizes, FOCUS)?;
    let columns = sizes
        .iter()
        .map(|&size| ("lookup_ns", size))
        .chain(beside().map(|(metric, _)| (metric, nodes)));
    let columns: Vec<(&str, u64)> = columns.collect();
    let heads = sizes
        .iter()
        .map(|&size| Head::number(format!("n = {}", count(size))));
    let beside = beside().map(|(_, title)| Head::number(format!("{title}, n = {}", count(nodes))));
    Some(Table {
        title: "Time a look-up".to_owned(),
        caption: format!("Medians over the rounds, key set {scenario}; batches of 1024 keys."),
        head: std::iter::once(Head::text("strategy"))
            .chain(heads)
            .chain(beside)
            .collect(),
        rows: times(cx, table, &scenario, &columns),
        upright: false,
    })
}

/// Build and change times at one size.
pub(in crate::report) fn build(cx: &Cx<'_>) -> Option<Table> {
    const METRICS: [&str; 3] = ["build_ns", "add_ns", "remove_ns"];
    let table = cx.data.build.as_ref()?;
    let ours = |row: &TimedRow| METRICS.contains(&row.metric.as_str());
    let scenario = table.main_scenario(ours);
    let sizes: BTreeSet<u64> = table.sizes(ours);
    let columns: Vec<(&str, u64)> = sizes
        .iter()
        .flat_map(|&size| METRICS.map(|metric| (metric, size)))
        .collect();
    let heads = columns.iter().map(|(metric, size)| {
        let what = metric.trim_end_matches("_ns");
        Head::number(format!("{what}, n = {}", count(*size)))
    });
    nearest(&sizes, FOCUS)?;
    Some(Table {
        title: "Time to build a cluster, to add a node and to remove one".to_owned(),
        caption: "Medians over the rounds.".to_owned(),
        head: std::iter::once(Head::text("strategy"))
            .chain(heads)
            .collect(),
        rows: times(cx, table, &scenario, &columns),
        upright: false,
    })
}

/// A row a spec, a column a metric and size.
fn times(
    cx: &Cx<'_>,
    table: &table::Table<TimedRow>,
    scenario: &str,
    columns: &[(&str, u64)],
) -> Vec<Vec<Cell>> {
    let row = |series: Series<'_>| {
        let cells = columns.iter().map(|&(metric, nodes)| {
            let key = Key {
                scenario,
                nodes,
                metric,
                ..Key::default()
            };
            let found = time(&mut Drawn::default(), table, &series, key);
            Cell::of(found.map(|it| it.1), Unit::Nanoseconds)
        });
        std::iter::once(name(cx, &series)).chain(cells).collect()
    };
    cx.singles().into_iter().map(row).collect()
}
