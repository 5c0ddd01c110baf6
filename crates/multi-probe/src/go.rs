//! The published program: dgryski/go-mpchash, in Go.
//!
//! A node stands at SipHash-2-4 of its name with the key (0, 0). A key has two hashes, h1 with the key
//! (1, 0) and h2 with (2, 0), and asks at h1 + i h2 for i from 0 to k - 1, wrapping. (Those are the
//! seeds of its compatibility test, which records the owners of 6,000 keys; the program takes hash and
//! seeds from its caller.) The owner of a probe is the first point strictly after it, so the probe that
//! is given to the search is one more. The shortest way wins, of equal ones the first.
//!
//! # Its defects, kept or mended
//!
//! - The probes are equal steps around the circle, not independent ones, which shows while nodes are
//!   few: over 60 sets of ten nodes the shares varied by 6 % more than the arcs give for 21 independent
//!   probes (5 nodes: 4 %, 40: 2 %, 100: 1 %). No formula for them is known to us, so none is stated.
//!   Kept.
//! - Names are kept in a map by their points, so of two names that share one the last listed has it.
//!   Kept, and so it does not claim that the order of joining does not matter, though no two such
//!   names are known.
//! - Without a node the search for the first point runs past the last bucket, an index out of range.
//!   Mended: nobody owns the key.
//! - The probe that lies exactly 2^64 - 1 before every point finds nothing nearer than the program's
//!   first guess, and the empty name owns the key. Mended: the first probe counts whatever it finds.
//! - Another version takes a list of seeds, one a probe, in place of two seeds and a number: under one
//!   name it places nearly all keys otherwise. The compatibility test is for this one.

use ring_points::{Placement, Tie, Weights};
use router::{Estimate, HashFn, Params, Question};

use crate::{PROBES, Probing, siphash::siphash_2_4, theory::looked_at};

/// Where it comes from.
pub(crate) const SOURCE: &str = "dgryski/go-mpchash (Go), with the seeds of its compatibility test";

/// SipHash-2-4 with the key (1, 0): the first hash of a key.
pub(crate) static SIPHASH: HashFn = HashFn {
    name: "siphash-2-4",
    mixes: true,
    eval: |key| siphash_2_4(1, 0, key),
};

/// The published placement: SipHash-2-4, and probes in equal steps.
#[derive(Clone, Copy, Debug)]
pub struct DoubleHashed {
    probes: u32,
}

impl DoubleHashed {
    pub(crate) fn of(params: &Params) -> Self {
        let probes = params.count(PROBES.name);
        Self { probes }
    }
}

impl Placement for DoubleHashed {
    type Position = u64;
    const TIE: Tie = Tie::LastJoined;

    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        siphash_2_4(1, 0, key)
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        1
    }

    fn points(&self, name: &str, _: u64, mut place: impl FnMut(u64)) {
        place(siphash_2_4(0, 0, name.as_bytes()));
    }

    fn label(&self, name: &str, _: u64) -> String {
        name.to_owned()
    }
}

impl Probing for DoubleHashed {
    #[inline]
    fn probes(&self, hash: u64, key: &[u8]) -> impl Iterator<Item = u64> {
        let step = siphash_2_4(2, 0, key);
        // Strictly later than a probe is at or after one more.
        let first = hash.wrapping_add(1);
        (0..u64::from(self.probes)).map(move |i| first.wrapping_add(i.wrapping_mul(step)))
    }

    fn hash_evals(&self) -> u32 {
        2
    }

    fn independent(&self) -> Option<u32> {
        None
    }
}

/// What holds for probes in equal steps: each alone is evenly spread.
pub(crate) fn expected(probes: u64, question: Question) -> Option<Estimate> {
    match question {
        Question::Moved { n, removed, added } => {
            Estimate::moved_minimally(n, removed, added, |_| None)
        }
        Question::HashEvals { .. } => Some(Estimate::exact(2.0)),
        // How much it differs between deployments, the steps decide.
        Question::Probes { n } => Some(Estimate::mean(looked_at(probes, n).mean)),
        _ => None,
    }
}
