//! `micro`: criterion in short settings, in a process of its own, for `bench`.
//!
//! Criterion prints as it goes and cannot be told not to; so `bench` runs this verb of itself with
//! its output closed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    measure::Contender,
    micro,
    record::{CriterionRow, from_csv, to_csv},
};
use anyhow::{Context as _, ensure};
use router::Catalog;

/// Options of `micro`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the estimates go
    #[arg(long)]
    out: PathBuf,
    /// The strategies
    #[arg(long)]
    strategy: Vec<String>,
}

/// Measures, and writes the estimates as CSV.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let contenders = Contender::given(catalog, &args.strategy)?;
    let folder = tempfile::tempdir().context("make a folder for criterion")?;
    let rows = micro::short(&contenders, micro::NODES, folder.path())?;
    fs::write(&args.out, to_csv(&rows)?).with_context(|| format!("write {}", args.out.display()))
}

/// Runs `micro` in a process of its own and returns its estimates.
pub(crate) fn in_own_process(contenders: &[Contender]) -> anyhow::Result<Vec<CriterionRow>> {
    let folder = tempfile::tempdir().context("make a folder for criterion")?;
    let out: &Path = &folder.path().join("estimates.csv");
    let program = std::env::current_exe().context("find this program")?;
    let mut command = Command::new(program);
    command.arg("micro").arg("--out").arg(out);
    for contender in contenders.iter().filter(|it| it.overview) {
        command.arg("--strategy").arg(contender.spec.to_string());
    }
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("run criterion")?;
    ensure!(status.success(), "criterion ended with {status}");
    from_csv(out)
}
