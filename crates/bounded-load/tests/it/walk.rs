//! A long walk of random adds, removes and weights over few names.

use point_hash::SplitMix64;
use router::{Change, NodeSpec};

use crate::world::{cluster, keys, loads, placed};

/// After every step: a cluster built at once from the same nodes, in the order of their names,
/// places the keys alike; nobody is above the cap, and nobody without weight has a key.
#[track_caller]
fn check_walk(text: &str, steps: usize) {
    let keys = keys(200);
    let mut walked = cluster(text, &[]);
    let mut draw = SplitMix64::new(9);
    for step in 0..steps {
        let name = format!("node-{}", draw.draw() % 8);
        let weight = [1, 1, 1, 2, 5, 0][draw.draw() as usize % 6];
        let present = walked.nodes().iter().any(|node| *node.name == *name);
        let change = match (present, draw.draw() % 3) {
            (false, _) => Change::Add(NodeSpec::new(name, weight)),
            (true, 0) => Change::SetWeight(NodeSpec::new(name, weight)),
            (true, _) => Change::Remove(name),
        };
        walked.apply(&[change]).unwrap();
        if !walked.serves() {
            continue;
        }
        let owners = placed(&walked, &keys);
        let nodes = walked.nodes().iter();
        let mut sorted: Vec<_> = nodes
            .map(|it| NodeSpec::new(&*it.name, it.weight))
            .collect();
        sorted.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        assert_eq!(
            placed(&cluster(text, &sorted), &keys),
            owners,
            "step {step}"
        );
        let total = walked.nodes().total_weight();
        for (node, load) in walked.nodes().iter().zip(loads(&walked, &owners)) {
            let cap = (250 * u64::from(node.weight)).div_ceil(total);
            assert!(load <= cap, "step {step}: {load} of {cap}");
        }
    }
}

#[test]
fn two_thousand_steps() {
    check_walk("bounded-load:base=[vec-ring:vnodes=2]", 2000);
    check_walk(
        "bounded-load:base=[vec-ring:vnodes=2],overflow=random-jump",
        2000,
    );
}
