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
}
