//! What theory says of slots, nodes of equal weight, and a change that is made at once.

use router::{Estimate, Question};

/// Every answer is counted in slots; only which nodes leave is left to chance.
pub(crate) fn expected(n_slots: u64, question: Question) -> Option<Estimate> {
    let c = n_slots as f64;
    match question {
        // As many nodes as the remainder have one slot more than the others.
        Question::ShareVariance { n } if (1..=n_slots).contains(&n) => {
            let more = n_slots % n;
            Some(Estimate::exact(more as f64 * (n - more) as f64 / (c * c)))
        }
        Question::Peak { n } if (1..=n_slots).contains(&n) => {
            let most = n_slots.div_ceil(n);
            Some(Estimate::exact(most as f64 * n as f64 / c))
        }
        // Of the nodes that leave, a hypergeometric number have one slot more.
        Question::Moved {
            n,
            removed,
            added: 0,
        } if (1..=n_slots).contains(&n) && removed < n => {
            let (of, k) = (n as f64, removed as f64);
            let more = (n_slots % n) as f64 / of;
            let variance = k * more * (1.0 - more) * (of - k) / (of - 1.0).max(1.0);
            Some(Estimate {
                mean: k / of,
                sd: Some(variance.sqrt() / c),
            })
        }
        // Those present keep the slots above the lower quota first.
        Question::Moved {
            n,
            removed: 0,
            added,
        } if n > 0 => {
            let after = n.checked_add(added).filter(|&after| after <= n_slots)?;
            let (quota, rest) = (n_slots / after, n_slots % after);
            let moved = added * quota + rest.saturating_sub(n);
            Some(Estimate::exact(moved as f64 / c))
        }
        Question::HashEvals { .. } | Question::Probes { .. } => Some(Estimate::exact(1.0)),
        _ => None,
    }
}
