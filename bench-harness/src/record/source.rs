//! What made a number: the sources, the checkout, the machine.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context as _;
use sha2::{Digest, Sha256};

use super::Machine;

/// Folders whose files can change a number, and single files beside them.
const FOLDERS: [&str; 2] = ["bench-harness", "crates"];
const FILES: [&str; 3] = ["Cargo.lock", "Cargo.toml", "rust-toolchain.toml"];

/// The checkout that this program was built from.
#[must_use]
pub fn checkout() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// The first 12 hex digits of the SHA-256 over path and content of every source file, in byte
/// order of path: the same for two checkouts whose numbers cannot differ.
///
/// Each file counts as its path below the root with slashes, a zero byte, the length of its
/// content as 8 little-endian bytes, and its content. Build output and hidden files are left out.
///
/// # Errors
///
/// When a source file cannot be read: the program was moved away from its checkout.
pub fn source_id(root: &Path) -> anyhow::Result<String> {
    let mut paths: Vec<String> = FILES.iter().map(|&it| it.to_owned()).collect();
    for folder in FOLDERS {
        list(root, folder, &mut paths)?;
    }
    paths.sort();
    let mut hasher = Sha256::new();
    for path in &paths {
        let content = fs::read(root.join(path)).with_context(|| format!("read source {path}"))?;
        hasher.update(path.as_bytes());
        hasher.update([0]);
        hasher.update((content.len() as u64).to_le_bytes());
        hasher.update(&content);
    }
    Ok(hex(&hasher.finalize())[..12].to_owned())
}

fn list(root: &Path, folder: &str, paths: &mut Vec<String>) -> anyhow::Result<()> {
    let entries =
        fs::read_dir(root.join(folder)).with_context(|| format!("read source folder {folder}"))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            list(root, &path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The commit of a checkout, and whether files that git knows differ from it; `None` where there
/// is no git or no commit.
#[must_use]
pub fn commit(root: &Path) -> (Option<String>, Option<bool>) {
    let git = |args: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(args).output();
        let output = output.ok().filter(|it| it.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "HEAD"]);
    // The report itself is what a run changes; it does not make the sources dirty.
    let changes = git(&[
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        ":!reports",
    ]);
    let dirty = commit.as_ref().and(changes).map(|it| !it.is_empty());
    (commit, dirty)
}

/// The machine that this runs on.
#[must_use]
pub fn machine() -> Machine {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .and_then(|rest| rest.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim());
    Machine {
        cpu: cpu.to_owned(),
        cores: std::thread::available_parallelism().map_or(1, |it| it.get() as u64),
        os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}

/// SHA-256 of `bytes`, in hex.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
