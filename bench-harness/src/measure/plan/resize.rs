//! A change of a cluster: the clusters before it, after each step and after it, and the owners of
//! keys in all of them under one numbering of the nodes.

use std::{collections::HashMap, sync::Arc};

use router::{Change, Cluster, Error, KeyBuf, NodeId, NodeSpec, Spec};

use super::count::Counts;
use crate::workload::{Records, change_text, difference};

/// What a cluster is to become.
#[derive(Clone, Debug)]
pub enum Target {
    /// A cluster of these nodes, built anew, as by programs that start with a new list.
    Nodes(Vec<NodeSpec>),
    /// What these changes make of the one before, one by one, in place.
    Changes(Vec<Change>),
}

/// A change of the user's cluster under one strategy.
#[derive(Clone, Debug)]
pub struct Resize {
    spec: Spec,
    /// Every node that is there at any time, in the order in which they come; a node's place here is
    /// its number in all counts.
    names: Vec<Arc<str>>,
    before: Stage,
    after: Stage,
    /// After each change, one by one, where that is counted or decides where keys end.
    through: Vec<Stage>,
    /// Whether the last of those is the cluster after.
    in_place: bool,
    /// The changes, where they are counted one by one.
    steps: Vec<String>,
}

/// A cluster, and the numbers of its nodes.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    cluster: Cluster,
    /// The number of a node, by its id.
    numbers: Vec<u32>,
    /// The id of a node, by its number, where the cluster or a clone of it ever had it.
    ids: Vec<Option<NodeId>>,
    /// The weight of a node, by its number, where it is there.
    pub(super) weights: Vec<Option<u32>>,
}

impl Resize {
    /// Builds the clusters before and after, and with `steps` also those after each single change.
    ///
    /// From one list of nodes to another the steps are: those who leave, the last first; other
    /// weights; those who join.
    ///
    /// # Errors
    ///
    /// When the strategy refuses nodes or a change, or no node with weight is there at some time; the
    /// message says which, but not whose list it was.
    pub fn new(
        spec: &Spec,
        before: &[NodeSpec],
        target: &Target,
        steps: bool,
    ) -> Result<Self, String> {
        let said = |part: &str, err: Error| format!("{spec}, {part}: {err}");
        let start = Cluster::build(spec, before).map_err(|err| said("before", err))?;
        check_serves(&start, "before")?;
        let changes = match target {
            Target::Nodes(nodes) if steps => difference(before, nodes),
            Target::Nodes(_) => Vec::new(),
            Target::Changes(changes) => changes.clone(),
        };
        let mut clusters = Vec::new();
        let mut last = start.clone();
        for change in &changes {
            let text = format!("change {:?}", change_text(change));
            let applied = last.apply(std::slice::from_ref(change));
            applied.map_err(|err| said(&text, err))?;
            // Where keys lie after a change matters to the next one when the strategy knows load.
            if steps || spec.capabilities().knows_load {
                check_serves(&last, &text)?;
                clusters.push(last.clone());
            }
        }
        let end = match target {
            Target::Nodes(nodes) => {
                Cluster::build(spec, nodes).map_err(|err| said("after", err))?
            }
            Target::Changes(_) => last,
        };
        check_serves(&end, "after")?;
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut numbers: HashMap<Arc<str>, u32> = HashMap::new();
        for cluster in [&start].into_iter().chain(&clusters).chain([&end]) {
            for node in cluster.nodes().iter() {
                numbers.entry(Arc::clone(&node.name)).or_insert_with(|| {
                    names.push(Arc::clone(&node.name));
                    u32::try_from(names.len() - 1).expect("fewer than 2^32 names")
                });
            }
        }
        let stage = |cluster: Cluster| Stage::new(cluster, &names);
        Ok(Self {
            spec: spec.clone(),
            in_place: matches!(target, Target::Changes(_)) && !clusters.is_empty(),
            before: stage(start),
            after: stage(end),
            through: clusters.into_iter().map(stage).collect(),
            steps: match steps {
                true => changes.iter().map(change_text).collect(),
                false => Vec::new(),
            },
            names,
        })
    }

    /// The strategy.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Whether it must see all keys at once.
    pub(super) fn knows_load(&self) -> bool {
        self.spec.capabilities().knows_load
    }

    pub(super) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.names.len()
    }

    pub(super) fn steps(&self) -> &[String] {
        &self.steps
    }

    pub(super) fn n_steps(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn ends(&self) -> (&Stage, &Stage) {
        (&self.before, &self.after)
    }

    /// The clusters between which each step lies.
    pub(super) fn step_ends(&self) -> impl Iterator<Item = (&Stage, &Stage)> {
        let from = [&self.before].into_iter().chain(&self.through);
        from.zip(&self.through)
    }

    /// Counts the keys of a batch, and appends those that the whole change moves to `list`.
    pub(super) fn count(&self, batch: &Records, counts: &mut Counts, list: Option<&mut Vec<u8>>) {
        let before = self.before.owners(&batch.keys, None);
        let mut n_moves = vec![
            0_u32;
            if self.steps.is_empty() {
                0
            } else {
                before.len()
            }
        ];
        let mut last = None;
        for (place, stage) in self.through.iter().enumerate() {
            let from = last.as_ref().unwrap_or(&before);
            let to = stage.owners(&batch.keys, Some(from));
            if let Some(flows) = counts.steps.get_mut(place) {
                flows.count(batch, from, &to);
                for ((old, new), n) in from.iter().zip(&to).zip(&mut n_moves) {
                    *n += u32::from(old != new);
                }
            }
            last = Some(to);
        }
        let after = match &last {
            Some(last) if self.in_place => last.clone(),
            _ => self.after.owners(&batch.keys, Some(&before)),
        };
        counts.whole.count(batch, &before, &after);
        for (i, &n) in n_moves.iter().enumerate() {
            if n > 0 {
                counts.once.add_key(batch, i);
            }
            if n > 1 {
                counts.again.add_key(batch, i);
            }
            if last.as_ref().is_some_and(|last| last[i] != after[i]) {
                counts.elsewhere.add_key(batch, i);
            }
        }
        if let Some(list) = list {
            for (key, (&old, &new)) in batch.keys.keys().iter().zip(before.iter().zip(&after)) {
                if old != new {
                    list.extend_from_slice(key);
                    for owner in [old, new] {
                        list.push(b'\t');
                        list.extend_from_slice(self.names[owner as usize].as_bytes());
                    }
                    list.push(b'\n');
                }
            }
        }
    }
}

impl Stage {
    fn new(cluster: Cluster, names: &[Arc<str>]) -> Self {
        let ids: Vec<Option<NodeId>> = names.iter().map(|name| cluster.id(name)).collect();
        let mut numbers = Vec::new();
        for (number, id) in (0..).zip(&ids) {
            if let Some(id) = id {
                if numbers.len() <= id.index() {
                    numbers.resize(id.index() + 1, 0);
                }
                numbers[id.index()] = number;
            }
        }
        let weight = |id: NodeId| cluster.nodes().get(id).map(|node| node.weight);
        Self {
            weights: ids.iter().map(|id| id.and_then(weight)).collect(),
            numbers,
            ids,
            cluster,
        }
    }

    /// The numbers of the owners of all keys; a strategy that knows load is told the owners before.
    fn owners(&self, keys: &KeyBuf, before: Option<&Vec<u32>>) -> Vec<u32> {
        let keys = keys.keys();
        let number = |id: NodeId| self.numbers[id.index()];
        if self.cluster.spec().capabilities().knows_load {
            let mut owners: Vec<Option<NodeId>> = match before {
                Some(before) => before.iter().map(|&it| self.ids[it as usize]).collect(),
                None => vec![None; keys.len()],
            };
            let answered = self.cluster.assign(keys, &mut owners);
            answered.expect("a strategy that knows load places key sets");
            let placed = owners.into_iter();
            let placed = placed.map(|it| it.expect("while a node has weight, every key is placed"));
            return placed.map(number).collect();
        }
        let mut owners = vec![NodeId::default(); keys.len()];
        self.cluster.route_batch(keys, &mut owners);
        owners.into_iter().map(number).collect()
    }
}

fn check_serves(cluster: &Cluster, part: &str) -> Result<(), String> {
    match cluster.serves() {
        true => Ok(()),
        false => Err(format!(
            "{part}: expected at least one node with weight, found none"
        )),
    }
}
