//! Key files. `-` is standard input.

use std::{
    io::{BufRead as _, Read as _},
    path::Path,
};

use router::KeyBuf;

use super::{Error, input::Input};

/// The most bytes that a key may have: 64 MiB.
pub const MAX_KEY: u64 = 64 << 20;

/// The most bytes that a key file may have where all its keys are held at once: 1 GiB.
pub const MAX_KEY_FILE: u64 = 1 << 30;

/// The most bytes of keys that one [`KeyReader::read`] begins another key after.
const CHUNK: u64 = 8 << 20;

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads the keys of a file piece by piece, in constant memory.
///
/// A key is a line without its LF; every other byte is kept. A missing LF at the end is no fault; an
/// empty line is the empty key.
pub struct KeyReader {
    input: Input,
    line: Vec<u8>,
    /// Keys read.
    n_read: u64,
    /// Bytes read.
    n_bytes: u64,
    /// What the reader of the file should know, until it was asked for.
    warning: Option<String>,
    warned: bool,
    /// Whether the last key read ended without an LF.
    open_end: bool,
}

impl KeyReader {
    /// Opens a key file.
    ///
    /// # Errors
    ///
    /// When there is no such file, or it cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self::of(Input::open(path)?))
    }

    /// Reads the keys of an open file.
    pub(super) fn of(input: Input) -> Self {
        Self {
            input,
            line: Vec::new(),
            n_read: 0,
            n_bytes: 0,
            warning: None,
            warned: false,
            open_end: false,
        }
    }

    /// Whether the last key read ended without an LF.
    pub(super) fn open_end(&self) -> bool {
        self.open_end
    }

    /// Appends the next keys to `out`, at most `limit` of them and about 8 MiB, and returns how many.
    /// 0 means that the file has ended, unless `limit` is 0.
    ///
    /// # Errors
    ///
    /// When reading fails, or a key has more than [`MAX_KEY`] bytes.
    pub fn read(&mut self, out: &mut KeyBuf, limit: usize) -> Result<usize, Error> {
        let (mut n_keys, end) = (0, self.n_bytes + CHUNK);
        while n_keys < limit && self.n_bytes < end {
            self.line.clear();
            let read = (&mut self.input.reader)
                .take(MAX_KEY + 1)
                .read_until(b'\n', &mut self.line);
            match read {
                Ok(0) => break,
                Ok(read) => self.n_bytes += read as u64,
                Err(err) => return Err(self.input.error_at(self.n_read + 1, err)),
            }
            let key = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
            self.open_end = key.len() == self.line.len();
            if key.len() as u64 > MAX_KEY {
                let limit = MAX_KEY >> 20;
                return Err(self.input.error_at(
                    self.n_read + 1,
                    format_args!("expected a key of at most {limit} MiB, found a longer line"),
                ));
            }
            out.push(key);
            n_keys += 1;
            self.n_read += 1;
            if !self.warned {
                self.look_for_strays();
            }
        }
        Ok(n_keys)
    }

    /// Reads all keys that are left, to be held at once.
    ///
    /// # Errors
    ///
    /// As [`KeyReader::read`], and when the file has more than [`MAX_KEY_FILE`] bytes.
    pub fn read_all(&mut self) -> Result<KeyBuf, Error> {
        let mut keys = KeyBuf::new();
        while self.read(&mut keys, usize::MAX)? > 0 {
            if self.n_bytes > MAX_KEY_FILE {
                let limit = MAX_KEY_FILE >> 30;
                return Err(self.input.error(format_args!(
                    "expected at most {limit} GiB of keys, found more"
                )));
            }
        }
        Ok(keys)
    }

    /// Takes the one warning that the keys read so far gave cause for, if it was not taken before:
    /// that a byte order mark or a CR was kept.
    pub fn take_warning(&mut self) -> Option<String> {
        self.warning.take()
    }

    /// Notes the first byte order mark or CR, which a person who edits files may not see.
    fn look_for_strays(&mut self) {
        let stray = if self.n_read == 1 && self.line.starts_with(BOM) {
            "the byte order mark"
        } else if self.line.contains(&b'\r') {
            "the CR"
        } else {
            return;
        };
        self.warned = true;
        self.warning = Some(format!(
            "warning: {}:{}: {stray} is kept as part of the key, as every byte but LF is",
            self.input.name, self.n_read
        ));
    }
}

/// Reads all keys of a file, with the warning that they gave cause for.
///
/// # Errors
///
/// As [`KeyReader::open`] and [`KeyReader::read_all`].
pub fn read_keys(path: &Path) -> Result<(KeyBuf, Option<String>), Error> {
    let mut reader = KeyReader::open(path)?;
    let keys = reader.read_all()?;
    Ok((keys, reader.take_warning()))
}
