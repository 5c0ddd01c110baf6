//! Faults in what a ring says beside a single owner: batches, replicas, shares, points, traces.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use router::{Keys, Members, NodeId, Point, Position, Router, Step, Trace};

use crate::routers::{Rendezvous, Ring, hash};

/// A ring that does one thing wrong.
#[derive(Clone)]
pub(super) struct Telling {
    fault: &'static str,
    inner: Ring,
}

impl Telling {
    pub(super) fn new(fault: &'static str) -> Self {
        let inner = Ring::new(10);
        Self { fault, inner }
    }

    fn key_hash(&self, key: &[u8]) -> u64 {
        match self.fault {
            "ring-of-16-bits" => hash(0, key) >> 48,
            _ => hash(0, key),
        }
    }
}

impl Router for Telling {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        if self.fault == "keeps-points-when-empty" && members.is_empty() {
            return;
        }
        self.inner.update(members, steps);
        if self.fault == "ring-of-16-bits" {
            let spots = &mut self.inner.spots;
            spots.iter_mut().for_each(|spot| spot.position >>= 48);
            spots.sort_by_key(|spot| (spot.position, Arc::clone(&spot.name)));
        }
    }

    fn route(&self, key: &[u8]) -> NodeId {
        let spots = &self.inner.spots;
        let place = self.inner.place(self.key_hash(key));
        if self.fault == "wrap-off-by-one" && place == spots.len() {
            return spots[1 % spots.len()].id;
        }
        self.inner.spot(place).id
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        for (owner, key) in owners.iter_mut().zip(keys.iter()) {
            *owner = self.route(key);
            let wraps = self.inner.place(self.key_hash(key)) == self.inner.spots.len();
            if self.fault == "batch-wraps-to-the-last" && wraps {
                *owner = self.inner.spots[self.inner.spots.len() - 1].id;
            }
        }
        if self.fault == "batch-differs" && owners.len() > 8 {
            owners.swap(0, owners.len() - 1);
        }
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        let key_hash = self.key_hash(key);
        let mut owners = self.inner.walk(key_hash, usize::MAX);
        match self.fault {
            "preference-repeats" => {
                let start = self.inner.place(key_hash);
                let points = (start..start + owners.len()).map(|place| {
                    let spots = &self.inner.spots;
                    spots[place % spots.len()].id
                });
                owners = points.collect();
            }
            "preference-rotates" => {
                let first = owners[0];
                owners.sort_unstable_by_key(|&id| (id < first, id));
            }
            _ => owners[0] = self.route(key),
        }
        owners.truncate(n);
        Some(owners)
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let mut shares = self.inner.shares()?;
        let n = shares.len() as f64;
        for (_, share) in &mut shares {
            match self.fault {
                "shares-of-101-percent" => *share *= 1.01,
                "shares-said-equal" => *share = 1.0 / n,
                _ => {}
            }
        }
        (self.fault != "ring-of-16-bits").then_some(shares)
    }

    fn points(&self) -> Option<Vec<Point>> {
        let mut points = self.inner.points()?;
        if self.fault == "points-unsorted" {
            points.reverse();
        }
        Some(points)
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let place = self.inner.place(self.key_hash(key));
        let spots = &self.inner.spots;
        let told = match self.fault {
            "trace-of-the-next-point" => &spots[(place + 1) % spots.len()],
            "wrap-off-by-one" => return None,
            _ => self.inner.spot(place),
        };
        let work = u32::from(self.fault != "trace-without-work");
        Some(Trace {
            hash_evals: work,
            probes: work,
            point: Some(Position::Unsigned(told.position.into())),
            label: Some(format!("{} {}", told.name, told.number)),
            ..Trace::default()
        })
    }
}

/// A placing that counts how often it was asked, and starts elsewhere each time.
#[derive(Clone, Default)]
pub(super) struct Counting {
    inner: Rendezvous,
    asked: Arc<AtomicUsize>,
}

impl Router for Counting {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.inner.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.inner.route(key)
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        self.inner.preference(key, n)
    }

    fn assign(&self, _keys: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        let start = self.asked.fetch_add(1, Ordering::Relaxed);
        for (i, owner) in owners.iter_mut().enumerate() {
            let nodes = &self.inner.nodes;
            *owner = Some(nodes[(start + i) % nodes.len()].id);
        }
        Some(())
    }
}
