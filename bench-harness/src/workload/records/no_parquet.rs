//! Stands in for the reader of Parquet files where it was not built in.

use std::path::Path;

use super::{Columns, Records};
use crate::workload::{Error, input::Meter};

/// Nothing: there is no such reader.
pub(super) enum ParquetRows {}

impl ParquetRows {
    /// Says what is missing.
    pub(super) fn open(_: &Path, name: &str, _: &Columns) -> Result<(Self, Meter), Error> {
        Err(Error::new(format!(
            "{name}: this is Parquet, which this build does not read: build with --features parquet"
        )))
    }

    /// Never called: none can be made.
    pub(super) fn read(&mut self, _: &mut Records, _: usize) -> Result<usize, Error> {
        match *self {}
    }
}
