//! Known answers, the paper's state kept in full beside ours, and steps through lists. What memento
//! has in common with other strategies over buckets is tested in `node-buckets`.

mod answers;
mod lists;

use memento::Memento;
use node_buckets::Buckets;

/// Buckets of which 0 to `n` - 1 are in use.
fn memento(n: u32) -> Memento {
    let mut memento = Memento::new();
    for bucket in 0..n {
        assert_eq!(memento.add(), bucket);
    }
    memento
}
