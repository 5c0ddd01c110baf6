//! Which slots move, change by change.

use router::{Change, Cluster, ErrorKind, NodeSpec};

use crate::world::{cluster, counts, key_of_each_slot, nodes, owners};

/// The table of a cluster of nodes with one-letter names.
fn table(cluster: &Cluster, n_slots: usize) -> String {
    owners(cluster, &key_of_each_slot(cluster, n_slots)).concat()
}

/// Builds twelve slots of `nodes` (letters with weights) and applies changes one by one.
#[track_caller]
fn check(nodes: &[(&str, u32)], built: &str, changes: &[(&str, &str)]) {
    let nodes: Vec<_> = nodes
        .iter()
        .map(|&(name, it)| NodeSpec::new(name, it))
        .collect();
    let mut cluster = cluster("slots:count=12", &nodes);
    assert_eq!(table(&cluster, 12), built);
    for (changes, expected) in changes {
        let changes: Vec<Change> = changes.split(' ').map(|it| it.parse().unwrap()).collect();
        cluster.apply(&changes).unwrap();
        assert_eq!(table(&cluster, 12), *expected, "after {changes:?}");
    }
}

#[test]
fn every_move_is_as_described() {
    let abc = [("a", 1), ("b", 1), ("c", 1)];
    check(
        &abc,
        "aaaabbbbcccc",
        &[("+d", "aaadbbbdcccd"), ("-b", "aaadacddcccd")],
    );
    // Undone, the shares are as before, the slots are not.
    check(
        &abc,
        "aaaabbbbcccc",
        &[("-b", "aaaaaacccccc"), ("+b", "aaaabbccccbb")],
    );
    // A replacement takes the slots over; two changes do not.
    check(
        &abc,
        "aaaabbbbcccc",
        &[("~b\td", "aaaaddddcccc"), ("-d +e", "aaaaeeeecccc")],
    );
    check(&abc, "aaaabbbbcccc", &[("-b +b", "aaaabbbbcccc")]);
    check(&abc, "aaaabbbbcccc", &[("-a ~b\ta", "aaccaaaacccc")]);
    check(&abc, "aaaabbbbcccc", &[("+d -d", "aaaabbbbcccc")]);
    // Ideals of 6.9, 3.4 and 1.7 slots, then 8 and 4, then as first: whoever holds more than the
    // rounded-down number is rounded up.
    check(
        &[("a", 1), ("b", 2), ("c", 1)],
        "aaabbbbbbccc",
        &[
            ("=a=4", "aaabbbbaacca"),
            ("=c=0", "aaabbbbaaaaa"),
            ("=c=1", "aaabbbbaaaac"),
        ],
    );
    // 2.4 slots each, and after the loss the first to join are rounded up.
    check(
        &[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)],
        "aabbbccdddee",
        &[("+f", "aabbfccddfee"), ("-f", "aabbaccddbee")],
    );
}

#[test]
fn a_table_without_weight_is_forgotten() {
    let abc = [("a", 1), ("b", 1), ("c", 1)];
    check(&abc, "aaaabbbbcccc", &[("+d", "aaadbbbdcccd")]);
    let mut cluster = cluster("slots:count=12", &["a".into(), "b".into(), "c".into()]);
    let all: Vec<Change> = ["-a", "-c", "=b=0"].map(|it| it.parse().unwrap()).into();
    cluster.apply(&all).unwrap();
    assert_eq!(cluster.route(b"key"), None);
    cluster.add("a").unwrap();
    cluster.set_weight("b", 1).unwrap();
    // `a` joined last and had all twelve, from which `b` then takes the last six.
    assert_eq!(table(&cluster, 12), "aaaaaabbbbbb");
}

#[test]
fn there_are_no_more_nodes_than_slots() {
    let mut full = cluster("slots:count=5", &nodes(5));
    assert_eq!(counts(&full, 5), [1; 5]);
    let err = full.add("one-more").unwrap_err();
    assert_eq!(err.kind(), ErrorKind::TooLarge);
    // Weights may leave nodes without a slot.
    full.set_weight("node2", 100).unwrap();
    assert_eq!(counts(&full, 5), [1, 0, 4, 0, 0]);
}

/// Slots follow the weights within one, at building and after each change, and the fewest move.
#[test]
fn weights_are_met_within_a_slot() {
    let weights = [1, 8, 0, 2, 5, 4];
    let weighted = weights.iter().enumerate();
    let weighted: Vec<_> = weighted
        .map(|(i, &it)| NodeSpec::new(format!("node{i}"), it))
        .collect();
    for text in ["slots", "slots-redis"] {
        let mut cluster = cluster(text, &weighted);
        let n_slots = if text == "slots" { 4096 } else { 16384 };
        for change in [
            "=node2=3",
            "-node1",
            "+node1=7",
            "~node1\tnode9",
            "=node4=0",
        ] {
            cluster.apply(&[change.parse().unwrap()]).unwrap();
            let total = cluster.nodes().total_weight() as f64;
            for (node, slots) in cluster.nodes().iter().zip(counts(&cluster, n_slots)) {
                let ideal = n_slots as f64 * f64::from(node.weight) / total;
                assert!(
                    (slots as f64 - ideal).abs() < 1.0,
                    "{change}: {slots} of {ideal}"
                );
            }
        }
    }
}
