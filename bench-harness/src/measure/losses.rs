//! Losses of one node at a time: the capacity that survives any one of them.

use router::{Cluster, Keys, NodeId};

use super::{ask::place, balance::weight_shares, cell::Values, grid::Request};
use crate::workload::{Purpose, below, stream};

/// Nodes up to which every loss is tried in turn.
const N1_UP_TO: u64 = 100;

/// A cluster that lost one node.
pub(super) struct Loss {
    lost: NodeId,
    after: Cluster,
}

impl Loss {
    /// Asks keys, and counts them by the id of their owners.
    pub(super) fn ask(
        &self,
        by_id: &mut [u64],
        keys: Keys<'_>,
        owners_before: &[NodeId],
        owners: &mut [NodeId],
    ) {
        place(&self.after, keys, Some(owners_before), owners);
        for owner in owners {
            by_id[owner.index()] += 1;
        }
    }
}

/// The losses behind `n1_peak`, each of a node with weight: all, or as many as the profile says,
/// drawn by seed. Empty where they are not measured; why not, where the strategy refuses one.
pub(super) fn n1_losses(
    request: &Request,
    before: &Cluster,
    n: u64,
    seed: u64,
) -> Result<Vec<Loss>, String> {
    let mut nodes: Vec<_> = before
        .nodes()
        .iter()
        .filter(|node| node.weight > 0)
        .collect();
    if n > N1_UP_TO || nodes.len() < 2 {
        return Ok(Vec::new());
    }
    let mut rng = stream(seed, Purpose::Order);
    for i in 0..nodes.len() {
        let other = i + below(&mut rng, nodes.len() - i);
        nodes.swap(i, other);
    }
    nodes.truncate(usize::try_from(request.profile.n1_losses).unwrap_or(usize::MAX));
    nodes
        .into_iter()
        .map(|node| {
            let mut after = before.clone();
            after.remove(&node.name).map_err(|err| err.to_string())?;
            Ok(Loss {
                lost: node.id,
                after,
            })
        })
        .collect()
}

/// `n1_peak` and `failover_gain`: the worst over all losses and survivors; `after_by_id` has the counts
/// after each loss.
pub(super) fn n1_values(
    before: &Cluster,
    before_by_id: &[u64],
    losses: &[Loss],
    after_by_id: &[Vec<u64>],
) -> Values {
    let keys: u64 = before_by_id.iter().sum();
    let shares = weight_shares(before);
    let (mut peak, mut gain) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (loss, by_id) in losses.iter().zip(after_by_id) {
        for (node, share) in before.nodes().iter().zip(&shares) {
            if node.id == loss.lost || node.weight == 0 {
                continue;
            }
            let fair = keys as f64 * share;
            let after = by_id[node.id.index()] as f64;
            peak = peak.max(after / fair);
            gain = gain.max((after - before_by_id[node.id.index()] as f64) / fair);
        }
    }
    vec![("n1_peak", Some(peak)), ("failover_gain", Some(gain))]
}
