//! Balance and resize balance: the least and the most keys of a node, and a variance.

use std::collections::BTreeMap;

use anyhow::Result;
use rayon::prelude::*;
use router::{Change, Cluster};

use super::{Beside, Csv, Distribution, Entry, Extra, Lab, number};
use crate::{
    experiment::counts,
    measure::{Load, multinomial, placed, stats::nearest_rank},
    record::SeriesRow,
    workload::{KeySet, Purpose, below, stream},
};

/// The header of both tables.
const HEADER: &str =
    "HashFunction,Algorithm,Keys,Distribution,Nodes,Iterations,Min,Max,Expected,Min%,Max%,Var";
/// Times that a cluster grows and shrinks before resize balance is measured.
const RESIZES: usize = 4;

/// A row of either.
pub(super) struct Balance {
    pub(super) entry: usize,
    pub(super) resized: bool,
    pub(super) distribution: Distribution,
    pub(super) multiplier: u64,
    pub(super) nodes: usize,
    pub(super) keys: u64,
    pub(super) theirs: Metrics,
    pub(super) noise: Noise,
    pub(super) ours: Ours,
}

/// The survey's numbers, from the keys on each node in each iteration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Metrics {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) expected: i32,
    pub(super) min_share: f64,
    pub(super) max_share: f64,
    pub(super) var: f64,
    /// Not theirs: the variance about the mean, without cutting and without overflow.
    pub(super) true_var: f64,
    /// Not theirs: the most keys of a node in any iteration.
    pub(super) most: u64,
}

impl Metrics {
    /// Least and most are means over the iterations; the variance is about the mean cut to a whole
    /// number, squared in 32 bits.
    pub(super) fn of(iterations: &[Vec<u64>], keys: u64) -> Self {
        let n_nodes = iterations.first().map_or(0, Vec::len);
        let expected = (keys / n_nodes as u64) as i32;
        let fair = keys as f64 / n_nodes as f64;
        let mean = |of: &dyn Fn(&Vec<u64>) -> f64| {
            iterations.iter().map(of).sum::<f64>() / iterations.len() as f64
        };
        let over_nodes = |counts: &Vec<u64>, of: &dyn Fn(u64) -> f64| {
            counts.iter().map(|&it| of(it)).sum::<f64>() / counts.len() as f64
        };
        let min = mean(&|it| it.iter().copied().min().unwrap_or(0) as f64);
        let max = mean(&|it| it.iter().copied().max().unwrap_or(0) as f64);
        Self {
            min,
            max,
            expected,
            min_share: min / fair,
            max_share: max / fair,
            var: mean(&|it| over_nodes(it, &|count| f64::from(square(count as i32, expected)))),
            true_var: mean(&|it| over_nodes(it, &|count| (count as f64 - fair).powi(2))),
            most: iterations.iter().flatten().copied().max().unwrap_or(0),
        }
    }
}

/// The square of a deviation in 32 bits, which wrap.
pub(super) fn square(count: i32, expected: i32) -> i32 {
    let deviation = count.wrapping_sub(expected);
    deviation.wrapping_mul(deviation)
}

/// 5 %, mean and 95 % of what a perfectly even router shows under these definitions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Noise {
    pub(super) min_share: Band,
    pub(super) max_share: Band,
    pub(super) var: Band,
}

type Band = (f64, f64, f64);

impl Noise {
    /// As many iterations of multinomial keys for each of so many perfect routers.
    fn new(n_nodes: usize, keys: u64, iterations: u64, routers: usize) -> Self {
        let mut rng = stream(keys, Purpose::Noise);
        let even = vec![1.0 / n_nodes as f64; n_nodes];
        let mut drawn = vec![vec![0; n_nodes]; iterations as usize];
        let mut values: [Vec<f64>; 3] = Default::default();
        for _ in 0..routers {
            for counts in &mut drawn {
                multinomial(&mut rng, &even, keys, counts);
            }
            let metrics = Metrics::of(&drawn, keys);
            for (values, value) in
                values
                    .iter_mut()
                    .zip([metrics.min_share, metrics.max_share, metrics.var])
            {
                values.push(value);
            }
        }
        let [min_share, max_share, var] = values.map(|mut it| {
            it.sort_by(f64::total_cmp);
            let mean = it.iter().sum::<f64>() / it.len() as f64;
            (nearest_rank(&it, 0.05), mean, nearest_rank(&it, 0.95))
        });
        Self {
            min_share,
            max_share,
            var,
        }
    }
}

/// Our metrics of the same cluster: from exact shares, or from many keys where there are none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Ours {
    pub(super) exact: bool,
    pub(super) min: f64,
    pub(super) peak: f64,
    pub(super) cv: f64,
}

impl Ours {
    fn of(cluster: &Cluster, keys_a_node: u64) -> Self {
        let n = cluster.nodes().len() as f64;
        if let Some(shares) = cluster.shares() {
            let squares = shares.iter().map(|it| (it * n - 1.0) * (it * n - 1.0));
            return Self {
                exact: true,
                min: n * shares.iter().copied().fold(f64::INFINITY, f64::min),
                peak: n * shares.iter().copied().fold(0.0, f64::max),
                cv: (squares.sum::<f64>() / n).sqrt(),
            };
        }
        let keys = KeySet::Hex64.keys(0, keys_a_node * n as u64);
        let counts = counts(cluster, &placed(cluster, keys.keys(), None));
        let load = Load {
            counts: &counts,
            weights: &vec![1.0 / n; counts.len()],
        };
        Self {
            exact: false,
            min: load.min(),
            peak: load.peak(),
            cv: load.share_variance().max(0.0).sqrt(),
        }
    }
}

/// Both benchmarks for every entry, size, multiplier and distribution.
pub(super) fn measure(lab: &Lab<'_>) -> Result<Vec<Balance>> {
    let survey = &lab.survey;
    let tasks: Vec<(usize, usize, bool)> = [false, true]
        .into_iter()
        .flat_map(|resized| lab.cells().into_iter().map(move |(it, n)| (it, n, resized)))
        .collect();
    let clusters = tasks.par_iter().map(|&(entry, n, resized)| {
        let cluster = lab.cluster(&lab.entries[entry], n)?;
        let Some(mut cluster) = cluster else {
            return Ok(Vec::new());
        };
        if resized {
            let done = resize(lab, &lab.entries[entry], &mut cluster, n);
            if lab.accepted(&lab.entries[entry], n, done).is_none() {
                return Ok(Vec::new());
            }
        }
        let ours = Ours::of(&cluster, survey.own.keys);
        let mut rows = Vec::new();
        for &multiplier in &survey.key_multipliers {
            for &distribution in &survey.distributions {
                lab.setup.check()?;
                let keys = n as u64 * multiplier;
                let iterations: Vec<Vec<u64>> = (0..survey.iterations)
                    .map(|it| {
                        let keys = distribution.keys(survey.seed + it, keys);
                        counts(&cluster, &placed(&cluster, keys.keys(), None))
                    })
                    .collect();
                rows.push((
                    (entry, resized, distribution, multiplier),
                    (cluster.nodes().len(), keys),
                    Metrics::of(&iterations, keys),
                    ours,
                ));
            }
        }
        Ok(rows)
    });
    let rows: Vec<_> = clusters.collect::<Result<Vec<_>>>()?.concat();
    let mut sizes: Vec<(usize, u64)> = rows.iter().map(|it| it.1).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let noise = sizes.into_par_iter().map(|(nodes, keys)| {
        lab.setup.check()?;
        let noise = Noise::new(nodes, keys, survey.iterations, survey.perfect_routers);
        Ok(((nodes, keys), noise))
    });
    let noise: BTreeMap<(usize, u64), Noise> = noise.collect::<Result<_>>()?;
    let rows = rows.into_iter().map(|(which, size, theirs, ours)| {
        let (entry, resized, distribution, multiplier) = which;
        Balance {
            entry,
            resized,
            distribution,
            multiplier,
            nodes: size.0,
            keys: size.1,
            theirs,
            noise: noise[&size],
            ours,
        }
    });
    Ok(rows.collect())
}

/// Four times: nodes join, at most up to one and a half times the first number, then nodes leave, at
/// most down to half of it. How many is drawn from one stream and which from another, so that every
/// strategy ends with as many; the survey draws anew for each.
fn resize(
    lab: &Lab<'_>,
    entry: &Entry,
    cluster: &mut Cluster,
    n_nodes: usize,
) -> Result<(), router::Error> {
    let mut amounts = stream(lab.survey.seed, Purpose::Changes);
    let mut picks = stream(lab.survey.seed, Purpose::Order);
    let mut active: Vec<String> = (0..n_nodes).map(|it| lab.node(it)).collect();
    let mut spare: Vec<String> = (n_nodes..2 * n_nodes).map(|it| lab.node(it)).collect();
    for _ in 0..RESIZES {
        let room = (n_nodes * 3 / 2).saturating_sub(active.len()).max(1);
        let n_added = (below(&mut amounts, room) + 1).min(spare.len());
        let added: Vec<String> = (0..n_added)
            .map(|_| match entry.last_only() {
                true => spare.remove(0),
                false => spare.remove(below(&mut picks, spare.len())),
            })
            .collect();
        let changes: Vec<Change> = added
            .iter()
            .map(|it| Change::Add(it.as_str().into()))
            .collect();
        cluster.apply(&changes)?;
        active.extend(added);
        let room = (active.len() - n_nodes / 2).max(1);
        let n_removed = (below(&mut amounts, room) + 1).min(active.len() - 1);
        let removed: Vec<String> = (0..n_removed)
            .map(|_| match entry.last_only() {
                true => active.remove(active.len() - 1),
                false => active.remove(below(&mut picks, active.len())),
            })
            .collect();
        let changes: Vec<Change> = removed.iter().cloned().map(Change::Remove).collect();
        cluster.apply(&changes)?;
        spare.extend(removed);
        if entry.last_only() {
            spare.sort_unstable();
        }
    }
    Ok(())
}

/// The tables, with the survey's header.
pub(super) fn tables(lab: &Lab<'_>, rows: &[Balance]) -> Result<Vec<Extra>> {
    let tables = [("balance", false), ("resize-balance", true)].map(|(name, resized)| {
        let mut csv = Csv::new(HEADER);
        for &multiplier in &lab.survey.key_multipliers {
            let ours = |it: &&Balance| it.resized == resized && it.multiplier == multiplier;
            for row in rows.iter().filter(ours) {
                let (entry, theirs) = (&lab.entries[row.entry], &row.theirs);
                csv.row(&[
                    entry.hash().to_owned(),
                    entry.name.clone(),
                    row.keys.to_string(),
                    row.distribution.name().to_owned(),
                    row.nodes.to_string(),
                    lab.survey.iterations.to_string(),
                    number(theirs.min),
                    number(theirs.max),
                    theirs.expected.to_string(),
                    number(theirs.min_share),
                    number(theirs.max_share),
                    number(theirs.var),
                ])?;
            }
        }
        Ok(Extra::new(name, csv.finish()?, true))
    });
    tables.into_iter().collect()
}

/// Beside least, most and variance: shares of the same cluster, without the chance in the keys.
pub(super) fn beside(lab: &Lab<'_>, rows: &[Balance]) -> Vec<Beside> {
    const MOST: &str = "the mean over the iterations of what chance makes the fullest; ours has no chance in it where shares are exact";
    const LEAST: &str = "the mean over the iterations of what chance makes the emptiest; ours has no chance in it where shares are exact";
    const VAR: &str = "in keys squared, and mostly the chance in the keys: Keys/Nodes of it for even shares; ours is a share of the mean, with that taken out";
    let mut all = Vec::new();
    for row in rows {
        let benchmark = if row.resized {
            "resize-balance"
        } else {
            "balance"
        };
        let parameter = format!(
            "Nodes={}, Keys={}, Distribution={}",
            row.nodes,
            row.keys,
            row.distribution.name()
        );
        let exact = row.ours.exact;
        let metric = |exactly, sampled| if exact { exactly } else { sampled };
        let columns = [
            (
                ("Min%", row.theirs.min_share, row.noise.min_share),
                (metric("exact_min", "min_to_avg"), row.ours.min, LEAST),
            ),
            (
                ("Max%", row.theirs.max_share, row.noise.max_share),
                (metric("exact_peak", "peak_to_avg"), row.ours.peak, MOST),
            ),
            (
                ("Var", row.theirs.var, row.noise.var),
                (metric("exact_cv", "share_cv"), row.ours.cv, VAR),
            ),
        ];
        for ((column, theirs, noise), (metric, ours, difference)) in columns {
            all.push(Beside {
                column,
                theirs: Some(theirs),
                lo: Some(noise.0),
                hi: Some(noise.2),
                metric,
                ours: Some(ours),
                difference,
                ..Beside::of(&lab.entries[row.entry], benchmark, parameter.clone())
            });
        }
    }
    all
}

/// For the chart: Max% with the fewest keys and the first distribution, its noise, and our peak.
pub(super) fn series(lab: &Lab<'_>, rows: &[Balance]) -> Vec<SeriesRow> {
    const UNIT: &str = "fair shares";
    let mut all = Vec::new();
    let few = rows.iter().filter(|it| shown(lab, it));
    for row in few {
        let label = lab.entries[row.entry].label();
        let x = row.nodes as f64;
        let theirs = SeriesRow::point("theirs", x, row.theirs.max_share, UNIT).named(&label);
        all.push(SeriesRow {
            lo: Some(row.noise.max_share.0),
            hi: Some(row.noise.max_share.2),
            ..theirs
        });
        all.push(SeriesRow::point("ours", x, row.ours.peak, UNIT).named(&label));
    }
    all
}

/// Whether a row is one of balance with the survey's default of keys and its first distribution.
pub(super) fn shown(lab: &Lab<'_>, row: &Balance) -> bool {
    !row.resized
        && Some(&row.multiplier) == lab.survey.key_multipliers.first()
        && Some(&row.distribution) == lab.survey.distributions.first()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand() {
        // Two iterations, 7 keys on 3 nodes: the mean 7/3 is cut to 2.
        let metrics = Metrics::of(&[vec![1, 2, 4], vec![3, 3, 1]], 7);
        assert_eq!((metrics.min, metrics.max, metrics.expected), (1.0, 3.5, 2));
        assert!((metrics.max_share - 1.5).abs() < 1e-12);
        assert!((metrics.min_share - 3.0 / 7.0).abs() < 1e-12);
        // (1 + 0 + 4)/3 and (1 + 1 + 1)/3.
        assert!((metrics.var - (5.0 / 3.0 + 1.0) / 2.0).abs() < 1e-12);
        // What cutting adds: (7/3 - 2)^2.
        assert!((metrics.var - metrics.true_var - 1.0 / 9.0).abs() < 1e-12);
        assert_eq!(metrics.most, 4);
    }

    #[test]
    fn squares_wrap_at_46341() {
        assert_eq!(square(46_340 + 10, 10), 2_147_395_600);
        assert_eq!(square(46_341 + 10, 10), -2_147_479_015);
    }

    #[test]
    fn a_perfect_router_shows_what_chance_gives() {
        // 100 keys a node on 10 nodes: E[max] is 1.150 and E[min] 0.850 (extreme values of a binomial),
        // 500 routers of 5 iterations: standard error below 0.002. Var: m (1 - 1/n) = 90.
        let noise = Noise::new(10, 1000, 5, 500);
        assert!((noise.max_share.1 - 1.154).abs() < 0.01, "{noise:?}");
        assert!((noise.min_share.1 - 0.85).abs() < 0.01, "{noise:?}");
        assert!((noise.var.1 - 90.0).abs() < 5.0, "{noise:?}");
        assert!(noise.max_share.0 < noise.max_share.1 && noise.max_share.1 < noise.max_share.2);
    }
}
