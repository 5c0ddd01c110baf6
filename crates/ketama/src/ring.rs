//! The ring of every variant, its sorted points sought through an index of buckets.

use ring_points::{Index, Ring, Weights};
use router::{Keys, Members, NodeId, Point, Router, Step, Trace};

use crate::variant::{Points, Variant};

/// The ring of a variant.
#[derive(Clone, Debug)]
pub(crate) struct Ketama<V: Variant> {
    variant: V,
    ring: Ring<Points<V>>,
    index: Index,
}

impl<V: Variant> Ketama<V> {
    /// A ring without nodes.
    pub(crate) fn new(variant: V) -> Self {
        Self {
            variant,
            ring: Ring::new(Points(variant)),
            index: Index::default(),
        }
    }

    /// The index of the point that owns a key of this hash.
    #[inline]
    fn find(&self, hash: u32) -> usize {
        let points = self.ring.points();
        self.settle(hash, self.index.first_at_or_after(points, hash))
    }

    /// The point that owns a key of this hash, given the first one at or after it, or the number of
    /// points.
    #[inline]
    fn settle(&self, hash: u32, at_or_after: usize) -> usize {
        let points = self.ring.points();
        let mut found = at_or_after;
        while V::STRICT && points.get(found).is_some_and(|it| it.position() == hash) {
            found += 1;
        }
        self.wrap(found)
    }

    /// Behind the last point comes the first.
    #[inline]
    fn wrap(&self, point: usize) -> usize {
        if point == self.ring.points().len() {
            0
        } else {
            point
        }
    }
}

impl<V: Variant> Router for Ketama<V> {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        let variant = self.variant.among(&Weights::of(members));
        let edits = if variant == self.variant {
            self.ring.update(members, steps)
        } else {
            // Another way to place points: none of the present ones stays.
            *self = Self::new(variant);
            self.ring.update(members, &[])
        };
        self.index.follow(self.ring.points(), &edits);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let point = self.find(self.ring.hash(key));
        self.ring.points()[point].owner()
    }

    /// Many keys are sought side by side: see [`ring_points::route_batch`].
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let settle = |hash, at_or_after| self.settle(hash, at_or_after);
        let index = Some(&self.index);
        self.ring.route_batch(index, keys, owners, settle);
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let point = self.find(self.ring.hash(key));
        Some(self.ring.owners_from(point, n))
    }

    /// Where a key that hits a point belongs to the next one, arcs are as long as elsewhere, only
    /// with the other end included.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        Some(self.ring.shares())
    }

    fn points(&self) -> Option<Vec<Point>> {
        Some(self.ring.labelled())
    }

    /// Probes are the bucket and the points that the search looks at.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.ring.hash(key);
        let probes = self.index.n_looked_at(self.ring.points(), hash);
        Some(Trace {
            hash_evals: self.variant.hash_evals(key),
            ..self
                .ring
                .trace(hash, self.find(hash), probes, probes.into())
        })
    }
}
