//! Consistent choose-k: a ranking of all nodes for each key, of which the first that is there owns it.
//!
//! A bucket function gives a key one bucket of n, and changes it only to the newest. Several such
//! functions together give k distinct ones: the i-th, from 0, chooses among the n - i buckets from i
//! on; the largest choice M is the first member of the set, and the others are chosen from the
//! buckets below M in the same way. The set is any k of the n buckets with equal chance, a new bucket
//! takes the place of at most one member, and the set of k + 1 is that of k and one more. So each key
//! has a ranking of all buckets: the owner, the replicas, and who takes over, in order.
//!
//! Nodes stand in buckets, here called slots. One that leaves in the middle leaves its slot empty;
//! keys look for the first slot of their ranking that is not.
//!
//! ```text
//!   slots        0:a  1:b  2:-  3:d  4:e      c has left
//!   hash 106     2    4    0    3    1        the owner was c, now it is e; replicas e, a, d, b
//!   c's keys go to whoever is next for each of them; f, joining, takes slot 2
//! ```
//!
//! ```text
//!   key = XXH3-64 of the key's bytes, seed 0;  n is the number of slots
//!   rehash(h, i) = output i, from 0, of SplitMix64 seeded with h
//!   the k-th of the ranking is what S(k, n) has and S(k - 1, n) has not
//!   S(k, n) = M(k, n) and all of S(k - 1, M(k, n));  S(0, n) is empty
//!   M(k, n) = max over i < k of c(i, n - i) + i
//!
//!   c(i, n): seed = key if i = 0, else rehash(key, 31 + i);  x = its lowest ceil(log2 n) bits
//!       while x > 1:
//!           b = 2^l = highest power of two in x;  w = rehash(seed, l)
//!           t = b + w mod b;  if t < n: done
//!           t = high half of w, low half of r, its high half, low half of the next r, ... mod 2b,
//!               r, ... = SplitMix64 seeded with w;  each: if t < b: stop;  if t < n: done
//!           clear b in x
//!       x
//! ```
//!
//! A node that joins takes the lowest empty slot, or else a new one behind all others. Empty slots
//! behind all others are dropped.
//!
//! # Cost
//!
//! n slots, w of them taken.
//!
//! | | |
//! |---|---|
//! | build | O(n): 4 bytes a slot, and the slot of each node |
//! | look-up, no slot empty | the key's hash and 1 to 1.83 more in the mean, a saw-tooth of n |
//! | look-up, some empty | the k-th of the ranking costs up to k bucket functions; k is (n + 1)/(w + 1) in the mean |
//! | R replicas, no slot empty | up to R (R + 1) / 2 bucket functions |
//! | add or remove any node | O(log n) |
//! | keys moved | those of the node that leaves, or that the one that joins gets, and no others |
//! | evenness | equal shares, whichever slots are empty |
//!
//! Half of the slots empty make a mean of 2 ranks, nine of ten 10 ranks and up to a hundred bucket
//! functions in the mean. Hash evaluations are the key's hash, the rehashes and the draws; probes the buckets
//! that all bucket functions considered.
//!
//! # Pick it when, avoid it when
//!
//! Pick it when shares must be equal, any node may fail, and replicas are wanted that are
//! independent of each other: where a ring has hundreds of points a node, this has one slot. Avoid it
//! when most slots are empty for long, and where clients learn of changes in different orders: who
//! is in which slot is state that all of them must have alike.
//!
//! Who stands in which slot matters, and not the order in which the others left; anchor and memento
//! need that order too. But it is not free of history as this workspace has it: after a, b, c and d
//! joined and b left, it answers otherwise than one built from a, c and d, which has no empty slot.
//!
//! # Deviations from the source
//!
//! The source takes its random numbers from its user's hasher. Here each function is a jump back in
//! the manner of JumpBackHash, but with random numbers of its own for each level. JumpBackHash uses one word for
//! several levels, which is right for every single n and not for several n together; rankings ask the
//! same function at several n. With it, of the 60 orders of the first three of five slots some come
//! half and others three halves as often as they should; with ours all have the same chance (a test
//! counts them).
//!
//! The source fills any empty slot, whichever a hash set iterates first; here it is the lowest, so
//! that all machines agree. The source drops one slot when the last node leaves; here all empty ones
//! at the end go, which changes no owner. The source gives the ranks to the first taken slot as
//! 1 + ln(n/w); with orders that all have the same chance they are (n + 1)/(w + 1), which a test
//! counts too.
//!
//! # References
//!
//! - consistent-choose-k, a crate of GitHub's rust-gems, 2025: the construction, its proof and the
//!   node map; there is no paper.
//! - O. Ertl, "JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly to
//!   Buckets", Software: Practice and Experience 55(3), 2025.

mod choice;
mod ranking;
mod slots;

use bucket_hash::{CAPABILITIES, Count, Work, even, gap};
use point_hash::xxh3;
use router::{
    Capabilities, Estimate, Members, NodeId, Question, Router, Sizes, Step, Strategy, Trace,
};

pub use ranking::Ranking;
use slots::Slots;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[Strategy {
    name: "choose-k",
    family: "choose-k",
    hash: &point_hash::XXH3,
    summary: "A ranking of all nodes a key, from one bucket function a rank; any node can leave",
    source: "consistent-choose-k of GitHub's rust-gems, 2025, over a form of JumpBackHash",
    sizes: Sizes::PowersOfTwo,
    capabilities: |_, _| Capabilities {
        any_removal: true,
        history_free: false,
        replicas: true,
        ..CAPABILITIES
    },
    build: |_, _, _| Ok(Box::new(ChooseK::default())),
    expected: |_, question| expected(question),
    ..Strategy::DEFAULT
}];

/// A router that gives a key to the first node of its ranking.
///
/// Cloning copies 4 bytes a slot and the slot of each node.
#[derive(Clone, Debug, Default)]
pub struct ChooseK {
    slots: Slots,
}

impl ChooseK {
    /// The first node of the ranking of a key with this hash.
    #[inline]
    fn owner(&self, key_hash: u64, work: &mut impl Work) -> NodeId {
        let mut ranking = Ranking::new(key_hash, self.slots.n());
        while let Some(slot) = ranking.next_slot(work) {
            if let Some(owner) = self.slots.owner(slot) {
                return owner;
            }
        }
        unreachable!("a ranking has all slots, and one of them a node")
    }
}

impl Router for ChooseK {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        if steps.is_empty() {
            self.slots = Slots::of(members);
        }
        for step in steps {
            self.slots.update(step);
        }
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.owner(xxh3(key), &mut ())
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let wanted = n.min(self.slots.n_taken());
        let mut ranking = Ranking::new(xxh3(key), self.slots.n());
        let mut owners = Vec::with_capacity(wanted);
        while owners.len() < wanted {
            let slot = ranking.next_slot(&mut ())?;
            owners.extend(self.slots.owner(slot));
        }
        Some(owners)
    }

    /// Those that an ideal hash gives: equal ones, as claimed.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let share = 1.0 / self.slots.n_taken() as f64;
        let nodes = (0..self.slots.n()).filter_map(|slot| self.slots.owner(slot));
        Some(nodes.map(|id| (id, share)).collect())
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let key_hash = xxh3(key);
        let mut count = Count::default();
        self.owner(key_hash, &mut count);
        Some(count.trace(key_hash))
    }
}

/// What theory says while no slot is empty. Nodes that leave and others that join, into their slots
/// first, move the keys of whichever are more; so it is with nodes that come and go at the end.
fn expected(question: Question) -> Option<Estimate> {
    match question {
        // Levels 0 and 1 are single buckets and need no hash. The key jumps in the top level, and then
        // lies beyond n, with probability s; of the tries that follow, the first needs no further
        // hash, two more share one, each lies beyond n again with probability s, and the key leaves
        // for the level below with probability 1/(2 (1 - s)).
        Question::HashEvals { n } if n > 0 => {
            let (s, m) = (gap(n), n.next_power_of_two() as f64);
            let first = (1.0 - 2.0 / m).max(0.0);
            let first_below = (1.0 - 4.0 / m).max(0.0);
            let again = s / (1.0 - s * s) + 0.5 / (1.0 - s) * first_below;
            Some(Estimate::exact(1.0 + first + s * again))
        }
        Question::Probes { n } if n > 0 => {
            let s = gap(n);
            Some(Estimate::exact(1.0 + 1.5 * s / (1.0 - s)))
        }
        _ => even(question),
    }
}
