//! Asking a cluster for the owners of many keys, within a budget of counted work.

use router::{Cluster, KeyBuf, Keys, NodeId, Spec};

use super::{
    balance::deploy,
    grid::{Contender, Request},
};
use crate::workload::KeySet;

/// Keys that are held at a time, where a key's owner does not depend on the other keys.
const CHUNK: u64 = 1 << 16;

/// The most keys of a set that is placed at once, which takes some 50 bytes a key.
const MOST_PLACED: u64 = 1 << 24;

/// Keys whose look-ups are counted to estimate the cost of all.
const TRACED: u64 = 1000;

/// Units of work a key: probes and four times the hash evaluations as `route_batch` does them, the
/// mean over the first 1000 keys. 5 (one hash and one probe) where the strategy does not say.
fn units(cluster: &Cluster, key_set: &KeySet, seed: u64) -> f64 {
    let keys = key_set.keys(seed, TRACED);
    let traces: Vec<_> = keys
        .keys()
        .iter()
        .map_while(|key| cluster.trace(key))
        .collect();
    if traces.is_empty() {
        return 5.0;
    }
    let sum: f64 = traces
        .iter()
        .map(|trace| trace.batch_probes + 4.0 * f64::from(trace.hash_evals))
        .sum();
    (sum / traces.len() as f64).max(1.0)
}

/// How many of `wanted` keys a cell of this contender and size may ask: the number that the user
/// gave, or else `wanted`, halved until it fits the budget. Decided on seed 0, for all seeds alike.
///
/// # Errors
///
/// What the cell would cost, when fewer than 10 keys a node would be left.
pub(super) fn keys_for(
    request: &Request,
    contender: &Contender,
    key_set: &KeySet,
    n: u64,
    wanted: u64,
) -> Result<u64, String> {
    if let Some(n_keys) = request.n_keys {
        return Ok(key_set.available().map_or(n_keys, |len| n_keys.min(len)));
    }
    if let Some(len) = key_set.available() {
        return Ok(len);
    }
    match deploy(contender, &request.deployment(0, n)) {
        Ok(cluster) => affordable(
            wanted.min(most_keys(&contender.spec)),
            units(&cluster, key_set, 0),
            request.profile.budget,
            n,
        ),
        // Refused nodes are said where they are asked.
        Err(_) => Ok(wanted),
    }
}

/// `keys`, halved until they fit the budget.
fn affordable(keys: u64, units: f64, budget: f64, nodes: u64) -> Result<u64, String> {
    let mut fitting = keys;
    while fitting as f64 * units > budget {
        fitting /= 2;
        if fitting < 10 * nodes {
            return Err(format!(
                "{:.3e} units of work, the profile allows {budget:.0e}",
                keys as f64 * units
            ));
        }
    }
    Ok(fitting)
}

/// The most keys that a cell may ask, whatever they cost.
fn most_keys(spec: &Spec) -> u64 {
    if spec.capabilities().knows_load {
        MOST_PLACED
    } else {
        u64::MAX
    }
}

/// Passes keys number 0 to `n` of a key set to `visit`, in order: a chunk at a time, or all at once
/// for a strategy that knows load, which places whole sets.
pub(super) fn for_each_chunk<E>(
    spec: &Spec,
    key_set: &KeySet,
    seed: u64,
    n: u64,
    mut visit: impl FnMut(Keys<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let chunk = if spec.capabilities().knows_load {
        n
    } else {
        CHUNK
    };
    let mut buf = KeyBuf::new();
    let mut start = 0;
    while start < n {
        let end = n.min(start + chunk);
        buf.clear();
        key_set.fill(seed, start..end, &mut buf);
        visit(buf.keys())?;
        start = end;
    }
    Ok(())
}

/// Writes the owner of every key: one by one, or, for a strategy that knows load, of the set placed
/// as a whole, where `before` holds the owners before, if there were any. Asked only while some node
/// has weight.
pub(super) fn place(
    cluster: &Cluster,
    keys: Keys<'_>,
    before: Option<&[NodeId]>,
    owners: &mut [NodeId],
) {
    if !cluster.spec().capabilities().knows_load {
        cluster.route_batch(keys, owners);
        return;
    }
    let mut placed: Vec<Option<NodeId>> = match before {
        Some(before) => before.iter().copied().map(Some).collect(),
        None => vec![None; keys.len()],
    };
    let answered = cluster.assign(keys, &mut placed);
    answered.expect("a strategy that knows load places key sets");
    for (owner, placed) in owners.iter_mut().zip(placed) {
        *owner = placed.expect("while a node has weight, every key is placed");
    }
}

/// The owner of every key, as [`place`] writes it.
pub(crate) fn placed(cluster: &Cluster, keys: Keys<'_>, before: Option<&[NodeId]>) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    place(cluster, keys, before, &mut owners);
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_halved_until_they_fit() {
        assert_eq!(affordable(1000, 10.0, 1e4, 10), Ok(1000));
        assert_eq!(affordable(1000, 10.0, 9999.0, 10), Ok(500));
        assert_eq!(
            affordable(1000, 10.0, 1000.0, 10),
            Err("1.000e4 units of work, the profile allows 1e3".to_owned())
        );
    }
}
