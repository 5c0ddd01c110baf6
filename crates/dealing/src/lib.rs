//! Whole things (slots, keys, places for keys) dealt out to nodes by weight, with the fewest moves.
//!
//! A node's ideal is its weight's part of all things, which is seldom a whole number. Its quota is
//! that number rounded down or up, so that all quotas together are all things. Which are rounded up
//! is decided so that the fewest things change hands: first nodes that hold more than the rounded-down
//! number already, then those whose ideal was cut most, then those that are listed first.
//!
//! ```text
//!   10 things, weights 1 1 1 1        ideal    2.5  2.5  2.5  2.5
//!   held                                         2    3    1    3      one thing is nobody's
//!   quota                                        2    3    2    3      2 and 4 hold more than 2
//! ```
//!
//! # Cost
//!
//! n nodes, T things: quotas take n log n steps, settling n + T, ordering keys T log T. Nothing depends on
//! the machine.

use point_hash::xxh3_seeded;
use router::{Keys, NodeId};

/// Returns how many of `total` things each node should have: `total * weight / sum of weights`,
/// rounded down or up. The quotas add up to `total`, or are all 0 when no node has weight.
///
/// `held` is what each node has now.
///
/// # Panics
///
/// When the two lists differ in length.
#[must_use]
pub fn quotas(total: u64, weights: &[u32], held: &[u64]) -> Vec<u64> {
    assert_eq!(weights.len(), held.len(), "a weight and a number a node");
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let scaled = |weight: u32| u128::from(total) * u128::from(weight);
    let mut quotas: Vec<u64> = weights
        .iter()
        .map(|&weight| u64::try_from(scaled(weight) / sum).expect("at most the total"))
        .collect();
    let rest = total - quotas.iter().sum::<u64>();
    // What was cut off adds up to the rest and is below 1 for each, so there are enough of these.
    let mut cut: Vec<usize> = (0..weights.len())
        .filter(|&i| scaled(weights[i]) % sum > 0)
        .collect();
    cut.sort_by_key(|&i| {
        let holds_more = held[i] > quotas[i];
        (!holds_more, sum - scaled(weights[i]) % sum)
    });
    for &i in cut
        .iter()
        .take(usize::try_from(rest).expect("below the number of nodes"))
    {
        quotas[i] += 1;
    }
    quotas
}

/// Moves things between nodes until each has its [`quotas`], with the fewest moves. `owners` names
/// the owner of every thing, `None` where it is nobody's; `nodes` are those present with their
/// weights. When no node has weight, all things become nobody's.
///
/// Exactly: every node keeps its first things, as many as its quota allows; what is nobody's then,
/// because it is beyond a quota, had no owner, or an owner that is not among `nodes`, goes from first
/// to last to the first listed node that is short.
pub fn settle(nodes: &[(NodeId, u32)], owners: &mut [Option<NodeId>]) {
    let n_ids = nodes.iter().map(|(id, _)| id.index() + 1).max();
    // The place in `nodes` of every id, so that a thing's owner is found at once.
    let mut places = vec![None; n_ids.unwrap_or(0)];
    for (place, (id, _)) in nodes.iter().enumerate() {
        places[id.index()] = Some(place);
    }
    let place = |owner: Option<NodeId>| owner.and_then(|id| *places.get(id.index())?);
    let mut held = vec![0; nodes.len()];
    for place in owners.iter().filter_map(|&owner| place(owner)) {
        held[place] += 1;
    }
    let weights: Vec<u32> = nodes.iter().map(|&(_, weight)| weight).collect();
    let mut room = quotas(owners.len() as u64, &weights, &held);
    for owner in owners.iter_mut() {
        match place(*owner) {
            Some(place) if room[place] > 0 => room[place] -= 1,
            _ => *owner = None,
        }
    }
    let mut short = 0;
    for owner in owners.iter_mut().filter(|owner| owner.is_none()) {
        while room.get(short) == Some(&0) {
            short += 1;
        }
        if let Some(room) = room.get_mut(short) {
            *room -= 1;
            *owner = Some(nodes[short].0);
        }
    }
}

/// Returns each owner's part of a table, in order of ids.
#[must_use]
pub fn shares(table: &[NodeId]) -> Vec<(NodeId, f64)> {
    let mut sorted = table.to_vec();
    sorted.sort_unstable();
    let of_node = sorted.chunk_by(|one, other| one == other);
    let all = table.len() as f64;
    of_node
        .map(|entries| (entries[0], entries.len() as f64 / all))
        .collect()
}

/// Returns the places of the keys in an order that does not depend on the one in which they are
/// given: by their XXH3-64 with seed 1, then by their bytes; equal keys as they are given.
#[must_use]
pub fn by_hash(keys: Keys<'_>) -> Vec<usize> {
    let hashes = keys.iter().map(|key| xxh3_seeded(key, 1));
    let mut order: Vec<(u64, usize)> = hashes.zip(0..).collect();
    order.sort_unstable_by(|&(one, i), &(other, j)| {
        let by_key = || keys.get(i).cmp(keys.get(j));
        one.cmp(&other).then_with(by_key).then(i.cmp(&j))
    });
    order.into_iter().map(|(_, i)| i).collect()
}
