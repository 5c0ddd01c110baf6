//! Placing a key set, and where a key goes whose owner is full.

use dealing::by_hash;
use point_hash::{SplitMix64, xxh3};
use router::{Keys, NodeId};

use crate::{BoundedLoad, Overflow};

/// Where a key set was placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The owner of each key, in the order given.
    pub owners: Vec<NodeId>,
    /// The nodes that were looked at for each key: 1 where the base's owner had room.
    pub probes: Vec<u32>,
}

/// How many keys each node may still get, by the index of its id.
struct Room(Vec<u64>);

impl Room {
    fn new(caps: &[(NodeId, u64)]) -> Self {
        let n_ids = caps.iter().map(|(id, _)| id.index() + 1).max();
        let mut room = vec![0; n_ids.unwrap_or(0)];
        for &(id, cap) in caps {
            room[id.index()] = cap;
        }
        Self(room)
    }

    /// Puts one more key on a node, if it has room.
    fn take(&mut self, id: NodeId) -> bool {
        match self.0.get_mut(id.index()) {
            Some(room) if *room > 0 => {
                *room -= 1;
                true
            }
            _ => false,
        }
    }
}

impl BoundedLoad {
    /// As [`BoundedLoad::place`], with these caps: to see what a change of members does while they
    /// stay.
    ///
    /// # Panics
    ///
    /// When the caps of the nodes with weight are less than the keys.
    #[must_use]
    pub fn place_within(&self, keys: Keys<'_>, caps: &[(NodeId, u64)]) -> Placed {
        let mut owners = vec![NodeId::default(); keys.len()];
        self.base.route_batch(keys, &mut owners);
        let mut probes = vec![1; keys.len()];
        let mut room = Room::new(caps);
        for i in by_hash(keys) {
            if !room.take(owners[i]) {
                owners[i] = self.walk(keys.get(i), &mut room, &mut probes[i]);
            }
        }
        Placed { owners, probes }
    }

    /// Puts a key whose owner is full on the first node of its walk that has room, and counts the
    /// nodes looked at.
    fn walk(&self, key: &[u8], room: &mut Room, probes: &mut u32) -> NodeId {
        let mut has_room = |id: NodeId| {
            *probes += 1;
            room.take(id)
        };
        let found = match self.overflow {
            Overflow::Forward => self.forward(key, &mut has_room),
            Overflow::RandomJump => {
                let most = 64 + 8 * self.ranked.len();
                let mut draws = SplitMix64::new(xxh3(key));
                let mut jumps = (0..most).map(|_| self.base.route(&draws.draw().to_le_bytes()));
                jumps.find(|&id| has_room(id))
            }
        };
        let mut ranked = self.ranked.iter().map(|&(id, _)| id);
        found
            .or_else(|| ranked.find(|&id| has_room(id)))
            .expect("the caps add up to the keys or more")
    }

    /// The first node with room behind the owner, in order of preference. The list is asked in ever
    /// longer pieces: most walks are short.
    fn forward(&self, key: &[u8], has_room: &mut impl FnMut(NodeId) -> bool) -> Option<NodeId> {
        let (mut seen, mut asked) = (1, 4);
        loop {
            let list = self.base.preference(key, asked)?;
            let found = list.iter().skip(seen).find(|&&id| has_room(id));
            if found.is_some() || list.len() < asked {
                return found.copied();
            }
            (seen, asked) = (asked, 4 * asked);
        }
    }
}
