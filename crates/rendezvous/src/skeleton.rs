//! Rendezvous hashing over a tree of clusters, so that a look-up takes logarithmic time.
//!
//! The nodes stand in clusters of about `cluster` each, and the clusters are the leaves of a tree whose
//! inner nodes are virtual: they are numbers, not machines. A key goes down the tree, at every fork to
//! the child with the higher score, and in the leaf to the node with the highest. So it asks two virtual
//! nodes a level and one cluster, not all n nodes.
//!
//! ```text
//!               1                    a key: of 2 and 3 the score of 3 is higher
//!            /     \                         of 5 and 7 that of 5
//!          2         3                       of n1 and n5 that of n1: it owns the key
//!        /   \     /   \
//!       4     6   5     7
//!     n0 n4  n2  n1     n3      the leaves: places modulo 4
//!     n8     n6  n5     n7
//! ```
//!
//! # The rule
//!
//! m = `cluster`, n nodes, c = max(1, floor(n / m)) clusters, h = floor(log2 c).
//!
//! - **Places.** A node that joins takes the lowest free place, 0, 1, 2, ..., and keeps it while it is a
//!   member; a replacement takes the old node's. Built anew, the places are the joining order.
//! - **The tree.** Virtual node (d, j) at depth d, 0 <= j < 2^d, has the number 2^d + j and the children
//!   (d + 1, j) and (d + 1, j + 2^d). It is a leaf at depth h + 1, and at depth h if j + 2^h >= c: c leaves
//!   in all. A leaf (d, j) holds the nodes whose places leave j modulo 2^d, 0.5 m to 2 m of them while
//!   places have no holes. This is how linear hashing grows a table: one bucket at a time.
//! - **Forks.** A child without a node is no choice. Of two, the one with the higher score has the key,
//!   of equal ones the lower number; the score is [`score`]`(h, id)` with h the key's hash and
//!   [`rehash`]`(0, number)` for the id. In the leaf the scores are those of `rendezvous`.
//! - **Replicas** are the rest of the cluster by score; then the other child of the last fork, and so on
//!   up the tree.
//!
//! # What a reshape costs
//!
//! While c stays, a node that joins takes keys from its own cluster alone, and one that leaves gives
//! them to it: no other key moves, but only that cluster becomes more or less crowded. Joining fills the
//! lowest hole, not the emptiest cluster. After random losses clusters are of unlike size, and a node's
//! share is its cluster's, 2^-d, divided by its size.
//!
//! Each m-th node that joins (or leaves) reshapes the tree: a cluster splits in two (or two merge), and
//! half of its keys move, though nobody left. That is a share of m/2n to m/n of all keys at once: for
//! m = 8 up to 9 times the least that must move for that node, and 1.7 times in the mean over all. So it
//! does not claim to be minimal. Nor is it free of its history: who holds which place depends on who left
//! before.
//!
//! # Cost
//!
//! | | |
//! |---|---|
//! | build | n hashes, n log n comparisons |
//! | look-up | one hash of the key, about 2 log2(n/m) + m of a word |
//! | add or remove a node | as building |
//! | memory | 12 bytes a node, 4 a place, 80 to 144 a cluster |
//! | evenness | exact where n is m times a power of two; between, clusters hold whole nodes: up to 7 % for m = 8 |
//!
//! # Pick it when, avoid it when
//!
//! Pick it for thousands of nodes that seldom change, where a table is not wanted. Avoid it when nodes
//! come and go, or when clients do not all see the same changes in the same order.
//!
//! # Deviations from the paper
//!
//! The paper was not at hand in full. What others tell of it fixes neither the fan-out, nor how clusters
//! form when n is no multiple of m, nor how the tree grows. Ours has fan-out 2, so that clusters without
//! holes differ no more than twofold, and grows one leaf at a time, because growing a whole level moves
//! half of all keys at once.
//!
//! # References
//!
//! - W. Wang and C. V. Ravishankar, Hash-Based Virtual Hierarchies for Scalable Location Service in
//!   Mobile Ad-Hoc Networks, Mobile Networks and Applications 14(5), 2009.

mod theory;
mod tree;

use std::{cmp::Reverse, ops::Range};

use point_hash::rehash;
use router::{
    Capabilities, Members, NodeId, Param, ParamKind, ParamRole, Position, Role, Router, Step,
    Strategy, Trace,
};

use crate::{
    CommonHash, Hashes as _,
    score::{highest, score},
};
use tree::{Tree, Virtual};

/// The strategy.
pub(crate) const STRATEGY: Strategy = Strategy {
    name: "rendezvous-skeleton",
    family: "rendezvous",
    role: Role::Ours,
    hash: &point_hash::XXH3,
    summary: "Highest score down a tree of clusters, then in the cluster; O(log n)",
    source: "Wang and Ravishankar, Hash-Based Virtual Hierarchies, 2009",
    params: &[CLUSTER],
    suite_params: "cluster=2",
    capabilities: |_, _| Capabilities {
        replicas: true,
        ..Capabilities::NONE
    },
    build: |params, _, _| Ok(Box::new(Skeleton::new(params.count(CLUSTER.name)))),
    expected: |params, question| theory::expected(params.count(CLUSTER.name).into(), question),
    ..Strategy::DEFAULT
};

const CLUSTER: Param = Param {
    name: "cluster",
    role: ParamRole::Other,
    kind: ParamKind::Int {
        default: 8,
        min: 1,
        max: 1 << 16,
        multiple_of: 1,
    },
    help: "nodes a cluster",
};

/// A router that goes down a tree of clusters by scores.
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// Nodes a cluster.
    cluster: u64,
    /// Who holds each place.
    places: Vec<Option<NodeId>>,
    tree: Tree,
    /// By number: the id of a virtual node, and the nodes in and below it.
    virtual_nodes: Vec<(u64, u32)>,
    /// By leaf: where its nodes lie in the two lists below.
    leaves: Vec<Range<usize>>,
    /// The ids of the nodes of each leaf, by name.
    ids: Vec<u64>,
    owners: Vec<NodeId>,
}

impl Skeleton {
    /// A router without nodes, for clusters of about this many.
    #[must_use]
    pub fn new(cluster: u32) -> Self {
        Self {
            cluster: u64::from(cluster).max(1),
            places: Vec::new(),
            tree: Tree { leaves: 1 },
            virtual_nodes: Vec::new(),
            leaves: vec![0..0; 1],
            ids: Vec::new(),
            owners: Vec::new(),
        }
    }

    /// Seats the nodes: see "Places" on the module's page.
    fn seat(&mut self, members: &Members, steps: &[Step]) {
        if steps.is_empty() {
            self.places = members.iter().map(|node| Some(node.id)).collect();
        }
        for step in steps {
            let find = |wanted| self.places.iter().position(|&place| place == wanted);
            match *step {
                Step::Add(id) => match find(None) {
                    Some(free) => self.places[free] = Some(id),
                    None => self.places.push(Some(id)),
                },
                Step::Remove(id) => {
                    if let Some(place) = find(Some(id)) {
                        self.places[place] = None;
                    }
                }
                Step::Replace { old, new } => {
                    if let Some(place) = find(Some(old)) {
                        self.places[place] = Some(new);
                    }
                }
                // It takes no weights.
                Step::SetWeight(_) => {}
            }
        }
        while self.places.last() == Some(&None) {
            self.places.pop();
        }
    }

    /// The children of `at`, the one that a key of this hash prefers first. Calls `hash_eval` for
    /// every score.
    #[inline]
    fn fork(&self, key_hash: u64, at: Virtual, mut hash_eval: impl FnMut()) -> [Virtual; 2] {
        let [lower, upper] = at.children();
        let (lower_id, n_lower) = self.virtual_nodes[lower.number() as usize];
        let (upper_id, n_upper) = self.virtual_nodes[upper.number() as usize];
        let mut score = |id| {
            hash_eval();
            score(key_hash, id)
        };
        let upper_first = match (n_lower, n_upper) {
            (_, 0) => false,
            (0, _) => true,
            _ => score(upper_id) > score(lower_id),
        };
        if upper_first {
            [upper, lower]
        } else {
            [lower, upper]
        }
    }

    /// The nodes of a leaf.
    #[inline]
    fn nodes(&self, leaf: Virtual) -> Range<usize> {
        self.leaves[leaf.residue as usize].clone()
    }

    /// Appends the nodes at and below `at` in the order of a key of this hash, up to `n` in all.
    fn rank(&self, key_hash: u64, at: Virtual, n: usize, owners: &mut Vec<NodeId>) {
        if owners.len() >= n || self.virtual_nodes[at.number() as usize].1 == 0 {
            return;
        }
        if !self.tree.is_leaf(at) {
            for child in self.fork(key_hash, at, || ()) {
                self.rank(key_hash, child, n, owners);
            }
            return;
        }
        let mut nodes: Vec<usize> = self.nodes(at).collect();
        // Stable: of equal scores the smaller name, which stands first.
        nodes.sort_by_key(|&node| Reverse(score(key_hash, self.ids[node])));
        nodes.truncate(n - owners.len());
        owners.extend(nodes.into_iter().map(|node| self.owners[node]));
    }
}

impl Router for Skeleton {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.seat(members, steps);
        let tree = Tree::of(members.len() as u64, self.cluster);
        let mut nodes: Vec<(Virtual, &str, NodeId)> = Vec::with_capacity(members.len());
        for (place, id) in (0..).zip(&self.places) {
            if let Some(node) = id.and_then(|id| members.get(id)) {
                nodes.push((tree.leaf(place), &node.name, node.id));
            }
        }
        nodes.sort_unstable_by_key(|&(leaf, name, _)| (leaf.residue, name));
        self.ids = nodes.iter().map(|it| CommonHash.node(it.1)).collect();
        self.owners = nodes.iter().map(|it| it.2).collect();
        self.virtual_nodes = (0..4_u64 << tree.complete())
            .map(|number| (rehash(0, number), 0))
            .collect();
        self.leaves = vec![0..0; tree.leaves as usize];
        let mut start = 0;
        for cluster in nodes.chunk_by(|a, b| a.0 == b.0) {
            let leaf = cluster[0].0;
            self.leaves[leaf.residue as usize] = start..start + cluster.len();
            start += cluster.len();
            for depth in 0..=leaf.depth {
                let residue = leaf.residue & ((1 << depth) - 1);
                let above = Virtual { depth, residue };
                self.virtual_nodes[above.number() as usize].1 += cluster.len() as u32;
            }
        }
        self.tree = tree;
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        let key_hash = CommonHash.key(key);
        let mut at = Virtual::ROOT;
        while !self.tree.is_leaf(at) {
            [at, _] = self.fork(key_hash, at, || ());
        }
        let nodes = self.nodes(at);
        let (place, _) = highest(&self.ids[nodes.clone()], key_hash);
        self.owners[nodes.start + place]
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let mut owners = Vec::new();
        if !self.owners.is_empty() {
            self.rank(CommonHash.key(key), Virtual::ROOT, n, &mut owners);
        }
        Some(owners)
    }

    /// A cluster has the keys of its leaf, and its nodes share them evenly: what scores that are
    /// evenly spread give.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let mut shares = Vec::with_capacity(self.owners.len());
        let mut below = vec![(Virtual::ROOT, 1.0)];
        while let Some((at, share)) = below.pop() {
            if self.tree.is_leaf(at) {
                let nodes = self.nodes(at);
                let each = share / nodes.len() as f64;
                shares.extend(self.owners[nodes].iter().map(|&node| (node, each)));
                continue;
            }
            let children = at.children();
            let alive = |it: &Virtual| self.virtual_nodes[it.number() as usize].1 > 0;
            let n_alive = children.iter().filter(|it| alive(it)).count() as f64;
            below.extend(
                children
                    .into_iter()
                    .filter(alive)
                    .map(|it| (it, share / n_alive)),
            );
        }
        Some(shares)
    }

    /// Probes are the two children of every fork and the nodes of the cluster.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let key_hash = CommonHash.key(key);
        let (mut hash_evals, mut probes) = (1, 0);
        let mut at = Virtual::ROOT;
        while !self.tree.is_leaf(at) {
            [at, _] = self.fork(key_hash, at, || hash_evals += 1);
            probes += 2;
        }
        let n_nodes = u32::try_from(self.nodes(at).len()).expect("ids of nodes are 32 bits wide");
        probes += n_nodes;
        Some(Trace {
            hash_evals: hash_evals + n_nodes,
            probes,
            batch_probes: probes.into(),
            key_hash: Some(Position::Unsigned(key_hash.into())),
            ..Trace::default()
        })
    }
}
