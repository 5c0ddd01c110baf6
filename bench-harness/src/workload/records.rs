//! Keys with what they weigh: lines, or rows of a CSV file, plain or packed, piece by piece.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use router::KeyBuf;

use super::{
    Error, KeyReader, MAX_KEY_FILE,
    input::{Input, Meter, begins_with, shown},
};

mod notes;
mod once;
#[cfg(not(feature = "parquet"))]
#[path = "records/no_parquet.rs"]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;

use notes::Notes;
use once::Once;
use parquet::ParquetRows;
use rows::Rows;

/// Keys that are read at once: enough for a sweep over a ring to pay, few enough to stay small.
const CHUNK: usize = 1 << 16;

/// The most bytes of keys after which another row is read before they are handed on.
const CHUNK_BYTES: usize = 8 << 20;

/// What a Parquet file begins with.
const PARQUET: &[u8] = b"PAR1";

/// Keys, and what each weighs where the file says so.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// The keys.
    pub keys: KeyBuf,
    /// Bytes stored under each key; empty where the file has no such column.
    pub bytes: Vec<u64>,
    /// Requests for each key; empty where the file has no such column.
    pub hits: Vec<u64>,
}

impl Records {
    /// Drops all keys and keeps the memory.
    fn clear(&mut self) {
        self.keys.clear();
        self.bytes.clear();
        self.hits.clear();
    }

    /// The keys with these places, in this order.
    fn picked(&self, places: &[usize]) -> Self {
        let keys = self.keys.keys();
        let weights = |all: &[u64]| match all.is_empty() {
            true => Vec::new(),
            false => places.iter().map(|&i| all[i]).collect(),
        };
        Self {
            keys: places.iter().map(|&i| keys.get(i)).collect(),
            bytes: weights(&self.bytes),
            hits: weights(&self.hits),
        }
    }
}

/// The columns of a CSV or Parquet file that hold keys and weights, by their names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns {
    /// The column of the keys.
    pub key: String,
    /// The column of the bytes stored under each key.
    pub bytes: Option<String>,
    /// The column of the requests for each key.
    pub hits: Option<String>,
}

/// Reads keys and weights piece by piece, in constant memory.
///
/// Without columns a key is a line, as [`KeyReader`] reads it. With columns the file is CSV (RFC
/// 4180) with a first row of names; a byte order mark in front of it and empty lines in it are
/// dropped, and every byte of a field belongs to the key. What begins like gzip or zstd is unpacked.
/// A file that begins like Parquet is read as that, where the feature `parquet` is built in: text and
/// bytes are keys as they are, whole numbers by their digits.
pub struct RecordReader {
    source: Source,
    meter: Meter,
    notes: Notes,
    once: Option<Once>,
    /// Whether all keys have been dealt to `once`.
    dealt: bool,
}

enum Source {
    Lines(KeyReader),
    Rows(Rows),
    Parquet(ParquetRows),
}

impl RecordReader {
    /// Opens a file of keys, or standard input where `path` is `-`.
    ///
    /// # Errors
    ///
    /// When there is no such file, it cannot be read, or it has no such column.
    pub fn open(path: &Path, columns: Option<&Columns>) -> Result<Self, Error> {
        let (name, source, meter) = if begins_with(path, PARQUET) {
            let name = shown(path);
            let columns = columns.ok_or_else(|| {
                Error::new(format!(
                    "{name}: expected the name of its column of keys, since it is Parquet; found none"
                ))
            })?;
            let (rows, meter) = ParquetRows::open(path, &name, columns)?;
            (name, Source::Parquet(rows), meter)
        } else {
            let (input, meter) = Input::open_unpacked(path)?;
            let name = input.name.clone();
            let source = match columns {
                None => Source::Lines(KeyReader::of(input)),
                Some(columns) => Source::Rows(Rows::open(input, columns)?),
            };
            (name, source, meter)
        };
        let notes = Notes::new(&name, columns.is_some());
        Ok(Self {
            source,
            meter,
            notes,
            once: None,
            dealt: false,
        })
    }

    /// Gives every key only once, the first time that it comes, with the weights that it has there.
    ///
    /// Exact; needs room for all keys in the folder of temporary files, and some 32 MiB of memory.
    /// [`RecordReader::read`] then gives the keys in another order, [`RecordReader::read_all`] in
    /// that of the file.
    ///
    /// # Errors
    ///
    /// When there is no room for temporary files.
    pub fn distinct(mut self) -> Result<Self, Error> {
        self.once = Some(Once::new()?);
        Ok(self)
    }

    /// Puts the next keys into `out`, at most some 65,000 of them and about 8 MiB, and returns how
    /// many. 0 means that the file has ended.
    ///
    /// # Errors
    ///
    /// When reading fails, a key or row is longer than [`super::MAX_KEY`], a row has another number
    /// of fields than the first, or a weight is no whole number: with the number of the line.
    pub fn read(&mut self, out: &mut Records) -> Result<usize, Error> {
        self.read_numbered(out, &mut Vec::new())
    }

    /// As [`RecordReader::read`]; where keys come only once, `numbers` gets their places in the file.
    fn read_numbered(&mut self, out: &mut Records, numbers: &mut Vec<u64>) -> Result<usize, Error> {
        let Some(mut once) = self.once.take() else {
            return self.read_each(out);
        };
        while !self.dealt {
            self.dealt = self.read_each(out)? == 0;
            once.deal(out)?;
        }
        out.clear();
        numbers.clear();
        once.read(out, numbers, CHUNK)?;
        self.once = Some(once);
        Ok(numbers.len())
    }

    /// Reads the next keys of the file, every one of them.
    fn read_each(&mut self, out: &mut Records) -> Result<usize, Error> {
        out.clear();
        let n = match &mut self.source {
            Source::Lines(reader) => {
                let n = reader.read(&mut out.keys, CHUNK)?;
                self.notes.open_end = reader.open_end();
                n
            }
            Source::Rows(rows) => rows.read(out, CHUNK)?,
            Source::Parquet(rows) => rows.read(out, CHUNK)?,
        };
        self.notes.look(out.keys.keys());
        self.notes.cut_off = self.meter.cut_off.load(Ordering::Relaxed);
        Ok(n)
    }

    /// Reads all keys that are left, to be held at once.
    ///
    /// # Errors
    ///
    /// As [`RecordReader::read`], and when there are more than [`MAX_KEY_FILE`] bytes of keys.
    pub fn read_all(&mut self) -> Result<Records, Error> {
        let (mut all, mut some) = (Records::default(), Records::default());
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        let mut n_bytes = 0;
        while self.read_numbered(&mut some, &mut numbers)? > 0 {
            for key in some.keys.keys().iter() {
                n_bytes += key.len() as u64;
                all.keys.push(key);
            }
            all.bytes.append(&mut some.bytes);
            all.hits.append(&mut some.hits);
            places.append(&mut numbers);
            if n_bytes > MAX_KEY_FILE {
                let (name, limit) = (self.notes.name(), MAX_KEY_FILE >> 30);
                return Err(Error::new(format!(
                    "{name}: expected at most {limit} GiB of keys, found more"
                )));
            }
        }
        // Numbers are there only where keys come out of order.
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_unstable_by_key(|&i| places[i]);
        Ok(match order.is_empty() {
            true => all,
            false => all.picked(&order),
        })
    }

    /// What a person should know of the file as far as it was read, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.sentences();
        let once = self.once.as_ref().map(Once::sentence);
        notes.extend(once.map(|it| format!("{}: {it}", self.notes.name())));
        notes
    }

    /// Bytes of the file, packed as it is; unknown for a pipe.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.meter.size
    }

    /// How many bytes of the file were read, which goes on counting.
    #[must_use]
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.meter.read)
    }
}
