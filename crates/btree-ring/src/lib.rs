//! Hash rings in an ordered tree.
//!
//! A hash puts every node at many points of a ring and every key at one position; the first point
//! at or after the key owns it, past the last point the first one. A B-tree leads from point to
//! node, and a look-up asks it for its first entry from the key on.
//!
//! ```text
//!                    [ 14:b        38:c ]                 key at 17
//!                   /         |          \                17 > 14, 17 < 38: the middle
//!      [ 3:b   9:a ]   [ 22:c   31:a ]   [ 47:b   58:a ]  17 < 22
//!                        -> 22, c owns the key
//! ```
//!
//! [`java`] has the two programs of an article in Java, whose ring is a `TreeMap`; `btree-ring` is
//! the same structure with the common hash, which places every key as `vec-ring` and `linear-ring`
//! do.
//!
//! # Cost
//!
//! n nodes, V points a node, N = n V points.
//!
//! | | |
//! |---|---|
//! | build | N hashes, N log N comparisons |
//! | look-up | one hash, about log2 N comparisons, a cache line or more a level |
//! | N / 8 look-ups or more at once | one hash, a bucket and four points each, side by side; one pass over N points |
//! | add or remove a node | V hashes, V log N comparisons: no pass over the other points |
//! | memory | about 15 bytes a point as built (32-bit positions: 11), more after changes |
//! | keys moved | those of the node that leaves or comes: 1/n, give or take 1/(n sqrt V) |
//!
//! # Pick it when, avoid it when
//!
//! Pick it when nodes come and go all the time on a ring of very many points: it is the only one of
//! the three rings whose change does not touch every point. Avoid it when look-ups are what counts:
//! a sorted vector is smaller and is searched faster. With the common hash, avoid names of exactly
//! three bytes: [`CommonHash`] says why.
//!
//! # Deviations from the source
//!
//! The owner is that of the published program for every key for which it gives one. Past the last
//! point, where it throws, the first point has the key. After any change the ring is the one that
//! the program would build from the nodes then present, in joining order: a point that two nodes
//! share is never lost. The page of [`java`] lists every defect.
//!
//! # References
//!
//! - D. Karger and others, Consistent Hashing and Random Trees, STOC 1997: the ring (there with the
//!   nearest point; the clockwise rule is later practice).
//! - J. Lamping and E. Veach, A Fast, Minimal Memory, Consistent Hash Algorithm, 2014: a sorted
//!   vector and a tree of points, measured side by side.
//! - The article is named in [`java`].

pub mod java;
mod tree;

use ring_points::{
    CommonHash, Layout, NamedHash, Placement, RingPoint, RingPosition, are_many, batch_probes,
    check, distinct, random_points, route_batch,
};
use router::{
    Capabilities, Estimate, Keys, Members, NodeId, Param, ParamKind, ParamRole, Params, Point,
    Question, Role, Router, Step, Strategy, Trace,
};
use tree::Tree;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "btree-ring-java-plain",
        family: "btree-ring",
        role: Role::Published,
        hash: &java::MD5_HASHCODE,
        summary: "One point a node, hashCode of MD5 in hex, TreeMap, as a Java article has it",
        source: java::SOURCE,
        capabilities: |_, _| PUBLISHED,
        check: |_, members, _| check(&java::Plain, members),
        build: |_, _, _| Ok(Box::new(TreeRing::new(java::Plain, Rule::AtOrAfter))),
        expected: |_, question| random_points(1, question),
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "btree-ring-java",
        family: "btree-ring",
        role: Role::Published,
        hash: &java::MD5_HASHCODE,
        summary: "Virtual nodes, hashCode of MD5 in hex, TreeMap, as a Java article has it",
        source: java::SOURCE,
        params: &[
            Param::points_per_node("vnodes", 100, "points a node"),
            Param {
                name: "rule",
                role: ParamRole::Other,
                kind: ParamKind::Choice(&["code", "text"]),
                help: "first point from the key up, as the code has it, or down, as the text has it",
            },
        ],
        suite_params: "vnodes=2",
        capabilities: |_, _| PUBLISHED,
        check: |params, members, _| check(&java::Virtual::of(params), members),
        build: |params, _, _| {
            let placement = java::Virtual::of(params);
            Ok(Box::new(TreeRing::new(placement, java_rule(params))))
        },
        expected: |params, question| {
            let vnodes = params.count("vnodes").into();
            match java_rule(params) {
                Rule::AtOrAfter => random_points(vnodes, question),
                Rule::AtOrBefore => random_points_at_or_before(vnodes, question),
            }
        },
        ..Strategy::DEFAULT
    },
    Strategy {
        name: "btree-ring",
        family: "btree-ring",
        role: Role::CommonHash,
        hash: &point_hash::XXH3,
        summary: "Ring of 64-bit points in a B-tree",
        source: "the structure of the Java article, with the common hash",
        // Places every key as `vec-ring` does, which is swept over points a node for all three.
        params: &[
            Param {
                role: ParamRole::Other,
                ..CommonHash::VNODES
            },
            CommonHash::HASH,
        ],
        suite_params: "vnodes=2",
        capabilities: |params, _| CommonHash::capabilities(params),
        hash_with: NamedHash::hash_with,
        check: |params, members, _| CommonHash::check(params, members),
        build: |params, _, _| {
            let rule = Rule::AtOrAfter;
            Ok(match NamedHash::of(params) {
                None => Box::new(TreeRing::new(CommonHash::of(params), rule)),
                Some(named) => Box::new(TreeRing::new(named, rule)),
            })
        },
        expected: |params, question| match question {
            Question::Probes { n } => {
                let n_points = n * CommonHash::of(params).vnodes();
                Some(Estimate::exact(n_probes(n_points).into()))
            }
            _ => CommonHash::theory(params, question),
        },
        ..Strategy::DEFAULT
    },
];

/// What a published program's ring can claim: shared points go by the order of joining.
const PUBLISHED: Capabilities = Capabilities {
    minimal: true,
    history_free: true,
    replicas: true,
    ..Capabilities::NONE
};

fn java_rule(params: &Params) -> Rule {
    match params.word("rule") {
        "text" => Rule::AtOrBefore,
        _ => Rule::AtOrAfter,
    }
}

/// Which point owns a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The smallest point at or after it; where there is none, the smallest point.
    AtOrAfter,
    /// The largest point at or before it; where there is none, the smallest point.
    AtOrBefore,
}

/// A ring whose points are the keys of a B-tree.
#[derive(Clone, Debug)]
pub struct TreeRing<P: Placement> {
    layout: Layout<P>,
    tree: Tree<P::Position>,
    rule: Rule,
}

impl<P: Placement> TreeRing<P> {
    /// A ring without nodes.
    #[must_use]
    pub fn new(placement: P, rule: Rule) -> Self {
        Self {
            layout: Layout::new(placement),
            tree: Tree::default(),
            rule,
        }
    }

    /// The point that owns a key of this hash.
    #[inline]
    fn find(&self, hash: P::Position) -> RingPoint<P::Position> {
        let owners = self.tree.owners();
        let point = match self.rule {
            Rule::AtOrAfter => owners.range(hash..).next(),
            Rule::AtOrBefore => owners.range(..=hash).next_back(),
        };
        let (&position, &owner) = point
            .or_else(|| owners.first_key_value())
            .expect("asked only while a node has weight, so has points");
        RingPoint::new(position, owner)
    }
}

/// A key's way down a tree of `n_points`, as if it halved: ceil(log2(n_points + 1)).
fn n_probes(n_points: u64) -> u32 {
    n_points.checked_ilog2().map_or(0, |log| log + 1)
}

impl<P: Placement> Router for TreeRing<P> {
    /// Places anew the points of the nodes that changed, each by its way down the tree; at
    /// building, all at once from a sorted list.
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let Self { layout, tree, .. } = self;
        let changed = layout.changed(members, steps);
        if steps.is_empty() {
            layout.set_members(members);
            *tree = Tree::of_sorted(&layout.sorted_points(&changed));
            return;
        }
        for node in layout.members().iter() {
            if changed.contains(node.id) {
                layout.each_point(node, |position| tree.withdraw(position, node.id));
            }
        }
        layout.set_members(members);
        for node in layout.members().iter() {
            if changed.contains(node.id) {
                layout.each_point(node, |position| {
                    let point = |id| RingPoint::new(position, id);
                    tree.place(position, node.id, |a, b| layout.order(point(a), point(b)));
                });
            }
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.find(self.layout.hash(key)).owner()
    }

    /// For many keys the points are written out of the tree, in order, and sought side by side: see
    /// [`ring_points::route_batch`].
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        assert_eq!(keys.len(), owners.len(), "one owner a key");
        if !are_many(keys.len(), self.tree.owners().len()) {
            for (owner, key) in owners.iter_mut().zip(keys.iter()) {
                *owner = self.route(key);
            }
            return;
        }
        let points: Vec<RingPoint<P::Position>> = self.tree.points().collect();
        let settle = |hash, at_or_after: usize| {
            let next = points.get(at_or_after);
            let is_hit = next.is_some_and(|point| point.position() == hash);
            match self.rule {
                Rule::AtOrBefore if !is_hit => at_or_after.saturating_sub(1),
                _ if next.is_none() => 0,
                _ => at_or_after,
            }
        };
        let placement = self.layout.placement();
        route_batch(placement, &points, None, keys, owners, settle);
    }

    /// Walks on from the key's point, in the order in which its node would be replaced if it left.
    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let hash = self.layout.hash(key);
        let owners = self.tree.owners();
        let here = |(position, &owner)| self.tree.nodes_at(position, owner);
        Some(match self.rule {
            Rule::AtOrAfter => {
                let around = owners.range(hash..).chain(owners.range(..hash));
                distinct(around.flat_map(here), n)
            }
            Rule::AtOrBefore => {
                let down = owners.range(..=hash).rev();
                let up = owners
                    .range(hash..)
                    .filter(|&(&position, _)| position > hash);
                distinct(down.chain(up).flat_map(here), n)
            }
        })
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let points = self.tree.points();
        Some(match self.rule {
            Rule::AtOrAfter => self.layout.shares(points),
            Rule::AtOrBefore => shares_at_or_before(&self.layout, &points.collect::<Vec<_>>()),
        })
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.layout.labelled(self.tree.points()))
    }

    /// Probes are the comparisons of a search that halves, ceil(log2(points + 1)). A B-tree goes
    /// through its nodes from the left, so it compares somewhat more and jumps less.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.layout.hash(key);
        let probes = n_probes(self.tree.owners().len() as u64);
        let owners = self.tree.owners();
        let below = owners.range(..hash).rev().map(|(&position, _)| position);
        let above = owners.range(hash..).map(|(&position, _)| position);
        let batch_probes = batch_probes(owners.len(), hash, below, above);
        let trace = self
            .layout
            .trace(hash, self.find(hash), probes, batch_probes);
        Some(trace)
    }
}

/// The shares when a point owns what lies from it up to the next point; the smallest one also what
/// lies below it.
fn shares_at_or_before<P: Placement>(
    layout: &Layout<P>,
    points: &[RingPoint<P::Position>],
) -> Vec<(NodeId, f64)> {
    let min = P::Position::MIN;
    let below = points.first().into_iter();
    let below = below.map(|point| (point.owner(), point.position().since(min)));
    let from_here = points.iter().enumerate().map(|(i, point)| {
        let end = points.get(i + 1).map_or(min, |next| next.position());
        (point.owner(), end.since(point.position()))
    });
    layout.sum_arcs(below.chain(from_here))
}

/// What theory says of [`Rule::AtOrBefore`].
///
/// N = n V points cut the range into N + 1 pieces, exchangeable as on a ring (Dirichlet with all
/// parameters 1); the smallest point has two. A node with m pieces has a mean squared share of
/// m (m + 1) / ((N + 1) (N + 2)); one node has V + 1, all others V.
fn random_points_at_or_before(n_points: u64, question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { n } if n > 0 => {
            let (n, v) = (n as f64, n_points as f64);
            let squares = (n - 1.0) * v * (v + 1.0) + (v + 1.0) * (v + 2.0);
            let all = n * v;
            Some(Estimate::mean(
                n * squares / ((all + 1.0) * (all + 2.0)) - 1.0,
            ))
        }
        // Which nodes leave or come has nothing to do with which has the smallest point.
        Question::Moved { .. } => {
            random_points(n_points, question).map(|estimate| Estimate::mean(estimate.mean))
        }
        Question::HashEvals { .. } => random_points(n_points, question),
        _ => None,
    }
}
