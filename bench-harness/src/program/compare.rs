//! `compare`: one screen for one cluster size.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    measure::{self, COMPARED_POINTS, Contender, Measured, Part, Profile, Request},
    record::{Row, Status},
    workload::KeySet,
};
use anyhow::{Context as _, bail};
use comfy_table::{CellAlignment, Table, presets};
use router::{Catalog, Role, WeightSupport};

use super::{bench, console};

/// Options of `compare`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Number of nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    sizes: u64,
    /// Only this strategy; may be given again [default: all]
    #[arg(long = "strategy", value_name = "SPEC")]
    strategies: Vec<String>,
    /// Put the table, in Markdown, between the markers of this file instead of printing it
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
}

/// The markers in a file that `--into` writes to.
const BEGIN: &str = "<!-- ringmark compare: begin -->";
const END: &str = "<!-- ringmark compare: end -->";

/// Measures and prints the table.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let contenders = if args.strategies.is_empty() {
        // One row a design: with a parameter for points, at the number where all can be compared.
        let mut all = Contender::all(catalog, false);
        let compared = COMPARED_POINTS.cast_unsigned();
        all.retain(|it| it.points_per_node.is_none_or(|points| points == compared));
        all
    } else {
        Contender::given(catalog, &args.strategies)?
    };
    // Read first: a file without markers must not cost a minute of measuring.
    let page = args.into.as_deref().map(split).transpose()?;
    let request = Request {
        contenders,
        profile: Profile::compare(args.sizes),
        parts: vec![Part::Balance, Part::Movement, Part::Lookup, Part::Memory],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, bench::progress()?).map_err(bench::stopped)?;
    let mut table = table(&request, &measured);
    match (page, &args.into) {
        (Some((before, after)), Some(path)) => {
            table.load_style(presets::ASCII_MARKDOWN);
            let text = format!(
                "{before}{BEGIN}\nMade by `cargo compare {}`, {} nodes.\n\n{table}\n\n{}\n{END}{after}",
                args.sizes,
                args.sizes,
                legend(&request)
            );
            replace(path, &text)
        }
        _ => console::print(|out| {
            use std::io::Write as _;
            table.load_style(presets::NOTHING);
            writeln!(out, "{table}\n\n{}", legend(&request)).context(console::STDOUT)
        }),
    }
}

/// The parts of a file before and behind its markers.
fn split(path: &Path) -> anyhow::Result<(String, String)> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("read {shown}"))?;
    match (text.find(BEGIN), text.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            Ok((text[..begin].to_owned(), text[end + END.len()..].to_owned()))
        }
        _ => bail!("{shown}: expected the lines {BEGIN} and {END}"),
    }
}

/// Replaces a file whole or not at all.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let shown = path.display();
    let folder = std::path::absolute(path)?;
    let folder = folder.parent().context("a file lies in a folder")?;
    let staged =
        tempfile::NamedTempFile::new_in(folder).with_context(|| format!("write {shown}"))?;
    fs::write(staged.path(), text).with_context(|| format!("write {shown}"))?;
    if let Ok(old) = fs::metadata(path) {
        fs::set_permissions(staged.path(), old.permissions())?;
    }
    staged
        .persist(path)
        .with_context(|| format!("replace {shown}"))?;
    Ok(())
}

const HEADERS: [&str; 12] = [
    "family",
    "design",
    "lose one",
    "replace",
    "add one",
    "busiest",
    "after a loss",
    "ns",
    "bytes/node",
    "removal",
    "weights",
    "spoken by",
];

/// The table of these contenders.
pub(crate) fn table(request: &Request, measured: &Measured) -> Table {
    let mut table = Table::new();
    table.set_header(HEADERS);
    for column in 2..9 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut contenders: Vec<&Contender> = request.contenders.iter().collect();
    // The control's family first, with the control at its head; then family by family.
    let role = |it: &&Contender| it.spec.strategy().role;
    let control = contenders.iter().find(|it| role(it) == Role::Control);
    let control = control.map(|it| it.spec.strategy().family);
    contenders.sort_by_key(|it| {
        let family = it.spec.strategy().family;
        (Some(family) != control, family, role(it) != Role::Control)
    });
    let mut family = "";
    for (i, contender) in contenders.iter().enumerate() {
        let label = contender.spec.to_string();
        // Who places every key as an earlier one of the family does stands in its row.
        let like = |it: &&&Contender| same_row(measured, contender, it);
        if contenders[..i].iter().any(|it| like(&it)) {
            continue;
        }
        let alike: Vec<&&Contender> = contenders[i..].iter().filter(like).collect();
        let strategy = contender.spec.strategy();
        let capabilities = contender.spec.capabilities();
        let broken = measured
            .strategies
            .iter()
            .any(|it| it.label == label && it.contract == "failed");
        if broken {
            table.add_row([strategy.family, &label, "failed its contract"]);
            continue;
        }
        let moved = |change: &str| percent(find(&measured.movement, &label, change, "moved"));
        let busiest = find(&measured.balance, &label, "none", "exact_peak_p95")
            .and_then(value)
            .map(|it| format!("{it:.2}"))
            .or_else(|| {
                // Without exact shares: the sampled peak, its noise included, and said so.
                let row = find(&measured.balance, &label, "none", "peak_to_avg")?;
                Some(format!("~{:.2}", row.p95.or(row.mean)?))
            });
        let lookup = measured
            .lookup
            .iter()
            .find(|row| row.strategy == label && row.metric == "lookup_ns");
        let lookup = match lookup {
            Some(row) if row.status == Status::Ok => row.median.map(nanoseconds),
            Some(row) => Some(status(row.status).to_owned()),
            None => None,
        };
        let ratio = |row: Option<&Row>| shown(row, |it| format!("{it:.2}"));
        let first_of_family = strategy.family != family;
        family = strategy.family;
        table.add_row([
            if first_of_family {
                family.to_owned()
            } else {
                String::new()
            },
            joined(alike.iter().map(|it| it.spec.to_string()), " = "),
            moved("lose-random"),
            moved("replace"),
            moved("add"),
            busiest.unwrap_or_else(|| "-".to_owned()),
            ratio(find(&measured.movement, &label, "none", "n1_peak")),
            lookup.unwrap_or_else(|| "-".to_owned()),
            shown(
                find(&measured.memory, &label, "none", "bytes_per_node"),
                bytes,
            ),
            if capabilities.any_removal {
                "any"
            } else {
                "last only"
            }
            .to_owned(),
            match capabilities.weights {
                WeightSupport::No => "no",
                WeightSupport::Minimal => "yes",
                WeightSupport::Renormalised => "renormalised",
            }
            .to_owned(),
            joined(
                alike
                    .iter()
                    .flat_map(|it| it.spec.strategy().spoken_by)
                    .map(|it| (*it).to_owned()),
                ", ",
            ),
        ]);
    }
    table
}

/// Whether two specs of one family place every key alike and passed their contracts.
fn same_row(measured: &Measured, one: &Contender, other: &Contender) -> bool {
    let entry = |it: &Contender| {
        let label = it.spec.to_string();
        measured
            .strategies
            .iter()
            .find(move |entry| entry.label == label)
    };
    let family = |it: &Contender| it.spec.strategy().family;
    match (entry(one), entry(other)) {
        (Some(a), Some(b)) if family(one) == family(other) => {
            a.label == b.label || a.alike == b.alike && a.contract == b.contract
        }
        _ => false,
    }
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

fn find<'a>(rows: &'a [Row], label: &str, change: &str, metric: &str) -> Option<&'a Row> {
    rows.iter()
        .find(|row| row.strategy == label && row.change == change && row.metric == metric)
}

fn value(row: &Row) -> Option<f64> {
    (row.status == Status::Ok).then_some(row.mean).flatten()
}

/// A value in words of its own, or what became of the row.
fn shown(row: Option<&Row>, show: impl Fn(f64) -> String) -> String {
    match row {
        None => "-".to_owned(),
        Some(row) => match value(row) {
            Some(it) => show(it),
            None => status(row.status).to_owned(),
        },
    }
}

fn percent(row: Option<&Row>) -> String {
    shown(row, |it| format!("{:.1} %", 100.0 * it))
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Ok => "-",
        Status::Failed => "failed",
        Status::Unsupported => "unsupported",
        Status::OverBudget => "over budget",
        Status::Structured => "structured",
    }
}

fn nanoseconds(ns: f64) -> String {
    match ns {
        ..10.0 => format!("{ns:.1}"),
        _ => format!("{ns:.0}"),
    }
}

fn bytes(bytes: f64) -> String {
    if bytes < 10.0 {
        format!("{bytes:.1}")
    } else {
        format!("{bytes:.0}")
    }
}

/// What the rows and columns are, in a few lines.
fn legend(request: &Request) -> String {
    format!(
        "One row a design, at {COMPARED_POINTS} points a node where it has such a parameter; {}",
        columns(&request.profile)
    )
}

/// What the columns are, to go on in a sentence.
pub(crate) fn columns(profile: &Profile) -> String {
    format!(
        "= joins those that place every key alike. \
         lose one, replace, add one: share of keys that move (mean of {} seeds). busiest: load of the \
         busiest node in 95 % of deployments, 1 = fair share. after a loss: the busiest survivor once \
         any one node is lost, 1 = fair share before (n1_peak). ns: one look-up on this machine, \
         median of {} interleaved rounds. removal: which node may leave. weights: renormalised ones \
         move other nodes' keys too.",
        profile.movement_seeds, profile.rounds
    )
}
