//! What a bound does: displaced keys, skipped nodes and moves, against simulations of the published
//! rule with a fixed cap, 100 keys a node, equal weights. Those are of 1000 nodes, these of 250, which
//! makes no difference to what happens between neighbours.

use bounded_load::Overflow;
use router::NodeSpec;

use crate::world::{bounded, cluster, keys};

const N: usize = 250;
const M: usize = 100 * N;
/// Sets of node names, and nodes of each that are removed in turn.
const DEPLOYMENTS: usize = 5;
const REMOVALS: usize = 6;

/// Places keys on rings and, with the caps as they were, on the rings without each of a few nodes in
/// turn. Answers the displaced part of the keys, the nodes skipped a key, and the keys that a removal
/// moves over those that the node had, in the mean over removals.
fn measure(vnodes: u32, factor: f64, overflow: Overflow) -> [f64; 3] {
    let keys = keys(M);
    let (mut displaced, mut skipped, mut moves) = (0, 0, Vec::new());
    for deployment in 0..DEPLOYMENTS {
        let nodes: Vec<NodeSpec> = (0..N)
            .map(|i| format!("{deployment}.node{i}").into())
            .collect();
        let ring = cluster(&format!("vec-ring:vnodes={vnodes}"), &nodes);
        let before = bounded(vnodes, factor, overflow, &ring);
        let caps = before.caps(M);
        let placed = before.place(keys.keys());
        displaced += placed.probes.iter().filter(|&&probes| probes > 1).count();
        skipped += placed
            .probes
            .iter()
            .map(|&probes| probes as usize - 1)
            .sum::<usize>();
        for i in (0..N).step_by(N / REMOVALS).take(REMOVALS) {
            let mut left = ring.clone();
            left.remove(&nodes[i].name).unwrap();
            let after = bounded(vnodes, factor, overflow, &left).place_within(keys.keys(), &caps);
            let lost = ring.id(&nodes[i].name).unwrap();
            let held = placed.owners.iter().filter(|&&it| it == lost).count();
            let pairs = placed.owners.iter().zip(&after.owners);
            let moved = pairs.filter(|(before, after)| before != after).count();
            // A node that had nothing moves nothing.
            moves.extend((held > 0).then(|| moved as f64 / held as f64));
        }
    }
    let all = (M * DEPLOYMENTS) as f64;
    [
        displaced as f64 / all,
        skipped as f64 / all,
        moves.iter().sum::<f64>() / moves.len() as f64,
    ]
}

/// The tolerances are what one set of names or another leaves to chance: on rings with one point a
/// node, skipped nodes differ by a seventh and moves by a third.
#[track_caller]
fn check(vnodes: u32, factor: f64, overflow: Overflow, simulated: [f64; 3], tolerance: [f64; 3]) {
    let found = measure(vnodes, factor, overflow);
    for i in 0..3 {
        let near = (found[i] - simulated[i]).abs() <= tolerance[i];
        assert!(
            near,
            "V={vnodes}, {factor}, {overflow:?}: {found:?} of {simulated:?}"
        );
    }
}

#[test]
fn a_bound_displaces_as_simulated() {
    use Overflow::{Forward, RandomJump};
    check(1, 1.25, Forward, [0.339, 1.84, 3.9], [0.03, 0.4, 1.3]);
    check(1, 1.25, RandomJump, [0.375, 1.65, 1.9], [0.03, 0.3, 0.7]);
    check(1, 2.0, Forward, [0.142, 0.29, 1.25], [0.02, 0.08, 0.25]);
    check(
        100,
        1.05,
        Forward,
        [0.044, 0.065, 1.76],
        [0.005, 0.01, 0.25],
    );
    check(100, 1.5, Forward, [0.0, 0.0, 1.0], [0.001, 0.001, 0.01]);
}
