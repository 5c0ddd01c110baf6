//! Criterion beside our own sampler: the same look-ups, measured by somebody else's method.

use std::{fs, path::Path, time::Duration};

use anyhow::Context as _;
use criterion::{Criterion, Throughput};
use router::{Cluster, NodeId, NodeSpec};
use serde::Deserialize;

use crate::{
    measure::{Contender, TIMED_KEYS, route_each},
    record::CriterionRow,
    workload::{KeySet, node_names},
};

/// Nodes at which criterion measures.
pub const NODES: u64 = 100;
/// Look-ups that criterion times as one: by the loop that the sampler times, so that its own work between
/// two of them, a nanosecond or two, is no part of a look-up that takes four.
const TOGETHER: usize = 64;
const _: () = assert!(TIMED_KEYS.is_multiple_of(TOGETHER as u64));

/// Registers one benchmark a contender: look-ups of the keys that the sampler asks, one after another,
/// `n` nodes, 64 of them an iteration. A strategy that refuses the nodes is left out.
pub fn look_ups(criterion: &mut Criterion, contenders: &[Contender], n: u64) {
    let nodes: Vec<NodeSpec> = node_names(0, n as usize)
        .into_iter()
        .map(NodeSpec::from)
        .collect();
    let buf = KeySet::Hex64.keys(0, TIMED_KEYS);
    let keys = buf.keys();
    let mut group = criterion.benchmark_group(group_name(n));
    group.throughput(Throughput::Elements(TOGETHER as u64));
    for contender in contenders {
        let Ok(cluster) = Cluster::build(&contender.spec, &nodes) else {
            continue;
        };
        let router = cluster.router();
        group.bench_function(contender.spec.to_string(), |bencher| {
            let mut owners = [NodeId::default(); TOGETHER];
            let mut next = 0;
            bencher.iter(|| {
                route_each(router, keys.slice(next..next + TOGETHER), &mut owners);
                next = (next + TOGETHER) % keys.len();
            });
        });
    }
    group.finish();
}

fn group_name(n: u64) -> String {
    format!("{TOGETHER} look-ups at {n} nodes")
}

/// Runs [`look_ups`] in short settings, with criterion's own files in `folder`, and reads its
/// estimates back. Criterion prints as it goes.
///
/// # Errors
///
/// When criterion's files are not there or not as expected.
pub fn short(contenders: &[Contender], n: u64, folder: &Path) -> anyhow::Result<Vec<CriterionRow>> {
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(20)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .output_directory(folder);
    look_ups(&mut criterion, contenders, n);
    let mut rows = Vec::new();
    read_estimates(folder, n, &mut rows)?;
    rows.sort_by(|a: &CriterionRow, b| a.strategy.cmp(&b.strategy));
    Ok(rows)
}

/// The parts that we need of criterion's `benchmark.json`.
#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: String,
}

/// The parts that we need of criterion's `estimates.json`, in nanoseconds.
#[derive(Deserialize)]
struct Estimates {
    mean: Estimate,
    slope: Option<Estimate>,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// Reads every pair of files below `folder`: by content, for their folders have mangled names.
fn read_estimates(folder: &Path, n: u64, rows: &mut Vec<CriterionRow>) -> anyhow::Result<()> {
    let said = || format!("read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(said)? {
        let path = entry.with_context(said)?.path();
        if path.is_dir() {
            read_estimates(&path, n, rows)?;
        }
    }
    let benchmark = folder.join("benchmark.json");
    if !benchmark.exists() || folder.file_name().is_some_and(|name| name != "new") {
        return Ok(());
    }
    let benchmark: Benchmark = serde_json::from_slice(&fs::read(benchmark).with_context(said)?)?;
    if benchmark.group_id != group_name(n) {
        return Ok(());
    }
    let estimates = fs::read(folder.join("estimates.json")).with_context(said)?;
    let estimates: Estimates = serde_json::from_slice(&estimates).with_context(said)?;
    let estimate = estimates.slope.unwrap_or(estimates.mean);
    let a_key = |ns: f64| ns / TOGETHER as f64;
    rows.push(CriterionRow {
        strategy: benchmark.function_id,
        nodes: n,
        ns: a_key(estimate.point_estimate),
        lo: a_key(estimate.confidence_interval.lower_bound),
        hi: a_key(estimate.confidence_interval.upper_bound),
    });
    Ok(())
}
