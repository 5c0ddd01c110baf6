//! How much work is done: counted, not timed.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use point_hash::{xxh3, xxh3_seeded};
use ring_points::{Placement, Tie, Weights};
use router::{Cluster, Members, NodeId, Router, Step};
use vec_ring::VecRing;

use crate::world::{common, keys, nodes, owner_names};

/// A placement that counts what it is asked.
#[derive(Clone, Default, Debug)]
struct Counting {
    n_points: Arc<AtomicU64>,
    n_keys: Arc<AtomicU64>,
}

impl Counting {
    /// Points and keys hashed since the last time.
    fn take(&self) -> (u64, u64) {
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        (take(&self.n_points), take(&self.n_keys))
    }
}

impl Placement for Counting {
    type Position = u64;
    const TIE: Tie = Tie::SmallerName;

    fn hash(&self, key: &[u8]) -> u64 {
        self.n_keys.fetch_add(1, Ordering::Relaxed);
        xxh3(key)
    }

    fn n_points(&self, weight: u32, _: &Weights) -> u64 {
        100 * u64::from(weight)
    }

    fn points(&self, name: &str, n_points: u64, mut place: impl FnMut(u64)) {
        self.n_points.fetch_add(n_points, Ordering::Relaxed);
        for i in 0..n_points {
            place(xxh3_seeded(name.as_bytes(), i + 1));
        }
    }

    fn label(&self, name: &str, i: u64) -> String {
        format!("{name} (seed {})", i + 1)
    }
}

/// The members before a change and after it, and the newcomer.
fn before_and_after(n: usize) -> (Members, Members, NodeId) {
    let [_, mut cluster, ..] = common(1, &nodes(0..n));
    let before = cluster.nodes().clone();
    cluster.add("newcomer").unwrap();
    let newcomer = cluster.id("newcomer").unwrap();
    (before, cluster.nodes().clone(), newcomer)
}

/// T65: the hash that a user gave was stored and never used, or used for nodes and not for keys.
/// T68: every node that joined sorted everything again.
/// <https://github.com/ultrabug/uhashring/pull/8>,
/// <https://github.com/jeromefroe/hashring-rs/pull/21>
#[test]
fn a_change_hashes_the_points_of_the_nodes_it_names_and_a_look_up_one_key() {
    let (before, after, newcomer) = before_and_after(1000);
    let counting = Counting::default();
    let tree = || btree_ring::TreeRing::new(counting.clone(), btree_ring::Rule::AtOrAfter);
    let rings: [(Box<dyn Router>, u64); 2] = [
        // A few of many points are looked up where they are, in a tree always.
        (Box::new(VecRing::new(counting.clone())), 100),
        (Box::new(tree()), 100),
    ];
    for (mut ring, removal) in rings {
        ring.update(&before, &[]);
        assert_eq!(counting.take(), (100_000, 0), "building");
        ring.update(&after, &[Step::Add(newcomer)]);
        assert_eq!(counting.take(), (100, 0), "adding one");
        ring.route(b"key");
        assert_eq!(counting.take(), (0, 1), "a look-up");
        ring.preference(b"key", 3);
        assert_eq!(counting.take(), (0, 1), "a replica list");
        ring.update(&before, &[Step::Remove(newcomer)]);
        assert_eq!(counting.take(), (removal, 0), "removing it");
        let steps = [Step::Add(newcomer), Step::Remove(newcomer)];
        ring.update(&before, &steps);
        assert_eq!(counting.take(), (0, 0), "there and back");
    }
}

/// T64: the number of virtual nodes was accepted and ignored.
/// <https://github.com/vllm-project/router/issues/253>
#[test]
fn the_number_of_points_is_obeyed() {
    let nodes = nodes(["http://a:8000", "http://b:8000", "http://c:8000"]);
    let keys = keys(10_000);
    for (few, many) in common(1, &nodes).into_iter().zip(common(160, &nodes)) {
        assert_eq!(few.points().unwrap().len(), 3);
        assert_eq!(many.points().unwrap().len(), 480);
        let differ = owner_names(&few, &keys)
            .into_iter()
            .zip(owner_names(&many, &keys))
            .filter(|(few, many)| few != many)
            .count();
        assert!(differ > 2000, "{differ} of 10,000 keys");
    }
}

/// T69: the whole ring was built anew for every request, because the list of nodes was a new
/// object. The same membership again is no change, so the router is not even told.
/// <https://github.com/apache/dubbo/issues/5424>
#[test]
fn no_change_is_no_work() {
    let [_, mut cluster, ..] = common(100, &nodes(["a", "b"]));
    let unchanged = |cluster: &mut Cluster| {
        cluster.apply(&[]).unwrap();
        cluster.set_weight("a", 1).unwrap();
    };
    let before = cluster.points();
    unchanged(&mut cluster);
    assert_eq!(cluster.points(), before);
}
