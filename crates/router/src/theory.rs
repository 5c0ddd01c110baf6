//! What theory says of a strategy, stated by the strategy itself.

/// A question to [`crate::Strategy::expected`]. `n` is the number of nodes, all of equal weight.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Question {
    /// The relative variance of a node's share of the hash space, n^2 Var(share): the square of
    /// `share_cv`.
    ShareVariance {
        /// Nodes.
        n: u64,
    },
    /// The expected share of the busiest node, in fair shares, without key noise.
    Peak {
        /// Nodes.
        n: u64,
    },
    /// The share of keys that move when `removed` random nodes leave and then `added` join.
    Moved {
        /// Nodes before.
        n: u64,
        /// Nodes that leave.
        removed: u64,
        /// Nodes that join afterwards.
        added: u64,
    },
    /// Hash evaluations a look-up.
    HashEvals {
        /// Nodes.
        n: u64,
    },
    /// Probes a look-up.
    Probes {
        /// Nodes.
        n: u64,
    },
}

/// An expected value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The mean over deployments (sets of node names).
    pub mean: f64,
    /// Its standard deviation from one deployment to the next, key noise left out, where known;
    /// 0 where the value is the same for every deployment.
    pub sd: Option<f64>,
}

impl Estimate {
    /// A value that is the same for every deployment.
    #[must_use]
    pub fn exact(mean: f64) -> Self {
        Self {
            mean,
            sd: Some(0.0),
        }
    }

    /// A mean whose spread from one deployment to the next is not stated.
    #[must_use]
    pub fn mean(mean: f64) -> Self {
        Self { mean, sd: None }
    }

    /// What a strategy moves that is minimal and knows nodes by their names alone: the answer to
    /// [`Question::Moved`]. `None` when nobody is left.
    ///
    /// `share_variance` is its [`Question::ShareVariance`], `None` where that is not known.
    ///
    /// Every key ranks all nodes, those that come and those that go, and the best one present owns
    /// it. Random names take any rank alike. So a key stays with probability `(n - removed) / (n +
    /// added)`: its owner must survive, and be the best of the newcomers too. Shares that add up to
    /// 1 and are alike in law have covariance -variance / (n - 1); that gives the deviation of the
    /// joint share of those that leave, or of those that come.
    #[must_use]
    pub fn moved_minimally(
        n: u64,
        removed: u64,
        added: u64,
        share_variance: impl Fn(u64) -> Option<f64>,
    ) -> Option<Self> {
        let survivors = n.checked_sub(removed)?;
        if n == 0 || survivors + added == 0 {
            return None;
        }
        if survivors == 0 || removed + added == 0 {
            return Some(Self::exact(if survivors == 0 { 1.0 } else { 0.0 }));
        }
        let all = n + added;
        let changed = (removed + added) as f64;
        let mean = changed / all as f64;
        // What of the leaving nodes' keys goes to newcomers is a matter of more than two shares.
        let variance = if removed == 0 || added == 0 {
            share_variance(all)
        } else {
            None
        };
        let joint = |variance: f64| variance * mean * (1.0 - mean) / (all - 1) as f64;
        Some(Self {
            mean,
            sd: variance.map(|it| joint(it).sqrt()),
        })
    }
}
