//! The rows of the experiments' files: claims with their verdicts, and the series of the charts.

use serde::{Deserialize, Serialize};

use super::{Rounded, six_digits};

/// What became of a published claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// Measured, and equal within the tolerance.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Measured, and not equal; the reason says why.
    #[serde(rename = "differs")]
    Differs,
    /// Cannot be held against anything here; the reason says why.
    #[serde(rename = "not checkable")]
    NotCheckable,
}

impl Verdict {
    /// Its name in the files and on the pages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::NotCheckable => "not checkable",
        }
    }
}

/// A row of `experiment-NAME.csv` and `timed-NAME.csv`: a published claim beside what was measured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClaimRow {
    /// What is claimed.
    pub claim: String,
    /// What was published: a number, or words.
    pub published: String,
    /// What was measured; empty where nothing could be.
    pub measured: String,
    /// Unit of both.
    pub unit: String,
    /// How far they may lie apart: `exact`, or an amount or a share.
    pub tolerance: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Why, where it is not simply reproduced.
    pub reason: String,
}

/// A row of `experiment-NAME-SERIES.csv`: a point of a curve, a bar, or a line of text.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct SeriesRow {
    /// Which curve, or which group of bars.
    pub series: String,
    /// What the point is called, where it has a name.
    pub label: String,
    /// Where it stands.
    pub x: Option<f64>,
    /// Its value.
    pub value: Option<f64>,
    /// Lower end of the band that chance alone gives, where there is one.
    pub lo: Option<f64>,
    /// Upper end of it.
    pub hi: Option<f64>,
    /// Unit of value, lo and hi.
    pub unit: String,
    /// A line as the document's program prints it.
    pub text: String,
}

impl SeriesRow {
    /// A point of a curve.
    #[must_use]
    pub fn point(series: &str, x: f64, value: f64, unit: &str) -> Self {
        Self {
            series: series.to_owned(),
            x: Some(x),
            value: Some(value),
            unit: unit.to_owned(),
            ..Self::default()
        }
    }

    /// Mean, least and most of some values, which have no name yet; nothing where there is none.
    #[must_use]
    pub fn spanned(values: &[f64]) -> Option<Self> {
        (!values.is_empty()).then(|| Self {
            value: Some(values.iter().sum::<f64>() / values.len() as f64),
            lo: values.iter().copied().reduce(f64::min),
            hi: values.iter().copied().reduce(f64::max),
            ..Self::default()
        })
    }

    /// A line of text, by its number.
    #[must_use]
    pub fn line(series: &str, number: usize, text: &str) -> Self {
        Self {
            series: series.to_owned(),
            x: Some(number as f64),
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// The same with a name.
    #[must_use]
    pub fn named(self, label: &str) -> Self {
        Self {
            label: label.to_owned(),
            ..self
        }
    }
}

impl Rounded for ClaimRow {
    fn rounded(&self) -> Self {
        self.clone()
    }
}

impl Rounded for SeriesRow {
    fn rounded(&self) -> Self {
        let six = |value: Option<f64>| value.filter(|it| it.is_finite()).map(six_digits);
        Self {
            x: six(self.x),
            value: six(self.value),
            lo: six(self.lo),
            hi: six(self.hi),
            ..self.clone()
        }
    }
}
