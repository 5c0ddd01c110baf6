//! Where the published program puts its virtual nodes.

use std::collections::BTreeMap;

/// A point: its position, and the number of the placement that owns it, from 0.
///
/// Of n nodes, placement k is round `k / n` of the node at place `k % n`.
pub type Placed = (i32, u32);

/// The points of `n` nodes with `vnodes` points each, in order of position.
///
/// Every placement steps one interval on, `i32::MAX / vnodes`, wrapping, so the placements go round
/// the 2^32 positions about n / 2 times. Where the position is taken the program looks for another
/// (see [`instead_of`]); if that is taken too, the later placement owns it. Takes time N log n for
/// N = n * vnodes points.
///
/// # Panics
///
/// When `vnodes` is 0 or above `i32::MAX`, or there are more than `u32::MAX` placements.
#[must_use]
pub fn lay(start: i32, vnodes: u32, n: usize) -> Vec<Placed> {
    let interval = i32::MAX / i32::try_from(vnodes).expect("vnodes lies within i32");
    let n_placed = n as u64 * u64::from(vnodes);
    let n_placed = u32::try_from(n_placed).expect("the placements were counted before");
    let position = |placement: u32| {
        let steps = placement.wrapping_add(1).cast_signed();
        start.wrapping_add(interval.wrapping_mul(steps))
    };

    // k intervals are a multiple of 2^32, and so lead back, first at k = 2^32 / 2^zeros. Until then
    // no position is taken; from then on every one is.
    let n_fresh = 1_u64 << (32 - interval.trailing_zeros());
    let n_fresh = u32::try_from(n_fresh).map_or(n_placed, |it| it.min(n_placed));
    let points = sorted(n_fresh, position);
    if n_fresh == n_placed {
        return points;
    }

    let mut taken: BTreeMap<i32, u32> = points.into_iter().collect();
    for k in n_fresh..n_placed {
        let wanted = position(k);
        let below = taken.range(..wanted).next_back().map(|(&it, _)| it);
        taken.insert(instead_of(wanted, below), k);
    }
    taken.into_iter().collect()
}

/// About so many placements are put in order at a time: few enough to stay in the nearest cache.
const DRAWER: u32 = 256;

/// Placements 0 to `n` in order of their positions, which all differ.
///
/// The turns round the ring spread them evenly over it. So they are dealt into equal drawers, and each
/// drawer is put in order by itself, which takes half the time of one sort of all. In the worst case,
/// few placements in one corner of the ring, that is what it is.
fn sorted(n: u32, position: impl Fn(u32) -> i32) -> Vec<Placed> {
    let log = (n / DRAWER).max(2).ilog2();
    // The smallest position is negative; this way it is 0.
    let upwards = |k: u32| position(k).cast_unsigned() ^ (1 << 31);
    let drawer = |k: u32| (upwards(k) >> (u32::BITS - log)) as usize;
    let mut ends = vec![0_u32; 1 << log];
    for k in 0..n {
        ends[drawer(k)] += 1;
    }
    let mut before = 0;
    for end in &mut ends {
        before += std::mem::replace(end, before);
    }
    // Position and number in one word.
    let mut points = vec![0_u64; n as usize];
    for k in 0..n {
        let end = &mut ends[drawer(k)];
        points[*end as usize] = u64::from(upwards(k)) << 32 | u64::from(k);
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        points[start as usize..end as usize].sort_unstable();
        start = end;
    }
    let placed = |point: u64| {
        (
            ((point >> 32) as u32 ^ (1 << 31)).cast_signed(),
            point as u32,
        )
    };
    points.into_iter().map(placed).collect()
}

/// The position that the program puts a virtual node at when `wanted` is taken and `below` is the
/// largest position below it.
///
/// It means to halve the gap. For want of two parentheses it adds half of `below` instead, or of
/// the smallest integer when there is none below, and nobody asks whether the result is free.
#[must_use]
pub fn instead_of(wanted: i32, below: Option<i32>) -> i32 {
    wanted.wrapping_add(below.unwrap_or(i32::MIN) / 2)
}
