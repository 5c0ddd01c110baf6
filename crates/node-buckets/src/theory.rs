//! What theory says of buckets that share the keys evenly and move none in vain.

use router::{Estimate, Question};

/// Returns what holds, under a hash that mixes, for buckets that each own an equal part of the
/// hashes, where a change moves keys only to a bucket that is taken into use or from one that is
/// taken out of it, and buckets return in the opposite order of leaving. All of it is the same
/// whatever the nodes are called, so a measurement differs from it by key noise alone.
///
/// When r of n nodes leave and j join, the joiners take the free buckets first. Up to r of them find
/// room there and move no key of those who stay, so r/n of the keys move. If more join, all n buckets
/// are in use again and j - r others too. A key then stays if its owner did, (n - r)/n, and none of
/// the others took it, n / (n + j - r): so j / (n - r + j) of the keys move.
#[must_use]
pub fn even_and_minimal(question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { .. } => Some(Estimate::exact(0.0)),
        Question::Peak { .. } => Some(Estimate::exact(1.0)),
        Question::Moved { n, removed, added } => {
            let after = n.checked_sub(removed)?.checked_add(added)?;
            if n == 0 || after == 0 {
                return None;
            }
            let left = removed as f64 / n as f64;
            let joined = added as f64 / after as f64;
            Some(Estimate::exact(left.max(joined)))
        }
        _ => None,
    }
}
