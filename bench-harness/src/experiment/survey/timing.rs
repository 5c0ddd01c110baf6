//! Init time, resize time, lookup time and incremental lookup time: means over a few iterations, as
//! JMH prints them, and beside each the same work as we time it.
//!
//! All entries of a benchmark take turns, iteration by iteration, in an order shuffled anew.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use router::{Cluster, KeyBuf, NodeSpec, Step};
use serde::Deserialize;

use super::{Beside, Csv, Distribution, Extra, Lab, number};
use crate::{
    measure::stats::{mean, median_interval, t_half_width},
    workload::{Purpose, below, stream},
};

/// Look-ups between two readings of the clock.
const LOOKUPS: u64 = 256;
/// Keys that are made before the clock starts.
const KEYS: u64 = 1 << 16;

/// How long an iteration is, and how many there are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Time {
    warmup: usize,
    execution: usize,
    milliseconds: u64,
}

/// One of the benchmarks: its file, what JMH calls it, and its parameters in JMH's order.
struct Kind {
    name: &'static str,
    label: &'static str,
    params: &'static [&'static str],
    lanes: for<'a> fn(&'a Lab<'_>) -> Result<Vec<Lane<'a>>>,
}

const KINDS: [Kind; 4] = [
    Kind {
        name: "init-time",
        label: "ch.supsi.dti.isin.benchmark.executor.InitTime.InitTimeExecutor.init",
        params: &["algorithm", "function", "initNodes"],
        lanes: init,
    },
    Kind {
        name: "resize-time",
        label: "ch.supsi.dti.isin.benchmark.executor.ResizeTime.ResizeTimeExecutor.resizeNodes",
        params: &["algorithm", "benchmark", "function", "initNodes"],
        lanes: resize,
    },
    Kind {
        name: "lookup-time",
        label: "ch.supsi.dti.isin.benchmark.executor.LookupTime.LookupTimeExecutor.getNode",
        params: &[
            "algorithm",
            "benchmark",
            "distribution",
            "function",
            "initNodes",
        ],
        lanes: lookup,
    },
    Kind {
        name: "incremental-lookup-time",
        label: "ch.supsi.dti.isin.benchmark.executor.IncrementalLookupTime.IncrementalLookupTimeExecutor.getNode",
        params: &[
            "algorithm",
            "benchmark",
            "distribution",
            "function",
            "initNodes",
            "removalRate",
        ],
        lanes: incremental,
    },
];

/// Does some operations; how many, and how long they took.
type Call<'a> = Box<dyn FnMut() -> (u64, Duration) + 'a>;

/// What takes turns: the survey's operation first, then ours, by the name of the metric.
struct Lane<'a> {
    entry: usize,
    nodes: usize,
    rate: Option<f32>,
    calls: Vec<(&'static str, Call<'a>)>,
}

/// What one lane showed: nanoseconds an operation, an iteration each.
pub(super) struct Timed {
    kind: usize,
    pub(super) entry: usize,
    pub(super) nodes: usize,
    rate: Option<f32>,
    samples: Vec<(&'static str, Vec<f64>)>,
}

impl Timed {
    /// Which benchmark.
    pub(super) fn benchmark(&self) -> &'static str {
        KINDS[self.kind].name
    }

    /// The survey's mean.
    pub(super) fn theirs(&self) -> f64 {
        mean(&self.samples[0].1).unwrap_or(f64::NAN)
    }

    /// The median of one of our metrics; of the survey's operation, whose name is empty, too.
    pub(super) fn ours(&self, metric: &str) -> Option<f64> {
        let found = self.samples.iter().find(|it| it.0 == metric)?;
        Some(median_interval(&found.1)?.0)
    }
}

/// All four, one after the other.
pub(super) fn measure(lab: &Lab<'_>) -> Result<Vec<Timed>> {
    let time = &lab.survey.time;
    let window = Duration::from_millis(time.milliseconds);
    let mut rng = stream(lab.survey.seed, Purpose::Order);
    let mut all = Vec::new();
    for (kind, it) in KINDS.iter().enumerate() {
        let mut lanes = (it.lanes)(lab)?;
        let mut timed: Vec<Timed> = lanes
            .iter()
            .map(|lane| Timed {
                kind,
                entry: lane.entry,
                nodes: lane.nodes,
                rate: lane.rate,
                samples: lane.calls.iter().map(|it| (it.0, Vec::new())).collect(),
            })
            .collect();
        for iteration in 0..time.warmup + time.execution {
            let mut order: Vec<usize> = (0..lanes.len()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, below(&mut rng, i + 1));
            }
            for lane in order {
                lab.setup.check()?;
                let calls = &mut lanes[lane].calls;
                for ((_, call), (_, samples)) in calls.iter_mut().zip(&mut timed[lane].samples) {
                    let sample = sample(call, window);
                    if iteration >= time.warmup {
                        samples.push(sample);
                    }
                }
            }
        }
        all.extend(timed);
    }
    Ok(all)
}

/// Nanoseconds an operation over one window; what is made ready between the operations may take
/// four times as long, and no longer.
fn sample(call: &mut Call<'_>, window: Duration) -> f64 {
    let since = Instant::now();
    let (mut n, mut spent) = (0, Duration::ZERO);
    loop {
        let (more, took) = call();
        n += more;
        spent += took;
        if spent >= window || since.elapsed() >= 4 * window {
            return spent.as_secs_f64() * 1e9 / n as f64;
        }
    }
}

/// How long one piece of work takes; what it made is dropped after the clock.
fn once<T>(work: impl FnOnce() -> T) -> (u64, Duration) {
    let since = Instant::now();
    let made = black_box(work());
    let took = since.elapsed();
    drop(made);
    (1, took)
}

/// Theirs: the engine alone, of nodes that are there. Ours: the cluster, with its checks.
fn init<'a>(lab: &'a Lab<'_>) -> Result<Vec<Lane<'a>>> {
    let mut lanes = Vec::new();
    for (entry, n) in lab.cells() {
        let Some(cluster) = lab.cluster(&lab.entries[entry], n)? else {
            continue;
        };
        let (spec, nodes) = (cluster.spec().clone(), lab.nodes(n));
        let engine = move || once(|| cluster.spec().router(cluster.nodes()).is_ok());
        let whole = move || once(|| Cluster::build(&spec, &nodes));
        lanes.push(Lane {
            entry,
            nodes: n,
            rate: None,
            calls: vec![("", Box::new(engine)), ("build_ns", Box::new(whole))],
        });
    }
    Ok(lanes)
}

/// Theirs: one node joins the engine and leaves it again. Ours: one joins a cluster; one from the
/// middle of it leaves, the last where no other may.
fn resize<'a>(lab: &'a Lab<'_>) -> Result<Vec<Lane<'a>>> {
    let mut lanes = Vec::new();
    for (place, n) in lab.cells() {
        let entry = &lab.entries[place];
        let Some(cluster) = lab.cluster(entry, n)? else {
            continue;
        };
        let (mut larger, new) = (cluster.clone(), lab.node(n));
        let joined = larger.add(NodeSpec::from(new.as_str()));
        if lab.accepted(entry, n, joined).is_none() {
            continue;
        }
        let (before, after) = (cluster.nodes().clone(), larger.nodes().clone());
        let id = larger.id(&new).expect("it has just joined");
        let mut router = cluster.spec().router(&before)?;
        let both = move || {
            once(|| {
                router.update(&after, &[Step::Add(id)]);
                router.update(&before, &[Step::Remove(id)]);
            })
        };
        let base = cluster.clone();
        let add = move || {
            let mut cluster = base.clone();
            once(|| {
                let done = cluster.add(NodeSpec::from(new.as_str()));
                (cluster, done)
            })
        };
        let leaver = if entry.last_only() { n - 1 } else { n / 2 };
        let leaver = lab.node(leaver);
        let remove = move || {
            let mut cluster = cluster.clone();
            once(|| {
                let done = cluster.remove(&leaver);
                (cluster, done)
            })
        };
        lanes.push(Lane {
            entry: place,
            nodes: n,
            rate: None,
            calls: vec![
                ("", Box::new(both)),
                ("add_ns", Box::new(add)),
                ("remove_ns", Box::new(remove)),
            ],
        });
    }
    Ok(lanes)
}

/// Look-ups of a cluster as built.
fn lookup<'a>(lab: &'a Lab<'_>) -> Result<Vec<Lane<'a>>> {
    let keys = made(lab);
    let mut lanes = Vec::new();
    for (entry, n) in lab.cells() {
        if let Some(cluster) = lab.cluster(&lab.entries[entry], n)? {
            lanes.push(looking_up(lab, entry, n, None, cluster, &keys));
        }
    }
    Ok(lanes)
}

/// Look-ups of a cluster that lost nodes.
fn incremental<'a>(lab: &'a Lab<'_>) -> Result<Vec<Lane<'a>>> {
    let keys = made(lab);
    let n = lab.survey.incremental_nodes;
    let mut lanes = Vec::new();
    for (place, entry) in lab.entries.iter().enumerate() {
        for &rate in &lab.survey.removal_rates {
            if let Some(reduced) = lab.reduced(entry, n, rate)? {
                lanes.push(looking_up(lab, place, n, Some(rate), reduced.after, &keys));
            }
        }
    }
    Ok(lanes)
}

/// Keys that are made before the clock starts.
fn made(lab: &Lab<'_>) -> Arc<KeyBuf> {
    Arc::new(distribution(lab).keys(lab.survey.seed, KEYS))
}

/// Look-ups are timed on the first distribution alone.
fn distribution(lab: &Lab<'_>) -> Distribution {
    let first = lab.survey.distributions.first();
    first.copied().unwrap_or(Distribution::Uniform)
}

/// Theirs: the key is drawn and written inside the clock. Ours: it lies ready.
fn looking_up<'a>(
    lab: &Lab<'_>,
    entry: usize,
    nodes: usize,
    rate: Option<f32>,
    cluster: Cluster,
    keys: &Arc<KeyBuf>,
) -> Lane<'a> {
    let cluster = Arc::new(cluster);
    let mut source = distribution(lab).source(lab.survey.seed);
    let mut text = String::new();
    let drawn = {
        let cluster = Arc::clone(&cluster);
        move || {
            let router = cluster.router();
            let since = Instant::now();
            for _ in 0..LOOKUPS {
                source.write(&mut text);
                black_box(router.route(text.as_bytes()));
            }
            (LOOKUPS, since.elapsed())
        }
    };
    let (keys, mut chunk) = (Arc::clone(keys), 0);
    let ready = move || {
        let router = cluster.router();
        let start = chunk * LOOKUPS as usize;
        chunk = (chunk + 1) % (KEYS / LOOKUPS) as usize;
        let keys = keys.keys().slice(start..start + LOOKUPS as usize);
        let since = Instant::now();
        for key in keys.iter() {
            black_box(router.route(key));
        }
        (LOOKUPS, since.elapsed())
    };
    Lane {
        entry,
        nodes,
        rate,
        calls: vec![("", Box::new(drawn)), ("lookup_ns", Box::new(ready))],
    }
}

/// Tables as JMH writes them.
pub(super) fn tables(lab: &Lab<'_>, times: &[Timed]) -> Result<Vec<Extra>> {
    let mut tables = Vec::new();
    for (kind, it) in KINDS.iter().enumerate() {
        let mut header = "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Score Error (99.9%)\",\"Unit\"".to_owned();
        for param in it.params {
            header.push_str(&format!(",\"Param: {param}\""));
        }
        let mut csv = Csv::new(&header);
        for row in times.iter().filter(|it| it.kind == kind) {
            let entry = &lab.entries[row.entry];
            let samples = &row.samples[0].1;
            let error = t_half_width(samples, 0.999).unwrap_or(f64::NAN);
            let six = |value: f64| format!("{value:.6}");
            let mut fields = vec![
                it.label.to_owned(),
                "avgt".to_owned(),
                "1".to_owned(),
                samples.len().to_string(),
                six(row.theirs()),
                six(error),
                "ns/op".to_owned(),
            ];
            fields.extend(it.params.iter().map(|param| match *param {
                "algorithm" => entry.name.clone(),
                "benchmark" => it.name.to_owned(),
                "distribution" => distribution(lab).name().to_owned(),
                "function" => entry.hash().to_owned(),
                "initNodes" => row.nodes.to_string(),
                _ => row.rate.map(|it| number(f64::from(it))).unwrap_or_default(),
            }));
            csv.row(&fields)?;
        }
        tables.push(Extra::new(it.name, csv.finish()?, false));
    }
    Ok(tables)
}

/// Beside each score: our medians.
pub(super) fn beside(lab: &Lab<'_>, times: &[Timed]) -> Vec<Beside> {
    let mut all = Vec::new();
    for row in times {
        let parameter = match row.rate {
            Some(rate) => format!(
                "initNodes={}, removalRate={}",
                row.nodes,
                number(f64::from(rate))
            ),
            None => format!("initNodes={}", row.nodes),
        };
        let theirs = row.theirs();
        let half = t_half_width(&row.samples[0].1, 0.999);
        for (metric, samples) in &row.samples[1..] {
            let difference = match *metric {
                "build_ns" => {
                    "the engine alone, of members that are there; ours the cluster, with its list of members and all checks"
                }
                "add_ns" => {
                    "joining and leaving in one number; ours: joining a cluster, checks included"
                }
                "remove_ns" => {
                    "joining and leaving in one number, and who leaves is who has just joined; ours: one from the middle leaves, the last where no other may"
                }
                _ => {
                    "drawing a number and writing it as text is inside the clock; ours: the same keys lie ready"
                }
            };
            all.push(Beside {
                column: "Score",
                theirs: Some(theirs),
                lo: half.map(|it| theirs - it),
                hi: half.map(|it| theirs + it),
                metric,
                ours: median_interval(samples).map(|it| it.0),
                difference,
                ..Beside::of(&lab.entries[row.entry], row.benchmark(), parameter.clone())
            });
        }
    }
    all
}
