//! What a cluster checks once for all strategies, and what it tells its router.

use std::cell::RefCell;

use router::{
    Change, Cluster, Error, ErrorKind, Members, NodeId, NodeSpec, Router, Step, Strategy,
};

use crate::routers::{Modulo, RING, spec};

#[track_caller]
pub(crate) fn build(text: &str, nodes: &[&str]) -> Cluster {
    let nodes: Vec<NodeSpec> = nodes.iter().map(|&name| name.into()).collect();
    Cluster::build(&spec(text), &nodes).expect("these are legal")
}

pub(crate) fn changes(texts: &[&str]) -> Vec<Change> {
    let change = |text: &&str| text.parse().expect("the test spells it right");
    texts.iter().map(change).collect()
}

pub(crate) fn names(cluster: &Cluster) -> Vec<&str> {
    cluster.nodes().iter().map(|node| &*node.name).collect()
}

pub(crate) fn owners(cluster: &Cluster) -> Vec<Option<NodeId>> {
    let keys = (0..200).map(|i| format!("key-{i}"));
    keys.map(|key| cluster.route(key.as_bytes())).collect()
}

/// Checks that changes are refused for this reason and leave everything as it was.
#[track_caller]
fn check_refused(cluster: &mut Cluster, texts: &[&str], kind: ErrorKind, told: &str) -> Error {
    let (before, owned) = (cluster.nodes().to_vec(), owners(cluster));
    let err = match cluster.apply(&changes(texts)) {
        Ok(()) => panic!("{texts:?} of {cluster:?}: accepted"),
        Err(err) => err,
    };
    let message = err.to_string();
    assert_eq!(err.kind(), kind, "{texts:?}: {message}");
    assert!(
        message.contains(told) && !message.contains('\n'),
        "{texts:?}: {message}"
    );
    assert_eq!(cluster.nodes().to_vec(), before, "{texts:?}");
    assert_eq!(owners(cluster), owned, "{texts:?}");
    err
}

#[test]
fn changes_are_all_or_nothing() {
    let mut cluster = build("ring", &["a", "b", "c"]);
    let ghost = "there is no node \"ghost\"";
    for good in [
        &["+d"][..],
        &["-a"],
        &["=b=7"],
        &["~c\td"],
        &["+d", "-a", "=d=3", "~d\te"],
    ] {
        let texts = [good, &["-ghost"]].concat();
        check_refused(&mut cluster, &texts, ErrorKind::Unknown, ghost);
    }
    check_refused(
        &mut cluster,
        &["+d", "+d"],
        ErrorKind::Duplicate,
        "\"d\" is present already",
    );
    check_refused(&mut cluster, &["-a", "-a"], ErrorKind::Unknown, "\"a\"");
    check_refused(&mut cluster, &["~a\tb"], ErrorKind::Duplicate, "\"b\"");
    check_refused(&mut cluster, &["~a\ta"], ErrorKind::Duplicate, "\"a\"");
    check_refused(
        &mut cluster,
        &["~a\tx", "=a=1"],
        ErrorKind::Unknown,
        "\"a\"",
    );
    // What was only tried never had an id; the next newcomer gets the next number.
    assert_eq!((cluster.id("d"), cluster.id("x")), (None, None));
    cluster.add("e").expect("it is new");
    assert_eq!(cluster.id("e").map(NodeId::get), Some(4));
}

#[test]
fn a_list_with_a_fault_is_not_built() {
    let check = |text: &str, nodes: &[NodeSpec], kind: ErrorKind| {
        let err = Cluster::build(&spec(text), nodes).expect_err("it has a fault");
        assert_eq!(err.kind(), kind, "{text}: {err}");
    };
    check(
        "ring",
        &["a".into(), "b".into(), "a".into()],
        ErrorKind::Duplicate,
    );
    check("ring", &["a".into(), "".into()], ErrorKind::Name);
    check("ring", &["a".into(), "b\n".into()], ErrorKind::Name);
    check(
        "modulo",
        &["a".into(), NodeSpec::new("b", 2)],
        ErrorKind::NoWeights,
    );
    check("modulo", &[NodeSpec::new("b", 0)], ErrorKind::NoWeights);
    check("ring", &[NodeSpec::new("b", u32::MAX)], ErrorKind::TooLarge);
}

#[test]
fn changes_apply_in_order() {
    let mut cluster = build("ring", &["a", "b", "c"]);
    let a = cluster.id("a");
    cluster
        .apply(&changes(&["-a", "+a", "+d", "-d", "=b=2", "~c\td"]))
        .expect("all are legal");
    assert_eq!(names(&cluster), ["b", "d", "a"]);
    assert_eq!(cluster.id("a"), a);
    let weights: Vec<u32> = cluster.nodes().iter().map(|node| node.weight).collect();
    assert_eq!(weights, [2, 1, 1]);
    // Two names can change places.
    cluster
        .apply(&changes(&["~b\tx", "~d\tb", "~x\td"]))
        .expect("all are legal");
    assert_eq!(names(&cluster), ["d", "b", "a"]);
    cluster.apply(&[]).expect("nothing is legal");
    assert_eq!(names(&cluster), ["d", "b", "a"]);
}

#[test]
fn a_replacement_takes_place_and_weight() {
    let nodes = [
        NodeSpec::new("a", 1),
        NodeSpec::new("b", 5),
        NodeSpec::new("c", 2),
    ];
    let mut cluster = Cluster::build(&spec("ring"), &nodes).expect("these are legal");
    let before = owners(&cluster);
    let old = cluster.id("b");
    cluster.replace("b", "new").expect("new is new");
    assert_eq!(names(&cluster), ["a", "new", "c"]);
    assert_eq!(cluster.nodes()[1].weight, 5);
    let new = cluster.id("new");
    assert_ne!(new, old);
    for (from, to) in before.iter().zip(owners(&cluster)) {
        assert!(
            *from == to || *from == old || to == new,
            "{from:?} to {to:?}"
        );
    }
    cluster.replace("new", "b").expect("b has left");
    assert_eq!(
        cluster
            .nodes()
            .iter()
            .map(|it| it.weight)
            .collect::<Vec<_>>(),
        [1, 5, 2]
    );
    assert_eq!(owners(&cluster), before);
    // A router by place does not even notice the name.
    let mut cluster = build("jump", &["a", "b", "c"]);
    let before = owners(&cluster);
    let (old, _) = (
        cluster.id("a"),
        cluster.replace("a", "z").expect("z is new"),
    );
    let renamed = |id| if id == old { cluster.id("z") } else { id };
    assert_eq!(
        owners(&cluster),
        before.into_iter().map(renamed).collect::<Vec<_>>()
    );
}

#[test]
fn last_in_first_out() {
    let mut cluster = build("jump", &["a", "b", "c"]);
    for text in ["-a", "-b"] {
        let err = check_refused(
            &mut cluster,
            &[text],
            ErrorKind::OnlyLast,
            "joined last, \"c\"",
        );
        assert!(err.is_unsupported());
    }
    check_refused(&mut cluster, &["+d", "-c"], ErrorKind::OnlyLast, "\"d\"");
    check_refused(&mut cluster, &["-c", "-a"], ErrorKind::OnlyLast, "\"b\"");
    check_refused(&mut cluster, &["-ghost"], ErrorKind::Unknown, "\"ghost\"");
    cluster
        .apply(&changes(&["+d", "-d", "-c"]))
        .expect("always the last");
    assert_eq!(names(&cluster), ["a", "b"]);
    cluster
        .replace("a", "z")
        .expect("a replacement is no removal");
    cluster
        .apply(&changes(&["-b", "-z"]))
        .expect("always the last");
    assert_eq!(names(&cluster), [""; 0]);
}

#[test]
fn weights_other_than_1_need_a_strategy_that_takes_them() {
    let mut cluster = build("modulo", &["a", "b"]);
    for text in ["+c=2", "+c=0", "=a=2", "=a=0"] {
        let err = check_refused(&mut cluster, &[text], ErrorKind::NoWeights, "weight");
        assert!(err.is_unsupported());
        assert!(err.to_string().contains("modulo"), "{err}");
    }
    cluster
        .apply(&changes(&["=a=1", "+c=1"]))
        .expect("1 is what all have");
    let mut cluster = build("ring", &["a", "b"]);
    cluster
        .apply(&changes(&["+c=2", "=a=0", "=b=3"]))
        .expect("a ring takes weights");
    let owners = owners(&cluster);
    assert!(!owners.contains(&cluster.id("a")));
    assert_eq!(cluster.nodes().total_weight(), 5);
}

#[test]
fn limits_are_refused_with_their_numbers() {
    let names: Vec<String> = (0..25).map(|i| format!("n{i}")).collect();
    let nodes: Vec<NodeSpec> = names.iter().map(Into::into).collect();
    let err = Cluster::build(&spec("slots"), &nodes).expect_err("it holds 24");
    assert_eq!(err.kind(), ErrorKind::TooLarge);
    assert!(
        err.to_string().contains("slots holds at most 24 nodes"),
        "{err}"
    );
    let mut cluster = Cluster::build(&spec("slots"), &nodes[..24]).expect("it holds 24");
    check_refused(&mut cluster, &["+more"], ErrorKind::TooLarge, "at most 24");
    check_refused(
        &mut cluster,
        &["-n0", "+more", "+n0"],
        ErrorKind::TooLarge,
        "at most 24",
    );
    cluster
        .apply(&changes(&["-n0", "+more", "~n1\tn0"]))
        .expect("24 are there all the time");
    // 40 points a node and weight: the number is told before anything is allocated.
    let mut cluster = build("ring", &["a", "b"]);
    check_refused(
        &mut cluster,
        &["=a=4000000"],
        ErrorKind::TooLarge,
        "160000040 points",
    );
    check_refused(
        &mut cluster,
        &["+c=4294967295"],
        ErrorKind::TooLarge,
        "at most 134217728",
    );
}

#[test]
fn shares_stand_in_joining_order() {
    let nodes = [
        NodeSpec::new("a", 0),
        NodeSpec::new("b", 3),
        NodeSpec::new("c", 1),
    ];
    let mut cluster = Cluster::build(&spec("ring"), &nodes).expect("these are legal");
    let shares = cluster.shares().expect("a ring has shares");
    assert_eq!((shares.len(), shares[0]), (3, 0.0));
    assert!((shares[1] + shares[2] - 1.0).abs() < 1e-12 && shares[1] > shares[2]);
    cluster
        .apply(&changes(&["-b", "+b=3"]))
        .expect("both are legal");
    let again = cluster.shares().expect("a ring has shares");
    assert_eq!(again, [shares[0], shares[2], shares[1]]);
}

thread_local! {
    /// The steps of every update that a [`Spy`] of this thread was given.
    static TOLD: RefCell<Vec<Vec<Step>>> = const { RefCell::new(Vec::new()) };
}

#[derive(Clone, Default)]
struct Spy(Modulo);

impl Router for Spy {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        TOLD.with_borrow_mut(|told| told.push(steps.to_vec()));
        self.0.update(members, steps);
    }
    fn route(&self, key: &[u8]) -> NodeId {
        self.0.route(key)
    }
}

static SPY: Strategy = Strategy {
    name: "spy",
    params: &[],
    suite_params: "",
    check: |_, _, _| Ok(()),
    build: |_, _, _| Ok(Box::new(Spy::default())),
    ..RING
};

#[test]
fn a_router_is_told_what_led_here() {
    let catalog = router::Catalog::new([&SPY]).expect("it is one");
    let spec = catalog.parse("spy").expect("it is in the catalog");
    let told = || TOLD.with_borrow_mut(std::mem::take);
    let mut cluster = Cluster::build(&spec, &["a".into(), "b".into()]).expect("these are legal");
    let id = |n| NodeId::new(n).expect("it is not 0");
    assert_eq!(told(), [vec![]], "building is one update without steps");
    let all = changes(&["+c=2", "-a", "=b=3", "~c\td", "+a", "-a"]);
    cluster.apply(&all).expect("all are legal");
    let (old, new) = (id(3), id(4));
    let steps = vec![
        Step::Add(old),
        Step::Remove(id(1)),
        Step::SetWeight(id(2)),
        Step::Replace { old, new },
        Step::Add(id(1)),
        Step::Remove(id(1)),
    ];
    let named: Vec<_> = steps.iter().map(Step::nodes).collect();
    assert_eq!(told(), [steps], "all changes are one update");
    assert_eq!(
        named[1..4],
        [(id(1), None), (id(2), None), (old, Some(new))]
    );
    cluster.set_weight("b", 3).expect("it is present");
    cluster.apply(&[]).expect("nothing is legal");
    cluster.remove("ghost").expect_err("it is not present");
    assert!(told().is_empty(), "nothing changed, so nothing is told");
    drop(cluster.clone());
    assert!(told().is_empty(), "a clone is a copy, not a new building");
}
