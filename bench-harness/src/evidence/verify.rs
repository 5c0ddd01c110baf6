//! A report folder held against its own `run.json` and against its own data.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
};

use super::rows::{Only, differing};
use crate::{
    record::{FileEntry, MARKED_FOLDERS, NewFile, Run, is_marked, read_run, source::sha256},
    report,
};

/// What a report is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing differs, and this checkout made it.
    Verified,
    /// Nothing differs, and another source made it.
    Stale,
    /// Something differs.
    Changed,
}

impl Verdict {
    /// Its name on the terminal.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Stale => "stale",
            Self::Changed => "changed",
        }
    }
}

/// A file that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Path below the report folder.
    pub path: String,
    /// What differs, in one line.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

/// What a report folder records.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    /// Its `run.json`.
    pub run: Run,
    /// The data files that are there, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Those that are not there, or are not what `run.json` says.
    pub differences: Vec<Difference>,
}

impl Recorded {
    /// Reads a report folder and holds every data file against its SHA-256.
    ///
    /// # Errors
    ///
    /// When there is no `run.json`, or it is not one of ringmark's.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let run = read_run(dir)?;
        let mut files = BTreeMap::new();
        let mut differences = Vec::new();
        for entry in &run.files {
            let what = match fs::read(dir.join(&entry.path)) {
                Err(err) => Some(format!("cannot be read: {err}")),
                Ok(bytes) => {
                    let found = sha256(&bytes);
                    files.insert(entry.path.clone(), bytes);
                    (found != entry.sha256).then(|| {
                        let (is, was) = (&found[..12], entry.sha256.get(..12));
                        format!(
                            "its SHA-256 is {is}.., run.json says {}..",
                            was.unwrap_or(&entry.sha256)
                        )
                    })
                }
            };
            differences.extend(what.map(|what| Difference {
                path: entry.path.clone(),
                what,
            }));
        }
        Ok(Self {
            run,
            files,
            differences,
        })
    }

    /// The commands that made the deterministic files, each with its files, in order.
    #[must_use]
    pub fn commands(&self) -> Vec<(&str, Vec<&FileEntry>)> {
        let mut commands: Vec<(&str, Vec<&FileEntry>)> = Vec::new();
        for entry in self.run.files.iter().filter(|it| it.deterministic) {
            let made_by = entry.made_by.as_ref();
            let command = made_by.map_or(&*self.run.command, |made| &made.command);
            match commands.iter_mut().find(|(it, _)| *it == command) {
                Some((_, files)) => files.push(entry),
                None => commands.push((command, vec![entry])),
            }
        }
        commands
    }

    /// Holds a file that was made again against the one that is there; how many rows were compared,
    /// and the difference if there is one. The rows of other strategies than `only` are left out.
    #[must_use]
    pub fn against(&self, again: &NewFile, only: Only<'_>) -> (u64, Option<Difference>) {
        let path = &again.path;
        let told = |what: String| {
            let path = path.clone();
            Some(Difference { path, what })
        };
        let Some(recorded) = self.files.get(path) else {
            return (
                0,
                told("is made by this checkout, and is not there".to_owned()),
            );
        };
        let found = match differing(path, recorded, &again.bytes, only) {
            Ok(found) => found,
            Err(err) => return (0, told(format!("{err:#}"))),
        };
        if found.none() {
            return (found.rows, None);
        }
        let n = found.gone.len().max(found.new.len());
        let first = found.told(1, "recorded", "recomputed");
        let first = first.first().cloned().unwrap_or_default();
        let what = format!("{n} of {} rows differ; {first}", found.rows);
        (found.rows, told(what))
    }

    /// The sources that made this report: of the run, and of files that it did not make.
    #[must_use]
    pub fn sources(&self) -> BTreeSet<&str> {
        let kept = self.run.files.iter().filter_map(|it| it.made_by.as_ref());
        let mut sources: BTreeSet<&str> = kept.map(|it| &*it.source_id).collect();
        sources.insert(&self.run.source_id);
        sources
    }
}

/// Draws the charts and pages of a report folder again and compares them byte for byte; how many were
/// drawn, and which differ.
#[must_use]
pub fn redrawn(dir: &Path) -> (usize, Vec<Difference>) {
    let drawn = match report::render(dir) {
        Ok(report) => report.files,
        Err(err) => {
            let path = "README.md".to_owned();
            let what = format!("cannot be drawn from these data: {err:#}");
            return (0, vec![Difference { path, what }]);
        }
    };
    let mut differences = Vec::new();
    for file in &drawn {
        let what = match fs::read(dir.join(&file.path)) {
            Ok(bytes) if bytes == file.bytes => continue,
            Ok(bytes) => first_line(&bytes, &file.bytes),
            Err(err) => format!("cannot be read: {err}"),
        };
        let path = file.path.clone();
        differences.push(Difference { path, what });
    }
    let paths: BTreeSet<&str> = drawn.iter().map(|it| it.path.as_str()).collect();
    for path in marked(dir) {
        if !paths.contains(path.as_str()) {
            let what = "is not drawn from these data".to_owned();
            differences.push(Difference { path, what });
        }
    }
    (drawn.len(), differences)
}

/// The files in the folders of charts and pages that ringmark wrote.
fn marked(dir: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    for folder in MARKED_FOLDERS {
        let entries = fs::read_dir(dir.join(folder)).into_iter().flatten();
        let files = entries.flatten().map(|it| it.path());
        let ours = files.filter(|path: &PathBuf| path.is_file() && is_marked(path));
        paths.extend(ours.filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some(format!("{folder}/{name}"))
        }));
    }
    paths.sort();
    paths
}

/// The first line in which two texts differ.
fn first_line(there: &[u8], drawn: &[u8]) -> String {
    let (mut a, mut b) = (
        there.split(|&it| it == b'\n'),
        drawn.split(|&it| it == b'\n'),
    );
    let mut line = 1;
    loop {
        match (a.next(), b.next()) {
            (Some(one), Some(other)) if one == other => line += 1,
            _ => return format!("line {line} is not what is drawn from these data"),
        }
    }
}
