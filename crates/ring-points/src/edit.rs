//! Points taken out of sorted points and put between them, in place.
//!
//! Where few change among many, what stays is moved in whole blocks between them; nothing is compared
//! but to find the places.

use std::cmp::Ordering;

use crate::{RingPoint, RingPosition, first_at_or_after};

/// There are few to change when there are this many points for each.
const FOR_EACH: usize = 16;

/// What a change did to the points of a ring.
#[derive(Clone, Debug)]
pub struct Edits<T> {
    /// All points may be others: there is nothing to follow.
    pub(crate) everything: bool,
    /// The positions of the points that went, and of those that came, each in order.
    pub(crate) gone: Vec<T>,
    pub(crate) come: Vec<T>,
}

impl<T> Edits<T> {
    /// That any point may be another one.
    pub(crate) fn everything() -> Self {
        Self {
            everything: true,
            gone: Vec::new(),
            come: Vec::new(),
        }
    }
}

/// Whether `n` points among `n_points` are so few that they are sought one by one.
pub(crate) fn are_few(n: usize, n_points: usize) -> bool {
    n.saturating_mul(FOR_EACH) <= n_points
}

/// Takes all points out that stand at one of `positions`, which are in order, and that `goes` names.
/// Returns their positions, in order.
pub(crate) fn take_out<T: RingPosition>(
    points: &mut Vec<RingPoint<T>>,
    positions: impl Iterator<Item = T>,
    goes: impl Fn(RingPoint<T>) -> bool,
) -> Vec<T> {
    let mut gone = Vec::new();
    // All before `kept` stays where it is now; what comes next to be looked at is at `next`.
    let (mut kept, mut next) = (0, 0);
    for position in positions {
        let at = next + first_at_or_after(&points[next..], position);
        points.copy_within(next..at, kept);
        kept += at - next;
        next = at;
        while let Some(&point) = points.get(next)
            && point.position() == position
        {
            if goes(point) {
                gone.push(position);
            } else {
                points[kept] = point;
                kept += 1;
            }
            next += 1;
        }
    }
    let end = points.len();
    points.copy_within(next..end, kept);
    points.truncate(kept + end - next);
    gone
}

/// Puts sorted points between sorted points, all in the order of `order`.
pub(crate) fn put_in<T: RingPosition>(
    points: &mut Vec<RingPoint<T>>,
    arriving: &[RingPoint<T>],
    order: impl Fn(RingPoint<T>, RingPoint<T>) -> Ordering,
) {
    let (mut n_old, mut n_new) = (points.len(), arriving.len());
    let few = are_few(n_new, n_old);
    points.reserve_exact(n_new);
    points.extend_from_slice(arriving);
    // From the end, so that nothing is overwritten before it has moved; when the last newcomer
    // stands, the rest stands where it stood.
    while n_new > 0 {
        let new = arriving[n_new - 1];
        let comes_later = |old: &RingPoint<T>| order(*old, new) == Ordering::Greater;
        let place = if few {
            points[..n_old].partition_point(|old| !comes_later(old))
        } else {
            let later = points[..n_old]
                .iter()
                .rev()
                .take_while(|old| comes_later(old));
            n_old - later.count()
        };
        points.copy_within(place..n_old, place + n_new);
        n_old = place;
        n_new -= 1;
        points[n_old + n_new] = new;
    }
}
