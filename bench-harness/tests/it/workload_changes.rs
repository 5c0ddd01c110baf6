//! Scenarios: their names, and what they do to a cluster.
//!
//! Drawn nodes come from the same independent program as in `workload_lists`.

use std::collections::HashSet;

use bench_harness::workload::{LossOrder, Scenario, change_text, inverse, node_names, two_orders};
use router::{Change, NodeSpec};

fn nodes(seed: u64, n: usize) -> Vec<NodeSpec> {
    let names = node_names(seed, n);
    names.into_iter().map(NodeSpec::from).collect()
}

/// What a cluster does with changes, written as simply as can be; panics on what it would refuse.
fn applied(nodes: &[NodeSpec], batches: &[Vec<Change>]) -> Vec<NodeSpec> {
    let mut nodes = nodes.to_vec();
    let place = |nodes: &[NodeSpec], name: &str| {
        let found = nodes.iter().position(|node| node.name == name);
        found.unwrap_or_else(|| panic!("{name:?} is not present"))
    };
    let absent = |nodes: &[NodeSpec], name: &str| {
        assert!(
            nodes.iter().all(|node| node.name != name),
            "{name:?} is present"
        );
    };
    for change in batches.iter().flatten() {
        match change {
            Change::Add(node) => {
                absent(&nodes, &node.name);
                nodes.push(node.clone());
            }
            Change::Remove(name) => {
                nodes.remove(place(&nodes, name));
            }
            Change::SetWeight(node) => {
                let place = place(&nodes, &node.name);
                nodes[place].weight = node.weight;
            }
            Change::Replace { old, new } => {
                absent(&nodes, new);
                let place = place(&nodes, old);
                nodes[place].name.clone_from(new);
            }
        }
    }
    nodes
}

fn texts(batches: &[Vec<Change>]) -> Vec<String> {
    batches.iter().flatten().map(change_text).collect()
}

#[test]
fn names_are_those_of_the_tables() {
    let names: Vec<String> = Scenario::all().iter().map(Scenario::name).collect();
    assert_eq!(
        names.join(" "),
        "none lose-first lose-middle lose-last lose-random add replace replace-two rename rolling \
         add-10pct lose-10pct lose-30pct lose-50pct lose-10pct-lifo lose-30pct-lifo \
         lose-50pct-lifo lose-10pct-fifo lose-30pct-fifo lose-50pct-fifo weight-double curve-00 \
         curve-10 curve-20 curve-30 curve-40 curve-50 curve-60 curve-70 curve-80 curve-90 curve-95"
    );
    for scenario in Scenario::all() {
        assert_eq!(scenario.name().parse(), Ok(scenario));
    }
    for wrong in [
        "",
        "lose",
        "curve-5",
        "curve-15",
        "curve-0",
        "lose-20pct",
        "Add",
    ] {
        let err = wrong.parse::<Scenario>().unwrap_err().to_string();
        assert!(err.starts_with(&format!(
            "unknown change {wrong:?}; valid are: none, lose-first, "
        )));
    }
}

#[test]
fn changes_of_forty_nodes() {
    #[track_caller]
    fn check(name: &str, expected: &[&str]) {
        let scenario: Scenario = name.parse().unwrap();
        assert_eq!(
            texts(&scenario.changes(7, &nodes(7, 40))),
            expected,
            "{name}"
        );
    }
    check("none", &[]);
    check("curve-00", &[]);
    check("lose-first", &["-10.201.220.70:11211"]);
    check("lose-random", &["-10.80.7.186:11211"]);
    check(
        "lose-10pct",
        &[
            "-10.80.7.186:11211",
            "-10.2.166.5:11211",
            "-10.161.32.174:11211",
            "-10.205.229.233:11211",
        ],
    );
    check("add", &["+10.228.151.241:11211"]);
    check(
        "add-10pct",
        &[
            "+10.228.151.241:11211",
            "+10.26.185.236:11211",
            "+10.48.66.1:11211",
            "+10.195.231.196:11211",
        ],
    );
    check("replace", &["~10.80.7.186:11211\t10.228.151.241:11211"]);
    check(
        "replace-two",
        &["-10.80.7.186:11211", "+10.228.151.241:11211"],
    );
    check("rename", &["~10.80.7.186:11211\t10.80.7.186:11212"]);
    check("weight-double", &["=10.80.7.186:11211=2"]);
}

#[test]
fn places_are_those_of_the_names() {
    let nodes = ["a", "b", "c", "d", "e"].map(NodeSpec::from);
    #[track_caller]
    fn check(nodes: &[NodeSpec], name: &str, expected: &[&str]) {
        let scenario: Scenario = name.parse().unwrap();
        assert_eq!(texts(&scenario.changes(3, nodes)), expected, "{name}");
    }
    check(&nodes, "lose-first", &["-a"]);
    check(&nodes, "lose-middle", &["-c"]);
    check(&nodes, "lose-last", &["-e"]);
    // 2.5 nodes are 3, 0.5 are 1.
    check(&nodes, "lose-50pct-lifo", &["-e", "-d", "-c"]);
    check(&nodes, "lose-50pct-fifo", &["-a", "-b", "-c"]);
    check(&nodes, "lose-10pct-fifo", &["-a"]);
    check(&nodes[..4], "lose-middle", &["-c"]);
    check(&nodes[..4], "lose-30pct-fifo", &["-a"]);
    check(&nodes[..1], "lose-middle", &["-a"]);
}

#[test]
fn every_scenario_can_be_applied_and_undone() {
    for n in [0, 1, 2, 10, 101] {
        for seed in 0..5 {
            let mut before = nodes(seed, n);
            for (i, node) in (0..).zip(&mut before) {
                node.weight = i % 4;
            }
            for scenario in Scenario::all() {
                let batches = scenario.changes(seed, &before);
                assert!(batches.iter().all(|batch| !batch.is_empty()), "{scenario}");
                let after = applied(&before, &batches);
                let undone = applied(&after, &inverse(&batches, &before));
                let by_name = |nodes: &[NodeSpec]| {
                    let mut nodes = nodes.to_vec();
                    nodes.sort_by(|a, b| a.name.cmp(&b.name));
                    nodes
                };
                assert_eq!(by_name(&undone), by_name(&before), "{scenario}, {n} nodes");
            }
        }
    }
}

#[test]
fn as_many_nodes_come_and_go_as_named() {
    #[track_caller]
    fn check(name: &str, n: usize, n_after: usize, n_common: usize) {
        let scenario: Scenario = name.parse().unwrap();
        let before = nodes(4, n);
        let after = applied(&before, &scenario.changes(4, &before));
        assert_eq!(after.len(), n_after, "{name}");
        let old: HashSet<&str> = before.iter().map(|node| &*node.name).collect();
        let common = after
            .iter()
            .filter(|node| old.contains(&*node.name))
            .count();
        assert_eq!(common, n_common, "{name}");
    }
    check("add", 10, 11, 10);
    check("add", 0, 1, 0);
    check("replace", 10, 10, 9);
    check("replace-two", 10, 10, 9);
    check("rename", 10, 10, 9);
    check("rolling", 40, 40, 0);
    check("weight-double", 10, 10, 10);
    check("add-10pct", 100, 110, 100);
    check("add-10pct", 4, 5, 4);
    check("lose-30pct", 1000, 700, 700);
    check("lose-50pct", 1, 0, 0);
    check("curve-00", 1000, 1000, 1000);
    check("curve-95", 1000, 50, 50);
}

#[test]
fn rolling_replaces_one_node_a_batch_in_joining_order() {
    let before = nodes(2, 40);
    let batches = Scenario::Rolling.changes(2, &before);
    assert_eq!(batches.len(), 40);
    for (node, batch) in before.iter().zip(&batches) {
        assert!(matches!(&batch[..], [Change::Replace { old, .. }] if *old == node.name));
    }
}

#[test]
fn larger_losses_contain_smaller_ones() {
    let nodes = nodes(6, 1000);
    let mut smaller: Vec<Change> = Vec::new();
    for percent in [10, 20, 30, 50, 90, 95] {
        let lost = Scenario::Curve(percent).changes(6, &nodes).concat();
        assert_eq!(lost.len(), 10 * percent as usize);
        assert!(lost.starts_with(&smaller));
        smaller = lost;
    }
    let one = Scenario::LoseRandom.changes(6, &nodes).concat();
    assert!(smaller.starts_with(&one));
    let half = Scenario::LosePercent(50, LossOrder::Random).changes(6, &nodes);
    assert_eq!(half, Scenario::Curve(50).changes(6, &nodes));
    assert_ne!(half, Scenario::Curve(50).changes(7, &nodes));
}

#[test]
fn replacements_keep_the_weight() {
    let nodes = [NodeSpec::new("a", 7)];
    for scenario in [Scenario::Replace, Scenario::ReplaceTwo, Scenario::Rename] {
        let after = applied(&nodes, &scenario.changes(1, &nodes));
        assert_eq!(after[0].weight, 7, "{scenario}");
    }
    let doubled = applied(&nodes, &Scenario::WeightDouble.changes(1, &nodes));
    assert_eq!(doubled, [NodeSpec::new("a", 14)]);
}

#[test]
fn newcomers_pass_by_names_that_are_present() {
    let mut names = node_names(3, 5);
    let free = names.remove(2);
    let nodes: Vec<NodeSpec> = names.into_iter().map(NodeSpec::from).collect();
    assert_eq!(
        texts(&Scenario::Add.changes(3, &nodes)),
        [format!("+{free}")]
    );
}

#[test]
fn renaming_changes_the_port_of_any_name() {
    #[track_caller]
    fn check(names: &[&str], expected: &str) {
        let nodes: Vec<NodeSpec> = names.iter().map(|&name| name.into()).collect();
        // The seeds at which the first node is the one that is drawn.
        let renamed = (0..100)
            .map(|seed| applied(&nodes, &Scenario::Rename.changes(seed, &nodes)))
            .find(|after| after[0] != nodes[0]);
        assert_eq!(renamed.expect("each is drawn once")[0].name, expected);
    }
    check(&["10.0.0.1:11211"], "10.0.0.1:11212");
    check(&["10.0.0.1:11211", "10.0.0.1:11212"], "10.0.0.1:11213");
    check(&["[2001:db8::1]:11211"], "[2001:db8::1]:11212");
    check(&["[2001:db8::1]"], "[2001:db8::1]:11212");
    check(&["alpha"], "alpha:11212");
    let long = "ł".repeat(127);
    check(&[&long], &format!("{}:11212", "ł".repeat(122)));
}

#[test]
fn two_orders_remove_the_same_nodes() {
    for (n, n_lost) in [(0, 0), (1, 1), (2, 2), (10, 2), (100, 10)] {
        let nodes = nodes(8, n);
        let [there, back] = two_orders(8, &nodes, 10);
        assert_eq!(there.len(), n_lost);
        assert!(there.iter().eq(back.iter().rev()));
        assert_eq!(there == back, n_lost < 2);
        applied(&nodes, &[back]);
    }
}

#[test]
fn change_texts_are_read_back() {
    for change in [
        Change::Add("a".into()),
        Change::Add(NodeSpec::new("a", 0)),
        Change::Add("a=b".into()),
        Change::Remove("a=b".to_owned()),
        Change::SetWeight(NodeSpec::new("a=b", u32::MAX)),
        Change::SetWeight("a".into()),
        Change::Replace {
            old: "a b".to_owned(),
            new: "[::1]:1".to_owned(),
        },
    ] {
        assert_eq!(change_text(&change).parse::<Change>().unwrap(), change);
    }
}
