//! What changes are allowed, and that nothing else changes.

use crate::{Change, Cluster, ErrorKind, NodeSpec, Spec, WeightSupport};

use super::{
    Bench, Checked, Stop,
    answers::{only_present, refuse_not},
    cannot_serve,
    draw::{Rng, SHORT},
    show::{node_specs, show_history, show_key, show_nodes, show_owner},
    worlds::{Depth, Snapshot, everywhere, first_difference, owners},
};

/// A clone answers alike, and changing one leaves the other as it was.
pub(super) fn clones(bench: &Bench) -> Checked {
    everywhere(bench, Depth::Shallow, &|it| {
        // `after` is a clone of `before` that was changed.
        let same = |snapshot: &Snapshot, how: &str| {
            let again = owners(&snapshot.cluster, it.keys);
            match first_difference(&snapshot.owners, &again) {
                None => Ok(()),
                Some(i) => Err(format!(
                    "{} was on {} and is on {} {how}",
                    show_key(it.keys.keys().get(i)),
                    show_owner(&snapshot.cluster, snapshot.owners[i]),
                    show_owner(&snapshot.cluster, again[i]),
                )),
            }
        };
        same(it.before, "in the original, since its clone was changed")?;
        let clone = Snapshot {
            cluster: it.after.cluster.clone(),
            owners: it.after.owners.clone(),
        };
        same(&clone, "in a clone")?;
        let mut original = it.after.cluster.clone();
        let kept = Snapshot {
            cluster: original.clone(),
            owners: it.after.owners.clone(),
        };
        let last = original.nodes().last().map(|node| node.name.to_string());
        let changed = match last {
            Some(last) => original.remove(&last),
            None => original.add("another"),
        };
        match changed {
            Err(err) if !cannot_serve(&err) => Err(format!("a legal change was refused: {err}")),
            _ => same(&kept, "in a clone, since its original was changed"),
        }
    })
}

/// A refused change changes nothing.
pub(super) fn refused(bench: &Bench) -> Checked {
    use ErrorKind::{Duplicate, Name, NoWeights, OnlyLast, Unknown};
    let names = &SHORT[..bench.room(3)];
    let (first, last) = (names[0], names[names.len() - 1]);
    let add = |name: &str| Change::Add(name.into());
    let remove = |name: &str| Change::Remove(name.to_owned());
    let weigh = |name: &str, weight| Change::SetWeight(NodeSpec::new(name, weight));
    let replace = |old: &str, new: &str| Change::Replace {
        old: old.to_owned(),
        new: new.to_owned(),
    };
    let mut wrong = vec![
        (vec![add(first)], Duplicate),
        (vec![replace(last, first)], Duplicate),
        (vec![replace(first, first)], Duplicate),
        (vec![remove("ghost")], Unknown),
        (vec![remove("")], Unknown),
        (vec![remove("a ")], Unknown),
        (vec![weigh("ghost", 1)], Unknown),
        (vec![replace("ghost", "new")], Unknown),
        (vec![replace(first, "")], Name),
        (vec![replace(first, "a\nb")], Name),
        // Good changes before a bad one are not made either.
        (vec![remove(last), add("new"), remove(last)], Unknown),
        (vec![remove(last), add(last), add(last)], Duplicate),
        (vec![replace(first, "new"), remove(first)], Unknown),
    ];
    if bench.room(4) > names.len() {
        wrong.push((vec![add("")], Name));
        wrong.push((vec![add("new"), remove("ghost")], Unknown));
        wrong.push((vec![Change::Add(NodeSpec::new("n".repeat(256), 1))], Name));
    }
    if bench.caps.weights == WeightSupport::No {
        wrong.push((vec![weigh(first, 2)], NoWeights));
        wrong.push((vec![weigh(first, 0)], NoWeights));
        wrong.push((vec![weigh(first, 1), remove("ghost")], Unknown));
    } else {
        wrong.push((
            vec![weigh(first, 2), weigh(first, 3), remove("ghost")],
            Unknown,
        ));
    }
    if !bench.caps.any_removal && names.len() > 1 {
        wrong.push((vec![remove(first)], OnlyLast));
        wrong.push((vec![remove(last), add("new"), remove(first)], OnlyLast));
    }
    for spec in [&bench.small, &bench.spec] {
        for (changes, kind) in &wrong {
            is_refused(bench, spec, names, changes, *kind)
                .map_err(|stop| stop.naming(bench, spec))?;
        }
    }
    Ok(())
}

/// Checks that these changes of a cluster of these nodes are refused for that reason, and that
/// everything is as before.
fn is_refused(
    bench: &Bench,
    spec: &Spec,
    names: &[&str],
    changes: &[Change],
    kind: ErrorKind,
) -> Checked {
    bench.count(1);
    let keys = Rng::new(30).hex_keys(32);
    let nodes: Vec<NodeSpec> = names.iter().map(|&name| name.into()).collect();
    let mut cluster = bench.build(spec, &nodes)?;
    let before = owners(&cluster, &keys);
    let what = format!("{} of {}", show_history(changes), show_nodes(&cluster));
    match cluster.apply(changes) {
        Ok(()) => return Err(Stop::Failed(format!("{what}: accepted"))),
        Err(err) if err.kind() != kind => {
            return Err(Stop::Failed(format!(
                "{what}: refused as {:?}: {err}",
                err.kind()
            )));
        }
        Err(_) => {}
    }
    if node_specs(&cluster) != nodes || cluster.id("new").is_some() {
        return Err(Stop::Failed(format!(
            "{what}: refused, but the nodes changed"
        )));
    }
    match first_difference(&before, &owners(&cluster, &keys)) {
        None => Ok(()),
        Some(i) => Err(Stop::Failed(format!(
            "{what}: refused, but {} moved",
            show_key(keys.keys().get(i))
        ))),
    }
}

/// Any node can leave if that is claimed, else only the last.
pub(super) fn removal(bench: &Bench) -> Checked {
    let mut rng = Rng::new(31);
    let keys = rng.hex_keys(64);
    let mut sets: Vec<Vec<String>> = (1..=4)
        .map(|n| SHORT[..n].iter().map(|&it| it.into()).collect())
        .collect();
    sets.push(rng.addresses(12));
    for names in sets {
        let names = &names[..bench.room(names.len())];
        let cluster = bench.cluster(names)?;
        let before = owners(&cluster, &keys);
        for (place, name) in names.iter().enumerate() {
            bench.count(1);
            let what = format!("-{name} of {}", show_nodes(&cluster));
            let mut left = cluster.clone();
            let removed = left.remove(name);
            if !bench.caps.any_removal && place + 1 < names.len() {
                match removed {
                    Err(err) if err.kind() == ErrorKind::OnlyLast => {}
                    _ => {
                        return Err(Stop::Failed(format!(
                            "{what}: not refused, but it is not the last"
                        )));
                    }
                }
                if owners(&left, &keys) != before {
                    return Err(Stop::Failed(format!("{what}: refused, but keys moved")));
                }
                continue;
            }
            match removed {
                Ok(()) => {}
                Err(err) if cannot_serve(&err) => continue,
                Err(err) => return Err(Stop::Failed(format!("{what}: refused: {err}"))),
            }
            for (key, owner) in keys.keys().iter().zip(owners(&left, &keys)) {
                only_present(&left, owner)
                    .map_err(|err| format!("after {what}: {} {err}", show_key(key)))?;
            }
        }
    }
    Ok(())
}

/// It holds as many nodes as it claims and refuses one more.
pub(super) fn max_nodes(bench: &Bench) -> Checked {
    let mut rng = Rng::new(32);
    let keys = rng.hex_keys(500);
    let Some(max) = bench.caps.max_nodes else {
        // More than a byte can count.
        return holds(bench, &bench.cluster(&rng.addresses(bench.room(300)))?);
    };
    let max = max as usize;
    if max > 4096 {
        return Err(Stop::Unsupported(format!(
            "{max} nodes are too many to try"
        )));
    }
    let names = rng.addresses(max + 1);
    let (one_more, names) = names.split_last().expect("there is at least one");
    let mut cluster = bench.cluster(names)?;
    holds(bench, &cluster)?;
    let before = owners(&cluster, &keys);
    match cluster.add(one_more.as_str()) {
        Err(err) if err.kind() == ErrorKind::TooLarge => {}
        _ => {
            return Err(Stop::Failed(format!(
                "a node beyond the limit of {max} is not refused"
            )));
        }
    }
    if cluster.nodes().len() != max || owners(&cluster, &keys) != before {
        return Err(Stop::Failed(
            "a node beyond the limit was refused, but something changed".into(),
        ));
    }
    // A full cluster can still exchange nodes.
    let last = &names[max - 1];
    refuse_not(cluster.replace(last, one_more))?;
    holds(bench, &cluster)?;
    refuse_not(cluster.apply(&[
        Change::Remove(one_more.clone()),
        Change::Add(last.as_str().into()),
    ]))?;
    holds(bench, &cluster)
}

fn holds(bench: &Bench, cluster: &Cluster) -> Checked {
    let keys = Rng::new(33).hex_keys(500);
    bench.count(keys.len());
    for (key, owner) in keys.keys().iter().zip(owners(cluster, &keys)) {
        only_present(cluster, owner)
            .map_err(|err| format!("{} nodes: {} {err}", cluster.nodes().len(), show_key(key)))?;
    }
    Ok(())
}

/// A new name takes the place and the weight of the old one.
pub(super) fn replace(bench: &Bench) -> Checked {
    let mut rng = Rng::new(34);
    let few: Vec<Vec<String>> = (1..=3)
        .map(|n| SHORT[..n].iter().map(|&it| it.into()).collect())
        .collect();
    let mut sets: Vec<(&Spec, Vec<String>)> =
        few.into_iter().map(|it| (&bench.small, it)).collect();
    sets.push((&bench.spec, rng.addresses(10)));
    for (spec, names) in sets {
        let names = &names[..bench.room(names.len())];
        for place in 0..names.len() {
            replace_one(bench, spec, names, place).map_err(|stop| stop.naming(bench, spec))?;
        }
    }
    Ok(())
}

fn replace_one(bench: &Bench, spec: &Spec, names: &[String], place: usize) -> Checked {
    bench.count(1);
    let keys = Rng::new(35).hex_keys(64);
    let weight = if bench.weighted() { 3 } else { 1 };
    let nodes: Vec<NodeSpec> = names.iter().map(|it| NodeSpec::new(it, weight)).collect();
    let mut cluster = bench.build(spec, &nodes)?;
    let before = Snapshot::of(cluster.clone(), &keys);
    let what = format!("~{}<TAB>new of {}", names[place], show_nodes(&cluster));
    let old = cluster.id(&names[place]);
    refuse_not(cluster.replace(&names[place], "new"))?;
    let new = cluster.id("new");
    let mut wanted = nodes.clone();
    wanted[place].name = "new".into();
    if node_specs(&cluster) != wanted {
        return Err(Stop::Failed(format!(
            "{what}: the nodes are now {:?}",
            node_specs(&cluster)
        )));
    }
    let fresh = bench.build(spec, &wanted)?;
    let fresh_owners = owners(&fresh, &keys);
    for (i, key) in keys.keys().iter().enumerate() {
        let (from, to) = (before.owners[i], cluster.route(key));
        only_present(&cluster, to)
            .map_err(|err| format!("after {what}: {} {err}", show_key(key)))?;
        // Weights are equal, so `minimal` alone decides.
        if bench.caps.minimal && from != to && from != old && to != new {
            return Err(Stop::Failed(format!(
                "{what}: {} moved from {} to {}",
                show_key(key),
                show_owner(&before.cluster, from),
                show_owner(&cluster, to)
            )));
        }
        let (name, fresh_name) = (
            show_owner(&cluster, to),
            show_owner(&fresh, fresh_owners[i]),
        );
        if bench.caps.history_free && name != fresh_name {
            return Err(Stop::Failed(format!(
                "{what}: {} is on {name}, but on {fresh_name} in a cluster built anew",
                show_key(key)
            )));
        }
    }
    Ok(())
}
