//! Views: what clients that know different nodes do to the same keys.
//!
//! Karger and others (1997) call it spread and load: how many nodes hold a key when clients
//! disagree about who is there, and how much one node holds over all of them.

use std::collections::BTreeSet;

use router::{Change, Cluster, NodeId};

use super::{
    ask::place,
    balance::{deploy, weight_shares},
    cell::{Outcome, Sample, Values},
    grid::{Contender, Request},
    metrics::{STALE_OPTIMAL, VIEW_OPTIMAL},
    stats::nearest_rank,
    trial::{Shares, optimal},
};
use crate::workload::{Purpose, Scenario, View, below, stream};

/// Clients, each with a view of its own.
pub(super) const CLIENTS: usize = 30;
/// Changes that reach the clients one by one.
const SPREADING: [Scenario; 3] = [Scenario::LoseRandom, Scenario::Add, Scenario::Rolling];

/// Measures every kind of view, and what is missed while changes spread, for one seed.
pub(super) fn measure(request: &Request, contender: &Contender, n: u64, seed: u64) -> Vec<Sample> {
    let nodes = request.deployment(seed, n);
    let n_keys = request.profile.view_keys;
    let sample = |change: String, outcome| Sample {
        change,
        nodes: n,
        nodes_after: n,
        keys: n_keys,
        outcome,
    };
    let cluster = match deploy(contender, &nodes) {
        Ok(cluster) => cluster,
        Err(why) => {
            let outcome = Outcome::Unsupported("view_disagreement", why);
            return vec![sample("none".to_owned(), outcome)];
        }
    };
    let keys = request.key_set.keys(seed, n_keys);
    let owners_of = |cluster: &Cluster| {
        let mut owners = vec![NodeId::default(); keys.len()];
        place(cluster, keys.keys(), None, &mut owners);
        owners
    };
    let mut samples = Vec::new();
    for view in View::ALL {
        let outcome = match known_by(&cluster, view, CLIENTS, seed) {
            Err(why) => Outcome::Unsupported("view_disagreement", why),
            Ok(views) => {
                let owners: Vec<_> = views.iter().map(owners_of).collect();
                Outcome::Values(Agreement::of(&views, &owners).values())
            }
        };
        samples.push(sample(view.name(), outcome));
    }
    for scenario in SPREADING {
        let changes = scenario.changes(seed, &nodes);
        let outcome = match Stale::count(&cluster, &changes, CLIENTS, owners_of) {
            Ok(stale) => Outcome::Values(vec![
                ("stale_misses", Some(stale.share())),
                (STALE_OPTIMAL, Some(stale.least)),
            ]),
            Err(why) => Outcome::Unsupported("stale_misses", why),
        };
        samples.push(sample(scenario.name(), outcome));
    }
    samples
}

/// The cluster as each of so many clients knows it.
///
/// # Errors
///
/// Why the strategy refuses one of them.
pub(crate) fn known_by(
    cluster: &Cluster,
    view: View,
    clients: usize,
    seed: u64,
) -> Result<Vec<Cluster>, String> {
    let mut rng = stream(seed, Purpose::Order);
    let names: Vec<_> = cluster.nodes().iter().map(|it| it.name.clone()).collect();
    let nodes: Vec<_> = cluster
        .nodes()
        .iter()
        .map(|it| (&*it.name).into())
        .collect();
    let rollout = Scenario::Rolling.changes(seed, &nodes);
    (0..clients)
        .map(|client| {
            let mut known = cluster.clone();
            let changes: Vec<Change> = match view {
                View::Missing(m) => {
                    let mut names = names.clone();
                    for i in 0..m.min(names.len()) {
                        let other = i + below(&mut rng, names.len() - i);
                        names.swap(i, other);
                    }
                    names.truncate(m);
                    let lost = names.into_iter();
                    lost.map(|name| Change::Remove(name.to_string())).collect()
                }
                // Client c has seen c mod (m + 1) of the changes: the last of them is m behind.
                View::Behind(m) => {
                    let seen = client % (m + 1);
                    rollout.iter().take(seen).flatten().cloned().collect()
                }
            };
            known.apply(&changes).map_err(|err| err.to_string())?;
            if !known.serves() {
                return Err("no node with weight would be left".to_owned());
            }
            Ok(known)
        })
        .collect()
}

/// How far views of the same keys agree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Agreement {
    /// Share of keys on which two clients differ, the mean over all pairs; 0 where there is no pair.
    pub(crate) disagreement: f64,
    /// Half the difference of the nodes' shares of the weight in two views, the mean over all pairs.
    least: f64,
    /// Owners of a key over all views, the mean over the keys.
    pub(crate) spread: f64,
    /// The same, 99th percentile.
    pub(crate) spread_p99: f64,
    /// Keys that any view gives to a node, in fair shares of the view in which it weighs most: the
    /// busiest node.
    pub(crate) load: f64,
}

impl Agreement {
    /// Counts it. `owners` holds each view's owners of all keys; ids mean the same names in all of
    /// them, because all are clones of one cluster.
    pub(crate) fn of(views: &[Cluster], owners: &[Vec<NodeId>]) -> Self {
        let n_keys = owners[0].len();
        let clients = owners.len() as u64;
        let pairs = clients * (clients - 1) / 2;
        let shares: Vec<Shares> = views.iter().map(Shares::of).collect();
        let least: f64 = (0..views.len())
            .flat_map(|i| (i + 1..views.len()).map(move |j| (i, j)))
            .map(|(i, j)| shares[i].optimal(&shares[j]))
            .sum();
        let mut differing = 0;
        let mut spread = Vec::with_capacity(n_keys);
        let n_ids = owners.iter().flatten().map(|id| id.index() + 1).max();
        let mut held = vec![0_u64; n_ids.unwrap_or(0)];
        let mut distinct = Vec::with_capacity(owners.len());
        for key in 0..n_keys {
            distinct.clear();
            distinct.extend(owners.iter().map(|owners| owners[key]));
            distinct.sort_unstable();
            // Of the pairs of clients those agree that name the same owner.
            let alike = distinct.chunk_by(|a, b| a == b);
            let alike = alike.map(|them| them.len() as u64);
            differing += pairs - alike.map(|n| n * (n - 1) / 2).sum::<u64>();
            distinct.dedup();
            spread.push(distinct.len() as f64);
            for owner in &distinct {
                held[owner.index()] += 1;
            }
        }
        let mean = spread.iter().sum::<f64>() / n_keys as f64;
        spread.sort_by(f64::total_cmp);
        // A node's fair share is that of the view in which it weighs most.
        let mut shares = vec![0.0_f64; held.len()];
        for view in views {
            for (node, share) in view.nodes().iter().zip(weight_shares(view)) {
                if let Some(most) = shares.get_mut(node.id.index()) {
                    *most = most.max(share);
                }
            }
        }
        let loads = held.iter().zip(&shares);
        let loads = loads.filter(|&(&held, _)| held > 0);
        let load = loads
            .map(|(&held, share)| held as f64 / (n_keys as f64 * share))
            .fold(0.0, f64::max);
        let all_pairs = (pairs.max(1) * n_keys as u64) as f64;
        Self {
            disagreement: differing as f64 / all_pairs,
            least: least / pairs.max(1) as f64,
            spread: mean,
            spread_p99: nearest_rank(&spread, 0.99),
            load,
        }
    }

    fn values(&self) -> Values {
        vec![
            ("view_disagreement", Some(self.disagreement)),
            (VIEW_OPTIMAL, Some(self.least)),
            ("view_spread", Some(self.spread)),
            ("view_spread_p99", Some(self.spread_p99)),
            ("view_load", Some(self.load)),
        ]
    }
}

/// Look-ups that miss while changes reach the clients one by one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stale {
    /// Misses when 1, 2 and so on clients have heard of a change, over all changes.
    misses: Vec<u64>,
    /// Look-ups behind each of these numbers.
    look_ups: u64,
    /// The share of look-ups that miss of a strategy which moves no more than it must.
    pub(crate) least: f64,
}

impl Stale {
    /// The share of all look-ups that miss.
    pub(crate) fn share(&self) -> f64 {
        let look_ups = self.look_ups * self.misses.len() as u64;
        self.misses.iter().sum::<u64>() as f64 / look_ups as f64
    }

    /// The share of look-ups that miss when 1, 2 and so on clients have heard of a change.
    pub(crate) fn by_heard(&self) -> impl Iterator<Item = f64> {
        let misses = self.misses.iter();
        misses.map(|&it| it as f64 / self.look_ups as f64)
    }

    /// Lets changes reach the clients one by one.
    ///
    /// Every key is cached where it belongs before the first change. A change happens to the nodes at
    /// once: who leaves is gone with what it held. Then client after client hears of it, and after each
    /// every key is looked up once, by the clients in turn. A look-up misses when it asks a node that is
    /// gone, or one that does not hold the key; in the second case the node holds it from then on. The
    /// next change begins when the last client has heard of this one.
    ///
    /// Of the keys of a node that is gone, those who have not heard miss all, (C - 1) / 2 of C look-ups
    /// with C clients, and the first who has heard misses once more; of the keys that only change hands,
    /// the first who has heard misses.
    ///
    /// # Errors
    ///
    /// Why the strategy refuses a change.
    pub(crate) fn count(
        cluster: &Cluster,
        batches: &[Vec<Change>],
        n_clients: usize,
        owners_of: impl Fn(&Cluster) -> Vec<NodeId>,
    ) -> Result<Self, String> {
        let mut cluster = cluster.clone();
        let mut before = owners_of(&cluster);
        // Nodes that hold each key; a handful at most.
        let mut holders: Vec<Vec<NodeId>> = before.iter().map(|&owner| vec![owner]).collect();
        let mut misses = vec![0_u64; n_clients];
        let mut least = 0.0;
        for batch in batches {
            let old = cluster.clone();
            cluster.apply(batch).map_err(|err| err.to_string())?;
            if !cluster.serves() {
                return Err("no node with weight would be left".to_owned());
            }
            let after = owners_of(&cluster);
            let alive: BTreeSet<NodeId> = cluster.nodes().iter().map(|node| node.id).collect();
            let clients = n_clients as f64;
            let gone = old.nodes().iter().zip(weight_shares(&old));
            let gone = gone.filter(|(node, _)| !alive.contains(&node.id));
            let gone: f64 = gone.map(|(_, share)| share).sum();
            let handed_on = (optimal(&old, &cluster) - gone).max(0.0);
            least += gone * (clients + 1.0) / (2.0 * clients) + handed_on / clients;
            for held in &mut holders {
                held.retain(|id| alive.contains(id));
            }
            for (key, held) in holders.iter_mut().enumerate() {
                let (old, new) = (before[key], after[key]);
                if old == new {
                    // All clients ask one node, which is there: only the first may miss.
                    if !held.contains(&new) {
                        misses[0] += 1;
                        held.push(new);
                    }
                    continue;
                }
                for (informed, misses) in (1..).zip(&mut misses) {
                    let knows = (key + informed) % n_clients < informed;
                    let asked = if knows { new } else { old };
                    if !alive.contains(&asked) {
                        *misses += 1;
                    } else if !held.contains(&asked) {
                        *misses += 1;
                        held.push(asked);
                    }
                }
            }
            before = after;
        }
        Ok(Self {
            misses,
            look_ups: (holders.len() * batches.len()) as u64,
            least: least / batches.len().max(1) as f64,
        })
    }
}
