//! Two data files row by row: which rows of one the other lacks.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use serde_json::Value;

/// The strategies whose rows are compared, by name without parameters; all where `None`.
pub type Only<'a> = Option<&'a BTreeSet<String>>;

/// The rows in which two data files differ.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Differing {
    /// Rows that were compared, of the first file.
    pub rows: u64,
    /// Rows of the first file that the second lacks: line and text.
    pub gone: Vec<(u64, String)>,
    /// Rows of the second file that the first lacks: line and text.
    pub new: Vec<(u64, String)>,
    /// Whether the rows are equal and the bytes are not: another order, or another way to write them.
    pub form: bool,
}

/// The longest text of a row that is told.
const TOLD: usize = 160;

impl Differing {
    /// Whether nothing differs.
    #[must_use]
    pub fn none(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty() && !self.form
    }

    /// The differing rows, at most `most` of them, each with its counterpart where it has one;
    /// `old` and `new` are what the two files are called.
    #[must_use]
    pub fn told(&self, most: usize, old: &str, new: &str) -> Vec<String> {
        let mut lines: Vec<String> = self
            .gone
            .iter()
            .take(most)
            .map(|(line, text)| match self.counterpart(text) {
                Some(other) => {
                    format!("line {line}: {old} {}, {new} {}", cut(text), cut(other))
                }
                None => format!("line {line}: {old} {}, {new} nothing", cut(text)),
            })
            .collect();
        if self.gone.is_empty() {
            let added = self.new.iter().take(most);
            lines
                .extend(added.map(|(line, text)| {
                    format!("line {line}: {old} nothing, {new} {}", cut(text))
                }));
        }
        if self.form {
            lines.push("equal rows in another order or form".to_owned());
        }
        lines
    }

    /// The new row that begins most like this one, if more than its first field does.
    fn counterpart(&self, text: &str) -> Option<&str> {
        let alike = |other: &str| {
            let pairs = text.bytes().zip(other.bytes());
            pairs.take_while(|(a, b)| a == b).count()
        };
        let rows = self.new.iter().map(|(_, other)| other.as_str());
        let best = rows.max_by_key(|other| alike(other))?;
        let first_field = text.find(',').unwrap_or(0);
        (alike(best) > first_field).then_some(best)
    }
}

fn cut(text: &str) -> String {
    let shown: String = text.chars().take(TOLD).collect();
    let dots = if shown.len() < text.len() { ".." } else { "" };
    format!("`{shown}{dots}`")
}

/// Compares the rows of a data file with those of another of the same name.
///
/// Rows are compared as text, in any order; `only` leaves out the rows of other strategies, and of
/// `strategies.json` the field `alike`, which names another strategy. Takes time proportional to both
/// files, times the logarithm of the rows.
///
/// # Errors
///
/// When one of them is not CSV or JSON, as its name says it is.
pub fn differing(path: &str, a: &[u8], b: &[u8], only: Only<'_>) -> anyhow::Result<Differing> {
    let read = |bytes| rows(path, bytes, only).with_context(|| format!("read {path}"));
    if a == b && only.is_none() {
        let rows = read(a)?.len() as u64;
        return Ok(Differing {
            rows,
            ..Differing::default()
        });
    }
    let (old, new) = (read(a)?, read(b)?);
    let gone = lacking(&old, &new);
    let added = lacking(&new, &old);
    Ok(Differing {
        rows: old.len() as u64,
        form: only.is_none() && gone.is_empty() && added.is_empty(),
        gone,
        new: added,
    })
}

/// The rows of `a` that `b` lacks, as often as it lacks them.
fn lacking(a: &[(u64, String)], b: &[(u64, String)]) -> Vec<(u64, String)> {
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, text) in b {
        *there.entry(text).or_default() += 1;
    }
    let missing = a.iter().filter(|(_, text)| match there.get_mut(&**text) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    });
    missing.cloned().collect()
}

/// The rows of a file as text, each with its line (of JSON: with its number).
fn rows(path: &str, bytes: &[u8], only: Only<'_>) -> anyhow::Result<Vec<(u64, String)>> {
    if path.ends_with(".json") {
        return entries(bytes, only);
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(bytes);
    let mut rows = Vec::new();
    let mut column = None;
    for (i, record) in reader.records().enumerate() {
        let record = record?;
        if i == 0 {
            column = record.iter().position(|name| name == "strategy");
        } else if let (Some(only), Some(column)) = (only, column)
            && !record.get(column).is_some_and(|it| is_one(only, it))
        {
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&record)?;
        let text = String::from_utf8(writer.into_inner()?)?;
        rows.push((line, text.trim_end().to_owned()));
    }
    Ok(rows)
}

/// The entries of a list in JSON, or the lines of anything else.
fn entries(bytes: &[u8], only: Only<'_>) -> anyhow::Result<Vec<(u64, String)>> {
    let Value::Array(entries) = serde_json::from_slice(bytes)? else {
        let text = std::str::from_utf8(bytes)?;
        let lines = text.lines().zip(1..).map(|(line, i)| (i, line.to_owned()));
        return Ok(lines.collect());
    };
    let mut rows = Vec::new();
    for (mut entry, i) in entries.into_iter().zip(1..) {
        if let Some(only) = only {
            if !entry["label"].as_str().is_some_and(|it| is_one(only, it)) {
                continue;
            }
            if let Some(fields) = entry.as_object_mut() {
                fields.remove("alike");
            }
        }
        rows.push((i, entry.to_string()));
    }
    Ok(rows)
}

/// Whether a spec is one of these strategies, whatever its parameters.
fn is_one(only: &BTreeSet<String>, spec: &str) -> bool {
    only.contains(spec.split(':').next().unwrap_or(spec))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &[u8] = b"strategy,n,mean\na,1,2\na:k=1,1,3\nb,1,\"4\n5\"\n";

    #[test]
    fn equal_rows() {
        let same = differing("x.csv", OLD, OLD, None).unwrap();
        assert!(same.none() && same.rows == 4);
        let other = b"strategy,n,mean\na:k=1,1,3\na,1,2\nb,1,\"4\n5\"\n";
        let order = differing("x.csv", OLD, other, None).unwrap();
        assert!(order.form && !order.none());
    }

    #[test]
    fn a_changed_row_is_told_with_its_line_and_counterpart() {
        let new = b"strategy,n,mean\na,1,2\na:k=1,1,9\nb,1,\"4\n5\"\n";
        let found = differing("x.csv", OLD, new, None).unwrap();
        let told = found.told(5, "was", "is");
        assert_eq!(told, ["line 3: was `a:k=1,1,3`, is `a:k=1,1,9`"]);
        let fewer = differing("x.csv", OLD, b"strategy,n,mean\na,1,2\n", None).unwrap();
        assert_eq!((fewer.gone.len(), fewer.new.len()), (2, 0));
        assert!(fewer.told(1, "was", "is")[0].ends_with("is nothing"));
        let more = differing("x.csv", b"strategy,n,mean\na,1,2\n", OLD, None).unwrap();
        assert_eq!(
            more.told(1, "was", "is"),
            ["line 3: was nothing, is `a:k=1,1,3`"]
        );
    }

    #[test]
    fn the_rows_of_some_strategies() {
        let only = BTreeSet::from(["a".to_owned()]);
        let new = b"strategy,n,mean\na:k=1,1,3\na,1,2\n";
        let found = differing("x.csv", OLD, new, Some(&only)).unwrap();
        assert!(found.none() && found.rows == 3, "{found:?}");
        let old = br#"[{"label": "a", "alike": "a"}, {"label": "b"}]"#;
        let new = br#"[{"label": "a", "alike": "c"}]"#;
        assert!(differing("s.json", old, new, Some(&only)).unwrap().none());
        assert!(!differing("s.json", old, new, None).unwrap().none());
    }
}
