//! Monotonicity: the last nodes leave and come back; which keys move, from and to whom.

use anyhow::Result;
use rayon::prelude::*;
use router::{Change, Cluster, NodeId, NodeSpec};

use super::{Beside, Csv, Distribution, Extra, Lab, number};
use crate::{
    measure::placed,
    record::SeriesRow,
    workload::{KeySet, LossOrder, Scenario, inverse, node_names},
};

const HEADER: &str = "HashFunction,Algorithm,Fraction,Keys,Distribution,Nodes,KeysInRemovedNodes,\
    KeysMovedFromRemovedNodes,KeysMovedFromOtherNodes,NodesLosingKeys,\
    KeysMovedToRestoredNodes,KeysMovedToOtherNodes,NodesGainingKeys,\
    KeysRelocatedAfterResize,NodesChangedAfterResize,\
    KeysMovedFromRemovedNodes%,KeysMovedFromOtherNodes%,NodesLosingKeys%,\
    KeysMovedToRestoredNodes%,KeysMovedToOtherNodes%,NodesGainingKeys%,\
    KeysRelocatedAfterResize%,NodesChangedAfterResize%";

/// What a benchmark showed.
pub(super) struct Moves {
    pub(super) rows: Vec<Row>,
    pub(super) ours: Vec<Ours>,
}

/// A row of it.
pub(super) struct Row {
    pub(super) entry: usize,
    pub(super) fraction: f64,
    pub(super) distribution: Distribution,
    pub(super) multiplier: u64,
    pub(super) nodes: usize,
    pub(super) keys: u64,
    pub(super) counts: Counts,
}

/// The survey's counts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Counts {
    pub(super) in_removed: u64,
    pub(super) from_removed: u64,
    pub(super) from_others: u64,
    pub(super) losing: u64,
    pub(super) to_restored: u64,
    pub(super) to_others: u64,
    pub(super) gaining: u64,
    pub(super) relocated: u64,
    pub(super) changed: u64,
}

impl Counts {
    /// From the place of each key's owner before, after the removal and after the restoration. The
    /// first `kept` of `n_nodes` places count as nodes that stay.
    pub(super) fn of(places: &[[usize; 3]], n_nodes: usize, kept: usize) -> Self {
        let mut nodes = vec![[0_u64; 4]; n_nodes];
        for &[before, reduced, restored] in places {
            nodes[before][0] += 1;
            nodes[before][1] += u64::from(before != reduced);
            nodes[restored][2] += u64::from(reduced != restored);
            nodes[before][3] += u64::from(before != restored);
        }
        let (stay, leave) = nodes.split_at(kept);
        let sum = |of: &[[u64; 4]], what: usize| of.iter().map(|it| it[what]).sum();
        let some = |what: usize| nodes.iter().filter(|it| it[what] > 0).count() as u64;
        Self {
            in_removed: sum(leave, 0),
            from_removed: sum(leave, 1),
            from_others: sum(stay, 1),
            losing: some(1),
            to_restored: sum(leave, 2),
            to_others: sum(stay, 2),
            gaining: some(2),
            relocated: sum(&nodes, 3),
            changed: some(3),
        }
    }

    /// `KeysMovedFromOtherNodes%`: of the keys that moved, not of all.
    pub(super) fn share_from_others(&self) -> f64 {
        self.from_others as f64 / (self.from_removed + self.from_others) as f64
    }
}

/// How many nodes leave, and how many count as staying: two products, each cut by itself.
pub(super) fn cut(n_nodes: usize, fraction: f64) -> (usize, usize) {
    let leaving = (fraction * n_nodes as f64) as usize;
    let staying = ((1.0 - fraction) * n_nodes as f64) as usize;
    (leaving, staying)
}

/// Our metrics for as many nodes that leave at random: means over the seeds.
pub(super) struct Ours {
    pub(super) entry: usize,
    pub(super) nodes: usize,
    pub(super) fraction: f64,
    /// `forced`, `collateral`, `restored_mismatch`; none where others than the last may not leave.
    pub(super) means: Option<[f64; 3]>,
}

/// Every entry, size, fraction, multiplier and distribution.
pub(super) fn measure(lab: &Lab<'_>) -> Result<Moves> {
    let survey = &lab.survey;
    let tasks: Vec<(f64, usize, usize)> = survey
        .fractions
        .iter()
        .flat_map(|&fraction| {
            lab.cells()
                .into_iter()
                .map(move |(it, n)| (fraction, it, n))
        })
        .collect();
    let rows = tasks.par_iter().map(|&(fraction, entry, n)| {
        let mut rows = Vec::new();
        let Some(clusters) = phases(lab, entry, n, fraction)? else {
            return Ok(rows);
        };
        let (_, kept) = cut(n, fraction);
        for &multiplier in &survey.key_multipliers {
            for &distribution in &survey.distributions {
                lab.setup.check()?;
                let n_keys = n as u64 * multiplier;
                let keys = distribution.keys(survey.seed, n_keys);
                let mut owners: Vec<Vec<NodeId>> = Vec::new();
                for cluster in &clusters {
                    let before = owners.last().map(Vec::as_slice);
                    owners.push(placed(cluster, keys.keys(), before));
                }
                let first = clusters[0].nodes();
                let place = |id: NodeId| first.position(id).expect("nobody new joins");
                let places: Vec<[usize; 3]> = (0..n_keys as usize)
                    .map(|key| [0, 1, 2].map(|phase| place(owners[phase][key])))
                    .collect();
                rows.push(Row {
                    entry,
                    fraction,
                    distribution,
                    multiplier,
                    nodes: n,
                    keys: n_keys,
                    counts: Counts::of(&places, n, kept),
                });
            }
        }
        Ok(rows)
    });
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let ours = tasks.par_iter().map(|&(fraction, entry, n)| {
        let means = at_random(lab, entry, n, fraction)?;
        Ok(Ours {
            entry,
            nodes: n,
            fraction,
            means,
        })
    });
    Ok(Moves {
        rows: rows.into_iter().flatten().collect(),
        ours: ours.collect::<Result<_>>()?,
    })
}

/// The cluster before, without its last nodes, and with them again in their old order.
fn phases(
    lab: &Lab<'_>,
    entry: usize,
    n_nodes: usize,
    fraction: f64,
) -> Result<Option<[Cluster; 3]>> {
    let entry = &lab.entries[entry];
    let Some(before) = lab.cluster(entry, n_nodes)? else {
        return Ok(None);
    };
    let (leaving, _) = cut(n_nodes, fraction);
    let names: Vec<String> = (n_nodes - leaving..n_nodes)
        .map(|it| lab.node(it))
        .collect();
    let (mut reduced, mut changes) = (before.clone(), Vec::new());
    changes.extend(names.iter().rev().cloned().map(Change::Remove));
    let mut changed = reduced.apply(&changes);
    let mut restored = reduced.clone();
    changes.clear();
    changes.extend(names.into_iter().map(|it| Change::Add(it.into())));
    changed = changed.and_then(|()| restored.apply(&changes));
    let changed = lab.accepted(entry, n_nodes, changed);
    Ok(changed.map(|()| [before, reduced, restored]))
}

/// The same share of nodes lost at random, and the loss undone.
fn at_random(
    lab: &Lab<'_>,
    entry: usize,
    n_nodes: usize,
    fraction: f64,
) -> Result<Option<[f64; 3]>> {
    let own = &lab.survey.own;
    let entry = &lab.entries[entry];
    let Ok(spec) = entry.sized(n_nodes) else {
        return Ok(None);
    };
    let percent = (100.0 * fraction).round() as u32;
    let mut sums = [0.0; 3];
    for seed in 0..own.seeds {
        lab.setup.check()?;
        let nodes: Vec<NodeSpec> = node_names(seed, n_nodes)
            .into_iter()
            .map(NodeSpec::from)
            .collect();
        let changes = Scenario::LosePercent(percent, LossOrder::Random).changes(seed, &nodes);
        let Ok(before) = Cluster::build(&spec, &nodes) else {
            return Ok(None);
        };
        let mut after = before.clone();
        if changes.iter().any(|it| after.apply(it).is_err()) {
            return Ok(None);
        }
        let mut restored = after.clone();
        let undone = inverse(&changes, &nodes);
        if undone.iter().any(|it| restored.apply(it).is_err()) {
            return Ok(None);
        }
        let keys = KeySet::Hex64.keys(seed, own.keys * n_nodes.min(100) as u64);
        let first = placed(&before, keys.keys(), None);
        let second = placed(&after, keys.keys(), Some(&first));
        let third = placed(&restored, keys.keys(), Some(&second));
        for ((a, b), c) in first.iter().zip(&second).zip(&third) {
            let stays = after.nodes().position(*a).is_some();
            sums[0] += f64::from(u8::from(a != b && !stays));
            sums[1] += f64::from(u8::from(a != b && stays));
            sums[2] += f64::from(u8::from(a != c));
        }
        let all = keys.len() as f64 * own.seeds as f64;
        if seed + 1 == own.seeds {
            sums = sums.map(|it| it / all);
        }
    }
    Ok(Some(sums))
}

/// The table, with the survey's header.
pub(super) fn table(lab: &Lab<'_>, moves: &Moves) -> Result<Extra> {
    let mut csv = Csv::new(HEADER);
    for &multiplier in &lab.survey.key_multipliers {
        for row in moves.rows.iter().filter(|it| it.multiplier == multiplier) {
            let (entry, counts) = (&lab.entries[row.entry], &row.counts);
            let (keys, nodes) = (row.keys as f64, row.nodes as f64);
            let from = (counts.from_removed + counts.from_others) as f64;
            let to = (counts.to_restored + counts.to_others) as f64;
            let mut fields = vec![
                entry.hash().to_owned(),
                entry.name.clone(),
                number(row.fraction),
                row.keys.to_string(),
                row.distribution.name().to_owned(),
                row.nodes.to_string(),
            ];
            let whole = [
                counts.in_removed,
                counts.from_removed,
                counts.from_others,
                counts.losing,
                counts.to_restored,
                counts.to_others,
                counts.gaining,
                counts.relocated,
                counts.changed,
            ];
            fields.extend(whole.map(|it| it.to_string()));
            let shares = [
                counts.from_removed as f64 / from,
                counts.share_from_others(),
                counts.losing as f64 / nodes,
                counts.to_restored as f64 / to,
                counts.to_others as f64 / to,
                counts.gaining as f64 / nodes,
                counts.relocated as f64 / keys,
                counts.changed as f64 / nodes,
            ];
            fields.extend(shares.map(number));
            csv.row(&fields)?;
        }
    }
    Ok(Extra::new("monotonicity", csv.finish()?, true))
}

impl Moves {
    /// Our metrics beside a row.
    pub(super) fn ours(&self, row: &Row) -> Option<[f64; 3]> {
        let same = |it: &&Ours| {
            it.entry == row.entry && it.nodes == row.nodes && it.fraction == row.fraction
        };
        self.ours.iter().find(same)?.means
    }
}

/// Beside what moves: our metrics for nodes that leave at random.
pub(super) fn beside(lab: &Lab<'_>, moves: &Moves) -> Vec<Beside> {
    const LAST: &str =
        "the last nodes leave; ours: nodes at random, empty where only the last may leave";
    const SHARE: &str = "a share of the keys that moved, when the last nodes leave; ours: a share of all keys, nodes at random, empty where only the last may leave";
    const BACK: &str = "the last nodes leave and come back in their order; ours: nodes at random, undone one by one";
    let mut all = Vec::new();
    for row in &moves.rows {
        let parameter = format!(
            "Fraction={}, Nodes={}, Keys={}, Distribution={}",
            number(row.fraction),
            row.nodes,
            row.keys,
            row.distribution.name()
        );
        let keys = row.keys as f64;
        let ours = moves.ours(row);
        let columns = [
            (
                "KeysMovedFromRemovedNodes / Keys",
                row.counts.from_removed as f64 / keys,
                ("forced", LAST),
            ),
            (
                "KeysMovedFromOtherNodes%",
                row.counts.share_from_others(),
                ("collateral", SHARE),
            ),
            (
                "KeysRelocatedAfterResize%",
                row.counts.relocated as f64 / keys,
                ("restored_mismatch", BACK),
            ),
        ];
        for (i, (column, theirs, (metric, difference))) in columns.into_iter().enumerate() {
            all.push(Beside {
                column,
                theirs: Some(theirs),
                metric,
                ours: ours.map(|it| it[i]),
                difference,
                ..Beside::of(&lab.entries[row.entry], "monotonicity", parameter.clone())
            });
        }
    }
    all
}

/// For the chart: what moves in vain on the largest cluster, against the share of nodes that left.
pub(super) fn series(lab: &Lab<'_>, moves: &Moves) -> Vec<SeriesRow> {
    let largest = lab.survey.sizes.iter().max();
    let mut all = Vec::new();
    let few = moves.rows.iter().filter(|row| {
        Some(&row.nodes) == largest
            && Some(&row.multiplier) == lab.survey.key_multipliers.first()
            && Some(&row.distribution) == lab.survey.distributions.first()
    });
    for row in few {
        let label = lab.entries[row.entry].label();
        let theirs = row.counts.share_from_others();
        all.push(
            SeriesRow::point("theirs", row.fraction, theirs, "share of moved keys").named(&label),
        );
        if let Some([_, collateral, _]) = moves.ours(row) {
            all.push(
                SeriesRow::point("ours", row.fraction, collateral, "share of keys").named(&label),
            );
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        // Four nodes, the last two leave. A key of each; the second moves in vain and stays away, the
        // third comes back to the last.
        let places = [[0, 0, 0], [1, 0, 0], [2, 1, 3], [3, 0, 3]];
        let counts = Counts::of(&places, 4, 2);
        let expected = Counts {
            in_removed: 2,
            from_removed: 2,
            from_others: 1,
            losing: 3,
            to_restored: 2,
            to_others: 0,
            gaining: 1,
            relocated: 2,
            changed: 2,
        };
        assert_eq!(counts, expected);
        assert!((counts.share_from_others() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn products_are_cut_one_by_one() {
        assert_eq!(cut(10, 0.3), (3, 7));
        // Two of 25 leave, and 22 count as staying.
        assert_eq!(cut(25, 0.1), (2, 22));
        // None of the survey's own sizes and fractions is concerned.
        for n in [10, 100, 1000, 10_000, 100_000] {
            for fraction in [0.1, 0.3, 0.5] {
                let (leaving, staying) = cut(n, fraction);
                assert_eq!(leaving + staying, n, "{fraction}");
            }
        }
    }
}
