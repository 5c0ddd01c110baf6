//! The program: every strategy that its caller knows, put through the harness or asked one by one.
//!
//! A program is one call of [`main`] with a list of strategies: `ringmark` gives those of this
//! workspace. One file a verb. Exit 0 when it was done, 1 for a failed check, 2 for what could not be done, with
//! one line on standard error that says why, 130 when interrupted.

mod asks;
mod bench;
mod choose;
mod compare;
mod compat;
mod console;
mod diff;
mod exit;
mod experiment;
mod list;
mod micro;
mod plan;
mod race;
mod report;
mod ring;
mod route;
mod selftest;
mod verify;
mod workload;

use std::{io, process::ExitCode};

use anyhow::Context as _;
use clap::{ColorChoice, Parser, Subcommand};
use router::{Catalog, Strategy};

use exit::Exit;

/// What could not be done: usage, input, disk.
const CANNOT: u8 = 2;

/// Compares key-routing strategies: which node owns this key?
#[derive(Parser)]
#[command(name = "ringmark", version, color = ColorChoice::Never)]
#[command(subcommand_required = true, arg_required_else_help = false)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Measure everything and write the report
    Bench(Box<bench::Args>),
    /// Compare the strategies for one cluster size, on one screen
    Compare(compare::Args),
    /// Say which strategies meet a need at one size, and why the others do not
    Choose(choose::Args),
    /// Count which clients place keys alike, and add it to a report
    Compat(compat::Args),
    /// Race strategies against others, and judge what is demanded of them
    Race(race::Args),
    /// Run the documents' experiments again: published beside measured
    Experiment(experiment::Args),
    /// Draw charts and pages from data again, without measuring
    Report(report::Args),
    /// Make a report's data and pages again and compare them
    Verify(verify::Args),
    /// Compare two reports: rows that differ, timings that got better or worse
    Diff(diff::Args),
    /// Test the statistics: coverage of intervals, and a strategy compared with itself
    Selftest(selftest::Args),
    /// List the strategies, one a line
    List(list::Args),
    /// Print the owner of each key of a file
    Route(route::Args),
    /// Count what a change of your own cluster would move, before you make it
    Plan(Box<plan::Args>),
    /// Print every point of a ring, in order
    Ring(ring::Args),
    /// Print the nodes, keys or changes of a seed
    Workload(workload::Args),
    /// Criterion, for `bench`
    #[command(hide = true)]
    Micro(micro::Args),
    /// Exactly so many look-ups, for counting their instructions
    #[command(hide = true)]
    Asks(asks::Args),
}

/// Runs the verb on the command line with these strategies, and says how the process ends. The program
/// also needs [`CountingAlloc`](crate::measure::CountingAlloc) as its global allocator, for `memory`.
///
/// `race` is the race that `race` runs unless another is given: a document as
/// [`Race`](crate::measure::race::Race) has it.
pub fn main(
    strategies: impl IntoIterator<Item = &'static Strategy>,
    race: Option<&'static str>,
) -> ExitCode {
    let done = match Cli::try_parse() {
        Ok(cli) => catalog(strategies).and_then(|catalog| run(&cli.verb, &catalog, race)),
        Err(err) if err.use_stderr() => {
            console::say(&one_line(&err.to_string()));
            return ExitCode::from(CANNOT);
        }
        // Help and version are answers.
        Err(err) => err.print().context(console::STDOUT),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) if is_closed_pipe(&err) => ExitCode::SUCCESS,
        Err(err) => {
            console::say(&format!("{err:#}"));
            ExitCode::from(err.downcast_ref::<Exit>().map_or(CANNOT, |exit| exit.code))
        }
    }
}

/// The strategies as a catalog; two of one name are refused.
fn catalog(strategies: impl IntoIterator<Item = &'static Strategy>) -> anyhow::Result<Catalog> {
    Ok(Catalog::new(strategies)?)
}

fn run(verb: &Verb, catalog: &Catalog, race: Option<&str>) -> anyhow::Result<()> {
    match verb {
        Verb::Bench(args) => bench::run(args, catalog),
        Verb::Compare(args) => compare::run(args, catalog),
        Verb::Choose(args) => choose::run(args, catalog),
        Verb::Compat(args) => compat::run(args, catalog),
        Verb::Race(args) => race::run(args, catalog, race),
        Verb::Experiment(args) => experiment::run(args, catalog),
        Verb::Report(args) => report::run(args),
        Verb::Verify(args) => verify::run(args, catalog),
        Verb::Diff(args) => diff::run(args),
        Verb::Selftest(args) => selftest::run(args, catalog),
        Verb::List(args) => list::run(args, catalog),
        Verb::Route(args) => route::run(args, catalog),
        Verb::Plan(args) => plan::run(args, catalog),
        Verb::Ring(args) => ring::run(args, catalog),
        Verb::Workload(args) => workload::run(args),
        Verb::Micro(args) => micro::run(args, catalog),
        Verb::Asks(args) => asks::run(args, catalog),
    }
}

/// Whether the reader of our output had enough, which is its right.
fn is_closed_pipe(err: &anyhow::Error) -> bool {
    err.downcast_ref::<io::Error>()
        .is_some_and(|err| err.kind() == io::ErrorKind::BrokenPipe)
}

/// What `clap` says in several paragraphs, in one line.
fn one_line(usage: &str) -> String {
    let text = usage.strip_prefix("error: ").unwrap_or(usage);
    let paragraphs: Vec<String> = text
        .split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|paragraph| !paragraph.is_empty())
        .collect();
    paragraphs.join("; ")
}
