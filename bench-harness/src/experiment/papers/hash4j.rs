//! hash4j's own tests of `JumpBackHash` and of the anchor over it, replayed.

use anyhow::Result;
use router::{KeyBuf, MAX_POINTS, NodeId};
use serde::Deserialize;

use super::{
    Lab,
    random::{SplittableRandom, komihash},
    wanted::Wanted,
};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hash4j {
    anchor: String,
    /// Changes, and look-ups after each.
    changes: usize,
    lookups: usize,
    /// The seed of the test of `JumpBackHash`, in hex, and how often it asks.
    jump_seed: String,
    jump_lookups: usize,
    /// The other test's seed.
    anchor_seed: String,
}

impl Hash4j {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        self.jump(lab)?;
        self.anchor(lab)
    }

    /// The test asks for the bucket among numbers of buckets that no cluster can have.
    fn jump(&self, lab: &mut Lab<'_>) -> Result<()> {
        let mut random = SplittableRandom(u64::from_str_radix(&self.jump_seed, 16)?);
        let mut beyond = 0;
        for _ in 0..self.jump_lookups {
            let n = (random.int() >> 1) >> (random.int() & 31);
            random.long();
            beyond += usize::from(u64::from(n) > MAX_POINTS);
        }
        let measured = format!(
            "{beyond} of its {} look-ups ask among more than {MAX_POINTS} buckets",
            self.jump_lookups
        );
        let why = "a cluster holds no more nodes; the strategy's function is held to this checksum by its own tests, \
                   without nodes";
        lab.claims.not_checkable("hash4j-jump", measured, why);
        Ok(())
    }

    /// Nodes are called by their buckets. A bucket that was left last is taken first, as the
    /// strategy has it, so the list of those that were left says who comes next.
    fn anchor(&self, lab: &mut Lab<'_>) -> Result<()> {
        const ID: &str = "hash4j-anchor";
        let Some(wanted) = Wanted::of(lab.setup.spec(&self.anchor)?.strategy().hash) else {
            let why = "no keys can be found for the hashes that it draws";
            lab.claims.not_checkable(ID, "", why);
            return Ok(());
        };
        let mut random = SplittableRandom(u64::from_str_radix(&self.anchor_seed, 16)?);
        let mut cluster = lab.setup.cluster::<&str>(&self.anchor, &[])?;
        let (mut in_use, mut left, mut ever): (Vec<u32>, Vec<u32>, u32) = Default::default();
        let mut found: Vec<u32> = Vec::new();
        let mut owners = vec![NodeId::default(); self.lookups];
        for _ in 0..self.changes {
            lab.setup.check()?;
            if random.double() < 0.5 {
                if let Ok(n @ 1..) = u32::try_from(in_use.len()) {
                    let bucket = in_use.swap_remove(random.below(n) as usize);
                    cluster.remove(&bucket.to_string())?;
                    left.push(bucket);
                    if in_use.is_empty() {
                        left.clear();
                        ever = 0;
                    }
                }
            } else {
                let bucket = left.pop().unwrap_or_else(|| {
                    ever += 1;
                    ever - 1
                });
                cluster.add(bucket.to_string())?;
                in_use.push(bucket);
            }
            if in_use.is_empty() {
                continue;
            }
            let drawn = (0..self.lookups).map(|_| wanted.key(random.long()));
            let keys: KeyBuf = drawn.collect();
            cluster.route_batch(keys.keys(), &mut owners);
            for &owner in &owners {
                let name = cluster.name(owner).unwrap_or_default();
                found.push(name.parse()?);
            }
        }
        let words = found.as_chunks::<2>().0.iter();
        let words: Vec<u64> = words
            .map(|&[low, high]| u64::from(low) | u64::from(high) << 32)
            .collect();
        let checksum = format!("{:016x}", komihash(&words));
        lab.claims.text(ID, &checksum);
        Ok(())
    }
}
