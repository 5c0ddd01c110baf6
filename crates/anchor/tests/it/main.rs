//! Known answers, and the paper's own lists beside ours.
//! What anchor hashing has in common with other strategies over buckets is tested in
//! `node-buckets`.

mod hash4j;
mod lists;
mod owners;
mod reference;

use anchor::Anchor;
use node_buckets::Buckets;

/// Buckets of which 0 to `n` - 1 are in use.
fn anchor(capacity: u32, n: u32) -> Anchor {
    let mut anchor = Anchor::new(capacity);
    for bucket in 0..n {
        assert_eq!(anchor.add(), bucket);
    }
    anchor
}
