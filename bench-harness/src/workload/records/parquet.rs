//! Rows of a Parquet file: one column of keys, and columns of weights.
//!
//! Its end says where everything lies, so it is read from a file, never from a pipe.

use std::{
    fs::File,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parquet::{
    basic::Repetition,
    errors::ParquetError,
    file::reader::{FileReader, SerializedFileReader},
    record::{Field, Row, reader::RowIter},
    schema::types::Type,
};

use super::{CHUNK_BYTES, Columns, Records};
use crate::workload::{
    Error, MAX_KEY,
    csv_input::{a_whole_number, find_column},
    input::Meter,
};

/// Reads rows.
pub(super) struct ParquetRows {
    name: String,
    rows: RowIter<'static>,
    /// Where the key and the weights stand in a row.
    key: usize,
    bytes: Option<(usize, String)>,
    hits: Option<(usize, String)>,
    n_rows: i64,
    n_read: i64,
    size: u64,
    bytes_read: Arc<AtomicU64>,
}

impl ParquetRows {
    /// Opens a file and finds the columns.
    pub(super) fn open(path: &Path, name: &str, columns: &Columns) -> Result<(Self, Meter), Error> {
        let failed = |err: ParquetError| fault(name, &err);
        let file = File::open(path).map_err(|err| Error::new(format!("{name}: {err}")))?;
        let size = file.metadata().map_or(0, |about| about.len());
        let reader = SerializedFileReader::new(file).map_err(failed)?;
        let about = reader.metadata().file_metadata();
        let n_rows = about.num_rows();
        let all = about.schema().get_fields();
        let names: Vec<String> = all.iter().map(|it| it.name().to_owned()).collect();
        let mut picked: Vec<usize> = Vec::new();
        // A column may be both the key and a weight: it is read once.
        let mut pick = |wanted: &String| {
            let place = find_column(name, &names, wanted)?;
            let about = all[place].get_basic_info();
            let repeated = about.has_repetition() && about.repetition() == Repetition::REPEATED;
            if repeated || !all[place].is_primitive() {
                return Err(Error::new(format!(
                    "{name}: column {wanted:?}: expected single values, found nested ones"
                )));
            }
            Ok(match picked.iter().position(|it| *it == place) {
                Some(found) => found,
                None => {
                    picked.push(place);
                    picked.len() - 1
                }
            })
        };
        let key = pick(&columns.key)?;
        let mut weight = |wanted: &Option<String>| -> Result<Option<(usize, String)>, Error> {
            let Some(wanted) = wanted else {
                return Ok(None);
            };
            Ok(Some((pick(wanted)?, wanted.clone())))
        };
        let (bytes, hits) = (weight(&columns.bytes)?, weight(&columns.hits)?);
        let only = Type::group_type_builder(about.schema().name())
            .with_fields(picked.iter().map(|&it| Arc::clone(&all[it])).collect())
            .build()
            .map_err(failed)?;
        let rows = RowIter::from_file_into(Box::new(reader));
        let rows = rows.project(Some(only)).map_err(failed)?;
        let meter = Meter::of_file(size);
        let it = Self {
            name: name.to_owned(),
            rows,
            key,
            bytes,
            hits,
            n_rows,
            n_read: 0,
            size,
            bytes_read: Arc::clone(&meter.read),
        };
        Ok((it, meter))
    }

    /// Appends the next rows to `out`, at most `limit` of them and about 8 MiB, and returns how many.
    pub(super) fn read(&mut self, out: &mut Records, limit: usize) -> Result<usize, Error> {
        let (mut n_rows, mut n_bytes) = (0, 0);
        while n_rows < limit && n_bytes < CHUNK_BYTES {
            let Some(row) = self.rows.next() else { break };
            let row = row.map_err(|err| fault(&self.name, &err))?;
            self.n_read += 1;
            n_bytes += self.take(&row, out)?;
            n_rows += 1;
        }
        // How far the file itself was read is the library's; the share of the rows says as much.
        let share = self.n_read as f64 / self.n_rows.max(1) as f64;
        let read = (share * self.size as f64) as u64;
        self.bytes_read.store(read, Ordering::Relaxed);
        Ok(n_rows)
    }

    /// Appends one row, and returns the length of its key.
    fn take(&self, row: &Row, out: &mut Records) -> Result<usize, Error> {
        let refused = |column: &str, expected: &str, found: &Field| {
            let (name, number) = (&self.name, self.n_read);
            Error::new(format!(
                "{name}: row {number}: {column}: expected {expected}, found {found}"
            ))
        };
        let field = |place: usize| row.get_column_iter().nth(place).map(|(_, field)| field);
        let mut n_bytes = 0;
        if let Some(field) = field(self.key) {
            let expected = "text, bytes or a whole number";
            let digits;
            let key = match field {
                Field::Str(text) => text.as_bytes(),
                Field::Bytes(bytes) => bytes.data(),
                _ => match whole(field) {
                    Some(number) => {
                        digits = number.to_string();
                        digits.as_bytes()
                    }
                    None => return Err(refused("key", expected, field)),
                },
            };
            n_bytes = key.len();
            if n_bytes as u64 > MAX_KEY {
                let (name, number, limit) = (&self.name, self.n_read, MAX_KEY >> 20);
                return Err(Error::new(format!(
                    "{name}: row {number}: expected keys of at most {limit} MiB, found one of {n_bytes} bytes"
                )));
            }
            out.keys.push(key);
        }
        for (column, weights) in [(&self.bytes, &mut out.bytes), (&self.hits, &mut out.hits)] {
            let Some((place, column)) = column else {
                continue;
            };
            if let Some(field) = field(*place) {
                let weight = whole(field).and_then(|it| u64::try_from(it).ok());
                let expected = a_whole_number();
                weights.push(weight.ok_or_else(|| refused(column, &expected, field))?);
            }
        }
        Ok(n_bytes)
    }
}

/// A whole number of any width.
fn whole(field: &Field) -> Option<i128> {
    Some(match *field {
        Field::Byte(it) => it.into(),
        Field::Short(it) => it.into(),
        Field::Int(it) => it.into(),
        Field::Long(it) => it.into(),
        Field::UByte(it) => it.into(),
        Field::UShort(it) => it.into(),
        Field::UInt(it) => it.into(),
        Field::ULong(it) => it.into(),
        _ => return None,
    })
}

/// What went wrong.
fn fault(name: &str, err: &ParquetError) -> Error {
    Error::new(format!("{name}: {err}"))
}
