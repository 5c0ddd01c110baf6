//! Movement: what a change moves, against what it had to.

use std::collections::HashMap;

use router::{Change, Cluster, Keys, NodeId, NodeSpec};

use super::{
    ask::{for_each_chunk, place},
    balance::{by_place, deploy, weight_shares},
    cell::{Outcome, Sample, Values},
    grid::{Contender, Request},
    load::Load,
};
use crate::workload::{Purpose, Scenario, below, inverse, stream};

/// A change that is being measured: the cluster after it, and what has been seen so far.
struct Trial {
    change: String,
    after: Cluster,
    /// The cluster after the change was undone, where that is measured.
    restored: Option<Cluster>,
    /// What each id is in this change.
    parts: Vec<NodePart>,
    /// Whether it is a pure removal or a pure addition, for which `excess` is defined.
    one_way: bool,
    seen: Seen,
}

/// What a node is in a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct NodePart {
    /// It is there before.
    before: bool,
    /// It is there after.
    after: bool,
    /// Its weight changes while it stays.
    reweighted: bool,
}

/// Counts of keys.
#[derive(Clone, Debug, Default)]
struct Seen {
    keys: u64,
    moved: u64,
    /// Moved or not, whose old owner left, whose new owner joined, or one of whose owners has
    /// another weight.
    forced: u64,
    /// Moved between two nodes that the change did not touch.
    collateral: u64,
    not_restored: u64,
    /// By id.
    after: Vec<u64>,
    /// Keys that came to each node, by id.
    gained: Vec<u64>,
}

impl Trial {
    fn new(
        before: &Cluster,
        batches: &[Vec<Change>],
        change: String,
        undo: bool,
    ) -> Result<Self, String> {
        let mut after = before.clone();
        for batch in batches {
            after.apply(batch).map_err(|err| err.to_string())?;
        }
        if !after.serves() {
            return Err("no node with weight would be left".to_owned());
        }
        let restored = if undo {
            let mut restored = after.clone();
            for batch in inverse(batches, &specs(before)) {
                restored.apply(&batch).map_err(|err| err.to_string())?;
            }
            Some(restored)
        } else {
            None
        };
        let n_ids = before
            .nodes()
            .iter()
            .chain(after.nodes().iter())
            .map(|node| node.id.index() + 1)
            .max()
            .unwrap_or(0);
        let mut parts = vec![NodePart::default(); n_ids];
        for node in before.nodes().iter() {
            parts[node.id.index()].before = true;
        }
        for node in after.nodes().iter() {
            let part = &mut parts[node.id.index()];
            part.after = true;
            part.reweighted = before
                .nodes()
                .get(node.id)
                .is_some_and(|earlier| earlier.weight != node.weight);
        }
        let left = parts.iter().any(|part| part.before && !part.after);
        let joined = parts.iter().any(|part| part.after && !part.before);
        let reweighted = parts.iter().any(|part| part.reweighted);
        Ok(Self {
            change,
            after,
            restored,
            one_way: (left != joined) && !reweighted,
            seen: Seen {
                after: vec![0; n_ids],
                gained: vec![0; n_ids],
                ..Seen::default()
            },
            parts,
        })
    }

    fn ask(&mut self, keys: Keys<'_>, owners_before: &[NodeId], owners: &mut [NodeId]) {
        place(&self.after, keys, Some(owners_before), owners);
        let seen = &mut self.seen;
        seen.keys += keys.len() as u64;
        for (&old, &new) in owners_before.iter().zip(&*owners) {
            let (was, is) = (self.parts[old.index()], self.parts[new.index()]);
            let reweighted = old != new && (was.reweighted || is.reweighted);
            let forced = !was.after || !is.before || reweighted;
            seen.after[new.index()] += 1;
            seen.forced += u64::from(forced);
            if old != new {
                seen.moved += 1;
                seen.gained[new.index()] += 1;
                seen.collateral += u64::from(!forced);
            }
        }
        if let Some(restored) = &self.restored {
            let owners_after = owners.to_vec();
            place(restored, keys, Some(&owners_after), owners);
            let differing = owners_before.iter().zip(&*owners).filter(|(a, b)| a != b);
            seen.not_restored += differing.count() as u64;
        }
    }

    /// The values of this change, after the books were checked.
    fn values(&self, before: &Cluster, before_by_id: &[u64]) -> Result<Values, String> {
        let seen = &self.seen;
        let keys = seen.keys as f64;
        let differences: u64 = (0..self.parts.len())
            .map(|id| {
                let was = before_by_id.get(id).copied().unwrap_or(0);
                was.abs_diff(seen.after[id])
            })
            .sum();
        check_books(seen, differences)?;
        let own_optimal = differences as f64 / 2.0 / keys;
        let moved = seen.moved as f64 / keys;
        let counts = by_place(&self.after, &seen.after);
        let weights = weight_shares(&self.after);
        let load = Load {
            counts: &counts,
            weights: &weights,
        };
        let receivers = self
            .after
            .nodes()
            .iter()
            .filter(|node| self.parts[node.id.index()].before && seen.gained[node.id.index()] > 0)
            .count();
        let mut values = vec![
            ("moved", Some(moved)),
            ("forced", Some(seen.forced as f64 / keys)),
            ("collateral", Some(seen.collateral as f64 / keys)),
            ("optimal", Some(optimal(before, &self.after))),
            ("own_optimal", Some(own_optimal)),
            ("peak_after", Some(load.peak())),
            ("cv_after", Some(load.cv())),
            ("receivers", Some(receivers as f64)),
        ];
        if self.one_way {
            values.push(("excess", (own_optimal > 0.0).then(|| moved / own_optimal)));
        }
        if self.restored.is_some() {
            values.push(("restored_mismatch", Some(seen.not_restored as f64 / keys)));
        }
        Ok(values)
    }
}

/// Gate 2, the books: moved = forced + collateral, and no fewer keys moved than the loads
/// themselves say. Both are identities; a breach is a fault of the harness, or of a router that
/// answers with nodes that are not there.
fn check_books(seen: &Seen, differences: u64) -> Result<(), String> {
    if seen.moved != seen.forced + seen.collateral {
        return Err(format!(
            "moved {} is not forced {} + collateral {}",
            seen.moved, seen.forced, seen.collateral
        ));
    }
    if 2 * seen.moved < differences {
        return Err(format!(
            "moved {} is less than half of the {differences} keys by which the loads differ",
            seen.moved
        ));
    }
    Ok(())
}

/// Half the sum over all nodes of the change of their share of the weight.
fn optimal(before: &Cluster, after: &Cluster) -> f64 {
    let shares = |cluster: &Cluster| -> HashMap<NodeId, f64> {
        let ids = cluster.nodes().iter().map(|node| node.id);
        ids.zip(weight_shares(cluster)).collect()
    };
    let (old, new) = (shares(before), shares(after));
    // Summed in joining order, so that the rounding is the same everywhere.
    let of = |shares: &HashMap<NodeId, f64>, id| shares.get(&id).copied().unwrap_or(0.0);
    let stayed_or_left = before.nodes().iter().map(|node| node.id);
    let joined = after.nodes().iter().map(|node| node.id);
    let joined = joined.filter(|id| !old.contains_key(id));
    stayed_or_left
        .chain(joined)
        .map(|id| (of(&new, id) - of(&old, id)).abs())
        .sum::<f64>()
        / 2.0
}

/// The members of a cluster, as specs.
fn specs(cluster: &Cluster) -> Vec<NodeSpec> {
    cluster
        .nodes()
        .iter()
        .map(|node| NodeSpec::new(&*node.name, node.weight))
        .collect()
}

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

/// Nodes up to which every loss is tried in turn.
const N1_UP_TO: u64 = 100;
/// Size, and keys, of the rolling restart.
const ROLLING: (u64, u64) = (40, 10_000);

/// Measures every change of one size for one seed.
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
) -> Result<Vec<Sample>, String> {
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
            return Ok(vec![sample("none".to_owned(), nodes.len(), 0, outcome)]);
        }
    };
    let mut samples = Vec::new();
    let mut trials = Vec::new();
    let curve = request
        .profile
        .curve
        .is_some_and(|(size, seeds)| size == n && seed < seeds);
    for scenario in scenarios(request, n, curve) {
        let batches = scenario.changes(seed, &nodes);
        let undo = matches!(scenario, Scenario::LoseRandom | Scenario::Add);
        match Trial::new(&before, &batches, scenario.name(), undo) {
            Ok(trial) => trials.push(trial),
            Err(why) => {
                let outcome = Outcome::Unsupported("moved", why);
                samples.push(sample(scenario.name(), nodes.len(), 0, outcome));
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
    Ok(samples)
}

/// A cluster that lost one node.
struct Loss {
    lost: NodeId,
    after: Cluster,
    by_id: Vec<u64>,
}

impl Loss {
    fn ask(&mut self, keys: Keys<'_>, owners_before: &[NodeId], owners: &mut [NodeId]) {
        place(&self.after, keys, Some(owners_before), owners);
        for owner in owners {
            self.by_id[owner.index()] += 1;
        }
    }
}

/// The losses behind `n1_peak`, each of a node with weight: all, or as many as the profile says,
/// drawn by seed. Empty where they are not measured; why not, where the strategy refuses one.
fn n1_losses(request: &Request, before: &Cluster, n: u64, seed: u64) -> Result<Vec<Loss>, String> {
    let mut nodes: Vec<_> = before
        .nodes()
        .iter()
        .filter(|node| node.weight > 0)
        .collect();
    if n > N1_UP_TO || nodes.len() < 2 {
        return Ok(Vec::new());
    }
    let mut rng = stream(seed, Purpose::Order);
    for i in 0..nodes.len() {
        let other = i + below(&mut rng, nodes.len() - i);
        nodes.swap(i, other);
    }
    nodes.truncate(usize::try_from(request.profile.n1_losses).unwrap_or(usize::MAX));
    nodes
        .into_iter()
        .map(|node| {
            let mut after = before.clone();
            after.remove(&node.name).map_err(|err| err.to_string())?;
            Ok(Loss {
                lost: node.id,
                after,
                by_id: vec![0; before.nodes().len()],
            })
        })
        .collect()
}

/// `n1_peak` and `failover_gain`: the worst over all losses and survivors.
fn n1_values(
    before: &Cluster,
    before_by_id: &[u64],
    losses: &Result<Vec<Loss>, String>,
) -> Option<Result<Values, String>> {
    let losses = match losses {
        Ok(losses) if losses.is_empty() => return None,
        Ok(losses) => losses,
        Err(why) => return Some(Err(why.clone())),
    };
    let keys: u64 = before_by_id.iter().sum();
    let shares = weight_shares(before);
    let (mut peak, mut gain) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for loss in losses {
        for (node, share) in before.nodes().iter().zip(&shares) {
            if node.id == loss.lost || node.weight == 0 {
                continue;
            }
            let fair = keys as f64 * share;
            let after = loss.by_id[node.id.index()] as f64;
            peak = peak.max(after / fair);
            gain = gain.max((after - before_by_id[node.id.index()] as f64) / fair);
        }
    }
    Some(Ok(vec![
        ("n1_peak", Some(peak)),
        ("failover_gain", Some(gain)),
    ]))
}

/// Two clusters that went through the same removals in different order.
struct Orders {
    clusters: [Cluster; 2],
    differing: u64,
    other: Vec<NodeId>,
}

impl Orders {
    fn ask(&mut self, keys: Keys<'_>, owners_before: &[NodeId], owners: &mut [NodeId]) {
        self.other.resize(keys.len(), NodeId::default());
        place(&self.clusters[0], keys, Some(owners_before), owners);
        place(
            &self.clusters[1],
            keys,
            Some(owners_before),
            &mut self.other,
        );
        // The two are clones of one cluster, so their ids mean the same names.
        let differing = owners.iter().zip(&self.other).filter(|(a, b)| a != b);
        self.differing += differing.count() as u64;
    }
}

/// The trial behind `order_disagreement`, for a strategy that does not claim to be order-free;
/// `None` for one that does, whose claim the contract suite tests.
fn order_trial(before: &Cluster, seed: u64, nodes: &[NodeSpec]) -> Option<Result<Orders, String>> {
    if before.spec().capabilities().order_free || nodes.len() < 3 {
        return None;
    }
    let orders = crate::workload::two_orders(seed, nodes, 10);
    let mut clusters = [before.clone(), before.clone()];
    for (cluster, order) in clusters.iter_mut().zip(&orders) {
        // One by one, as they would come in over a day; all at once could hide the order.
        for change in order {
            if let Err(err) = cluster.apply(std::slice::from_ref(change)) {
                return Some(Err(err.to_string()));
            }
        }
    }
    if !clusters[0].serves() {
        return None; // two empty clusters do not disagree
    }
    Some(Ok(Orders {
        clusters,
        differing: 0,
        other: Vec::new(),
    }))
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
