//! Faults that users of other libraries reported in public, as far as they are a cluster's.
//! A report has the same number, T40 or the like, in the tests of all crates.

use router::{Cluster, ErrorKind, NodeId, NodeSpec};

use crate::routers::spec;

const ALL: [&str; 6] = [
    "rendezvous",
    "ring:vnodes=3",
    "modulo",
    "jump",
    "slots",
    "bounded",
];

#[track_caller]
fn build(text: &str, names: &[&str]) -> Cluster {
    let nodes: Vec<NodeSpec> = names.iter().map(|&name| name.into()).collect();
    Cluster::build(&spec(text), &nodes).expect("these are legal")
}

fn any_removal() -> impl Iterator<Item = &'static str> {
    ALL.into_iter()
        .filter(|text| spec(text).capabilities().any_removal)
}

fn owners(cluster: &Cluster, n_keys: usize) -> Vec<Option<NodeId>> {
    let keys = (0..n_keys).map(|i| format!("key-{i}"));
    keys.map(|key| cluster.route(key.as_bytes())).collect()
}

/// Owners by name, to compare clusters that were built apart.
fn by_name(cluster: &Cluster, n_keys: usize) -> Vec<Option<&str>> {
    let owners = owners(cluster, n_keys).into_iter();
    owners
        .map(|owner| owner.and_then(|id| cluster.name(id)))
        .collect()
}

/// T40: a look-up on an empty router panics.
#[test]
fn t40_an_empty_router_answers_nobody() {
    for text in ALL {
        let mut cluster = build(text, &[]);
        assert_eq!(
            (cluster.route(b"hello"), cluster.route(b"")),
            (None, None),
            "{text}"
        );
        assert!(
            cluster
                .preference(b"hello", 3)
                .is_none_or(|list| list.is_empty()),
            "{text}"
        );
        let err = cluster.remove("x").expect_err("it is not present");
        assert_eq!(err.kind(), ErrorKind::Unknown, "{text}");
        assert!(
            cluster.nodes().is_empty() && cluster.clone().nodes().is_empty(),
            "{text}"
        );
        cluster.add("a").expect("it is new");
        assert_eq!(cluster.route(b"hello"), cluster.id("a"), "{text}");
        cluster.remove("a").expect("it is present");
        assert_eq!(cluster.route(b"hello"), None, "{text}");
    }
}

/// T43: a removal panics after additions beyond the initial nodes.
#[test]
fn t43_nodes_leave_that_joined_later() {
    for text in any_removal() {
        let mut cluster = build(text, &["shard-1", "shard-2", "shard-3"]);
        let check = |cluster: &Cluster| {
            let names: Vec<&str> = cluster.nodes().iter().map(|node| &*node.name).collect();
            let owned = by_name(cluster, 100);
            assert_eq!(
                owned,
                by_name(&build(text, &names), 100),
                "{text}: {names:?}"
            );
            let live = |owner: &Option<&str>| match owner {
                Some(name) => names.contains(name),
                None => names.is_empty(),
            };
            assert!(owned.iter().all(live), "{text}: {names:?}");
        };
        check(&cluster);
        for name in ["shard-4", "shard-5"] {
            cluster.add(name).expect("it is new");
            check(&cluster);
        }
        for name in ["shard-4", "shard-5", "shard-1", "shard-2", "shard-3"] {
            cluster.remove(name).expect("it is present");
            check(&cluster);
        }
        assert_eq!(cluster.route(b"key-0"), None, "{text}");
    }
}

/// T47: a removal does not remove.
#[test]
fn t47_a_removed_node_owns_nothing_until_it_returns() {
    let names = ["localhost:12345", "localhost:12346", "localhost:12347"];
    for text in any_removal() {
        let mut cluster = build(text, &names);
        let start = owners(&cluster, 10_000);
        let gone = cluster.id(names[0]);
        cluster.remove(names[0]).expect("it is present");
        let without = owners(&cluster, 10_000);
        assert!(!without.contains(&gone), "{text}");
        let err = cluster.remove(names[0]).expect_err("it has left");
        assert_eq!(err.kind(), ErrorKind::Unknown, "{text}");
        assert_eq!(owners(&cluster, 10_000), without, "{text}");
        cluster.add(names[0]).expect("it has left");
        // Where joining order counts, it takes two more steps to stand first again.
        if !spec(text).capabilities().order_free {
            for name in &names[1..] {
                cluster.remove(name).expect("it is present");
                cluster.add(*name).expect("it has left");
            }
        }
        assert_eq!(owners(&cluster, 10_000), start, "{text}");
    }
}

/// T48: a node is added twice and removed once.
#[test]
fn t48_a_node_is_present_once() {
    for text in any_removal() {
        let mut cluster = build(text, &["a", "b"]);
        let two = owners(&cluster, 10_000);
        let err = cluster.add("a").expect_err("it is present");
        assert_eq!(err.kind(), ErrorKind::Duplicate, "{text}");
        assert_eq!(
            (cluster.nodes().len(), owners(&cluster, 10_000)),
            (2, two),
            "{text}"
        );
        cluster.remove("a").expect("it is present");
        let alone = owners(&cluster, 10_000);
        assert!(
            alone.iter().all(|owner| *owner == cluster.id("b")),
            "{text}"
        );
        assert_eq!(cluster.nodes().len(), 1, "{text}");
    }
    // Another weight for a node that is there is a change of its own.
    let mut cluster = build("ring", &["a", "b"]);
    let err = cluster
        .add(NodeSpec::new("a", 9))
        .expect_err("it is present");
    assert_eq!(err.kind(), ErrorKind::Duplicate);
    cluster.set_weight("a", 9).expect("it is present");
    assert_eq!(cluster.nodes()[0].weight, 9);
}

/// T49: an unknown node is removed.
#[test]
fn t49_an_unknown_node_cannot_leave() {
    for text in ALL {
        let mut cluster = build(text, &["a", "b", "c"]);
        let before = owners(&cluster, 10_000);
        for name in ["ghost", "", "a ", "A", "c\0"] {
            let err = cluster.remove(name).expect_err("it is not present");
            assert_eq!(err.kind(), ErrorKind::Unknown, "{text}: {err}");
            assert!(!err.is_unsupported(), "{text}: {err}");
        }
        assert_eq!(cluster.nodes().len(), 3, "{text}");
        assert_eq!(owners(&cluster, 10_000), before, "{text}");
    }
}
