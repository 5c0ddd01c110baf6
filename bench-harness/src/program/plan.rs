//! `plan`: what a change of the user's own cluster would move.

mod table;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    measure::plan::{self, Fault, Resize, Target},
    record::{self, PlanDocument, SingleFile},
    report::draw_plan,
    workload::{Columns, NodesFormat, RecordReader, read_nodes_as, shown},
};
use anyhow::{Context as _, anyhow, ensure};
use router::{Catalog, Change};

use super::{bench, console, exit::Exit};

/// Options of `plan`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The strategy: NAME[:param=value,...]; may be given again, to compare
    #[arg(long = "strategy", value_name = "SPEC", required = true)]
    strategies: Vec<String>,
    /// The nodes now, one a line: name, or `name<TAB>weight`; - for standard input
    #[arg(long, value_name = "FILE")]
    before: PathBuf,
    /// The nodes to be, for a cluster that is built anew from them; - for standard input
    #[arg(long, value_name = "FILE", required_unless_present = "changes")]
    after: Option<PathBuf>,
    /// How the nodes are written: plain, twemproxy, nginx, haproxy or envoy; FORMAT:NAME where a
    /// configuration has several lists
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    nodes_format: NodesFormat,
    /// A change in place of --after, made in the cluster that is there: +name, +name=weight, -name,
    /// =name=weight or `~old<TAB>new`; may be given again
    #[arg(
        long = "change",
        value_name = "CHANGE",
        allow_hyphen_values = true,
        conflicts_with = "after"
    )]
    changes: Vec<String>,
    /// Keys, one a line, every byte but LF kept, plain, gzip or zstd; - for standard input
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,
    /// The key file is CSV with a first row of names, or Parquet, and its keys stand in this column
    #[arg(long, value_name = "COLUMN")]
    key: Option<String>,
    /// The column of the bytes stored under each key
    #[arg(long, value_name = "COLUMN", requires = "key")]
    bytes: Option<String>,
    /// The column of the requests for each key
    #[arg(long, value_name = "COLUMN", requires = "key")]
    hits: Option<String>,
    /// Count every key once, however often it comes: exact, by way of temporary files; --moves then
    /// lists keys in another order
    #[arg(long)]
    distinct: bool,
    /// Also make the change one node at a time: what each step moves, and how much moves twice
    #[arg(long)]
    steps: bool,
    /// How it is printed
    #[arg(long, value_name = "F", value_enum, default_value = "table")]
    format: Format,
    /// Also write every key that moves, with its old and its new owner
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Also draw who gives what to whom, as a heat map in SVG
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    /// Exit 1 when a larger share than this moves, of keys, or of bytes or hits where they are given
    #[arg(long, value_name = "SHARE", value_parser = a_share)]
    fail_above: Option<f64>,
}

/// How the result is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// For a person
    Table,
    /// A row a number
    Csv,
    /// One document
    Json,
}

/// The first line of a file of moves, by which it is known as ringmark's.
const MOVES_HEADER: &str = "key\tfrom\tto\n";

/// Counts, writes the files that were asked for, prints, and judges.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let resizes = resizes(args, catalog)?;
    let columns = args.key.as_ref().map(|key| Columns {
        key: key.clone(),
        bytes: args.bytes.clone(),
        hits: args.hits.clone(),
    });
    let mut reader = RecordReader::open(&args.keys, columns.as_ref())?;
    if args.distinct {
        reader = reader.distinct()?;
    }
    // From here on an interrupt is heard, so that no file that was begun is left.
    let progress = bench::progress()?;
    let mut moves = args.moves.as_deref().map(moves_file).transpose()?;
    let mut chart = args.chart.as_deref().map(chart_file).transpose()?;
    let listed = moves.as_mut().map(|file| file as &mut dyn std::io::Write);
    let found =
        plan::run(&resizes, reader, progress, listed).map_err(|fault| stopped(args, fault))?;
    for note in &found.notes {
        console::say(note);
    }
    let document = PlanDocument {
        keys: shown(&args.keys),
        distinct: args.distinct,
        notes: found.notes,
        nodes: resizes.first().map(Resize::nodes).unwrap_or_default(),
        plans: found.plans,
    };
    let n_keys = document.plans.first().map_or(0, |plan| plan.books[0].total);
    ensure!(n_keys > 0, "{}: expected at least one key", document.keys);
    if let Some(file) = &mut chart {
        let written = file.write_all(&draw_plan(&document, &bench::command()));
        written.with_context(|| {
            format!(
                "write {}",
                args.chart.as_deref().map(shown).unwrap_or_default()
            )
        })?;
    }
    for file in [moves, chart].into_iter().flatten() {
        file.finish()?;
    }
    print(args.format, &document)?;
    judge(args, &document)
}

/// The change under every strategy.
fn resizes(args: &Args, catalog: &Catalog) -> anyhow::Result<Vec<Resize>> {
    let stdin = Path::new("-");
    let inputs = [Some(&args.before), args.after.as_ref(), Some(&args.keys)];
    let from_stdin = inputs.into_iter().flatten().filter(|&path| path == stdin);
    ensure!(
        from_stdin.count() <= 1,
        "standard input can be one of --before, --after and --keys, not several"
    );
    ensure!(
        args.moves.is_none() || args.strategies.len() == 1,
        "--moves lists the keys of one strategy: expected one --strategy, found {}",
        args.strategies.len()
    );
    let specs = args.strategies.iter().map(|text| catalog.parse(text));
    let specs = specs.collect::<Result<Vec<_>, _>>()?;
    let before = read_nodes_as(&args.before, &args.nodes_format)?;
    let target = match &args.after {
        Some(after) => Target::Nodes(read_nodes_as(after, &args.nodes_format)?),
        None => {
            let changes = args.changes.iter().map(|text| text.parse());
            Target::Changes(changes.collect::<Result<Vec<Change>, _>>()?)
        }
    };
    let files = match &args.after {
        Some(after) => format!("{} to {}", shown(&args.before), shown(after)),
        None => shown(&args.before),
    };
    let resizes = specs.iter().map(|spec| {
        let resize = Resize::new(spec, &before, &target, args.steps);
        resize.map_err(|why| anyhow!("{files}: {why}"))
    });
    resizes.collect()
}

/// A file of moves with its first line.
fn moves_file(path: &Path) -> anyhow::Result<SingleFile> {
    let mut file = SingleFile::create(path, MOVES_HEADER)?;
    let written = file.write_all(MOVES_HEADER.as_bytes());
    written.with_context(|| format!("write {}", path.display()))?;
    Ok(file)
}

/// A chart to be; one that is there is known by who made it.
fn chart_file(path: &Path) -> anyhow::Result<SingleFile> {
    SingleFile::create(path, "ringmark")
}

/// What a plan without a result is to the caller.
fn stopped(args: &Args, fault: Fault) -> anyhow::Error {
    match fault {
        Fault::Interrupted => Exit::interrupted().into(),
        Fault::Keys(err) => err.into(),
        Fault::Moves(err) => {
            let path = args.moves.as_deref().map(shown).unwrap_or_default();
            anyhow::Error::new(err).context(format!("write {path}"))
        }
        Fault::Books(fault) => anyhow!("the books do not balance: {fault}"),
    }
}

fn print(format: Format, document: &PlanDocument) -> anyhow::Result<()> {
    let bytes = match format {
        Format::Table => table::text(document).into_bytes(),
        Format::Csv => record::to_csv(&record::plan_rows(document))?,
        Format::Json => {
            let mut json = serde_json::to_vec_pretty(&document.rounded())?;
            json.push(b'\n');
            json
        }
    };
    console::print(|out| out.write_all(&bytes).context(console::STDOUT))
}

/// Fails when more moves than is allowed: the first strategy and quantity that do.
fn judge(args: &Args, document: &PlanDocument) -> anyhow::Result<()> {
    let Some(limit) = args.fail_above else {
        return Ok(());
    };
    for plan in &document.plans {
        for books in &plan.books {
            if let Some(share) = books.moved_share.filter(|&share| share > limit) {
                return Err(Exit::failed(format!(
                    "{}: moves {share:.4} of the {}, more than {limit}",
                    plan.strategy,
                    books.quantity.name()
                ))
                .into());
            }
        }
    }
    Ok(())
}

/// Reads a share from 0 to 1.
fn a_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1, as 0.25".to_owned())
}
