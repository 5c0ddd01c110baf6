//! What it takes for two clients to agree.

use super::{Cell, Head, Table};
use crate::report::Cx;
use crate::report::agreement::Agreement;
use crate::report::number::count;
use crate::report::table::Drawn;

/// The tables of the section; none without its data.
pub(in crate::report) fn clients(cx: &Cx<'_>) -> Vec<Table> {
    let Ok(agreement) = Agreement::read(cx, &mut Drawn::default()) else {
        return Vec::new();
    };
    let mut tables = vec![takes(&agreement), letters(&agreement), lists(&agreement)];
    tables.extend(refusals(&agreement));
    tables
}

/// A row a spec: who speaks it, what it does, with whom it agrees and where not.
fn takes(agreement: &Agreement<'_>) -> Table {
    let compared = &agreement.about.compared;
    let rows = compared.iter().enumerate().map(|(i, spec)| {
        let (mut same, mut but) = (Vec::new(), Vec::new());
        for (j, other) in compared.iter().enumerate().filter(|&(j, _)| j != i) {
            let common = agreement.everywhere(i, j);
            let differ: Vec<&str> = common
                .iter()
                .filter(|it| !it.1.all())
                .map(|it| agreement.about.lists[it.0].name.as_str())
                .collect();
            if common.is_empty() {
                continue;
            }
            if differ.is_empty() {
                same.push(other.label.clone());
            } else if 2 * differ.len() <= common.len() {
                but.push(format!("{} ({})", other.label, differ.join(", ")));
            }
        }
        vec![
            Cell::plain(&spec.label),
            Cell::plain(spec.strategy.spoken_by.join(", ")),
            Cell::plain(&spec.strategy.summary),
            Cell::plain(same.join(", ")),
            Cell::plain(but.join("; ")),
        ]
    });
    Table {
        title: "What it takes to agree".to_owned(),
        caption: "Same owners: every key on every list that both serve. But for: all keys on at least half of those \
                  lists; the others are named in brackets, and say what the two do differently."
            .to_owned(),
        rows: rows.collect(),
        head: [
            "strategy",
            "spoken by",
            "what it does",
            "same owners as",
            "as but for",
        ]
        .map(Head::text)
        .into(),
        upright: false,
    }
}

/// A row a spec, a column a list: the same letter where all keys have the same owner.
fn letters(agreement: &Agreement<'_>) -> Table {
    let compared = &agreement.about.compared;
    let n_lists = agreement.about.lists.len();
    let mut rows: Vec<Vec<Cell>> = compared
        .iter()
        .map(|spec| vec![Cell::plain(&spec.label)])
        .collect();
    for list in 0..n_lists {
        // The first of each group stands for it: who agrees with it agrees with all of them.
        let mut firsts: Vec<usize> = Vec::new();
        for (spec, row) in rows.iter_mut().enumerate() {
            if let Some(why) = agreement.refusal(spec, list) {
                row.push(Cell {
                    tone: "dim",
                    hover: why.to_owned(),
                    ..Cell::plain("refused")
                });
                continue;
            }
            let like = |&first: &usize| agreement.on(first, spec, list).is_some_and(|it| it.all());
            let group = firsts.iter().position(like).unwrap_or_else(|| {
                firsts.push(spec);
                firsts.len() - 1
            });
            row.push(Cell::plain(letter(group)));
        }
    }
    let names = agreement.about.lists.iter().map(|it| Head::text(&it.name));
    Table {
        title: "Who is with whom, list by list".to_owned(),
        caption: "In a column, the same letter means the same owner for every key; letters of different columns have \
                  nothing to do with each other."
            .to_owned(),
        head: std::iter::once(Head::text("strategy")).chain(names).collect(),
        rows,
        upright: true,
    }
}

/// A, B, ... Z, A1, B1, ...
fn letter(group: usize) -> String {
    let letter = char::from(b'A' + (group % 26) as u8);
    match group / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn lists(agreement: &Agreement<'_>) -> Table {
    let rows = agreement.about.lists.iter().map(|list| {
        vec![
            Cell::plain(&list.name),
            Cell::plain(&list.exercises),
            Cell::plain(count(list.nodes)),
            Cell::plain(count(list.keys)),
        ]
    });
    Table {
        title: "The lists".to_owned(),
        caption: "What each list of nodes is there for.".to_owned(),
        rows: rows.collect(),
        head: vec![
            Head::text("list"),
            Head::text("what it is there for"),
            Head::number("nodes"),
            Head::number("keys"),
        ],
        upright: false,
    }
}

fn refusals(agreement: &Agreement<'_>) -> Option<Table> {
    let refused = &agreement.about.refused;
    let rows = refused.iter().map(|it| {
        vec![
            Cell::plain(&it.strategy),
            Cell::plain(&it.nodes),
            Cell::plain(&it.why),
        ]
    });
    (!refused.is_empty()).then(|| Table {
        title: "Who refuses a list".to_owned(),
        caption: "Nothing is looked up: a name that a client could only make with an answer from outside is refused."
            .to_owned(),
        rows: rows.collect(),
        head: ["strategy", "list", "why"].map(Head::text).into(),
        upright: false,
    })
}
