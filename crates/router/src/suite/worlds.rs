//! The worlds that properties are tried in: every short history of a small world, histories of
//! nodes whose points fall together, and long seeded walks, cut down when one fails.

use crate::{Capabilities, Change, Cluster, KeyBuf, NodeId, NodeSpec, Spec};

use super::{
    Bench, Checked, Effort, Stop, cannot_serve,
    draw::{COLLIDING, Rng, SHORT},
    guard,
    histories::{Walk, collision_history},
    show::show_history,
};

/// More keys than this are asked as a batch, so that a strategy that scans is not asked too much.
const FEW_KEYS: usize = 256;

/// A cluster and the owners of a fixed list of keys in it.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) cluster: Cluster,
    pub(super) owners: Vec<Option<NodeId>>,
}

impl Snapshot {
    pub(super) fn of(cluster: Cluster, keys: &KeyBuf) -> Self {
        let owners = owners(&cluster, keys);
        Self { cluster, owners }
    }
}

/// The owner of every key: asked one by one while they are few, else as a batch.
pub(super) fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<Option<NodeId>> {
    if keys.len() <= FEW_KEYS {
        return keys.keys().iter().map(|key| cluster.route(key)).collect();
    }
    let mut owners = vec![NodeId::default(); keys.len()];
    let served = cluster.route_batch(keys.keys(), &mut owners);
    owners
        .into_iter()
        .map(|owner| served.then_some(owner))
        .collect()
}

/// The first place at which two lists of owners differ.
pub(super) fn first_difference<T: PartialEq>(one: &[T], other: &[T]) -> Option<usize> {
    one.iter().zip(other).position(|(one, other)| one != other)
}

/// What happened between two states of a cluster.
pub(super) struct Transition<'a> {
    pub(super) keys: &'a KeyBuf,
    pub(super) caps: &'a Capabilities,
    pub(super) before: &'a Snapshot,
    /// Applied at once; no name occurs in two of them.
    pub(super) changes: &'a [Change],
    pub(super) after: &'a Snapshot,
}

/// What must hold at every transition.
type Property<'p> = dyn Fn(&Transition<'_>) -> Result<(), String> + 'p;

/// How thoroughly a property is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Every history of the small world, colliding nodes, and all walks: for what a history can
    /// break.
    Deep,
    /// Short histories and one walk: for what a single state can break.
    Shallow,
}

/// A spec and the keys that are asked in all states of its clusters.
struct World<'a> {
    bench: &'a Bench,
    spec: &'a Spec,
    caps: Capabilities,
    keys: KeyBuf,
}

/// Tries `property` in all worlds; every transition is a case.
pub(super) fn everywhere(bench: &Bench, depth: Depth, property: &Property<'_>) -> Checked {
    let full = bench.effort == Effort::Full;
    exhaust(bench, depth, property).map_err(|stop| stop.naming(bench, &bench.small))?;
    if depth == Depth::Deep {
        collide(bench, property)?;
    }
    // The most nodes, and the number of steps.
    let walks: &[(usize, usize)] = match (full, depth) {
        (false, Depth::Shallow) => &[(12, 12)],
        (false, Depth::Deep) => &[(8, 30), (40, 20)],
        (true, Depth::Shallow) => &[(12, 20), (40, 8)],
        (true, Depth::Deep) => &[(5, 60), (12, 60), (40, 60), (200, 10)],
    };
    for (seed, &(most, steps)) in walks.iter().enumerate() {
        for weighted in [false, true] {
            if !weighted || bench.weighted() {
                let walk = Walk {
                    seed: seed as u64,
                    most: bench.room(most),
                    steps,
                    weighted,
                };
                stroll(bench, &walk, property)?;
            }
        }
    }
    match bench.cases.get() {
        0 => Err(Stop::Unsupported(
            "it serves none of the members tried".into(),
        )),
        _ => Ok(()),
    }
}

/// Every add and remove history of the small world.
fn exhaust(bench: &Bench, depth: Depth, property: &Property<'_>) -> Checked {
    let (n_names, length) = match (bench.effort, depth) {
        (Effort::Full, Depth::Deep) => (4, 7),
        (Effort::Full, Depth::Shallow) => (4, 4),
        (Effort::Gate, Depth::Deep) => (3, 5),
        (Effort::Gate, Depth::Shallow) => (3, 3),
    };
    let names = &SHORT[..n_names];
    let world = World::new(bench, &bench.small, names, 16);
    let empty = Snapshot::of(bench.build(&bench.small, &[])?, &world.keys);
    let mut path = Vec::new();
    if let Err(failure) = world.explore(names, length, &empty, &mut path, property) {
        // The shortest history that fails is worth a second search.
        for shorter in 1..length {
            path.clear();
            world.explore(names, shorter, &empty, &mut path, property)?;
        }
        return Err(failure.into());
    }
    Ok(())
}

/// Histories of two nodes that share a point on some well-known ring, and a third. Strategies that
/// can only lose their last node have no points to share.
fn collide(bench: &Bench, property: &Property<'_>) -> Checked {
    if !bench.caps.any_removal {
        return Ok(());
    }
    for (one, other) in COLLIDING {
        let world = World::new(bench, &bench.spec, &[], bench.pick(500, 2000));
        world.replay(&collision_history(one, other), property)?;
    }
    Ok(())
}

/// A walk through random changes.
fn stroll(bench: &Bench, walk: &Walk, property: &Property<'_>) -> Checked {
    let names = walk.names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let world = World::new(bench, &bench.spec, &names[..2], 48);
    let history = walk.history(&names, bench.caps.any_removal);
    match world.replay(&history, property) {
        Ok(()) => Ok(()),
        Err(failure) => Err(world.shrink(&history, failure, property).into()),
    }
}

impl<'a> World<'a> {
    /// A world whose keys are `n_random` random ones, a few odd ones, `names`, and the labels of
    /// the points of nodes with these names: keys that hit a point exactly.
    fn new(bench: &'a Bench, spec: &'a Spec, names: &[&str], n_random: usize) -> Self {
        let mut keys = Rng::new(0x6b65_7973).hex_keys(n_random);
        for key in [&b""[..], b"\0", b"key", b"\xff\xfe"] {
            keys.push(key);
        }
        for name in names {
            keys.push(name.as_bytes());
        }
        let nodes: Vec<NodeSpec> = names.iter().map(|&name| name.into()).collect();
        let labels = || Cluster::build(spec, &nodes).ok()?.points();
        // A panic here is found and told by the checks that ask for points.
        if let Ok(Some(points)) = guard(labels) {
            for point in points.iter().step_by(points.len() / 24 + 1) {
                keys.push(point.label.as_bytes());
            }
        }
        Self {
            bench,
            spec,
            caps: spec.capabilities(),
            keys,
        }
    }

    /// Tries `property` at one more change, and at all histories of `left - 1` changes behind it.
    fn explore(
        &self,
        names: &[&str],
        left: usize,
        at: &Snapshot,
        path: &mut Vec<Change>,
        property: &Property<'_>,
    ) -> Result<(), String> {
        for &name in names {
            let nodes = at.cluster.nodes();
            let present = nodes.iter().any(|node| &*node.name == name);
            let last = nodes.last().is_some_and(|node| &*node.name == name);
            if present && !last && !self.caps.any_removal {
                continue;
            }
            let full = self.caps.max_nodes == u32::try_from(nodes.len()).ok();
            if !present && full {
                continue;
            }
            path.push(match present {
                true => Change::Remove(name.to_owned()),
                false => Change::Add(name.into()),
            });
            let changes = &path[path.len() - 1..];
            let stepped = self.step(at, changes, true, property);
            let after = stepped.map_err(|err| format!("after {}: {err}", show_history(&*path)))?;
            if let Some(after) = after
                && left > 1
            {
                self.explore(names, left - 1, &after, path, property)?;
            }
            path.pop();
        }
        Ok(())
    }

    /// Applies changes and tries `property` on what they did. `None` when the strategy cannot
    /// serve the members that they lead to, or, unless `strict`, when they do not apply.
    fn step(
        &self,
        before: &Snapshot,
        changes: &[Change],
        strict: bool,
        property: &Property<'_>,
    ) -> Result<Option<Snapshot>, String> {
        guard(|| {
            let mut cluster = before.cluster.clone();
            match cluster.apply(changes) {
                Ok(()) => {}
                Err(err) if cannot_serve(&err) => return Ok(None),
                Err(_) if !strict => return Ok(None),
                Err(err) => return Err(format!("a legal change was refused: {err}")),
            }
            let after = Snapshot::of(cluster, &self.keys);
            self.bench.count(1);
            property(&Transition {
                keys: &self.keys,
                caps: &self.caps,
                before,
                changes,
                after: &after,
            })?;
            Ok(Some(after))
        })?
    }

    /// Goes through a history from the empty cluster. What cannot be served is left out, and what
    /// does not apply without it.
    fn replay(&self, history: &[Vec<Change>], property: &Property<'_>) -> Result<(), String> {
        let built = guard(|| Cluster::build(self.spec, &[]).map_err(|err| err.to_string()))?;
        let mut at = Snapshot::of(built?, &self.keys);
        let mut complete = true;
        for (i, changes) in history.iter().enumerate() {
            let past = || show_history(history[..=i].iter().flatten());
            let stepped = self.step(&at, changes, complete, property);
            match stepped.map_err(|err| format!("after {}: {err}", past()))? {
                Some(after) => at = after,
                None => complete = false,
            }
        }
        Ok(())
    }

    /// Takes changes out of a failing history, in ever smaller pieces, as long as it fails. Answers
    /// what the shortest one says.
    fn shrink(
        &self,
        history: &[Vec<Change>],
        mut failure: String,
        property: &Property<'_>,
    ) -> String {
        // Enough for the histories drawn here; a shortest history is not worth minutes.
        let mut tries = 300;
        // Every change with the number of the step that it belongs to.
        let mut fails = |changes: &[(usize, Change)]| {
            tries -= 1;
            let steps = changes.chunk_by(|one, other| one.0 == other.0);
            let history: Vec<Vec<Change>> = steps
                .map(|step| step.iter().map(|(_, change)| change.clone()).collect())
                .collect();
            (tries > 0 && self.legal(&history))
                .then(|| self.replay(&history, property).err())
                .flatten()
        };
        let steps = history.iter().enumerate();
        let mut changes: Vec<(usize, Change)> = steps
            .flat_map(|(i, step)| step.iter().map(move |change| (i, change.clone())))
            .collect();
        // One change at a time is easier to read, where it fails too.
        let singly: Vec<(usize, Change)> = changes
            .iter()
            .map(|(_, change)| change.clone())
            .enumerate()
            .collect();
        if let Some(shorter) = fails(&singly) {
            (changes, failure) = (singly, shorter);
        }
        let mut piece = changes.len() / 2;
        while piece > 0 {
            let mut start = 0;
            while start < changes.len() {
                let mut rest = changes.clone();
                rest.drain(start..(start + piece).min(changes.len()));
                match fails(&rest) {
                    Some(shorter) => (changes, failure) = (rest, shorter),
                    None => start += piece,
                }
            }
            piece /= 2;
        }
        failure
    }

    /// Whether a history that something was taken out of still makes sense.
    fn legal(&self, history: &[Vec<Change>]) -> bool {
        guard(|| {
            let mut cluster = Cluster::build(self.spec, &[])?;
            history
                .iter()
                .try_for_each(|changes| cluster.apply(changes))
        })
        .is_ok_and(|applied| applied.is_ok())
    }
}
