//! Rows of a CSV file: one column of keys, and columns of weights.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use csv::{ByteRecord, ErrorKind};

use super::{CHUNK_BYTES, Columns, Records, find};
use crate::workload::{Error, MAX_KEY, input::Input};

/// Reads rows.
pub(super) struct Rows {
    name: String,
    reader: csv::Reader<Limited>,
    left: Arc<AtomicU64>,
    row: ByteRecord,
    key: usize,
    bytes: Option<(usize, String)>,
    hits: Option<(usize, String)>,
}

impl Rows {
    /// Reads the first row and finds the columns in it.
    pub(super) fn open(input: Input, columns: &Columns) -> Result<Self, Error> {
        let left = Arc::new(AtomicU64::new(MAX_KEY));
        let limited = Limited {
            inner: input.reader,
            left: Arc::clone(&left),
        };
        let mut reader = csv::ReaderBuilder::new().from_reader(limited);
        let name = input.name;
        let header = reader.byte_headers().map_err(|err| fault(&name, err))?;
        let header: Vec<String> = header
            .iter()
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect();
        let place = |wanted: &String| find(&format!("{name}:1"), &header, wanted);
        let weight = |wanted: &Option<String>| -> Result<Option<(usize, String)>, Error> {
            let Some(wanted) = wanted else {
                return Ok(None);
            };
            Ok(Some((place(wanted)?, wanted.clone())))
        };
        Ok(Self {
            key: place(&columns.key)?,
            bytes: weight(&columns.bytes)?,
            hits: weight(&columns.hits)?,
            name,
            reader,
            left,
            row: ByteRecord::new(),
        })
    }

    /// Appends the next rows to `out`, at most `limit` of them and about 8 MiB, and returns how many.
    pub(super) fn read(&mut self, out: &mut Records, limit: usize) -> Result<usize, Error> {
        let (mut n_rows, mut n_bytes) = (0, 0);
        while n_rows < limit && n_bytes < CHUNK_BYTES {
            self.left.store(MAX_KEY, Ordering::Relaxed);
            match self.reader.read_byte_record(&mut self.row) {
                Ok(true) => {}
                Ok(false) => break,
                Err(err) => return Err(fault(&self.name, err)),
            }
            // Every row has as many fields as the first, or reading it failed.
            let key = &self.row[self.key];
            n_bytes += key.len();
            out.keys.push(key);
            for (column, weights) in [(&self.bytes, &mut out.bytes), (&self.hits, &mut out.hits)] {
                if let Some((place, column)) = column {
                    let weight = whole(&self.row[*place]).ok_or_else(|| {
                        let line = self.row.position().map_or(0, csv::Position::line);
                        let field = String::from_utf8_lossy(&self.row[*place]);
                        Error::new(format!(
                            "{}:{line}: {column}: expected a whole number from 0 to {}, found {field:?}",
                            self.name,
                            u64::MAX
                        ))
                    })?;
                    weights.push(weight);
                }
            }
            n_rows += 1;
        }
        Ok(n_rows)
    }
}

/// A whole number, digits only.
fn whole(field: &[u8]) -> Option<u64> {
    let digits = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let text = str::from_utf8(field).ok()?;
    text.parse().ok().filter(|_| digits)
}

/// What went wrong, and where.
fn fault(name: &str, err: csv::Error) -> Error {
    let line = err.position().map_or(1, csv::Position::line);
    Error::new(match err.kind() {
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!(
                "{name}:{line}: expected {expected_len} fields as in the first row, found {len}"
            )
        }
        _ => format!("{name}: {err}"),
    })
}

/// A reader that fails when a single row takes too many bytes: a quote that is never closed would
/// otherwise make a row of the whole file.
struct Limited {
    inner: Box<dyn io::BufRead + Send>,
    /// Bytes that may be read before the next row begins.
    left: Arc<AtomicU64>,
}

impl Read for Limited {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            let limit = MAX_KEY >> 20;
            return Err(io::Error::other(format!(
                "expected rows of at most {limit} MiB, found a longer one; is a quote not closed?"
            )));
        }
        let most = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let n = self.inner.read(&mut out[..most])?;
        self.left.fetch_sub(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
