//! Makes charts and pages from the files of a run; measures nothing.
//!
//! ```text
//!   run.json, data/*  ->  Data  ->  Field (who is compared, under which names)
//!                           \         |
//!                            charts: rows or panels, each a Figure
//!                                     |
//!                            charts/*.svg, figures.json, README.md, index.html
//! ```
//!
//! What lies in a plot of two axes (grid, lines, areas) is plotted by plotters, on the axes of
//! `scale`, which are coordinates of plotters. It draws through a backend of ours, `backend`, with
//! the same `pen` that draws the rest: heads, captions, rows of bars and marks, and the labels that
//! must keep apart. The SVG backend of plotters would not do: it writes no titles, no metadata, no
//! dashes and no hatches, has whole pixels only, and cannot tell how wide a text becomes.
//!
//! The same files give the same bytes, on every machine and on every day: there is no clock here,
//! no font and no network.

mod absent;
mod agreement;
mod backend;
mod charts;
mod data;
mod experiments;
mod field;
mod figure;
mod listing;
mod number;
mod page;
mod panels;
mod pen;
mod plan;
mod plane;
mod race;
mod rows;
mod scale;
mod scope;
mod style;
mod table;
mod tables;

use std::path::Path;

use anyhow::Result;

use crate::record::NewFile;
pub use plan::draw_plan;

use data::Data;
use field::Field;
use scope::Scope;

/// A report, not yet written anywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Its charts and pages.
    pub files: Vec<NewFile>,
    /// What a reader should know about the input, one sentence each; the pages say it too.
    pub warnings: Vec<String>,
}

/// Makes the charts and pages of the run in folder `from`: `charts/*.svg`, `figures.json`,
/// `README.md`, `index.html`, and `experiments/*.md` where experiments were run.
///
/// A data file that is not there leaves its charts out, and the pages say so. Takes time linear in
/// the rows, well below a second for a standard run.
///
/// # Errors
///
/// When `run.json` is not there, or a file is not what its name says; the error names the file,
/// the line where there is one, and what is wrong.
pub fn render(from: &Path) -> Result<Report> {
    let data = Data::read(from)?;
    let cx = Cx {
        field: &Field::new(&data),
        data: &data,
        scope: Scope::All,
    };
    let (mut figures, left_out) = charts::all(&cx);
    for family in cx.families() {
        figures.extend(charts::of_family(&cx, family));
    }
    let pages = page::pages(&cx, &figures, &left_out)?;
    let listing = listing::listing(&cx, &figures)?;
    let charts = figures.into_iter().map(|figure| NewFile {
        path: figure.path(),
        deterministic: !figure.timed,
        bytes: figure.svg.into_bytes(),
    });
    Ok(Report {
        files: charts.chain([listing]).chain(pages).collect(),
        warnings: data.warnings,
    })
}

/// The size that charts of a single size show, where it was measured: a cluster of the size that
/// most people run.
const FOCUS: u64 = 40;

/// What every chart is made from.
#[derive(Clone, Copy)]
struct Cx<'a> {
    data: &'a Data,
    field: &'a Field,
    scope: Scope<'a>,
}
