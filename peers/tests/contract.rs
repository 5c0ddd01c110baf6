//! What every peer's contract comes to: who passes, and who fails which checks. A peer that changes here was
//! updated, or our suite was.

use std::collections::BTreeMap;

use router::{
    Catalog, Spec,
    suite::{Effort, Verdict, run},
};

/// The checks that fail, by spec; whoever is not named passes.
const FAILING: &[(&str, &[&str])] = &[
    // Random keys: two clusters of the same nodes, two processes that is, disagree.
    ("peer-anchorhash", &["repeatable"]),
    (
        "peer-hash-rings-jump",
        &["repeatable", "replace", "history"],
    ),
    (
        "peer-hash-rings-mpc",
        &["repeatable", "replace", "history", "order"],
    ),
    (
        "peer-hash-rings-rendezvous",
        &["repeatable", "replace", "history", "order"],
    ),
    (
        "peer-hash-rings-ring",
        &[
            "repeatable",
            "replace",
            "history",
            "order",
            "weight-changes",
        ],
    ),
    ("peer-jumphash", &["repeatable", "replace", "history"]),
    // The second of its replicas is not who owns the key once the first is gone.
    ("peer-consistent-hash-ring", &["failover"]),
    ("peer-consistent-hash-ring:hash=xxh3", &["failover"]),
    // FNV-1a of key and node: too weak to be even on two nodes.
    ("peer-simplehash", &["even"]),
];

/// Every peer as shipped, and with the common hash where it takes a hasher.
fn specs() -> Vec<Spec> {
    let catalog = Catalog::new(ringmark_peers::peers()).expect("no two have one name");
    let mut specs = Vec::new();
    for strategy in ringmark_peers::peers() {
        let spec = catalog
            .parse(strategy.name)
            .expect("its defaults are valid");
        specs.extend(spec.with("hash", "xxh3"));
        specs.push(spec);
    }
    specs
}

#[test]
fn every_peer_keeps_or_breaks_its_contract_as_listed() {
    let mut found = BTreeMap::new();
    for spec in specs() {
        let outcomes = run(&spec, Effort::Gate);
        let failed = outcomes
            .into_iter()
            .filter_map(|outcome| match outcome.verdict {
                Verdict::Failed(why) => {
                    println!("{spec}: {}: {why}", outcome.check);
                    Some(outcome.check)
                }
                _ => None,
            });
        let failed: Vec<&str> = failed.collect();
        if !failed.is_empty() {
            found.insert(spec.to_string(), failed);
        }
    }
    let listed = FAILING
        .iter()
        .map(|(spec, checks)| ((*spec).to_owned(), checks.to_vec()));
    assert_eq!(found, listed.collect());
}

#[test]
fn the_race_is_read() {
    let all = registry::strategies().chain(ringmark_peers::peers());
    let catalog = Catalog::new(all).expect("no two have one name");
    let race = bench_harness::measure::race::Race::parse(ringmark_peers::RACE, &catalog);
    let race = race.expect("it is well-formed");
    let racing: Vec<&String> = race.families.iter().flat_map(|it| &it.peers).collect();
    for spec in specs() {
        // The multi-probe ring of hash-rings races with other probes than its default.
        let name = spec.strategy().name;
        assert!(
            racing.iter().any(|it| it.split(':').next() == Some(name)),
            "{spec} does not race"
        );
    }
}
