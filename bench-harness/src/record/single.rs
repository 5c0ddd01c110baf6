//! A single file of results: all or nothing, and only over what ringmark wrote.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read as _, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

/// Bytes at the beginning of a file in which its mark is looked for.
const MARK_WITHIN: u64 = 2048;

/// A file that is being written beside its place, and put there when it is whole.
///
/// Dropped before that, it leaves nothing.
#[derive(Debug)]
pub struct SingleFile {
    path: PathBuf,
    staged: BufWriter<NamedTempFile>,
}

impl SingleFile {
    /// Begins a file that will lie at `path`. What is there already is only replaced when it is
    /// empty, or has `mark` within its first bytes: then ringmark wrote it.
    ///
    /// # Errors
    ///
    /// When something else lies there, or its folder takes no file.
    pub fn create(path: &Path, mark: &str) -> anyhow::Result<Self> {
        let shown = path.display();
        match fs::metadata(path) {
            Ok(there) if !there.is_file() => bail!("{shown}: expected a file, or none"),
            Ok(_) if !is_ours(path, mark).with_context(|| format!("read {shown}"))? => {
                bail!("{shown}: was not written by ringmark, so it is not replaced")
            }
            _ => {}
        }
        let path = std::path::absolute(path)?;
        let folder = path.parent().context("a file lies in a folder")?;
        let staged =
            NamedTempFile::new_in(folder).with_context(|| format!("write {}", path.display()))?;
        Ok(Self {
            path,
            staged: BufWriter::with_capacity(1 << 18, staged),
        })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// When the disk is full, or the place was taken away; nothing was changed then.
    pub fn finish(self) -> anyhow::Result<()> {
        let shown = self.path.display();
        let staged = self
            .staged
            .into_inner()
            .map_err(io::IntoInnerError::into_error);
        let staged = staged.with_context(|| format!("write {shown}"))?;
        // A disk that is full may only say so when the bytes have to go there.
        let synced = staged.as_file().sync_all();
        synced.with_context(|| format!("write {shown}"))?;
        open_to_all(staged.as_file()).with_context(|| format!("write {shown}"))?;
        staged
            .persist(&self.path)
            .with_context(|| format!("replace {shown}"))?;
        Ok(())
    }
}

impl Write for SingleFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.staged.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.staged.flush()
    }
}

fn is_ours(path: &Path, mark: &str) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(MARK_WITHIN).read_to_end(&mut head)?;
    let marked = head.windows(mark.len()).any(|it| it == mark.as_bytes());
    Ok(head.is_empty() || marked)
}

/// Gives the file the permissions that a new file has: a temporary one is for its owner alone.
#[cfg(unix)]
fn open_to_all(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_all(_: &File) -> io::Result<()> {
    Ok(())
}
