//! What every answer must be: the same again, and a node that is there.

use std::thread;

use crate::{Cluster, Error, KeyBuf, NodeId, NodeSpec, Spec};

use super::{
    Bench, Checked, Stop, cannot_serve,
    draw::{ADDRESSES, Rng, hostile_keys},
    guard,
    show::{show_key, show_nodes, show_owner},
    worlds::{Depth, everywhere, first_difference, owners},
};

/// Only nodes that are present and have weight own keys, after every history.
pub(super) fn present(bench: &Bench) -> Checked {
    everywhere(bench, Depth::Deep, &|it| {
        let cluster = &it.after.cluster;
        for (i, &owner) in it.after.owners.iter().enumerate() {
            let Err(err) = only_present(cluster, owner) else {
                continue;
            };
            let key = show_key(it.keys.keys().get(i));
            let stranger = owner.filter(|&id| cluster.name(id).is_none());
            return Err(match stranger.and_then(|id| it.before.cluster.name(id)) {
                Some(gone) => format!("{key} is on {gone}, which is gone"),
                None => format!("{key} {err}"),
            });
        }
        Ok(())
    })
}

/// Whether `owner` may own keys in this cluster.
pub(super) fn only_present(cluster: &Cluster, owner: Option<NodeId>) -> Result<(), String> {
    let weight = owner
        .and_then(|id| cluster.nodes().get(id))
        .map(|node| node.weight);
    match (owner, weight) {
        (None, _) if !cluster.serves() => Ok(()),
        (Some(_), Some(1..)) if cluster.serves() => Ok(()),
        (Some(_), Some(0)) => Err(format!(
            "is on {}, which has weight 0",
            show_owner(cluster, owner)
        )),
        _ => Err(format!(
            "is on {} among the {}",
            show_owner(cluster, owner),
            show_nodes(cluster)
        )),
    }
}

/// Without a node that has weight no key has an owner; with one again, all have.
pub(super) fn empty(bench: &Bench) -> Checked {
    let keys = Rng::new(10).hex_keys(20);
    let names = &ADDRESSES[..bench.room(3)];
    for spec in [&bench.small, &bench.spec] {
        comes_and_goes(bench, spec, names, &keys).map_err(|stop| stop.naming(bench, spec))?;
    }
    Ok(())
}

fn comes_and_goes(bench: &Bench, spec: &Spec, names: &[&str], keys: &KeyBuf) -> Checked {
    let mut cluster = bench.build(spec, &[])?;
    nobody_owns(bench, &cluster, keys, "it is empty")?;
    for round in ["at first", "when it was empty again"] {
        for &name in names {
            refuse_not(cluster.add(name))?;
            somebody_owns(bench, &cluster, keys, &format!("{name} joined, {round}"))?;
        }
        for &name in names.iter().rev() {
            refuse_not(cluster.remove(name))?;
        }
        nobody_owns(bench, &cluster, keys, "all nodes left")?;
    }
    if bench.weighted() {
        let idle: Vec<NodeSpec> = names.iter().map(|&name| NodeSpec::new(name, 0)).collect();
        let mut cluster = bench.build(spec, &idle)?;
        nobody_owns(bench, &cluster, keys, "all weights are 0")?;
        refuse_not(cluster.set_weight(names[0], 1))?;
        somebody_owns(bench, &cluster, keys, "one weight is 1")?;
        refuse_not(cluster.set_weight(names[0], 0))?;
        nobody_owns(bench, &cluster, keys, "all weights are 0 again")?;
    }
    Ok(())
}

/// Turns the refusal of a legal change into a failure, unless the strategy may.
pub(super) fn refuse_not(done: Result<(), Error>) -> Checked {
    done.map_err(|err| match cannot_serve(&err) {
        true => Stop::Unsupported(err.to_string()),
        false => Stop::Failed(format!("a legal change was refused: {err}")),
    })
}

fn nobody_owns(bench: &Bench, cluster: &Cluster, keys: &KeyBuf, when: &str) -> Checked {
    bench.count(1);
    let one = keys.keys().get(0);
    let mut batch = vec![NodeId::default(); keys.len()];
    let answers = [
        ("route", owners(cluster, keys).iter().any(Option::is_some)),
        ("route_batch", cluster.route_batch(keys.keys(), &mut batch)),
        (
            "preference",
            cluster.preference(one, 2).is_some_and(|it| !it.is_empty()),
        ),
        ("shares", cluster.shares().is_some()),
        ("trace", cluster.trace(one).is_some()),
        ("points", cluster.points().is_some_and(|it| !it.is_empty())),
    ];
    match answers.iter().find(|(_, answered)| *answered) {
        None => Ok(()),
        Some((method, _)) => Err(Stop::Failed(format!("{method} answers although {when}"))),
    }
}

fn somebody_owns(bench: &Bench, cluster: &Cluster, keys: &KeyBuf, when: &str) -> Checked {
    bench.count(1);
    for (key, owner) in keys.keys().iter().zip(owners(cluster, keys)) {
        only_present(cluster, owner)
            .map_err(|err| Stop::Failed(format!("{when}: {} {err}", show_key(key))))?;
    }
    Ok(())
}

/// A node that is alone owns every key.
pub(super) fn single(bench: &Bench) -> Checked {
    let mut keys = Rng::new(11).hex_keys(64);
    for key in hostile_keys() {
        keys.push(&key);
    }
    let long = "n".repeat(255);
    let names = ["a", "1", ADDRESSES[0], "caf\u{e9} \u{1f980}", " ", &long];
    for spec in [&bench.small, &bench.spec] {
        for name in names {
            alone(bench, spec, name, &keys).map_err(|stop| stop.naming(bench, spec))?;
        }
    }
    Ok(())
}

fn alone(bench: &Bench, spec: &Spec, name: &str, keys: &KeyBuf) -> Checked {
    let mut cluster = match Cluster::build(spec, &[name.into()]) {
        Ok(cluster) => cluster,
        // A strategy may refuse members for reasons of its own, but not one plain address.
        Err(err) if cannot_serve(&err) && name != ADDRESSES[0] => return Ok(()),
        Err(err) => {
            return Err(Stop::Failed(format!(
                "{name:?} alone cannot be served: {err}"
            )));
        }
    };
    owns_all(bench, &cluster, name, keys, "built alone")?;
    if bench.room(2) < 2 {
        return Ok(());
    }
    refuse_not(cluster.add(ADDRESSES[1]))?;
    refuse_not(cluster.remove(ADDRESSES[1]))?;
    owns_all(bench, &cluster, name, keys, "left by another node")?;
    if bench.weighted() {
        refuse_not(cluster.add(NodeSpec::new(ADDRESSES[1], 0)))?;
        owns_all(bench, &cluster, name, keys, "beside a node of weight 0")?;
    }
    Ok(())
}

fn owns_all(bench: &Bench, cluster: &Cluster, name: &str, keys: &KeyBuf, how: &str) -> Checked {
    bench.count(keys.len());
    for key in keys.keys().iter() {
        let owner = cluster.route(key);
        if owner.and_then(|id| cluster.name(id)) != Some(name) {
            return Err(Stop::Failed(format!(
                "{name:?}, {how}, does not own {}: it is on {}",
                show_key(key),
                show_owner(cluster, owner)
            )));
        }
    }
    Ok(())
}

/// A key has the same owner again, in a second router, and on other threads.
pub(super) fn repeatable(bench: &Bench) -> Checked {
    let mut rng = Rng::new(12);
    let keys = rng.hex_keys(100);
    for n in [2, 7, 40] {
        let names = rng.addresses(bench.room(n));
        let cluster = bench.cluster(&names)?;
        let first: Vec<_> = keys.keys().iter().map(|key| cluster.route(key)).collect();
        let differs = |how: &str, again: &[Option<NodeId>]| -> Checked {
            bench.count(again.len());
            match first_difference(&first, again) {
                None => Ok(()),
                Some(i) => Err(Stop::Failed(format!(
                    "{} is on {}, but on {} {how}; {}",
                    show_key(keys.keys().get(i)),
                    show_owner(&cluster, first[i]),
                    show_owner(&cluster, again[i]),
                    show_nodes(&cluster)
                ))),
            }
        };
        // Backwards, so that what was asked before is different for every key.
        let backwards = (0..keys.len())
            .rev()
            .map(|i| cluster.route(keys.keys().get(i)));
        let mut again: Vec<_> = backwards.collect();
        again.reverse();
        differs("when asked again", &again)?;
        // Ids count from 1 in the order of joining, so clusters built alike can be compared by them.
        let second = bench.cluster(&names)?;
        differs("in a second cluster", &owners(&second, &keys))?;
        for on_thread in ask_on_threads(&cluster, &keys)? {
            differs("when four threads ask at once", &on_thread)?;
        }
    }
    Ok(())
}

fn ask_on_threads(cluster: &Cluster, keys: &KeyBuf) -> Result<Vec<Vec<Option<NodeId>>>, String> {
    thread::scope(|scope| {
        let asking: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| guard(|| owners(cluster, keys))))
            .collect();
        asking
            .into_iter()
            .map(|thread| thread.join().expect("it guards against panics"))
            .collect()
    })
}
