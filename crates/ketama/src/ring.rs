//! The ring of every variant, its sorted points searched by halving.

use ring_points::{Ring, Weights};
use router::{Keys, Members, NodeId, Point, Router, Step, Trace};

use crate::variant::{Points, Variant};

/// The ring of a variant.
#[derive(Clone, Debug)]
pub(crate) struct Ketama<V: Variant> {
    variant: V,
    ring: Ring<Points<V>>,
}

impl<V: Variant> Ketama<V> {
    /// A ring without nodes.
    pub(crate) fn new(variant: V) -> Self {
        Self {
            variant,
            ring: Ring::new(Points(variant)),
        }
    }

    /// The index of the point that owns a key of this hash; `look` is told of every point that the
    /// search looks at.
    #[inline]
    fn find(&self, hash: u32, mut look: impl FnMut()) -> usize {
        let points = self.ring.points();
        let found = points.partition_point(|point| {
            look();
            point.position() < hash || (V::STRICT && point.position() == hash)
        });
        self.wrap(found)
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
        if variant == self.variant {
            self.ring.update(members, steps);
        } else {
            // Another way to place points: none of the present ones stays.
            *self = Self::new(variant);
            self.ring.update(members, &[]);
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let point = self.find(self.ring.hash(key), || ());
        self.ring.points()[point].owner()
    }

    /// Many keys are sought side by side: see [`ring_points::route_batch`].
    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let settle = |hash, at_or_after| self.settle(hash, at_or_after);
        self.ring.route_batch(None, keys, owners, settle);
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let point = self.find(self.ring.hash(key), || ());
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

    /// Probes are the points that the search looks at, counted as it does.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = self.ring.hash(key);
        let mut probes = 0;
        let point = self.find(hash, || probes += 1);
        Some(Trace {
            hash_evals: self.variant.hash_evals(key),
            ..self
                .ring
                .trace(hash, point, probes, self.ring.batch_probes(hash))
        })
    }
}
