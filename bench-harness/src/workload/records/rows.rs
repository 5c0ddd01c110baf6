//! Rows of a CSV file: one column of keys, and columns of weights.

use super::{CHUNK_BYTES, Columns, Records};
use crate::workload::{
    Error,
    csv_input::{CsvInput, a_whole_number, whole},
    input::Input,
};

/// Reads rows.
pub(super) struct Rows {
    input: CsvInput,
    key: usize,
    bytes: Option<(usize, String)>,
    hits: Option<(usize, String)>,
}

impl Rows {
    /// Reads the first row and finds the columns in it.
    pub(super) fn open(input: Input, columns: &Columns) -> Result<Self, Error> {
        let input = CsvInput::open(input)?;
        let weight = |wanted: &Option<String>| -> Result<Option<(usize, String)>, Error> {
            let Some(wanted) = wanted else {
                return Ok(None);
            };
            Ok(Some((input.column(wanted)?, wanted.clone())))
        };
        Ok(Self {
            key: input.column(&columns.key)?,
            bytes: weight(&columns.bytes)?,
            hits: weight(&columns.hits)?,
            input,
        })
    }

    /// Appends the next rows to `out`, at most `limit` of them and about 8 MiB, and returns how many.
    pub(super) fn read(&mut self, out: &mut Records, limit: usize) -> Result<usize, Error> {
        let (mut n_rows, mut n_bytes) = (0, 0);
        while n_rows < limit && n_bytes < CHUNK_BYTES && self.input.next()? {
            let key = self.input.field(self.key);
            n_bytes += key.len();
            out.keys.push(key);
            for (column, weights) in [(&self.bytes, &mut out.bytes), (&self.hits, &mut out.hits)] {
                if let Some((place, column)) = column {
                    let weight = whole(self.input.field(*place));
                    let fault = || self.input.unexpected(column, *place, &a_whole_number());
                    weights.push(weight.ok_or_else(fault)?);
                }
            }
            n_rows += 1;
        }
        Ok(n_rows)
    }
}
