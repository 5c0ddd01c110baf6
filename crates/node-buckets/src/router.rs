//! The router: a table from buckets to nodes over a mapping from hashes to buckets.

use bucket_hash::Count;
use point_hash::xxh3;
use router::{Capabilities, Members, NodeId, Position, Router, Step, Trace};

use crate::Buckets;

/// Routes a key to the node in the bucket that owns its hash, XXH3-64 with seed 0.
#[derive(Clone, Debug)]
pub struct BucketRouter<B> {
    buckets: B,
    /// The node in each bucket; `None` in one that is out of use.
    nodes: Vec<Option<NodeId>>,
    n_nodes: usize,
}

impl BucketRouter<()> {
    /// What holds of the router over all buckets that share evenly and move no key in vain.
    pub const CAPABILITIES: Capabilities = Capabilities {
        minimal: true,
        even: true,
        ..Capabilities::NONE
    };
}

impl<B: Buckets> BucketRouter<B> {
    /// A router without nodes over these buckets, none of which is in use.
    #[must_use]
    pub fn new(buckets: B) -> Self {
        Self {
            buckets,
            nodes: Vec::new(),
            n_nodes: 0,
        }
    }

    fn clear(&mut self, coming: usize) {
        self.buckets.clear(coming);
        self.nodes.clear();
        self.nodes.reserve_exact(coming);
        self.n_nodes = 0;
    }

    fn add(&mut self, id: NodeId) {
        let bucket = self.buckets.add() as usize;
        if bucket >= self.nodes.len() {
            self.nodes.resize(bucket + 1, None);
        }
        self.nodes[bucket] = Some(id);
        self.n_nodes += 1;
    }

    fn remove(&mut self, id: NodeId) {
        let bucket = self.bucket_of(id);
        if self.n_nodes == 1 {
            self.clear(0);
            return;
        }
        self.nodes[bucket] = None;
        self.n_nodes -= 1;
        self.buckets
            .remove(u32::try_from(bucket).expect("buckets are u32"));
    }

    /// The bucket of a node that is present. Takes time linear in the buckets.
    fn bucket_of(&self, id: NodeId) -> usize {
        let mut nodes = self.nodes.iter();
        nodes
            .position(|&node| node == Some(id))
            .unwrap_or_else(|| panic!("node {} leaves, but it is in no bucket", id.get()))
    }
}

impl<B: Buckets> Router for BucketRouter<B> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        if steps.is_empty() {
            self.clear(members.len());
            members.iter().for_each(|node| self.add(node.id));
            return;
        }
        for step in steps {
            match *step {
                Step::Add(id) => self.add(id),
                Step::Remove(id) => self.remove(id),
                Step::Replace { old, new } => {
                    let bucket = self.bucket_of(old);
                    self.nodes[bucket] = Some(new);
                }
                // No strategy over buckets takes weights, so there is no other weight to set.
                Step::SetWeight(_) => {}
            }
        }
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        let bucket = self.buckets.find(xxh3(key), &mut ());
        self.nodes[bucket as usize].expect("only buckets in use are found")
    }

    /// Those that an ideal hash gives: equal ones, as every strategy over buckets claims.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let share = 1.0 / self.n_nodes as f64;
        let nodes = self.nodes.iter().flatten();
        Some(nodes.map(|&id| (id, share)).collect())
    }

    /// Hash evaluations are that of the key's bytes and those of the strategy; probes the buckets
    /// that it looks at.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let key_hash = xxh3(key);
        let mut count = Count::default();
        self.buckets.find(key_hash, &mut count);
        Some(Trace {
            hash_evals: 1 + count.hash_evals,
            probes: count.probes,
            batch_probes: count.probes.into(),
            key_hash: Some(Position::Unsigned(key_hash.into())),
            ..Trace::default()
        })
    }
}
