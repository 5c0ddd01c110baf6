//! Node files and key files. `-` is standard input.

use std::{
    collections::{HashMap, hash_map::Entry},
    io::{BufRead as _, Read as _},
    path::Path,
};

use router::{KeyBuf, NodeSpec};

use super::{Error, input::Input};

/// The most bytes that a node file may have: 64 MiB.
pub const MAX_NODE_FILE: u64 = 64 << 20;

/// The most bytes that a key may have: 64 MiB.
pub const MAX_KEY: u64 = 64 << 20;

/// The most bytes that a key file may have where all its keys are held at once: 1 GiB.
pub const MAX_KEY_FILE: u64 = 1 << 30;

/// The most bytes of keys that one [`KeyReader::read`] begins another key after.
const CHUNK: u64 = 8 << 20;

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads a node file: a node a line, `name` or `name<TAB>weight`, in joining order.
///
/// Empty lines and lines that begin with `#` are skipped; a CR at the end of a line and a byte order
/// mark at the beginning of the file are dropped. Every other byte belongs to the name: blanks,
/// colons and brackets too. A file without nodes is legal.
///
/// # Errors
///
/// When there is no such file, it cannot be read or has more than [`MAX_NODE_FILE`] bytes; a name or
/// weight that cannot be, or a name that was there before: with the number of the line.
pub fn read_nodes(path: &Path) -> Result<Vec<NodeSpec>, Error> {
    let mut input = Input::open(path)?;
    let mut bytes = Vec::new();
    let mut limited = (&mut input.reader).take(MAX_NODE_FILE + 1);
    if let Err(err) = limited.read_to_end(&mut bytes) {
        return Err(input.error(err));
    }
    if bytes.len() as u64 > MAX_NODE_FILE {
        let limit = MAX_NODE_FILE >> 20;
        return Err(input.error(format_args!(
            "expected a node file of at most {limit} MiB, found more"
        )));
    }
    let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    let mut nodes = Vec::new();
    let mut lines: HashMap<String, u64> = HashMap::new();
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let line = str::from_utf8(line).map_err(|_| {
            input.error_at(
                number,
                "expected name or name<TAB>weight in UTF-8, found other bytes",
            )
        })?;
        let node = NodeSpec::from_line(line).map_err(|err| input.error_at(number, err))?;
        match lines.entry(node.name.clone()) {
            Entry::Occupied(first) => {
                let (name, first) = (&node.name, first.get());
                return Err(input.error_at(
                    number,
                    format_args!("node {name:?} is there already, on line {first}"),
                ));
            }
            Entry::Vacant(place) => place.insert(number),
        };
        nodes.push(node);
    }
    Ok(nodes)
}

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
