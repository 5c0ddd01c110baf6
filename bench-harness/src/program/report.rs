//! `report`: draws charts and pages from data again, without measuring.

use std::path::{Path, PathBuf};

use crate::{
    record::{NewFile, Store, read_run},
    report,
};

use super::console;

/// Options of `report`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder with run.json and data
    #[arg(long, value_name = "DIR", default_value = "reports")]
    from: PathBuf,
    /// Where the report goes [default: the same folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Draws it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // Looked at first, so that a wrong --from does not make an --out.
    read_run(&args.from)?;
    let out = args.out.as_ref().unwrap_or(&args.from);
    Store::open(out)?.redraw(&args.from, draw)
}

/// The charts and pages of the data in a folder; what is odd about the data is said.
pub(crate) fn draw(from: &Path) -> anyhow::Result<Vec<NewFile>> {
    let report = report::render(from)?;
    for warning in &report.warnings {
        console::say(warning);
    }
    Ok(report.files)
}
