//! Letters dealt to nodes, printed as a table; a scan timed against halving.

use std::{collections::BTreeMap, hint::black_box};

use anyhow::Result;
use router::{Cluster, KeyBuf};
use serde::Deserialize;

use super::{
    Claims, Findings, Numbered, Setup,
    claims::shown,
    clock::{Times, timed},
    counts,
};
use crate::{
    measure::{Load, stats::median_interval},
    record::SeriesRow,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    letters: Vec<String>,
    more_keys: Numbered,
    rounds: usize,
    times_a_round: usize,
    tables: Vec<Table>,
    timings: Vec<Timing>,
}

/// A table that the document prints.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    claim: String,
    spec: String,
    nodes: Vec<String>,
}

/// Two searches of one ring.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Timing {
    replicants: u64,
    linear: String,
    halving: String,
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let tables: Tables = setup.definition.setup();
    let mut claims = Claims::new(setup.definition);
    let letters: KeyBuf = tables.letters.iter().collect();
    setup.progress.phase("ruby-tables", tables.rounds);
    let (mut evenness, mut lines, mut printed) = (Vec::new(), Vec::new(), Vec::new());
    for table in &tables.tables {
        let cluster = setup.cluster(&table.spec, &table.nodes)?;
        let text = print(&cluster, &tables.letters);
        claims.text(&table.claim, &text.join("\n"));
        let command = command(setup, &table.claim);
        printed.push(format!("$ {command}"));
        for (i, line) in text.into_iter().enumerate() {
            lines.push(SeriesRow::line(command, i + 1, &line));
            printed.push(line);
        }
        let owners = setup.owners(&cluster, letters.keys())?;
        let sd = sd_keys(&counts(&cluster, &owners));
        let chance = Chance::new(table.nodes.len(), tables.letters.len());
        evenness.push(SeriesRow {
            x: Some(chance.mean),
            lo: Some(chance.lo),
            hi: Some(chance.hi),
            ..SeriesRow::point(&table.spec, 0.0, sd, "letters").named(command)
        });
    }
    judge_evenness(&mut claims, &evenness);
    let mut pairs = Vec::new();
    for timing in &tables.timings {
        // The timings are of the largest table's nodes.
        let nodes = tables
            .tables
            .iter()
            .map(|it| &it.nodes)
            .max_by_key(|it| it.len());
        let nodes = nodes.map(Vec::as_slice).unwrap_or_default();
        let cluster = |spec: &str| setup.cluster(spec, nodes);
        pairs.push((
            timing,
            [cluster(&timing.linear)?, cluster(&timing.halving)?],
        ));
    }
    judge_answers(&mut claims, &tables, &pairs);
    let work = pairs.iter().flat_map(|(timing, clusters)| {
        let specs = [&timing.linear, &timing.halving];
        specs.into_iter().zip(clusters).map(|(spec, cluster)| {
            let looked_at = points_looked_at(cluster, &tables.letters);
            SeriesRow::point(
                spec,
                timing.replicants as f64,
                looked_at,
                "points a look-up",
            )
        })
    });
    let work: Vec<SeriesRow> = work.collect();
    judge_times(setup, &mut claims, &tables, &pairs, &letters)?;
    let series = vec![("tables", lines), ("evenness", evenness), ("work", work)];
    Ok(claims.finish(series, printed))
}

/// The command that prints a table: the claim in words.
fn command<'a>(setup: &Setup<'a>, id: &str) -> &'a str {
    let claim = setup.definition.claims.iter().find(|it| it.id == id);
    claim.map_or("", |it| &it.claim)
}

/// The table: a line a node, in order of their names; a node without records is its bare name.
fn print(cluster: &Cluster, records: &[String]) -> Vec<String> {
    let nodes = cluster.nodes().iter();
    let mut lines: BTreeMap<&str, String> = nodes
        .map(|node| (&*node.name, node.name.to_string()))
        .collect();
    for record in records {
        let owner = cluster.route(record.as_bytes());
        let name = owner.and_then(|owner| cluster.name(owner));
        if let Some(line) = name.and_then(|name| lines.get_mut(name)) {
            line.push(' ');
            line.push_str(record);
        }
    }
    lines.into_values().collect()
}

fn sd_keys(counts: &[u64]) -> f64 {
    let weights = vec![1.0 / counts.len() as f64; counts.len()];
    let weights = &weights;
    Load { counts, weights }.sd_keys()
}

/// The first table is one point a node; the third has replicants on as many nodes.
fn judge_evenness(claims: &mut Claims<'_>, evenness: &[SeriesRow]) {
    let (first, third) = (&evenness[0], &evenness[2]);
    let sd = |row: &SeriesRow| row.value.unwrap_or(f64::NAN);
    let (lo, hi) = (first.lo.unwrap_or(f64::NAN), first.hi.unwrap_or(f64::NAN));
    let measured = format!(
        "sd {:.2} letters; chance alone gives {lo:.2} to {hi:.2} (5 to 95 %)",
        sd(first)
    );
    claims.holds("uneven", measured, sd(first) > hi);
    let measured = format!("sd {:.2} letters after {:.2}", sd(third), sd(first));
    claims.holds("less-uneven", measured, sd(third) < sd(first) / 2.0);
}

type Pair<'a> = (&'a Timing, [Cluster; 2]);

/// Holds the scan against the halving: letters, ordinary keys, and the names of all points.
fn judge_answers(claims: &mut Claims<'_>, tables: &Tables, pairs: &[Pair<'_>]) {
    let Some((_, [scan, halving])) = pairs.last() else {
        return;
    };
    let alike = |key: &[u8]| {
        let name = |cluster: &Cluster| {
            let owner = cluster.route(key).and_then(|owner| cluster.name(owner));
            owner.map(str::to_owned)
        };
        name(scan) == name(halving)
    };
    let letters = tables
        .letters
        .iter()
        .filter(|it| alike(it.as_bytes()))
        .count();
    let more = tables
        .more_keys
        .names()
        .filter(|it| alike(it.as_bytes()))
        .count();
    let labels = scan.points().unwrap_or_default();
    let hits = labels
        .iter()
        .filter(|it| !alike(it.label.as_bytes()))
        .count();
    let measured = format!(
        "{letters} of {} letters and {more} of {} other keys alike; {hits} of the {} names of points differ",
        tables.letters.len(),
        tables.more_keys.count,
        labels.len()
    );
    let all = tables.letters.len() as u64 + tables.more_keys.count;
    claims.holds("same-answers", measured, (letters + more) as u64 == all);
}

/// Points that the look-up of a letter looks at, on average.
fn points_looked_at(cluster: &Cluster, letters: &[String]) -> f64 {
    let traces = letters.iter().filter_map(|it| cluster.trace(it.as_bytes()));
    let probes: Vec<f64> = traces.map(|it| it.probes.into()).collect();
    probes.iter().sum::<f64>() / probes.len() as f64
}

/// The four columns, and the ratios: programs take turns, so that a noisy machine meets all alike.
fn judge_times(
    setup: &Setup<'_>,
    claims: &mut Claims<'_>,
    tables: &Tables,
    pairs: &[Pair<'_>],
    letters: &KeyBuf,
) -> Result<()> {
    let mut rounds = vec![[const { Vec::new() }; 2]; pairs.len()];
    for _ in 0..tables.rounds {
        setup.check()?;
        for (rounds, (_, clusters)) in rounds.iter_mut().zip(pairs) {
            for (rounds, cluster) in rounds.iter_mut().zip(clusters) {
                rounds.push(timed(|| {
                    for _ in 0..tables.times_a_round {
                        for letter in black_box(letters).keys().iter() {
                            black_box(cluster.route(letter));
                        }
                    }
                }));
            }
        }
        setup.progress.step();
    }
    const WHY: &str = "another machine, and compiled code; only the ratios can be compared";
    let mut ratios = Vec::new();
    for (rounds, (timing, _)) in rounds.iter().zip(pairs) {
        for (program, rounds) in ["ch2", "ch3"].into_iter().zip(rounds) {
            for (column, seconds) in Times::sum(rounds).columns() {
                let id = format!("{program}-{}-{column}", timing.replicants);
                let measured = seconds.map(shown).unwrap_or_default();
                claims.not_checkable(&id, measured, WHY);
            }
        }
        let [linear, halving] = rounds.each_ref().map(|rounds| {
            let real: Vec<f64> = rounds.iter().map(|it: &Times| it.real).collect();
            median_interval(&real).map_or(f64::NAN, |it| it.0)
        });
        let ratio = linear / halving;
        claims.number(&format!("ratio-{}", timing.replicants), ratio);
        ratios.push(ratio);
    }
    let list: Vec<String> = ratios.iter().map(|it| format!("{it:.1}")).collect();
    let measured = format!("{} times", list.join(", then "));
    claims.holds("grows", measured, ratios.is_sorted() && ratios[0] > 1.0);
    Ok(())
}

/// What chance alone gives: the standard deviation of the loads when each of `keys` keys picks one
/// of `nodes` nodes, all alike and each by itself.
struct Chance {
    lo: f64,
    mean: f64,
    hi: f64,
}

impl Chance {
    /// Goes through every way to share out the keys; for a handful of nodes.
    fn new(nodes: usize, keys: usize) -> Self {
        let mut outcomes = Vec::new();
        share_out(keys as u64, &mut vec![0; nodes], 0, &mut outcomes);
        outcomes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mean = outcomes.iter().map(|(sd, p)| sd * p).sum();
        let quantile = |q: f64| {
            let mut below = 0.0;
            let found = outcomes.iter().find(|(_, p)| {
                below += p;
                below >= q
            });
            found.map_or(f64::NAN, |it| it.0)
        };
        Self {
            lo: quantile(0.05),
            mean,
            hi: quantile(0.95),
        }
    }
}

/// Appends the standard deviation and the probability of every way to give `left` keys to the nodes
/// from `node` on.
fn share_out(left: u64, counts: &mut [u64], node: usize, outcomes: &mut Vec<(f64, f64)>) {
    if node + 1 == counts.len() {
        counts[node] = left;
        outcomes.push((sd_keys(counts), multinomial(counts)));
        return;
    }
    for count in 0..=left {
        counts[node] = count;
        share_out(left - count, counts, node + 1, outcomes);
    }
}

/// The probability of these counts when all nodes are equally likely.
fn multinomial(counts: &[u64]) -> f64 {
    let log_factorial = |n: u64| libm::lgamma(n as f64 + 1.0);
    let keys: u64 = counts.iter().sum();
    let ways = log_factorial(keys) - counts.iter().map(|&it| log_factorial(it)).sum::<f64>();
    libm::exp(ways - keys as f64 * libm::log(counts.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean, 5 % and 95 % of 26 letters on 4 nodes, as a simulation of a perfect router gives
    /// them; with one node there is no chance.
    #[test]
    fn chance_of_26_letters_on_4_nodes() {
        let chance = Chance::new(4, 26);
        assert!((chance.mean - 2.04).abs() < 0.005, "{}", chance.mean);
        assert!((chance.lo - 0.87).abs() < 0.005, "{}", chance.lo);
        assert!((chance.hi - 3.57).abs() < 0.005, "{}", chance.hi);
        let certain = Chance::new(1, 26);
        assert_eq!(
            (certain.lo, certain.mean.round(), certain.hi),
            (0.0, 0.0, 0.0)
        );
    }
}
