//! Names of nodes: random addresses.

use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::{Purpose, stream};

/// Addresses `10.a.b.c`: what a, b and c can be.
const ADDRESSES: usize = 1 << 24;

/// The endless list of a seed's node names: distinct addresses `10.a.b.c:11211`.
///
/// One draw of the stream [`Purpose::NodeNames`] a try: its highest 24 bits are a, b and c, from the
/// highest down. An address that was there already is skipped. It ends when all 2^24 addresses were
/// given. Takes 2 MiB of memory.
#[derive(Debug)]
pub struct NodeNames {
    rng: Pcg64Mcg,
    /// One bit an address: whether it was given. A bit map, because a set of a million numbers
    /// would cost more than all the rest.
    given: Vec<u64>,
    n_given: usize,
}

impl NodeNames {
    /// The list of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            rng: stream(seed, Purpose::NodeNames),
            given: vec![0; ADDRESSES / 64],
            n_given: 0,
        }
    }
}

impl Iterator for NodeNames {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        if self.n_given == ADDRESSES {
            return None;
        }
        loop {
            let address = self.rng.next_u64() >> 40;
            let (word, bit) = ((address / 64) as usize, 1 << (address % 64));
            if self.given[word] & bit == 0 {
                self.given[word] |= bit;
                self.n_given += 1;
                let [.., a, b, c] = address.to_be_bytes();
                return Some(format!("10.{a}.{b}.{c}:11211"));
            }
        }
    }
}

/// The first `n` names of the seed's list, so that name `n + 1` is the node that joins next.
///
/// Takes time linear in `n`: 1,000,000 in a fraction of a second.
///
/// # Panics
///
/// When `n` is more than the 2^24 addresses that there are.
#[must_use]
pub fn node_names(seed: u64, n: usize) -> Vec<String> {
    assert!(n <= ADDRESSES, "{n} nodes, but only {ADDRESSES} addresses");
    NodeNames::new(seed).take(n).collect()
}
