//! Memory usage, as built and after removals.

use anyhow::Result;
use router::Cluster;

use super::{Beside, Csv, Extra, Lab, number};
use crate::measure::heap_bytes;

/// A row of either table.
pub(super) struct Memory {
    pub(super) entry: usize,
    pub(super) nodes: usize,
    /// The share of the nodes that left; none for memory usage itself.
    pub(super) rate: Option<f32>,
    /// What the router holds, which is what the survey calls the engine; none where the program does
    /// not count.
    pub(super) router: Option<u64>,
    /// What a whole cluster holds, its list of members with it; as built only.
    pub(super) cluster: Option<u64>,
}

/// Every entry at every size, and at every rate of the incremental benchmark. On this thread alone,
/// which is what is counted.
pub(super) fn measure(lab: &Lab<'_>) -> Result<Vec<Memory>> {
    let mut rows = Vec::new();
    for (place, n) in lab.cells() {
        let entry = &lab.entries[place];
        let Some(cluster) = lab.cluster(entry, n)? else {
            continue;
        };
        let (router, bytes) = heap_bytes(|| cluster.spec().router(cluster.nodes()));
        router?;
        let nodes = lab.nodes(n);
        let (whole, of_whole) = heap_bytes(|| Cluster::build(cluster.spec(), &nodes));
        whole?;
        rows.push(Memory {
            entry: place,
            nodes: n,
            rate: None,
            router: bytes,
            cluster: of_whole,
        });
    }
    let n = lab.survey.incremental_nodes;
    for (place, entry) in lab.entries.iter().enumerate() {
        for &rate in &lab.survey.removal_rates {
            let Some(reduced) = lab.reduced(entry, n, rate)? else {
                continue;
            };
            let spec = reduced.before.spec();
            let (router, bytes) = heap_bytes(|| {
                let mut router = spec.router(reduced.before.nodes())?;
                router.update(reduced.after.nodes(), &reduced.steps);
                Ok::<_, router::Error>(router)
            });
            router?;
            rows.push(Memory {
                entry: place,
                nodes: n,
                rate: Some(rate),
                router: bytes,
                cluster: None,
            });
        }
    }
    Ok(rows)
}

/// The tables, with the survey's headers; none where nothing was counted.
pub(super) fn tables(lab: &Lab<'_>, rows: &[Memory]) -> Result<Vec<Extra>> {
    let mut usage = Csv::new("HashFunction,Algorithm,Nodes,Bytes");
    let mut incremental = Csv::new("HashFunction,Algorithm,Nodes,RemovalRate,Bytes");
    for row in rows {
        let Some(bytes) = row.router else {
            return Ok(Vec::new());
        };
        let entry = &lab.entries[row.entry];
        let mut fields = vec![
            entry.hash().to_owned(),
            entry.name.clone(),
            row.nodes.to_string(),
        ];
        let table = match row.rate {
            Some(rate) => {
                fields.push(number(f64::from(rate)));
                &mut incremental
            }
            None => &mut usage,
        };
        fields.push(bytes.to_string());
        table.row(&fields)?;
    }
    Ok(vec![
        Extra::new("memory-usage", usage.finish()?, true),
        Extra::new("incremental-memory-usage", incremental.finish()?, true),
    ])
}

/// Beside the engine: the whole cluster.
pub(super) fn beside(lab: &Lab<'_>, rows: &[Memory]) -> Vec<Beside> {
    let row = |it: &Memory| {
        let (benchmark, parameter, difference) = match it.rate {
            None => (
                "memory-usage",
                format!("Nodes={}", it.nodes),
                "heap bytes of the router, where theirs are of a JVM's objects; ours with the list of members and their names, which a client needs too",
            ),
            Some(rate) => (
                "incremental-memory-usage",
                format!(
                    "Nodes={}, RemovalRate={}",
                    it.nodes,
                    number(f64::from(rate))
                ),
                "heap bytes of the router after the removals; what is left of buffers counts",
            ),
        };
        Beside {
            column: "Bytes",
            theirs: it.router.map(|it| it as f64),
            metric: if it.rate.is_none() {
                "heap_bytes and members"
            } else {
                ""
            },
            ours: it.cluster.map(|it| it as f64),
            difference,
            ..Beside::of(&lab.entries[it.entry], benchmark, parameter)
        }
    };
    let counted = rows.iter().filter(|it| it.router.is_some());
    counted.map(row).collect()
}
