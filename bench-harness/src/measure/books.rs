//! The books of a change: what each node is in it, which moves it forces, and the identities that
//! every count of moves obeys.

/// What every node is in a change, by index.
#[derive(Clone, Debug)]
pub(super) struct Parts(Vec<Part>);

/// What one node is in a change.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// It is there before.
    before: bool,
    /// It is there after.
    after: bool,
    /// Its weight changes while it stays.
    reweighted: bool,
}

impl Parts {
    /// The parts of nodes whose weights before and after are these, by index; no weight where a node
    /// is not there.
    pub(super) fn new(before: &[Option<u32>], after: &[Option<u32>]) -> Self {
        let pairs = before.iter().zip(after);
        Self(
            pairs
                .map(|(before, after)| Part {
                    before: before.is_some(),
                    after: after.is_some(),
                    reweighted: before.is_some() && after.is_some() && before != after,
                })
                .collect(),
        )
    }

    /// Number of indices.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the node was there before.
    pub(super) fn was_there(&self, node: usize) -> bool {
        self.0[node].before
    }

    /// Whether a key of `old` that is `new`'s after the change counts as forced: its old owner left,
    /// its new owner joined, or it moved to or from a node with another weight.
    ///
    /// A key that stayed with a node that left counts too: it breaks the books, as it should.
    #[inline]
    pub(super) fn forced(&self, old: usize, new: usize) -> bool {
        let (was, is) = (self.0[old], self.0[new]);
        let reweighted = old != new && (was.reweighted || is.reweighted);
        !was.after || !is.before || reweighted
    }

    /// Whether it is a pure removal or a pure addition, for which `excess` is defined.
    pub(super) fn one_way(&self) -> bool {
        let left = self.0.iter().any(|part| part.before && !part.after);
        let joined = self.0.iter().any(|part| part.after && !part.before);
        let reweighted = self.0.iter().any(|part| part.reweighted);
        (left != joined) && !reweighted
    }
}

/// Gate 2, the books: moved = forced + collateral, and no fewer keys moved than the loads
/// themselves say, which differ by `differences` in all. Both are identities; a breach is a fault of
/// the harness, or of a router that answers with nodes that are not there.
pub(super) fn check_books(
    [moved, forced, collateral, differences]: [u128; 4],
) -> Result<(), String> {
    if moved != forced + collateral {
        return Err(format!(
            "moved {moved} is not forced {forced} + collateral {collateral}"
        ));
    }
    if 2 * moved < differences {
        return Err(format!(
            "moved {moved} is less than half of the {differences} keys by which the loads differ"
        ));
    }
    Ok(())
}

/// Half the sum of the differences between before and after, added in the order given.
pub(super) fn half_the_differences(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    pairs.map(|(old, new)| (new - old).abs()).sum::<f64>() / 2.0
}
