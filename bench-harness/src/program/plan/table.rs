//! A plan for a person: the books, the loads, who gives what to whom, and the steps.

use std::{collections::HashSet, fmt::Write as _};

use crate::record::{Books, Flow, PlanDocument, PlanEntry, PlanNode, Steps, Weighed};
use comfy_table::{CellAlignment, Table, presets};

/// The most nodes of a matrix that fits a screen; a larger one is told by its largest moves.
const MATRIX: usize = 10;
/// The most moves, nodes and steps that are told.
const TOLD: usize = 20;

/// All of it.
pub(super) fn text(document: &PlanDocument) -> String {
    let mut out = String::new();
    let n_keys = document.plans.first().map_or(0, |it| it.books[0].total);
    let present =
        |there: fn(&PlanNode) -> bool| document.nodes.iter().filter(|it| there(it)).count();
    let _ = writeln!(
        out,
        "{}: {}, {}; {} before, {} after\n",
        document.keys,
        counted(n_keys, "key"),
        match document.distinct {
            true => "each counted once",
            false => "counted as often as they come",
        },
        counted(present(|it| it.before.is_some()) as u128, "node"),
        counted(present(|it| it.after.is_some()) as u128, "node"),
    );
    let _ = writeln!(out, "{}\n", books(document));
    let _ = writeln!(
        out,
        "Keys on each node, before > after\n\n{}",
        loads(document)
    );
    more(&mut out, document.nodes.len(), "nodes");
    for plan in &document.plans {
        flows(&mut out, plan);
        if let Some(it) = &plan.steps {
            steps(&mut out, plan, it);
        }
    }
    if document.plans.iter().any(|it| it.books.len() > 1) {
        out.push_str("\nBytes and hits of every node and move: --format csv or json\n");
    }
    out
}

/// What `moved` and its like are, strategy by strategy.
fn books(document: &PlanDocument) -> Table {
    let mut table = table(&[
        "strategy",
        "of",
        "moved",
        "forced",
        "collateral",
        "optimal",
        "own_optimal",
        "excess",
        "peak_before",
        "peak_after",
    ]);
    for plan in &document.plans {
        for (place, books) in plan.books.iter().enumerate() {
            let mut row = vec![match place {
                0 => plan.strategy.clone(),
                _ => String::new(),
            }];
            row.push(books.quantity.name().to_owned());
            row.extend(numbers(books));
            row.extend([books.peak_before, books.peak_after].map(|it| ratio(it, 2)));
            table.add_row(row);
        }
    }
    left(table, 2)
}

fn numbers(books: &Books) -> [String; 6] {
    [
        percent(books.moved_share),
        percent(books.forced_share),
        percent(books.collateral_share),
        percent(Some(books.optimal)),
        percent(books.own_optimal),
        ratio(books.excess, 2),
    ]
}

/// Keys on each node under each strategy.
fn loads(document: &PlanDocument) -> Table {
    let specs = document.plans.iter().map(|it| it.strategy.as_str());
    let header: Vec<&str> = ["", "node", "weight"].into_iter().chain(specs).collect();
    let mut table = table(&header);
    for (number, node) in (1..).zip(document.nodes.iter()).take(TOLD) {
        let mut row = vec![number.to_string(), node.node.clone(), weight(node)];
        for plan in &document.plans {
            let load = plan.loads.iter().find(|it| it.node == node.node);
            row.push(load.map_or(String::new(), |it| {
                format!(
                    "{} > {}",
                    grouped(it.before.keys.into()),
                    grouped(it.after.keys.into())
                )
            }));
        }
        table.add_row(row);
    }
    left(table, 2)
}

fn weight(node: &PlanNode) -> String {
    let one = |weight: Option<u32>| weight.map_or("-".to_owned(), |it| it.to_string());
    match node.before == node.after {
        true => one(node.before),
        false => format!("{} > {}", one(node.before), one(node.after)),
    }
}

/// Who gives what to whom: a matrix where it fits, else the largest moves.
fn flows(out: &mut String, plan: &PlanEntry) {
    let strategy = &plan.strategy;
    let moved = plan.books.first().map_or(0, |it| it.moved);
    if moved == 0 {
        let _ = writeln!(out, "\n{strategy}: no key moves");
        return;
    }
    let _ = write!(out, "\n{strategy}: {} to move", counted(moved, "key"));
    let gave = ends(plan, |flow| &flow.from);
    let got = ends(plan, |flow| &flow.to);
    if gave.len() > MATRIX || got.len() > MATRIX {
        out.push_str("; the largest moves\n\n");
        let mut table = table(&["from", "to", "keys"]);
        for flow in plan.flows.iter().take(TOLD) {
            table.add_row([&flow.from, &flow.to, &grouped(flow.moved.keys.into())]);
        }
        let _ = writeln!(out, "{}", left(table, 2));
        more(out, plan.flows.len(), "moves");
        return;
    }
    out.push_str(", from the node of the row to the one with the number of the column\n\n");
    let mut header = vec![String::new(), "from".to_owned()];
    header.extend(got.iter().map(|&(number, _)| number.to_string()));
    let mut table = table(&header);
    for (number, from) in gave {
        let mut row = vec![number.to_string(), from.to_owned()];
        for (_, to) in &got {
            let flow = plan.flows.iter().find(|it| it.from == from && it.to == *to);
            row.push(flow.map_or("-".to_owned(), |it| grouped(it.moved.keys.into())));
        }
        table.add_row(row);
    }
    let _ = writeln!(out, "{}", left(table, 2));
}

/// The nodes at one end of the moves, with their numbers in the table of loads.
fn ends(plan: &PlanEntry, end: fn(&Flow) -> &String) -> Vec<(usize, &str)> {
    let ends: HashSet<&String> = plan.flows.iter().map(end).collect();
    let nodes = (1..).zip(plan.loads.iter().map(|it| &it.node));
    let nodes = nodes.filter(|(_, node)| ends.contains(node));
    nodes
        .map(|(number, node)| (number, node.as_str()))
        .collect()
}

/// The change one node at a time.
fn steps(out: &mut String, plan: &PlanEntry, steps: &Steps) {
    let _ = writeln!(out, "\n{}, one node at a time, in keys\n", plan.strategy);
    let mut table = table(&[
        "step",
        "change",
        "moved",
        "forced",
        "collateral",
        "optimal",
        "own_optimal",
        "excess",
    ]);
    for (number, step) in (1..).zip(&steps.steps).take(TOLD) {
        let mut row = vec![number.to_string(), step.change.replace('\t', " ")];
        row.extend(step.books.first().map(numbers).unwrap_or_default());
        table.add_row(row);
    }
    let _ = writeln!(out, "{}", left(table, 2));
    more(out, steps.steps.len(), "steps");
    for books in &plan.books {
        let sum: u128 = steps
            .steps
            .iter()
            .flat_map(|step| step.books.iter().filter(|it| it.quantity == books.quantity))
            .map(|it| it.moved)
            .sum();
        let of = |weighed: &Weighed| grouped(weighed.of(books.quantity).unwrap_or(0));
        let _ = writeln!(
            out,
            "{}: {} moved by all steps together, {} by the change as a whole; {} moved more than once; the steps leave {} elsewhere",
            books.quantity.name(),
            grouped(sum),
            grouped(books.moved),
            of(&steps.moved_again),
            of(&steps.elsewhere),
        );
    }
}

/// Says what is not told.
fn more(out: &mut String, n: usize, what: &str) {
    if n > TOLD {
        let _ = writeln!(
            out,
            "... and {} more {what}: --format csv or json",
            n - TOLD
        );
    }
}

fn table<S: AsRef<str>>(header: &[S]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.iter().map(AsRef::as_ref));
    table
}

/// The table with all columns but the first few set right.
fn left(mut table: Table, n_left: usize) -> Table {
    for column in table.column_iter_mut().skip(n_left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |it| format!("{:.2} %", 100.0 * it))
}

fn ratio(value: Option<f64>, places: usize) -> String {
    value.map_or("-".to_owned(), |it| format!("{it:.places$}"))
}

fn counted(n: u128, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(n))
}

/// A whole number with its thousands apart.
fn grouped(n: u128) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
