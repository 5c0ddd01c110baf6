//! What a change may do to keys: how few may move, and what must come back.

use crate::{Capabilities, Change, Cluster, KeyBuf, NodeId, NodeSpec, Spec, WeightSupport};

use super::{
    Bench, Checked, Stop,
    draw::{COLLIDING, Rng, SHORT},
    show::{node_specs, show_history, show_key, show_nodes, show_owner},
    worlds::{Depth, everywhere, first_difference, owners},
};

/// A change moves keys only from nodes that leave or to nodes that join.
pub(super) fn minimal(bench: &Bench) -> Checked {
    if !bench.caps.minimal {
        return Err(Stop::Unsupported("it does not claim to be minimal".into()));
    }
    everywhere(bench, Depth::Deep, &|it| {
        let (before, after) = (&it.before.cluster, &it.after.cluster);
        if !promises_minimal(it.caps, before, after) {
            return Ok(());
        }
        let moves = it.before.owners.iter().zip(&it.after.owners);
        for (i, (&from, &to)) in moves.enumerate() {
            let (Some(old), Some(new)) = (from, to) else {
                continue;
            };
            if old != new && kept(before, after, old) && kept(before, after, new) {
                return Err(format!(
                    "{} moved from {} to {}, which both stayed as they were",
                    show_key(it.keys.keys().get(i)),
                    show_owner(before, from),
                    show_owner(after, to),
                ));
            }
        }
        Ok(())
    })
}

/// Whether the claim to be minimal covers the step between these two: with unequal weights only if
/// the strategy says so of weights too.
pub(super) fn promises_minimal(caps: &Capabilities, before: &Cluster, after: &Cluster) -> bool {
    let nodes = before.nodes().iter().chain(after.nodes().iter());
    let mut weights = nodes.map(|node| node.weight);
    let first = weights.next();
    let all_equal = weights.all(|weight| Some(weight) == first);
    caps.minimal && (caps.weights == WeightSupport::Minimal || all_equal)
}

/// Whether a node is there before and after, with the same weight.
pub(super) fn kept(before: &Cluster, after: &Cluster, id: NodeId) -> bool {
    let weight = |cluster: &Cluster| cluster.nodes().get(id).map(|node| node.weight);
    weight(before).is_some() && weight(before) == weight(after)
}

/// A change undone leaves every key where it was before.
pub(super) fn undo(bench: &Bench) -> Checked {
    if !bench.caps.history_free {
        return Err(not_history_free());
    }
    everywhere(bench, Depth::Deep, &|it| {
        let before = &it.before.cluster;
        let mut cluster = it.after.cluster.clone();
        let inverse: Vec<Change> = it
            .changes
            .iter()
            .rev()
            .map(|change| inverse(change, before))
            .collect();
        cluster
            .apply(&inverse)
            .map_err(|err| format!("{} was refused: {err}", show_history(&inverse)))?;
        // A node that left and came back stands at the end now. Where order matters, that is
        // another cluster.
        let in_order = node_specs(&cluster) == node_specs(before);
        if !in_order && !it.caps.order_free {
            return Ok(());
        }
        let undone = owners(&cluster, it.keys);
        match first_difference(&it.before.owners, &undone) {
            None => Ok(()),
            Some(i) => Err(format!(
                "and undone, {} is on {}, but before it was on {}",
                show_key(it.keys.keys().get(i)),
                show_owner(&cluster, undone[i]),
                show_owner(before, it.before.owners[i]),
            )),
        }
    })
}

/// The change that takes `change` back, where `before` is the cluster that it was made in.
fn inverse(change: &Change, before: &Cluster) -> Change {
    let as_before = |name: &str| {
        let node = before.nodes().iter().find(|node| &*node.name == name);
        NodeSpec::new(name, node.expect("it was there before").weight)
    };
    match change {
        Change::Add(node) => Change::Remove(node.name.clone()),
        Change::Remove(name) => Change::Add(as_before(name)),
        Change::SetWeight(node) => Change::SetWeight(as_before(&node.name)),
        Change::Replace { old, new } => Change::Replace {
            old: new.clone(),
            new: old.clone(),
        },
    }
}

fn not_history_free() -> Stop {
    Stop::Unsupported("it does not claim that past changes do not matter".into())
}

/// After any changes it answers as one built anew from its nodes.
pub(super) fn history(bench: &Bench) -> Checked {
    if !bench.caps.history_free {
        return Err(not_history_free());
    }
    everywhere(bench, Depth::Deep, &|it| {
        let cluster = &it.after.cluster;
        let fresh = Cluster::build(cluster.spec(), &node_specs(cluster))
            .map_err(|err| format!("it cannot be built anew: {err}"))?;
        let fresh = places(&fresh, &owners(&fresh, it.keys));
        let here = places(cluster, &it.after.owners);
        match first_difference(&here, &fresh) {
            None => Ok(()),
            Some(i) => Err(format!(
                "{} is on {}, but on {} in a cluster built anew of the {}",
                show_key(it.keys.keys().get(i)),
                show_owner(cluster, it.after.owners[i]),
                show_place(cluster, fresh[i]),
                show_nodes(cluster),
            )),
        }
    })
}

/// Owners as places in the joining order, which clusters that were built apart have in common.
pub(super) fn places(cluster: &Cluster, owners: &[Option<NodeId>]) -> Vec<Option<usize>> {
    let nodes = cluster.nodes();
    owners
        .iter()
        .map(|owner| owner.and_then(|id| nodes.position(id)))
        .collect()
}

fn show_place(cluster: &Cluster, place: Option<usize>) -> String {
    show_owner(cluster, place.map(|place| cluster.nodes()[place].id))
}

/// The order in which nodes join does not matter.
pub(super) fn order(bench: &Bench) -> Checked {
    if !bench.caps.order_free {
        return Err(Stop::Unsupported(
            "it does not claim that joining order does not matter".into(),
        ));
    }
    let few = Rng::new(1).hex_keys(64);
    let many = Rng::new(2).hex_keys(bench.pick(1500, 3000));
    let weighted = |names: &[String]| -> Vec<NodeSpec> {
        let weights = [2, 1, 3, 0, 1];
        let with = |(i, name): (usize, &String)| NodeSpec::new(name, weights[i % weights.len()]);
        names.iter().enumerate().map(with).collect()
    };
    let mut rng = Rng::new(3);
    let mut sets: Vec<(&Spec, &KeyBuf, Vec<String>)> = vec![
        (&bench.small, &few, SHORT.map(String::from).to_vec()),
        (&bench.spec, &many, rng.addresses(12)),
        (&bench.spec, &many, rng.addresses(40)),
    ];
    for (one, other) in COLLIDING {
        let names = [one, other, "third"].map(String::from).to_vec();
        sets.push((&bench.spec, &many, names));
    }
    for (spec, keys, names) in sets {
        let names = &names[..bench.room(names.len())];
        let plain = names.iter().map(|it| it.as_str().into()).collect();
        agree(bench, spec, plain, keys).map_err(|stop| stop.naming(bench, spec))?;
        if bench.weighted() {
            let weighted = weighted(names);
            agree(bench, spec, weighted, keys).map_err(|stop| stop.naming(bench, spec))?;
        }
    }
    Ok(())
}

/// Builds clusters of `nodes` in many orders, all orders of a few, and compares the owners.
fn agree(bench: &Bench, spec: &Spec, nodes: Vec<NodeSpec>, keys: &KeyBuf) -> Checked {
    let by_name = |nodes: &[NodeSpec]| -> Result<Vec<String>, Stop> {
        let cluster = bench.build(spec, nodes)?;
        let owners = owners(&cluster, keys);
        Ok(owners
            .iter()
            .map(|&owner| show_owner(&cluster, owner))
            .collect())
    };
    let first = by_name(&nodes)?;
    for other in orders(&nodes, bench.pick(3, 8)) {
        bench.count(1);
        let second = by_name(&other)?;
        if let Some(i) = first_difference(&first, &second) {
            let names = |nodes: &[NodeSpec]| -> String {
                let adds: Vec<Change> = nodes.iter().cloned().map(Change::Add).collect();
                show_history(&adds)
            };
            return Err(Stop::Failed(format!(
                "{} is on {} after {}, but on {} after {}",
                show_key(keys.keys().get(i)),
                first[i],
                names(&nodes),
                second[i],
                names(&other),
            )));
        }
    }
    Ok(())
}

/// All orders of up to 4 nodes; of more, the reverse one and `n` random ones.
fn orders(nodes: &[NodeSpec], n: usize) -> Vec<Vec<NodeSpec>> {
    if nodes.len() > 4 {
        let mut rng = Rng::new(4);
        let mut orders = vec![nodes.iter().rev().cloned().collect()];
        orders.extend((0..n).map(|_| {
            let mut order = nodes.to_vec();
            rng.shuffle(&mut order);
            order
        }));
        return orders;
    }
    let mut orders = vec![Vec::new()];
    for node in nodes {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<NodeSpec>| {
                (0..=order.len()).map(|place| {
                    let mut longer = order.clone();
                    longer.insert(place, node.clone());
                    longer
                })
            })
            .collect();
    }
    orders
}
