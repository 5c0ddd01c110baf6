//! Known answers, and what a look-up looks at. That every key has the owner that halving gives it is
//! tested by the tests of `ring-points`.

use router::{Catalog, Cluster, NodeSpec};

fn cluster(spec: &str, n: usize) -> Cluster {
    let catalog = Catalog::new(indexed_ring::STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = (0..n).map(|i| format!("node-{i}").into()).collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

/// The owner is that of the first point at or after the key, found by looking at all points.
#[test]
fn owners_are_those_of_the_next_point() {
    for (spec, n) in [
        ("indexed-ring", 1),
        ("indexed-ring", 10),
        ("indexed-ring:vnodes=1", 5),
    ] {
        let ring = cluster(spec, n);
        let points = ring.points().unwrap();
        for i in 0..2000 {
            let key = format!("key-{i}");
            let trace = ring.trace(key.as_bytes()).unwrap();
            let hash = trace.key_hash.unwrap();
            let next = points
                .iter()
                .find(|it| it.position >= hash)
                .unwrap_or(&points[0]);
            assert_eq!(
                ring.route(key.as_bytes()),
                Some(next.owner),
                "{spec}, {key}"
            );
            assert_eq!(trace.point, Some(next.position));
            assert_eq!(trace.label.as_ref(), Some(&next.label));
        }
    }
}

/// A bucket and four points for nearly all keys, whatever the number of points; more for the others.
#[test]
fn a_look_up_looks_at_a_handful_of_points() {
    for n in [10, 100, 1000] {
        let ring = cluster("indexed-ring", n);
        let probes: Vec<u32> = (0..5000)
            .map(|i| ring.trace(format!("key-{i}").as_bytes()).unwrap().probes)
            .collect();
        let n_five = probes.iter().filter(|&&it| it == 5).count();
        assert!(n_five > 4500, "{n_five} of 5000");
        assert!(probes.iter().all(|&it| (2..=1 + 4 + 17).contains(&it)));
        let mean = f64::from(probes.iter().sum::<u32>()) / 5000.0;
        assert!((5.0..5.6).contains(&mean), "{mean} with {n} nodes");
    }
}
