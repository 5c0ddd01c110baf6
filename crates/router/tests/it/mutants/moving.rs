//! Faults in what a router makes of its members and of the steps that led to them.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, PoisonError, RwLock},
};

use router::{Members, NodeId, Router, Step};

use crate::routers::{Modulo, Rendezvous, hash, mix};

/// Rendezvous hashing over the wrong candidates.
#[derive(Clone)]
pub(super) struct Moving {
    fault: &'static str,
    inner: Rendezvous,
    gone: HashSet<NodeId>,
}

impl Moving {
    pub(super) fn new(fault: &'static str) -> Self {
        Self {
            fault,
            inner: Rendezvous::default(),
            gone: HashSet::new(),
        }
    }
}

impl Router for Moving {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let before = std::mem::take(&mut self.inner.nodes);
        self.inner.update(members, steps);
        let nodes = &mut self.inner.nodes;
        match self.fault {
            "dies-when-empty" => assert!(!members.is_empty() || steps.is_empty(), "nobody is left"),
            "stale-after-a-removal" => {
                let there: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
                nodes.extend(before.into_iter().filter(|node| !there.contains(&node.id)));
            }
            "weight-0-is-1" => nodes.iter_mut().for_each(|it| it.weight = it.weight.max(1)),
            "weight-plus-1" => nodes
                .iter_mut()
                .filter(|it| it.weight > 0)
                .for_each(|it| it.weight += 1),
            "weights-ignored" => nodes.iter_mut().for_each(|it| it.weight = it.weight.min(1)),
            "weights-renormalised" => nodes
                .iter_mut()
                .for_each(|it| it.seed ^= mix(members.total_weight())),
            "holds-8-of-16" => assert!(members.len() <= 8, "8 places are taken"),
            "moves-too-much" => nodes
                .iter_mut()
                .for_each(|it| it.seed ^= mix(members.len() as u64)),
            "order-dependent" => nodes
                .iter_mut()
                .zip(0..)
                .for_each(|(it, place)| it.seed ^= mix(place)),
            "skewed" => nodes.iter_mut().take(1).for_each(|it| it.weight *= 2),
            "sticky-after-re-add" => {
                self.gone.extend(steps.iter().filter_map(|step| match step {
                    Step::Remove(id) => Some(*id),
                    _ => None,
                }));
                keep_if_any(&mut self.inner, |id| !self.gone.contains(&id));
            }
            "forgetful" => {
                let added = steps.iter().filter_map(|step| match step {
                    Step::Add(id) => Some(*id),
                    _ => None,
                });
                let forgotten: Vec<NodeId> = added.skip(1).collect();
                keep_if_any(&mut self.inner, |id| !forgotten.contains(&id));
            }
            _ => {}
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let weighted = self.inner.nodes.iter().filter(|node| node.weight > 0);
        if self.fault == "lonely" && weighted.count() == 1 {
            return NodeId::new(1000).expect("it is not 0");
        }
        self.inner.route(key)
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        self.inner.preference(key, n)
    }
}

/// Drops the other nodes, unless nobody with weight would be left to answer.
fn keep_if_any(router: &mut Rendezvous, keep: impl Fn(NodeId) -> bool) {
    let kept = router.nodes.iter().filter(|node| keep(node.id));
    if kept.map(|node| node.weight).sum::<u32>() > 0 {
        router.nodes.retain(|node| keep(node.id));
    }
}

/// Clones that have their nodes in common.
#[derive(Clone, Default)]
pub(super) struct ClonesShare(Arc<RwLock<Rendezvous>>);

impl Router for ClonesShare {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let mut inner = self.0.write().unwrap_or_else(PoisonError::into_inner);
        inner.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let inner = self.0.read().unwrap_or_else(PoisonError::into_inner);
        inner.route(key)
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let inner = self.0.read().unwrap_or_else(PoisonError::into_inner);
        inner.preference(key, n)
    }
}

/// A list of its own that goes another way than the members.
#[derive(Clone)]
pub(super) struct MovingModulo {
    fault: &'static str,
    inner: Modulo,
}

impl MovingModulo {
    pub(super) fn new(fault: &'static str) -> Self {
        let inner = Modulo::default();
        Self { fault, inner }
    }
}

impl Router for MovingModulo {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        if steps.is_empty() {
            return self.inner.update(members, steps);
        }
        let nodes = &mut self.inner.nodes;
        for step in steps {
            match *step {
                Step::Add(id) => nodes.push(id),
                Step::Remove(_) if self.fault == "loses-only-the-last" => {
                    nodes.pop();
                }
                Step::Remove(id) => nodes.retain(|&it| it != id),
                Step::Replace { old, new } => {
                    nodes.retain(|&it| it != old);
                    nodes.push(new);
                }
                Step::SetWeight(_) => {}
            }
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.inner.route(key)
    }
}

/// A ring in an ordered map, where the last to put a point keeps it.
#[derive(Clone)]
pub(super) struct Tree {
    fault: &'static str,
    points: BTreeMap<u64, NodeId>,
}

impl Tree {
    const VNODES: u32 = 12;

    pub(super) fn new(fault: &'static str) -> Self {
        let points = BTreeMap::new();
        Self { fault, points }
    }

    fn positions(&self, name: &str) -> Vec<u64> {
        let numbers = 0..Self::VNODES;
        let positions = numbers.map(|i| match self.fault {
            "label-without-a-sign" => hash(1, format!("{name}{i}").as_bytes()),
            // So few positions that many are shared.
            _ => hash(1, format!("{name}#{i}").as_bytes()) & 0xff << 56,
        });
        positions.collect()
    }
}

impl Router for Tree {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let put = |tree: &mut Self, id, name: &str| {
            for position in tree.positions(name) {
                tree.points.insert(position, id);
            }
        };
        if self.fault == "label-without-a-sign" || steps.is_empty() {
            self.points.clear();
            members.iter().for_each(|it| put(self, it.id, &it.name));
            return;
        }
        for step in steps {
            let (first, second) = step.nodes();
            if !matches!(step, Step::Add(_)) {
                // The shared points of others are not put back.
                self.points.retain(|_, &mut id| id != first);
            }
            let new = second.unwrap_or(first);
            if let Some(node) = members
                .get(new)
                .filter(|_| !matches!(step, Step::Remove(_)))
            {
                put(self, new, &node.name);
            }
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let behind = self.points.range(hash(0, key)..).next();
        let point = behind.or_else(|| self.points.first_key_value());
        *point.expect("a node is present").1
    }
}
