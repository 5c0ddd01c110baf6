//! `verify`: whether a report is what this checkout makes.

use std::{collections::BTreeSet, path::PathBuf};

use crate::{
    evidence::{Difference, Recorded, Verdict, redrawn},
    measure::{self, Part, Progress, Request},
    record::{self, NewFile, SCHEMA, source},
};
use anyhow::{Context as _, ensure};
use clap::Parser as _;
use router::{Catalog, Role};

use super::{Cli, Verb, bench, compat, console, exit::Exit, experiment};

/// Options of `verify`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The report
    #[arg(long, value_name = "DIR", default_value = "reports")]
    from: PathBuf,
    /// Exit 0 for a report of another source when nothing differs
    #[arg(long)]
    allow_stale: bool,
    /// Recompute only the rows of this strategy, whatever its parameters, and of the control; may be
    /// given again [default: everything]
    #[arg(long = "strategy", value_name = "NAME", conflicts_with = "sample")]
    strategies: Vec<String>,
    /// Recompute only the rows of N strategies, drawn by the checkout's source_id, and of the control
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
}

/// What was made again, in words, and what differs.
#[derive(Default)]
struct Again {
    told: Vec<String>,
    /// Deterministic files that were compared, in whole or in part.
    compared: BTreeSet<String>,
    differences: Vec<Difference>,
}

/// Verifies and says what was found.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let recorded = Recorded::read(&args.from)?;
    let schema = recorded.run.schema;
    ensure!(
        schema == SCHEMA,
        "read {}: schema {schema}, this program reads {SCHEMA}",
        args.from.join("run.json").display()
    );
    let here = source::source_id(&source::checkout())?;
    check_names(args, catalog)?;
    let progress = bench::progress()?;
    let mut again = Again::default();
    for (command, files) in recorded.commands() {
        let made = match recomputed(args, catalog, command, &here, progress) {
            Ok(made) => made,
            Err(err) if err.is::<Exit>() => return Err(err),
            Err(err) => {
                again.differences.extend(files.iter().map(|it| Difference {
                    path: it.path.clone(),
                    what: format!("cannot be made again by `{command}`: {err:#}"),
                }));
                continue;
            }
        };
        again.compare(&recorded, command, made);
    }
    let unmade = |it: &&record::FileEntry| it.deterministic && !again.compared.contains(&it.path);
    let unmade: Vec<&str> = recorded
        .run
        .files
        .iter()
        .filter(unmade)
        .map(|it| &*it.path)
        .collect();
    let (drawn, drawn_otherwise) = redrawn(&args.from);

    let whole = args.sample.is_none() && args.strategies.is_empty();
    let mut differences = recorded.differences.clone();
    differences.extend(again.differences);
    if whole {
        // A file that could not be made again is named already.
        let unmade = unmade
            .iter()
            .filter(|path| differences.iter().all(|it| it.path != **path));
        let unmade: Vec<Difference> = unmade
            .map(|path| Difference {
                path: (*path).to_owned(),
                what: "is not made by the command that run.json names".to_owned(),
            })
            .collect();
        differences.extend(unmade);
    }
    differences.extend(drawn_otherwise);
    let sources = recorded.sources();
    let verdict = match () {
        () if !differences.is_empty() => Verdict::Changed,
        () if sources.iter().any(|it| *it != here) => Verdict::Stale,
        () => Verdict::Verified,
    };
    let timed = recorded
        .run
        .files
        .iter()
        .filter(|it| !it.deterministic)
        .count();
    let mut lines = again.told;
    lines.push(format!(
        "SHA-256 compared: {} data files, of them {timed} timed",
        recorded.run.files.len()
    ));
    if !unmade.is_empty() && !whole {
        lines.push(format!(
            "not recomputed, SHA-256 alone: {}",
            unmade.join(", ")
        ));
    }
    lines.push(format!("redrawn: {drawn} charts and pages"));
    lines.extend(differences.iter().map(|it| format!("differs: {it}")));
    let sources: Vec<&str> = sources.into_iter().collect();
    let source = format!(
        "the report's source_id is {}, this checkout's {here}",
        sources.join(" and ")
    );
    lines.push(format!("{}: {source}", verdict.name()));
    console::print_lines(&lines)?;
    let from = args.from.display();
    match verdict {
        Verdict::Verified => Ok(()),
        Verdict::Stale if args.allow_stale => Ok(()),
        Verdict::Stale => Err(Exit::failed(format!("{from} is stale: {source}")).into()),
        Verdict::Changed => {
            let n = differences.len();
            Err(Exit::failed(format!("{from} is changed: {n} files differ")).into())
        }
    }
}

/// Every strategy that is named has to be there: a check of nothing would pass.
fn check_names(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let names: Vec<&str> = catalog.strategies().iter().map(|it| it.name).collect();
    for name in &args.strategies {
        ensure!(
            names.contains(&&**name),
            "--strategy: unknown strategy {name:?}; `ringmark list` names them, without parameters here"
        );
    }
    Ok(())
}

/// What a command makes again.
struct Made {
    /// Its deterministic files.
    files: Vec<NewFile>,
    /// The strategies whose rows they hold; all where `None`.
    only: Option<BTreeSet<String>>,
}

/// Runs a command of `run.json` again, as far as its files are deterministic.
fn recomputed(
    args: &Args,
    catalog: &Catalog,
    command: &str,
    here: &str,
    progress: &Progress,
) -> anyhow::Result<Made> {
    let words = shlex::split(command).context("expected a command")?;
    let cli = Cli::try_parse_from(&words).map_err(|err| {
        let err = err.to_string();
        anyhow::anyhow!("{}", err.lines().next().unwrap_or_default().to_owned())
    })?;
    let whole = args.sample.is_none() && args.strategies.is_empty();
    let mut made = Made {
        files: Vec::new(),
        only: None,
    };
    match &cli.verb {
        Verb::Bench(given) => {
            let mut request = bench::request(given, catalog)?;
            if !whole {
                made.only = Some(restrict(args, here, &mut request)?);
            }
            request
                .parts
                .retain(|part| !matches!(part, Part::Lookup | Part::Build));
            let measured = measure::run(&request, progress).map_err(bench::stopped)?;
            made.files = record::data_files(&request, &measured, &[])?;
            if whole && bench::runs_experiments(given, &request) {
                made.files.extend(experiment::all(catalog, progress)?);
            }
        }
        Verb::Compat(given) => made.files = compat::files(given, catalog, progress)?,
        Verb::Experiment(given) if whole => {
            made.files = experiment::files(given, catalog, progress)?
        }
        Verb::Experiment(_) => {}
        _ => anyhow::bail!("it makes no data"),
    }
    made.files.retain(|it| it.deterministic);
    Ok(made)
}

/// Leaves only the wanted strategies and the control in a request; their names.
///
/// A row depends on its strategy and on the control alone, so it is the same with fewer strategies.
fn restrict(args: &Args, here: &str, request: &mut Request) -> anyhow::Result<BTreeSet<String>> {
    let mut controls = BTreeSet::new();
    let mut others = BTreeSet::new();
    for contender in &request.contenders {
        let strategy = contender.spec.strategy();
        let names = if strategy.role == Role::Control {
            &mut controls
        } else {
            &mut others
        };
        names.insert(strategy.name.to_owned());
    }
    let mut only = controls;
    match args.sample {
        // Another source draws others, so that in time all are drawn; one source always the same.
        Some(n) => {
            let mut drawn: Vec<&String> = others.iter().collect();
            drawn.sort_by_key(|name| source::sha256(format!("{here} {name}").as_bytes()));
            only.extend(drawn.into_iter().take(n).cloned());
        }
        None => only.extend(args.strategies.iter().cloned()),
    }
    request
        .contenders
        .retain(|it| only.contains(it.spec.strategy().name));
    ensure!(
        !request.contenders.is_empty(),
        "it compares none of these strategies"
    );
    Ok(only)
}

impl Again {
    fn compare(&mut self, recorded: &Recorded, command: &str, made: Made) {
        let only = made.only.as_ref();
        let (mut rows, mut files) = (0, 0);
        for file in &made.files {
            // The picture of a ring is of the first strategy that can be drawn, which need not be one
            // of these.
            let picture = only.is_some_and(|only| {
                file.path == "data/points.csv"
                    && !recorded
                        .files
                        .get(&file.path)
                        .is_some_and(|it| names_one(it, only))
            });
            if picture {
                continue;
            }
            let (compared, difference) = recorded.against(file, only);
            rows += compared;
            files += 1;
            self.compared.insert(file.path.clone());
            self.differences.extend(difference);
        }
        if files == 0 {
            return;
        }
        let which = match only {
            None => "whole".to_owned(),
            Some(only) => {
                let names: Vec<&str> = only.iter().map(String::as_str).collect();
                format!("only the rows of {}", names.join(", "))
            }
        };
        self.told.push(format!(
            "recomputed `{command}`, {which}: {files} files, {rows} rows compared"
        ));
    }
}

/// Whether the first row of a file is one of these strategies'.
fn names_one(bytes: &[u8], only: &BTreeSet<String>) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let first = text.lines().nth(1).unwrap_or_default();
    let name = first.split([':', ',']).next().unwrap_or_default();
    only.contains(name)
}
