//! `selftest`: whether the statistics keep what they promise, on this machine.

use crate::{
    evidence::{SameTwice, coverage},
    measure::{self, Contender, Profile, Request},
    workload::KeySet,
};
use anyhow::Context as _;

use router::Catalog;

use super::{bench, console, exit::Exit};

/// Options of `selftest`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Comparisons of a strategy with itself
    #[arg(long, value_name = "N", default_value_t = 1000)]
    comparisons: usize,
    /// Only this strategy; may be given again [default: all, in turn]
    #[arg(long = "strategy", value_name = "SPEC")]
    strategies: Vec<String>,
}

/// Nodes of the comparisons.
const NODES: u64 = 40;
/// Simulated runs behind each coverage, and their seed.
const RUNS: u64 = 4000;
const SEED: u64 = 0;

/// Runs it and prints the figures.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let contenders = match args.strategies.is_empty() {
        true => Contender::all(catalog, false),
        false => Contender::given(catalog, &args.strategies)?,
    };
    let request = Request {
        contenders,
        profile: Profile::compare(NODES),
        parts: Vec::new(),
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let found = measure::twice(&request, args.comparisons, bench::progress()?);
    let found = found.map_err(bench::stopped)?;
    let same = SameTwice::of(&found);
    let simulated = coverage(SEED, RUNS, same.autocorrelation);
    let failed = simulated.iter().filter(|it| !it.passed()).count();
    let share = |n: usize| 100.0 * n as f64 / same.comparisons.max(1) as f64;
    console::print(|out| {
        use std::io::Write as _;
        writeln!(
            out,
            "A/A: {} comparisons of a strategy with itself, {NODES} nodes, {} rounds: {} called different \
             ({:.1} %), at most {} are allowed",
            same.comparisons,
            request.profile.rounds,
            same.different,
            share(same.different),
            same.allowed
        )?;
        writeln!(
            out,
            "     round by round, {} have a median difference whose interval lacks 0 ({:.1} %; 4.3 % where \
             rounds are independent)",
            same.paired,
            share(same.paired)
        )?;
        writeln!(
            out,
            "     autocorrelation of successive rounds: {:.2}",
            same.autocorrelation
        )?;
        writeln!(
            out,
            "coverage of 95 % intervals, {RUNS} simulated runs each:"
        )?;
        for it in &simulated {
            writeln!(out, "     {it}")?;
        }
        let passed = same.passed() && failed == 0;
        writeln!(
            out,
            "selftest: {}",
            if passed { "passed" } else { "failed" }
        )
        .context(console::STDOUT)
    })?;
    if !same.passed() {
        let (n, most) = (same.different, same.allowed);
        return Err(Exit::failed(format!(
            "{n} comparisons called different, at most {most} expected"
        ))
        .into());
    }
    if failed > 0 {
        return Err(
            Exit::failed(format!("{failed} intervals do not cover what they promise")).into(),
        );
    }
    Ok(())
}
