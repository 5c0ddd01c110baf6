//! Request load: how evenly requests lie when some keys are asked more often than others.

use router::NodeId;

use super::{
    ask::place,
    balance::{by_place, deploy, weight_shares},
    cell::{Outcome, Sample},
    grid::{Contender, Request},
    load::Load,
};
use crate::workload::{Popularity, ranks};

/// Distinct keys a node: the few that make up most requests decide.
const KEYS_PER_NODE: u64 = 100;

/// Measures `peak_to_avg`, `min_to_avg` and `cv` of requests for one seed, once a popularity. The
/// samples stand under the names of their scenarios.
pub(super) fn measure(
    request: &Request,
    contender: &Contender,
    n: u64,
    seed: u64,
) -> Vec<(String, Sample)> {
    let n_keys = KEYS_PER_NODE * n;
    let named = |popularity: Popularity, keys, outcome| {
        let sample = Sample {
            change: "none".to_owned(),
            nodes: n,
            nodes_after: n,
            keys,
            outcome,
        };
        (popularity.scenario(request.key_set.name()), sample)
    };
    let cluster = match deploy(contender, &request.deployment(seed, n)) {
        Ok(cluster) => cluster,
        Err(why) => {
            let refused = |it| named(it, 0, Outcome::Unsupported("peak_to_avg", why.clone()));
            return Popularity::ALL.into_iter().map(refused).collect();
        }
    };
    let keys = request.key_set.keys(seed, n_keys);
    let mut owners = vec![NodeId::default(); keys.len()];
    place(&cluster, keys.keys(), None, &mut owners);
    let (weights, ranks) = (weight_shares(&cluster), ranks(seed, keys.len()));
    let ids = cluster.nodes().iter().map(|node| node.id.index() + 1);
    let n_ids = ids.max().unwrap_or(0);
    Popularity::ALL
        .into_iter()
        .map(|popularity| {
            let requests = popularity.requests(keys.len());
            let mut by_id = vec![0; n_ids];
            for (owner, &rank) in owners.iter().zip(&ranks) {
                by_id[owner.index()] += requests[rank];
            }
            let counts = by_place(&cluster, &by_id);
            let load = Load {
                counts: &counts,
                weights: &weights,
            };
            let values = vec![
                ("peak_to_avg", Some(load.peak())),
                ("min_to_avg", Some(load.min())),
                ("cv", Some(load.cv())),
            ];
            named(popularity, n_keys, Outcome::Values(values))
        })
        .collect()
}
