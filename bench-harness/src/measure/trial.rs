//! A change under measurement: who owned each key before it, who owns it after it, and the books.

use router::{Change, Cluster, Keys, NodeId, NodeSpec};

use super::{
    ask::place,
    balance::{add_each, by_place, mark, weight_shares},
    books::{Parts, check_books, half_the_differences},
    cell::Values,
    load::Load,
};
use crate::workload::inverse;

/// A change that is measured: the cluster after it, and what each node is in it.
pub(super) struct Trial {
    pub(super) change: String,
    pub(super) after: Cluster,
    /// The cluster after the change was undone, where that is measured.
    restored: Option<Cluster>,
    /// What each id is in this change.
    pub(super) parts: Parts,
}

/// What has been seen of a change: counts of keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    keys: u64,
    moved: u64,
    /// Moved or not, whose old owner left, whose new owner joined, or one of whose owners has
    /// another weight.
    forced: u64,
    /// Moved between two nodes that the change did not touch.
    collateral: u64,
    not_restored: u64,
    /// Of the owners after the change.
    pub(super) checksum: u64,
    /// By id.
    after: Vec<u64>,
    /// Keys that came to each node, by id.
    gained: Vec<u64>,
}

impl Trial {
    pub(super) fn new(
        before: &Cluster,
        batches: &[Vec<Change>],
        change: String,
        undo: bool,
    ) -> Result<Self, String> {
        let mut after = before.clone();
        for batch in batches {
            after.apply(batch).map_err(|err| err.to_string())?;
        }
        if !after.serves() {
            return Err("no node with weight would be left".to_owned());
        }
        let restored = if undo {
            let mut restored = after.clone();
            for batch in inverse(batches, &specs(before)) {
                restored.apply(&batch).map_err(|err| err.to_string())?;
            }
            Some(restored)
        } else {
            None
        };
        let n_ids = before
            .nodes()
            .iter()
            .chain(after.nodes().iter())
            .map(|node| node.id.index() + 1)
            .max()
            .unwrap_or(0);
        let weights = |cluster: &Cluster| {
            let mut weights = vec![None; n_ids];
            for node in cluster.nodes().iter() {
                weights[node.id.index()] = Some(node.weight);
            }
            weights
        };
        let parts = Parts::new(&weights(before), &weights(&after));
        Ok(Self {
            change,
            after,
            restored,
            parts,
        })
    }

    /// Nothing seen yet.
    pub(super) fn nothing_seen(&self) -> Seen {
        Seen {
            after: vec![0; self.parts.len()],
            gained: vec![0; self.parts.len()],
            ..Seen::default()
        }
    }

    /// Asks keys, the first of them number `first`, and puts them to what was seen; `owners` is room for
    /// an owner a key.
    pub(super) fn ask(
        &self,
        seen: &mut Seen,
        (first, keys): (u64, Keys<'_>),
        owners_before: &[NodeId],
        owners: &mut [NodeId],
    ) {
        place(&self.after, keys, Some(owners_before), owners);
        seen.keys += keys.len() as u64;
        for (key, (&old, &new)) in (first..).zip(owners_before.iter().zip(&*owners)) {
            let forced = self.parts.forced(old.index(), new.index());
            seen.after[new.index()] += 1;
            seen.checksum = seen.checksum.wrapping_add(mark(key, new));
            seen.forced += u64::from(forced);
            if old != new {
                seen.moved += 1;
                seen.gained[new.index()] += 1;
                seen.collateral += u64::from(!forced);
            }
        }
        if let Some(restored) = &self.restored {
            let owners_after = owners.to_vec();
            place(restored, keys, Some(&owners_after), owners);
            let differing = owners_before.iter().zip(&*owners).filter(|(a, b)| a != b);
            seen.not_restored += differing.count() as u64;
        }
    }

    /// The values of this change, after the books were checked.
    pub(super) fn values(
        &self,
        seen: &Seen,
        before: &Cluster,
        before_by_id: &[u64],
    ) -> Result<Values, String> {
        let keys = seen.keys as f64;
        let differences: u64 = (0..self.parts.len())
            .map(|id| {
                let was = before_by_id.get(id).copied().unwrap_or(0);
                was.abs_diff(seen.after[id])
            })
            .sum();
        check_books([seen.moved, seen.forced, seen.collateral, differences].map(u128::from))?;
        let own_optimal = differences as f64 / 2.0 / keys;
        let moved = seen.moved as f64 / keys;
        let counts = by_place(&self.after, &seen.after);
        let weights = weight_shares(&self.after);
        let load = Load {
            counts: &counts,
            weights: &weights,
        };
        let receivers = self
            .after
            .nodes()
            .iter()
            .filter(|node| {
                self.parts.was_there(node.id.index()) && seen.gained[node.id.index()] > 0
            })
            .count();
        let mut values = vec![
            ("moved", Some(moved)),
            ("forced", Some(seen.forced as f64 / keys)),
            ("collateral", Some(seen.collateral as f64 / keys)),
            ("optimal", Some(optimal(before, &self.after))),
            ("own_optimal", Some(own_optimal)),
            ("peak_after", Some(load.peak())),
            ("cv_after", Some(load.cv())),
            ("receivers", Some(receivers as f64)),
        ];
        if self.parts.one_way() {
            values.push(("excess", (own_optimal > 0.0).then(|| moved / own_optimal)));
        }
        if self.restored.is_some() {
            values.push(("restored_mismatch", Some(seen.not_restored as f64 / keys)));
        }
        Ok(values)
    }
}

impl Seen {
    /// Takes in what was seen of the same change with other keys.
    pub(super) fn add(&mut self, other: &Self) {
        self.keys += other.keys;
        self.moved += other.moved;
        self.forced += other.forced;
        self.collateral += other.collateral;
        self.not_restored += other.not_restored;
        self.checksum = self.checksum.wrapping_add(other.checksum);
        add_each(&mut self.after, &other.after);
        add_each(&mut self.gained, &other.gained);
    }
}

/// Half the sum over all nodes of the change of their share of the weight.
pub(super) fn optimal(before: &Cluster, after: &Cluster) -> f64 {
    Shares::of(before).optimal(&Shares::of(after))
}

/// Each node's share of the weight in one cluster, to be held against those in others.
pub(super) struct Shares {
    /// In joining order.
    nodes: Vec<NodeId>,
    /// By id; `None` for one that is not there.
    by_id: Vec<Option<f64>>,
}

impl Shares {
    pub(super) fn of(cluster: &Cluster) -> Self {
        let nodes: Vec<NodeId> = cluster.nodes().iter().map(|node| node.id).collect();
        let n_ids = nodes.iter().map(|id| id.index() + 1).max().unwrap_or(0);
        let mut by_id = vec![None; n_ids];
        for (id, share) in nodes.iter().zip(weight_shares(cluster)) {
            by_id[id.index()] = Some(share);
        }
        Self { nodes, by_id }
    }

    fn get(&self, id: NodeId) -> Option<f64> {
        self.by_id.get(id.index()).copied().flatten()
    }

    /// Half the sum over all nodes of the change of their share, `self` before and `after` after.
    pub(super) fn optimal(&self, after: &Self) -> f64 {
        // Summed in joining order, so that the rounding is the same everywhere.
        let joined = after.nodes.iter().filter(|&&id| self.get(id).is_none());
        let share = |of: &Self, id| of.get(id).unwrap_or(0.0);
        let all = self.nodes.iter().chain(joined);
        half_the_differences(all.map(|&id| (share(self, id), share(after, id))))
    }
}

/// The members of a cluster, as specs.
fn specs(cluster: &Cluster) -> Vec<NodeSpec> {
    cluster
        .nodes()
        .iter()
        .map(|node| NodeSpec::new(&*node.name, node.weight))
        .collect()
}
