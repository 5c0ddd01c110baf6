//! Maglev as the Envoy proxy builds it.
//!
//! Hosts of weight above 0 in byte order of the text that is hashed, here the node's name: Envoy takes
//! the address (`127.0.0.1:90`), the host name or a configured hash key. `first = XXH64(name, seed 0)
//! mod M`, `step = XXH64(name, seed 1) mod (M - 1) + 1`, a key at entry `XXH64(key, seed 0) mod M`, which is
//! what one header, cookie or query parameter in the hash policy gives.
//!
//! The turn rule is the crate's, but reckoned in doubles: a host's weight is divided by the sum of all,
//! and targets are sums of the largest quotient. Kept, although it slips: with the weights 1 and 5 the
//! first host's second turn is in round 6 instead of 5, because in doubles 5 times 1/6 is below 5/6.
//! Who plays how often hardly changes (17 and 84 of 101 entries both ways), but the table does.
//!
//! Left out: localities, which scale the weights; retries, which change the hash; and the load bound
//! (`hash_balance_factor`).

use point_hash::xxh64;
use router::HashFn;

use crate::{Hashes, Preference};

/// XXH64 with seed 0.
pub static XXH64: HashFn = HashFn {
    name: "xxh64",
    mixes: true,
    eval: |key| xxh64(key, 0),
};

/// The largest table that Envoy's configuration accepts.
pub const MAX_TABLE: i64 = 5_000_011;

/// Envoy's hashes, and its weights as doubles.
#[derive(Clone, Debug)]
pub struct Envoy;

impl Hashes for Envoy {
    type Weight = f64;

    #[inline]
    fn key(key: &[u8]) -> u64 {
        xxh64(key, 0)
    }

    fn preference(name: &str, n_entries: u64) -> Preference {
        let hash = |seed| xxh64(name.as_bytes(), seed);
        Preference::new(hash(0), hash(1), n_entries)
    }

    fn weight(weight: u32, total: u64) -> f64 {
        f64::from(weight) / total as f64
    }
}
