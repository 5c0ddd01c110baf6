//! From one list of nodes to another, one change at a time.

use std::collections::HashMap;

use router::{Change, NodeSpec};

/// The single changes that make the nodes `before` those of `after`: who leaves, the last first, so
/// that a strategy that can only lose the last node can follow where any order would do; other
/// weights; who joins, in the order of `after`.
///
/// The joining order may then be another than in `after`: who stayed stands before who joined.
#[must_use]
pub fn difference(before: &[NodeSpec], after: &[NodeSpec]) -> Vec<Change> {
    let by_name = |nodes: &[NodeSpec]| -> HashMap<String, u32> {
        let pairs = nodes.iter().map(|node| (node.name.clone(), node.weight));
        pairs.collect()
    };
    let (old, new) = (by_name(before), by_name(after));
    let leave = before.iter().rev();
    let leave = leave.filter(|node| !new.contains_key(&node.name));
    let leave = leave.map(|node| Change::Remove(node.name.clone()));
    let weigh = after.iter();
    let weigh = weigh.filter(|node| old.get(&node.name).is_some_and(|&it| it != node.weight));
    let weigh = weigh.map(|node| Change::SetWeight(node.clone()));
    let join = after.iter().filter(|node| !old.contains_key(&node.name));
    let join = join.map(|node| Change::Add(node.clone()));
    leave.chain(weigh).chain(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::change_text;

    #[test]
    fn leave_weigh_join() {
        let nodes = |text: &str| -> Vec<NodeSpec> {
            let lines = text.split(' ').filter(|line| !line.is_empty());
            lines
                .map(|line| NodeSpec::from_line(&line.replace('*', "\t")).unwrap())
                .collect()
        };
        #[track_caller]
        fn check(before: &[NodeSpec], after: &[NodeSpec], expected: &[&str]) {
            let found = difference(before, after);
            let found: Vec<String> = found.iter().map(change_text).collect();
            assert_eq!(found, expected);
        }
        check(&nodes("a b c"), &nodes("c b a"), &[]);
        check(
            &nodes("a b*2 c d"),
            &nodes("x*3 b c*2 y"),
            &["-d", "-a", "=b=1", "=c=2", "+x=3", "+y"],
        );
        check(&nodes(""), &nodes("a"), &["+a"]);
    }
}
