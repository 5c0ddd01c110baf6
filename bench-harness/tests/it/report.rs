//! The report: charts that are well laid out, honest about odd data and the same for the same rows.

use std::collections::BTreeSet;
use std::fs;

use bench_harness::record::{MadeBy, Row, Status};
use bench_harness::report;
use sha2::{Digest, Sha256};

use crate::report_cited::check_listing;
use crate::report_fixture::{Fixture, Made, charts, row, text};
use crate::report_svg::{self, looks, metadata, texts};

/// All charts of a full run.
const CHARTS: [&str; 15] = [
    "charts/balance-evenness.svg",
    "charts/balance-key-sets.svg",
    "charts/balance-points.svg",
    "charts/balance-popularity.svg",
    "charts/balance-ring.svg",
    "charts/build-times.svg",
    "charts/lookup-criterion.svg",
    "charts/lookup-nodes.svg",
    "charts/lookup-work.svg",
    "charts/memory-bytes.svg",
    "charts/movement-curve.svg",
    "charts/overview-busiest.svg",
    "charts/overview-lookup.svg",
    "charts/overview-movement.svg",
    "charts/overview-survival.svg",
];
/// Those that depend on the machine and the day.
const TIMED: [&str; 4] = [
    "charts/build-times.svg",
    "charts/lookup-criterion.svg",
    "charts/lookup-nodes.svg",
    "charts/overview-lookup.svg",
];
/// Names that break charts and pages elsewhere.
const HOSTILE: [&str; 13] = [
    "A & B <script>alert(1)</script>",
    "<1%",
    "x\"y'z",
    "]]>",
    "&amp;",
    "one\u{1}two",
    "Jan's ring",
    "back\\",
    "two\nlines",
    "</script>",
    "line\u{2028}break",
    "a|b,c `d` *e* [f](g) \u{1f680}",
    "-->",
];

/// Checks every chart of the report of `fixture`, and that both pages are there.
#[track_caller]
pub(crate) fn check_all(fixture: &Fixture) -> bench_harness::report::Report {
    let report = fixture.report();
    for (path, svg) in charts(&report) {
        report_svg::check(path, svg);
    }
    check_html(text(&report, "index.html"));
    check_markdown(text(&report, "README.md"));
    check_listing(&report);
    report
}

/// The page is well formed: it is written so that an XML parser reads it.
#[track_caller]
pub(crate) fn check_html(page: &str) {
    let (first, rest) = page.split_once('\n').expect("more than one line");
    assert!(
        first.starts_with("<!doctype html><!-- Made by ringmark"),
        "{first}"
    );
    let doc = roxmltree::Document::parse(rest).unwrap_or_else(|e| panic!("index.html: {e}"));
    let mut ids = BTreeSet::new();
    for node in doc.descendants() {
        if node.tag_name().name() == "script" {
            let script = node.text().unwrap_or_default();
            for asking in ["http", "fetch", "import", "XMLHttp", "WebSocket"] {
                assert!(
                    !script.contains(asking),
                    "a script that may ask the network"
                );
            }
        }
        for attribute in node.attributes() {
            let remote = attribute.value().contains("//") && attribute.name() != "title";
            assert!(!remote, "{} asks the network", attribute.value());
        }
        if let Some(id) = node.attribute("id") {
            assert!(ids.insert(id), "id {id} twice");
        }
    }
    for node in doc.descendants() {
        if let Some(target) = node.attribute("href") {
            assert!(
                ids.contains(target.trim_start_matches('#')),
                "dead link {target}"
            );
        }
    }
}

/// Every table has the same number of cells in all its rows.
#[track_caller]
pub(crate) fn check_markdown(page: &str) {
    assert!(page.starts_with("<!-- Made by ringmark"), "{}", &page[..60]);
    let mut cells = None;
    for line in page.lines() {
        if !line.starts_with('|') {
            cells = None;
            continue;
        }
        let found = line.matches('|').count();
        assert_eq!(*cells.get_or_insert(found), found, "{line}");
    }
}

#[test]
fn every_chart_is_drawn_and_well_laid_out() {
    let report = check_all(&Fixture::standard());
    let mut paths: Vec<&str> = charts(&report).map(|it| it.0).collect();
    paths.sort_unstable();
    assert_eq!(paths, CHARTS);
    let page = text(&report, "README.md");
    for path in CHARTS {
        assert!(
            page.contains(&format!("]({path})")),
            "{path} is not in README.md"
        );
    }
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
}

#[test]
fn the_control_stands_in_every_comparison() {
    let report = Fixture::standard().report();
    for (path, svg) in charts(&report).filter(|it| it.0 != "charts/balance-ring.svg") {
        let shown = texts(svg)
            .iter()
            .any(|it| it == "modulo" || it.contains("the control"));
        assert!(shown, "{path} lacks the control");
    }
}

#[test]
fn same_rows_same_bytes() {
    let fixture = Fixture::standard();
    let report = fixture.report();
    assert_eq!(report, fixture.report());
    let mut later = fixture.clone();
    later.run.date = "2027-01-01T00:00:00Z".to_owned();
    later.run.machine.cpu = "Another CPU".to_owned();
    later.run.commit = None;
    later.run.source_id = "ba9876543210".to_owned();
    let later = later.report();
    for (old, new) in report.files.iter().zip(&later.files) {
        assert_eq!(old.path, new.path);
        let timed = TIMED.contains(&old.path.as_str()) || !old.path.starts_with("charts");
        assert_eq!(old.bytes != new.bytes, timed, "{}", old.path);
        assert_eq!(old.deterministic, !timed, "{}", old.path);
    }
}

#[test]
fn a_chart_changes_with_its_rows_and_with_no_others() {
    let fixture = Fixture::standard();
    let mut other = fixture.clone();
    for row in &mut other.memory {
        row.p95 = Some(1.0);
    }
    let (before, after) = (fixture.report(), other.report());
    let changed = charts(&before)
        .zip(charts(&after))
        .filter(|(old, new)| old != new);
    let changed: Vec<&str> = changed.map(|(old, _)| old.0).collect();
    assert_eq!(changed, ["charts/memory-bytes.svg"]);
}

#[test]
fn the_fingerprint_is_that_of_the_rows() {
    let fixture = Fixture::standard();
    let dir = fixture.write();
    let report = report::render(dir.path()).expect("a report");
    // The memory chart draws every row of the overview, once.
    let csv = fs::read_to_string(dir.path().join("data/memory.csv")).expect("memory.csv");
    let swept = ["vec-ring:vnodes=40,", "vec-ring,", "vec-ring:vnodes=1000,"];
    let rows = csv.split_inclusive('\n').skip(1);
    let rows = rows.filter(|row| !swept.iter().any(|it| row.starts_with(it)));
    let mut hasher = Sha256::new();
    rows.for_each(|row| hasher.update(row));
    let hex: String = hasher
        .finalize()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let chart = text(&report, "charts/memory-bytes.svg");
    assert_eq!(metadata(chart, "rows"), hex[..12]);
    assert_eq!(metadata(chart, "command"), "ringmark bench --only balance");
    assert_eq!(metadata(chart, "date"), "");
    let timed = text(&report, "charts/build-times.svg");
    assert_eq!(metadata(timed, "date"), "2026-11-30T12:00:00Z");
    assert_eq!(
        metadata(timed, "commit"),
        "abcdef012345 with uncommitted changes"
    );
}

#[test]
fn hostile_names_stay_text() {
    let mut made: Vec<Made<'_>> = vec![Made::new("modulo", "modulo", None)];
    made.extend(HOSTILE.iter().map(|name| Made::new(name, name, Some(100))));
    let long = "x".repeat(300);
    made.push(Made::new(&long, &long, Some(100)));
    let mut fixture = Fixture::of(&made);
    for entry in &mut fixture.strategies {
        entry.strategy.summary.clone_from(&entry.label);
        entry.strategy.spoken_by = vec![entry.label.clone()];
    }
    for row in &mut fixture.contract {
        row.status = "unsupported".to_owned();
        row.note = "a,b\n\"c\" <d> | e".to_owned();
    }
    fixture.run.command = "ringmark bench --out '<x> --> & y' `z`".to_owned();
    fixture.run.machine.cpu = "CPU | <b>\"fast\"</b>".to_owned();
    let report = check_all(&fixture);
    let rows = text(&report, "charts/overview-lookup.svg");
    // Every series appears, under its literal name where it fits.
    for name in [
        "<1%",
        "x\"y'z",
        "]]>",
        "&amp;",
        "Jan's ring",
        "back\\",
        "two lines",
        "-->",
    ] {
        assert!(
            texts(rows).iter().any(|it| it == name),
            "{name} in {:?}",
            texts(rows)
        );
    }
    assert!(texts(rows).iter().any(|it| it == "one\u{fffd}two"));
    let html = text(&report, "index.html");
    assert!(html.contains("A &amp; B &lt;script&gt;alert(1)&lt;&#x2f;script&gt;"));
    // The page's own.
    assert_eq!(html.matches("<script").count(), 1);
    let markdown = text(&report, "README.md");
    assert!(markdown.contains("A &#38; B &#60;script&#62;"));
    assert!(!markdown.contains("<script"));
}

/// Checks the charts after `change` was made to every row.
#[track_caller]
fn check_odd(what: &str, change: impl Fn(usize, &mut Row)) {
    let mut fixture = Fixture::small();
    for (i, row) in fixture.rows_mut().enumerate() {
        change(i, row);
    }
    let report = check_all(&fixture);
    assert_eq!(charts(&report).count(), CHARTS.len(), "{what}");
}

#[test]
fn odd_numbers_are_drawn_honestly() {
    check_odd("nothing is defined", |_, row| row.mean = None);
    check_odd("not a number", |_, row| row.mean = Some(f64::NAN));
    check_odd("infinite", |i, row| {
        row.mean = Some(if i % 2 == 0 {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        });
    });
    check_odd("zero", |_, row| row.mean = Some(0.0));
    check_odd("equal", |_, row| {
        row.mean = Some(0.5);
        (row.p5, row.p95) = (Some(0.5), Some(0.5));
    });
    check_odd("negative", |_, row| row.mean = Some(-1.0));
    check_odd("of every size", |i, row| {
        row.mean = Some([1e-300, 1e-9, 1.0, 1e12, 1e99, 1e300][i % 6]);
    });
    check_odd("without intervals", |_, row| {
        (row.p5, row.p95, row.noise_lo, row.reference) = (None, None, None, None);
    });
    check_odd("failed", |_, row| {
        row.status = Status::Failed;
        row.note = "theory says otherwise".to_owned();
    });
}

#[test]
fn odd_timings_are_drawn_honestly() {
    for odd in [f64::NAN, f64::INFINITY, 0.0, -5.0, 1e300] {
        let mut fixture = Fixture::small();
        for row in fixture.lookup.iter_mut().chain(&mut fixture.build) {
            row.median = Some(odd);
        }
        for row in &mut fixture.criterion {
            (row.ns, row.lo) = (odd, odd);
        }
        check_all(&fixture);
    }
}

#[test]
fn one_point_is_enough() {
    let mut fixture = Fixture::of(&[Made::new("modulo", "modulo", None)]);
    fixture.balance.retain(|row| row.nodes == 10);
    fixture.movement.retain(|row| row.nodes == 10);
    fixture.lookup.retain(|row| row.nodes == 10);
    check_all(&fixture);
}

#[test]
fn absent_files_leave_their_charts_out_and_are_named() {
    let mut fixture = Fixture::standard();
    fixture.movement.clear();
    let report = check_all(&fixture);
    let mut gone = CHARTS.to_vec();
    gone.retain(|path| charts(&report).all(|it| it.0 != *path));
    let expected = [
        "charts/movement-curve.svg",
        "charts/overview-movement.svg",
        "charts/overview-survival.svg",
    ];
    assert_eq!(gone, expected);
    for page in ["README.md", "index.html"] {
        // HTML writes a slash as a reference.
        let page = text(&report, page).replace("&#x2f;", "/");
        assert!(page.contains("data/movement.csv is not there"));
        assert!(page.contains("Left out: Removing more and more nodes"));
    }

    let nothing = check_all(&Fixture::empty());
    assert_eq!(charts(&nothing).count(), 0);

    // Strategies that nothing describes are shown under what the rows call them.
    let mut undescribed = Fixture::standard();
    undescribed.strategies.clear();
    let report = check_all(&undescribed);
    assert!(texts(text(&report, "charts/memory-bytes.svg")).contains(&"ketama".to_owned()));
    assert!(text(&report, "README.md").contains("known by name only"));
}

#[test]
fn what_failed_is_listed_and_not_drawn() {
    let mut fixture = Fixture::standard();
    let failed = fixture
        .contract
        .iter_mut()
        .find(|row| row.strategy == "ketama");
    let failed = failed.expect("ketama");
    (failed.status, failed.note) = ("failed".to_owned(), "key 7 of 3 nodes".to_owned());
    for row in &mut fixture.balance {
        if row.strategy == "vec-ring-ruby" && row.metric == "cv" {
            row.status = Status::Failed;
            row.note = "too even: p = 1e-12".to_owned();
        }
    }
    let report = check_all(&fixture);
    for path in CHARTS
        .iter()
        .filter(|it| !it.ends_with("-ring.svg") && !it.ends_with("-points.svg"))
    {
        let texts = texts(text(&report, path));
        assert!(!texts.contains(&"ketama".to_owned()), "{path} draws ketama");
        let why = texts.join(" ");
        assert!(why.contains("Failed, not drawn: ketama"), "{path}: {why}");
    }
    let evenness = texts(text(&report, "charts/balance-evenness.svg"));
    assert!(!evenness.contains(&"vec-ring-ruby".to_owned()));
    assert!(
        evenness
            .join(" ")
            .contains("vec-ring-ruby (too even: p = 1e-12)")
    );
    let page = text(&report, "README.md");
    assert!(page.contains("ketama (failed)") && page.contains("key 7 of 3 nodes"));
}

#[test]
fn what_is_refused_is_said_in_words() {
    let mut fixture = Fixture::standard();
    // As `measure` writes it: one row, under the first metric of what was refused.
    fixture
        .movement
        .retain(|row| row.strategy != "ketama" || row.change != "lose-random");
    fixture.movement.push(Row {
        status: Status::Unsupported,
        note: "only the last node may leave".to_owned(),
        ..row("ketama", "lose-random", 40, "moved")
    });
    fixture
        .balance
        .retain(|row| row.strategy != "linear-ring-node");
    fixture.balance.push(Row {
        status: Status::OverBudget,
        note: "needs 3e9 units, 2e8 are allowed".to_owned(),
        ..row("linear-ring-node", "none", 40, "peak_to_avg")
    });
    let report = check_all(&fixture);
    let movement = texts(text(&report, "charts/overview-movement.svg"));
    assert!(movement.contains(&"unsupported".to_owned()));
    let why = "Unsupported: ketama (lose-random) (only the last node may leave).";
    assert!(movement.contains(&why.to_owned()), "{movement:?}");
    let evenness = texts(text(&report, "charts/balance-evenness.svg")).join(" ");
    let why = "Over budget: linear-ring-node (needs 3e9 units, 2e8 are allowed).";
    assert!(evenness.contains(why), "{evenness}");
    assert!(text(&report, "README.md").contains("| over budget |"));
}

#[test]
fn strategies_that_place_keys_alike_are_drawn_once() {
    let report = Fixture::standard().report();
    let count = |path: &str, name: &str| {
        let texts = texts(text(&report, path)).join(" ");
        texts.matches(name).count()
    };
    let all = "linear-ring = vec-ring = btree-ring (vnodes=160)";
    for path in ["charts/overview-survival.svg", "charts/movement-curve.svg"] {
        assert_eq!(count(path, all), 1, "{path}");
        assert_eq!(count(path, "vec-ring:vnodes=160"), 0, "{path}");
    }
    // Time and memory differ.
    for path in ["charts/overview-lookup.svg", "charts/memory-bytes.svg"] {
        assert_eq!(count(path, all), 0, "{path}");
        assert_eq!(count(path, "vec-ring:vnodes=160"), 1, "{path}");
    }
    // The sweep stands in its own chart only, under the strategy's name.
    assert_eq!(count("charts/overview-lookup.svg", "vnodes=1000"), 0);
    let sweep = texts(text(&report, "charts/balance-points.svg")).join(" ");
    assert!(
        sweep.contains("vec-ring = linear-ring = btree-ring"),
        "{sweep}"
    );
}

#[test]
fn a_new_strategy_changes_no_others_looks() {
    const NAMES: [&str; 5] = [
        "modulo",
        "ketama",
        "fixed-interval",
        "vec-ring-ruby",
        "linear-ring-node",
    ];
    let mut made: Vec<Made<'_>> = NAMES
        .iter()
        .map(|it| Made::new(it, it, Some(100)))
        .collect();
    let before = Fixture::of(&made).report();
    made.insert(1, Made::new("newcomer", "newcomer", Some(100)));
    let after = Fixture::of(&made).report();
    for path in [
        "charts/overview-lookup.svg",
        "charts/lookup-nodes.svg",
        "charts/memory-bytes.svg",
    ] {
        for name in NAMES {
            let old = looks(text(&before, path), name);
            assert!(!old.is_empty());
            assert_eq!(old, looks(text(&after, path), name), "{name} in {path}");
        }
    }
}

#[test]
fn the_strategies_of_a_chart_look_different() {
    let fixture = Fixture::standard();
    let report = fixture.report();
    let chart = text(&report, "charts/lookup-nodes.svg");
    let overview = fixture.strategies.iter().filter(|it| it.overview);
    let names: Vec<&str> = overview.map(|it| it.label.as_str()).collect();
    assert!(names.len() > 12);
    let different: BTreeSet<Vec<String>> = names.iter().map(|it| looks(chart, it)).collect();
    assert_eq!(different.len(), names.len());
}

#[test]
fn files_of_another_run_are_known_as_such() {
    let fixture = Fixture::standard();
    let dir = fixture.write();
    let path = dir.path().join("data/memory.csv");
    let changed = fs::read_to_string(&path)
        .expect("memory.csv")
        .replace(",20,", ",21,");
    fs::write(&path, changed).expect("memory.csv");
    fs::remove_file(dir.path().join("data/build.csv")).expect("build.csv");
    let report = report::render(dir.path()).expect("a report");
    assert_eq!(report.warnings.len(), 2, "{:?}", report.warnings);
    assert!(report.warnings[0].starts_with("data/memory.csv"));
    assert!(report.warnings[1].starts_with("data/build.csv"));
    assert!(text(&report, "README.md").contains(&report.warnings[0]));

    // What an earlier run made carries that run's origin, and not this one's machine.
    let mut run: bench_harness::record::Run =
        serde_json::from_slice(&fs::read(dir.path().join("run.json")).expect("run.json"))
            .expect("JSON");
    for file in &mut run.files {
        if file.path == "data/lookup.csv" {
            file.made_by = Some(MadeBy {
                machine: None,
                rustc: None,
                command: "ringmark bench --only lookup".to_owned(),
                date: "2026-01-02T03:04:05Z".to_owned(),
                source_id: "fedcba987654".to_owned(),
            });
        }
    }
    let json = serde_json::to_vec(&run).expect("JSON");
    fs::write(dir.path().join("run.json"), json).expect("run.json");
    let report = report::render(dir.path()).expect("a report");
    let chart = text(&report, "charts/overview-lookup.svg");
    assert_eq!(metadata(chart, "command"), "ringmark bench --only lookup");
    assert_eq!(metadata(chart, "date"), "2026-01-02T03:04:05Z");
    assert_eq!(metadata(chart, "machine"), "");
}

/// Checks that a report of the standard run, with `content` at `path`, is refused in one line that
/// ends with `what`.
#[track_caller]
fn check_refused(path: &str, content: Option<&[u8]>, what: &str) {
    let dir = Fixture::small().write();
    let full = dir.path().join(path);
    match content {
        Some(content) => fs::write(&full, content).expect("a file"),
        None => fs::remove_file(&full).expect("a file"),
    }
    let error = report::render(dir.path()).expect_err("a fault");
    let line = format!("{error:#}");
    assert!(line.contains(path), "{line}");
    assert!(line.contains(what), "{line}");
    assert!(!line.contains('\n'), "{line}");
}

#[test]
fn wrong_input_is_named() {
    check_refused("run.json", None, "No such file");
    check_refused("run.json", Some(b"{"), "EOF");
    let empty = Fixture::empty();
    let mut run = serde_json::to_value(&empty.run).expect("JSON");
    run["schema"] = 99.into();
    check_refused("run.json", Some(run.to_string().as_bytes()), "schema 99");
    check_refused("data/strategies.json", Some(b"[1]"), "line 1");
    let foreign = b"name,value\nx,1\n";
    check_refused("data/balance.csv", Some(foreign), "line 2: missing field");
    check_refused("data/lookup.csv", Some(b"a,b\n1,2\n3\n"), "missing field");
    let header = "strategy,nodes,ns,lo,hi\n";
    let short = format!("{header}a,1,2,3,4\nb,1\n");
    check_refused(
        "data/criterion.csv",
        Some(short.as_bytes()),
        "line 3: 2 fields instead of 5",
    );
    let words = format!("{header}a,1,fast,3,4\n");
    check_refused(
        "data/criterion.csv",
        Some(words.as_bytes()),
        "line 2: field 2",
    );
    check_refused(
        "data/points.csv",
        Some(b"strategy\n\xff\n"),
        "line 2: it is not UTF-8",
    );
}
