//! The tree: which virtual nodes there are, and which places lie below them.

/// A tree with this many leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    pub(super) leaves: u64,
}

/// A virtual node: its depth and what the places below it leave modulo 2^depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Virtual {
    pub(super) depth: u32,
    pub(super) residue: u64,
}

impl Virtual {
    pub(super) const ROOT: Self = Self {
        depth: 0,
        residue: 0,
    };

    pub(super) fn number(self) -> u64 {
        (1 << self.depth) + self.residue
    }

    pub(super) fn children(self) -> [Self; 2] {
        let depth = self.depth + 1;
        [self.residue, self.residue + (1 << self.depth)].map(|residue| Self { depth, residue })
    }

    /// How many of the places below `n` are below it.
    pub(super) fn n_places(self, n: u64) -> u64 {
        match n.checked_sub(self.residue + 1) {
            Some(behind) => (behind >> self.depth) + 1,
            None => 0,
        }
    }

    /// The share of the keys that come to it while no fork has an empty side.
    pub(super) fn share(self) -> f64 {
        1.0 / (1_u64 << self.depth) as f64
    }
}

impl Tree {
    /// The tree for `n` nodes in clusters of about `cluster`.
    pub(super) fn of(n: u64, cluster: u64) -> Self {
        let leaves = (n / cluster).max(1);
        Self { leaves }
    }

    /// The depth down to which it is complete.
    pub(super) fn complete(self) -> u32 {
        self.leaves.ilog2()
    }

    pub(super) fn is_leaf(self, at: Virtual) -> bool {
        let complete = self.complete();
        at.depth > complete || at.depth == complete && at.residue + (1 << complete) >= self.leaves
    }

    /// The leaf that holds `place`; leaves are numbered 0, 1, 2, ... by their residues.
    pub(super) fn leaf(self, place: u64) -> Virtual {
        let complete = self.complete();
        let mut leaf = Virtual {
            depth: complete + 1,
            residue: place & ((2 << complete) - 1),
        };
        if leaf.residue >= self.leaves {
            leaf.residue -= 1 << complete;
        }
        let parent = Virtual {
            depth: complete,
            ..leaf
        };
        // A residue that the complete part has too may be a leaf there.
        if leaf.residue < 1 << complete && self.is_leaf(parent) {
            return parent;
        }
        leaf
    }
}
