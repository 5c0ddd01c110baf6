//! Papers: the tables and figures of the field's papers, and the laws that follow from their
//! definitions, run again.
//!
//! ```text
//!   strategies --> exact shares   \
//!                  work counts     +--> a claim each: published, ours, tolerance, verdict
//!                  keys of seeds   |    series: published and ours side by side
//!                  wanted hashes  /
//! ```
//!
//! One file a paper or idea. Wanted hashes are keys whose hash is chosen (see [`wanted`]): they read
//! a look-up table entry by entry, and replay an author's own test.

mod bias;
mod bounded;
mod chord;
mod draws;
mod hash4j;
mod jump;
mod lrh;
mod maglev;
mod probes;
mod random;
mod removals;
mod wanted;

use anyhow::Result;
use rayon::prelude::*;
use router::{Cluster, KeyBuf, Keys, NodeId};
use serde::Deserialize;

use super::{Claims, Findings, Setup, counts};
use crate::{
    record::SeriesRow,
    workload::{KeySet, node_names},
};

/// What the definition says, a table for each file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Papers {
    jump: jump::Jump,
    maglev: maglev::Maglev,
    chord: chord::Chord,
    probes: probes::Probes,
    lrh: lrh::Lrh,
    draws: draws::Draws,
    bias: bias::Bias,
    removals: removals::Removals,
    bounded: bounded::Bounded,
    hash4j: hash4j::Hash4j,
}

/// One of the files below, with what the definition says for it.
type Part<'p> = dyn Fn(&mut Lab<'_>) -> Result<()> + 'p;

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let papers: Papers = setup.definition.setup();
    let mut lab = Lab {
        setup,
        claims: Claims::new(setup.definition),
        series: Vec::new(),
    };
    setup.progress.phase("papers", 10);
    let parts: [&Part<'_>; 10] = [
        &|lab| papers.jump.run(lab),
        &|lab| papers.maglev.run(lab),
        &|lab| papers.chord.run(lab),
        &|lab| papers.probes.run(lab),
        &|lab| papers.lrh.run(lab),
        &|lab| papers.draws.run(lab),
        &|lab| papers.bias.run(lab),
        &|lab| papers.removals.run(lab),
        &|lab| papers.bounded.run(lab),
        &|lab| papers.hash4j.run(lab),
    ];
    for part in parts {
        part(&mut lab)?;
        setup.progress.step();
    }
    Ok(lab.claims.finish(lab.series, Vec::new()))
}

/// Where all parts work.
struct Lab<'a> {
    setup: &'a Setup<'a>,
    claims: Claims<'a>,
    series: Vec<(&'static str, Vec<SeriesRow>)>,
}

impl<'a> Lab<'a> {
    /// A cluster of this many nodes, named by seed.
    fn cluster(&self, spec: &str, seed: u64, n_nodes: usize) -> Result<Cluster> {
        self.setup.cluster(spec, &node_names(seed, n_nodes))
    }

    /// The numbers that a claim publishes.
    fn published(&self, id: &str) -> &'a [f64] {
        self.setup.definition.published(id)
    }

    /// What `work` says of every seed from 0 on, on all cores, in the order of the seeds.
    fn by_seed<T: Send>(
        &self,
        seeds: u64,
        work: impl Fn(u64) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let one = |seed| {
            self.setup.check()?;
            work(seed)
        };
        (0..seeds).into_par_iter().map(one).collect()
    }

    /// Keys on each node of each cluster, in joining order: the same random keys for all of them.
    /// They are made a batch at a time, so that memory does not grow with their number.
    fn loads(&self, clusters: &[Cluster], seed: u64, n_keys: u64) -> Result<Vec<Vec<u64>>> {
        const BATCH: u64 = 1 << 19;
        let none = || -> Vec<Vec<u64>> {
            let of = clusters.iter().map(|it| vec![0; it.nodes().len()]);
            of.collect()
        };
        let batch = |batch: u64| {
            self.setup.check()?;
            let mut keys = KeyBuf::new();
            let end = ((batch + 1) * BATCH).min(n_keys);
            KeySet::Hex64.fill(seed, batch * BATCH..end, &mut keys);
            let mut owners = vec![NodeId::default(); keys.len()];
            let of = clusters.iter().map(|cluster| {
                cluster.route_batch(keys.keys(), &mut owners);
                counts(cluster, &owners)
            });
            Ok::<_, anyhow::Error>(of.collect::<Vec<_>>())
        };
        let batches = (0..n_keys.div_ceil(BATCH)).into_par_iter().map(batch);
        batches.try_reduce(none, |mut all, more| {
            for (all, more) in all.iter_mut().zip(more) {
                for (sum, count) in all.iter_mut().zip(more) {
                    *sum += count;
                }
            }
            Ok(all)
        })
    }

    /// What `count` says of each key, over all keys, on all cores.
    fn tally(&self, keys: Keys<'_>, count: impl Fn(&[u8]) -> u64 + Sync) -> Result<Tally> {
        const CHUNK: usize = 1 << 13;
        let chunk = |chunk: usize| {
            self.setup.check()?;
            let end = ((chunk + 1) * CHUNK).min(keys.len());
            let of = keys.slice(chunk * CHUNK..end);
            Ok(of.iter().map(&count).fold(Tally::default(), Tally::with))
        };
        let chunks = (0..keys.len().div_ceil(CHUNK)).into_par_iter().map(chunk);
        chunks.try_reduce(Tally::default, |a, b| Ok(a.and(b)))
    }
}

/// Counts that were made key by key. Integers, so that any order of adding gives the same.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    n: u64,
    sum: u64,
    squares: u64,
}

impl Tally {
    fn with(self, count: u64) -> Self {
        self.and(Self {
            n: 1,
            sum: count,
            squares: count * count,
        })
    }

    fn and(self, other: Self) -> Self {
        Self {
            n: self.n + other.n,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    fn mean(self) -> f64 {
        self.sum as f64 / self.n as f64
    }

    /// Standard error of the mean.
    fn error(self) -> f64 {
        let n = self.n as f64;
        let variance = self.squares as f64 / n - self.mean() * self.mean();
        (variance.max(0.0) / n).sqrt()
    }
}

/// The harmonic number H_n: the mean of many laws here.
fn harmonic(n: usize) -> f64 {
    (1..=n).rev().map(|i| 1.0 / i as f64).sum()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The largest of loads or shares, in fair shares.
fn peak<T: Copy + Into<f64>>(values: &[T]) -> f64 {
    let values = values.iter().map(|&it| it.into());
    let n = values.len() as f64;
    let (most, sum) = values.fold((0.0, 0.0), |(most, sum), it: f64| (it.max(most), sum + it));
    most * n / sum
}

/// Whole counts as numbers.
fn floats(counts: &[u64]) -> Vec<f64> {
    counts.iter().map(|&it| it as f64).collect()
}

/// A point of a curve with what lies around it.
fn between(series: &str, x: f64, (lo, value, hi): (f64, f64, f64), unit: &str) -> SeriesRow {
    SeriesRow {
        lo: Some(lo),
        hi: Some(hi),
        ..SeriesRow::point(series, x, value, unit)
    }
}
