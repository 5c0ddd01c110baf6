//! The contract suite over every strategy.

use router::suite::{Effort, Outcome, Verdict, run};

use crate::over::every;

#[test]
fn every_strategy_keeps_the_contract() {
    let mut failures = Vec::new();
    for (strategy, outcomes) in every(|spec| run(spec, Effort::Full)) {
        for Outcome { check, verdict, .. } in outcomes {
            match verdict {
                Verdict::Passed => {}
                Verdict::Failed(why) => failures.push(format!("{}: {check}: {why}", strategy.name)),
                // Shown with the failures: what was not tested was not passed.
                Verdict::Unsupported(why) => {
                    println!("{}: {check}: unsupported: {why}", strategy.name);
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} checks failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
