//! Writing a report folder: all or nothing, and only over what ringmark wrote.

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};

use super::{FileEntry, MadeBy, Run, source::sha256};

/// A file of a report, by its path below the folder, with slashes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFile {
    /// Path below the folder.
    pub path: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Whether it is the same on every machine.
    pub deterministic: bool,
}

/// The word by which a page or chart that ringmark wrote is known, within its first bytes.
const MARK: &[u8] = b"ringmark";
const MARK_WITHIN: usize = 2048;

/// The folders of a report in which every file that bears the mark is a chart or page of it.
pub(crate) const MARKED_FOLDERS: [&str; 2] = ["charts", "families"];

/// A report folder that is going to be written.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// Looks whether a report can be written to `dir`, before anything is measured: it is a folder
    /// or absent, and can be made and written.
    ///
    /// # Errors
    ///
    /// Names the path and what is in the way.
    pub fn open(dir: &Path) -> anyhow::Result<Self> {
        let store = Self {
            dir: std::path::absolute(dir)?,
        };
        if store.dir.exists() && !store.dir.is_dir() {
            bail!("{}: expected a folder, found a file", dir.display());
        }
        let parent = store.parent()?;
        fs::create_dir_all(&parent).with_context(|| format!("make {}", parent.display()))?;
        store.sweep();
        // The probe is made and dropped at once; what it tells is that the disk takes a folder.
        store.staging()?;
        Ok(store)
    }

    /// Writes the data files and `run`, lets `render` draw the pages from them, and puts all of it in
    /// place, `run.json` last. Data files of an earlier run that this one did not make stay, with
    /// their origin.
    ///
    /// # Errors
    ///
    /// Names the file and what went wrong; the old report is untouched unless the very last step,
    /// renaming, failed half way.
    pub fn write(
        &self,
        mut run: Run,
        data: &[NewFile],
        render: impl FnOnce(&Path) -> anyhow::Result<Vec<NewFile>>,
    ) -> anyhow::Result<()> {
        run.files = data.iter().map(FileEntry::of).collect();
        self.stage(run, data, render)
    }

    /// As [`Store::write`], but a report that is there stays that of the run that made it: these
    /// files are beside it, with `run` as their origin.
    ///
    /// # Errors
    ///
    /// As [`Store::write`].
    pub fn add(
        &self,
        run: Run,
        data: &[NewFile],
        render: impl FnOnce(&Path) -> anyhow::Result<Vec<NewFile>>,
    ) -> anyhow::Result<()> {
        let Ok(mut whole) = read_run(&self.dir) else {
            return self.write(run, data, render);
        };
        whole
            .files
            .retain(|entry| data.iter().all(|it| it.path != entry.path));
        whole.files.extend(data.iter().map(|file| FileEntry {
            made_by: Some(MadeBy::of(&run)),
            ..FileEntry::of(file)
        }));
        self.stage(whole, data, render)
    }

    /// Puts `data`, of which `run` lists at least every file, in place, with what stays of an
    /// earlier run.
    fn stage(
        &self,
        mut run: Run,
        data: &[NewFile],
        render: impl FnOnce(&Path) -> anyhow::Result<Vec<NewFile>>,
    ) -> anyhow::Result<()> {
        let old = read_run(&self.dir).ok();
        let staging = self.staging()?;
        for file in data {
            put(staging.path(), file)?;
        }
        for entry in old.iter().flat_map(|old| &old.files) {
            if data.iter().any(|it| it.path == entry.path) {
                continue;
            }
            let bytes = fs::read(self.dir.join(&entry.path));
            let Ok(bytes) = bytes else {
                run.files.retain(|it| it.path != entry.path);
                continue;
            };
            put(
                staging.path(),
                &NewFile::data(&entry.path, bytes, entry.deterministic),
            )?;
            if run.files.iter().all(|it| it.path != entry.path) {
                run.files.push(kept(entry, old.as_ref()));
            }
        }
        run.files.sort_by(|a, b| a.path.cmp(&b.path));
        let run_json = NewFile::data("run.json", to_json(&run)?, false);
        put(staging.path(), &run_json)?;
        let pages = render(staging.path())?;
        for page in &pages {
            put(staging.path(), page)?;
        }
        let mut paths: Vec<&str> = run.files.iter().map(|it| it.path.as_str()).collect();
        paths.extend(pages.iter().map(|it| it.path.as_str()));
        self.place(staging.path(), &paths, old.as_ref())
    }

    /// Draws the pages of the report in `from` again, into this folder, with its data beside.
    ///
    /// # Errors
    ///
    /// As [`Store::write`].
    pub fn redraw(
        &self,
        from: &Path,
        render: impl FnOnce(&Path) -> anyhow::Result<Vec<NewFile>>,
    ) -> anyhow::Result<()> {
        let run = read_run(from)?;
        let staging = self.staging()?;
        let mut paths = Vec::new();
        for entry in &run.files {
            let path = from.join(&entry.path);
            let bytes = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
            put(
                staging.path(),
                &NewFile::data(&entry.path, bytes, entry.deterministic),
            )?;
            paths.push(entry.path.clone());
        }
        put(
            staging.path(),
            &NewFile::data("run.json", to_json(&run)?, false),
        )?;
        let pages = render(staging.path())?;
        for page in &pages {
            put(staging.path(), page)?;
            paths.push(page.path.clone());
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        self.place(staging.path(), &paths, read_run(&self.dir).ok().as_ref())
    }

    /// Moves the staged files over the old ones, `run.json` last, and removes pages and charts that
    /// are no longer made.
    fn place(&self, staging: &Path, paths: &[&str], old: Option<&Run>) -> anyhow::Result<()> {
        for path in paths.iter().chain(&["run.json"]) {
            self.check_ours(path, old)?;
        }
        // From here on only renames within one file system: nothing is written any more.
        for path in paths.iter().chain(&["run.json"]) {
            let target = self.dir.join(path);
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).with_context(|| format!("make {}", parent.display()))?;
            }
            fs::rename(staging.join(path), &target)
                .with_context(|| format!("replace {}", target.display()))?;
        }
        let made: BTreeSet<&str> = paths.iter().copied().collect();
        for folder in MARKED_FOLDERS {
            let entries = fs::read_dir(self.dir.join(folder));
            for entry in entries.into_iter().flatten().flatten() {
                let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if !made.contains(path.as_str()) && is_marked(&entry.path()) {
                    fs::remove_file(entry.path())
                        .with_context(|| format!("remove {}", entry.path().display()))?;
                }
            }
        }
        Ok(())
    }

    /// Whether the file at `path` may be replaced: it is not there, an earlier run lists it, or it
    /// bears our mark.
    fn check_ours(&self, path: &str, old: Option<&Run>) -> anyhow::Result<()> {
        let target = self.dir.join(path);
        let listed = path == "run.json" && old.is_some()
            || old.is_some_and(|old| old.files.iter().any(|it| it.path == path));
        if listed || !target.exists() || is_marked(&target) {
            return Ok(());
        }
        bail!(
            "{}: was not written by ringmark, so it is not replaced; give another --out",
            target.display()
        )
    }

    fn parent(&self) -> anyhow::Result<PathBuf> {
        let parent = self.dir.parent();
        Ok(parent
            .context("a report needs a folder of its own")?
            .to_owned())
    }

    /// A fresh folder beside this one, gone when it is dropped.
    fn staging(&self) -> anyhow::Result<tempfile::TempDir> {
        let prefix = format!("{}{}-", self.prefix(), std::process::id());
        tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(self.parent()?)
            .with_context(|| format!("make a folder beside {}", self.dir.display()))
    }

    fn prefix(&self) -> String {
        let name = self.dir.file_name().unwrap_or_default();
        format!(".{}.partial-", name.to_string_lossy())
    }

    /// Removes what a killed run left beside this folder, where it can be told that it runs no more.
    fn sweep(&self) {
        let Ok(parent) = self.parent() else { return };
        let prefix = self.prefix();
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(rest) = name.strip_prefix(&prefix) else {
                continue;
            };
            let pid: Option<u32> = rest.split('-').next().and_then(|pid| pid.parse().ok());
            let processes = Path::new("/proc");
            if let Some(pid) = pid
                && processes.join("self").exists()
                && !processes.join(pid.to_string()).exists()
            {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

impl NewFile {
    /// A data file.
    #[must_use]
    pub fn data(path: &str, bytes: Vec<u8>, deterministic: bool) -> Self {
        Self {
            path: path.to_owned(),
            bytes,
            deterministic,
        }
    }
}

impl FileEntry {
    fn of(file: &NewFile) -> Self {
        Self {
            path: file.path.clone(),
            sha256: sha256(&file.bytes),
            deterministic: file.deterministic,
            made_by: None,
        }
    }
}

/// The entry of a file that stays from an earlier run, with its origin.
fn kept(entry: &FileEntry, old: Option<&Run>) -> FileEntry {
    FileEntry {
        made_by: entry.made_by.clone().or(old.map(MadeBy::of)),
        ..entry.clone()
    }
}

/// Reads the `run.json` of a report folder.
///
/// # Errors
///
/// When there is none, or it is not one of ringmark's.
pub fn read_run(dir: &Path) -> anyhow::Result<Run> {
    let path = dir.join("run.json");
    let text = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_slice(&text)
        .with_context(|| format!("read {}: expected ringmark's run.json", path.display()))
}

fn to_json(run: &Run) -> anyhow::Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(run)?;
    json.push(b'\n');
    Ok(json)
}

fn put(folder: &Path, file: &NewFile) -> anyhow::Result<()> {
    let path = folder.join(&file.path);
    let write = || -> std::io::Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut out = fs::File::create(&path)?;
        out.write_all(&file.bytes)?;
        // A disk that is full may only say so when the bytes have to go there.
        out.sync_all()
    };
    write().with_context(|| format!("write {}", file.path))
}

/// Whether ringmark wrote this page or chart.
pub(crate) fn is_marked(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| {
        let head = &bytes[..bytes.len().min(MARK_WITHIN)];
        head.windows(MARK.len()).any(|window| window == MARK)
    })
}
