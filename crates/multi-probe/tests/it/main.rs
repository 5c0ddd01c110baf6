//! Known answers, probes and points at the edges, and theory against simulation.

mod edges;
mod known;
mod theory;

use multi_probe::STRATEGIES;
use router::{
    Catalog, Cluster, NodeSpec,
    suite::{Effort, Verdict, run, soak},
};

/// A cluster of nodes of weight 1.
#[track_caller]
fn cluster<S: AsRef<str>>(spec: &str, names: &[S]) -> Cluster {
    let catalog = Catalog::new(STRATEGIES).unwrap();
    build(&catalog, spec, names)
}

#[track_caller]
fn build<S: AsRef<str>>(catalog: &Catalog, spec: &str, names: &[S]) -> Cluster {
    let nodes: Vec<NodeSpec> = names.iter().map(|name| name.as_ref().into()).collect();
    Cluster::build(&catalog.parse(spec).unwrap(), &nodes).unwrap()
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

/// The name of a key's owner.
#[track_caller]
fn owner<'a>(cluster: &'a Cluster, key: &[u8]) -> &'a str {
    let owner = cluster.route(key).expect("it serves");
    cluster.name(owner).expect("owners are present")
}

#[test]
fn the_contract_holds() {
    for text in ["multi-probe", "multi-probe-go", "multi-probe:probes=1"] {
        let catalog = Catalog::new(STRATEGIES).unwrap();
        let spec = catalog.parse(text).unwrap();
        for outcome in run(&spec, Effort::Gate) {
            if let Verdict::Failed(why) = outcome.verdict {
                panic!("{text}: {}: {why}", outcome.check);
            }
        }
        soak(&spec, 2000).unwrap();
    }
}
