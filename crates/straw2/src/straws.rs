//! The straws of all nodes, and the longest of them for a key.

use router::NodeId;

use crate::rjenkins;

/// Straws that are hashed at a time: a plain loop over words, which the compiler makes vectors of.
const BLOCK: usize = 256;

/// Up to this weight, different 16 bits always give different draws, so the largest bits are the
/// longest straw, without a division (a test draws them all).
const DISTINCT: u32 = 4096;

/// A straw a node, in order of the nodes' names; of equal draws the earlier wins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Straws {
    /// The lower halves of the ids.
    lower: Vec<u32>,
    /// The upper halves.
    upper: Vec<u32>,
    weights: Vec<u32>,
    nodes: Vec<NodeId>,
    /// Some weight differs from the first one's, or is above [`DISTINCT`].
    divides: bool,
}

impl Straws {
    /// Adds the straw of a node, whose name is larger than all before.
    pub(crate) fn push(&mut self, [lower, upper]: [u32; 2], weight: u32, node: NodeId) {
        let first = *self.weights.first().unwrap_or(&weight);
        self.divides |= weight != first || weight > DISTINCT;
        self.lower.push(lower);
        self.upper.push(upper);
        self.weights.push(weight);
        self.nodes.push(node);
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node with the longest straw for a key.
    ///
    /// # Panics
    ///
    /// When there is no straw.
    pub(crate) fn longest(&self, key: u32, logs: &[u64]) -> NodeId {
        let longest = if self.divides {
            let draws = (0..self.len()).map(|at| self.draw(key, at, logs));
            let shortest_draw = draws.enumerate().min_by_key(|&(_, draw)| draw);
            shortest_draw.map(|(at, _)| at)
        } else {
            self.largest_bits(key)
        };
        self.nodes[longest.expect("asked only while a node has weight")]
    }

    /// The first `n` nodes by the length of their straws.
    pub(crate) fn by_length(&self, key: u32, logs: &[u64], n: usize) -> Vec<NodeId> {
        let mut places: Vec<usize> = (0..self.len()).collect();
        // Stable: of equal draws the smaller name.
        places.sort_by_cached_key(|&at| self.draw(key, at, logs));
        places
            .into_iter()
            .take(n)
            .map(|at| self.nodes[at])
            .collect()
    }

    /// What the node at this place draws for a key: smaller is longer.
    #[inline]
    fn draw(&self, key: u32, at: usize, logs: &[u64]) -> u64 {
        let u = rjenkins::hash3(key, self.lower[at], self.upper[at]) & 0xffff;
        ((1 << 48) - logs[u as usize]) / (u64::from(self.weights[at]) << 16)
    }

    /// The first place with the largest 16 bits: the longest straw where all weigh alike.
    fn largest_bits(&self, key: u32) -> Option<usize> {
        let mut bits = [0; BLOCK];
        let mut best: Option<(u32, usize)> = None;
        let blocks = self.lower.chunks(BLOCK).zip(self.upper.chunks(BLOCK));
        for (block, (lower, upper)) in blocks.enumerate() {
            let bits = &mut bits[..lower.len()];
            for ((bits, &lower), &upper) in bits.iter_mut().zip(lower).zip(upper) {
                *bits = rjenkins::hash3(key, lower, upper) & 0xffff;
            }
            let most = *bits.iter().max().expect("a chunk is not empty");
            if best.is_none_or(|(before, _)| most > before) {
                let first = bits.iter().position(|&it| it == most);
                best = first.map(|first| (most, block * BLOCK + first));
            }
        }
        best.map(|(_, at)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::LOGS;

    fn straws(n: u32, weight: impl Fn(u32) -> u32) -> Straws {
        let mut straws = Straws::default();
        for i in 0..n {
            let id = [
                i.wrapping_mul(0x9E37_79B9),
                i.wrapping_mul(0x85EB_CA6B) ^ 77,
            ];
            straws.push(id, weight(i), NodeId::new(i + 1).unwrap());
        }
        straws
    }

    /// The rule as it is written: the first of the smallest draws.
    fn by_the_rule(straws: &Straws, key: u32) -> NodeId {
        let first = (0..straws.len()).min_by_key(|&at| straws.draw(key, at, &LOGS));
        straws.nodes[first.unwrap()]
    }

    #[test]
    fn the_longest_is_that_of_the_rule() {
        for n in [1, 2, 7, 40, 255, 256, 257, 1003] {
            for weight in [1, 2, DISTINCT, DISTINCT + 1, 65_535] {
                let straws = straws(n, |_| weight);
                for key in (0..300_u32).map(|i| i.wrapping_mul(0xC2B2_AE35)) {
                    assert_eq!(straws.longest(key, &LOGS), by_the_rule(&straws, key));
                }
            }
            let straws = straws(n, |i| 1 + i % 3);
            for key in 0..300 {
                assert_eq!(straws.longest(key, &LOGS), by_the_rule(&straws, key));
            }
        }
    }

    #[test]
    fn small_weights_never_tie_different_bits() {
        for weight in [1, DISTINCT] {
            let draw = |log: &u64| ((1 << 48) - log) / (u64::from(weight) << 16);
            let draws: Vec<u64> = LOGS.iter().map(draw).collect();
            assert!(draws.windows(2).all(|pair| pair[0] > pair[1]), "{weight}");
        }
    }
}
