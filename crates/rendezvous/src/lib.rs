//! Rendezvous hashing: every node gets a score for the key, and the highest score wins.
//!
//! A node's score is a hash of the key and the node together, so each key has an order of all nodes
//! of its own. A node that leaves leaves the other scores alone: its keys go to their second nodes,
//! which are different ones, and no other key moves. There is no table, no point and no tuning.
//!
//! ```text
//!   key ^ a --> 17
//!   key ^ b --> 93   b owns the key; without b it is c
//!   key ^ c --> 42
//! ```
//!
//! [`skeleton`] asks a tree of clusters first, so that not every node has to be asked.
//!
//! # The scores
//!
//! The hash of a key is XXH3-64 with seed 0, the id of a node XXH3-64 of its name with seed 1 (with
//! seed 0 a key that is some node's name would always score 0 there). [`score::score`] xors the two,
//! multiplies the halves of that, 32 bits each, and xors the upper half of the product with its lower
//! half: 62 bits are kept. The larger score wins; of equal ones, which takes a chance of 2^-62, that of
//! the smaller name.
//!
//! Both sides are mixed already, so one multiplication is enough to make the order of the nodes look
//! random. Over 175 sets of 2 to 1000 random ids and 1.9 * 10^8 keys in all, the owners, the pairs of
//! first and second owner, and the distribution of the winning score were as even as with
//! [`mix64`](point_hash::mix64), which multiplies twice; the product alone, its halves not xored, is
//! not. A product of 32-bit halves is also one that every vector unit makes: asking 1000 nodes takes
//! less than half the time of [`fold64`](point_hash::fold64), whose 128-bit product none makes.
//!
//! # Weights
//!
//! The logarithmic method: of the score's upper 52 bits of 62, m, make u = (m + 1/2) / 2^52, a number
//! between 0 and 1 and never either, and let the smallest -ln(u) / w win. That is a race of clocks
//! that ring at rate w, and the one with w rings first with probability w / W exactly. A weight
//! that changes touches the score of no other node, so keys move to or from that node alone.
//!
//! Nodes of one weight need no logarithm. Neighbours u and u + 2^-52 have logarithms that lie at
//! least 2^-52 / u apart, which is 2.7 (e) units in the last place of -ln(u) or more, while each
//! computed value (libm's, the same on every machine) is off by less than one. So the larger m always
//! has the smaller computed logarithm, and division by w keeps the order. Hence the rule that decides
//! is: smaller -ln(u) / w, then larger score, then smaller name. Among nodes of one weight it is the
//! order of the scores as integers, bit for bit, whether the weights of the others are equal or not:
//! each class of equal weight names its highest score, and only those winners are compared by
//! logarithms. With all weights equal there is none.
//!
//! # Cost
//!
//! n nodes of c different weights.
//!
//! | | |
//! |---|---|
//! | build | n hashes of names, n log n comparisons |
//! | look-up | one hash of the key, n of a word each; c logarithms if c > 1 |
//! | add or remove a node | one hash, one pass over the nodes |
//! | memory | 40 bytes a node |
//! | keys moved | exactly those of the node that leaves or comes: 1/n |
//! | evenness | exact, with weights too |
//!
//! # Pick it when, avoid it when
//!
//! Pick it for up to a hundred nodes or so: it is exactly even and moves no key in vain; nodes come
//! and go in any order, weights are exact, and replicas are the next in the key's own order. Avoid it
//! for thousands of nodes, where a look-up that asks each of them takes microseconds.
//!
//! # Deviations from the paper
//!
//! Thaler and Ravishankar combine a linear congruential generator of node and key in 31 bits; here
//! both are hashed to 64 bits and xored. A weight as a factor of the score would make shares follow
//! the weights only roughly; the logarithm makes them exact.
//!
//! # References
//!
//! - D. G. Thaler and C. V. Ravishankar, A Name-Based Mapping Scheme for Rendezvous, 1996; Using
//!   Name-Based Mappings to Increase Hit Rates, IEEE/ACM Transactions on Networking, 1998.
//! - IETF draft-ietf-bess-weighted-hrw, 2024: the logarithmic method.

pub mod score;
pub mod skeleton;

use std::{cmp::Ordering, collections::HashSet, ops::Range, sync::Arc};

use point_hash::{xxh3, xxh3_seeded};
use router::{
    Capabilities, Estimate, Members, NodeId, Position, Question, Role, Router, Step, Strategy,
    Trace, WeightSupport,
};
use score::{highest, score};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "rendezvous",
        family: "rendezvous",
        role: Role::Ours,
        hash: &point_hash::XXH3,
        summary: "Highest score of key and node wins; weights by the logarithmic method",
        source: "Thaler and Ravishankar, A Name-Based Mapping Scheme for Rendezvous, 1996",
        capabilities: |_, _| Capabilities {
            minimal: true,
            order_free: true,
            history_free: true,
            weights: WeightSupport::Minimal,
            replicas: true,
            even: true,
            ..Capabilities::NONE
        },
        build: |_, _, _| Ok(Box::new(Rendezvous::new(CommonHash))),
        expected: |_, question| expected(question),
        ..Strategy::DEFAULT
    },
    skeleton::STRATEGY,
];

/// What keys and nodes are hashed with, so that a test can inject a broken hash.
pub trait Hashes: Clone + Send + Sync + 'static {
    /// The hash of a key.
    fn key(&self, key: &[u8]) -> u64;
    /// The id of the node called `name`.
    fn node(&self, name: &str) -> u64;
}

/// XXH3-64: a key with seed 0, a node's name with seed 1.
#[derive(Clone, Copy, Debug)]
pub struct CommonHash;

impl Hashes for CommonHash {
    #[inline]
    fn key(&self, key: &[u8]) -> u64 {
        xxh3(key)
    }

    fn node(&self, name: &str) -> u64 {
        xxh3_seeded(name.as_bytes(), 1)
    }
}

/// A router that gives each key to the node with the highest score.
#[derive(Clone, Debug)]
pub struct Rendezvous<H> {
    hashes: H,
    /// The nodes with weight, by weight and then by name.
    nodes: Vec<Candidate>,
    /// Their ids, one behind the other: all that a look-up reads.
    ids: Vec<u64>,
    /// The nodes of each weight.
    classes: Vec<Class>,
}

#[derive(Clone, Debug)]
struct Candidate {
    weight: u32,
    name: Arc<str>,
    id: u64,
    node: NodeId,
}

#[derive(Clone, Debug)]
struct Class {
    weight: u32,
    places: Range<usize>,
}

/// A node's standing for one key.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// When its clock rings: -ln(u) / w. 0 where all weights are equal and the score decides.
    rings_at: f64,
    score: u64,
    place: usize,
}

impl<H: Hashes> Rendezvous<H> {
    /// A router without nodes.
    #[must_use]
    pub fn new(hashes: H) -> Self {
        Self {
            hashes,
            nodes: Vec::new(),
            ids: Vec::new(),
            classes: Vec::new(),
        }
    }

    /// The place of the node that owns a key of this hash.
    #[inline]
    fn owner(&self, key_hash: u64) -> usize {
        if let [only] = self.classes.as_slice() {
            return highest(&self.ids[only.places.clone()], key_hash).0;
        }
        let winners = self.classes.iter().map(|class| {
            let (place, score) = highest(&self.ids[class.places.clone()], key_hash);
            Standing {
                rings_at: rings_at(score, class.weight),
                score,
                place: class.places.start + place,
            }
        });
        let first = winners.min_by(|a, b| self.order(a, b));
        first.expect("asked only while a node has weight").place
    }

    /// Orders two standings for one key, the better one first.
    fn order(&self, a: &Standing, b: &Standing) -> Ordering {
        let by_time = a.rings_at.total_cmp(&b.rings_at);
        by_time
            .then_with(|| b.score.cmp(&a.score))
            .then_with(|| self.nodes[a.place].name.cmp(&self.nodes[b.place].name))
    }

    /// The standings of all nodes for a key of this hash.
    fn standings(&self, key_hash: u64) -> Vec<Standing> {
        let weighted = self.classes.len() > 1;
        let nodes = self.nodes.iter().enumerate();
        nodes
            .map(|(place, node)| {
                let score = score(key_hash, node.id);
                let rings_at = match weighted {
                    true => rings_at(score, node.weight),
                    false => 0.0,
                };
                Standing {
                    rings_at,
                    score,
                    place,
                }
            })
            .collect()
    }
}

/// When the clock of a node with this score and weight rings: -ln(u) / w, where u = (m + 1/2) / 2^52
/// and m is the score's upper 52 bits of 62.
///
/// Falls as m grows, strictly before the division; see the crate's page.
fn rings_at(score: u64, weight: u32) -> f64 {
    const UNIT: f64 = 1.0 / (1_u64 << 52) as f64;
    let u = ((score >> 10) as f64 + 0.5) * UNIT;
    -libm::log(u) / f64::from(weight)
}

impl<H: Hashes> Router for Rendezvous<H> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let named = steps.iter().flat_map(|step| {
            let (id, other) = step.nodes();
            [Some(id), other]
        });
        let named: HashSet<NodeId> = named.flatten().collect();
        let stays = |id: &NodeId| !steps.is_empty() && !named.contains(id);
        self.nodes.retain(|node| stays(&node.node));
        let arriving = members
            .iter()
            .filter(|node| node.weight > 0 && !stays(&node.id));
        self.nodes.extend(arriving.map(|node| Candidate {
            weight: node.weight,
            name: Arc::clone(&node.name),
            id: self.hashes.node(&node.name),
            node: node.id,
        }));
        // Those that stayed are in order, and the sort goes over them once.
        self.nodes
            .sort_by(|a, b| (a.weight, &a.name).cmp(&(b.weight, &b.name)));
        self.ids = self.nodes.iter().map(|node| node.id).collect();
        let mut start = 0;
        let classes = self.nodes.chunk_by(|a, b| a.weight == b.weight);
        self.classes = classes
            .map(|class| {
                let places = start..start + class.len();
                start = places.end;
                let weight = class[0].weight;
                Class { weight, places }
            })
            .collect();
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.nodes[self.owner(self.hashes.key(key))].node
    }

    /// Takes time linear in the nodes, and n log n for n owners.
    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let mut standings = self.standings(self.hashes.key(key));
        if n < standings.len() {
            standings.select_nth_unstable_by(n, |a, b| self.order(a, b));
            standings.truncate(n);
        }
        standings.sort_unstable_by(|a, b| self.order(a, b));
        Some(
            standings
                .iter()
                .map(|it| self.nodes[it.place].node)
                .collect(),
        )
    }

    /// The weights' parts: what scores that are evenly spread give. No sample is large enough to
    /// see the hash part from that.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let total: u64 = self.nodes.iter().map(|node| u64::from(node.weight)).sum();
        let share = |node: &Candidate| (node.node, f64::from(node.weight) / total as f64);
        Some(self.nodes.iter().map(share).collect())
    }

    /// A hash evaluation for the key, and one of a word for every node; every node is a probe.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let probes = u32::try_from(self.nodes.len()).expect("ids of nodes are 32 bits wide");
        Some(Trace {
            hash_evals: probes + 1,
            probes,
            batch_probes: probes.into(),
            key_hash: Some(Position::Unsigned(self.hashes.key(key).into())),
            ..Trace::default()
        })
    }
}

/// What theory says: even, minimal, and every node is asked.
fn expected(question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { .. } => Some(Estimate::exact(0.0)),
        Question::Peak { .. } => Some(Estimate::exact(1.0)),
        Question::Moved { n, removed, added } => {
            Estimate::moved_minimally(n, removed, added, |_| Some(0.0))
        }
        Question::HashEvals { n } => Some(Estimate::exact((n + 1) as f64)),
        Question::Probes { n } => Some(Estimate::exact(n as f64)),
        _ => None,
    }
}
