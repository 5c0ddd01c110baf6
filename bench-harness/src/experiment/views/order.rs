//! What can be computed of views without a measurement.

/// Disagreement and mean spread where every key has an order of preference among the nodes that
/// nothing changes: a client takes the first of it that it knows. Each of the clients misses `m` of
/// `n` nodes drawn for it, all sets of `m` being equally likely.
///
/// A client's choice has rank k (from 1) when it misses the k - 1 before and knows that one:
///
/// ```text
///   q_k = m/n * (m-1)/(n-1) * .. * (m-k+2)/(n-k+2) * (n-m)/(n-k+1)
///   two clients agree with chance sum q_k^2
///   rank k is some client's choice with chance 1 - (1 - q_k)^clients; the spread is the sum of these
/// ```
///
/// Exact, for any such order, and so for a ring and for rendezvous hashing alike. Takes m + 1 steps.
pub(super) fn one_order(n: usize, m: usize, clients: usize) -> (f64, f64) {
    let (mut all_missed, mut agree, mut spread) = (1.0, 0.0, 0.0);
    for before in 0..=m.min(n - 1) {
        let left = (n - before) as f64;
        let chosen = all_missed * (n - m) as f64 / left;
        agree += chosen * chosen;
        spread += 1.0 - libm::pow(1.0 - chosen, clients as f64);
        all_missed *= (m - before) as f64 / left;
    }
    (1.0 - agree, spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases_by_hand() {
        // Nobody misses anything.
        assert_eq!(one_order(5, 0, 30), (0.0, 1.0));
        // One client has one choice.
        assert!((one_order(7, 3, 1).1 - 1.0).abs() < 1e-12);
        // Two clients that each miss one of two nodes: half of the time the same one.
        let (disagreement, spread) = one_order(2, 1, 2);
        assert!((disagreement - 0.5).abs() < 1e-12 && (spread - 1.5).abs() < 1e-12);
        // Each misses one of three: the first choice is known to two of three.
        let (disagreement, spread) = one_order(3, 1, 2);
        let agree = 4.0 / 9.0 + 1.0 / 9.0;
        assert!((disagreement - (1.0 - agree)).abs() < 1e-12);
        assert!((spread - (2.0 - agree)).abs() < 1e-12);
    }
}
