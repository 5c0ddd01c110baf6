//! The slots, one bit each, and the draws that find a live one.

use bucket_hash::Work;
use node_buckets::Buckets;
use point_hash::rehash;

/// No range of slots is tried less often than this, however small it is.
const LEAST_DRAWS: u64 = 64;

/// Stretches of slots: the one at building, and one for each doubling up to
/// [`router::MAX_POINTS`].
const LEVELS: usize = 28;

/// The further hashes that rank the live slots, behind those of all stretches.
const RANKS: u64 = 32;

/// Slots that are live or dead, and the draws over them.
///
/// Memory: one bit for every slot that was ever live, and 4 bytes for each that is free again.
#[derive(Clone, Debug)]
pub struct Dx {
    /// Slots at building, a power of two.
    capacity: u32,
    /// How often they were doubled since.
    doublings: u32,
    /// Slots 0 to this number, without it, were live at some time.
    used: u32,
    /// A bit for each of them.
    live: Vec<u64>,
    /// The dead ones among them, the one that died last at the end.
    left: Vec<u32>,
}

impl Dx {
    /// Slots with room for at least `capacity` live ones: the next power of two. All are dead.
    ///
    /// # Panics
    ///
    /// When that power is above [`router::MAX_POINTS`].
    #[must_use]
    pub fn new(capacity: u32) -> Self {
        let capacity = capacity.next_power_of_two();
        assert!(
            u64::from(capacity) <= router::MAX_POINTS,
            "{capacity} slots"
        );
        Self {
            capacity,
            doublings: 0,
            used: 0,
            live: Vec::new(),
            left: Vec::new(),
        }
    }

    /// All slots, live or dead.
    fn size(&self) -> u32 {
        self.capacity << self.doublings
    }

    #[inline]
    fn is_live(&self, slot: u32) -> bool {
        let word = self.live.get(slot as usize / 64);
        word.is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    fn flip(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if word == self.live.len() {
            self.live.push(0);
        }
        self.live[word] ^= 1 << (slot % 64);
    }

    /// The next slot that a key draws. Each stretch has draws of its own, and `asked` says how many
    /// were made in each: a draw in the stretch that came last either falls in it, or is handed to
    /// the one before.
    #[inline]
    fn draw(&self, key_hash: u64, asked: &mut [u32; LEVELS], work: &mut impl Work) -> u32 {
        let mut level = self.doublings;
        loop {
            let asked = &mut asked[level as usize];
            let hash = if level == 0 && *asked == 0 {
                key_hash
            } else {
                work.hash_eval();
                rehash(key_hash, u64::from(level) << 32 | u64::from(*asked))
            };
            *asked += 1;
            let size = self.capacity << level;
            let slot = low_half(hash) & (size - 1);
            if level == 0 || slot >= size / 2 {
                return slot;
            }
            level -= 1;
        }
    }

    /// The live slot with the highest further hash, the lower slot of equal ones.
    #[cold]
    fn highest(&self, key_hash: u64, work: &mut impl Work) -> u32 {
        let mut highest = None;
        for slot in 0..self.used {
            work.probe();
            if self.is_live(slot) {
                work.hash_eval();
                let rank = rehash(key_hash, RANKS << 32 | u64::from(slot));
                highest = highest.max(Some((rank, std::cmp::Reverse(slot))));
            }
        }
        highest.expect("a slot is live").1.0
    }
}

/// The most draws that a key makes among `size` slots: four a slot, as the authors' program has it,
/// but not fewer than 64.
pub(crate) fn most_draws(size: u64) -> u64 {
    (4 * size).max(LEAST_DRAWS)
}

impl Buckets for Dx {
    fn clear(&mut self, coming: usize) {
        self.doublings = 0;
        self.used = 0;
        self.live.clear();
        self.live.reserve_exact(coming.div_ceil(64));
        self.left.clear();
    }

    fn add(&mut self) -> u32 {
        let slot = self.left.pop().unwrap_or_else(|| {
            if self.used == self.size() {
                self.doublings += 1;
            }
            self.used += 1;
            self.used - 1
        });
        self.flip(slot);
        slot
    }

    fn remove(&mut self, slot: u32) {
        self.flip(slot);
        self.left.push(slot);
    }

    #[inline]
    fn find(&self, key_hash: u64, work: &mut impl Work) -> u32 {
        let mut asked = [0; LEVELS];
        for _ in 0..most_draws(self.size().into()) {
            let slot = self.draw(key_hash, &mut asked, work);
            work.probe();
            if self.is_live(slot) {
                return slot;
            }
        }
        self.highest(key_hash, work)
    }
}

/// The low 32 bits.
#[inline]
fn low_half(word: u64) -> u32 {
    word as u32
}
