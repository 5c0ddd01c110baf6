//! What others cite: the list of figures, and how to name the program.

use std::fs;
use std::path::Path;

use bench_harness::report::Report;
use serde_json::Value;

use crate::report_fixture::{Fixture, charts, text};
use crate::report_svg::metadata;

/// `figures.json` lists every chart once, with the id, title and rows that the chart itself bears.
#[track_caller]
pub(crate) fn check_listing(report: &Report) {
    let listing: Value = serde_json::from_str(text(report, "figures.json")).expect("it is JSON");
    let listed = listing["figures"].as_array().expect("it has figures");
    let mut files: Vec<&str> = Vec::new();
    for entry in listed {
        let field = |name: &str| entry[name].as_str().expect("it is text");
        let svg = text(report, field("file"));
        assert_eq!(metadata(svg, "figure"), field("id"));
        assert_eq!(metadata(svg, "rows"), field("rows"));
        assert_eq!(field("rows").len(), 12);
        let title = roxmltree::Document::parse(svg).expect("it is XML");
        let title = title.descendants().find(|it| it.has_tag_name("title"));
        let title = title.and_then(|it| it.text()).expect("it has a title");
        let shown = |text: &str| text.replace(|c: char| c.is_control(), "\u{fffd}");
        assert_eq!(shown(title), shown(field("title")));
        files.push(field("file"));
    }
    let drawn: Vec<&str> = charts(report).map(|it| it.0).collect();
    assert_eq!(files, drawn);
}

#[test]
fn the_list_of_figures_says_what_made_them() {
    let report = Fixture::standard().report();
    check_listing(&report);
    let listing: Value = serde_json::from_str(text(&report, "figures.json")).unwrap();
    let figure = charts(&report).next().unwrap().1;
    assert_eq!(listing["command"], metadata(figure, "command").as_str());
    let page = text(&report, "README.md");
    let source = listing["source_id"].as_str().unwrap();
    assert!(!source.is_empty() && page.contains(source));
}

#[test]
fn the_citation_names_this_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let citation = fs::read_to_string(root.join("CITATION.cff")).unwrap();
    let version = format!("version: {}", env!("CARGO_PKG_VERSION"));
    assert!(citation.lines().any(|line| line == version), "{citation}");
    assert!(citation.starts_with("cff-version: 1.2.0\n"));
    let page = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(page.contains("(CITATION.cff)"));
}
