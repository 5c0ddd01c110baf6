//! The frontier on a small scale: against peaks that were counted by hand, and what its pages show.

use std::{fs, sync::LazyLock};

use bench_harness::{
    experiment::{Findings, Options},
    measure::stats::nearest_rank,
    record::{
        ClaimRow, DesignRow, EnoughRow, SeriesRow, TimedDesignRow, Verdict, from_csv, to_csv,
    },
    report,
    workload::node_names,
};
use router::{Cluster, NodeSpec};
use serde::de::DeserializeOwned;
use toml::Table;

use super::{
    experiment::{find, measured, series, set},
    report_fixture::Fixture,
    report_svg,
};

const NODES: i64 = 8;
const DEPLOYMENTS: u64 = 20;

fn small(setup: &mut Table) {
    set(setup, "designs.nodes", NODES);
    set(setup, "designs.rounds", 6);
    set(setup, "designs.deployments", DEPLOYMENTS as i64);
    set(setup, "designs.sampled_keys", 2000);
    set(setup, "designs.sampled_seeds", 3);
    let alone = ["modulo", "jump", "straw2", "maglev:table=7"];
    set(setup, "designs.strategies", alone.to_vec());
    let swept: toml::Value =
        "values = [{ spec = \"vec-ring\", param = \"vnodes\", values = [1, 10] }]"
            .parse::<Table>()
            .expect("TOML")["values"]
            .clone();
    set(setup, "designs.swept", swept);
    set(setup, "points.sizes", vec![1, 8]);
    set(setup, "points.sweep", vec![1, 4, 16]);
    set(setup, "points.limits", vec![3.0, 1.75, 1.01]);
    set(setup, "points.deployments", DEPLOYMENTS as i64);
}

static FOUND: LazyLock<Findings> = LazyLock::new(|| find("frontier", &Options::default(), small));

/// The rows of one of its own tables.
fn rows<T: DeserializeOwned>(findings: &Findings, table: &str, deterministic: bool) -> Vec<T> {
    let mut tables = findings.extra.iter();
    let found = tables.find(|it| it.table == table && it.deterministic == deterministic);
    let file = tempfile::NamedTempFile::new().expect("there is room");
    fs::write(file.path(), &found.expect("it is there").bytes).expect("there is room");
    from_csv(file.path()).expect("its own rows")
}

/// The busiest node in 95 % of the deployments, from the shares themselves.
fn peak(spec: &str, nodes: usize) -> f64 {
    let spec = registry::catalog().parse(spec).expect("it is there");
    let peaks = (0..DEPLOYMENTS).map(|seed| {
        let nodes: Vec<NodeSpec> = node_names(seed, nodes)
            .into_iter()
            .map(NodeSpec::from)
            .collect();
        let cluster = Cluster::build(&spec, &nodes).expect("it serves them");
        let shares = cluster.shares().expect("they are exact");
        shares.into_iter().fold(0.0, f64::max) * nodes.len() as f64
    });
    let mut peaks: Vec<f64> = peaks.collect();
    peaks.sort_by(f64::total_cmp);
    nearest_rank(&peaks, 0.95)
}

#[test]
fn peaks_are_those_of_the_shares_and_what_has_none_says_so() {
    let designs: Vec<DesignRow> = rows(&FOUND, "designs", true);
    let of = |spec: &str| {
        let found = designs.iter().find(|it| it.strategy == spec);
        found.unwrap_or_else(|| panic!("no {spec}"))
    };
    for spec in ["vec-ring:vnodes=1", "vec-ring:vnodes=10", "jump"] {
        let row = of(spec);
        let wanted = peak(spec, NODES as usize);
        let near = row
            .peak
            .is_some_and(|it| (it - wanted).abs() < 1e-5 * wanted);
        assert!(near, "{row:?}, {wanted}");
        assert_eq!(
            (row.metric.as_str(), row.deployments, row.keys),
            ("exact_peak_p95", DEPLOYMENTS, 0)
        );
    }
    let sampled = of("straw2");
    assert_eq!(
        (sampled.metric.as_str(), sampled.deployments, sampled.keys),
        ("peak_to_avg", 3, 2000)
    );
    assert!(sampled.peak > Some(1.0) && sampled.noise_lo < sampled.noise_hi);
    // A table of 7 entries serves 7 nodes.
    let refused = of("maglev:table=7");
    assert!(
        refused.peak.is_none() && refused.note.contains('7'),
        "{refused:?}"
    );
    assert!(of("modulo").fields.is_empty());
    assert_eq!(of("jump").fields, "only the newest node ever leaves");
    assert!(
        of("vec-ring:vnodes=10")
            .fields
            .ends_with("list of nodes alone")
    );
    let timed: Vec<TimedDesignRow> = rows(&FOUND, "designs", false);
    assert_eq!(timed.len(), designs.len());
    for row in &timed {
        let served = row.strategy != "maglev:table=7";
        assert_eq!(row.bytes_per_node > Some(0.0), served, "{row:?}");
        assert_eq!(row.note.contains("bytes: "), !served, "{row:?}");
        assert_eq!(row.lookup_ns.is_some(), served, "{row:?}");
        assert_eq!(row.hash_ns.is_some(), served, "{row:?}");
    }
    // Jump's peak is 1, which no other of its field has: nobody beats that.
    let jump = timed.iter().find(|it| it.strategy == "jump");
    let fields = jump.map(|it| [&it.efficient, &it.efficient_ns_peak].map(String::as_str));
    assert_eq!(fields, Some(["only the newest node ever leaves"; 2]));
}

#[test]
fn enough_is_enough_and_one_point_less_is_not() {
    let enough: Vec<EnoughRow> = rows(&FOUND, "enough", true);
    let of = |nodes, limit| {
        let mut rows = enough.iter();
        let found = rows.find(|it| it.nodes == nodes && it.limit == limit);
        found.unwrap_or_else(|| panic!("no {nodes}, {limit}"))
    };
    for limit in [3.0, 1.75] {
        let row = of(8, limit);
        let points = row.points.expect("16 points are enough");
        let spec = |points: u64| format!("vec-ring:vnodes={points}");
        assert!(peak(&spec(points), 8) < limit, "{row:?}");
        assert!(
            points == 1 || peak(&spec(points - 1), 8) >= limit,
            "{row:?}"
        );
        let inside = row.points_lo <= Some(points as f64) && row.theory.is_some();
        assert!(inside, "{row:?}");
    }
    assert_eq!((of(8, 1.01).points, of(8, 1.01).most), (None, 16));
    // A single node always has all.
    assert_eq!(of(1, 1.01).points, Some(1));
    let said = &FOUND.printed[1];
    let start = "With 8 nodes, 95 of 100 deployments of vec-ring keep the busiest node below 3 times its share with ";
    let end = " and below 1.01 with none up to 16 (20 deployments).";
    assert!(said.starts_with(start) && said.ends_with(end), "{said}");
    assert!(measured(&FOUND, "the longest of n").contains(" for 1, "));
    let curves = series(&FOUND, "points").iter();
    let p95 = curves.filter(|it| it.series == "p95" && it.label == "8");
    assert_eq!(p95.clone().count(), 3);
    for row in p95 {
        let spec = format!("vec-ring:vnodes={}", row.x.expect("points"));
        let wanted = peak(&spec, 8);
        assert!(row.value.is_some_and(|it| (it - wanted).abs() < 1e-9));
        assert!(row.lo <= row.value && row.value <= row.hi);
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("it starts");
        let findings = pool.install(|| {
            find("frontier", &Options::default(), |setup| {
                small(setup);
                set(setup, "designs.rounds", 1);
                set(setup, "designs.strategies", vec!["modulo", "straw2"]);
            })
        });
        let extra = findings.extra.into_iter().filter(|it| it.deterministic);
        let extra: Vec<_> = extra.collect();
        (findings.claims, findings.series, extra)
    };
    assert_eq!(on(1), on(2));
}

/// Rows of a frontier that was thought up: two rings along their points, and designs by themselves.
fn thought_up() -> (Vec<DesignRow>, Vec<TimedDesignRow>) {
    let any = "any node may leave";
    let designs = [
        (
            "a-ring:vnodes=1",
            "a-ring, vnodes",
            12.0,
            5.2,
            20.0,
            [1, 0, 1],
        ),
        (
            "a-ring:vnodes=10",
            "a-ring, vnodes",
            120.0,
            1.97,
            25.0,
            [1, 0, 1],
        ),
        (
            "a-ring:vnodes=100",
            "a-ring, vnodes",
            1200.0,
            1.27,
            38.0,
            [1, 0, 0],
        ),
        (
            "b-ring:vnodes=1",
            "b-ring, vnodes",
            40.0,
            5.2,
            11.0,
            [0, 1, 1],
        ),
        (
            "b-ring:vnodes=10",
            "b-ring, vnodes",
            220.0,
            1.97,
            11.5,
            [0, 1, 1],
        ),
        (
            "b-ring:vnodes=100",
            "b-ring, vnodes",
            2400.0,
            1.27,
            12.0,
            [0, 1, 1],
        ),
        ("even", "", 4000.0, 1.0, 60.0, [1, 1, 0]),
        ("even-too", "", 4000.0, 1.0, 61.0, [1, 0, 0]),
        ("modulo", "", 4.6, 1.0, 9.0, [0, 0, 0]),
    ];
    let efficient = |it: i32| if it == 1 { any } else { "" }.to_owned();
    let rows = designs.map(|(strategy, sweep, bytes, peak, ns, best)| {
        let fields = if strategy == "modulo" { "" } else { any };
        let row = DesignRow {
            strategy: strategy.to_owned(),
            sweep: sweep.to_owned(),
            nodes: 100,
            bytes_per_node: Some(bytes),
            metric: "exact_peak_p95".to_owned(),
            peak: Some(peak),
            deployments: 1000,
            fields: fields.to_owned(),
            efficient: efficient(best[0]),
            ..DesignRow::default()
        };
        let timed = TimedDesignRow {
            strategy: row.strategy.clone(),
            sweep: row.sweep.clone(),
            nodes: 100,
            bytes_per_node: Some(bytes),
            peak: Some(peak),
            lookup_ns: Some(ns),
            lo: Some(ns - 0.2),
            hi: Some(ns + 0.2),
            hash_ns: Some(3.0),
            load_ns: Some(4.0),
            rounds: 30,
            fields: row.fields.clone(),
            efficient: efficient(best[1].max(best[0])),
            efficient_ns_peak: efficient(best[1]),
            efficient_ns_bytes: efficient(best[2]),
            ..TimedDesignRow::default()
        };
        (row, timed)
    });
    rows.into_iter().unzip()
}

#[test]
fn pages_and_charts_show_every_design_and_the_sentences() {
    let fixture = Fixture::standard();
    let dir = fixture.write();
    let (mut designs, timed) = thought_up();
    designs.push(DesignRow {
        strategy: "unknown".to_owned(),
        nodes: 100,
        fields: "any node may leave".to_owned(),
        ..DesignRow::default()
    });
    let enough =
        [(1.5, Some(28)), (1.25, Some(94)), (1.1, None)].map(|(limit, points)| EnoughRow {
            strategy: "a-ring".to_owned(),
            nodes: 40,
            limit,
            points,
            points_lo: points.map(|it| it as f64 - 2.5),
            deployments: 1000,
            most: 128,
            ..EnoughRow::default()
        });
    let curve: Vec<SeriesRow> = [(1.0, 5.0), (8.0, 2.0), (128.0, 1.2)]
        .into_iter()
        .flat_map(|(x, y)| {
            ["p50", "p95", "theory"].map(|it| SeriesRow::point(it, x, y, "fair shares").named("40"))
        })
        .collect();
    let claim = ClaimRow {
        claim: "a claim".to_owned(),
        published: "so".to_owned(),
        measured: "so".to_owned(),
        unit: String::new(),
        tolerance: "exact".to_owned(),
        verdict: Verdict::Reproduced,
        reason: String::new(),
    };
    let put = |path: &str, bytes: anyhow::Result<Vec<u8>>| {
        fs::write(dir.path().join("data").join(path), bytes.expect("CSV")).expect("there is room");
    };
    put("experiment-frontier-designs.csv", to_csv(&designs));
    put("timed-frontier-designs.csv", to_csv(&timed));
    put("experiment-frontier-enough.csv", to_csv(&enough));
    put("experiment-frontier-points.csv", to_csv(&curve));
    put("experiment-frontier.csv", to_csv(&[claim]));
    let report = report::render(dir.path()).expect("a report");
    let text = |path: &str| {
        let found = report.files.iter().find(|it| it.path == path);
        let bytes = &found.unwrap_or_else(|| panic!("no {path}")).bytes;
        String::from_utf8(bytes.clone()).expect("text")
    };
    for (chart, named) in [
        (
            "bytes-peak",
            &["a-ring:vnodes=10", "even = even-too", "b-ring"][..],
        ),
        ("ns-peak", &["b-ring:vnodes=100", "even", "a-ring"]),
        (
            "bytes-ns",
            &["a-ring:vnodes=1", "b-ring:vnodes=100", "even"],
        ),
        ("points", &["28", "94", "40 nodes", "1.25 times its share"]),
    ] {
        let path = format!("charts/experiment-frontier-{chart}.svg");
        let svg = text(&path);
        report_svg::check(&path, &svg);
        let texts = report_svg::texts(&svg);
        for name in named {
            assert!(
                texts.iter().any(|it| it == name),
                "{path}: {name}: {texts:?}"
            );
        }
        if chart != "points" {
            for row in &timed {
                assert!(
                    svg.contains(&format!("<title>{}: ", row.strategy)),
                    "{path}"
                );
            }
        }
    }
    assert!(text("charts/experiment-frontier-bytes-peak.svg").contains("Not measured: unknown."));
    let sentence = "With 40 nodes, 95 of 100 deployments of a-ring keep the busiest node below 1.5 times its share with \
                    28 points a node, below 1.25 with 94 and below 1.1 with none up to 128 (1000 deployments).";
    let page = text("experiments/frontier.md");
    assert!(page.contains(sentence), "{page}");
    assert!(
        page.contains("| more than 128 |") && page.contains("| even | 4.00 kB | 1 |"),
        "{page}"
    );
    assert!(text("index.html").contains(sentence));
    let points = text("charts/balance-points.svg");
    assert!(points.contains("experiments/frontier.md"));
}
