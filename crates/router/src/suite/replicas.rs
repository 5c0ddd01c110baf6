//! The owners that a key prefers, in order.

use crate::{Cluster, NodeId};

use super::{
    Bench, Checked, Stop,
    answers::only_present,
    cannot_serve,
    moves::promises_minimal,
    show::{show_key, show_nodes, show_owner},
    worlds::{Depth, Transition, everywhere},
};

fn no_replicas() -> Stop {
    Stop::Unsupported("it does not claim replicas".into())
}

/// Preferred owners are distinct, begin with the owner, and a longer list with a shorter.
pub(super) fn preference(bench: &Bench) -> Checked {
    if !bench.caps.replicas {
        return Err(no_replicas());
    }
    everywhere(bench, Depth::Shallow, &|it| {
        let cluster = &it.after.cluster;
        for (i, key) in it.keys.keys().iter().enumerate() {
            sound_preference(cluster, key, it.after.owners[i])
                .map_err(|err| format!("{}: {err}; {}", show_key(key), show_nodes(cluster)))?;
        }
        Ok(())
    })
}

fn sound_preference(cluster: &Cluster, key: &[u8], owner: Option<NodeId>) -> Result<(), String> {
    let n_weighted = cluster
        .nodes()
        .iter()
        .filter(|node| node.weight > 0)
        .count();
    let ask = |n| {
        cluster
            .preference(key, n)
            .ok_or("`preference` answers None")
    };
    let all = ask(n_weighted + 2)?;
    let names = |list: &[NodeId]| -> String {
        let names = list.iter().map(|&id| show_owner(cluster, Some(id)));
        names.collect::<Vec<_>>().join(", ")
    };
    for (place, &id) in all.iter().enumerate() {
        only_present(cluster, Some(id)).map_err(|err| format!("choice {} {err}", place + 1))?;
        if all[..place].contains(&id) {
            return Err(format!(
                "{} occurs twice in {}",
                show_owner(cluster, Some(id)),
                names(&all)
            ));
        }
    }
    if all.len() != n_weighted {
        let missing = format!(
            "{n_weighted} nodes have weight, but the list is {}",
            names(&all)
        );
        return Err(missing);
    }
    if all.first().copied() != owner {
        let owner = show_owner(cluster, owner);
        return Err(format!(
            "the owner is {owner}, but the list is {}",
            names(&all)
        ));
    }
    for n in [0, 1, 2, 3, n_weighted, usize::MAX] {
        let list = ask(n)?;
        if list != all[..n.min(all.len())] {
            return Err(format!(
                "the first {n} are {}, but the list is {}",
                names(&list),
                names(&all)
            ));
        }
    }
    Ok(())
}

/// The second preferred owner is the owner once the first is gone.
pub(super) fn failover(bench: &Bench) -> Checked {
    if !bench.caps.replicas {
        return Err(no_replicas());
    }
    if !bench.caps.minimal {
        return Err(Stop::Unsupported("it does not claim to be minimal".into()));
    }
    everywhere(bench, Depth::Shallow, &|it| {
        let cluster = &it.after.cluster;
        let nodes = cluster.nodes();
        let can_leave = match it.caps.any_removal {
            true => &nodes[..],
            false => &nodes[nodes.len().saturating_sub(1)..],
        };
        for node in can_leave {
            let mut without = cluster.clone();
            match without.remove(&node.name) {
                Ok(()) => {}
                Err(err) if cannot_serve(&err) => continue,
                Err(err) => return Err(format!("a legal change was refused: {err}")),
            }
            if without.serves() && promises_minimal(it.caps, cluster, &without) {
                second_takes_over(it, node.id, &without)?;
            }
        }
        Ok(())
    })
}

fn second_takes_over(it: &Transition<'_>, first: NodeId, without: &Cluster) -> Result<(), String> {
    let cluster = &it.after.cluster;
    for (i, key) in it.keys.keys().iter().enumerate() {
        if it.after.owners[i] != Some(first) {
            continue;
        }
        let list = cluster.preference(key, 2).unwrap_or_default();
        let (second, heir) = (list.get(1).copied(), without.route(key));
        if second != heir {
            return Err(format!(
                "{}: after {} comes {}, but without it the owner is {}; {}",
                show_key(key),
                show_owner(cluster, Some(first)),
                show_owner(cluster, second),
                show_owner(without, heir),
                show_nodes(cluster)
            ));
        }
    }
    Ok(())
}
