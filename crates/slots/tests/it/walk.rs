//! A long walk of random adds, removes, replacements and weights over few names.

use point_hash::SplitMix64;
use router::{Change, Cluster, NodeSpec};

use crate::world::{cluster, counts};

/// Keys that are asked after each step.
const N_KEYS: u32 = 200;

/// After every step: only nodes with weight own keys; slots follow the weights within one; while
/// weights are equal, keys move only from who left or to who joined.
#[track_caller]
fn check_walk(text: &str, n_slots: usize, weights: &[u32], steps: usize) {
    let mut walked = cluster(text, &[]);
    let mut draw = SplitMix64::new(7);
    for step in 0..steps {
        let before = walked.clone();
        let name = format!("node-{}", draw.draw() % 8);
        let weight = weights[draw.draw() as usize % weights.len()];
        let present = |name: &str| before.nodes().iter().any(|node| *node.name == *name);
        let other = format!("node-{}", draw.draw() % 8);
        let change = match (present(&name), draw.draw() % 4) {
            (false, _) => Change::Add(NodeSpec::new(name, weight)),
            (true, 0) => Change::SetWeight(NodeSpec::new(name, weight)),
            (true, 1) if !present(&other) => Change::Replace {
                old: name,
                new: other,
            },
            (true, _) => Change::Remove(name),
        };
        walked.apply(&[change]).unwrap();
        if walked.serves() {
            check_slots(&walked, n_slots, step);
        }
        if before.serves() && walked.serves() {
            check_moves(&before, &walked, weights.len() == 1, step);
        }
    }
}

#[track_caller]
fn check_slots(walked: &Cluster, n_slots: usize, step: usize) {
    let total = walked.nodes().total_weight() as f64;
    for (node, slots) in walked.nodes().iter().zip(counts(walked, n_slots)) {
        let ideal = n_slots as f64 * f64::from(node.weight) / total;
        assert!(
            (slots as f64 - ideal).abs() < 1.0,
            "step {step}: {slots} of {ideal}"
        );
        assert!(node.weight > 0 || slots == 0, "step {step}");
    }
}

#[track_caller]
fn check_moves(before: &Cluster, after: &Cluster, minimal: bool, step: usize) {
    for key in (0..N_KEYS).map(u32::to_be_bytes) {
        let (old, new) = (before.route(&key).unwrap(), after.route(&key).unwrap());
        assert!(after.nodes().get(new).is_some_and(|node| node.weight > 0));
        let left = after.nodes().get(old).is_none();
        let joined = before.nodes().get(new).is_none();
        assert!(!minimal || old == new || left || joined, "step {step}");
    }
}

#[test]
fn two_thousand_steps() {
    check_walk("slots:count=50", 50, &[1], 2000);
    check_walk("slots:count=50", 50, &[0, 1, 1, 2, 5], 2000);
    check_walk("slots-redis", 16384, &[1], 150);
}
