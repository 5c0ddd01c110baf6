//! `race`: strategies of ours beside those of others, and what is demanded of ours.

use std::{fs, path::PathBuf};

use crate::{
    measure::race::{self, Race, Raced},
    record::{MustRow, RaceRow, Side, Store, race_files},
    workload::shown,
};
use anyhow::Context as _;
use comfy_table::{Table, presets};
use router::Catalog;

use super::{asks, bench, console, report};

/// Options of `race`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Who races, a TOML document [default: the race of this program, where it has one]
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Only this family; may be given again [default: all]
    #[arg(long = "family", value_name = "NAME")]
    families: Vec<String>,
    /// Rounds in place of the plan's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    rounds: Option<u64>,
    /// Leave out the instructions a look-up
    #[arg(long)]
    no_instructions: bool,
    /// Where the report goes, beside what is there [default: reports for the whole race of this program,
    /// else target/ringmark/race]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Args {
    fn out(&self) -> PathBuf {
        let whole = self.plan.is_none()
            && self.families.is_empty()
            && self.rounds.is_none()
            && !self.no_instructions;
        match &self.out {
            Some(out) => out.clone(),
            None if whole => PathBuf::from("reports"),
            None => PathBuf::from("target/ringmark/race"),
        }
    }
}

/// Runs the race, adds it to a report and prints the verdicts.
pub(crate) fn run(args: &Args, catalog: &Catalog, own: Option<&str>) -> anyhow::Result<()> {
    let race = read(args, catalog, own)?;
    let out = args.out();
    let store = Store::open(&out)?;
    let progress = bench::progress()?;
    let raced = race::run(&race, catalog, &asks::instructions, progress).map_err(bench::stopped)?;
    let run = bench::this_run("race", 0)?;
    store.add(run, &race_files(&raced)?, report::draw)?;
    console::print(|stream| {
        use std::io::Write as _;
        for &n in &race.build_sizes {
            writeln!(stream, "{n} nodes, medians:\n{}", figures(&raced, n))
                .context(console::STDOUT)?;
        }
        if !raced.musts.is_empty() {
            writeln!(stream, "{}", verdicts(&raced.musts)).context(console::STDOUT)?;
        }
        writeln!(stream, "report in {}", out.join("race.md").display()).context(console::STDOUT)
    })
}

fn read(args: &Args, catalog: &Catalog, own: Option<&str>) -> anyhow::Result<Race> {
    let mut race = match &args.plan {
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| format!("read {}", shown(path)))?;
            Race::parse(&text, catalog).with_context(|| shown(path))?
        }
        None => {
            let text = own.context("--plan: expected a race; this program has none of its own")?;
            Race::parse(text, catalog)?
        }
    };
    race = race.narrowed(&args.families).context("--family")?;
    if let Some(rounds) = args.rounds {
        race.rounds = rounds;
    }
    if args.no_instructions {
        race.counted_size = None;
    }
    Ok(race)
}

/// The medians of all strategies at a size.
fn figures(raced: &Raced, n: u64) -> Table {
    const SHOWN: [&str; 7] = [
        "lookup_ns",
        "route_batch_ns",
        "load_ns",
        "build_ns",
        "add_ns",
        "remove_ns",
        "instructions",
    ];
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let head = ["family", "side", "strategy"].into_iter().chain(SHOWN);
    table.set_header(head.chain(["contract"]).collect::<Vec<_>>());
    let at = |row: &&RaceRow| row.nodes == n;
    let mut rows = raced.rows.iter().filter(at).peekable();
    while let Some(first) = rows.peek().copied() {
        let mut cells = vec![String::new(); SHOWN.len()];
        let same = |row: &&RaceRow| row.family == first.family && row.strategy == first.strategy;
        let mut note = String::new();
        while let Some(row) = rows.next_if(same) {
            if let Some(place) = SHOWN.iter().position(|it| *it == row.metric) {
                cells[place] = row.median.map_or_else(|| "-".to_owned(), short);
            }
            note = row.note.clone();
        }
        let side = match first.side {
            Side::Ours => "ours",
            Side::Peer => "peer",
        };
        let mut line = vec![
            first.family.clone(),
            side.to_owned(),
            first.strategy.clone(),
        ];
        line.append(&mut cells);
        line.push(match first.contract.as_str() {
            "passed" if first.median.is_some() => first.contract.clone(),
            _ => format!("{}: {note}", first.contract)
                .chars()
                .take(60)
                .collect(),
        });
        table.add_row(line);
    }
    table
}

/// A number with three digits that count.
fn short(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

/// The demands and their verdicts.
fn verdicts(musts: &[MustRow]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "must",
        "ours",
        "fastest peer",
        "times",
        "aim",
        "measured",
        "verdict",
    ]);
    for must in musts {
        let measured = match (must.ratio, must.lo, must.hi) {
            (Some(ratio), Some(lo), Some(hi)) => format!("{ratio:.2} [{lo:.2}, {hi:.2}]"),
            _ => String::new(),
        };
        let aim = must.aim.map_or_else(String::new, |it| it.to_string());
        let times = must.times.to_string();
        let cells: [&str; 7] = [
            &must.must,
            &must.ours,
            &must.peer,
            &times,
            &aim,
            &measured,
            &must.verdict,
        ];
        table.add_row(cells);
    }
    table
}
