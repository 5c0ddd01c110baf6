//! `diff`: what changed from one report to the next.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{
    evidence::{Change, Recorded, Timings, compared, differing},
    record::{ClaimRow, CriterionRow, SCHEMA, TimedRow, from_csv},
};
use anyhow::{Context as _, bail};

use super::{console, exit::Exit};

/// Options of `diff`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The report before
    #[arg(value_name = "A")]
    old: PathBuf,
    /// The report after
    #[arg(value_name = "B")]
    new: PathBuf,
    /// List the timings that are the same or cannot be told, too
    #[arg(long)]
    all: bool,
}

/// Rows of a file that are shown.
const SHOWN: usize = 3;

/// Compares and says what differs.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    console::end_when_interrupted()?;
    let (old, new) = (whole(&args.old)?, whole(&args.new)?);
    let (rows, files, mut lines) = deterministic(&old, &new)?;
    let unequal = lines.len();
    if unequal == 0 {
        lines.push(format!(
            "deterministic: {rows} rows in {files} files, all equal"
        ));
    }
    let (before, after) = (Times::read(&args.old, &old)?, Times::read(&args.new, &new)?);
    let timed = compared(&before.timings(), &after.timings());
    let count = |change| timed.iter().filter(|it| it.change == change).count();
    let worse = count(Change::Worse);
    if !timed.is_empty() {
        let (a, b) = (&old.run.machine, &new.run.machine);
        if a != b {
            lines.push(format!(
                "timed on two machines: {}, {} cores; {}, {} cores",
                a.cpu, a.cores, b.cpu, b.cores
            ));
        }
        let counts = Change::ALL.map(|it| format!("{} {}", count(it), it.name()));
        lines.push(format!(
            "timed, in load floors of the same run, B to A: {}",
            counts.join(", ")
        ));
        let told = |it: &&_| args.all || matches!(change(it), Change::Worse | Change::Better);
        lines.extend(timed.iter().filter(told).map(ToString::to_string));
    }
    let others: Vec<&str> = before
        .others
        .intersection(&after.others)
        .map(|it| &**it)
        .collect();
    if !others.is_empty() {
        lines.push(format!("times held against nothing: {}", others.join(", ")));
    }
    console::print_lines(&lines)?;
    match (unequal, worse) {
        (0, 0) => Ok(()),
        (0, _) => Err(Exit::failed(format!("{worse} timings are worse")).into()),
        _ => Err(Exit::failed(format!(
            "deterministic rows differ in {unequal} files; {worse} timings are worse"
        ))
        .into()),
    }
}

fn change(it: &crate::evidence::Compared) -> Change {
    it.change
}

/// A report that is what its `run.json` says: of a mixture nothing could be concluded.
fn whole(dir: &Path) -> anyhow::Result<Recorded> {
    let recorded = Recorded::read(dir)?;
    let schema = recorded.run.schema;
    if schema != SCHEMA {
        bail!(
            "{}: schema {schema}, this program reads {SCHEMA}",
            dir.join("run.json").display()
        );
    }
    if let Some(difference) = recorded.differences.first() {
        bail!(
            "{}: expected the files that run.json names; {difference}",
            dir.display()
        );
    }
    Ok(recorded)
}

/// Rows and files that were compared, and a line for each file that differs.
fn deterministic(old: &Recorded, new: &Recorded) -> anyhow::Result<(u64, usize, Vec<String>)> {
    let of = |it: &Recorded| -> BTreeSet<String> {
        let entries = it.run.files.iter().filter(|entry| entry.deterministic);
        entries.map(|entry| entry.path.clone()).collect()
    };
    let (in_old, in_new) = (of(old), of(new));
    let (mut rows, mut lines) = (0, Vec::new());
    for path in in_old.union(&in_new) {
        let (Some(a), Some(b)) = (old.files.get(path), new.files.get(path)) else {
            let which = if in_old.contains(path) { "A" } else { "B" };
            lines.push(format!("{path}: only in {which}"));
            continue;
        };
        let found = differing(path, a, b, None)?;
        rows += found.rows;
        if !found.none() {
            let (gone, added) = (found.gone.len(), found.new.len());
            let told = found.told(SHOWN, "A", "B").join("; ");
            lines.push(format!(
                "{path}: {gone} rows only in A, {added} only in B; {told}"
            ));
        }
    }
    Ok((rows, in_old.intersection(&in_new).count(), lines))
}

/// The experiment whose claims about time this file has. The timed tables of an experiment, and those of
/// a race, stand in files of such names too, under heads of their own.
fn claims_of<'p>(name: &'p str, path: &Path) -> anyhow::Result<Option<&'p str>> {
    let experiment = name
        .strip_prefix("data/timed-")
        .and_then(|it| it.strip_suffix(".csv"));
    let said = || format!("read {}", path.display());
    let mut reader = csv::Reader::from_path(path).with_context(said)?;
    let claims = reader.headers().with_context(said)?.get(0) == Some("claim");
    Ok(experiment.filter(|_| claims))
}

/// The timed files of a report.
#[derive(Default)]
struct Times {
    rows: Vec<TimedRow>,
    criterion: Vec<CriterionRow>,
    claims: Vec<(String, ClaimRow)>,
    /// Files of other rows, whose times are held against nothing.
    others: BTreeSet<String>,
}

impl Times {
    fn read(dir: &Path, recorded: &Recorded) -> anyhow::Result<Self> {
        let mut times = Self::default();
        for entry in recorded.run.files.iter().filter(|it| !it.deterministic) {
            let path = dir.join(&entry.path);
            match &*entry.path {
                "data/lookup.csv" | "data/build.csv" => {
                    times.rows.extend(from_csv::<TimedRow>(&path)?)
                }
                "data/criterion.csv" => times.criterion.extend(from_csv::<CriterionRow>(&path)?),
                other => match claims_of(other, &path)? {
                    Some(name) => {
                        let rows = from_csv::<ClaimRow>(&path)?.into_iter();
                        times.claims.extend(rows.map(|row| (name.to_owned(), row)));
                    }
                    None => {
                        times.others.insert(other.to_owned());
                    }
                },
            }
        }
        Ok(times)
    }

    fn timings(&self) -> Timings<'_> {
        Timings {
            rows: self.rows.iter().collect(),
            criterion: self.criterion.iter().collect(),
            claims: self
                .claims
                .iter()
                .map(|(name, row)| (&**name, row))
                .collect(),
        }
    }
}
