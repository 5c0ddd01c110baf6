//! Published claims beside what was measured.

use super::{Cell, Head, Table};
use crate::record::{ClaimRow, Verdict};

/// The claims of an experiment; nothing where there are none.
pub(in crate::report) fn judged(title: &str, caption: &str, rows: &[ClaimRow]) -> Option<Table> {
    let lines = rows.iter().map(|row| {
        let tone = match row.verdict {
            Verdict::Reproduced => "good",
            Verdict::Differs => "bad",
            Verdict::NotCheckable => "dim",
        };
        let verdict = Cell {
            tone,
            ..Cell::plain(row.verdict.name())
        };
        let with_unit = |value: &str| match (value, row.unit.as_str()) {
            ("", _) => "nothing".to_owned(),
            // Lines of a table.
            (_, "" | "lines") => value.replace('\n', " / "),
            (_, unit) => format!("{value} {unit}"),
        };
        vec![
            Cell::plain(&row.claim),
            Cell::plain(with_unit(&row.published)),
            Cell::plain(with_unit(&row.measured)),
            Cell::plain(&row.tolerance),
            verdict,
            Cell::plain(&row.reason),
        ]
    });
    (!rows.is_empty()).then(|| Table {
        title: title.to_owned(),
        caption: caption.to_owned(),
        head: [
            "claim",
            "published",
            "measured",
            "tolerance",
            "verdict",
            "why",
        ]
        .map(Head::text)
        .into(),
        rows: lines.collect(),
        upright: false,
    })
}
