//! A ring with a few points a node and weight, ties by name: all optional methods but `assign`.

use std::{collections::BTreeMap, sync::Arc};

use router::{
    Capabilities, Keys, Members, NodeId, Param, Point, Position, Router, Step, Strategy, Trace,
    WeightSupport, check_points,
};

use super::{MIXED, hash};

pub(crate) static RING: Strategy = Strategy {
    name: "ring",
    family: "tests",
    hash: &MIXED,
    summary: "The first point at or behind the key's hash owns the key",
    source: "Karger et al.: Consistent hashing and random trees, 1997",
    params: &[Param::points_per_node(
        "vnodes",
        40,
        "points a node and weight",
    )],
    suite_params: "vnodes=3",
    capabilities: |_, _| CLAIMS,
    check: |params, members, _| {
        check_points(u128::from(params.count("vnodes")) * u128::from(members.total_weight()))
    },
    build: |params, _, _| Ok(Box::new(Ring::new(params.count("vnodes")))),
    ..Strategy::DEFAULT
};

pub(crate) const CLAIMS: Capabilities = Capabilities {
    minimal: true,
    order_free: true,
    history_free: true,
    weights: WeightSupport::Minimal,
    replicas: true,
    ..Capabilities::NONE
};

#[derive(Clone)]
pub(crate) struct Spot {
    pub(crate) position: u64,
    pub(crate) name: Arc<str>,
    pub(crate) number: u32,
    pub(crate) id: NodeId,
}

#[derive(Clone)]
pub(crate) struct Ring {
    vnodes: u32,
    pub(crate) spots: Vec<Spot>,
}

impl Ring {
    pub(crate) fn new(vnodes: u32) -> Self {
        Self {
            vnodes,
            spots: Vec::new(),
        }
    }

    /// The place of the first point at or behind `key_hash`; the number of points behind the last.
    pub(crate) fn place(&self, key_hash: u64) -> usize {
        self.spots.partition_point(|spot| spot.position < key_hash)
    }

    /// The point at this place; the first one behind the last.
    pub(crate) fn spot(&self, place: usize) -> &Spot {
        self.spots.get(place).unwrap_or(&self.spots[0])
    }

    /// The first `n` distinct owners from the owner of a key with this hash on.
    pub(crate) fn walk(&self, key_hash: u64, n: usize) -> Vec<NodeId> {
        let (before, behind) = self.spots.split_at(self.place(key_hash));
        let mut owners = Vec::new();
        for spot in behind.iter().chain(before) {
            if owners.len() < n && !owners.contains(&spot.id) {
                owners.push(spot.id);
            }
        }
        owners
    }
}

impl Router for Ring {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        self.spots.clear();
        for node in members.iter() {
            for number in 0..self.vnodes * node.weight {
                self.spots.push(Spot {
                    position: hash(u64::from(number) + 1, node.name.as_bytes()),
                    name: Arc::clone(&node.name),
                    number,
                    id: node.id,
                });
            }
        }
        let by = |spot: &Spot| (spot.position, Arc::clone(&spot.name));
        self.spots.sort_by_key(by);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.spot(self.place(hash(0, key))).id
    }

    fn route_batch(&self, keys: Keys<'_>, owners: &mut [NodeId]) {
        let mut asked: Vec<(u64, usize)> = keys.iter().map(|key| hash(0, key)).zip(0..).collect();
        asked.sort_unstable();
        let mut place = 0;
        for (key_hash, i) in asked {
            while place < self.spots.len() && self.spots[place].position < key_hash {
                place += 1;
            }
            owners[i] = self.spot(place).id;
        }
    }

    fn preference(&self, key: &[u8], n: usize) -> Option<Vec<NodeId>> {
        Some(self.walk(hash(0, key), n))
    }

    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        let mut shares = BTreeMap::new();
        let mut before = self.spots.last()?.position;
        for (i, spot) in self.spots.iter().enumerate() {
            let arc = spot.position.wrapping_sub(before);
            let whole = self.spots.len() == 1 && i == 0;
            let arc = if whole {
                1.0
            } else {
                arc as f64 / 2_f64.powi(64)
            };
            *shares.entry(spot.id).or_insert(0.0) += arc;
            before = spot.position;
        }
        Some(shares.into_iter().collect())
    }

    fn points(&self) -> Option<Vec<Point>> {
        let point = |spot: &Spot| Point {
            position: Position::Unsigned(spot.position.into()),
            owner: spot.id,
            label: format!("{} {}", spot.name, spot.number),
        };
        Some(self.spots.iter().map(point).collect())
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let key_hash = hash(0, key);
        let spot = self.spot(self.place(key_hash));
        Some(Trace {
            hash_evals: 1,
            probes: self.spots.len().ilog2() + 1,
            batch_probes: 1.0,
            key_hash: Some(Position::Unsigned(key_hash.into())),
            point: Some(Position::Unsigned(spot.position.into())),
            label: Some(format!("{} {}", spot.name, spot.number)),
        })
    }
}
