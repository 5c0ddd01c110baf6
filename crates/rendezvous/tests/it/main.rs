//! Known answers, the weighted order, and theory against counting.

mod known;
mod score;
mod skeleton;
mod weights;

use std::sync::Arc;

use rendezvous::{Hashes, Rendezvous, STRATEGIES};
use router::{
    Catalog, Cluster, KeyBuf, NodeId, NodeSpec, Strategy,
    suite::{Effort, Verdict, run, soak},
};

fn catalog() -> Catalog {
    Catalog::new(STRATEGIES).unwrap()
}

/// A cluster of nodes given as `name` or `name=weight`.
#[track_caller]
fn cluster<S: AsRef<str>>(spec: &str, nodes: &[S]) -> Cluster {
    let nodes: Vec<NodeSpec> = nodes.iter().map(|it| node(it.as_ref())).collect();
    Cluster::build(&catalog().parse(spec).unwrap(), &nodes).unwrap()
}

fn node(text: &str) -> NodeSpec {
    match text.split_once('=') {
        Some((name, weight)) => NodeSpec::new(name, weight.parse().unwrap()),
        None => text.into(),
    }
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

/// The name of each key's owner.
fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<Arc<str>> {
    let mut owners = vec![NodeId::default(); keys.len()];
    assert!(cluster.route_batch(keys.keys(), &mut owners), "it serves");
    let name = |id| Arc::clone(&cluster.nodes().get(id).expect("owners are present").name);
    owners.into_iter().map(name).collect()
}

/// The nodes that a key prefers, in order, separated by blanks.
fn preference(cluster: &Cluster, key: &str) -> String {
    let ids = cluster.preference(key.as_bytes(), usize::MAX).unwrap();
    let names: Vec<&str> = ids.iter().map(|&id| cluster.name(id).unwrap()).collect();
    names.join(" ")
}

/// The strategy with hashes of the test's own.
fn with_hashes<H: Hashes + Default>() -> Catalog {
    let strategy = Strategy {
        build: |_, _, _| Ok(Box::new(Rendezvous::new(H::default()))),
        ..STRATEGIES[0]
    };
    Catalog::new([&*Box::leak(Box::new(strategy))]).unwrap()
}

#[test]
fn the_contract_holds() {
    for strategy in STRATEGIES {
        let spec = catalog().parse(strategy.name).unwrap();
        for outcome in run(&spec, Effort::Gate) {
            if let Verdict::Failed(why) = outcome.verdict {
                panic!("{}: {}: {why}", strategy.name, outcome.check);
            }
        }
        soak(&spec, 2000).unwrap();
    }
}
