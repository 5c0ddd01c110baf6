//! Movement: what a change moves, against what it had to.

use router::{Change, Cluster, NodeId, NodeSpec};

use super::{
    ask::{for_each_chunk, place},
    balance::deploy,
    cell::{Outcome, Sample},
    grid::{Contender, Request},
    losses::{n1_losses, n1_values},
    orders::order_trial,
    trial::Trial,
};
use crate::{record::OWN_CHANGE, workload::Scenario};

/// The scenarios of one size: those that are measured one change at a time.
fn scenarios(request: &Request, n: u64, curve: bool) -> Vec<Scenario> {
    Scenario::all()
        .into_iter()
        .filter(|scenario| match scenario {
            Scenario::None | Scenario::Rolling => false,
            Scenario::Curve(_) => curve,
            Scenario::LosePercent(_, order) => {
                *order == crate::workload::LossOrder::Random || request.profile.loss_orders
            }
            _ => true,
        })
        // Who has one node cannot lose it and still serve.
        .filter(|scenario| {
            n > 1
                || matches!(
                    scenario,
                    Scenario::Add | Scenario::AddPercent(_) | Scenario::Replace | Scenario::Rename
                )
        })
        .collect()
}

/// Size, and keys, of the rolling restart.
const ROLLING: (u64, u64) = (40, 10_000);

/// Measures every change of one size for one seed, and the checksums of all owners after each:
/// strategies with equal ones place every key alike, whatever changes.
///
/// # Errors
///
/// When the books do not balance: the change, and which identity broke.
pub(super) fn measure(
    request: &Request,
    contender: &Contender,
    n: u64,
    n_keys: u64,
    seed: u64,
) -> Result<(Vec<Sample>, Vec<u64>), String> {
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
    let mut samples = Vec::new();
    let mut trials = Vec::new();
    let mut refused = Vec::new();
    let curve = request
        .profile
        .curve
        .is_some_and(|(size, seeds)| size == n && seed < seeds);
    let scenarios = scenarios(request, n, curve).into_iter().map(|scenario| {
        let undo = matches!(scenario, Scenario::LoseRandom | Scenario::Add);
        (scenario.name(), scenario.changes(seed, &nodes), undo)
    });
    let own: Vec<Vec<Change>> = request.changes.iter().map(|it| vec![it.clone()]).collect();
    let own = (!own.is_empty()).then(|| (OWN_CHANGE.to_owned(), own, true));
    for (name, batches, undo) in scenarios.chain(own) {
        match Trial::new(&before, &batches, name.clone(), undo) {
            Ok(trial) => trials.push(trial),
            Err(why) => {
                refused.push(trials.len() as u64);
                let outcome = Outcome::Unsupported("moved", why);
                samples.push(sample(name, nodes.len(), 0, outcome));
            }
        }
    }
    let mut losses = n1_losses(request, &before, n, seed);
    let mut orders = order_trial(&before, seed, &nodes);

    let mut before_by_id = vec![0_u64; nodes.len()];
    let (mut owners_before, mut owners) = (Vec::new(), Vec::new());
    let done: Result<(), std::convert::Infallible> =
        for_each_chunk(&contender.spec, &request.key_set, seed, n_keys, |keys| {
            owners_before.resize(keys.len(), NodeId::default());
            owners.resize(keys.len(), NodeId::default());
            place(&before, keys, None, &mut owners_before);
            for owner in &owners_before {
                before_by_id[owner.index()] += 1;
            }
            for trial in &mut trials {
                trial.ask(keys, &owners_before, &mut owners);
            }
            for loss in losses.iter_mut().flatten() {
                loss.ask(keys, &owners_before, &mut owners);
            }
            if let Some(Ok(orders)) = &mut orders {
                orders.ask(keys, &owners_before, &mut owners);
            }
            Ok(())
        });
    let Ok(()) = done;

    for trial in &trials {
        let values = trial
            .values(&before, &before_by_id)
            .map_err(|fault| format!("change {}: {fault}", trial.change))?;
        let n_after = trial.after.nodes().len();
        samples.push(sample(
            trial.change.clone(),
            n_after,
            n_keys,
            Outcome::Values(values),
        ));
    }
    match n1_values(&before, &before_by_id, &losses) {
        Some(Ok(values)) => {
            let outcome = Outcome::Values(values);
            samples.push(sample("none".to_owned(), nodes.len() - 1, n_keys, outcome));
        }
        Some(Err(why)) => {
            let outcome = Outcome::Unsupported("n1_peak", why);
            samples.push(sample("none".to_owned(), nodes.len() - 1, 0, outcome));
        }
        None => {}
    }
    if let Some(orders) = orders {
        samples.push(match orders {
            Ok(orders) => {
                let share = orders.differing as f64 / n_keys as f64;
                let values = vec![("order_disagreement", Some(share))];
                let n_after = orders.clusters[0].nodes().len();
                sample(
                    "lose-10pct".to_owned(),
                    n_after,
                    n_keys,
                    Outcome::Values(values),
                )
            }
            Err(why) => {
                let outcome = Outcome::Unsupported("order_disagreement", why);
                sample("lose-10pct".to_owned(), nodes.len(), 0, outcome)
            }
        });
    }
    if n == ROLLING.0 || request.nodes.is_some() {
        samples.push(rolling(request, &before, &nodes, n, seed)?);
    }
    // Where a change was refused stands in front: who refuses another one is not alike.
    let checksums = trials.iter().map(Trial::checksum);
    Ok((samples, refused.into_iter().chain(checksums).collect()))
}

/// The rolling restart: every node in turn is replaced, and the steps are added up, so that 1 means
/// that as many keys moved as there are.
fn rolling(
    request: &Request,
    start: &Cluster,
    nodes: &[NodeSpec],
    n: u64,
    seed: u64,
) -> Result<Sample, String> {
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
        let mut trial =
            match Trial::new(&cluster, std::slice::from_ref(&batch), name.clone(), false) {
                Ok(trial) => trial,
                Err(why) => return Ok(sample(Outcome::Unsupported("moved", why))),
            };
        let mut before_by_id = vec![0; trial.parts.len()];
        for owner in &owners_before {
            before_by_id[owner.index()] += 1;
        }
        trial.ask(keys.keys(), &owners_before, &mut owners);
        let values = trial
            .values(&cluster, &before_by_id)
            .map_err(|fault| format!("change {name}: {fault}"))?;
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
