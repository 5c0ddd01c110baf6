//! One ring under many hashes: what a weak one costs on names that people use.

use anyhow::Result;
use router::{KeyBuf, Question};
use serde::Deserialize;

use crate::{
    experiment::{Numbered, Setup, counts},
    measure::Load,
    record::SeriesRow,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hashes {
    spec: String,
    /// The parameter that chooses the hash; the first of its values is the best.
    param: String,
    values: Vec<String>,
    /// Nodes are called this, from 1 up.
    prefix: String,
    sizes: Vec<u64>,
    keys: Numbered,
}

/// For each hash and size: the spread of the exact shares, what random points give, and the spread
/// of numbered keys.
pub(super) fn series(setup: &Setup<'_>, hashes: &Hashes) -> Result<Vec<SeriesRow>> {
    let keys: KeyBuf = hashes.keys.keys();
    let spec = setup.spec(&hashes.spec)?;
    let mut rows = Vec::new();
    for value in &hashes.values {
        let spec = spec.with(&hashes.param, value)?;
        for &n in &hashes.sizes {
            setup.check()?;
            let nodes = Numbered {
                prefix: hashes.prefix.clone(),
                from: 1,
                count: n,
            };
            let cluster = setup.cluster(&spec.to_string(), &nodes.list())?;
            let weights = &vec![1.0 / n as f64; nodes.count as usize];
            let shares = cluster.shares().unwrap_or_default();
            let squares = shares.iter().map(|it| (it * n as f64 - 1.0).powi(2));
            let exact = (squares.sum::<f64>() / n as f64).sqrt();
            let owners = setup.owners(&cluster, keys.keys())?;
            let loads = Load {
                counts: &counts(&cluster, &owners),
                weights,
            };
            let mut push = |series: &str, value_at: f64| {
                let point = SeriesRow::point(series, n as f64, value_at, "fair shares");
                rows.push(point.named(value));
            };
            push("shares", exact);
            push("keys", loads.cv());
            push("peak", loads.peak());
            // What theory says of the ring, from the spec whose hash mixes.
            let theory = setup
                .spec(&hashes.spec)?
                .expected(Question::ShareVariance { n });
            if let Some(variance) = theory.filter(|_| *value == hashes.values[0]) {
                push("random points", variance.mean.sqrt());
            }
        }
    }
    Ok(rows)
}
