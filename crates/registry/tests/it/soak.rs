//! A long walk of random adds and removes over every strategy.

use std::{env, time::Instant};

use router::suite::soak;

use crate::over::every;

/// Steps of the walk, for a longer one than the tests': `just soak` sets it.
const STEPS: &str = "RINGMARK_SOAK";

#[test]
fn every_strategy_survives_a_long_walk() {
    let steps = env::var(STEPS).map_or(2000, |steps| {
        steps
            .parse()
            .unwrap_or_else(|_| panic!("{STEPS}={steps}: expected a number of steps"))
    });
    let found = every(|spec| {
        let since = Instant::now();
        let small = spec.small().expect("its small parameters are valid");
        (soak(&small, steps), since.elapsed())
    });
    let mut failures = Vec::new();
    for (strategy, (result, took)) in found {
        println!(
            "{}: {steps} steps, {:.1} s",
            strategy.name,
            took.as_secs_f64()
        );
        if let Err(why) = result {
            failures.push(format!("{}: {why}", strategy.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
