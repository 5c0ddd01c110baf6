//! The data files of a run, by name.

use super::{CriterionRow, NewFile, Rounded, to_csv};
use crate::measure::{Measured, Part, Request};

/// The data files that a run made: those of the parts that were asked for.
///
/// # Errors
///
/// When a row cannot be written, which none of ours can cause.
pub fn data_files(
    request: &Request,
    measured: &Measured,
    criterion: &[CriterionRow],
) -> anyhow::Result<Vec<NewFile>> {
    let mut files = Vec::new();
    let mut strategies = serde_json::to_vec_pretty(&measured.strategies)?;
    strategies.push(b'\n');
    files.push(NewFile::data("data/strategies.json", strategies, true));
    add(&mut files, "data/contract.csv", &measured.contract, true)?;
    if request.wants(Part::Balance) {
        add(&mut files, "data/balance.csv", &measured.balance, true)?;
        add(&mut files, "data/points.csv", &measured.arcs, true)?;
    }
    if request.wants(Part::Movement) {
        add(&mut files, "data/movement.csv", &measured.movement, true)?;
    }
    if request.wants(Part::Views) && !measured.views.is_empty() {
        add(&mut files, "data/views.csv", &measured.views, true)?;
    }
    if request.wants(Part::Work) {
        add(&mut files, "data/work.csv", &measured.work, true)?;
    }
    if request.wants(Part::Memory) {
        add(&mut files, "data/memory.csv", &measured.memory, true)?;
    }
    if request.wants(Part::Lookup) {
        add(&mut files, "data/lookup.csv", &measured.lookup, false)?;
    }
    if request.wants(Part::Build) {
        add(&mut files, "data/build.csv", &measured.build, false)?;
    }
    if request.wants(Part::Swap) {
        add(&mut files, "data/swap.csv", &measured.swap, false)?;
    }
    if !criterion.is_empty() {
        add(&mut files, "data/criterion.csv", criterion, false)?;
    }
    for (name, rows) in &measured.raw {
        add(&mut files, &format!("data/seeds/{name}.csv"), rows, true)?;
    }
    Ok(files)
}

/// Adds a data file of these rows.
pub(super) fn add<R: Rounded + serde::Serialize>(
    files: &mut Vec<NewFile>,
    path: &str,
    rows: &[R],
    deterministic: bool,
) -> anyhow::Result<()> {
    files.push(NewFile::data(path, to_csv(rows)?, deterministic));
    Ok(())
}
