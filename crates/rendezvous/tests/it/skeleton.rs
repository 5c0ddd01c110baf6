//! The tree of clusters: known answers, its shape, and what a reshape moves.

use point_hash::{rehash, xxh3, xxh3_seeded};
use rendezvous::score::score;
use router::{Cluster, Estimate, KeyBuf, Question};

use crate::{cluster, names, owners, preference};

/// Checks the first four of `node-0` to `node-10` in clusters of 2 for a key, and of the same after 3 and
/// 4 left and `new` took place 3. From the definition written in Python over its `xxhash` package.
#[track_caller]
fn check(key: &str, before: &str, after: &str) {
    let mut cluster = cluster("rendezvous-skeleton:cluster=2", &names("node-", 11));
    let first_four = |cluster: &Cluster| {
        let all = preference(cluster, key);
        all.split(' ').take(4).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(first_four(&cluster), before, "{key:?}");
    cluster.remove("node-4").unwrap();
    cluster.remove("node-3").unwrap();
    cluster.add("new").unwrap();
    assert_eq!(first_four(&cluster), after, "{key:?}");
}

#[test]
fn known_answers() {
    check(
        "",
        "node-0 node-8 node-4 node-2",
        "node-0 node-8 node-2 node-6",
    );
    check(
        "a",
        "node-7 node-3 node-9 node-5",
        "node-7 new node-9 node-5",
    );
    check(
        "user0",
        "node-2 node-6 node-10 node-0",
        "node-2 node-6 node-10 node-0",
    );
    check(
        "user1",
        "node-3 node-7 node-1 node-5",
        "node-7 new node-1 node-5",
    );
    check(
        "user2",
        "node-1 node-5 node-9 node-7",
        "node-1 node-5 node-9 node-7",
    );
    check(
        "user3",
        "node-7 node-3 node-1 node-5",
        "node-7 new node-1 node-5",
    );
    check(
        "node-3",
        "node-1 node-9 node-5 node-3",
        "node-1 node-9 node-5 new",
    );
}

/// Goes down by the rule, with remainders alone: no table, no tree. `places` are nodes or holes.
fn by_the_rule<'a>(places: &[Option<&'a str>], m: u64, key: &[u8]) -> &'a str {
    let n = places.iter().flatten().count() as u64;
    let clusters = (n / m).max(1);
    let complete = clusters.ilog2();
    let hash = xxh3(key);
    let below = |depth: u32, residue: u64| {
        let places = (0..).zip(places);
        let here = places.filter(move |(place, _)| place % (1_u64 << depth) == residue);
        here.filter_map(|(_, node)| *node).collect::<Vec<_>>()
    };
    let (mut depth, mut residue) = (0, 0);
    loop {
        let split = residue + (1 << complete) < clusters;
        if depth > complete || (depth == complete && !split) {
            break;
        }
        let sides = [residue, residue + (1 << depth)];
        depth += 1;
        let alive = sides
            .into_iter()
            .filter(|&side| !below(depth, side).is_empty());
        let score_of = |side: &u64| score(hash, rehash(0, (1 << depth) + side));
        residue = alive.max_by_key(score_of).unwrap();
    }
    let score_of = |name: &&str| score(hash, xxh3_seeded(name.as_bytes(), 1));
    below(depth, residue)
        .into_iter()
        .max_by_key(score_of)
        .unwrap()
}

/// Every number of nodes, so that every shape of the tree happens; then random ones leave and come, so
/// that clusters become crowded and empty.
#[test]
fn the_tree_finds_what_the_rule_says() {
    let keys: KeyBuf = names("key-", 60).iter().collect();
    let check = |cluster: &Cluster, places: &[Option<&str>], m: u64| {
        for (key, owner) in keys.keys().iter().zip(owners(cluster, &keys)) {
            assert_eq!(&*owner, by_the_rule(places, m, key), "{m}, {places:?}");
        }
    };
    let names = names("node-", 40);
    for m in [1, 2, 3, 8] {
        let spec = format!("rendezvous-skeleton:cluster={m}");
        for n in 1..=names.len() {
            let places: Vec<Option<&str>> = names[..n].iter().map(|it| Some(it.as_str())).collect();
            check(&cluster(&spec, &names[..n]), &places, m);
        }
        let mut cluster = cluster(&spec, &names);
        let mut places: Vec<Option<&str>> = names.iter().map(|it| Some(it.as_str())).collect();
        // Whole residue classes leave, the highest places among them, then some come back.
        for place in (0..40).filter(|it| it % 4 == 1 || it % 8 == 6 || *it > 33) {
            cluster.remove(&names[place]).unwrap();
            places[place] = None;
            check(&cluster, &places, m);
        }
        for i in 0..6 {
            let free = places.iter().position(Option::is_none).unwrap();
            let name = names[33 - 4 * i].as_str();
            cluster.add(name).unwrap();
            places[free] = Some(name);
            check(&cluster, &places, m);
        }
        cluster.replace("node-8", "other").unwrap();
        places[8] = Some("other");
        check(&cluster, &places, m);
    }
}

/// While the number of clusters stays, only the cluster that a node joins or leaves is touched.
#[test]
fn a_change_within_the_shape_moves_nothing_else() {
    let keys: KeyBuf = names("key-", 3000).iter().collect();
    // 41 to 47 nodes in clusters of 8: 5 clusters.
    let mut cluster = cluster("rendezvous-skeleton", &names("node-", 41));
    let mut check = |joins: bool, name: &str| {
        let before = owners(&cluster, &keys);
        match joins {
            true => cluster.add(name).unwrap(),
            false => cluster.remove(name).unwrap(),
        }
        for (from, to) in before.iter().zip(owners(&cluster, &keys)) {
            let touched = if joins { &*to } else { &**from };
            assert!(*from == to || touched == name, "{from} to {to}, {name}");
        }
    };
    for i in 0..6 {
        check(true, &format!("new{i}"));
    }
    for name in ["node-7", "new3", "node-0", "node-40", "new5", "node-20"] {
        check(false, name);
    }
}

/// Who comes back takes the lowest hole, which need not be its own: the past decides.
#[test]
fn the_past_decides_who_holds_which_place() {
    let keys: KeyBuf = names("key-", 500).iter().collect();
    let mut cluster = cluster("rendezvous-skeleton:cluster=2", &names("node-", 12));
    let before = owners(&cluster, &keys);
    for name in ["node-3", "node-4"] {
        cluster.remove(name).unwrap();
    }
    let mut swapped = cluster.clone();
    for (cluster, order) in [
        (&mut cluster, ["node-3", "node-4"]),
        (&mut swapped, ["node-4", "node-3"]),
    ] {
        for name in order {
            cluster.add(name).unwrap();
        }
    }
    assert_eq!(
        owners(&cluster, &keys),
        before,
        "each in its own place again"
    );
    assert_ne!(owners(&swapped, &keys), before, "each in the other's");
    let capabilities = cluster.spec().capabilities();
    assert!(!capabilities.history_free && !capabilities.order_free && !capabilities.minimal);
}

fn stated(m: u64, question: Question) -> Option<Estimate> {
    let spec = format!("rendezvous-skeleton:cluster={m}");
    cluster(&spec, &["a"]).spec().expected(question)
}

#[test]
fn shares_and_work_are_as_stated() {
    for m in [1, 3, 8] {
        for n in [1, 2, 7, 8, 9, 16, 17, 40, 100, 300] {
            let cluster = cluster(
                &format!("rendezvous-skeleton:cluster={m}"),
                &names("node", n),
            );
            let shares: Vec<f64> = cluster
                .shares()
                .unwrap()
                .iter()
                .map(|it| it * n as f64)
                .collect();
            let variance = shares.iter().map(|it| (it - 1.0).powi(2)).sum::<f64>() / n as f64;
            let peak = shares.iter().copied().fold(0.0, f64::max);
            let n = n as u64;
            let of = |question| stated(m, question).unwrap();
            assert!(
                (of(Question::ShareVariance { n }).mean - variance).abs() < 1e-9,
                "{m}, {n}"
            );
            assert!(
                (of(Question::Peak { n }).mean - peak).abs() < 1e-9,
                "{m}, {n}"
            );
            // Means over 2,000 keys, within 5 standard errors.
            let traces: Vec<_> = names("key-", 2000)
                .iter()
                .map(|key| cluster.trace(key.as_bytes()).unwrap())
                .collect();
            assert!(traces.iter().all(|it| it.hash_evals == it.probes + 1));
            let probes: Vec<f64> = traces.iter().map(|it| it.probes.into()).collect();
            check_mean(&probes, of(Question::Probes { n }).mean);
            let hashes = of(Question::HashEvals { n }).mean;
            assert_eq!(hashes, of(Question::Probes { n }).mean + 1.0);
        }
    }
}

/// A mean lies within 5 standard errors but once in a million; the names are fixed, so it either always
/// does or never.
#[track_caller]
fn check_mean(values: &[f64], expected: f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    assert!(
        (mean - expected).abs() <= 5.0 * error + 1e-12,
        "{mean} +- {error}, {expected} stated"
    );
}

/// Shares of keys that moved, over sets of names and random nodes that leave.
#[track_caller]
fn check_moved(m: u64, n: u64, removed: u64, added: u64) {
    let expected = stated(m, Question::Moved { n, removed, added }).unwrap();
    let spec = format!("rendezvous-skeleton:cluster={m}");
    let moved: Vec<f64> = (0..200)
        .map(|set| {
            let all = names(&format!("set{set}-"), n as usize);
            let before = cluster(&spec, &all);
            let mut after = before.clone();
            let mut left = all.clone();
            for i in 0..removed {
                let drawn = rehash(set, i) as usize % left.len();
                after.remove(&left.swap_remove(drawn)).unwrap();
            }
            for i in 0..added {
                after.add(format!("new{set}-{i}").as_str()).unwrap();
            }
            let keys: KeyBuf = names(&format!("key{set}-"), 300).iter().collect();
            let owners = owners(&before, &keys)
                .into_iter()
                .zip(owners(&after, &keys));
            owners.filter(|(from, to)| from != to).count() as f64 / 300.0
        })
        .collect();
    check_mean(&moved, expected.mean);
}

#[test]
fn keys_move_as_stated() {
    check_moved(8, 40, 0, 1); // joins a cluster
    check_moved(8, 47, 0, 1); // splits one
    check_moved(8, 63, 0, 1); // the last split of a level
    check_moved(3, 10, 0, 25); // many splits
    check_moved(1, 6, 0, 3);
    check_moved(8, 47, 1, 0); // leaves a cluster
    check_moved(8, 46, 5, 0);
    check_moved(8, 48, 1, 0); // merges two of depth 3
    check_moved(8, 64, 1, 0);
    check_moved(2, 12, 1, 0);
    check_moved(8, 16, 1, 0); // merges all
    assert_eq!(
        stated(
            8,
            Question::Moved {
                n: 48,
                removed: 9,
                added: 0
            }
        ),
        None
    );
    assert_eq!(
        stated(
            8,
            Question::Moved {
                n: 8,
                removed: 8,
                added: 0
            }
        ),
        None
    );
    assert_eq!(
        stated(
            8,
            Question::Moved {
                n: 40,
                removed: 1,
                added: 1
            }
        ),
        None
    );
    let nothing = stated(
        8,
        Question::Moved {
            n: 40,
            removed: 0,
            added: 0,
        },
    );
    assert_eq!(nothing, Some(Estimate::exact(0.0)));
}

/// 1.7 times the least, in the mean over the nodes that join, and 9 times for the one that splits.
#[test]
fn a_reshape_costs_what_the_page_says() {
    let least = |n: u64| 1.0 / (n + 1) as f64;
    let factors: Vec<f64> = (64..512)
        .map(|n| {
            stated(
                8,
                Question::Moved {
                    n,
                    removed: 0,
                    added: 1,
                },
            )
            .unwrap()
            .mean
                / least(n)
        })
        .collect();
    let mean = factors.iter().sum::<f64>() / factors.len() as f64;
    assert!((1.69..1.73).contains(&mean), "{mean}");
    let worst = factors.iter().copied().fold(0.0, f64::max);
    assert!((8.5..9.0).contains(&worst), "{worst}");
}
