//! Mutants against metrics: what each metric is there to catch, and that nothing else cries.
//!
//! A mutant is an honest router with one fault. Every metric of every mutant is held against what honest
//! routers show, by one rule; METHOD.md has the table.

mod faults;
mod slots;

use std::collections::{BTreeMap, BTreeSet};

use bench_harness::{
    measure::{self, Contender, METRICS, Part, Profile, Progress, Request},
    workload::KeySet,
};
use router::Catalog;

use faults::Fault;
use slots::SLOTS;

/// What is caught: a line a metric, a column a mutant.
const TABLE: &str = "\
metric             A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
peak_to_avg        A . . . . . . . . . . . . . . . . . . . . . . . . .
min_to_avg         . B . . . . . . . . . . . . . . . . . . . . . . . .
cv                 . . C D . . . . . . . . . . . . . . . . . . . . . .
sd_keys            . . C D . . . . . . . . . . . . . . . . . . . . . .
share_cv           . . . D . . . . . . . . . . . . . . . . . . . . . .
p01_to_avg         . . . D E . . . . . . . . . . . . . . . . . . . . .
p99_to_avg         . . . D . F . . . . . . . . . . . . . . . . . . . .
exact_peak         . . . D . . . . . J . . . . . . . . . . . . . . . .
exact_cv           . . . D . . . . I . . . . . . . . . . . . . . . . .
exact_peak_p50     . . . D . . . . . J . . . . . . . . . . . . . . . .
exact_peak_p95     . . . D . . G . . J . . . . . . . . . . . . . . . .
exact_peak_p99     . . . D . . G . . J . . . . . . . . . . . . . . . .
chi2_p_shares      . . . . . . . H . . . . . . . . . . . . . . . . . .
chi2_p             . . . D . . . . . . . . . . . . . . . . . . . . . .
moved              . . . . . . . . . . K . . . . . . . . . . . . . . .
forced             . . . . . . . . . . K . . . . . . . . . . . . . . .
collateral         . . . . . . . . . . . L M . . . . . . . . . . . . .
own_optimal        . . . . . . . . . . K . . . . . . . . . . . . . . .
excess             . . . . . . . . . . . L . . . . . . . . . . . . . .
peak_after         . . . D . . . . . . . . . . O . Q . . . . . . . . .
cv_after           . . . D . . . . . . . . . . O . Q . . . . . . . . .
n1_peak            . . . D . . . . . . . . . . O . . . . . . . . . . .
failover_gain      . . . . . . . . . . . . . . O P . . . . . . . . . .
receivers          . . . . . . . . . . . . M N O . . . . . . . . . . .
restored_mismatch  . . . . . . . . . . . . . . . . . R . . . . . . . .
order_disagreement . . . . . . . . . . . . . . . . . . S . . . . . . .
view_disagreement  . . . . . . . . . . . . . . . . . . . T . . . . . .
view_spread        . . . . . . . . . . . . . . . . . . . . U . . . . .
view_spread_p99    . . . . . . . . . . . . . . . . . . . . U . . . . .
view_load          . . . . . . . . . . . . . . . . . . . . . V . . . .
stale_misses       . . . . . . . . . . . . . . . . . . . . . . W . . .
heap_bytes         . . . . . . . . . . . . . . . . . . . . . . . . . Z
bytes_per_node     . . . . . . . . . . . . . . . . . . . . . . . . . Z
hash_evals         . . . D . . . . . . . . . . . . . . . . . . . X . .
probes             . . . D . . . . . . . . . . . . . . . . . . . . Y .
";

/// Metrics that mean the same here; a mutant shows alone what one class alone catches.
const CLASSES: &[&[&str]] = &[
    &["peak_to_avg"],
    &["min_to_avg"],
    &["cv", "sd_keys", "share_cv", "chi2_p"],
    &["p01_to_avg"],
    &["p99_to_avg"],
    &[
        "exact_peak",
        "exact_peak_p50",
        "exact_peak_p95",
        "exact_peak_p99",
    ],
    &["exact_cv"],
    &["chi2_p_shares"],
    &["moved", "forced", "own_optimal"],
    &["collateral", "excess"],
    &["peak_after", "cv_after"],
    &["n1_peak", "failover_gain"],
    &["receivers"],
    &["restored_mismatch"],
    &["order_disagreement"],
    &["view_disagreement"],
    &["view_spread", "view_spread_p99"],
    &["view_load"],
    &["stale_misses"],
    &["heap_bytes", "bytes_per_node"],
    &["hash_evals"],
    &["probes"],
];

/// Half the difference of the weights before and after: of the change, not of the router.
const OF_THE_CHANGE: &str = "optimal";

/// Honest routers whose values say what is honest, and one more that must be found so; they differ in
/// every hash, as other seeds would have it.
const HONEST: u64 = 4;

/// The values of a router: by metric and change, over the seeds.
type Values = BTreeMap<(String, String), Vec<f64>>;

/// Whether `mutant` is not what honest routers show: its mean lies outside theirs, least to most, widened
/// by half their width to both sides. Probabilities count by their logarithm, so that only small ones tell.
fn caught(metric: &str, honest: &[f64], mutant: &[f64]) -> bool {
    let mut metrics = METRICS.iter();
    let unit = metrics.find(|it| it.name == metric).map(|it| it.unit);
    let scale = |value: f64| match unit {
        Some("probability") => libm::log10(value.max(1e-300)),
        _ => value,
    };
    let scaled = || honest.iter().copied().map(scale);
    let least = scaled().fold(f64::INFINITY, f64::min);
    let most = scaled().fold(f64::NEG_INFINITY, f64::max);
    let rounding = 1e-9 * least.abs().max(most.abs());
    let slack = (most - least) / 2.0 + rounding;
    let mean = mutant.iter().copied().map(scale).sum::<f64>() / mutant.len() as f64;
    !(least - slack..=most + slack).contains(&mean)
}

/// Measures these routers, `slots` with parameters, by all metrics.
fn measured(specs: &[String]) -> BTreeMap<String, Values> {
    let catalog = Catalog::new([&SLOTS]).unwrap();
    let given = |(parts, sizes): (&[Part], u64)| Request {
        contenders: Contender::given(&catalog, specs).unwrap(),
        profile: Profile {
            sizes: vec![sizes],
            keys_per_node: 20,
            movement_min_keys: 1000,
            deployments_large: 20,
            view_sizes: vec![12],
            view_keys: 150,
            ..Profile::quick()
        },
        parts: parts.to_vec(),
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: true,
    };
    let mut all: BTreeMap<String, Values> = BTreeMap::new();
    // Percentiles need 1000 nodes; what changes cost is seen with few. The contract is held by the first.
    let changed = [Part::Movement, Part::Views, Part::Work, Part::Memory];
    for asked in [(&[Part::Balance][..], 1000), (&changed[..], 12)] {
        let measured = measure::run(&given(asked), &Progress::new()).unwrap();
        let passed = measured.contract.iter().all(|row| row.status != "failed");
        assert!(passed, "{:?}", measured.contract);
        for row in measured.raw.into_iter().flat_map(|(_, rows)| rows) {
            let values = all.entry(row.strategy).or_default();
            let values = values.entry((row.metric, row.change)).or_default();
            values.extend(row.value);
        }
    }
    all
}

fn spec(nodes: &str, salt: u64, fault: Fault) -> String {
    let spec = format!("slots:nodes={nodes},salt={salt},fault={}", fault.word());
    let catalog = Catalog::new([&SLOTS]).unwrap();
    catalog.parse(&spec).unwrap().to_string()
}

/// The metrics that catch a router, of those that look at it.
fn catching(honest: &Values, router: &Values) -> BTreeSet<String> {
    let mut metrics = BTreeSet::new();
    assert!(
        honest.keys().eq(router.keys()),
        "one was not asked what the other was"
    );
    for ((metric, change), values) in router {
        let honest = &honest[&(metric.clone(), change.clone())];
        if !values.is_empty() && caught(metric, honest, values) {
            metrics.insert(metric.clone());
        }
    }
    metrics.remove(OF_THE_CHANGE);
    metrics
}

#[test]
fn every_metric_catches_a_mutant_that_no_other_does() {
    let mut specs = Vec::new();
    for nodes in ["even", "uneven"] {
        specs.extend((0..=HONEST).map(|salt| spec(nodes, salt, Fault::None)));
    }
    let mutant = |fault: Fault| spec(fault.told().0, 0, fault);
    specs.extend(Fault::ALL.iter().map(|&fault| mutant(fault)));
    let measured = measured(&specs);
    let honest = |nodes| {
        let mut all = Values::new();
        for salt in 0..HONEST {
            for (what, values) in &measured[&spec(nodes, salt, Fault::None)] {
                all.entry(what.clone()).or_default().extend(values);
            }
        }
        all
    };
    let honest = BTreeMap::from(["even", "uneven"].map(|nodes| (nodes, honest(nodes))));

    for (nodes, honest) in &honest {
        let other = &measured[&spec(nodes, HONEST, Fault::None)];
        assert_eq!(
            catching(honest, other),
            BTreeSet::new(),
            "a false alarm, {nodes}"
        );
    }
    let caught: Vec<BTreeSet<String>> = Fault::ALL
        .iter()
        .map(|&fault| catching(&honest[fault.told().0], &measured[&mutant(fault)]))
        .collect();

    let table = table(&caught);
    assert_eq!(table, TABLE, "the table is now\n{table}");
    for class in CLASSES {
        let alone = caught.iter().any(|metrics| {
            !metrics.is_empty() && metrics.iter().all(|it| class.contains(&it.as_str()))
        });
        assert!(alone, "no mutant shows {class:?} alone");
        for metric in *class {
            let by_it = caught.iter().any(|metrics| metrics.contains(*metric));
            assert!(by_it, "{metric} catches nothing");
        }
    }
    let classed = CLASSES.iter().map(|class| class.len()).sum::<usize>();
    assert_eq!(classed, METRICS.len() - 1, "all but {OF_THE_CHANGE}");
}

/// The letter of the mutant at this place.
fn letter(place: usize) -> char {
    char::from(b'A' + place as u8)
}

/// A line a metric, in the order of the report: the letters of the mutants that it catches.
fn table(caught: &[BTreeSet<String>]) -> String {
    let line = |metric: &str, marks: Vec<String>| format!("{metric:<19}{}\n", marks.join(" "));
    let head = (0..caught.len()).map(|place| letter(place).to_string());
    let mut table = line("metric", head.collect());
    for metric in METRICS.iter().filter(|it| it.name != OF_THE_CHANGE) {
        let mark =
            |(place, metrics): (usize, &BTreeSet<String>)| match metrics.contains(metric.name) {
                true => letter(place).to_string(),
                false => ".".to_owned(),
            };
        table += &line(metric.name, caught.iter().enumerate().map(mark).collect());
    }
    table
}

#[test]
fn the_method_has_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../METHOD.md");
    let method = std::fs::read_to_string(path).unwrap();
    assert!(method.contains(TABLE), "METHOD.md has another table");
    for (place, fault) in Fault::ALL.iter().enumerate() {
        let (nodes, what) = fault.told();
        let base = if nodes == "uneven" {
            " (uneven nodes)"
        } else {
            ""
        };
        let line = format!("| {} | {what}{base} |\n", letter(place));
        assert!(method.contains(&line), "METHOD.md lacks {line}");
    }
}
