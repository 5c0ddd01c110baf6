//! Movement: what a change moves, against what it had to.

use router::{Cluster, NodeId, NodeSpec};

use super::{
    Stopped,
    ask::{Asked, place, tally},
    balance::deploy,
    cell::{Outcome, Sample},
    grid::{Contender, Request},
    losses::n1_values,
    progress::Progress,
    trial::Trial,
    trials::{Counted, TWO_ORDERS, Trials},
};
use crate::workload::Scenario;

/// Size, and keys, of the rolling restart.
const ROLLING: (u64, u64) = (40, 10_000);

/// Measures every change of one size for one seed, and the checksums of all owners after each:
/// strategies with equal ones place every key alike, whatever changes.
///
/// # Errors
///
/// When it was interrupted, or the books do not balance: the change, and which identity broke.
pub(super) fn measure(
    request: &Request,
    contender: &Contender,
    n: u64,
    n_keys: u64,
    seed: u64,
    progress: &Progress,
) -> Result<(Vec<Sample>, Vec<u64>), Stopped> {
    let nodes = request.deployment(seed, n);
    let sample = |change: String, nodes_after: usize, keys: u64, outcome| Sample {
        change,
        nodes: n,
        nodes_after: nodes_after as u64,
        keys,
        outcome,
    };
    let before = match deploy(contender, &nodes) {
        Ok(before) => before,
        Err(why) => {
            let outcome = Outcome::Unsupported("moved", why);
            let sample = sample("none".to_owned(), nodes.len(), 0, outcome);
            return Ok((vec![sample], Vec::new()));
        }
    };
    let trials = Trials::of(request, &before, &nodes, n_keys, seed);
    let asked = Asked {
        spec: &contender.spec,
        key_set: &request.key_set,
        seed,
        n: n_keys,
    };
    let counted = tally(&asked, progress, || Counted::new(&trials))?;
    let mut samples = Vec::new();
    for it in &trials.refused {
        samples.push(sample(it.change.clone(), it.nodes_after, 0, it.why.clone()));
    }
    let mut measured = |change: &str, nodes_after, values| {
        let outcome = Outcome::Values(values);
        samples.push(sample(change.to_owned(), nodes_after, n_keys, outcome));
    };
    for (trial, seen) in trials.changes.iter().zip(&counted.seen) {
        let name = &trial.change;
        let values = trial.values(seen, &before, &counted.before_by_id);
        let values = values.map_err(|fault| books(n, seed, name, &fault))?;
        measured(name, trial.after.nodes().len(), values);
    }
    if !trials.losses.is_empty() {
        let (losses, after) = (&trials.losses, &counted.lost_by_id);
        let values = n1_values(&before, &counted.before_by_id, losses, after);
        measured("none", nodes.len() - 1, values);
    }
    if let Some(orders) = &trials.orders {
        let share = counted.differing as f64 / n_keys as f64;
        let values = vec![("order_disagreement", Some(share))];
        measured(TWO_ORDERS, orders.clusters[0].nodes().len(), values);
    }
    if n == ROLLING.0 || request.nodes.is_some() {
        samples.push(rolling(request, &before, &nodes, n, seed)?);
    }
    // Where a change was refused stands in front: who refuses another one is not alike.
    let refused = trials
        .refused
        .iter()
        .filter(|it| matches!(it.why, Outcome::Unsupported("moved", _)));
    let refused = refused.map(|it| it.place);
    let checksums = counted.seen.iter().map(|seen| seen.checksum);
    Ok((samples, refused.chain(checksums).collect()))
}

/// The books of a change that do not balance.
fn books(n: u64, seed: u64, change: &str, fault: &str) -> Stopped {
    Stopped::Books(format!("{n} nodes, seed {seed}, change {change}: {fault}"))
}

/// The rolling restart: every node in turn is replaced, and the steps are added up, so that 1 means
/// that as many keys moved as there are.
fn rolling(
    request: &Request,
    start: &Cluster,
    nodes: &[NodeSpec],
    n: u64,
    seed: u64,
) -> Result<Sample, Stopped> {
    let name = Scenario::Rolling.name();
    let n_keys = request.n_keys.unwrap_or(ROLLING.1).min(ROLLING.1);
    let sample = |outcome| Sample {
        change: name.clone(),
        nodes: n,
        nodes_after: n,
        keys: n_keys,
        outcome,
    };
    let keys = request.key_set.keys(seed, n_keys);
    let (mut owners_before, mut owners) = (
        vec![NodeId::default(); keys.len()],
        vec![NodeId::default(); keys.len()],
    );
    let mut sums: Vec<(&'static str, f64)> =
        ["moved", "forced", "collateral", "optimal", "own_optimal"]
            .map(|metric| (metric, 0.0))
            .to_vec();
    let mut cluster = start.clone();
    place(&cluster, keys.keys(), None, &mut owners_before);
    for batch in Scenario::Rolling.changes(seed, nodes) {
        let trial = match Trial::new(&cluster, std::slice::from_ref(&batch), name.clone(), false) {
            Ok(trial) => trial,
            Err(why) => return Ok(sample(Outcome::Unsupported("moved", why))),
        };
        let mut before_by_id = vec![0; trial.parts.len()];
        for owner in &owners_before {
            before_by_id[owner.index()] += 1;
        }
        let mut seen = trial.nothing_seen();
        trial.ask(&mut seen, (0, keys.keys()), &owners_before, &mut owners);
        let values = trial
            .values(&seen, &cluster, &before_by_id)
            .map_err(|fault| books(n, seed, &name, &fault))?;
        for (metric, sum) in &mut sums {
            let value = values.iter().find(|(it, _)| it == metric);
            *sum += value.and_then(|&(_, value)| value).unwrap_or(0.0);
        }
        cluster = trial.after;
        // What was after this step is before the next.
        std::mem::swap(&mut owners_before, &mut owners);
    }
    let values = sums.into_iter().map(|(metric, sum)| (metric, Some(sum)));
    Ok(sample(Outcome::Values(values.collect())))
}
