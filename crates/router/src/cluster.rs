//! A cluster: members, a router, and the checks that all strategies share.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    Change, Error, ErrorKind, Keys, Members, Node, NodeId, NodeSpec, Point, Router, Spec, Step,
    Trace, WeightSupport, check_name,
};

/// The ids of all names that a cluster and its clones have ever had.
///
/// Clones share it, so that an id means one name in all of them, even after they went separate
/// ways. Only its look-up order is by hash; nothing iterates it.
type Ids = Arc<Mutex<HashMap<Arc<str>, NodeId>>>;

/// Members and a router that serves them.
///
/// It checks every change once, for all strategies: names, duplicates, unknown nodes, last-in
/// first-out, weights, limits. Changes are all or nothing: a refused one changes nothing. A cluster
/// may start or become empty, or without weight; then [`Cluster::route`] answers `None`.
///
/// A clone answers alike, shares no state that a change could reach, and costs what the router's
/// memory costs to copy.
#[derive(Clone)]
pub struct Cluster {
    spec: Spec,
    ids: Ids,
    members: Members,
    router: Box<dyn Router>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cluster({}, {} nodes)", self.spec, self.members.len())
    }
}

impl Cluster {
    /// Builds a cluster of these nodes, in joining order.
    ///
    /// # Errors
    ///
    /// A name that no node may have, a duplicate, a weight that the strategy refuses, too many
    /// nodes or points.
    pub fn build(spec: &Spec, nodes: &[NodeSpec]) -> Result<Self, Error> {
        let ids = Ids::default();
        let nobody = Members::default();
        let mut draft = Draft::new(spec, lock(&ids), &nobody);
        for node in nodes {
            draft.add(node)?;
        }
        let (members, _) = draft.finish()?;
        let router = spec.router(&members)?;
        Ok(Self {
            spec: spec.clone(),
            ids,
            members,
            router,
        })
    }

    /// Applies all changes in order, or none.
    ///
    /// # Errors
    ///
    /// The first change that is refused, and why; nothing was changed then.
    pub fn apply(&mut self, changes: &[Change]) -> Result<(), Error> {
        let mut draft = Draft::new(&self.spec, lock(&self.ids), &self.members);
        for change in changes {
            draft.change(change)?;
        }
        let (members, steps) = draft.finish()?;
        if !steps.is_empty() {
            self.router.update(&members, &steps);
            self.members = members;
        }
        Ok(())
    }

    /// Adds a node behind all others.
    ///
    /// # Errors
    ///
    /// As [`Cluster::apply`].
    pub fn add(&mut self, node: impl Into<NodeSpec>) -> Result<(), Error> {
        self.apply(&[Change::Add(node.into())])
    }

    /// Removes a node.
    ///
    /// # Errors
    ///
    /// As [`Cluster::apply`].
    pub fn remove(&mut self, name: &str) -> Result<(), Error> {
        self.apply(&[Change::Remove(name.to_owned())])
    }

    /// Gives a node another weight.
    ///
    /// # Errors
    ///
    /// As [`Cluster::apply`].
    pub fn set_weight(&mut self, name: &str, weight: u32) -> Result<(), Error> {
        self.apply(&[Change::SetWeight(NodeSpec::new(name, weight))])
    }

    /// Puts a new name in the place of an old one, with its weight.
    ///
    /// # Errors
    ///
    /// As [`Cluster::apply`].
    pub fn replace(&mut self, old: &str, new: &str) -> Result<(), Error> {
        self.apply(&[Change::Replace {
            old: old.to_owned(),
            new: new.to_owned(),
        }])
    }

    /// The nodes present, in joining order.
    #[must_use]
    pub fn nodes(&self) -> &Members {
        &self.members
    }

    /// The spec that it was built from.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The name of a node that is present.
    #[must_use]
    pub fn name(&self, id: NodeId) -> Option<&str> {
        self.members.get(id).map(|node| &*node.name)
    }

    /// The id of a name, if it was ever a member of this cluster or a clone of it.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<NodeId> {
        lock(&self.ids).get(name).copied()
    }

    /// Whether some node has weight, so that every key has an owner.
    #[must_use]
    pub fn serves(&self) -> bool {
        self.members.total_weight() > 0
    }

    /// The node that owns `key`; `None` while no node has weight.
    #[must_use]
    #[inline]
    pub fn route(&self, key: &[u8]) -> Option<NodeId> {
        self.serves().then(|| self.router.route(key))
    }

    /// Writes the owner of every key, and answers true; answers false, and writes nothing, while no
    /// node has weight.
    ///
    /// # Panics
    ///
    /// When the two lengths differ.
    pub fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) -> bool {
        assert_eq!(keys.len(), owners.len(), "one owner a key");
        if self.serves() {
            self.router.route_batch(keys, owners);
        }
        self.serves()
    }

    /// The first `n` distinct owners of `key`; `None` for a strategy without replicas. Empty while
    /// no node has weight.
    #[must_use]
    pub fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        if self.serves() {
            self.router.preference(key, n)
        } else {
            self.spec.capabilities().replicas.then(Vec::new)
        }
    }

    /// Places a whole key set; `None` for a strategy that does not know load. `owners` holds the
    /// owners before, or `None`, and is overwritten.
    pub fn assign(&self, keys: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        if self.serves() {
            self.router.assign(keys, owners)
        } else {
            owners.fill(None);
            self.spec.capabilities().knows_load.then_some(())
        }
    }

    /// How many nodes are looked at for each key when the set is placed afresh; `None` for a strategy
    /// that does not say, or while no node has weight.
    #[must_use]
    pub fn assign_probes(&self, keys: Keys<'_>) -> Option<Vec<u32>> {
        self.serves().then(|| self.router.assign_probes(keys))?
    }

    /// Each node's exact share of the hash space, in joining order, 0 for a node that owns
    /// nothing; `None` where it cannot be computed, or while no node has weight.
    #[must_use]
    pub fn shares(&self) -> Option<Vec<f64>> {
        if !self.serves() {
            return None;
        }
        let mut shares = vec![0.0; self.members.len()];
        for (id, share) in self.router.shares()? {
            let place = self.members.position(id)?;
            shares[place] = share;
        }
        Some(shares)
    }

    /// Every point with its owner and label, in order; `None` for a strategy without points.
    #[must_use]
    pub fn points(&self) -> Option<Vec<Point>> {
        self.router.points()
    }

    /// What the look-up of `key` does; `None` where the strategy does not say, or while no node has
    /// weight.
    #[must_use]
    pub fn trace(&self, key: &[u8]) -> Option<Trace> {
        self.serves().then(|| self.router.trace(key)).flatten()
    }

    /// The router itself, for measuring it without the checks around it. Ask it only while
    /// [`Cluster::serves`].
    #[must_use]
    pub fn router(&self) -> &dyn Router {
        &*self.router
    }
}

fn lock(ids: &Ids) -> MutexGuard<'_, HashMap<Arc<str>, NodeId>> {
    // The map is only ever inserted into, so it is whole even after a panic elsewhere.
    ids.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Members while changes are being tried on them: nothing outside it is touched before
/// [`Draft::finish`] has said yes to all.
struct Draft<'a> {
    spec: &'a Spec,
    /// Locked until the draft is decided, so that no clone gives the ids of its newcomers away.
    ids: MutexGuard<'a, HashMap<Arc<str>, NodeId>>,
    /// Names that never had an id, with the one they get when all changes are accepted.
    newcomers: HashMap<Arc<str>, NodeId>,
    before: &'a Members,
    /// `None` where a node left; so places stay valid while changes go on.
    slots: Vec<Option<Node>>,
    /// Slot of each id that joined or left in this draft; others are where they were.
    moved: HashMap<NodeId, Option<usize>>,
    n_present: usize,
    steps: Vec<Step>,
}

impl<'a> Draft<'a> {
    fn new(
        spec: &'a Spec,
        ids: MutexGuard<'a, HashMap<Arc<str>, NodeId>>,
        before: &'a Members,
    ) -> Self {
        Self {
            spec,
            ids,
            newcomers: HashMap::new(),
            before,
            slots: before.iter().cloned().map(Some).collect(),
            moved: HashMap::new(),
            n_present: before.len(),
            steps: Vec::new(),
        }
    }

    fn change(&mut self, change: &Change) -> Result<(), Error> {
        match change {
            Change::Add(node) => self.add(node),
            Change::Remove(name) => self.remove(name),
            Change::SetWeight(node) => self.set_weight(node),
            Change::Replace { old, new } => self.replace(old, new),
        }
    }

    fn add(&mut self, node: &NodeSpec) -> Result<(), Error> {
        let (id, name) = self.newcomer(&node.name)?;
        self.check_weight(node)?;
        if let Some(max) = self.spec.capabilities().max_nodes
            && self.n_present >= max as usize
        {
            return Err(Error::new(
                ErrorKind::TooLarge,
                format!(
                    "cannot add {:?}: {} holds at most {max} nodes",
                    node.name, self.spec
                ),
            ));
        }
        self.moved.insert(id, Some(self.slots.len()));
        self.slots.push(Some(Node {
            id,
            name,
            weight: node.weight,
        }));
        self.n_present += 1;
        self.steps.push(Step::Add(id));
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<(), Error> {
        let slot = self.present(name)?;
        if !self.spec.capabilities().any_removal {
            let last = self.slots.iter().flatten().next_back();
            if let Some(last) = last
                && *last.name != *name
            {
                return Err(Error::new(
                    ErrorKind::OnlyLast,
                    format!(
                        "cannot remove {name:?}: {} can only lose the node that joined last, {:?}",
                        self.spec, last.name
                    ),
                ));
            }
        }
        let node = self.slots[slot].take().expect("it is present");
        self.moved.insert(node.id, None);
        self.n_present -= 1;
        self.steps.push(Step::Remove(node.id));
        Ok(())
    }

    fn set_weight(&mut self, node: &NodeSpec) -> Result<(), Error> {
        let slot = self.present(&node.name)?;
        self.check_weight(node)?;
        let present = self.slots[slot].as_mut().expect("it is present");
        if present.weight != node.weight {
            present.weight = node.weight;
            self.steps.push(Step::SetWeight(present.id));
        }
        Ok(())
    }

    fn replace(&mut self, old: &str, new: &str) -> Result<(), Error> {
        let slot = self.present(old)?;
        let (id, name) = self.newcomer(new)?;
        let node = self.slots[slot].as_mut().expect("it is present");
        let old = node.id;
        node.id = id;
        node.name = name;
        self.moved.insert(old, None);
        self.moved.insert(id, Some(slot));
        self.steps.push(Step::Replace { old, new: id });
        Ok(())
    }

    /// The members and steps at the end, if the strategy can serve them. Only now do newcomers
    /// have their ids.
    fn finish(mut self) -> Result<(Members, Vec<Step>), Error> {
        let members = Members::new(self.slots.into_iter().flatten().collect());
        self.spec.check(&members)?;
        self.ids.extend(self.newcomers);
        Ok((members, self.steps))
    }

    /// The id and shared name of a node that is about to join.
    fn newcomer(&mut self, name: &str) -> Result<(NodeId, Arc<str>), Error> {
        check_name(name)?;
        if let Some((id, name)) = self.known(name) {
            if self.slot(id).is_some() {
                return Err(Error::new(
                    ErrorKind::Duplicate,
                    format!("node {name:?} is present already"),
                ));
            }
            return Ok((id, name));
        }
        let id = self.ids.len() + self.newcomers.len() + 1;
        let id = u32::try_from(id).ok().and_then(NodeId::new);
        let id = id.ok_or_else(|| Error::new(ErrorKind::TooLarge, "more than 2^32 - 1 names"))?;
        let name: Arc<str> = name.into();
        self.newcomers.insert(Arc::clone(&name), id);
        Ok((id, name))
    }

    fn known(&self, name: &str) -> Option<(NodeId, Arc<str>)> {
        let known = self.ids.get_key_value(name);
        let (name, &id) = known.or_else(|| self.newcomers.get_key_value(name))?;
        Some((id, Arc::clone(name)))
    }

    fn present(&self, name: &str) -> Result<usize, Error> {
        let known = self.known(name);
        known.and_then(|(id, _)| self.slot(id)).ok_or_else(|| {
            Error::new(
                ErrorKind::Unknown,
                format!("there is no node {name:?} to change or remove"),
            )
        })
    }

    fn slot(&self, id: NodeId) -> Option<usize> {
        match self.moved.get(&id) {
            Some(&slot) => slot,
            None => self.before.position(id),
        }
    }

    fn check_weight(&self, node: &NodeSpec) -> Result<(), Error> {
        if node.weight == 1 || self.spec.capabilities().weights != WeightSupport::No {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::NoWeights,
            format!(
                "node {:?} has weight {}, but {} takes no weights other than 1",
                node.name, node.weight, self.spec
            ),
        ))
    }
}
