//! What every strategy of the workspace must keep; a new folder is tested without a new line.

mod contract;
mod over;
mod placement;
mod soak;

use std::collections::BTreeMap;

use registry::{ALL, catalog, strategies};
use router::Strategy;

#[test]
fn crates_stand_in_order_and_offer_something() {
    assert!(ALL.is_sorted_by(|a, b| a.0 < b.0), "by name of the crate");
    for (krate, strategies) in ALL {
        assert!(!strategies.is_empty(), "{krate} offers no strategy");
        for strategy in *strategies {
            let family = strategy.family;
            assert_eq!(family, *krate, "{}: its family is its crate", strategy.name);
        }
    }
    let n: usize = ALL.iter().map(|(_, strategies)| strategies.len()).sum();
    assert_eq!(strategies().count(), n);
}

#[test]
fn names_are_unique() {
    let mut crates = BTreeMap::new();
    for strategy in strategies() {
        if let Some(other) = crates.insert(strategy.name, strategy.family) {
            panic!(
                "two strategies are called {}: one of {other}, one of {}",
                strategy.name, strategy.family
            );
        }
    }
}

/// A spec that spells every default out is the strategy by its name alone, and every other
/// canonical spec reads back as itself.
#[track_caller]
fn check_specs(strategy: &Strategy) {
    let catalog = catalog();
    let mut spelled_out = strategy.name.to_owned();
    for (i, param) in strategy.params.iter().enumerate() {
        let sign = if i == 0 { ':' } else { ',' };
        let default = param.default_text();
        spelled_out += &format!("{sign}{}=[{default}]", param.name);
    }
    match catalog.parse(&spelled_out) {
        Ok(spec) => assert_eq!(spec.to_string(), strategy.name),
        Err(err) => panic!("a default is out of its range: {err}"),
    }
    let small = catalog.parse(strategy.name).unwrap().small().unwrap();
    let again = catalog.parse(&small.to_string()).unwrap();
    assert_eq!(again.to_string(), small.to_string());
    assert_eq!(again.params(), small.params());
}

#[test]
fn specs_read_back_as_themselves() {
    for strategy in strategies() {
        check_specs(strategy);
    }
}
