//! Parameters, keys and changes at their limits.

use router::{Cluster, ErrorKind, KeyBuf, NodeId};

use super::{catalog, cluster, owners, place, published};

const BOTH: [&str; 2] = ["fixed-interval-java", "fixed-interval"];

#[track_caller]
fn check_refused(spec: &str, expected: &str) {
    let err = catalog().parse(spec).unwrap_err();
    assert_eq!(err.kind(), ErrorKind::Syntax, "{err}");
    assert!(err.to_string().contains(expected), "{err}");
}

#[test]
fn what_ends_the_program_is_refused() {
    for name in BOTH {
        let vnodes = "a whole number from 1 to 134217728";
        for value in ["0", "-1", "4294967295", "1.5", ""] {
            check_refused(&format!("{name}:vnodes={value}"), vnodes);
        }
        let start = "a whole number from -2147483648 to 2147483647";
        for value in ["-2147483649", "2147483648", "x"] {
            check_refused(&format!("{name}:start={value}"), start);
        }
        check_refused(&format!("{name}:weight=1"), "it takes: vnodes, start");
    }
}

#[test]
fn too_many_points_are_refused_before_they_are_laid() {
    for name in BOTH {
        let spec = catalog()
            .parse(&format!("{name}:vnodes=134217728"))
            .unwrap();
        let err = Cluster::build(&spec, &["a".into(), "b".into()]).unwrap_err();
        assert_eq!(err.kind(), ErrorKind::TooLarge, "{err}");
        assert!(err.to_string().starts_with("268435456 points"), "{err}");
    }
}

#[test]
fn every_parameter_changes_something() {
    for name in BOTH {
        let key_set: KeyBuf = (0..10_000).map(|i| format!("key-{i}")).collect();
        let three = |params: &str| {
            let router = cluster(&format!("{name}:{params}"), 3);
            let n_points = router.points().unwrap().len();
            (n_points, owners(&router, key_set.keys()))
        };
        let (few, few_owners) = three("vnodes=1");
        let (many, many_owners) = three("vnodes=160");
        assert_eq!((few, many), (3, 480), "{name}");
        assert_ne!(few_owners, many_owners, "{name}");
        assert_ne!(three("vnodes=160,start=5").1, many_owners, "{name}");
    }
}

#[test]
fn the_canonical_spec_shows_what_differs() {
    let shown = |spec: &str| catalog().parse(spec).unwrap().to_string();
    let default = "fixed-interval-java:start=-2147483647,vnodes=1500";
    assert_eq!(shown(default), "fixed-interval-java");
    let other = "fixed-interval:start=0,vnodes=900";
    assert_eq!(shown(other), "fixed-interval:vnodes=900,start=0");
}

#[test]
fn a_batch_in_any_order_answers_as_key_by_key() {
    for spec in [
        "fixed-interval-java",
        "fixed-interval",
        "fixed-interval-java:vnodes=1",
        "fixed-interval:vnodes=2,start=0",
    ] {
        let router = cluster(spec, 10);
        let mut keys: KeyBuf = (0..2000).map(|i| format!("{}", i * 7919 % 2003)).collect();
        for odd in [
            &b""[..],
            b"\0",
            b"\xff\xfe",
            "\u{1f600}".as_bytes(),
            b"7919",
        ] {
            keys.push(odd);
        }
        let singly: Vec<NodeId> = keys
            .keys()
            .iter()
            .map(|key| router.route(key).unwrap())
            .collect();
        assert_eq!(owners(&router, keys.keys()), singly, "{spec}");
    }
}

/// The high half of XXH3-64 as a signed number, with the points of the published program.
#[test]
fn the_common_hash_has_the_same_points() {
    let ours = cluster("fixed-interval", 10);
    let theirs = cluster("fixed-interval-java", 10);
    assert_eq!(ours.points(), theirs.points());
    assert_eq!(ours.shares(), theirs.shares());
    // XXH3-64 of the empty input is 2d06800538d394c2, by the reference implementation.
    let trace = ours.trace(b"").unwrap();
    assert_eq!(trace.key_hash.unwrap().to_string(), "755400709");
    assert_eq!(755_400_709, 0x2d06_8005);
    assert_eq!(trace.hash_evals, 1);
    assert_eq!(trace.batch_probes, 14.0, "halvings of 15,000 points");
}

#[test]
fn java_decodes_keys() {
    let ten = cluster("fixed-interval-java", 10);
    assert_eq!(place(&ten, b"\xff"), place(&ten, "\u{fffd}"));
    assert_eq!(place(&ten, "Aa"), place(&ten, "BB"));
}

/// After every change it answers as newly built from its present nodes in joining order.
#[test]
fn a_life_of_changes() {
    for name in BOTH {
        let spec = catalog().parse(&format!("{name}:vnodes=3")).unwrap();
        let keys: KeyBuf = (0..100).map(|i| format!("key-{i}")).collect();
        let check = |router: &Cluster| {
            let nodes: Vec<_> = router
                .nodes()
                .iter()
                .map(|node| node.name.to_string().into())
                .collect();
            let fresh = Cluster::build(&spec, &nodes).unwrap();
            for key in keys.keys().iter() {
                let shown = |it: &Cluster| {
                    it.route(key)
                        .map(|id| it.name(id).expect("present").to_owned())
                };
                assert_eq!(shown(router), shown(&fresh), "{name}");
            }
        };
        let start = ["shard-1".into(), "shard-2".into(), "shard-3".into()];
        let mut router = Cluster::build(&spec, &start).unwrap();
        let before = owners(&router, keys.keys());
        check(&router);
        router.add("shard-4").unwrap();
        check(&router);
        router.add("shard-5").unwrap();
        check(&router);
        router.remove("shard-4").unwrap();
        check(&router);
        router.remove("shard-5").unwrap();
        check(&router);
        assert_eq!(owners(&router, keys.keys()), before, "{name}: undone");

        for refused in [router.remove("shard-5"), router.remove("ghost")] {
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unknown);
        }
        let twice = router.add("shard-1").unwrap_err();
        assert_eq!(twice.kind(), ErrorKind::Duplicate);
        let weight = router.set_weight("shard-1", 2).unwrap_err();
        assert_eq!(weight.kind(), ErrorKind::NoWeights);
        assert_eq!(owners(&router, keys.keys()), before, "{name}: refused");

        router.replace("shard-2", "a").unwrap();
        check(&router);
        for node in ["shard-1", "a", "shard-3"] {
            router.remove(node).unwrap();
            check(&router);
        }
        assert_eq!(router.route(b"key-0"), None, "{name}: nobody is left");
        assert_eq!(router.points(), Some(Vec::new()), "{name}");
    }
}

/// A list in another order is another placement: the interval rule knows places, not names.
#[test]
fn the_order_of_the_nodes_decides() {
    let ab = published(1500, super::START, 2);
    let spec = ab.spec();
    let ba = Cluster::build(spec, &["1".into(), "0".into()]).unwrap();
    for i in 0..1000 {
        let key = format!("key-{i}");
        let name = |it: &Cluster| {
            it.name(it.route(key.as_bytes()).unwrap())
                .unwrap()
                .to_owned()
        };
        assert_ne!(name(&ab), name(&ba), "{key}");
    }
    assert!(!spec.capabilities().order_free);
    assert!(!spec.capabilities().minimal);
}
