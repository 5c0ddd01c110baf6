//! A small run, made up: every kind of row that a report reads, and odd ones on request.

use std::fs;
use std::path::Path;

use bench_harness::record::{
    ArcRow, CapabilitiesEntry, Compared, ContractRow, CriterionRow, FileEntry, HashEntry, Machine,
    ParamEntry, Row, Run, SCHEMA, Status, StrategyEntry, TimedRow,
};
use bench_harness::report::{self, Report};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const SIZES: [u64; 4] = [10, 40, 100, 1000];
const CHANGES: [&str; 5] = [
    "lose-first",
    "lose-random",
    "add",
    "replace",
    "weight-double",
];

/// A run: its files are written by [`Fixture::write`].
#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) run: Run,
    pub(crate) strategies: Vec<Compared>,
    pub(crate) balance: Vec<Row>,
    pub(crate) movement: Vec<Row>,
    pub(crate) work: Vec<Row>,
    pub(crate) memory: Vec<Row>,
    pub(crate) lookup: Vec<TimedRow>,
    pub(crate) build: Vec<TimedRow>,
    pub(crate) criterion: Vec<CriterionRow>,
    pub(crate) contract: Vec<ContractRow>,
    pub(crate) arcs: Vec<ArcRow>,
}

/// What is made up about a compared spec.
#[derive(Clone, Copy)]
pub(crate) struct Made<'a> {
    pub(crate) label: &'a str,
    pub(crate) family: &'a str,
    pub(crate) role: &'a str,
    pub(crate) points: Option<u64>,
    pub(crate) overview: bool,
    pub(crate) alike: &'a str,
}

impl<'a> Made<'a> {
    pub(crate) fn new(label: &'a str, family: &'a str, points: Option<u64>) -> Self {
        Self {
            label,
            family,
            role: if label == "modulo" {
                "control"
            } else {
                "published"
            },
            points,
            overview: true,
            alike: label,
        }
    }
}

impl Fixture {
    /// The strategies of the first comparison, some of them alike, and a sweep.
    pub(crate) fn standard() -> Self {
        let alike = |label, family| Made {
            alike: "linear-ring:vnodes=160",
            ..Made::new(label, family, Some(160))
        };
        let step = |label, points| Made {
            overview: false,
            ..Made::new(label, "vec-ring", Some(points))
        };
        Self::of(&[
            Made::new("modulo", "modulo", None),
            Made::new("modulo-java", "modulo", None),
            Made::new("linear-ring:vnodes=160", "linear-ring", Some(160)),
            Made::new("linear-ring-node", "linear-ring", Some(100)),
            Made::new("linear-ring-node-plain", "linear-ring", Some(1)),
            Made::new("linear-ring-ruby", "linear-ring", Some(100)),
            Made::new("linear-ring-ruby:replicants=160", "linear-ring", Some(160)),
            alike("vec-ring:vnodes=160", "vec-ring"),
            Made::new("vec-ring-ruby", "vec-ring", Some(100)),
            alike("btree-ring:vnodes=160", "btree-ring"),
            Made::new("btree-ring-java", "btree-ring", Some(100)),
            Made::new("btree-ring-java-plain", "btree-ring", Some(1)),
            Made::new("fixed-interval", "fixed-interval", Some(1500)),
            Made::new("fixed-interval-java", "fixed-interval", Some(1500)),
            Made::new("ketama", "ketama", Some(160)),
            step("vec-ring:vnodes=40", 40),
            step("vec-ring", 100),
            step("vec-ring:vnodes=1000", 1000),
        ])
    }

    /// Four strategies, two of them alike, and a sweep: every chart has something to draw.
    pub(crate) fn small() -> Self {
        Self::of(&[
            Made::new("modulo", "modulo", None),
            Made::new("ring:vnodes=160", "ring", Some(160)),
            Made {
                alike: "ring:vnodes=160",
                ..Made::new("other-ring:vnodes=160", "other-ring", Some(160))
            },
            Made::new("plain", "plain", Some(1)),
            Made {
                overview: false,
                ..Made::new("ring:vnodes=40", "ring", Some(40))
            },
        ])
    }

    /// These strategies, with numbers that follow from their place in the list.
    pub(crate) fn of(made: &[Made<'_>]) -> Self {
        let mut fixture = Self::empty();
        for (i, it) in made.iter().enumerate() {
            let i = i as f64 + 1.0;
            fixture.strategies.push(compared(it));
            let sizes: &[u64] = if it.overview { &SIZES } else { &[100] };
            for &nodes in sizes {
                fixture.add_balance(it, i, nodes);
                fixture.memory.push(Row {
                    mean: Some((it.points.unwrap_or(0) * 16) as f64),
                    ..row(it.label, "none", nodes, "bytes_per_node")
                });
            }
            if it.overview {
                fixture.add_movement(it, i);
                fixture.add_timings(it, i);
                fixture.contract.push(ContractRow {
                    strategy: it.label.to_owned(),
                    check: "same_answer_twice".to_owned(),
                    status: "passed".to_owned(),
                    cases: 1000,
                    note: String::new(),
                });
            }
        }
        for (start, end, node) in [(0.0, 0.4, 0), (0.4, 0.5, 1), (0.5, 0.8, 2), (0.8, 1.0, 3)] {
            fixture.arcs.push(ArcRow {
                strategy: "vec-ring:vnodes=1".to_owned(),
                nodes: 4,
                points_per_node: 1,
                start,
                end,
                node,
            });
        }
        fixture
    }

    /// A run without any rows.
    pub(crate) fn empty() -> Self {
        Self {
            run: Run {
                schema: SCHEMA,
                version: "0.0.0".to_owned(),
                profile: "standard".to_owned(),
                command: "ringmark bench --only balance".to_owned(),
                seeds: 20,
                source_id: "0123456789ab".to_owned(),
                commit: Some("abcdef012345".to_owned()),
                dirty: Some(true),
                date: "2026-11-30T12:00:00Z".to_owned(),
                machine: Machine {
                    cpu: "Some CPU".to_owned(),
                    cores: 2,
                    os: "Linux x86_64".to_owned(),
                },
                rustc: "rustc 1.95.0".to_owned(),
                files: Vec::new(),
            },
            strategies: Vec::new(),
            balance: Vec::new(),
            movement: Vec::new(),
            work: Vec::new(),
            memory: Vec::new(),
            lookup: Vec::new(),
            build: Vec::new(),
            criterion: Vec::new(),
            contract: Vec::new(),
            arcs: Vec::new(),
        }
    }

    fn add_balance(&mut self, it: &Made<'_>, i: f64, nodes: u64) {
        let cv = 0.3 / (it.points.unwrap_or(10_000) as f64).sqrt();
        let scenarios: &[&str] = if nodes == 100 {
            &["hex64", "java", "hex64-zipf-0.8", "hex64-zipf-1.2"]
        } else {
            &["hex64"]
        };
        for scenario in scenarios {
            for (metric, mean) in [
                ("peak_to_avg", 1.1 + cv * i),
                ("cv", cv + 0.01),
                ("share_cv", cv),
                ("exact_cv", cv),
            ] {
                self.balance.push(Row {
                    scenario: (*scenario).to_owned(),
                    mean: Some(mean),
                    p5: Some(mean * 0.9),
                    p95: Some(mean * 1.1),
                    noise_lo: Some(mean * 0.8),
                    noise_mean: Some(mean * 0.85),
                    noise_hi: Some(mean * 0.95),
                    keys: 1000 * nodes,
                    ..row(it.label, "none", nodes, metric)
                });
            }
        }
        // Every third strategy cannot state its shares, and is counted.
        if i % 3.0 != 0.0 {
            for (metric, mean) in [
                ("exact_peak_p50", 1.0 + cv),
                ("exact_peak_p95", 1.0 + 1.6 * cv),
                ("exact_peak_p99", 1.0 + 2.0 * cv),
            ] {
                self.balance.push(Row {
                    mean: Some(mean),
                    seeds: 1000,
                    ..row(it.label, "none", nodes, metric)
                });
            }
        }
    }

    fn add_movement(&mut self, it: &Made<'_>, i: f64) {
        let vain = if it.family == "modulo" { 0.9 } else { 0.0 };
        for nodes in SIZES {
            for change in CHANGES {
                let optimal = 1.0 / nodes as f64;
                self.add_change(it.label, change, nodes, optimal, vain * (1.0 - optimal));
            }
            self.movement.push(Row {
                mean: Some(1.05 + i / 20.0),
                p5: Some(1.04 + i / 20.0),
                p95: Some(1.1 + i / 20.0),
                ..row(it.label, "none", nodes, "n1_peak")
            });
        }
        for percent in [0_u32, 10, 50, 95] {
            let optimal = f64::from(percent) / 100.0;
            let change = format!("curve-{percent:02}");
            self.add_change(it.label, &change, 1000, optimal, vain * (1.0 - optimal));
        }
        self.work.push(Row {
            mean: Some(1.0),
            ..row(it.label, "none", 40, "hash_evals")
        });
        self.work.push(Row {
            mean: Some(i - 1.0),
            ..row(it.label, "none", 40, "probes")
        });
    }

    fn add_change(&mut self, label: &str, change: &str, nodes: u64, optimal: f64, vain: f64) {
        for (metric, mean) in [
            ("moved", optimal + vain),
            ("forced", optimal),
            ("collateral", vain),
        ] {
            self.movement.push(Row {
                mean: Some(mean),
                reference: Some(optimal),
                keys: 100_000,
                seeds: 5,
                ..row(label, change, nodes, metric)
            });
        }
    }

    fn add_timings(&mut self, it: &Made<'_>, i: f64) {
        for nodes in SIZES {
            let grown = (nodes as f64).ln();
            for (metric, ns) in [
                ("lookup_ns", 4.0 * i * grown),
                ("hash_ns", 2.0 * i),
                ("load_ns", 3.0 * i),
            ] {
                self.lookup.push(timed(it.label, nodes, metric, ns));
            }
            for (metric, ns) in [("build_ns", 1e5), ("add_ns", 2e3), ("remove_ns", 1e3)] {
                self.build
                    .push(timed(it.label, nodes, metric, ns * i * grown));
            }
        }
        self.criterion.push(CriterionRow {
            strategy: it.label.to_owned(),
            nodes: 100,
            ns: 20.0 * i,
            lo: 19.0 * i,
            hi: 21.0 * i,
        });
    }

    /// Writes the run into a new folder; a table without rows is not written.
    pub(crate) fn write(&self) -> TempDir {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(dir.path().join("data")).expect("a folder for data");
        let mut run = self.run.clone();
        let mut put = |path: &str, bytes: Vec<u8>, deterministic| {
            run.files.push(FileEntry {
                path: path.to_owned(),
                sha256: Sha256::digest(&bytes)
                    .iter()
                    .map(|b| format!("{b:02x}"))
                    .collect(),
                deterministic,
                made_by: None,
            });
            fs::write(dir.path().join(path), bytes).expect("a data file");
        };
        if !self.strategies.is_empty() {
            let json = serde_json::to_vec(&self.strategies).expect("JSON");
            put("data/strategies.json", json, true);
        }
        let rows = [
            ("data/balance.csv", &self.balance),
            ("data/movement.csv", &self.movement),
            ("data/work.csv", &self.work),
            ("data/memory.csv", &self.memory),
        ];
        for (path, rows) in rows.into_iter().filter(|it| !it.1.is_empty()) {
            put(path, csv(rows), true);
        }
        let timings = [
            ("data/lookup.csv", &self.lookup),
            ("data/build.csv", &self.build),
        ];
        for (path, rows) in timings.into_iter().filter(|it| !it.1.is_empty()) {
            put(path, csv(rows), false);
        }
        if !self.criterion.is_empty() {
            put("data/criterion.csv", csv(&self.criterion), false);
        }
        if !self.contract.is_empty() {
            put("data/contract.csv", csv(&self.contract), true);
        }
        if !self.arcs.is_empty() {
            put("data/points.csv", csv(&self.arcs), true);
        }
        let json = serde_json::to_vec(&run).expect("JSON");
        fs::write(dir.path().join("run.json"), json).expect("run.json");
        dir
    }

    /// The report of this run.
    #[track_caller]
    pub(crate) fn report(&self) -> Report {
        let dir = self.write();
        report::render(dir.path()).unwrap_or_else(|e| panic!("no report: {e:#}"))
    }

    /// Every row of every table, to change all of them alike.
    pub(crate) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let tables = [
            &mut self.balance,
            &mut self.movement,
            &mut self.work,
            &mut self.memory,
        ];
        tables.into_iter().flatten()
    }
}

/// The text of a file of a report.
#[track_caller]
pub(crate) fn text<'a>(report: &'a Report, path: &str) -> &'a str {
    let file = report.files.iter().find(|file| file.path == path);
    let file = file.unwrap_or_else(|| panic!("the report has no {path}"));
    std::str::from_utf8(&file.bytes).expect("UTF-8")
}

/// The charts of a report: path and text.
pub(crate) fn charts(report: &Report) -> impl Iterator<Item = (&str, &str)> {
    let charts = report
        .files
        .iter()
        .filter(|file| Path::new(&file.path).starts_with("charts"));
    charts.map(|file| (file.path.as_str(), text(report, &file.path)))
}

/// A row without numbers.
pub(crate) fn row(strategy: &str, change: &str, nodes: u64, metric: &str) -> Row {
    Row {
        strategy: strategy.to_owned(),
        hash: "some-hash".to_owned(),
        scenario: "hex64".to_owned(),
        change: change.to_owned(),
        nodes,
        nodes_after: nodes,
        keys: 0,
        seeds: 20,
        metric: metric.to_owned(),
        unit: "1".to_owned(),
        mean: None,
        sd: None,
        p5: None,
        p95: None,
        vs_control: None,
        vs_control_lo: None,
        vs_control_hi: None,
        reference: None,
        expected: None,
        z: None,
        noise_lo: None,
        noise_mean: None,
        noise_hi: None,
        status: Status::Ok,
        note: String::new(),
    }
}

fn timed(strategy: &str, nodes: u64, metric: &str, ns: f64) -> TimedRow {
    TimedRow {
        strategy: strategy.to_owned(),
        hash: "some-hash".to_owned(),
        scenario: "hex64".to_owned(),
        nodes,
        metric: metric.to_owned(),
        unit: "ns".to_owned(),
        rounds: 30,
        median: Some(ns),
        lo: Some(ns * 0.97),
        hi: Some(ns * 1.05),
        status: Status::Ok,
        note: String::new(),
    }
}

fn compared(it: &Made<'_>) -> Compared {
    let name = it.label.split(':').next().unwrap_or(it.label);
    Compared {
        label: it.label.to_owned(),
        overview: it.overview,
        points_per_node: it.points,
        contract: "passed".to_owned(),
        alike: it.alike.to_owned(),
        strategy: StrategyEntry {
            name: name.to_owned(),
            family: it.family.to_owned(),
            role: it.role.to_owned(),
            hash: HashEntry {
                name: "some-hash".to_owned(),
                mixes: true,
            },
            summary: "Places keys somehow".to_owned(),
            source: "Somebody, Some title, 1997".to_owned(),
            spoken_by: vec!["some-client".to_owned()],
            params: vec![ParamEntry {
                name: "vnodes".to_owned(),
                role: "points_per_node".to_owned(),
                default: 100.into(),
                min: 1.into(),
                max: 1000.into(),
                values: Vec::new(),
                help: "points a node".to_owned(),
            }],
            capabilities: CapabilitiesEntry {
                any_removal: true,
                minimal: true,
                order_free: true,
                history_free: true,
                weights: "minimal".to_owned(),
                replicas: true,
                even: false,
                knows_load: false,
                max_nodes: None,
            },
        },
    }
}

/// As CSV, numbers as they are: also those that `measure` would not write.
fn csv<R: Serialize>(rows: &[R]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("a row");
    }
    writer.into_inner().expect("CSV")
}
