//! Points that several nodes share.

use std::collections::HashSet;

use point_hash::xxh3;
use router::{Change, Cluster, NodeSpec};

use crate::world::{
    FIRST, LAST, Made, NAME, assert_same, keys, nodes, owner_names, rebuilt, rings,
};

/// T02: on a ring of ten positions the node added second overwrote the first one's points, and
/// removing one erased what the other needed.
/// <https://github.com/pragmaticalabs/pragmatica/issues/1324>
#[test]
fn a_node_that_leaves_takes_no_point_of_another_along() {
    fn check<const TIE: usize>() {
        for mut cluster in rings::<u64, TIE>("ten", 100, &nodes(["nodeA", "nodeB"])) {
            assert_eq!(cluster.points().unwrap().len(), 10, "all ten positions");
            cluster.remove("nodeA").unwrap();
            let owners = owner_names(&cluster, &keys(1000));
            assert!(owners.iter().all(|&owner| owner == "nodeB"), "{cluster:?}");
            assert_eq!(cluster.points().unwrap().len(), 10);
            cluster.remove("nodeB").unwrap();
            assert_eq!(cluster.route(b"key-0"), None);
            assert_eq!(cluster.points().unwrap().len(), 0);
        }
    }
    check::<FIRST>();
    check::<LAST>();
    check::<NAME>();
}

/// T05: the sort looked at the points alone, so equal points were owned by whoever the sorting
/// algorithm put first, and two clients disagreed.
/// <https://github.com/awesomized/libmemcached/issues/41>
#[test]
fn the_tie_rule_alone_decides_when_every_point_is_shared() {
    #[track_caller]
    fn check_owner(cluster: &Cluster, keeper: &str) {
        let owners = owner_names(cluster, &keys(100));
        assert!(owners.iter().all(|&owner| owner == keeper), "{cluster:?}");
        let points = cluster.points().unwrap();
        assert_eq!(points.len(), 1);
        assert_eq!(points[0].label, format!("{keeper}-0"));
    }
    fn check<const TIE: usize>(keeps: impl Fn(&[&str]) -> String) {
        let orders = [
            ["a", "b", "c"],
            ["a", "c", "b"],
            ["b", "a", "c"],
            ["b", "c", "a"],
            ["c", "a", "b"],
            ["c", "b", "a"],
        ];
        for order in orders {
            let without_a: Vec<&str> = order.into_iter().filter(|&it| it != "a").collect();
            for mut cluster in rings::<u64, TIE>("seven", 3, &nodes(order)) {
                check_owner(&cluster, &keeps(&order));
                cluster.remove("a").unwrap();
                check_owner(&cluster, &keeps(&without_a));
            }
        }
    }
    check::<NAME>(|present| present.iter().min().unwrap().to_string());
    check::<FIRST>(|present| present[0].to_owned());
    check::<LAST>(|present| present[present.len() - 1].to_owned());
}

/// T06: a ring of 16 bits lost points to collisions, and after a rebalance some keys had no owner.
/// <https://github.com/graphite-project/carbon/issues/485>
#[test]
fn a_narrow_ring_shows_its_collisions_and_loses_no_key() {
    let names: Vec<String> = (0..30).map(|i| format!("n{i}")).collect();
    let labels = names
        .iter()
        .flat_map(|name| (0..100).map(move |i| format!("{name}-{i}")));
    let positions: HashSet<u64> = labels
        .map(|label| xxh3(label.as_bytes()) & 0xffff)
        .collect();
    // 3000 labels lose 67.6 to collisions in the mean, with a standard deviation of about 8.
    assert!((2890..2975).contains(&positions.len()));
    let keys = keys(10_000);
    for mut cluster in rings::<u64, NAME>("sixteen", 100, &nodes(&names)) {
        assert_eq!(cluster.points().unwrap().len(), positions.len());
        let unchanged = cluster.clone();
        let before = owner_names(&unchanged, &keys);
        for name in &names {
            cluster.remove(name).unwrap();
            assert!(!owner_names(&cluster, &keys).contains(&name.as_str()));
            cluster.add(name.as_str()).unwrap();
            assert_same(&owner_names(&cluster, &keys), &before, name);
        }
    }
}

/// The rule behind all of them: whatever happened, a ring answers as one newly built from its
/// present nodes in joining order, in all it can be asked.
#[test]
fn after_any_changes_a_ring_is_as_newly_built() {
    /// `n_more` nodes stay all the time, so that few of all points change.
    fn check<T: Made, const TIE: usize>(hash: &str, vnodes: u32, n_more: usize, seed: u64) {
        let mut draw = Draw(seed);
        let more = (0..n_more).map(|i| format!("bystander{i}"));
        let at_first: Vec<String> = ["a", "b", "c"]
            .map(str::to_owned)
            .into_iter()
            .chain(more)
            .collect();
        let mut clusters = rings::<T, TIE>(hash, vnodes, &nodes(at_first));
        let keys = keys(60);
        for _ in 0..if n_more == 0 { 150 } else { 10 } {
            let changes: Vec<Change> = draw.changes(&clusters[0]);
            for cluster in &mut clusters {
                cluster.apply(&changes).unwrap();
                if cluster.serves() {
                    same(cluster, &rebuilt(cluster), &keys, &changes);
                }
            }
            let [scan, others @ ..] = &clusters;
            if scan.serves() {
                others.iter().for_each(|it| same(scan, it, &keys, &changes));
            }
        }
    }
    for seed in 0..4 {
        check::<u64, FIRST>("few", 3, 0, seed);
        check::<u64, NAME>("few", 3, 0, seed);
        check::<i32, LAST>("few", 3, 0, seed);
    }
    check::<u64, FIRST>("ten", 100, 0, 4);
    check::<u64, NAME>("seven", 3, 0, 5);
    check::<i32, LAST>("seven", 3, 0, 6);
    check::<u64, FIRST>("few", 2, 100, 7);
    check::<i32, LAST>("few", 2, 100, 8);
    check::<u64, NAME>("sixteen", 20, 100, 9);
    check::<u32, FIRST>("sixteen", 20, 100, 10);
}

/// Whether two clusters answer alike, by name.
#[track_caller]
fn same(one: &Cluster, other: &Cluster, keys: &router::KeyBuf, changes: &[Change]) {
    let because = format!("{one:?} and {other:?} after {changes:?}");
    assert_eq!(
        owner_names(one, keys),
        owner_names(other, keys),
        "{because}"
    );
    for key in keys.keys().iter().take(8) {
        let preference = |cluster: &Cluster| -> Vec<String> {
            let owners = cluster.preference(key, 9).unwrap().into_iter();
            owners
                .map(|owner| cluster.name(owner).unwrap().to_owned())
                .collect()
        };
        assert_eq!(preference(one), preference(other), "{because}");
    }
    let points = |cluster: &Cluster| -> Vec<(String, String)> {
        let points = cluster.points().unwrap().into_iter();
        points
            .map(|point| {
                let owner = cluster.name(point.owner).unwrap();
                (
                    point.position.to_string(),
                    format!("{owner} {}", point.label),
                )
            })
            .collect()
    };
    assert_eq!(points(one), points(other), "{because}");
    assert_eq!(one.shares(), other.shares(), "{because}");
}

/// Draws changes, the same for every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = xxh3(&self.0.to_le_bytes());
        usize::try_from(self.0 % n as u64).unwrap()
    }

    /// One to three changes that this cluster accepts.
    fn changes(&mut self, cluster: &Cluster) -> Vec<Change> {
        let mut cluster = cluster.clone();
        let mut changes = Vec::new();
        for _ in 0..=self.below(3) {
            // Bystanders have longer names.
            let names = cluster.nodes().iter().map(|it| it.name.to_string());
            let present: Vec<String> = names.filter(|name| name.len() == 1).collect();
            let away = ["a", "b", "c", "d", "e", "f"]
                .into_iter()
                .map(str::to_owned);
            let away: Vec<String> = away.filter(|name| !present.contains(name)).collect();
            let weight = u32::try_from(self.below(3)).unwrap();
            let change = match self.below(4) {
                0 if !away.is_empty() => {
                    Change::Add(NodeSpec::new(&away[self.below(away.len())], weight))
                }
                1 if !present.is_empty() => {
                    Change::Remove(present[self.below(present.len())].clone())
                }
                2 if !present.is_empty() => {
                    Change::SetWeight(NodeSpec::new(&present[self.below(present.len())], weight))
                }
                3 if !present.is_empty() && !away.is_empty() => Change::Replace {
                    old: present[self.below(present.len())].clone(),
                    new: away[self.below(away.len())].clone(),
                },
                _ => continue,
            };
            cluster.apply(std::slice::from_ref(&change)).unwrap();
            changes.push(change);
        }
        changes
    }
}

/// A replica list is what is left as nodes leave one by one: the next in it has the key, also where
/// points are shared.
#[test]
fn the_next_in_the_list_has_the_key_when_its_node_leaves() {
    fn check<const TIE: usize>(hash: &str) {
        for cluster in rings::<u64, TIE>(hash, 3, &nodes(["a", "b", "c", "d"])) {
            for key in keys(40).keys().iter() {
                let list = cluster.preference(key, 4).unwrap();
                let mut left = cluster.clone();
                for &owner in &list {
                    assert_eq!(left.route(key), Some(owner), "{cluster:?}");
                    left.remove(cluster.name(owner).unwrap()).unwrap();
                }
                assert_eq!(list.len(), 4, "all nodes have points");
            }
        }
    }
    for hash in ["few", "seven"] {
        check::<FIRST>(hash);
        check::<LAST>(hash);
        check::<NAME>(hash);
    }
}
