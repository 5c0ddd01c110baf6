//! Many keys at once.
//!
//! One look-up waits for memory most of the time: each point that it reads says where to read next.
//! The look-ups of many keys have nothing to do with each other, so they are done side by side, a
//! block of them: first all are hashed, then each enters its bucket; without an index each takes one
//! step, then each takes the next one. The processor fetches what all of them need at the same time,
//! and hardly a branch depends on a key.

use std::hint::select_unpredictable;

use router::{Keys, NodeId};

use crate::{Index, Placement, RingPoint, RingPosition, index::n_looked_at};

/// Keys that are sought side by side.
const BLOCK: usize = 256;

/// An index is worth its making when there are at least this many keys for a thousand points.
const KEYS_FOR_1000_POINTS: usize = 125;

/// Whether there are so many keys that it pays to go through all points once before.
#[must_use]
pub fn are_many(n_keys: usize, n_points: usize) -> bool {
    n_keys.saturating_mul(1000) >= n_points.saturating_mul(KEYS_FOR_1000_POINTS)
}

/// Writes the owner of every key to `owners`.
///
/// `points` are all points in order, `index` is theirs if there is one. The owner is that of the
/// point whose index `settle` makes of a key's hash and of the first point at or after it, or the
/// number of points where there is none. Takes one hash and a few points a key, and one pass over
/// the points if there are many keys and no index; few keys are sought by halving, side by side.
///
/// # Panics
///
/// When the two lengths differ, or there is no point.
pub fn route_batch<P: Placement>(
    placement: &P,
    points: &[RingPoint<P::Position>],
    index: Option<&Index>,
    keys: Keys<'_>,
    owners: &mut [NodeId],
    settle: impl Fn(P::Position, usize) -> usize,
) {
    assert_eq!(keys.len(), owners.len(), "one owner a key");
    let made = match index {
        None if are_many(keys.len(), points.len()) => {
            Some(Index::of(points, Index::log_for(points.len())))
        }
        _ => None,
    };
    let index = index.or(made.as_ref());
    let mut hashes = [P::Position::MIN; BLOCK];
    let mut found = [0; BLOCK];
    for (block, owners) in owners.chunks_mut(BLOCK).enumerate() {
        let (hashes, found) = (&mut hashes[..owners.len()], &mut found[..owners.len()]);
        let first = block * BLOCK;
        placement.hash_batch(keys.slice(first..first + hashes.len()), hashes);
        match index {
            Some(index) => by_index(points, index, hashes, found),
            None => by_halving(points, hashes, found),
        }
        for ((owner, &hash), &point) in owners.iter_mut().zip(&*hashes).zip(&*found) {
            *owner = points[settle(hash, point as usize)].owner();
        }
    }
}

/// Returns how many buckets and points [`route_batch`] looks at for a key of this hash among many
/// keys, where there is no index before. `below` are the positions of the points before the hash,
/// downwards, `above` those at and after it, upwards; only a bucket's length or a few of them are read.
#[must_use]
pub fn batch_probes<T: RingPosition>(
    n_points: usize,
    hash: T,
    below: impl Iterator<Item = T>,
    above: impl Iterator<Item = T>,
) -> f64 {
    let log = Index::log_for(n_points);
    let is_in_bucket = |position: &T| position.top_bits(log) == hash.top_bits(log);
    let n_before = below.take_while(is_in_bucket).count();
    let (mut n_at_or_after, mut n_behind) = (0, n_before);
    for position in above {
        n_at_or_after += usize::from(is_in_bucket(&position));
        n_behind += 1;
        if !is_in_bucket(&position) && n_behind >= Index::FEW {
            break;
        }
    }
    n_looked_at(n_before, n_before + n_at_or_after, n_behind).into()
}

/// Writes the first point at or after each hash to `found`: no look-up waits for another one.
fn by_index<T: RingPosition>(
    points: &[RingPoint<T>],
    index: &Index,
    hashes: &[T],
    found: &mut [u32],
) {
    for (found, &hash) in found.iter_mut().zip(hashes) {
        *found = index.first_at_or_after(points, hash) as u32;
    }
}

/// As [`by_index`], by halving all points: all hashes look at their middle, then all at the middle
/// of their half.
fn by_halving<T: RingPosition>(points: &[RingPoint<T>], hashes: &[T], found: &mut [u32]) {
    found.fill(0);
    let mut size = points.len();
    while size > 1 {
        let half = size / 2;
        for (base, &hash) in found.iter_mut().zip(hashes) {
            let middle = *base + half as u32;
            let is_before = points[middle as usize].position() < hash;
            *base = select_unpredictable(is_before, middle, *base);
        }
        size -= half;
    }
    for (base, &hash) in found.iter_mut().zip(hashes) {
        *base += u32::from(points[*base as usize].position() < hash);
    }
}
