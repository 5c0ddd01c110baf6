//! One cluster, many threads.

use std::{
    sync::{Arc, RwLock},
    thread::{self, ScopedJoinHandle},
};

use router::{Cluster, Router};

use crate::routers::spec;

fn cluster(text: &str, names: &[&str]) -> Cluster {
    let nodes: Vec<_> = names.iter().map(|&name| name.into()).collect();
    Cluster::build(&spec(text), &nodes).expect("these are legal")
}

fn key(i: usize) -> Vec<u8> {
    format!("key-{i}").into_bytes()
}

#[test]
fn routers_and_clusters_go_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<Cluster>();
    check::<Box<dyn Router>>();
    check::<router::Spec>();
    check::<router::Catalog>();
}

/// Trouble report T94: a reader sees one generation or the other, never a mix. Eight threads ask
/// for a million keys while another swaps the cluster under them.
#[test]
fn eight_threads_route_while_another_swaps_clusters() {
    const KEYS: usize = 125_000;
    let generations = [["a", "b", "c"], ["a", "b", "d"]];
    let generations = generations.map(|names| Arc::new(cluster("ring:vnodes=3", &names)));
    // The third id means c in one and d in the other, so names are compared.
    let name = |cluster: &Cluster, key: &[u8]| -> String {
        let owner = cluster.route(key).expect("it serves");
        cluster.name(owner).expect("it is present").to_owned()
    };
    let current = RwLock::new(Arc::clone(&generations[0]));
    let ask = |reader: usize| {
        for start in (0..KEYS).step_by(100) {
            let cluster = Arc::clone(&current.read().expect("nobody panics with the lock"));
            for i in start..start + 100 {
                let key = key(i + reader * KEYS);
                let owner = name(&cluster, &key);
                let allowed = generations.each_ref().map(|it| name(it, &key));
                assert!(allowed.contains(&owner), "{owner} is none of {allowed:?}");
            }
        }
    };
    thread::scope(|scope| {
        let ask = &ask;
        let readers: Vec<_> = (0..8)
            .map(|reader| scope.spawn(move || ask(reader)))
            .collect();
        for next in generations.iter().cycle() {
            *current.write().expect("nobody panics with the lock") = Arc::clone(next);
            thread::yield_now();
            if readers.iter().all(ScopedJoinHandle::is_finished) {
                break;
            }
        }
        for reader in readers {
            reader.join().expect("every answer is of one generation");
        }
    });
}

/// The same router, asked by eight threads at once.
#[test]
fn eight_threads_share_one_router() {
    for text in ["rendezvous", "ring", "modulo", "jump", "slots", "bounded"] {
        let cluster = cluster(text, &["a", "b", "c"]);
        let owners: Vec<_> = (0..2000).map(|i| cluster.route(&key(i))).collect();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for (i, owner) in owners.iter().enumerate() {
                        assert_eq!(cluster.route(&key(i)), *owner, "{text}");
                    }
                });
            }
        });
    }
}

#[test]
fn clones_change_on_their_own_threads() {
    let start = cluster("ring", &["a", "b", "c"]);
    let owners: Vec<_> = (0..500).map(|i| start.route(&key(i))).collect();
    thread::scope(|scope| {
        for number in 0..4 {
            let (mut clone, owners, start) = (start.clone(), &owners, &start);
            scope.spawn(move || {
                for round in 0..20 {
                    let name = format!("n{number}-{round}");
                    clone.add(name.as_str()).expect("it is new");
                    clone.remove(&name).expect("it is present");
                    for (i, owner) in owners.iter().enumerate() {
                        assert_eq!(clone.route(&key(i)), *owner, "undone in a clone");
                        assert_eq!(start.route(&key(i)), *owner, "untouched in the original");
                    }
                }
            });
        }
    });
    // 3 + 4 * 20 names, and every id was given once.
    let mut ids: Vec<u32> = (0..4)
        .flat_map(|number| (0..20).map(move |round| format!("n{number}-{round}")))
        .map(|name| start.id(&name).expect("a clone had it").get())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (4..84).collect::<Vec<u32>>());
}
