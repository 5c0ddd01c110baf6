//! What strategies claim, and what became of the claims when they were tested.

use super::{Cell, Head, Table};
use crate::record::ContractRow;
use crate::report::Cx;

/// Every check of every strategy.
pub(in crate::report) fn matrix(cx: &Cx<'_>) -> Option<Table> {
    let rows = &cx.data.contract.as_ref()?.rows;
    let (strategies, checks) = axes(rows);
    let lines = strategies.iter().map(|strategy| {
        let cells = checks.iter().map(|check| {
            let row = rows
                .iter()
                .find(|row| row.strategy == *strategy && row.check == *check);
            row.map_or_else(|| Cell::plain("not run"), verdict)
        });
        std::iter::once(Cell::plain(*strategy))
            .chain(cells)
            .collect()
    });
    Some(Table {
        title: "Contract, check by check".to_owned(),
        caption: "Each claim is tested with small worlds, exhaustively, and with large ones, by seeded walks; a \
                  claim that a strategy does not make is unsupported, not passed."
            .to_owned(),
        head: std::iter::once(Head::text("strategy"))
            .chain(checks.iter().map(|it| Head::text(it.replace('_', " "))))
            .collect(),
        rows: lines.collect(),
        upright: true,
    })
}

/// The verdicts counted, with what failed.
pub(in crate::report) fn summary(cx: &Cx<'_>) -> Option<Table> {
    let rows = &cx.data.contract.as_ref()?.rows;
    let (strategies, _) = axes(rows);
    let lines = strategies.iter().map(|strategy| {
        let of = |status: &str| -> Vec<&ContractRow> {
            let own = rows.iter().filter(|row| row.strategy == *strategy);
            own.filter(|row| row.status == status).collect()
        };
        let (passed, failed, unsupported) = (of("passed"), of("failed"), of("unsupported"));
        let failures = failed
            .iter()
            .map(|row| format!("{}: {}", row.check, row.note));
        let names = unsupported.iter().map(|row| row.check.replace('_', " "));
        vec![
            Cell::plain(*strategy),
            Cell::plain(passed.len().to_string()),
            Cell::plain(if failed.is_empty() {
                "none".to_owned()
            } else {
                failures.collect::<Vec<_>>().join("; ")
            }),
            Cell::plain(if unsupported.is_empty() {
                "none".to_owned()
            } else {
                names.collect::<Vec<_>>().join(", ")
            }),
        ]
    });
    Some(Table {
        title: "Contract".to_owned(),
        caption: "Checks that each strategy passed, failed, or does not claim.".to_owned(),
        head: vec![
            Head::text("strategy"),
            Head::number("passed"),
            Head::text("failed"),
            Head::text("unsupported"),
        ],
        rows: lines.collect(),
        upright: false,
    })
}

/// What the strategies claim.
pub(in crate::report) fn claims(cx: &Cx<'_>) -> Option<Table> {
    const CLAIMS: [&str; 9] = [
        "any_removal",
        "minimal",
        "order_free",
        "history_free",
        "weights",
        "replicas",
        "even",
        "knows_load",
        "max_nodes",
    ];
    cx.data.strategies.as_ref()?;
    let rows = cx.singles().into_iter().map(|series| {
        let entry = series.members[0];
        let caps = &entry.strategy.capabilities;
        let yes = |claimed: bool| Cell {
            tone: if claimed { "good" } else { "dim" },
            ..Cell::plain(if claimed { "yes" } else { "no" })
        };
        let most = caps
            .max_nodes
            .map_or("any".to_owned(), |most| most.to_string());
        vec![
            Cell::plain(&entry.label),
            yes(caps.any_removal),
            yes(caps.minimal),
            yes(caps.order_free),
            yes(caps.history_free),
            Cell::plain(&caps.weights),
            yes(caps.replicas),
            yes(caps.even),
            yes(caps.knows_load),
            Cell::plain(most),
        ]
    });
    Some(Table {
        title: "Claims".to_owned(),
        caption: "any_removal: not only the last node may leave. minimal: nothing moves in vain while all weights are \
                  equal. order_free: joining order does not matter. history_free: past changes do not matter. even: \
                  exactly equal shares in expectation."
            .to_owned(),
        head: std::iter::once(Head::text("strategy"))
            .chain(CLAIMS.map(Head::text))
            .collect(),
        rows: rows.collect(),
        upright: false,
    })
}

/// Strategies and checks in the order in which they first appear.
fn axes(rows: &[ContractRow]) -> (Vec<&str>, Vec<&str>) {
    let (mut strategies, mut checks): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for row in rows {
        if !strategies.contains(&row.strategy.as_str()) {
            strategies.push(&row.strategy);
        }
        if !checks.contains(&row.check.as_str()) {
            checks.push(&row.check);
        }
    }
    (strategies, checks)
}

fn verdict(row: &ContractRow) -> Cell {
    let tone = match row.status.as_str() {
        "passed" => "good",
        "failed" => "bad",
        _ => "dim",
    };
    Cell {
        tone,
        hover: if row.note.is_empty() {
            format!("{} cases", row.cases)
        } else {
            format!("{} ({} cases)", row.note, row.cases)
        },
        ..Cell::plain(&row.status)
    }
}
