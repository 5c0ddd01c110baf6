//! The same look-ups timed in two ways, in turn: by the interleaved sampler and by criterion.

use crate::{
    measure::stats::median_interval,
    record::{CriterionRow, TimedRow},
};

/// By how much two ways of timing may differ and still be said to agree.
pub const AGREEING: f64 = 0.15;

/// One strategy, timed both ways.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// Its spec.
    pub strategy: String,
    /// The sampler's, then criterion's nanoseconds a look-up, over those of the load floor in the same
    /// turn; the median over the turns.
    pub ratios: [f64; 2],
    /// The ends of all intervals of all turns, of either way.
    pub intervals: [(f64, f64); 2],
}

impl Cell {
    /// Criterion's time over the sampler's.
    #[must_use]
    pub fn quotient(&self) -> f64 {
        self.ratios[1] / self.ratios[0]
    }

    /// Whether the two agree.
    #[must_use]
    pub fn agrees(&self) -> bool {
        (self.quotient() - 1.0).abs() <= AGREEING
    }
}

/// What a number of turns showed.
#[derive(Clone, PartialEq, Debug)]
pub struct TwoWays {
    /// The strategies that both ways timed in every turn, in the order of the rows.
    pub cells: Vec<Cell>,
}

impl TwoWays {
    /// Puts the turns together: the rows of the sampler and those of criterion, at one size.
    #[must_use]
    pub fn of(turns: &[(Vec<TimedRow>, Vec<CriterionRow>)]) -> Self {
        let Some((_, firsts)) = turns.first() else {
            return Self { cells: Vec::new() };
        };
        let cells = firsts.iter().filter_map(|row| cell(&row.strategy, turns));
        Self {
            cells: cells.collect(),
        }
    }

    /// Strategies on which the two agree.
    #[must_use]
    pub fn agreeing(&self) -> usize {
        self.cells.iter().filter(|it| it.agrees()).count()
    }

    /// Pairs that both ways tell apart, since their intervals do not overlap; and how many of these they
    /// put in different order.
    #[must_use]
    pub fn pairs(&self) -> (usize, usize) {
        let (mut told_apart, mut swapped) = (0, 0);
        for (i, a) in self.cells.iter().enumerate() {
            for b in &self.cells[..i] {
                let faster = |way: usize| {
                    let (a, b) = (a.intervals[way], b.intervals[way]);
                    if a.1 < b.0 {
                        Some(true)
                    } else {
                        (b.1 < a.0).then_some(false)
                    }
                };
                if let (Some(ours), Some(theirs)) = (faster(0), faster(1)) {
                    told_apart += 1;
                    swapped += usize::from(ours != theirs);
                }
            }
        }
        (told_apart, swapped)
    }

    /// Whether they agree on every strategy and every pair.
    #[must_use]
    pub fn agree(&self) -> bool {
        self.agreeing() == self.cells.len() && self.pairs().1 == 0
    }
}

fn cell(strategy: &str, turns: &[(Vec<TimedRow>, Vec<CriterionRow>)]) -> Option<Cell> {
    let mut ratios = [Vec::new(), Vec::new()];
    let mut intervals = [(f64::INFINITY, f64::NEG_INFINITY); 2];
    let mut widen = |way: usize, (lo, hi): (f64, f64)| {
        let all = &mut intervals[way];
        *all = (all.0.min(lo), all.1.max(hi));
    };
    for (ours, theirs) in turns {
        let timed = |metric: &str| {
            let row = ours
                .iter()
                .find(|row| row.strategy == strategy && row.metric == metric)?;
            Some((row.median?, (row.lo?, row.hi?)))
        };
        let (floor, _) = timed("load_ns")?;
        let (own, own_interval) = timed("lookup_ns")?;
        let row = theirs.iter().find(|row| row.strategy == strategy)?;
        ratios[0].push(own / floor);
        ratios[1].push(row.ns / floor);
        widen(0, own_interval);
        widen(1, (row.lo, row.hi));
    }
    let [ours, theirs] = ratios.map(|it| median_interval(&it).map(|(median, ..)| median));
    Some(Cell {
        strategy: strategy.to_owned(),
        ratios: [ours?, theirs?],
        intervals,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    /// A turn in which the strategies take so many nanoseconds, ours and criterion's, floor 10; every
    /// interval is a tenth to either side.
    fn turn(times: &[(&str, f64, f64)]) -> (Vec<TimedRow>, Vec<CriterionRow>) {
        let row = |strategy: &str, metric: &str, ns: f64| TimedRow {
            strategy: strategy.to_owned(),
            hash: String::new(),
            scenario: String::new(),
            nodes: 100,
            metric: metric.to_owned(),
            unit: String::new(),
            rounds: 30,
            median: Some(ns),
            lo: Some(0.9 * ns),
            hi: Some(1.1 * ns),
            status: Status::Ok,
            note: String::new(),
        };
        let ours = times.iter().flat_map(|&(strategy, ns, _)| {
            [
                row(strategy, "lookup_ns", ns),
                row(strategy, "load_ns", 10.0),
            ]
        });
        let theirs = times.iter().map(|&(strategy, _, ns)| CriterionRow {
            strategy: strategy.to_owned(),
            nodes: 100,
            ns,
            lo: 0.9 * ns,
            hi: 1.1 * ns,
        });
        (ours.collect(), theirs.collect())
    }

    #[test]
    fn the_median_of_the_turns_is_compared() {
        let turns = [
            turn(&[("a", 20.0, 22.0)]),
            turn(&[("a", 20.0, 90.0)]),
            turn(&[("a", 20.0, 21.0)]),
        ];
        let found = TwoWays::of(&turns);
        assert_eq!(found.cells[0].ratios, [2.0, 2.2]);
        assert!((found.cells[0].quotient() - 1.1).abs() < 1e-12);
        assert_eq!(found.cells[0].intervals[1], (0.9 * 21.0, 1.1 * 90.0));
        assert!(found.agree());
    }

    #[test]
    fn too_far_apart_and_in_another_order_is_seen() {
        // b: 30 % slower by criterion. c and d: each way tells them apart, the other way round.
        let times = [
            ("a", 20.0, 21.0),
            ("b", 20.0, 26.0),
            ("c", 100.0, 200.0),
            ("d", 200.0, 100.0),
        ];
        let found = TwoWays::of(&[turn(&times)]);
        let agreeing: Vec<bool> = found.cells.iter().map(Cell::agrees).collect();
        assert_eq!(agreeing, [true, false, false, false]);
        // a and b overlap, by the sampler and by criterion; all others are told apart.
        assert_eq!(found.pairs(), (5, 1));
        assert!(!found.agree());
    }

    #[test]
    fn who_was_timed_one_way_only_is_left_out() {
        let (ours, mut theirs) = turn(&[("a", 20.0, 21.0), ("b", 20.0, 21.0)]);
        theirs.pop();
        assert_eq!(TwoWays::of(&[(ours, theirs)]).cells.len(), 1);
        assert_eq!(TwoWays::of(&[]).cells, []);
    }
}
