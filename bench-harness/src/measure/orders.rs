//! The same changes in two orders: do two clusters that took them agree?

use router::{Cluster, Keys, NodeId, NodeSpec};

use super::ask::place;

/// Two clusters that went through the same removals in different order.
pub(super) struct Orders {
    pub(super) clusters: [Cluster; 2],
}

impl Orders {
    /// Asks both for the owners of keys: how many differ. `owners` has room for an owner a key.
    pub(super) fn ask(
        &self,
        keys: Keys<'_>,
        owners_before: &[NodeId],
        owners: &mut [NodeId],
    ) -> u64 {
        let mut others = vec![NodeId::default(); keys.len()];
        let before = Some(owners_before);
        place(&self.clusters[0], keys, before, owners);
        place(&self.clusters[1], keys, before, &mut others);
        // The two are clones of one cluster, so their ids mean the same names.
        let differing = owners.iter().zip(&others).filter(|(a, b)| a != b);
        differing.count() as u64
    }
}

/// The trial behind `order_disagreement`, for a strategy that does not claim to be order-free;
/// `None` for one that does, whose claim the contract suite tests.
pub(super) fn order_trial(
    before: &Cluster,
    seed: u64,
    nodes: &[NodeSpec],
) -> Option<Result<Orders, String>> {
    if before.spec().capabilities().order_free || nodes.len() < 3 {
        return None;
    }
    let orders = crate::workload::two_orders(seed, nodes, 10);
    let mut clusters = [before.clone(), before.clone()];
    for (cluster, order) in clusters.iter_mut().zip(&orders) {
        // One by one, as they would come in over a day; all at once could hide the order.
        for change in order {
            if let Err(err) = cluster.apply(std::slice::from_ref(change)) {
                return Some(Err(err.to_string()));
            }
        }
    }
    if !clusters[0].serves() {
        return None; // two empty clusters do not disagree
    }
    Some(Ok(Orders { clusters }))
}
