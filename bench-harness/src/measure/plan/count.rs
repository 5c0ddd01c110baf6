//! Counts of keys between nodes, and of what the keys weigh.

use std::collections::HashMap;

use super::Resize;
use crate::workload::Records;

/// Some keys, and what they weigh in all. Wide enough for any number of keys of any weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Amount {
    pub(super) keys: u64,
    pub(super) bytes: u128,
    pub(super) hits: u128,
}

impl Amount {
    /// Adds key number `i` of a batch.
    #[inline]
    pub(super) fn add_key(&mut self, batch: &Records, i: usize) {
        self.keys += 1;
        if let Some(&bytes) = batch.bytes.get(i) {
            self.bytes += u128::from(bytes);
        }
        if let Some(&hits) = batch.hits.get(i) {
            self.hits += u128::from(hits);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.keys += other.keys;
        self.bytes += other.bytes;
        self.hits += other.hits;
    }
}

/// What went from where to where: keys that stayed by node, keys that moved by pair of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Flows {
    pub(super) stayed: Vec<Amount>,
    pub(super) moved: HashMap<(u32, u32), Amount>,
}

impl Flows {
    fn new(n_nodes: usize) -> Self {
        Self {
            stayed: vec![Amount::default(); n_nodes],
            moved: HashMap::new(),
        }
    }

    /// Counts the keys of a batch with these owners before and after.
    pub(super) fn count(&mut self, batch: &Records, before: &[u32], after: &[u32]) {
        for (i, (&old, &new)) in before.iter().zip(after).enumerate() {
            let amount = if old == new {
                &mut self.stayed[old as usize]
            } else {
                self.moved.entry((old, new)).or_default()
            };
            amount.add_key(batch, i);
        }
    }

    fn add(&mut self, other: Self) {
        for (sum, amount) in self.stayed.iter_mut().zip(other.stayed) {
            sum.add(amount);
        }
        for (pair, amount) in other.moved {
            self.moved.entry(pair).or_default().add(amount);
        }
    }
}

/// All that is counted of one resize.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    /// Of the whole change.
    pub(super) whole: Flows,
    /// Of each step, where steps are wanted.
    pub(super) steps: Vec<Flows>,
    /// Of keys that moved in at least one step.
    pub(super) once: Amount,
    /// Of keys that moved in more than one step.
    pub(super) again: Amount,
    /// Of keys that the steps leave elsewhere than the change as a whole.
    pub(super) elsewhere: Amount,
}

impl Counts {
    pub(super) fn new(resize: &Resize) -> Self {
        let flows = Flows::new(resize.n_nodes());
        Self {
            steps: vec![flows.clone(); resize.n_steps()],
            whole: flows,
            once: Amount::default(),
            again: Amount::default(),
            elsewhere: Amount::default(),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.whole.add(other.whole);
        for (sum, flows) in self.steps.iter_mut().zip(other.steps) {
            sum.add(flows);
        }
        self.once.add(other.once);
        self.again.add(other.again);
        self.elsewhere.add(other.elsewhere);
    }
}
