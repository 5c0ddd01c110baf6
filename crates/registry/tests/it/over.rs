//! Every strategy, on all cores.

use std::{
    env,
    sync::Mutex,
    thread::{available_parallelism, scope},
};

use registry::{catalog, strategies};
use router::{Spec, Strategy};

/// Names the one strategy to test, for whoever is writing it.
const ONLY: &str = "RINGMARK_ONLY";

/// Whether a single strategy is tested.
pub(crate) fn alone() -> bool {
    env::var_os(ONLY).is_some()
}

/// The strategies to test: all, unless [`ONLY`] is set.
fn wanted() -> Vec<&'static Strategy> {
    let only = env::var(ONLY).ok();
    let wanted: Vec<_> = strategies()
        .filter(|it| only.as_ref().is_none_or(|only| it.name == only))
        .collect();
    assert!(!wanted.is_empty(), "{ONLY}: no strategy {only:?}");
    wanted
}

/// What `test` finds of every strategy with its defaults, in the registry's order.
pub(crate) fn every<T: Send>(test: impl Fn(&Spec) -> T + Sync) -> Vec<(&'static Strategy, T)> {
    let catalog = catalog();
    let queue = Mutex::new(wanted().into_iter().enumerate());
    let found = Mutex::new(Vec::new());
    scope(|threads| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            threads.spawn(|| {
                loop {
                    let next = queue.lock().expect("no thread panics with it").next();
                    let Some((i, strategy)) = next else { break };
                    let spec = catalog
                        .parse(strategy.name)
                        .expect("it parses its own name");
                    let result = test(&spec);
                    let mut found = found.lock().expect("no thread panics with it");
                    found.push((i, strategy, result));
                }
            });
        }
    });
    let mut found = found.into_inner().expect("no thread panicked with it");
    found.sort_by_key(|&(i, ..)| i);
    found.into_iter().map(|(_, it, all)| (it, all)).collect()
}
