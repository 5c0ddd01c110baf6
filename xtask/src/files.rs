//! Files, with errors that name them.

use std::{fs, path::Path};

use crate::run::Failure;

pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|err| Failure::io("read", path, &err))
}

/// Writes a file, and makes the folders that it stands in.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    make_parent(path)?;
    fs::write(path, text).map_err(|err| Failure::io("write", path, &err))
}

/// Copies a file, and makes the folders that the copy stands in.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    make_parent(to)?;
    match fs::copy(from, to) {
        Ok(_) => Ok(()),
        Err(err) => Err(Failure::io("copy", from, &err)),
    }
}

/// Removes a folder and all that is in it, if it is there.
pub(crate) fn remove_folder(path: &Path) -> Result<(), Failure> {
    if !path.exists() {
        return Ok(());
    }
    fs::remove_dir_all(path).map_err(|err| Failure::io("remove", path, &err))
}

fn make_parent(path: &Path) -> Result<(), Failure> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    fs::create_dir_all(parent).map_err(|err| Failure::io("make", parent, &err))
}
