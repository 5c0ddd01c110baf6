//! One strategy with a cache a node, while requests come in and the nodes change.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use router::{Change, Cluster, NodeId, NodeSpec, Spec};

use super::{cache::Cache, timeline::Timeline};
use crate::workload::{Act, Requests, Step, change_text};

/// One strategy's nodes with their caches.
pub(super) struct Serving<'a> {
    cluster: Cluster,
    room: u64,
    /// By the node's id; none for one that is not there.
    caches: Vec<Option<Cache>>,
    /// What is still to happen.
    steps: &'a [Step],
    pub(super) timeline: Timeline,
    /// Of each event: requests a second that went to the nodes it takes the cache of, just before.
    pub(super) lost: HashMap<usize, f64>,
    /// The change that the strategy refused, and why; from then on it is out.
    pub(super) refused: Option<String>,
    owners: Vec<NodeId>,
}

impl<'a> Serving<'a> {
    /// Nodes with empty caches of `room` bytes each.
    pub(super) fn new(
        spec: &Spec,
        nodes: &[NodeSpec],
        room: u64,
        steps: &'a [Step],
        timeline: Timeline,
    ) -> Result<Self> {
        let cluster = Cluster::build(spec, nodes).with_context(|| spec.to_string())?;
        let ids: Vec<NodeId> = cluster.nodes().iter().map(|it| it.id).collect();
        let mut serving = Self {
            caches: Vec::new(),
            cluster,
            room,
            steps,
            timeline,
            lost: HashMap::new(),
            refused: None,
            owners: Vec::new(),
        };
        ids.into_iter().for_each(|id| serving.start(id));
        Ok(serving)
    }

    /// Answers the next requests; `ids` are the hashes of their keys.
    pub(super) fn answer(&mut self, requests: &Requests, ids: &[u64]) {
        let times = &requests.times;
        let mut from = 0;
        while from < times.len() {
            let due = self.steps.partition_point(|it| it.time <= times[from]);
            let (due, left) = self.steps.split_at(due);
            self.steps = left;
            due.iter().for_each(|step| self.apply(step));
            if self.refused.is_some() {
                return;
            }
            let next = left.first().map_or(f64::INFINITY, |it| it.time);
            let end = from + times[from..].partition_point(|&it| it < next);
            self.owners.resize(end - from, NodeId::default());
            let keys = requests.keys.keys().slice(from..end);
            let served = self.cluster.route_batch(keys, &mut self.owners);
            for (i, owner) in (from..end).zip(&self.owners) {
                self.timeline.go_to(times[i]);
                // Without nodes everything goes to the backend.
                let cache = self.caches.get_mut(owner.index()).filter(|_| served);
                match cache {
                    Some(Some(cache)) => {
                        let hit = cache.ask(ids[i], requests.bytes[i]);
                        self.timeline.count(Some(owner.index()), hit);
                    }
                    _ => self.timeline.count(None, false),
                }
            }
            from = end;
        }
    }

    fn apply(&mut self, step: &Step) {
        self.timeline.go_to(step.time);
        match &step.act {
            Act::Restart(name) => {
                if let Some(id) = self.lose(name, step.event) {
                    self.start(id);
                }
            }
            Act::Change(change) => {
                if let Err(why) = self.cluster.apply(std::slice::from_ref(change)) {
                    let spec = self.cluster.spec();
                    let change = change_text(change).replace('\t', " ");
                    self.refused
                        .get_or_insert(format!("left out: {spec}: {change}: {why}"));
                    return;
                }
                if let Change::Remove(old) | Change::Replace { old, .. } = change {
                    self.lose(old, step.event);
                }
                let here: Vec<NodeId> = self.cluster.nodes().iter().map(|it| it.id).collect();
                here.into_iter().for_each(|id| self.start(id));
            }
        }
    }

    /// Gives a node an empty cache where it has none.
    fn start(&mut self, id: NodeId) {
        if id.index() >= self.caches.len() {
            self.caches.resize_with(id.index() + 1, || None);
        }
        self.caches[id.index()].get_or_insert_with(|| Cache::new(self.room));
    }

    /// Takes the cache of a node that is there, and notes how much it was asked.
    fn lose(&mut self, name: &str, event: usize) -> Option<NodeId> {
        let id = self.cluster.id(name)?;
        self.caches.get_mut(id.index())?.take()?;
        *self.lost.entry(event).or_default() += self.timeline.rate_before(id.index());
        Some(id)
    }
}
