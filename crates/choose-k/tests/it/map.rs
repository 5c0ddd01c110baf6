//! The node map: who stands in which slot, and what that means for owners and replicas.

use bucket_hash::{checks, even};
use choose_k::STRATEGIES;
use router::{Catalog, Change, Cluster, KeyBuf, NodeSpec, Question};

fn cluster(n: u32) -> Cluster {
    let catalog = Catalog::new(STRATEGIES).unwrap();
    let nodes: Vec<NodeSpec> = (0..n).map(|i| format!("n{i}").into()).collect();
    Cluster::build(&catalog.parse("choose-k").unwrap(), &nodes).unwrap()
}

fn keys(n: u32) -> KeyBuf {
    (0..n).map(|i| format!("key-{i}")).collect()
}

/// After these changes, one by one, the empty key prefers these nodes. Its XXH3-64, seed 0, is
/// 0x2d06800538d394c2 by the reference implementation, and that hash's ranking of ten slots 2, 8, 6,
/// 0, 7, 1, 3, 5, 4, 9 by an implementation in Python.
#[track_caller]
fn check(changes: &[&str], prefers: &[&str]) {
    let mut cluster = cluster(10);
    for change in changes {
        cluster.apply(&[change.parse().unwrap()]).unwrap();
    }
    let list = cluster.preference(b"", prefers.len()).unwrap();
    let names: Vec<&str> = list.iter().map(|&id| cluster.name(id).unwrap()).collect();
    assert_eq!(names, prefers, "{changes:?}");
    assert_eq!(cluster.route(b""), list.first().copied());
}

#[test]
fn the_first_node_of_the_ranking_that_is_there() {
    check(
        &[],
        &["n2", "n8", "n6", "n0", "n7", "n1", "n3", "n5", "n4", "n9"],
    );
    check(&["-n2"], &["n8", "n6", "n0"]);
    check(&["-n6", "-n2", "-n0"], &["n8", "n7", "n1"]);
    // The lowest empty slot is filled, in whatever order they became empty.
    check(&["-n6", "-n2", "+x"], &["x", "n8", "n0"]);
    check(&["-n2", "-n6", "+x"], &["x", "n8", "n0"]);
    check(&["-n2", "-n6", "+x", "+y"], &["x", "n8", "y"]);
    check(&["-n2", "+n2"], &["n2", "n8", "n6"]);
    check(&["~n2\tx", "-n8"], &["x", "n6", "n0"]);
    // Empty slots at the end go, and a newcomer takes the first place behind the others.
    check(&["-n6", "-n8", "-n9", "-n7"], &["n2", "n0", "n1"]);
    check(
        &["-n6", "-n9", "-n8", "-n7", "+x", "+y", "+z"],
        &["n2", "z", "x", "n0", "y"],
    );
}

/// The order of removals does not matter, but that there were any does.
#[test]
fn what_is_empty_counts_and_not_the_order() {
    let (mut one, mut other) = (cluster(10), cluster(10));
    for name in ["n3", "n7", "n1", "n9"] {
        one.remove(name).unwrap();
    }
    for name in ["n9", "n1", "n7", "n3"] {
        other.remove(name).unwrap();
    }
    let nodes: Vec<NodeSpec> = one.nodes().iter().map(|it| (*it.name).into()).collect();
    let anew = Cluster::build(one.spec(), &nodes).unwrap();
    let name = |of: &Cluster, key| of.name(of.route(key).unwrap()).unwrap().to_owned();
    let mut differ = 0;
    for key in keys(300).keys().iter() {
        assert_eq!(name(&one, key), name(&other, key));
        differ += u32::from(name(&one, key) != name(&anew, key));
    }
    assert!(differ > 100, "{differ} keys of 300");
}

/// Whichever slots are empty, the others share evenly: chi-square within 5 of its standard
/// deviations, and the keys are fixed.
#[test]
fn shares_are_equal_with_empty_slots() {
    for gone in [&[0][..], &[1, 2], &[0, 3, 4, 7], &[0, 1, 2, 3, 4, 5, 6]] {
        let mut cluster = cluster(10);
        for i in gone {
            cluster.remove(&format!("n{i}")).unwrap();
        }
        let keys = keys(30_000);
        let mut counts = vec![0.0; cluster.nodes().len()];
        for key in keys.keys().iter() {
            counts[cluster
                .nodes()
                .position(cluster.route(key).unwrap())
                .unwrap()] += 1.0;
        }
        let mean = keys.len() as f64 / counts.len() as f64;
        let chi2: f64 = counts.iter().map(|it| (it - mean).powi(2) / mean).sum();
        let df = counts.len() as f64 - 1.0;
        assert!(
            (chi2 - df).abs() < 5.0 * (2.0 * df).sqrt(),
            "without {gone:?}: chi-square {chi2} at {df} degrees of freedom"
        );
    }
}

/// Nodes that leave and others that join move what theory says: whichever are more.
#[track_caller]
fn check_moved(gone: &[u32], added: u32) {
    let before = cluster(10);
    let mut after = before.clone();
    let leave = gone.iter().map(|i| Change::Remove(format!("n{i}")));
    let join = (0..added).map(|i| Change::Add(format!("x{i}").into()));
    after.apply(&leave.chain(join).collect::<Vec<_>>()).unwrap();
    let keys = keys(20_000);
    let moved = keys.keys().iter();
    let moved = moved.filter(|key| before.route(key) != after.route(key));
    let measured = moved.count() as f64 / keys.len() as f64;
    let question = Question::Moved {
        n: 10,
        removed: gone.len() as u64,
        added: added.into(),
    };
    let stated = before.spec().expected(question).unwrap();
    assert_eq!(Some(stated), even(question));
    let stated = stated.mean;
    let error = (stated * (1.0 - stated) / keys.len() as f64).sqrt();
    assert!(
        (measured - stated).abs() <= 5.0 * error,
        "without {gone:?}, {added} more: {measured} moved, {stated} stated"
    );
}

#[test]
fn keys_move_as_stated() {
    check_moved(&[], 1);
    check_moved(&[4], 0);
    check_moved(&[4], 1);
    check_moved(&[0, 5, 9], 2);
    check_moved(&[8, 9, 1], 7);
}

/// The work of a look-up without empty slots, as stated, in the mean of 20,000 keys.
#[test]
fn work_is_as_stated() {
    for n in [1_u32, 2, 3, 10, 64, 65] {
        let cluster = cluster(n);
        let keys = keys(20_000);
        let traces = keys.keys().iter().map(|key| cluster.trace(key).unwrap());
        let (mut hash_evals, mut probes) = (0.0, 0.0);
        for trace in traces {
            hash_evals += f64::from(trace.hash_evals);
            probes += f64::from(trace.probes);
        }
        let n = n.into();
        for (question, sum) in [
            (Question::HashEvals { n }, hash_evals),
            (Question::Probes { n }, probes),
        ] {
            let stated = cluster.spec().expected(question).unwrap().mean;
            let mean = sum / keys.len() as f64;
            // The standard error is below 0.015 for the most scattered of them, n = 65.
            assert!(
                (mean - stated).abs() < 0.06,
                "{question:?}: {mean}, {stated} stated"
            );
        }
    }
}

#[test]
fn a_long_walk_moves_nothing_for_nothing() {
    checks::walk(STRATEGIES, "choose-k");
}
