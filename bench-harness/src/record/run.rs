//! `run.json`: what made the data, and the fingerprint of every file of it.

use serde::{Deserialize, Serialize};

/// The number of this schema.
pub const SCHEMA: u32 = 1;

/// The run that made a report's data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Number of this schema.
    pub schema: u32,
    /// Version of ringmark.
    pub version: String,
    /// Profile: `quick`, `standard` or `full`.
    pub profile: String,
    /// The command, as a person would type it.
    pub command: String,
    /// Seeds used for balance: `0..n`.
    pub seeds: u64,
    /// First 12 hex digits of the SHA-256 over the sources that can change a number.
    pub source_id: String,
    /// Commit of the checkout, where there is one.
    pub commit: Option<String>,
    /// Whether the checkout had changes that were not committed.
    pub dirty: Option<bool>,
    /// When, UTC, RFC 3339 to the second.
    pub date: String,
    /// Where.
    pub machine: Machine,
    /// `rustc -V` of the build.
    pub rustc: String,
    /// Data files, in byte order of path.
    pub files: Vec<FileEntry>,
}

/// The machine of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: String,
    /// Logical cores.
    pub cores: u64,
    /// Operating system and architecture.
    pub os: String,
}

/// A data file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path below the report folder, with slashes.
    pub path: String,
    /// SHA-256 of its content, hex.
    pub sha256: String,
    /// Whether it is the same on every machine.
    pub deterministic: bool,
    /// The command, date and source of a file that this run did not make; empty for its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<MadeBy>,
}

/// Where a file comes from that stayed from an earlier run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MadeBy {
    /// The command.
    pub command: String,
    /// When.
    pub date: String,
    /// `source_id` then.
    pub source_id: String,
    /// Where; empty where an earlier version wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// `rustc -V` of the build then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rustc: Option<String>,
}

impl MadeBy {
    /// The origin that a file of this run has.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        Self {
            command: run.command.clone(),
            date: run.date.clone(),
            source_id: run.source_id.clone(),
            machine: Some(run.machine.clone()),
            rustc: Some(run.rustc.clone()),
        }
    }
}
