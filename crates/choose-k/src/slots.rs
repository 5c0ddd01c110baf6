//! Which node stands in which slot.

use std::collections::{BTreeSet, HashMap};

use router::{Members, NodeId, Step};

/// Slots from 0 up, each with a node or empty; the last one has a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    owners: Vec<Option<NodeId>>,
    /// The slot of each node. Only looked up in, never iterated.
    places: HashMap<NodeId, u32>,
    empty: BTreeSet<u32>,
}

impl Slots {
    /// The members in joining order, no slot empty.
    pub(crate) fn of(members: &Members) -> Self {
        let mut slots = Self::default();
        for node in members.iter() {
            slots.add(node.id);
        }
        slots
    }

    pub(crate) fn update(&mut self, step: &Step) {
        match *step {
            Step::Add(id) => self.add(id),
            Step::Remove(id) => self.remove(id),
            Step::Replace { old, new } => {
                let slot = self.leave(old);
                self.take(slot, new);
            }
            // The cluster lets no weight but 1 through.
            Step::SetWeight(_) => {}
        }
    }

    /// The number of slots.
    #[inline]
    pub(crate) fn n(&self) -> u32 {
        u32::try_from(self.owners.len()).expect("the cluster holds at most MAX_BUCKETS nodes")
    }

    /// The number of slots with a node.
    pub(crate) fn n_taken(&self) -> usize {
        self.places.len()
    }

    /// The node in `slot`.
    #[inline]
    pub(crate) fn owner(&self, slot: u32) -> Option<NodeId> {
        self.owners[slot as usize]
    }

    /// Puts a node into the lowest empty slot, or into a new one.
    fn add(&mut self, id: NodeId) {
        let slot = self.empty.pop_first().unwrap_or_else(|| {
            self.owners.push(None);
            self.n() - 1
        });
        self.take(slot, id);
    }

    /// Empties a node's slot, and drops the empty ones behind all others.
    fn remove(&mut self, id: NodeId) {
        let slot = self.leave(id);
        self.empty.insert(slot);
        while let Some(None) = self.owners.last() {
            self.owners.pop();
            self.empty.pop_last();
        }
    }

    fn take(&mut self, slot: u32, id: NodeId) {
        self.owners[slot as usize] = Some(id);
        self.places.insert(id, slot);
    }

    fn leave(&mut self, id: NodeId) -> u32 {
        let slot = self.places.remove(&id).expect("it is present");
        self.owners[slot as usize] = None;
        slot
    }
}
