//! `bench`: measures everything and writes the report.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use crate::{
    measure::{self, Contender, Measured, Part, Profile, Progress, Request},
    record::{self, CriterionRow, Run, Status, Store, source},
    workload::{KeyFile, KeySet, read_keys, read_nodes},
};
use anyhow::{Context as _, bail, ensure};
use router::{Catalog, Cluster, ErrorKind, NodeSpec};

use super::{console, exit::Exit, experiment, micro, report};

/// Options of `bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How much: quick, standard or full
    #[arg(long, value_name = "P", default_value = "standard")]
    profile: Profile,
    /// Only these parts: balance, movement, views, lookup, build, memory, work; or swap, which no
    /// other run has
    #[arg(long, value_name = "PART,..", value_delimiter = ',')]
    only: Vec<Part>,
    /// Only this strategy; may be given again [default: all]
    #[arg(long = "strategy", value_name = "SPEC")]
    strategies: Vec<String>,
    /// Numbers of nodes in place of the profile's
    #[arg(long, value_name = "N,..", value_delimiter = ',',
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    sizes: Vec<u64>,
    /// Number of keys for balance and movement in place of the profile's; lifts the budget
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    n_keys: Option<u64>,
    /// Key set: hex64, user, java, uuid or url
    #[arg(long, value_name = "NAME", default_value = "hex64")]
    key_set: KeySet,
    /// Number of seeds for balance and movement in place of the profile's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: Option<u64>,
    /// Nodes of your own in place of generated ones, one a line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "sizes")]
    nodes: Option<PathBuf>,
    /// Also measure this change of your own nodes: +name, +name=weight, -name, =name=weight or
    /// `~old<TAB>new`; may be given again, for one step after another
    #[arg(
        long = "change",
        value_name = "CHANGE",
        allow_hyphen_values = true,
        requires = "nodes"
    )]
    changes: Vec<String>,
    /// Keys of your own in place of a key set, one a line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "key_set")]
    keys: Option<PathBuf>,
    /// Where the report goes [default: reports for a whole standard run, else target/ringmark/P]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write a row a seed to data/seeds
    #[arg(long)]
    raw: bool,
    /// Exit 1 when a strategy or row failed
    #[arg(long)]
    deny_failed: bool,
    /// Print where the time went, phase by phase and strategy by strategy
    #[arg(long)]
    timings: bool,
}

/// Where a run is; the interrupt handler needs it too.
static PROGRESS: OnceLock<Progress> = OnceLock::new();

/// The progress of this process.
pub(crate) fn running() -> &'static Progress {
    PROGRESS.get_or_init(Progress::new)
}

/// The progress of this process, which an interrupt stops at its next step from now on.
pub(crate) fn progress() -> anyhow::Result<&'static Progress> {
    let progress = running();
    ctrlc::set_handler(|| {
        if let Some(progress) = PROGRESS.get() {
            progress.interrupt();
        }
    })
    .context("cannot watch for an interrupt")?;
    Ok(progress)
}

/// Measures and writes the report.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let request = request(args, catalog)?;
    check_given(args, &request)?;
    check_changes(&request)?;
    let out = out(args, &request);
    let store = Store::open(&out)?;
    let progress = progress()?;
    let measured = measure::run(&request, progress).map_err(stopped)?;
    let criterion = criterion(args, &request, progress)?;
    let mut data = record::data_files(&request, &measured, &criterion)?;
    if runs_experiments(args, &request) {
        data.extend(experiment::all(catalog, progress)?);
    }
    progress.phase("report", 1);
    let run = this_run(request.profile.name, request.profile.seeds)?;
    store.write(run, &data, report::draw)?;
    progress.end_phase();
    summary(args, &request, &measured, &out, progress)
}

/// What a stopped measurement is to the caller.
pub(crate) fn stopped(stopped: measure::Stopped) -> anyhow::Error {
    match stopped {
        measure::Stopped::Interrupted => Exit::interrupted().into(),
        books @ measure::Stopped::Books(_) => books.into(),
    }
}

/// What the options ask for.
pub(crate) fn request(args: &Args, catalog: &Catalog) -> anyhow::Result<Request> {
    let mut profile = args.profile.clone();
    if !args.sizes.is_empty() {
        profile.sizes.clone_from(&args.sizes);
        profile.power_sizes.clear();
        profile.swap_sizes.clone_from(&args.sizes);
        if !profile.view_sizes.is_empty() {
            profile.view_sizes.clone_from(&args.sizes);
        }
    }
    if let Some(seeds) = args.seeds {
        profile.seeds = seeds;
        profile.movement_seeds = seeds;
    }
    let contenders = if args.strategies.is_empty() {
        // A sweep is a picture of generated clusters; a user's own has one size and no such step.
        Contender::all(
            catalog,
            profile.sweep_size.is_some() && args.nodes.is_none(),
        )
    } else {
        Contender::given(catalog, &args.strategies)?
    };
    let parts = if args.only.is_empty() {
        Part::usual()
    } else {
        args.only.clone()
    };
    if parts == [Part::Views] && profile.view_sizes.is_empty() && args.nodes.is_none() {
        bail!(
            "--only views: profile {} leaves them out; give --profile standard, or --nodes",
            profile.name
        );
    }
    Ok(Request {
        contenders,
        profile,
        parts,
        key_set: key_set(args)?,
        n_keys: args.n_keys,
        nodes: nodes(args)?,
        changes: args
            .changes
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()?,
        raw: args.raw,
    })
}

/// Refuses a change that names nodes which are not there, or are there already: no strategy could
/// make it. What only some cannot do is a result, and stands in their rows.
fn check_changes(request: &Request) -> anyhow::Result<()> {
    let Some(nodes) = &request.nodes else {
        return Ok(());
    };
    for contender in &request.contenders {
        let Ok(mut cluster) = Cluster::build(&contender.spec, nodes) else {
            continue;
        };
        let steps = request.changes.iter().map(std::slice::from_ref);
        match steps.map(|step| cluster.apply(step)).find(Result::is_err) {
            // Who can make it has seen every name.
            None | Some(Ok(())) => return Ok(()),
            Some(Err(err)) if matches!(err.kind(), ErrorKind::Unknown | ErrorKind::Duplicate) => {
                return Err(err).context("--change");
            }
            Some(Err(_)) => {}
        }
    }
    Ok(())
}

/// Refuses a spec that the user gave and that is too large at every size: a comparison without it
/// would not be what was asked for. What a strategy cannot do is a result, and stands in the rows.
fn check_given(args: &Args, request: &Request) -> anyhow::Result<()> {
    if args.strategies.is_empty() {
        return Ok(());
    }
    for contender in &request.contenders {
        let smallest = request.sizes(contender).into_iter().min().unwrap_or(1);
        let built = Cluster::build(&contender.spec, &request.deployment(0, smallest));
        if let Err(err) = built
            && err.kind() == ErrorKind::TooLarge
        {
            return Err(err).with_context(|| format!("{} at {smallest} nodes", contender.spec));
        }
    }
    Ok(())
}

fn nodes(args: &Args) -> anyhow::Result<Option<Vec<NodeSpec>>> {
    let Some(path) = &args.nodes else {
        return Ok(None);
    };
    let nodes = read_nodes(path)?;
    ensure!(
        nodes.iter().any(|node| node.weight > 0),
        "{}: expected at least one node with weight",
        path.display()
    );
    Ok(Some(nodes))
}

fn key_set(args: &Args) -> anyhow::Result<KeySet> {
    let Some(path) = &args.keys else {
        return Ok(args.key_set.clone());
    };
    if args.nodes.as_deref() == Some(path) && path == Path::new("-") {
        bail!("standard input can be --nodes or --keys, not both");
    }
    let (keys, warning) = read_keys(path)?;
    if let Some(warning) = warning {
        console::say(&warning);
    }
    ensure!(
        !keys.is_empty(),
        "{}: expected at least one key",
        path.display()
    );
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(KeySet::File(Arc::new(KeyFile {
        name: format!("file {name}"),
        keys,
    })))
}

/// Whether the experiments are part of the run.
pub(crate) fn runs_experiments(args: &Args, request: &Request) -> bool {
    args.profile.name != "quick" && is_whole(args, request)
}

/// Whether the run measures all that its profile has.
fn is_whole(args: &Args, request: &Request) -> bool {
    args.only.is_empty()
        && args.strategies.is_empty()
        && args.sizes.is_empty()
        && args.n_keys.is_none()
        && args.seeds.is_none()
        && request.nodes.is_none()
        && request.key_set.name() == "hex64"
}

/// A whole standard run goes to `reports`; every other run to where it disturbs nothing.
fn out(args: &Args, request: &Request) -> PathBuf {
    let whole = args.profile.name == "standard" && is_whole(args, request);
    match &args.out {
        Some(out) => out.clone(),
        None if whole => PathBuf::from("reports"),
        None => Path::new("target/ringmark").join(args.profile.name),
    }
}

/// Criterion's estimates beside ours: in every run but the quick one that times look-ups.
fn criterion(
    args: &Args,
    request: &Request,
    progress: &Progress,
) -> anyhow::Result<Vec<CriterionRow>> {
    if !request.wants(Part::Lookup) || args.profile.name == "quick" || request.nodes.is_some() {
        return Ok(Vec::new());
    }
    progress.phase("criterion", 1);
    let rows = micro::in_own_process(&request.contenders);
    // An interrupt ends criterion's process first; then that is the reason, not its exit code.
    if progress.check().is_err() {
        return Err(Exit::interrupted().into());
    }
    rows
}

/// Options that decide where results go or how a run ends, not what they are; and whether a value
/// follows.
const NOT_RESULTS: [(&str, bool); 7] = [
    ("--out", true),
    ("--timings", false),
    ("--deny-failed", false),
    ("--chart", true),
    ("--moves", true),
    ("--format", true),
    ("--fail-above", true),
];

/// The name of this program: `ringmark`, or what it is called where it knows more strategies.
fn name() -> String {
    let program = std::env::current_exe().ok();
    let stem = program.as_deref().and_then(Path::file_stem);
    stem.map_or("ringmark".into(), |it| it.to_string_lossy().into_owned())
}

/// The command that makes the same results, as a person would type it.
///
/// Without the options that change no number: a chart says which command made it, and two runs of one
/// request into two folders draw the same charts.
pub(crate) fn command() -> String {
    let mut words = vec![name()];
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let (option, value) = arg
            .split_once('=')
            .map_or((&*arg, false), |(it, _)| (it, true));
        if let Some((_, takes_value)) = NOT_RESULTS.iter().find(|(it, _)| *it == option) {
            if *takes_value && !value {
                args.next();
            }
            continue;
        }
        let plain = |c: char| c.is_alphanumeric() || "-_=:,./+~@%".contains(c);
        if !arg.is_empty() && arg.chars().all(plain) {
            words.push(arg);
        } else {
            words.push(format!("'{}'", arg.replace('\'', r"'\''")));
        }
    }
    words.join(" ")
}

/// What is told of a run of this profile with so many seeds.
pub(crate) fn this_run(profile: &str, seeds: u64) -> anyhow::Result<Run> {
    let root = source::checkout();
    let (commit, dirty) = source::commit(&root);
    Ok(Run {
        schema: record::SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        profile: profile.to_owned(),
        command: command(),
        seeds,
        source_id: source::source_id(&root)?,
        commit,
        dirty,
        date: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
        machine: source::machine(),
        rustc: env!("RINGMARK_RUSTC").to_owned(),
        files: Vec::new(),
    })
}

/// The closing lines: what was compared, what failed, where it is.
fn summary(
    args: &Args,
    request: &Request,
    measured: &Measured,
    out: &Path,
    progress: &Progress,
) -> anyhow::Result<()> {
    let broken: Vec<&str> = measured
        .contract
        .iter()
        .filter(|row| row.status == "failed")
        .map(|row| row.strategy.as_str())
        .collect();
    let statuses = || {
        let rows = [
            &measured.balance,
            &measured.movement,
            &measured.views,
            &measured.work,
            &measured.memory,
        ];
        let timed = [&measured.lookup, &measured.build, &measured.swap];
        let rows = rows.into_iter().flatten().map(|row| row.status);
        rows.chain(timed.into_iter().flatten().map(|row| row.status))
    };
    let count = |status| statuses().filter(|&it| it == status).count();
    let failed = count(Status::Failed) + broken.len();
    let (mut phases, mut strategies) = (Vec::new(), Vec::new());
    if args.timings {
        phases = progress.timings();
        strategies = progress.by_strategy();
    }
    console::print(|out_stream| {
        use std::io::Write as _;
        for (phase, took) in phases {
            writeln!(out_stream, "{phase:<10} {:>7.1} s", seconds(took))?;
        }
        for (strategy, took) in strategies {
            writeln!(
                out_stream,
                "{:>9.1} thread seconds  {strategy}",
                seconds(took)
            )?;
        }
        writeln!(
            out_stream,
            "{} strategies compared; rows: {} ok, {failed} failed, {} unsupported, {} over budget, \
             {} structured; report in {}",
            request.contenders.iter().filter(|it| it.overview).count(),
            count(Status::Ok),
            count(Status::Unsupported),
            count(Status::OverBudget),
            count(Status::Structured),
            out.join("README.md").display()
        )
        .context(console::STDOUT)
    })?;
    if args.deny_failed && failed > 0 {
        return Err(Exit::failed(format!("{failed} rows or contract checks failed")).into());
    }
    Ok(())
}

fn seconds(took: Duration) -> f64 {
    took.as_secs_f64()
}
