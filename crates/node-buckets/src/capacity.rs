//! How many buckets are reserved at building.

use router::{Error, Param, ParamKind, ParamRole, Params, check_points};

/// The parameter `capacity`: buckets in multiples of the nodes at building.
pub const CAPACITY: Param = Param {
    name: "capacity",
    role: ParamRole::Capacity,
    kind: ParamKind::Float {
        default: 2.0,
        min: 1.0,
        max: 100.0,
    },
    help: "Buckets reserved, in multiples of the nodes at building, rounded up; counted to six decimals",
};

/// Returns how many buckets [`CAPACITY`] reserves for a cluster built of `n_nodes` nodes: the
/// product, rounded up, at least one.
///
/// The parameter counts to six decimals and the product is one of whole numbers, so that 1.1 times
/// 10 is 11: in binary fractions it is a little more, and would be rounded up to 12.
#[must_use]
pub fn reserved(params: &Params, n_nodes: u64) -> u64 {
    const SCALE: f64 = 1e6;
    // At most 100 million, a whole number.
    let millionths = (params.float(CAPACITY.name) * SCALE).round() as u128;
    let buckets = (millionths * u128::from(n_nodes)).div_ceil(SCALE as u128);
    u64::try_from(buckets.max(1)).unwrap_or(u64::MAX)
}

/// Checks that the buckets for this many nodes are not too many: neither those reserved for a cluster
/// built of them, nor those that a smaller one could have doubled to on its way. What a cluster
/// reserved when it was smaller makes no difference.
///
/// # Errors
///
/// When there are more than [`router::MAX_POINTS`].
pub fn check_capacity(params: &Params, n_nodes: u64) -> Result<(), Error> {
    // A capacity doubles when it is full, so it then stays below twice the nodes.
    check_points(reserved(params, n_nodes).max(2 * n_nodes).into())
}
