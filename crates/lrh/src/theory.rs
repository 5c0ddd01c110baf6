//! What theory says of local rendezvous hashing.

use router::{Estimate, Question};

/// From so many points a node on, drawing them one by one from V each is as good as drawing nodes at
/// random: the variance is off by 1/V of itself.
const MANY_POINTS: u64 = 64;

/// What holds for `v` random points a node and windows of `c` nodes.
pub(crate) fn expected(v: u64, c: u64, question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { n } if n > 0 => share_variance(v, c, n),
        Question::Peak { n } if n > 0 && n <= c => Some(Estimate::exact(1.0)),
        Question::Moved { n, removed, added } => moved(c, n, removed, added),
        Question::HashEvals { n } => Some(Estimate::exact((1 + c.min(n)) as f64)),
        Question::Probes { n } if n > 0 => Some(Estimate::mean(looked_at(v, c, n))),
        _ => None,
    }
}

/// The relative variance of a share.
///
/// Two random keys have the same owner with probability E|W1 and W2| / C^2, W1 and W2 their windows,
/// and that is the sum of all squared shares. Let the windows begin d points apart. Where the second
/// begins behind the first, both are independent but for one thing: points are drawn without
/// replacement, so nodes that the first met often are rarer in the second. That gives the negative
/// term. Where they overlap, the second has the r nodes of the common part, of which it is sure, and
/// each further one is in the first with probability (C - r) / (n - r). The common part holds r nodes
/// at n / (n - r + 1) of the d's in the mean, because a walk read backwards is as likely as forwards.
/// The sum over r telescopes.
fn share_variance(v: u64, c: u64, n: u64) -> Option<Estimate> {
    if n <= c {
        return Some(Estimate::exact(0.0));
    }
    if v < MANY_POINTS && c > 1 {
        return None;
    }
    let (m, outside) = (c as f64, (n - c) as f64);
    let d: f64 = (0..c).map(|i| 1.0 / (n - i) as f64).sum();
    let n = n as f64;
    let overlap = 2.0 * m * outside - 2.0 * outside * outside * d;
    let apart = n * outside * outside * d * d / (n - 1.0);
    // 1 / (V + 1/n) in place of 1 / V makes it exact for one candidate, a ring.
    let by_points = n / (n * v as f64 + 1.0);
    Some(Estimate::mean((overlap - apart) / (m * m) * by_points))
}

/// The share of keys that move when `removed` of `n` nodes leave or `added` join.
///
/// Of a newcomer's window with m' nodes, j of them new, the m' - j others lie in the old window of m
/// nodes. The owner stays if the best score of the m + j nodes of both belongs to one in both. j is
/// hypergeometric: nodes are met in random order. Leaving is joining backwards.
fn moved(c: u64, n: u64, removed: u64, added: u64) -> Option<Estimate> {
    let (few, new) = match (removed, added) {
        (0, added) => (n, added),
        (removed, 0) => (n.checked_sub(removed)?, removed),
        _ => return None,
    };
    let all = few + new;
    if new == 0 && all > 0 {
        return Some(Estimate::exact(0.0));
    }
    if few == 0 {
        return None;
    }
    if all <= c {
        // Every window holds all nodes.
        return Some(Estimate::exact(new as f64 / all as f64));
    }
    let (before, after) = (c.min(few), c);
    let stays: f64 = (0..=after.min(new))
        .filter(|j| after - j <= before)
        .map(|j| hypergeometric(all, new, after, j) * (after - j) as f64 / (before + j) as f64)
        .sum();
    Some(Estimate::mean(1.0 - stays))
}

/// The probability that `j` of `drawn` nodes out of `all` are among the `new` ones.
fn hypergeometric(all: u64, new: u64, drawn: u64, j: u64) -> f64 {
    let old = all - new;
    let mut p = 1.0;
    for i in 0..j {
        p *= (drawn - i) as f64 / (i + 1) as f64 * (new - i) as f64 / (all - i) as f64;
    }
    for i in 0..drawn - j {
        p *= (old - i) as f64 / (all - j - i) as f64;
    }
    p
}

/// Points looked at: ceil(log2 N) + 1 by the search, then the walk.
///
/// A walk to the m-th different node looks at the m first points of the nodes it meets, and at those
/// others of m - 1 nodes that lie before it ends. Let the points be uniform on (0, 1). The end lies
/// where a fraction 1 - W of the n first points are passed, W from Beta(n - m + 1, m), and the point
/// that is passed with it leaves 1 - x = W^(1/V) of the circle. Of an earlier node's other points a
/// fraction 1 - (1 - x) / (1 - first) lies between; its mean over the first point, which is uniform in
/// W as well, is the bracket below.
fn looked_at(v: u64, c: u64, n: u64) -> f64 {
    let m = c.min(n);
    let halvings = (n * v).next_power_of_two().ilog2() + 1;
    let mut walk = m as f64;
    if m > 1 && v > 1 {
        let v = v as f64;
        // E[W^s / (1 - W)] for W from Beta(a, m).
        let a = (n - m + 1) as f64;
        let mean = |s: f64| {
            let ratio = |l: u64| (a + l as f64) / (a + s + l as f64);
            let product: f64 = (0..m - 1).map(ratio).product();
            product * (a + (m - 1) as f64) / (m - 1) as f64
        };
        let others = 1.0 - v / (v - 1.0) * (mean(1.0 / v) - mean(1.0));
        walk += (v - 1.0) * (m - 1) as f64 * others;
    }
    f64::from(halvings) + walk
}
