//! Batches, points, traces and placings: the optional methods of a router, where they are there.

use std::collections::BTreeMap;

use crate::{Cluster, KeyBuf, NodeId, NodeSpec, Point, Position};

use super::{
    Bench, Checked, Stop,
    answers::{only_present, refuse_not},
    draw::{ADDRESSES, Rng, hostile_keys},
    show::{show_key, show_nodes, show_owner},
    worlds::{Depth, everywhere, first_difference, owners},
};

/// A batch gives the owners of its keys one by one.
pub(super) fn batch(bench: &Bench) -> Checked {
    everywhere(bench, Depth::Shallow, &|it| {
        same_in_batch(&it.after.cluster, it.keys)
    })?;
    let mut rng = Rng::new(80);
    let cluster = bench.cluster(&rng.addresses(bench.room(10)))?;
    let sizes = (0..=17).chain([31, 32, 33, 63, 64, 65, 100]);
    for n in sizes.chain([bench.pick(300, 1025)]) {
        bench.count(1);
        same_in_batch(&cluster, &rng.hex_keys(n))?;
    }
    // Duplicates, beside each other and far apart, and one key alone many times.
    let few: Vec<String> = (0..10).map(|_| rng.hex_key()).collect();
    let again: KeyBuf = (0..200).map(|_| rng.pick(&few)).collect();
    same_in_batch(&cluster, &again)?;
    same_in_batch(&cluster, &std::iter::repeat_n("key", 100).collect())?;
    same_in_batch(
        &cluster,
        &hostile_keys().iter().chain(&hostile_keys()).collect(),
    )?;
    bench.count(3);
    Ok(())
}

fn same_in_batch(cluster: &Cluster, keys: &KeyBuf) -> Result<(), String> {
    // Whatever stood in the buffer before does not count.
    let unlikely = NodeId::new(u32::MAX).expect("it is not 0");
    let mut batch = vec![unlikely; keys.len()];
    if !cluster.route_batch(keys.keys(), &mut batch) {
        return Ok(());
    }
    for (key, &in_batch) in keys.keys().iter().zip(&batch) {
        let alone = cluster.route(key);
        if alone != Some(in_batch) {
            return Err(format!(
                "{} is on {} alone and on {} in a batch of {}; {}",
                show_key(key),
                show_owner(cluster, alone),
                show_owner(cluster, Some(in_batch)),
                keys.len(),
                show_nodes(cluster)
            ));
        }
    }
    Ok(())
}

/// Points are in order and belong to nodes with weight.
pub(super) fn points(bench: &Bench) -> Checked {
    points_or_unsupported(bench)?;
    everywhere(bench, Depth::Shallow, &|it| {
        let cluster = &it.after.cluster;
        let points = cluster
            .points()
            .ok_or("there are no points, though other clusters have some")?;
        sound_points(cluster, &points).map_err(|err| format!("{err}; {}", show_nodes(cluster)))
    })
}

fn points_or_unsupported(bench: &Bench) -> Checked {
    match bench.cluster(&ADDRESSES[..bench.room(2)])?.points() {
        Some(_) => Ok(()),
        None => Err(Stop::Unsupported("it has no points to show".into())),
    }
}

fn sound_points(cluster: &Cluster, points: &[Point]) -> Result<(), String> {
    if points.is_empty() && cluster.serves() {
        return Err("there are no points, but keys have owners".into());
    }
    for pair in points.windows(2) {
        if pair[0].position > pair[1].position {
            let (one, other) = (pair[0].position, pair[1].position);
            return Err(format!("point {one} stands before point {other}"));
        }
    }
    for point in points {
        if point.label.is_empty() {
            return Err(format!("point {} has no label", point.position));
        }
        if cluster
            .nodes()
            .get(point.owner)
            .is_none_or(|node| node.weight == 0)
        {
            let owner = show_owner(cluster, Some(point.owner));
            return Err(format!(
                "point {} belongs to {owner}, which owns nothing",
                point.position
            ));
        }
    }
    Ok(())
}

/// A trace counts its work and tells of the owner that the key has.
pub(super) fn trace(bench: &Bench) -> Checked {
    if bench
        .cluster(&ADDRESSES[..bench.room(2)])?
        .trace(b"key")
        .is_none()
    {
        return Err(Stop::Unsupported(
            "it does not tell what a look-up does".into(),
        ));
    }
    everywhere(bench, Depth::Shallow, &|it| {
        let cluster = &it.after.cluster;
        if !cluster.serves() {
            return Ok(());
        }
        let points = cluster.points().map(by_position);
        for (i, key) in it.keys.keys().iter().enumerate() {
            sound_trace(cluster, key, it.after.owners[i], points.as_ref())
                .map_err(|err| format!("{}: {err}; {}", show_key(key), show_nodes(cluster)))?;
        }
        Ok(())
    })
}

type ByPosition = BTreeMap<Position, Vec<Point>>;

fn by_position(points: Vec<Point>) -> ByPosition {
    let mut map = ByPosition::new();
    for point in points {
        map.entry(point.position).or_default().push(point);
    }
    map
}

fn sound_trace(
    cluster: &Cluster,
    key: &[u8],
    owner: Option<NodeId>,
    points: Option<&ByPosition>,
) -> Result<(), String> {
    let trace = cluster
        .trace(key)
        .ok_or("there is no trace, though other keys have one")?;
    if cluster.trace(key).as_ref() != Some(&trace) {
        return Err("its trace is another when asked again".into());
    }
    if trace.hash_evals == 0 && trace.probes == 0 {
        return Err("no hash is evaluated and nothing looked at".into());
    }
    if !trace.batch_probes.is_finite() || trace.batch_probes < 0.0 {
        return Err(format!("{} probes a key in a batch", trace.batch_probes));
    }
    let (Some(position), Some(points)) = (trace.point, points) else {
        return Ok(());
    };
    let there = points.get(&position).map_or(&[][..], Vec::as_slice);
    let point = there.iter().find(|point| Some(point.owner) == owner);
    let Some(point) = point else {
        let owner = show_owner(cluster, owner);
        return Err(format!(
            "its point {position} is none of its owner, {owner}"
        ));
    };
    match trace.label {
        Some(label) if label != point.label => Err(format!(
            "its point {position} is labelled {label:?} in the trace and {:?} among the points",
            point.label
        )),
        _ => Ok(()),
    }
}

/// A key set is placed on nodes with weight, the same again for the same question.
pub(super) fn assign(bench: &Bench) -> Checked {
    if !bench.caps.knows_load {
        return Err(Stop::Unsupported("it does not know load".into()));
    }
    let mut rng = Rng::new(81);
    let keys = rng.hex_keys(300);
    for n in [1, 2, 3, 10, 40] {
        let names = rng.addresses(bench.room(n));
        let nodes: Vec<NodeSpec> = names.iter().map(|it| it.as_str().into()).collect();
        let mut cluster = bench.build(&bench.spec, &nodes)?;
        let placed = place(bench, &cluster, &keys, &vec![None; keys.len()])?;
        // A cluster built alike, a clone, and an empty question in between.
        let twin = bench.build(&bench.spec, &nodes)?;
        place(bench, &cluster, &KeyBuf::new(), &[])?;
        for (how, other) in [
            ("in a second cluster", &twin),
            ("in a clone", &cluster.clone()),
        ] {
            let again = place(bench, other, &keys, &vec![None; keys.len()])?;
            if let Some(i) = first_difference(&placed, &again) {
                return Err(Stop::Failed(format!(
                    "{} is placed on {}, but on {} {how}; {}",
                    show_key(keys.keys().get(i)),
                    show_owner(&cluster, placed[i]),
                    show_owner(&cluster, again[i]),
                    show_nodes(&cluster)
                )));
            }
        }
        // The owners before stay with the question when a node has left.
        if names.len() > 1 {
            refuse_not(cluster.remove(&names[names.len() - 1]))?;
            place(bench, &cluster, &keys, &placed)?;
        }
        // Looking up is no placing: it changes no load.
        let before = owners(&cluster, &keys);
        place(bench, &cluster, &keys, &placed)?;
        if owners(&cluster, &keys) != before {
            return Err(Stop::Failed(
                "placing a key set moved the keys that `route` asks for".into(),
            ));
        }
    }
    Ok(())
}

/// Asks twice where the keys are placed, and checks that all are, on nodes that may own keys.
fn place(
    bench: &Bench,
    cluster: &Cluster,
    keys: &KeyBuf,
    before: &[Option<NodeId>],
) -> Result<Vec<Option<NodeId>>, Stop> {
    bench.count(keys.len());
    let ask = || {
        let mut owners = before.to_vec();
        let placed = cluster.assign(keys.keys(), &mut owners);
        placed.ok_or_else(|| "`assign` answers None".to_owned())?;
        Ok::<_, String>(owners)
    };
    let placed = ask()?;
    for (key, &owner) in keys.keys().iter().zip(&placed) {
        only_present(cluster, owner).map_err(|err| format!("{} {err}", show_key(key)))?;
    }
    match first_difference(&placed, &ask()?) {
        None => Ok(placed),
        Some(i) => Err(Stop::Failed(format!(
            "{} is placed elsewhere when the same is asked again; {}",
            show_key(keys.keys().get(i)),
            show_nodes(cluster)
        ))),
    }
}
