//! What theory says of a tree of clusters.

use router::{Estimate, Question};

use super::tree::{Tree, Virtual};

/// What holds while places have no holes, as in every cluster that is newly built.
pub(super) fn expected(cluster: u64, question: Question) -> Option<Estimate> {
    match question {
        Question::ShareVariance { n } if n > 0 => Some(Estimate::exact(share_variance(cluster, n))),
        Question::Peak { n } if n > 0 => {
            let peaks =
                leaves(cluster, n).map(|leaf| n as f64 * leaf.share() / leaf.n_places(n) as f64);
            Some(Estimate::exact(peaks.fold(0.0, f64::max)))
        }
        Question::Moved {
            n,
            removed: 0,
            added,
        } if n > 0 => Some(Estimate::exact(moved_by_joining(cluster, n, added))),
        Question::Moved {
            n,
            removed,
            added: 0,
        } if removed < n => moved_by_leaving(cluster, n, removed),
        Question::HashEvals { n } if n > 0 => Some(Estimate::exact(1.0 + n_probes(cluster, n))),
        Question::Probes { n } if n > 0 => Some(Estimate::exact(n_probes(cluster, n))),
        _ => None,
    }
}

/// The leaves of the tree for `n` nodes.
fn leaves(cluster: u64, n: u64) -> impl Iterator<Item = Virtual> {
    let tree = Tree::of(n, cluster);
    (0..tree.leaves).map(move |residue| tree.leaf(residue))
}

fn share_variance(cluster: u64, n: u64) -> f64 {
    let square = |leaf: Virtual| leaf.share() * leaf.share() / leaf.n_places(n) as f64;
    // Even but for the last place, where all is even.
    (n as f64 * leaves(cluster, n).map(square).sum::<f64>() - 1.0).max(0.0)
}

/// Two virtual nodes a fork, and the cluster.
fn n_probes(cluster: u64, n: u64) -> f64 {
    let at_leaf = |leaf: Virtual| f64::from(2 * leaf.depth) + leaf.n_places(n) as f64;
    leaves(cluster, n)
        .map(|leaf| leaf.share() * at_leaf(leaf))
        .sum()
}

/// The share of keys that move when nodes join. The new leaf of a key lies in its old one; its owner
/// stays if the best of all nodes of both is in both.
fn moved_by_joining(cluster: u64, n: u64, added: u64) -> f64 {
    let before = Tree::of(n, cluster);
    let stays = leaves(cluster, n + added).map(|leaf| {
        let both = leaf.n_places(n);
        let either = before.leaf(leaf.residue).n_places(n) + leaf.n_places(n + added) - both;
        leaf.share() * both as f64 / either as f64
    });
    1.0 - stays.sum::<f64>()
}

/// The share of keys that move when random nodes leave: theirs, while the tree keeps its shape; and for
/// one node that takes a leaf with it, what the two clusters exchange that become one.
fn moved_by_leaving(cluster: u64, n: u64, removed: u64) -> Option<Estimate> {
    let (before, after) = (Tree::of(n, cluster), Tree::of(n - removed, cluster));
    if before.leaves == after.leaves {
        return Estimate::moved_minimally(n, removed, 0, |n| Some(share_variance(cluster, n)));
    }
    if removed != 1 {
        return None;
    }
    let last = before.leaf(before.leaves - 1);
    let first = before.leaf(after.leaf(last.residue).residue);
    let (a, b) = (first.n_places(n) as f64, last.n_places(n) as f64);
    let nodes = n as f64;
    // A key of a cluster of s nodes beside one of t stays if the best of both clusters is one of the s
    // that survive; the node that leaves is one of the s, one of the t, or another.
    let stays = |s: f64, t: f64| {
        let others = (nodes - s - t) * s / (s + t);
        (s * (s - 1.0) / (s + t) + t * s / (s + t - 1.0) + others) / nodes
    };
    let merging = first.share() * stays(a, b) + last.share() * stays(b, a);
    // Elsewhere a key moves with its owner alone.
    let elsewhere = (1.0 - first.share() - last.share()) * (1.0 - 1.0 / nodes);
    Some(Estimate::mean(1.0 - merging - elsewhere))
}
