//! Rows of a CSV file with a first row of names, whichever columns are wanted of it.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use csv::{ByteRecord, ErrorKind};

use super::{Error, MAX_KEY, input::Input};

/// Reads rows.
pub(super) struct CsvInput {
    name: String,
    reader: csv::Reader<Limited>,
    left: Arc<AtomicU64>,
    header: Vec<String>,
    row: ByteRecord,
}

impl CsvInput {
    /// Reads the first row.
    pub(super) fn open(input: Input) -> Result<Self, Error> {
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
        Ok(Self {
            name,
            reader,
            left,
            header,
            row: ByteRecord::new(),
        })
    }

    /// The place of the one column with this name.
    pub(super) fn column(&self, wanted: &str) -> Result<usize, Error> {
        find_column(&format!("{}:1", self.name), &self.header, wanted)
    }

    /// Reads the next row; false at the end. Every row has as many fields as the first.
    pub(super) fn next(&mut self) -> Result<bool, Error> {
        self.left.store(MAX_KEY, Ordering::Relaxed);
        let read = self.reader.read_byte_record(&mut self.row);
        read.map_err(|err| fault(&self.name, err))
    }

    /// A field of the row that was read last.
    pub(super) fn field(&self, place: usize) -> &[u8] {
        &self.row[place]
    }

    /// The line of the row that was read last.
    pub(super) fn line(&self) -> u64 {
        self.row.position().map_or(0, csv::Position::line)
    }

    /// That a field of this row is not what it should be: the column, and what was expected.
    pub(super) fn unexpected(&self, column: &str, place: usize, expected: &str) -> Error {
        let found = String::from_utf8_lossy(self.field(place));
        self.fault(format_args!(
            "{column}: expected {expected}, found {found:?}"
        ))
    }

    /// What is wrong with this row.
    pub(super) fn fault(&self, what: impl std::fmt::Display) -> Error {
        Error::new(format!("{}:{}: {what}", self.name, self.line()))
    }
}

/// The place of the one column with this name; `place` says where the names stand.
pub(super) fn find_column(place: &str, columns: &[String], wanted: &str) -> Result<usize, Error> {
    let mut places = (0..columns.len()).filter(|&place| columns[place] == wanted);
    let found = places.next().ok_or_else(|| {
        let there: Vec<String> = columns.iter().map(|it| format!("{it:?}")).collect();
        let there = there.join(", ");
        Error::new(format!(
            "{place}: expected a column {wanted:?}, found {there}"
        ))
    })?;
    if places.next().is_some() {
        return Err(Error::new(format!(
            "{place}: expected one column {wanted:?}, found two"
        )));
    }
    Ok(found)
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

/// A whole number, digits only.
pub(super) fn whole(field: &[u8]) -> Option<u64> {
    let digits = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let text = str::from_utf8(field).ok()?;
    text.parse().ok().filter(|_| digits)
}

/// What [`whole`] reads, in words.
pub(super) fn a_whole_number() -> String {
    format!("a whole number from 0 to {}", u64::MAX)
}

/// Seconds, from 0: digits, with a fraction or without.
pub(super) fn seconds(field: &[u8]) -> Option<f64> {
    let plain = field.iter().all(|&it| it.is_ascii_digit() || it == b'.');
    let text = str::from_utf8(field).ok()?;
    let seconds: f64 = text.parse().ok()?;
    (plain && seconds.is_finite()).then_some(seconds)
}

/// What [`seconds`] reads, in words.
pub(super) const SECONDS: &str = "seconds from 0, as 12.5";
