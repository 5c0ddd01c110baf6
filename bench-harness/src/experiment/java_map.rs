//! What a Java class with a sorted list and a `HashMap<Integer, Integer>` prints as its `toString`.

use router::{Cluster, Position};

/// `DefaultNodeManger{nodeList=[...], nodeLinker={...}}` of a ring of integers: the list sorted, the
/// map in the order in which Java goes through it.
///
/// A point's label is `NODE#ROUND`; in that order, round by round, the class put the points into
/// its map, which it made for `capacity` entries.
pub(super) fn to_string(cluster: &Cluster, capacity: u32) -> String {
    let points = cluster.points().unwrap_or_default();
    let number = |position: Position| match position {
        Position::Signed(value) => value as i32,
        Position::Unsigned(value) => value as i32,
    };
    let mut placed: Vec<((usize, usize), i32, &str)> = points
        .iter()
        .map(|point| {
            let round = point
                .label
                .rsplit('#')
                .next()
                .and_then(|it| it.parse().ok());
            let node = cluster.nodes().position(point.owner).unwrap_or_default();
            let name = cluster.name(point.owner).unwrap_or_default();
            ((round.unwrap_or(0), node), number(point.position), name)
        })
        .collect();
    let list: Vec<String> = points
        .iter()
        .map(|it| number(it.position).to_string())
        .collect();
    placed.sort_unstable();
    let positions: Vec<i32> = placed.iter().map(|it| it.1).collect();
    let map: Vec<String> = map_order(&positions, capacity)
        .into_iter()
        .map(|i| format!("{}={}", placed[i].1, placed[i].2))
        .collect();
    format!(
        "DefaultNodeManger{{nodeList=[{}], nodeLinker={{{}}}}}",
        list.join(", "),
        map.join(", ")
    )
}

/// The places of distinct integers, which were put into a `HashMap` in this order, in the order in
/// which the map is gone through: bucket by bucket, within a bucket as they came.
///
/// The table has the power of two at or above `capacity` buckets and doubles when more than three
/// quarters are taken; an integer's bucket is `h ^ h >>> 16`, modulo their number. Buckets of more
/// than eight, which Java makes into trees, are not modelled: rings do not have them.
fn map_order(keys: &[i32], capacity: u32) -> Vec<usize> {
    let mut buckets = u64::from(capacity.max(1).next_power_of_two());
    while keys.len() as u64 > buckets * 3 / 4 {
        buckets *= 2;
    }
    let bucket = |key: i32| {
        let bits = key.cast_unsigned();
        u64::from(bits ^ (bits >> 16)) & (buckets - 1)
    };
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| bucket(keys[i]));
    order
}
