//! Filling the table: whose turn it is, and which entry that node takes.

use std::ops::{AddAssign, Mul};

/// The order in which a node prefers the entries of a table of prime size: from a first one on in
/// steps of a fixed length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preference {
    first: u64,
    step: u64,
}

impl Preference {
    /// The preference that these two hashes of a node's name give: `first mod M` and
    /// `step mod (M - 1) + 1`.
    ///
    /// # Panics
    ///
    /// When the table has fewer than two entries.
    #[must_use]
    pub fn new(first: u64, step: u64, n_entries: u64) -> Self {
        Self {
            first: first % n_entries,
            step: step % (n_entries - 1) + 1,
        }
    }

    /// The preferred entries in order, over and over.
    pub fn entries(self, n_entries: u64) -> impl Iterator<Item = u64> {
        std::iter::successors(Some(self.first), move |entry| {
            let next = entry + self.step;
            // Both are below the number of entries.
            Some(if next < n_entries {
                next
            } else {
                next - n_entries
            })
        })
    }
}

/// What weights and turns are reckoned in.
pub trait Weight: Copy + PartialOrd + Default + AddAssign + Mul<Output = Self> + From<u32> {}

impl Weight for u64 {}
impl Weight for f64 {}

/// Fills a table of `n_entries`, a prime: of each entry the place of its owner in `nodes`. Empty
/// without nodes.
///
/// In every round, counted from 1, the nodes are asked in order. A node plays if the round times its
/// weight has reached its target, which starts at 0 and grows by the largest weight whenever it
/// plays. Who plays takes the first entry of its preference that is free.
#[must_use]
pub fn fill<W: Weight>(n_entries: u64, nodes: &[(Preference, W)]) -> Vec<u32> {
    const FREE: u32 = u32::MAX;
    let weights = nodes.iter().map(|&(_, weight)| weight);
    let Some(largest) = weights.reduce(|a, b| if b > a { b } else { a }) else {
        return Vec::new();
    };
    let mut table = vec![FREE; usize::try_from(n_entries).expect("a table fits in memory")];
    let mut walks: Vec<_> = nodes
        .iter()
        .map(|(preference, _)| preference.entries(n_entries))
        .collect();
    let mut targets = vec![W::default(); nodes.len()];
    let mut n_free = n_entries;
    for round in 1_u32.. {
        for (i, &(_, weight)) in nodes.iter().enumerate() {
            if W::from(round) * weight < targets[i] {
                continue;
            }
            targets[i] += largest;
            let entry = walks[i]
                .find(|&entry| table[entry as usize] == FREE)
                .expect("a walk meets every entry, and one is free");
            table[entry as usize] = u32::try_from(i).expect("at most 2^32 - 1 nodes");
            n_free -= 1;
            if n_free == 0 {
                return table;
            }
        }
    }
    unreachable!("the heaviest node plays in every round, and there are fewer entries than rounds");
}
