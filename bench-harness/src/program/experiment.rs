//! `experiment`: the documents' experiments, published beside measured.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    experiment::{EXPERIMENTS, Experiment, Findings, Options, Setup},
    measure::{Progress, Stopped},
    record::{ClaimRow, NewFile, Store, Verdict},
};
use anyhow::{Context as _, ensure};

use router::Catalog;

use super::{bench, console, exit::Exit, report};

/// Where results go unless the user says otherwise.
const OUT: &str = "target/ringmark/experiment";

/// Options of `experiment`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which: `list` to see them, `all`, or names
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Where the results go: into the report there, or a new one [default: target/ringmark/experiment]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The part with real servers in place of the one in process: redis or memcached
    #[arg(long, value_name = "SERVER")]
    live: Option<String>,
    /// The strategy in place of the experiment's own; may be given again
    #[arg(long = "strategy", value_name = "SPEC")]
    strategies: Vec<String>,
    /// The node to remove
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,
    /// The seed of what is drawn at random
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// An access log in place of requests drawn by seed: CSV with the columns time (seconds, never
    /// falling), key and bytes, plain, gzip or zstd; - for standard input
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// What happens while its requests come in: CSV with the columns time and change: +name,
    /// +name=weight, -name, =name=weight, `~old<TAB>new`, `~name<TAB>name` (a restart) or
    /// `rollout SECONDS` (every node restarts, so many seconds apart)
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// The nodes in place of the experiment's own, one a line: name, or `name<TAB>weight`
    #[arg(long, value_name = "FILE")]
    nodes: Option<PathBuf>,
    /// Bytes that each node's cache holds
    #[arg(long, value_name = "N")]
    bytes_per_node: Option<u64>,
}

impl Args {
    fn options(&self) -> Options {
        Options {
            strategies: self.strategies.clone(),
            remove: self.remove.clone(),
            seed: self.seed,
            log: self.log.clone(),
            events: self.events.clone(),
            nodes: self.nodes.clone(),
            bytes_per_node: self.bytes_per_node,
        }
    }
}

/// Runs them, writes what they found, and says it.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let options = args.options();
    if args.names == ["list"] {
        ensure!(
            args.out.is_none() && args.live.is_none() && options == Options::default(),
            "experiment list takes no options"
        );
        return list();
    }
    let experiments = chosen(args)?;
    let stdin = options.inputs().filter(|&it| it == Path::new("-"));
    ensure!(
        stdin.count() <= 1,
        "standard input can be one of --log, --events and --nodes, not several"
    );
    for spec in &options.strategies {
        catalog.parse(spec)?;
    }
    for experiment in &experiments {
        experiment.check(&options)?;
    }
    let out = args.out.as_deref().unwrap_or(Path::new(OUT));
    let store = Store::open(out)?;
    let progress = bench::progress()?;
    let (mut files, mut found) = (Vec::new(), Vec::new());
    for experiment in experiments {
        let findings = find(experiment, &options, catalog, progress)?;
        files.extend(findings.files(experiment.name)?);
        found.push((experiment, findings));
    }
    progress.end_phase();
    progress.check().map_err(|_| Exit::interrupted())?;
    store.add(bench::this_run("experiment", 0)?, &files, report::draw)?;
    say(&found, args.names != ["all"], out)
}

/// The data files of the experiments that the options ask for; those with servers cannot be made again
/// everywhere, so there are none.
pub(crate) fn files(
    args: &Args,
    catalog: &Catalog,
    progress: &Progress,
) -> anyhow::Result<Vec<NewFile>> {
    ensure!(args.live.is_none(), "it needs a server");
    let options = args.options();
    let stdin = options.inputs().any(|it| it == Path::new("-"));
    ensure!(!stdin, "it read standard input");
    let mut files = Vec::new();
    for experiment in chosen(args)? {
        experiment.check(&options)?;
        files.extend(find(experiment, &options, catalog, progress)?.files(experiment.name)?);
    }
    Ok(files)
}

/// The data files of all experiments in process, for a whole run. An experiment whose strategies are
/// not there is left out, and that is said.
pub(crate) fn all(catalog: &Catalog, progress: &Progress) -> anyhow::Result<Vec<NewFile>> {
    let mut files = Vec::new();
    for experiment in EXPERIMENTS.iter().filter(|it| it.in_all) {
        match find(experiment, &Options::default(), catalog, progress) {
            Ok(findings) => files.extend(findings.files(experiment.name)?),
            Err(err) if err.is::<router::Error>() => {
                console::say(&format!("experiment {} left out: {err:#}", experiment.name));
            }
            Err(err) => return Err(err),
        }
    }
    Ok(files)
}

fn find(
    experiment: &Experiment,
    options: &Options,
    catalog: &Catalog,
    progress: &Progress,
) -> anyhow::Result<Findings> {
    let setup = Setup {
        catalog,
        definition: &experiment.definition(),
        options,
        progress,
    };
    (experiment.run)(&setup).map_err(|err| match err.downcast::<Stopped>() {
        Ok(stopped) => bench::stopped(stopped),
        // An interrupt may end a server first; then that is the reason.
        Err(_) if progress.check().is_err() => Exit::interrupted().into(),
        Err(err) => err,
    })
}

/// The experiments that were asked for, each once.
fn chosen(args: &Args) -> anyhow::Result<Vec<&'static Experiment>> {
    let all = args.names.iter().any(|it| it == "all");
    if all || args.names.iter().any(|it| it == "list") {
        ensure!(args.names.len() == 1, "`list` and `all` stand alone");
    }
    if let Some(server) = &args.live {
        let parts = EXPERIMENTS.iter().flat_map(|it| it.live);
        let servers: Vec<&str> = parts.map(|(server, _)| *server).collect();
        ensure!(
            servers.contains(&server.as_str()),
            "--live: unknown server {server:?}; valid are: {}",
            servers.join(", ")
        );
        ensure!(
            cfg!(feature = "live"),
            "--live: this program was built without the feature `live`"
        );
    }
    let with_server = |experiment: &'static Experiment| match &args.live {
        Some(server) => experiment.with_server(server),
        None => Ok(experiment),
    };
    if all {
        let in_all = EXPERIMENTS.iter().filter(|it| it.in_all);
        // Of all, those that have such a part.
        return Ok(in_all.filter_map(|it| with_server(it).ok()).collect());
    }
    let mut chosen: Vec<&'static Experiment> = Vec::new();
    for name in &args.names {
        let experiment = with_server(Experiment::find(name)?)?;
        if chosen.iter().all(|it| it.name != experiment.name) {
            chosen.push(experiment);
        }
    }
    Ok(chosen)
}

/// Prints one line an experiment, its name first.
fn list() -> anyhow::Result<()> {
    let width = EXPERIMENTS
        .iter()
        .map(|it| it.name.len())
        .max()
        .unwrap_or(0);
    console::print(|out| {
        for experiment in EXPERIMENTS {
            let definition = experiment.definition();
            let name = experiment.name;
            writeln!(out, "{name:width$}  {}", definition.title).context(console::STDOUT)?;
        }
        Ok(())
    })
}

/// Prints what the documents' programs print, where `printed` says so, and every verdict that is not
/// simply «reproduced».
fn say(found: &[(&Experiment, Findings)], printed: bool, out: &Path) -> anyhow::Result<()> {
    console::print(|to| {
        for (experiment, findings) in found {
            for line in findings.printed.iter().filter(|_| printed) {
                writeln!(to, "{line}").context(console::STDOUT)?;
            }
            let claims = || findings.claims.iter().chain(&findings.timed);
            let count = |verdict| claims().filter(|it| it.verdict == verdict).count();
            writeln!(
                to,
                "{}: {} reproduced, {} differ, {} not checkable",
                experiment.name,
                count(Verdict::Reproduced),
                count(Verdict::Differs),
                count(Verdict::NotCheckable)
            )
            .context(console::STDOUT)?;
            for claim in claims().filter(|it| it.verdict != Verdict::Reproduced) {
                writeln!(to, "  {}", told(claim)).context(console::STDOUT)?;
            }
        }
        writeln!(to, "report in {}", out.join("README.md").display()).context(console::STDOUT)
    })
}

/// A claim in one line.
fn told(claim: &ClaimRow) -> String {
    let published = claim.published.replace('\n', " / ");
    let measured = claim.measured.replace('\n', " / ");
    format!(
        "{}: {}: published {published}, measured {measured} ({})",
        claim.verdict.name(),
        claim.claim,
        claim.reason
    )
}
