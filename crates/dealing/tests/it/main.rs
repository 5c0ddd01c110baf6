//! Quotas and moves, against all ways of dealing.

use dealing::{by_hash, quotas, settle, shares};
use point_hash::{SplitMix64, xxh3_seeded};
use router::{KeyBuf, NodeId};

#[track_caller]
fn check_quotas(total: u64, weights: &[u32], held: &[u64], expected: &[u64]) {
    assert_eq!(quotas(total, weights, held), expected);
}

#[test]
fn quotas_are_ideals_rounded_down_or_up() {
    check_quotas(10, &[1, 1, 1], &[0; 3], &[4, 3, 3]);
    check_quotas(10, &[1, 1, 1, 1], &[2, 3, 1, 3], &[2, 3, 2, 3]);
    // 3.33 and 6.67: the second was cut most; but who holds more keeps it.
    check_quotas(10, &[1, 2], &[0, 0], &[3, 7]);
    check_quotas(10, &[1, 2], &[4, 6], &[4, 6]);
    // An ideal that is whole is the quota, whatever is held.
    check_quotas(9, &[1, 2], &[9, 0], &[3, 6]);
    check_quotas(2, &[1, 1, 1], &[0, 0, 1], &[1, 0, 1]);
    check_quotas(7, &[0, 3, 0], &[7, 0, 0], &[0, 7, 0]);
    check_quotas(7, &[0, 0], &[7, 0], &[0, 0]);
    check_quotas(0, &[1, 5], &[0, 0], &[0, 0]);
    check_quotas(5, &[], &[], &[]);
    check_quotas(
        u64::MAX,
        &[u32::MAX, u32::MAX],
        &[0, 1],
        &[(1 << 63), (1 << 63) - 1],
    );
}

/// Owners by number of node, `.` for nobody.
#[track_caller]
fn check_settled(weights: &[u32], before: &str, after: &str) {
    let nodes = numbered(weights);
    let mut owners: Vec<_> = before
        .chars()
        .map(|it| it.to_digit(10).and_then(NodeId::new))
        .collect();
    settle(&nodes, &mut owners);
    let text = owners.iter().map(|owner| match owner {
        Some(id) => id.get().to_string(),
        None => ".".to_owned(),
    });
    assert_eq!(text.collect::<String>(), after, "from {before}");
}

/// Nodes with the ids 1, 2, ...
fn numbered(weights: &[u32]) -> Vec<(NodeId, u32)> {
    let weights = weights.iter().zip(1..);
    weights
        .map(|(&weight, id)| (NodeId::new(id).unwrap(), weight))
        .collect()
}

#[test]
fn the_last_things_go_to_the_first_that_are_short() {
    check_settled(&[1, 1, 1], "..........", "1111222333");
    // A fourth joins, and a stranger leaves.
    check_settled(&[1, 1, 1, 1], "1111222333", "1114222334");
    check_settled(&[1, 1], "1919192929", "1111122222");
    check_settled(&[1, 1], "1212121212", "1212121212");
    check_settled(&[0, 1], "1212", "2222");
    check_settled(&[0, 0], "12.2", "....");
    check_settled(&[], "12.2", "....");
    check_settled(&[1, 3], "", "");
}

/// All ways to round quotas up, and what each leaves in place.
fn most_kept(total: u64, weights: &[u32], held: &[u64]) -> u64 {
    let sum: u64 = weights.iter().map(|&it| u64::from(it)).sum();
    let n = weights.len();
    let mut most = 0;
    for up in 0..1_u32 << n {
        let bounds = (0..n).map(|i| {
            let scaled = total * u64::from(weights[i]);
            match up >> i & 1 {
                0 => scaled / sum,
                _ => scaled.div_ceil(sum),
            }
        });
        let quotas: Vec<u64> = bounds.collect();
        if quotas.iter().sum::<u64>() == total {
            let kept = quotas
                .iter()
                .zip(held)
                .map(|(&quota, &held)| quota.min(held));
            most = most.max(kept.sum());
        }
    }
    most
}

#[test]
fn no_other_rounding_moves_fewer() {
    let mut draw = SplitMix64::new(1);
    let mut below = |n: u64| draw.draw() % n;
    for _ in 0..3000 {
        let n = 1 + below(5) as usize;
        let mut weights: Vec<u32> = (0..n).map(|_| below(5) as u32).collect();
        weights[0] += 1;
        let total = below(40);
        let mut owners: Vec<_> = (0..total)
            .map(|_| NodeId::new(below(n as u64 + 2) as u32))
            .collect();
        let before = owners.clone();
        let count = |owners: &[Option<NodeId>], i: usize| {
            owners.iter().flatten().filter(|id| id.index() == i).count() as u64
        };
        let held: Vec<u64> = (0..n).map(|i| count(&before, i)).collect();
        settle(&numbered(&weights), &mut owners);
        let kept = owners.iter().zip(&before).filter(|(a, b)| a == b).count() as u64;
        assert_eq!(
            kept,
            most_kept(total, &weights, &held),
            "{weights:?} of {held:?}"
        );
        let settled: Vec<u64> = (0..n).map(|i| count(&owners, i)).collect();
        assert_eq!(settled, quotas(total, &weights, &held));
        // A second time nothing is to be done.
        let again = owners.clone();
        settle(&numbered(&weights), &mut owners);
        assert_eq!(owners, again);
    }
}

#[test]
fn keys_have_an_order_of_their_own() {
    let keys: KeyBuf = ["b", "a", "", "b", "\0", "a", "longer key"]
        .iter()
        .collect();
    let order = by_hash(keys.keys());
    let in_order: Vec<(u64, &[u8], usize)> = order
        .iter()
        .map(|&i| (xxh3_seeded(keys.keys().get(i), 1), keys.keys().get(i), i))
        .collect();
    assert!(in_order.is_sorted(), "by hash, bytes and place");
    let mut places = order;
    places.sort_unstable();
    assert_eq!(places, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn shares_are_parts_of_the_table() {
    let [one, two] = [1, 2].map(|id| NodeId::new(id).unwrap());
    assert_eq!(shares(&[two, one, two, two]), [(one, 0.25), (two, 0.75)]);
    assert_eq!(shares(&[]), []);
}
