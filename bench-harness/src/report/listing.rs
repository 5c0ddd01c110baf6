//! `figures.json`: what can be cited, for programs.

use anyhow::Result;
use serde::Serialize;

use super::Cx;
use super::figure::Figure;
use crate::record::NewFile;

/// The whole file.
#[derive(Serialize)]
struct Listing<'a> {
    /// Program and version; by this word the file is known as one of ringmark's.
    made_by: String,
    command: &'a str,
    source_id: &'a str,
    date: &'a str,
    /// In the order of the pages.
    figures: Vec<Entry<'a>>,
}

/// A figure: what its caption and `<metadata>` say of it.
#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    file: String,
    title: &'a str,
    /// First 12 hex digits of the SHA-256 of the rows that it draws.
    rows: &'a str,
}

/// Makes the list of all figures.
pub(super) fn listing(cx: &Cx<'_>, figures: &[Figure]) -> Result<NewFile> {
    let run = &cx.data.run;
    let entries = figures.iter().map(|figure| Entry {
        id: &figure.id,
        file: figure.path(),
        title: &figure.title,
        rows: &figure.rows,
    });
    let listing = Listing {
        made_by: format!("ringmark {}", run.version),
        command: &run.command,
        source_id: &run.source_id,
        date: &run.date,
        figures: entries.collect(),
    };
    let mut json = serde_json::to_vec_pretty(&listing)?;
    json.push(b'\n');
    Ok(NewFile {
        path: "figures.json".to_owned(),
        bytes: json,
        // It says when.
        deterministic: false,
    })
}
