//! The router that mutants are made of: honest, cheap to ask, and wrong in one thing where it is told so.
//!
//! A table has four slots or more a node, of which each node takes one. A key tries slots in an order of
//! its own until it meets one that is taken; so a node that leaves hands its keys to all others alike,
//! and one that joins takes as many from each (Dong and Wang's DxHash, 2021, has the same idea). A node
//! that leaves frees its slot, a new name takes the old one's.
//!
//! Uneven nodes turn away a share of their keys, up to 15 %, each its own: what a ring does by chance.

use router::{
    Capabilities, Keys, Members, NodeId, Param, ParamKind, ParamRole, Router, Step, Strategy, Trace,
};

use super::faults::{Fault, Memory};
use crate::measure::{HASH, hash, mix};

/// Of so many keys that come to a node, an even one accepts all.
const ALL: u64 = 1 << 16;

/// One place of the table.
#[derive(Clone, Copy, Default)]
pub(super) struct Slot {
    pub(super) node: Option<NodeId>,
    /// Whether a node left it free.
    pub(super) lost: bool,
    /// Whether its node left and came back.
    pub(super) returned: bool,
    /// Of [`ALL`] keys that come to it, those that stay.
    pub(super) accepts: u64,
    /// The hash of its node's name, and that of the name without the port.
    pub(super) name: u64,
    host: u64,
}

/// Where a walk through the table came by.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    /// A slot that is taken.
    pub(super) at: usize,
    /// The first free slot on the way that a node left.
    pub(super) lost: Option<usize>,
    probes: u64,
}

#[derive(Clone, Default)]
pub(super) struct Slots {
    pub(super) fault: Fault,
    salt: u64,
    uneven: bool,
    pub(super) table: Vec<Slot>,
    /// Slots that nodes left free, the last on top.
    pub(super) free: Vec<usize>,
    /// Slots that were taken when it was built.
    built: usize,
    /// The first slot that nobody has had.
    unused: usize,
    /// Nodes present.
    pub(super) n: usize,
    /// The first slot that is taken.
    pub(super) lowest: usize,
    /// Nodes that ever were present.
    known: Vec<NodeId>,
    /// What the faults remember of the changes.
    pub(super) memory: Memory,
}

impl Slots {
    /// The stop that a key comes by first, or, from there, the next.
    pub(super) fn walk(&self, key_hash: u64, from: Option<Stop>) -> Stop {
        let mask = self.table.len() as u64 - 1;
        let mut probes = from.map_or(0, |it| it.probes);
        let mut lost = None;
        loop {
            let probe = mix(key_hash.wrapping_add(probes.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            probes += 1;
            let at = (probe & mask) as usize;
            let slot = &self.table[at];
            if slot.node.is_none() {
                if slot.lost && lost.is_none() {
                    lost = Some(at);
                }
            } else if probe >> 48 < slot.accepts {
                return Stop { at, lost, probes };
            }
        }
    }

    /// The next node that a key would go to.
    pub(super) fn heir(&self, key_hash: u64, first: Stop) -> Stop {
        let mut next = first;
        while self.n > 1 && next.at == first.at {
            next = self.walk(key_hash, Some(next));
        }
        next
    }

    pub(super) fn taken(&self, at: usize) -> bool {
        self.table[at].node.is_some()
    }

    fn key_hash(&self, key: &[u8]) -> u64 {
        mix(hash(key) ^ self.salt)
    }

    /// Each taken slot with its share of the keys.
    fn slot_shares(&self) -> Vec<(usize, f64)> {
        let taken = (0..self.table.len()).filter(|&at| self.taken(at));
        let taken: Vec<(usize, f64)> = taken
            .map(|at| (at, self.table[at].accepts as f64))
            .collect();
        let all: f64 = taken.iter().map(|(_, accepts)| accepts).sum();
        let shares = taken.into_iter().map(|(at, accepts)| (at, accepts / all));
        shares.collect()
    }

    fn take(&mut self, at: usize, id: NodeId, name: &str) {
        let name_hash = mix(hash(name.as_bytes()) ^ self.salt);
        let host = name.split(':').next().unwrap_or(name);
        let even = if self.uneven {
            ALL * 85 / 100 + name_hash % (ALL * 15 / 100)
        } else {
            ALL
        };
        let timely = self.built == 0 || at < self.built;
        let returned = self.built > 0 && self.known.contains(&id);
        let slot = Slot {
            node: Some(id),
            lost: false,
            returned,
            accepts: 0,
            name: name_hash,
            host: hash(host.as_bytes()),
        };
        self.table[at] = Slot {
            accepts: self.fault.accepts(at, name_hash, timely, even),
            ..slot
        };
        self.n += 1;
        if !slot.returned {
            self.known.push(id);
        }
    }

    fn leave(&mut self, id: NodeId) -> usize {
        let at = self.table.iter().position(|slot| slot.node == Some(id));
        let at = at.expect("only who is there can leave");
        self.table[at] = Slot {
            lost: true,
            host: self.table[at].host,
            ..Slot::default()
        };
        self.n -= 1;
        at
    }

    /// The slot that who joins takes: the last that was left, or one that nobody has had.
    fn next_slot(&mut self) -> usize {
        if let Some(at) = self.free.pop() {
            return at;
        }
        if self.unused == self.table.len() {
            self.table.resize(2 * self.unused, Slot::default());
        }
        self.unused += 1;
        self.unused - 1
    }

    fn build(&mut self, members: &Members) {
        (self.n, self.built, self.free, self.known) = (0, 0, Vec::new(), Vec::new());
        self.table = vec![Slot::default(); (4 * members.len()).next_power_of_two().max(16)];
        for (at, node) in members.iter().enumerate() {
            self.take(at, node.id, &node.name);
        }
        (self.built, self.unused) = (members.len(), members.len());
        let first = members.first().map(|node| hash(node.name.as_bytes()));
        self.memory = self.fault.memory(first);
    }

    fn step(&mut self, members: &Members, step: Step) {
        let name = |id| members.get(id).map_or("", |node| &*node.name);
        match step {
            Step::Add(id) => {
                let at = self.next_slot();
                self.take(at, id, name(id));
            }
            Step::Remove(id) => {
                let at = self.leave(id);
                self.memory.left(id);
                // As if who was the last to come had never been there.
                if at >= self.built && at + 1 == self.unused {
                    self.unused = at;
                    self.table[at] = Slot::default();
                } else {
                    self.free.push(at);
                }
            }
            Step::SetWeight(_) => {}
            Step::Replace { old, new } => {
                let at = self.leave(old);
                let host = self.table[at].host;
                self.take(at, new, name(new));
                let renamed = host == self.table[at].host;
                self.memory.replaced(self.fault, new, renamed);
            }
        }
    }
}

impl Router for Slots {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        if steps.is_empty() {
            self.build(members);
        }
        let free_before = self.free.len();
        for &step in steps {
            self.step(members, step);
        }
        let losses = steps.iter().all(|step| matches!(step, Step::Remove(_)));
        if losses && !steps.is_empty() {
            self.memory.lost_together(&self.free[free_before..]);
        }
        self.lowest = (0..self.table.len())
            .find(|&at| self.taken(at))
            .unwrap_or(0);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let at = self.fault.owner(self, self.key_hash(key));
        self.table[at]
            .node
            .expect("asked only while there are nodes")
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        for (i, owner) in owners.iter_mut().enumerate() {
            *owner = self.route(keys.get(i));
        }
        self.fault.redeal(owners);
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let shares = self.fault.shares(self, self.slot_shares()).into_iter();
        let nodes = shares.map(|(at, share)| (self.table[at].node, share));
        Some(
            nodes
                .filter_map(|(node, share)| Some((node?, share)))
                .collect(),
        )
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        // The key's own hash, and one a probe.
        let probes = self.walk(self.key_hash(key), None).probes as u32;
        let (hash_evals, probes) = self.fault.work(1 + probes, probes);
        Some(Trace {
            hash_evals,
            probes,
            batch_probes: f64::from(probes),
            ..Trace::default()
        })
    }
}

pub(super) static SLOTS: Strategy = Strategy {
    name: "slots",
    family: "test",
    hash: &HASH,
    summary: "A key tries slots until one is taken",
    source: "this test",
    params: &[
        Param {
            name: "nodes",
            role: ParamRole::Other,
            kind: ParamKind::Choice(&["even", "uneven"]),
            help: "whether nodes accept all keys that come to them, or each another share",
        },
        Param {
            name: "salt",
            role: ParamRole::Other,
            kind: ParamKind::Int {
                default: 0,
                min: 0,
                max: 99,
                multiple_of: 1,
            },
            help: "mixed into the hashes of keys and names",
        },
        Param {
            name: "fault",
            role: ParamRole::Other,
            kind: ParamKind::Choice(Fault::WORDS),
            help: "what is wrong with it",
        },
    ],
    capabilities: |params, _| Capabilities {
        even: params.word("nodes") == "even",
        ..Capabilities::NONE
    },
    build: |params, _, _| {
        Ok(Box::new(Slots {
            fault: Fault::named(params.word("fault")),
            salt: mix(params.count("salt").into()),
            uneven: params.word("nodes") == "uneven",
            ..Slots::default()
        }))
    },
    ..Strategy::DEFAULT
};
