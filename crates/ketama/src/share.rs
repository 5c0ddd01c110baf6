//! From a weight to a number of digests, in the arithmetic of each program.
//!
//! All mean w / W * 40 * n, rounded down, and no two round alike: see each function for the numbers
//! of equal nodes at which it falls to 39.

use ring_points::Weights;

/// Rounds a number that is not negative down.
fn whole(number: f64) -> u64 {
    number as u64
}

/// A node's part of all weights, in 32 bits.
fn part(weight: u32, weights: &Weights) -> f32 {
    weight as f32 / weights.total as f32
}

/// libketama: the part in 32 bits, the product in 64, rounded to 32. At 61 nodes 39.
pub(crate) fn part_in_single(weight: u32, weights: &Weights) -> u64 {
    let product = f64::from(part(weight, weights)) * 40.0 * weights.n_nodes as f64;
    whole(f64::from(product as f32))
}

/// libmemcached: all in 32 bits, 1e-10 added, which is too little to be seen there. At 25, 47, 50,
/// 55, 61, 71, 94 and 100 nodes 39.
pub(crate) fn all_in_single(weight: u32, weights: &Weights) -> u64 {
    whole(f64::from(product_in_single(weight, weights) + 1e-10))
}

/// spymemcached and twemproxy: the product in 32 bits, 1e-10 added in 64, rounded to 32. At the
/// same numbers of nodes 39.
pub(crate) fn sum_in_double(weight: u32, weights: &Weights) -> u64 {
    let sum = f64::from(product_in_single(weight, weights)) + 1e-10;
    whole(f64::from(sum as f32))
}

fn product_in_single(weight: u32, weights: &Weights) -> f32 {
    part(weight, weights) * 160.0 / 4.0 * weights.n_nodes as f32
}

/// hashring for Node.js: all in 64 bits. At 7, 14, 28, 49, 56 and 98 nodes 39.
pub(crate) fn all_in_double(weight: u32, weights: &Weights) -> u64 {
    let part = f64::from(weight) / weights.total as f64;
    whole(part * 40.0 * weights.n_nodes as f64)
}

/// uhashring, and with another number of digests our own: in integers, so that equal nodes always
/// have all their digests.
pub(crate) fn in_integers(digests: u64, weight: u32, weights: &Weights) -> u64 {
    let scaled = u128::from(digests) * u128::from(weights.n_nodes) * u128::from(weight);
    u64::try_from(scaled / u128::from(weights.total))
        .expect("a weight is at most their sum, digests below 2^57")
}
