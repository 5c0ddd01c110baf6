//! The score of a node for a key, and the node that has the highest one.
//!
//! The score is made of what a vector unit of 128 bits does without a special instruction: it multiplies
//! two pairs of 32-bit halves at once, and it takes the larger ones of two pairs of doubles. So the
//! compiler makes vector code of plain loops over arrays, on every machine. Positive doubles are ordered
//! as the integers that their bits are, hence a score, which leaves the two highest bits free, is
//! compared as a double without being converted.

/// Nodes that are scored side by side.
const ROW: usize = 8;

/// Rows whose highest score is sought before it is compared with that of the rows before them.
const ROWS: usize = 16;

/// Fewer nodes than this are asked one after the other: finding the place of the highest score again
/// would take longer than the vectors save.
const FEW: usize = 96;

/// The score of the node with this id for a key of this hash, below 2^62.
///
/// The two halves of `key_hash ^ id`, 32 bits each, are multiplied; the upper half of the product is
/// xored with its lower half, and the upper 62 bits of the result are the score.
#[must_use]
#[inline]
pub fn score(key_hash: u64, id: u64) -> u64 {
    let joined = key_hash ^ id;
    let product = (joined >> 32) * (joined & 0xffff_ffff);
    (product ^ (product << 32)) >> 2
}

/// Returns the first of the highest scores of the nodes with these ids for a key of this hash: its place
/// and itself. Takes a score a node, and some of them twice.
///
/// # Panics
///
/// When there is no node.
#[must_use]
#[inline]
pub fn highest(ids: &[u64], key_hash: u64) -> (usize, u64) {
    if ids.len() < FEW {
        return highest_of_few(ids, key_hash);
    }
    let (rows, rest) = ids.as_chunks::<ROW>();
    let (mut best, mut start) = (-1.0, 0);
    for (i, block) in rows.chunks(ROWS).enumerate() {
        let score = highest_score(block, key_hash);
        if score > best {
            (best, start) = (score, i * ROWS);
        }
    }
    let row = start + row_with(&rows[start..], key_hash, best);
    let (lane, best) = highest_of_few(&rows[row], key_hash);
    let place = row * ROW + lane;
    if rest.is_empty() {
        return (place, best);
    }
    match highest_of_few(rest, key_hash) {
        (behind, higher) if higher > best => (rows.len() * ROW + behind, higher),
        _ => (place, best),
    }
}

/// [`highest`], one node after the other.
#[must_use]
#[inline]
pub fn highest_of_few(ids: &[u64], key_hash: u64) -> (usize, u64) {
    let (mut place, mut best) = (0, score(key_hash, ids[0]));
    for (i, &id) in ids.iter().enumerate().skip(1) {
        let score = score(key_hash, id);
        if score > best {
            (place, best) = (i, score);
        }
    }
    (place, best)
}

/// The scores of a row, as doubles.
#[inline]
fn scores(row: &[u64; ROW], key_hash: u64) -> [f64; ROW] {
    row.map(|id| f64::from_bits(score(key_hash, id)))
}

/// The highest score of these rows. A function of its own, so that its sums stay in registers.
#[inline(never)]
fn highest_score(rows: &[[u64; ROW]], key_hash: u64) -> f64 {
    // Written so that it is one instruction: `f64::max` also has to see to what is not a number.
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let mut best = [0.0; ROW];
    for row in rows {
        let scores = scores(row, key_hash);
        for (best, score) in best.iter_mut().zip(scores) {
            *best = larger(score, *best);
        }
    }
    best.into_iter().fold(0.0, larger)
}

/// The first of these rows that has this score.
#[inline(never)]
fn row_with(rows: &[[u64; ROW]], key_hash: u64, wanted: f64) -> usize {
    let has = |row: &[u64; ROW]| {
        // All are compared, so that vectors do it.
        let equal = scores(row, key_hash).map(|score| score.to_bits() == wanted.to_bits());
        equal.into_iter().fold(false, |any, it| any | it)
    };
    rows.iter().position(has).expect("one of them had it")
}
