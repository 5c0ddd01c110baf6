//! Look-ups that compete for the caches: what one costs in a program that does other things too.
//!
//! The measure of Lamping and Veach (2014, figure 6): before the look-ups the program reads 16
//! random bytes and one block of 64 KiB of a buffer of 1 GiB, so that most of what the last
//! look-up left in the caches is gone.

use std::hint::black_box;

use rand_pcg::Pcg64Mcg;
use router::{Keys, Router};

use super::{lane::clock, stats::nearest_rank};
use crate::workload::{Purpose, below, stream};

/// Bytes read one after the other before the look-ups.
const BLOCK_BYTES: usize = 64 << 10;
/// Single bytes read at random before the look-ups.
const RANDOM_BYTES: usize = 16;
/// Look-ups between two readings of the clock.
const LOOKUPS: usize = 8;
/// Repetitions a round; the round's sample is their median.
const REPETITIONS: usize = 32;

/// The rest of the program: a large buffer, read at random.
pub(super) struct Competition {
    buffer: Vec<u8>,
    rng: Pcg64Mcg,
    /// The smallest step of the clock that was seen, in nanoseconds.
    pub(super) resolution_ns: f64,
}

impl Competition {
    /// A buffer of so many bytes, each of them written, so that each page is there.
    ///
    /// # Errors
    ///
    /// When the machine does not give that much memory.
    pub(super) fn new(bytes: usize) -> Result<Self, String> {
        let mut buffer = Vec::new();
        buffer
            .try_reserve_exact(bytes)
            .map_err(|_| format!("no room for the {bytes} bytes that are read in between"))?;
        buffer.extend((0..bytes).map(|i| (i >> 12) as u8 | 1));
        Ok(Self {
            buffer,
            rng: stream(0, Purpose::Order),
            resolution_ns: resolution_ns(),
        })
    }

    /// One round: nanoseconds a look-up, with the empty pair of clock readings taken off. Where
    /// there are fewer than eight keys, all of them are asked.
    pub(super) fn round(&mut self, router: &dyn Router, keys: Keys<'_>) -> f64 {
        let (mut looking, mut empty) = (Vec::new(), Vec::new());
        for repetition in 0..REPETITIONS {
            let windows = (keys.len() / LOOKUPS).max(1);
            let first = repetition % windows * LOOKUPS;
            let asked = keys.slice(first..keys.len().min(first + LOOKUPS));
            self.compete();
            // A request brings its key along, so the keys themselves are in the cache.
            let touched = asked.iter().flatten().fold(0_u8, |sum, byte| sum ^ byte);
            black_box(touched);
            looking.push(clock(|| {
                for key in asked.iter() {
                    black_box(black_box(router).route(black_box(key)));
                }
            }));
            self.compete();
            empty.push(clock(|| {}));
        }
        let median = |ns: &mut Vec<f64>| {
            ns.sort_by(f64::total_cmp);
            nearest_rank(ns, 0.5)
        };
        (median(&mut looking) - median(&mut empty)).max(0.0) / LOOKUPS.min(keys.len()) as f64
    }

    /// What the rest of the program does between two look-ups.
    fn compete(&mut self) {
        let mut sum = 0_u64;
        for _ in 0..RANDOM_BYTES {
            sum += u64::from(self.buffer[below(&mut self.rng, self.buffer.len())]);
        }
        let block = BLOCK_BYTES.min(self.buffer.len());
        let start = below(&mut self.rng, self.buffer.len() - block + 1);
        for &byte in &self.buffer[start..start + block] {
            sum += u64::from(byte);
        }
        black_box(sum);
    }
}

/// The smallest step of the clock over many readings, in nanoseconds.
fn resolution_ns() -> f64 {
    let steps = (0..10_000).map(|_| clock(|| {}));
    steps.filter(|&ns| ns > 0.0).fold(f64::INFINITY, f64::min)
}
