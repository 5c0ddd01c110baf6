//! Rows to CSV and back: RFC 4180, LF, six significant digits, empty where undefined.

use std::path::Path;

use anyhow::Context as _;
use serde::{Serialize, de::DeserializeOwned};

use super::{ArcRow, ContractRow, CriterionRow, RawRow, Row, TimedRow};

/// A row whose numbers can be cut to six significant digits.
pub trait Rounded: Clone {
    /// The same row with six significant digits, and nothing where a number is not finite.
    #[must_use]
    fn rounded(&self) -> Self;
}

/// `value` with six significant digits.
#[must_use]
pub fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

pub(super) fn six(value: Option<f64>) -> Option<f64> {
    value.filter(|it| it.is_finite()).map(six_digits)
}

impl Rounded for Row {
    fn rounded(&self) -> Self {
        Self {
            mean: six(self.mean),
            sd: six(self.sd),
            p5: six(self.p5),
            p95: six(self.p95),
            vs_control: six(self.vs_control),
            vs_control_lo: six(self.vs_control_lo),
            vs_control_hi: six(self.vs_control_hi),
            reference: six(self.reference),
            expected: six(self.expected),
            z: six(self.z),
            noise_lo: six(self.noise_lo),
            noise_mean: six(self.noise_mean),
            noise_hi: six(self.noise_hi),
            ..self.clone()
        }
    }
}

impl Rounded for TimedRow {
    fn rounded(&self) -> Self {
        Self {
            median: six(self.median),
            lo: six(self.lo),
            hi: six(self.hi),
            ..self.clone()
        }
    }
}

impl Rounded for CriterionRow {
    fn rounded(&self) -> Self {
        Self {
            ns: six_digits(self.ns),
            lo: six_digits(self.lo),
            hi: six_digits(self.hi),
            ..self.clone()
        }
    }
}

impl Rounded for ArcRow {
    fn rounded(&self) -> Self {
        Self {
            start: six_digits(self.start),
            end: six_digits(self.end),
            ..self.clone()
        }
    }
}

impl Rounded for RawRow {
    fn rounded(&self) -> Self {
        Self {
            value: six(self.value),
            ..self.clone()
        }
    }
}

impl Rounded for ContractRow {
    fn rounded(&self) -> Self {
        self.clone()
    }
}

/// The rows as a CSV file with a header.
///
/// # Errors
///
/// When a row cannot be written as CSV, which no row type here can cause.
pub fn to_csv<R: Rounded + Serialize>(rows: &[R]) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row.rounded())?;
    }
    Ok(writer.into_inner()?)
}

/// The rows of a CSV file.
///
/// # Errors
///
/// Names the file, the line and what is wrong.
pub fn from_csv<R: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<R>> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("read {}", path.display()))?;
    reader
        .deserialize()
        .map(|row| row.with_context(|| format!("read {}", path.display())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_significant_digits() {
        assert_eq!(six_digits(0.012_345_678), 0.012_345_7);
        assert_eq!(six_digits(152_360.4), 152_360.0);
        assert_eq!(six_digits(0.0), 0.0);
        assert_eq!(six_digits(1.234_567_89e-9), 1.234_57e-9);
        assert_eq!(six(Some(f64::NAN)), None);
        assert_eq!(six(Some(f64::INFINITY)), None);
    }
}
