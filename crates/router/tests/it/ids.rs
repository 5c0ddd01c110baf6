//! Ids, clones, and clusters without anybody.

use router::{Cluster, KeyBuf, NodeId, NodeSpec};

use crate::{
    cluster::{build, changes, names, owners},
    routers::spec,
};

#[test]
fn a_name_that_returns_has_its_old_id() {
    let mut cluster = build("modulo", &["a", "b", "c"]);
    let ids = ["a", "b", "c"].map(|name| cluster.id(name));
    assert_eq!(
        ids.map(|id| id.map(NodeId::get)),
        [Some(1), Some(2), Some(3)]
    );
    cluster.remove("b").expect("it is present");
    assert_eq!(cluster.id("b"), ids[1]);
    cluster.add("d").expect("it is new");
    cluster.add("b").expect("it has left");
    assert_eq!(cluster.id("b"), ids[1]);
    assert_eq!(cluster.id("d").map(NodeId::get), Some(4));
    assert_eq!(names(&cluster), ["a", "c", "d", "b"]);
    cluster.replace("a", "e").expect("e is new");
    cluster.replace("e", "a").expect("a has left");
    assert_eq!(cluster.id("a"), ids[0]);
    assert_eq!(cluster.id("never"), None);
}

#[test]
fn clones_never_give_one_id_to_two_names() {
    let mut one = build("ring", &["a", "b"]);
    let mut other = one.clone();
    one.add("x").expect("it is new");
    other.add("y").expect("it is new");
    other.add("z").expect("it is new");
    one.add("z").expect("it is new here");
    assert_ne!(one.id("x"), other.id("y"));
    assert_eq!(one.id("z"), other.id("z"));
    let mut ids: Vec<_> = ["a", "b", "x", "y", "z"]
        .iter()
        .map(|name| one.id(name))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5);
    assert!(ids.iter().all(Option::is_some));
    // Each has only its own members.
    assert_eq!(
        (names(&one), names(&other)),
        (vec!["a", "b", "x", "z"], vec!["a", "b", "y", "z"])
    );
    let y = one.id("y").expect("the clone had it");
    assert_eq!(one.name(y), None);
}

#[test]
fn a_clone_goes_its_own_way() {
    for text in ["rendezvous", "ring", "modulo", "jump", "slots", "bounded"] {
        let mut original = build(text, &["a", "b", "c"]);
        let before = owners(&original);
        let mut clone = original.clone();
        assert_eq!(owners(&clone), before, "{text}");
        clone
            .apply(&changes(&["-c", "-b"]))
            .expect("these are the last two");
        assert_eq!(owners(&original), before, "{text}");
        let alone = owners(&clone);
        original.add("d").expect("it is new");
        assert_eq!(owners(&clone), alone, "{text}");
        assert_eq!((original.nodes().len(), clone.nodes().len()), (4, 1));
    }
}

#[track_caller]
fn check_serves_nobody(cluster: &Cluster, replicas: bool, knows_load: bool) {
    assert!(!cluster.serves());
    for key in [&b""[..], b"hello", &[0xff; 1000]] {
        assert_eq!(cluster.route(key), None);
        assert_eq!(cluster.preference(key, 3), replicas.then(Vec::new));
        assert_eq!(cluster.trace(key), None);
    }
    let keys: KeyBuf = ["a", "b"].into_iter().collect();
    let untouched = NodeId::new(9).expect("it is not 0");
    let mut batch = [untouched; 2];
    assert!(!cluster.route_batch(keys.keys(), &mut batch));
    assert_eq!(batch, [untouched; 2]);
    let mut placed = [Some(untouched); 2];
    assert_eq!(
        cluster.assign(keys.keys(), &mut placed),
        knows_load.then_some(())
    );
    assert_eq!(placed, [None; 2]);
    assert_eq!(cluster.shares(), None);
    assert!(cluster.points().is_none_or(|points| points.is_empty()));
}

#[test]
fn an_empty_cluster_is_legal_and_answers_nobody() {
    for (text, replicas, knows_load) in [
        ("rendezvous", true, false),
        ("ring", true, false),
        ("modulo", false, false),
        ("jump", false, false),
        ("slots", false, false),
        ("bounded", true, true),
    ] {
        let mut cluster = build(text, &[]);
        check_serves_nobody(&cluster, replicas, knows_load);
        for _ in 0..2 {
            cluster.add("a").expect("it is not present");
            assert!(cluster.serves());
            assert_eq!(cluster.route(b"hello"), cluster.id("a"));
            cluster.remove("a").expect("it is");
            check_serves_nobody(&cluster, replicas, knows_load);
        }
    }
}

#[test]
fn a_cluster_without_weight_answers_nobody() {
    for text in ["rendezvous", "ring"] {
        let idle = ["a", "b", "c"].map(|name| NodeSpec::new(name, 0));
        let mut cluster = Cluster::build(&spec(text), &idle).expect("0 is legal");
        check_serves_nobody(&cluster, true, false);
        cluster.set_weight("b", 1).expect("it is present");
        assert!(
            owners(&cluster)
                .iter()
                .all(|owner| *owner == cluster.id("b"))
        );
        cluster.set_weight("b", 0).expect("it is present");
        check_serves_nobody(&cluster, true, false);
        assert_eq!(cluster.nodes().len(), 3);
    }
}
