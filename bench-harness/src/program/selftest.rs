//! `selftest`: whether the statistics keep what they promise, on this machine.

use crate::{
    evidence::{AGREEING, SameTwice, TwoWays, coverage},
    measure::{self, Contender, Part, Profile, Request},
    micro as criterion,
    workload::KeySet,
};
use anyhow::Context as _;

use router::Catalog;

use super::{bench, console, exit::Exit, micro};

/// Options of `selftest`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Comparisons of a strategy with itself
    #[arg(long, value_name = "N", default_value_t = 1000)]
    comparisons: usize,
    /// Turns of the sampler and of criterion over the same look-ups of ten strategies
    #[arg(long, value_name = "N", default_value_t = 3)]
    turns: usize,
    /// Simulated runs behind each coverage
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Only this strategy; may be given again [default: all, in turn]
    #[arg(long = "strategy", value_name = "SPEC")]
    strategies: Vec<String>,
}

/// Nodes of the comparisons.
const NODES: u64 = 40;
/// Of the simulated runs.
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
    let ways = two_ways(&request, args.turns)?;
    let simulated = coverage(SEED, args.runs, same.autocorrelation);
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
        print_ways(out, &ways)?;
        writeln!(
            out,
            "coverage of 95 % intervals, {} simulated runs each:",
            args.runs
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

/// Strategies that are timed in two ways.
const TIMED_TWO_WAYS: usize = 10;

/// Lets the sampler and criterion take turns over the same look-ups.
fn two_ways(request: &Request, turns: usize) -> anyhow::Result<TwoWays> {
    // Evenly over the list, which is in the order of the families.
    let step = request.contenders.len().div_ceil(TIMED_TWO_WAYS);
    let request = Request {
        contenders: request.contenders.iter().step_by(step).cloned().collect(),
        profile: Profile::compare(criterion::NODES),
        parts: vec![Part::Lookup],
        ..request.clone()
    };
    let progress = bench::running();
    let mut found = Vec::new();
    for _ in 0..turns {
        let ours = measure::run(&request, progress).map_err(bench::stopped)?;
        progress.phase("criterion", 1);
        let theirs = micro::in_own_process(&request.contenders);
        if progress.check().is_err() {
            return Err(Exit::interrupted().into());
        }
        found.push((ours.lookup, theirs?));
        progress.end_phase();
    }
    Ok(TwoWays::of(&found))
}

fn print_ways(out: &mut dyn std::io::Write, ways: &TwoWays) -> std::io::Result<()> {
    if ways.cells.is_empty() {
        return Ok(());
    }
    let (told_apart, swapped) = ways.pairs();
    writeln!(
        out,
        "criterion and the sampler in turn, {} nodes: {} of {} within {:.0} %; of {told_apart} pairs that both \
         tell apart {swapped} in another order: {}",
        criterion::NODES,
        ways.agreeing(),
        ways.cells.len(),
        100.0 * AGREEING,
        if ways.agree() { "agree" } else { "differ" }
    )?;
    for it in &ways.cells {
        let [ours, theirs] = it.ratios;
        writeln!(
            out,
            "     {:<32} {ours:>7.2} and {theirs:>7.2} times the load floor, {:.2}",
            it.strategy,
            it.quotient()
        )?;
    }
    Ok(())
}
