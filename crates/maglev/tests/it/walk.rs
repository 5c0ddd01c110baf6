//! A long walk of random adds, removes and weights over few names.

use point_hash::SplitMix64;
use router::{Change, Cluster, NodeSpec};

use crate::world::{cluster, entries, names, owner};

const M: u64 = 251;

/// After every step: a table built at once from the same nodes, in the order of their names, has the
/// same owners; only nodes with weight own keys; entries follow the weights.
#[track_caller]
fn check_walk(strategy: &str, steps: usize) {
    let text = format!("{strategy}:table={M}");
    let mut walked = cluster(&text, &[]);
    let mut draw = SplitMix64::new(5);
    for step in 0..steps {
        let name = format!("node-{}", draw.draw() % 8);
        let weight = [1, 1, 1, 2, 5, 0][draw.draw() as usize % 6];
        let present = names(walked.nodes()).contains(&name);
        let change = match (present, draw.draw() % 3) {
            (false, _) => Change::Add(NodeSpec::new(name, weight)),
            (true, 0) => Change::SetWeight(NodeSpec::new(name, weight)),
            (true, _) => Change::Remove(name),
        };
        walked.apply(&[change]).unwrap();
        if walked.serves() {
            check_step(&text, &walked, step);
        } else {
            assert_eq!(walked.route(b"key"), None);
        }
    }
}

#[track_caller]
fn check_step(text: &str, walked: &Cluster, step: usize) {
    let nodes = walked.nodes();
    let mut sorted: Vec<NodeSpec> = nodes
        .iter()
        .map(|node| NodeSpec::new(&*node.name, node.weight))
        .collect();
    sorted.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    let fresh = cluster(text, &sorted);
    for key in (0..200_u32).map(u32::to_be_bytes) {
        assert_eq!(owner(walked, &key), owner(&fresh, &key), "step {step}");
    }
    let heaviest = nodes.iter().map(|node| node.weight).max().unwrap();
    let rounds = entries(walked, M).into_iter().max().unwrap() as f64;
    for (node, entries) in nodes.iter().zip(entries(walked, M)) {
        let turns = rounds * f64::from(node.weight) / f64::from(heaviest);
        // The first round is for all, so the light are up to one turn ahead, and another if the last
        // round ended before the heaviest; or behind by one if it ended before they played.
        let off = entries as f64 - turns;
        assert!((-1.0..2.0).contains(&off), "step {step}: {off} turns");
        assert!(node.weight > 0 || entries == 0, "step {step}");
    }
}

#[test]
fn two_thousand_steps() {
    check_walk("maglev", 2000);
    check_walk("maglev-envoy", 500);
}
