//! Every failure of so many nodes, and the keys that lose their quorum in it.

use std::collections::BTreeMap;

/// Sets of nodes, each with its keys.
pub(super) struct Failures {
    nodes: usize,
    /// Nodes of a set that have to fail for its keys to lose their quorum.
    enough: usize,
    n_keys: u64,
    /// Keys of each distinct set, its nodes in rising order.
    sets: BTreeMap<Vec<usize>, u64>,
}

/// What all failures of so many nodes lose.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Lost {
    /// Share of the failures in which some key loses its quorum.
    pub(super) hit: f64,
    /// Share of keys that lose it, the mean over the failures.
    pub(super) mean: f64,
    /// The same of the worst.
    pub(super) worst: f64,
}

impl Failures {
    /// The sets of all keys, as places of nodes.
    pub(super) fn new(
        nodes: usize,
        quorum: usize,
        sets_of_keys: impl Iterator<Item = Vec<usize>>,
    ) -> Self {
        let (mut sets, mut n_keys, mut size) = (BTreeMap::new(), 0, quorum);
        for mut set in sets_of_keys {
            set.sort_unstable();
            size = set.len();
            n_keys += 1;
            *sets.entry(set).or_default() += 1;
        }
        Self {
            nodes,
            enough: size - quorum + 1,
            n_keys,
            sets,
        }
    }

    /// The number of distinct sets.
    pub(super) fn distinct(&self) -> usize {
        self.sets.len()
    }

    /// Tries every failure of `n` nodes.
    pub(super) fn of(&self, n: usize) -> Lost {
        // Of each failure that loses something: its keys. A set is lost by all failures that hold
        // enough of its nodes; so each is found from the sets, and the others lose nothing.
        let mut keys_of: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        for (set, &keys) in &self.sets {
            for lost in self.enough..=n.min(set.len()) {
                for inside in combinations(set, lost) {
                    let outside: Vec<usize> =
                        (0..self.nodes).filter(|it| !set.contains(it)).collect();
                    for rest in combinations(&outside, n - lost) {
                        let mut failure = [&inside[..], &rest[..]].concat();
                        failure.sort_unstable();
                        *keys_of.entry(failure).or_default() += keys;
                    }
                }
            }
        }
        let all = super::choose(self.nodes, n);
        let total: u64 = keys_of.values().sum();
        let worst = keys_of.values().copied().max().unwrap_or(0);
        Lost {
            hit: keys_of.len() as f64 / all,
            mean: total as f64 / all / self.n_keys as f64,
            worst: worst as f64 / self.n_keys as f64,
        }
    }
}

/// All choices of `n` of these, in order.
fn combinations(of: &[usize], n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in of.iter().enumerate() {
        for rest in combinations(&of[i + 1..], n - 1) {
            all.push([&[first][..], &rest[..]].concat());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries every failure by itself.
    fn by_hand(sets: &[Vec<usize>], nodes: usize, quorum: usize, n: usize) -> Lost {
        let places: Vec<usize> = (0..nodes).collect();
        let lost: Vec<usize> = combinations(&places, n)
            .iter()
            .map(|failure| {
                let left =
                    |set: &&Vec<usize>| set.iter().filter(|it| !failure.contains(it)).count();
                sets.iter().filter(|set| left(set) < quorum).count()
            })
            .collect();
        let (all, keys) = (lost.len() as f64, sets.len() as f64);
        Lost {
            hit: lost.iter().filter(|it| **it > 0).count() as f64 / all,
            mean: lost.iter().sum::<usize>() as f64 / all / keys,
            worst: *lost.iter().max().unwrap() as f64 / keys,
        }
    }

    #[test]
    fn every_failure_is_tried() {
        // Three in a row on a ring of seven, and four sets at random, one of them twice.
        let row = (0..7).map(|i| vec![i, (i + 1) % 7, (i + 2) % 7]).collect();
        let some = vec![vec![0, 3, 5], vec![6, 1, 2], vec![5, 0, 3], vec![4, 2, 0]];
        for sets in [row, some] {
            let sets: Vec<Vec<usize>> = sets;
            for quorum in 1..=3 {
                let failures = Failures::new(7, quorum, sets.iter().cloned());
                for n in 1..=4 {
                    let (found, expected) = (failures.of(n), by_hand(&sets, 7, quorum, n));
                    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
                    assert!(
                        near(found.hit, expected.hit)
                            && near(found.mean, expected.mean)
                            && near(found.worst, expected.worst),
                        "{n} of {sets:?}, quorum {quorum}: {found:?}, {expected:?}"
                    );
                }
            }
        }
    }
}
