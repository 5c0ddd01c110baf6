//! The contract suite over every strategy: the first of each crate at full effort, its variants at the
//! effort of the gate, which runs every check too; one that is tested alone always at full effort.

use registry::ALL;
use router::{
    Spec, Strategy,
    suite::{Effort, Outcome, Verdict, run},
};

use crate::over::{alone, every};

#[test]
fn every_strategy_keeps_the_contract() {
    let mut failures = Vec::new();
    let effort = |spec: &Spec| {
        let first = |strategies: &[Strategy]| strategies[0].name == spec.strategy().name;
        if alone() || ALL.iter().any(|(_, strategies)| first(strategies)) {
            Effort::Full
        } else {
            Effort::Gate
        }
    };
    for (strategy, outcomes) in every(|spec| run(spec, effort(spec))) {
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
