//! What theory says of a ring.

use router::{Estimate, Question};

/// Returns what holds for a ring whose n nodes have `n_points` independent, evenly spread points
/// each, where a point owns the arc before it.
///
/// N = n V points cut the ring into N exchangeable arcs (Dirichlet with all parameters 1), so a
/// node's share is Beta(V, N - V) and that of any m nodes together Beta(m V, N - m V).
#[must_use]
pub fn random_points(n_points: u64, question: Question) -> Option<Estimate> {
    let v = n_points as f64;
    match question {
        Question::ShareVariance { n } if n > 0 => {
            let n = n as f64;
            Some(Estimate::mean((n - 1.0) / (n * v + 1.0)))
        }
        // The longest of n arcs is H_n / n in the mean; for more points a node there is no closed
        // form.
        Question::Peak { n } if n > 0 && n_points == 1 => {
            let harmonic: f64 = (1..=n).rev().map(|i| 1.0 / i as f64).sum();
            Some(Estimate::mean(harmonic))
        }
        // Exactly the keys of those that leave, or of those that come, have another owner.
        Question::Moved { n, removed, added } => match (removed, added) {
            (0, 0) => Some(Estimate::exact(0.0)),
            (removed, 0) if removed < n => Some(share(removed, n, v)),
            (0, added) if n > 0 => Some(share(added, n + added, v)),
            _ => None,
        },
        Question::HashEvals { .. } => Some(Estimate::exact(1.0)),
        _ => None,
    }
}

/// The joint share of `some` of `n` nodes with `v` points each.
fn share(some: u64, n: u64, v: f64) -> Estimate {
    let mean = some as f64 / n as f64;
    Estimate {
        mean,
        sd: Some((mean * (1.0 - mean) / (n as f64 * v + 1.0)).sqrt()),
    }
}
