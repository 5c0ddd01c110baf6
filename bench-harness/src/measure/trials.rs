//! All that one asking of the keys measures of a cluster: its changes, beside each other, key by key.

use router::{Change, Cluster, Keys, NodeId, NodeSpec};

use super::{
    ask::{Tally, place},
    balance::add_each,
    cell::Outcome,
    grid::Request,
    losses::{Loss, n1_losses},
    orders::{Orders, order_trial},
    trial::{Seen, Trial},
};
use crate::{
    record::OWN_CHANGE,
    workload::{LossOrder, Scenario},
};

/// What is measured beside each other, each key of all of it at once.
pub(super) struct Trials<'a> {
    before: &'a Cluster,
    pub(super) changes: Vec<Trial>,
    /// Losses of one node, behind `n1_peak`.
    pub(super) losses: Vec<Loss>,
    /// Behind `order_disagreement`.
    pub(super) orders: Option<Orders>,
    /// What is not measured, and why.
    pub(super) refused: Vec<Refused>,
}

/// Something that is not measured.
pub(super) struct Refused {
    pub(super) change: String,
    /// It stands in front of this one of the changes that are measured.
    pub(super) place: u64,
    pub(super) nodes_after: usize,
    pub(super) why: Outcome,
}

/// The change in whose rows `order_disagreement` stands.
pub(super) const TWO_ORDERS: &str = "lose-10pct";

impl<'a> Trials<'a> {
    /// Everything that is to be measured of a cluster of `nodes` with so many keys.
    pub(super) fn of(
        request: &Request,
        before: &'a Cluster,
        nodes: &[NodeSpec],
        n_keys: u64,
        seed: u64,
    ) -> Self {
        let n = nodes.len() as u64;
        let most = request.profile.one_loss_beyond;
        let beyond = n_keys > most;
        let too_much = |metric| {
            let why = format!("{n_keys} keys; with more than {most} one loss is measured, no more");
            Outcome::OverBudget(metric, why)
        };
        let mut trials = Self {
            before,
            changes: Vec::new(),
            losses: Vec::new(),
            orders: None,
            refused: Vec::new(),
        };
        let the_loss = one_loss(before, seed, nodes);
        for (name, batches, undo) in changes(request, n, seed, nodes) {
            let asked = !beyond || Some(&name) == the_loss.as_ref() || name == OWN_CHANGE;
            match Trial::new(before, &batches, name.clone(), undo && !beyond) {
                Ok(trial) if asked => trials.changes.push(trial),
                Ok(_) => trials.refuse(&name, nodes.len(), too_much("moved")),
                Err(why) => trials.refuse(&name, nodes.len(), Outcome::Unsupported("moved", why)),
            }
        }
        let mut refuse_n1 = |why| trials.refuse("none", nodes.len() - 1, why);
        match n1_losses(request, before, n, seed) {
            Ok(losses) if beyond && !losses.is_empty() => refuse_n1(too_much("n1_peak")),
            Ok(losses) => trials.losses = losses,
            Err(why) => refuse_n1(Outcome::Unsupported("n1_peak", why)),
        }
        let mut refuse_orders = |why| trials.refuse(TWO_ORDERS, nodes.len(), why);
        match order_trial(before, seed, nodes) {
            None => {}
            Some(Ok(_)) if beyond => refuse_orders(too_much("order_disagreement")),
            Some(Ok(orders)) => trials.orders = Some(orders),
            Some(Err(why)) => refuse_orders(Outcome::Unsupported("order_disagreement", why)),
        }
        trials
    }

    fn refuse(&mut self, change: &str, nodes_after: usize, why: Outcome) {
        self.refused.push(Refused {
            change: change.to_owned(),
            place: self.changes.len() as u64,
            nodes_after,
            why,
        });
    }
}

/// What was counted of them so far.
pub(super) struct Counted<'a> {
    trials: &'a Trials<'a>,
    pub(super) before_by_id: Vec<u64>,
    /// One a change.
    pub(super) seen: Vec<Seen>,
    /// By id, one list a loss.
    pub(super) lost_by_id: Vec<Vec<u64>>,
    /// Keys on which the two orders differ.
    pub(super) differing: u64,
    /// Of the keys at hand: owners before, and room for those after.
    owners: [Vec<NodeId>; 2],
}

impl<'a> Counted<'a> {
    pub(super) fn new(trials: &'a Trials<'a>) -> Self {
        // Made of these nodes alone, so their ids are the first.
        let n = trials.before.nodes().len();
        Self {
            trials,
            before_by_id: vec![0; n],
            seen: trials.changes.iter().map(Trial::nothing_seen).collect(),
            lost_by_id: vec![vec![0; n]; trials.losses.len()],
            differing: 0,
            owners: Default::default(),
        }
    }
}

impl Tally for Counted<'_> {
    fn count(&mut self, first: u64, keys: Keys<'_>) {
        let [owners_before, owners] = &mut self.owners;
        owners_before.resize(keys.len(), NodeId::default());
        owners.resize(keys.len(), NodeId::default());
        place(self.trials.before, keys, None, owners_before);
        for owner in &*owners_before {
            self.before_by_id[owner.index()] += 1;
        }
        for (trial, seen) in self.trials.changes.iter().zip(&mut self.seen) {
            trial.ask(seen, (first, keys), owners_before, owners);
        }
        for (loss, by_id) in self.trials.losses.iter().zip(&mut self.lost_by_id) {
            loss.ask(by_id, keys, owners_before, owners);
        }
        if let Some(orders) = &self.trials.orders {
            self.differing += orders.ask(keys, owners_before, owners);
        }
    }

    fn add(&mut self, other: Self) {
        add_each(&mut self.before_by_id, &other.before_by_id);
        for (seen, more) in self.seen.iter_mut().zip(&other.seen) {
            seen.add(more);
        }
        for (by_id, more) in self.lost_by_id.iter_mut().zip(&other.lost_by_id) {
            add_each(by_id, more);
        }
        self.differing += other.differing;
    }
}

/// The scenarios of one size: those that are measured one change at a time.
fn scenarios(request: &Request, n: u64, curve: bool) -> Vec<Scenario> {
    Scenario::all()
        .into_iter()
        .filter(|scenario| match scenario {
            Scenario::None | Scenario::Rolling => false,
            Scenario::Curve(_) => curve,
            Scenario::LosePercent(_, order) => {
                *order == LossOrder::Random || request.profile.loss_orders
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

/// The changes of one size, by name, and whether each is also undone: the scenarios, and the user's own.
fn changes(
    request: &Request,
    n: u64,
    seed: u64,
    nodes: &[NodeSpec],
) -> Vec<(String, Vec<Vec<Change>>, bool)> {
    let curve = request
        .profile
        .curve
        .is_some_and(|(size, seeds)| size == n && seed < seeds);
    let scenarios = scenarios(request, n, curve).into_iter().map(|scenario| {
        let undo = matches!(scenario, Scenario::LoseRandom | Scenario::Add);
        (scenario.name(), scenario.changes(seed, nodes), undo)
    });
    let own: Vec<Vec<Change>> = request.changes.iter().map(|it| vec![it.clone()]).collect();
    let own = (!own.is_empty()).then(|| (OWN_CHANGE.to_owned(), own, true));
    scenarios.chain(own).collect()
}

/// The loss that is measured where no more than one is: of a random node, or of the last where only that
/// may leave.
fn one_loss(before: &Cluster, seed: u64, nodes: &[NodeSpec]) -> Option<String> {
    let losses = [Scenario::LoseRandom, Scenario::LoseLast];
    let allowed = |it: &Scenario| {
        let batches = it.changes(seed, nodes);
        Trial::new(before, &batches, it.name(), false).is_ok()
    };
    let loss = losses.into_iter().find(allowed);
    loss.map(|it| it.name())
}
