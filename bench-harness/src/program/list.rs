//! `list`: the strategies that there are.

use std::io::Write as _;

use crate::record::StrategyEntry;
use anyhow::Context as _;

use router::Catalog;

use super::console;

/// Options of `list`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print all that the strategies say of themselves, as JSON
    #[arg(long)]
    json: bool,
}

/// Prints one line a strategy, its name first, or one JSON array.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let strategies = catalog.strategies();
    console::print(|out| {
        if args.json {
            let entries: Vec<StrategyEntry> = strategies
                .iter()
                .map(|strategy| StrategyEntry::new(strategy, catalog))
                .collect();
            let json = serde_json::to_string_pretty(&entries).context("cannot make JSON")?;
            return writeln!(out, "{json}").context(console::STDOUT);
        }
        let width = strategies.iter().map(|it| it.name.len()).max().unwrap_or(0);
        for strategy in strategies {
            let (name, summary) = (strategy.name, strategy.summary);
            writeln!(out, "{name:width$}  {summary}").context(console::STDOUT)?;
        }
        Ok(())
    })
}
