//! One strategy under one seed: alone, and under every bound.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use router::{Cluster, Error, Keys, NodeId};

use super::{Bound, Count, Skew, World};
use crate::{
    experiment::{Setup, counts},
    measure::{Load, placed},
};

/// A value.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) bound: Bound,
    pub(super) count: Count,
    pub(super) value: f64,
}

/// What one strategy showed under one seed.
#[derive(Default, Debug)]
pub(super) struct Trial {
    pub(super) samples: Vec<Sample>,
    /// What could not be bounded, and why.
    pub(super) refused: Vec<String>,
}

impl Trial {
    /// Runs it.
    pub(super) fn run(setup: &Setup<'_>, skew: &Skew, spec: &str, world: &World) -> Result<Self> {
        let mut trial = Self::default();
        let cluster = build(setup, spec, world).with_context(|| spec.to_owned())?;
        let owners = placed(&cluster, world.keys.keys(), None);
        trial.peaks_of_keys(world, Bound::Alone, &cluster, &owners);
        for overflow in 0..skew.overflows.len() {
            for (factor, times) in skew.factors.iter().enumerate() {
                setup.check()?;
                let bounded = skew.bounded_spec(spec, overflow, factor);
                let cluster = match build(setup, &bounded, world) {
                    Ok(cluster) => cluster,
                    Err(why) => {
                        trial.refused.push(format!("left out: {why}"));
                        break;
                    }
                };
                trial.bounded_keys(world, Bound::Keys(overflow, factor), *times, &cluster);
                for zipf in 0..skew.zipf.len() {
                    let bound = Bound::Requests(zipf, overflow, factor);
                    trial.bounded_requests(world, zipf, bound, *times, &cluster);
                }
            }
        }
        Ok(trial)
    }

    fn add(&mut self, bound: Bound, count: Count, value: f64) {
        self.samples.push(Sample {
            bound,
            count,
            value,
        });
    }

    /// Each key is placed once, and all its requests go there.
    fn bounded_keys(&mut self, world: &World, bound: Bound, factor: f64, cluster: &Cluster) {
        let owners = self.costs(world, bound, factor, cluster, world.keys.keys());
        self.peaks_of_keys(world, bound, cluster, &owners);
    }

    /// Each request is placed by itself.
    fn bounded_requests(
        &mut self,
        world: &World,
        zipf: usize,
        bound: Bound,
        factor: f64,
        cluster: &Cluster,
    ) {
        let demand = &world.demands[zipf];
        let owners = self.costs(world, bound, factor, cluster, demand.stream.keys());
        self.add(bound, Count::Peak(zipf), peak_and_cv(cluster, &owners).0);
        let hot = demand.order.iter().zip(&owners);
        let holders = hot.filter(|it| *it.0 == world.hottest).map(|it| *it.1);
        let holders: BTreeSet<NodeId> = holders.collect();
        self.add(bound, Count::Holders(zipf), holders.len() as f64);
    }

    /// Requests of the busiest node, for every popularity, where all requests of a key go to its owner.
    fn peaks_of_keys(&mut self, world: &World, bound: Bound, cluster: &Cluster, owners: &[NodeId]) {
        for (zipf, demand) in world.demands.iter().enumerate() {
            let sent: Vec<NodeId> = demand.order.iter().map(|&key| owners[key]).collect();
            self.add(bound, Count::Peak(zipf), peak_and_cv(cluster, &sent).0);
            self.add(bound, Count::Holders(zipf), 1.0);
        }
    }

    /// Places a set under the bound, and counts what that costs; the owners.
    fn costs(
        &mut self,
        world: &World,
        bound: Bound,
        factor: f64,
        cluster: &Cluster,
        keys: Keys<'_>,
    ) -> Vec<NodeId> {
        let mut at_home = vec![NodeId::default(); keys.len()];
        cluster.route_batch(keys, &mut at_home);
        let owners = placed(cluster, keys, None);
        let size = keys.len() as f64;
        self.add(bound, Count::Spill, differing(&at_home, &owners) / size);
        if let Some(probes) = cluster.assign_probes(keys) {
            let extra: u64 = probes
                .iter()
                .map(|&it| u64::from(it.saturating_sub(1)))
                .sum();
            self.add(bound, Count::Extra, extra as f64 / size);
        }
        let fair = factor * size / cluster.nodes().len() as f64;
        let on_nodes = counts(cluster, &owners);
        let share = |of: &dyn Fn(f64) -> bool| {
            let found = on_nodes.iter().filter(|&&count| of(count as f64));
            found.count() as f64
        };
        // A factor such as 1.1 is not exact in binary: a hair below a whole number is that number.
        let cap = libm::ceil(fair - 1e-9 * fair);
        self.add(bound, Count::Above, share(&|count| count > cap));
        let full = share(&|count| count + 1.0 > fair) / on_nodes.len() as f64;
        self.add(bound, Count::Full, full);
        self.add(bound, Count::Cv, peak_and_cv(cluster, &owners).1);
        let mut after_at_home = at_home.clone();
        for loss in &world.losses {
            let mut after = cluster.clone();
            // A strategy that loses only its last node loses none here.
            if after.apply(std::slice::from_ref(loss)).is_err() || !after.serves() {
                continue;
            }
            after.route_batch(keys, &mut after_at_home);
            let moved = placed(&after, keys, Some(&owners));
            self.add(bound, Count::Moved, differing(&owners, &moved) / size);
            let alone = differing(&at_home, &after_at_home) / size;
            self.add(bound, Count::MovedAlone, alone);
        }
        owners
    }
}

/// The cluster, or why there is none.
fn build(setup: &Setup<'_>, spec: &str, world: &World) -> Result<Cluster, Error> {
    Cluster::build(&setup.catalog.parse(spec)?, &world.nodes)
}

/// How many of them differ.
fn differing(a: &[NodeId], b: &[NodeId]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a != b).count() as f64
}

/// Peak and coefficient of variation of the load that owners make, for nodes of equal weight.
fn peak_and_cv(cluster: &Cluster, owners: &[NodeId]) -> (f64, f64) {
    let counts = counts(cluster, owners);
    let weights = vec![1.0 / counts.len() as f64; counts.len()];
    let load = Load {
        counts: &counts,
        weights: &weights,
    };
    (load.peak(), load.cv())
}
