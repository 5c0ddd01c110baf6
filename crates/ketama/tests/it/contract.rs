//! The contract with parameters that change what is claimed, and theory against exact shares. The
//! strategies as they are go through the suite with all others of the workspace.

use router::{
    Catalog, Estimate, Question,
    suite::{Effort, Verdict, run},
};

use crate::world::cluster;

#[track_caller]
fn check_contract(spec: &str) {
    let catalog = Catalog::new(ketama::STRATEGIES).unwrap();
    for outcome in run(&catalog.parse(spec).unwrap(), Effort::Gate) {
        if let Verdict::Failed(why) = outcome.verdict {
            panic!("{spec}: {}: {why}", outcome.check);
        }
    }
}

#[test]
fn the_contract_holds_with_and_without_a_map_of_weights() {
    check_contract("ketama-spymemcached-libmemcached:weights=on");
    check_contract("ketama-spymemcached-libmemcached:weights=off");
    check_contract("ketama-spymemcached:weights=off");
}

fn expected(spec: &str, question: Question) -> Option<Estimate> {
    let catalog = Catalog::new(ketama::STRATEGIES).unwrap();
    catalog.parse(spec).unwrap().expected(question)
}

/// Checks the mean over 200 deployments at five standard errors, and its spread where stated.
#[track_caller]
fn check_theory(spec: &str, n: usize) {
    let (mut squares, mut firsts) = (Vec::new(), Vec::new());
    for i in 0..200 {
        let names = (0..n).map(|node| format!("10.{i}.{node}.{}:11211", (i * 7 + node * 13) % 251));
        let names: Vec<String> = names.collect();
        let nodes: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let shares = cluster(spec, &nodes).shares().unwrap();
        let square = |share: &f64| (share * n as f64 - 1.0).powi(2);
        squares.push(shares.iter().map(square).sum::<f64>() / n as f64);
        firsts.push(shares[0]);
    }
    let n = n as u64;
    let leaves = |n, removed| Question::Moved {
        n,
        removed,
        added: 0,
    };
    for (samples, question) in [
        (squares, Question::ShareVariance { n }),
        (firsts, leaves(n, 1)),
    ] {
        let Some(theory) = expected(spec, question) else {
            // One node less has another number of points.
            assert!(matches!(question, Question::Moved { n: 7 | 25, .. }));
            continue;
        };
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (mean - theory.mean).abs() / (variance / count).sqrt();
        assert!(
            error < 5.0,
            "{spec}, {n} nodes: {question:?}: {mean}, not {theory:?}"
        );
        if let Some(sd) = theory.sd {
            let ratio = variance.sqrt() / sd;
            assert!(
                (0.75..1.33).contains(&ratio),
                "{spec}, {n} nodes: {ratio} of {sd}"
            );
        }
    }
}

#[test]
fn shares_vary_as_theory_says() {
    for n in [5, 20] {
        check_theory("ketama-libmemcached", n);
        check_theory("ketama-libmemcached-plain", n);
        check_theory("ketama-libmemcached-plain-md5", n);
        check_theory("nginx-consistent", n);
    }
    // 156 points each.
    check_theory("ketama-node-hashring", 7);
    check_theory("ketama-libmemcached", 25);
}

/// Where the number of points changes with the nodes, more moves than the theory of rings says.
#[test]
fn theory_is_silent_across_a_rounding_step() {
    let joins = |n| Question::Moved {
        n,
        removed: 0,
        added: 1,
    };
    assert_eq!(expected("ketama-libmemcached", joins(24)), None);
    assert_eq!(expected("ketama-libmemcached", joins(25)), None);
    assert!(expected("ketama-libmemcached", joins(26)).is_some());
    assert!(expected("ketama-uhashring", joins(24)).is_some());
    let variance = |n| expected("ketama-libmemcached", Question::ShareVariance { n });
    assert_eq!(
        variance(24),
        Some(Estimate::mean(23.0 / (24.0 * 160.0 + 1.0)))
    );
    assert_eq!(
        variance(25),
        Some(Estimate::mean(24.0 / (25.0 * 156.0 + 1.0)))
    );
}
