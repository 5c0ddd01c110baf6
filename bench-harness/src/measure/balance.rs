//! Balance: how evenly keys lie on nodes, sampled with keys and exact by shares.

use router::{Cluster, Keys, NodeId, NodeSpec};

use super::{
    ask::{Asked, Tally, place, tally},
    cell::{Outcome, Sample, Values},
    grid::{Contender, Profile, Request},
    load::{Load, exact_peak_and_cv},
    metrics::{CHI2, CHI2_DF, DEPLOYMENTS, SHARE_VARIANCE},
    progress::{Interrupted, Progress},
    stats::{nearest_rank, quantile_interval, sample_sd},
};
use crate::workload::KeySet;

/// Nodes from which on the 1st and 99th percentile mean something.
const PERCENTILES_FROM: u64 = 1000;

/// Each node's share of the weight, in joining order.
pub(super) fn weight_shares(cluster: &Cluster) -> Vec<f64> {
    let total = cluster.nodes().total_weight() as f64;
    cluster
        .nodes()
        .iter()
        .map(|node| f64::from(node.weight) / total)
        .collect()
}

/// Counts by place in joining order from counts by id.
pub(super) fn by_place(cluster: &Cluster, by_id: &[u64]) -> Vec<u64> {
    cluster
        .nodes()
        .iter()
        .map(|node| by_id.get(node.id.index()).copied().unwrap_or(0))
        .collect()
}

/// Builds the cluster of a deployment; why not, where the strategy refuses it.
pub(super) fn deploy(contender: &Contender, nodes: &[NodeSpec]) -> Result<Cluster, String> {
    Cluster::build(&contender.spec, nodes).map_err(|err| err.to_string())
}

/// Measures balance for one seed, and the checksum of all owners: strategies with equal checksums place
/// every key alike.
///
/// # Errors
///
/// When the run was interrupted.
pub(super) fn measure(
    request: &Request,
    contender: &Contender,
    key_set: &KeySet,
    n: u64,
    n_keys: u64,
    seed: u64,
    progress: &Progress,
) -> Result<(Sample, u64), Interrupted> {
    let nodes = request.deployment(seed, n);
    let sample = |keys, outcome| Sample {
        change: "none".to_owned(),
        nodes: n,
        nodes_after: n,
        keys,
        outcome,
    };
    let cluster = match deploy(contender, &nodes) {
        Ok(cluster) => cluster,
        Err(why) => return Ok((sample(0, Outcome::Unsupported("peak_to_avg", why)), 0)),
    };
    let asked = Asked {
        spec: &contender.spec,
        key_set,
        seed,
        n: n_keys,
    };
    let Owned {
        by_id, checksum, ..
    } = tally(&asked, progress, || Owned {
        cluster: &cluster,
        by_id: vec![0; nodes.len()],
        checksum: 0,
        owners: Vec::new(),
    })?;
    let weights = weight_shares(&cluster);
    let counts = by_place(&cluster, &by_id);
    let load = Load {
        counts: &counts,
        weights: &weights,
    };
    let values = values(&cluster, load, n);
    Ok((sample(n_keys, Outcome::Values(values)), checksum))
}

/// What keys are whose.
struct Owned<'a> {
    cluster: &'a Cluster,
    by_id: Vec<u64>,
    checksum: u64,
    /// Of the keys at hand.
    owners: Vec<NodeId>,
}

impl Tally for Owned<'_> {
    fn count(&mut self, first: u64, keys: Keys<'_>) {
        self.owners.resize(keys.len(), NodeId::default());
        place(self.cluster, keys, None, &mut self.owners);
        for (key, owner) in (first..).zip(&self.owners) {
            self.by_id[owner.index()] += 1;
            self.checksum = self.checksum.wrapping_add(mark(key, *owner));
        }
    }

    fn add(&mut self, other: Self) {
        add_each(&mut self.by_id, &other.by_id);
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

/// Adds counts to counts of the same nodes.
pub(super) fn add_each(counts: &mut [u64], more: &[u64]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

/// The mark of one key's owner. Their sum, modulo 2^64, is the checksum of all owners: it can be added
/// up in any order, and tells which key is whose.
#[inline]
pub(super) fn mark(key: u64, owner: NodeId) -> u64 {
    // Odd multipliers keep every bit of both; the shift brings high bits to where they count.
    let mixed = (key ^ u64::from(owner.get()).rotate_left(40)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

fn values(cluster: &Cluster, load: Load<'_>, n: u64) -> Values {
    let variance = load.share_variance();
    let (statistic, df) = load.chi2(load.weights);
    let mut values = vec![
        ("peak_to_avg", Some(load.peak())),
        ("min_to_avg", Some(load.min())),
        ("cv", Some(load.cv())),
        ("sd_keys", Some(load.sd_keys())),
        ("share_cv", Some(variance.max(0.0).sqrt())),
        (SHARE_VARIANCE, Some(variance)),
        (CHI2, Some(statistic)),
        (CHI2_DF, Some(df)),
    ];
    if n >= PERCENTILES_FROM {
        let (p01, p99) = load.p01_p99();
        values.push(("p01_to_avg", Some(p01)));
        values.push(("p99_to_avg", Some(p99)));
    }
    if let Some(shares) = cluster.shares() {
        let (peak, cv) = exact_peak_and_cv(&shares, load.weights);
        values.push(("exact_peak", Some(peak)));
        values.push(("exact_cv", Some(cv)));
        values.push(("chi2_p_shares", Some(load.chi2_p(&shares))));
    }
    if cluster.spec().capabilities().even {
        values.push(("chi2_p", Some(load.chi2_p(load.weights))));
    }
    values
}

/// Fewest deployments behind a 95th percentile.
const FEWEST_DEPLOYMENTS: u64 = 20;

/// The busiest node of many deployments, by exact shares: how unlucky node names can be.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Peaks(Vec<f64>);

impl Peaks {
    /// These peaks, one a deployment; nothing where there is none.
    pub(crate) fn new(mut peaks: Vec<f64>) -> Option<Self> {
        peaks.sort_by(f64::total_cmp);
        (!peaks.is_empty()).then_some(Self(peaks))
    }

    /// How many deployments there are.
    pub(crate) fn deployments(&self) -> u64 {
        self.0.len() as u64
    }

    /// The nearest-rank quantile.
    pub(crate) fn quantile(&self, q: f64) -> f64 {
        nearest_rank(&self.0, q)
    }

    /// The 95 % interval of that quantile by order statistics.
    pub(crate) fn interval(&self, q: f64) -> (f64, f64) {
        quantile_interval(&self.0, q)
    }

    /// The mean, and its standard error.
    pub(crate) fn mean(&self) -> (f64, f64) {
        let n = self.0.len() as f64;
        let mean = self.0.iter().sum::<f64>() / n;
        let error = sample_sd(&self.0).map_or(0.0, |sd| sd / n.sqrt());
        (mean, error)
    }
}

/// The busiest node of one deployment, in fair shares, by exact shares. `None` where the strategy
/// refuses the nodes, or `shares` needs keys.
pub(crate) fn exact_peak(contender: &Contender, nodes: &[NodeSpec]) -> Option<f64> {
    let cluster = deploy(contender, nodes).ok()?;
    let (peak, _) = exact_peak_and_cv(&cluster.shares()?, &weight_shares(&cluster));
    Some(peak)
}

/// How many deployments of `n` nodes the profile affords, or why they are too few.
pub(crate) fn affordable(profile: &Profile, contender: &Contender, n: u64) -> Result<u64, String> {
    let most = if n < 1000 {
        profile.deployments
    } else {
        profile.deployments_large
    };
    let entries = contender.entries(n);
    let runs = most.min(profile.deployed_entries / entries);
    if runs < FEWEST_DEPLOYMENTS {
        return Err(format!("{entries} points or table entries a deployment"));
    }
    Ok(runs)
}

/// Measures how unlucky node names can be: the quantiles of the exact peak over many deployments.
/// `None` where `shares` needs keys, or the user gave the nodes.
pub(super) fn deployments(request: &Request, contender: &Contender, n: u64) -> Option<Sample> {
    if request.nodes.is_some() {
        return None;
    }
    let sample = |outcome| Sample {
        change: "none".to_owned(),
        nodes: n,
        nodes_after: n,
        keys: 0,
        outcome,
    };
    let runs = match affordable(&request.profile, contender, n) {
        Ok(runs) => runs,
        Err(why) => return Some(sample(Outcome::OverBudget("exact_peak_p95", why))),
    };
    let peaks = (0..runs).map(|seed| exact_peak(contender, &request.deployment(seed, n)));
    let peaks = Peaks::new(peaks.collect::<Option<_>>()?)?;
    let quantile = |q| Some(peaks.quantile(q));
    Some(sample(Outcome::Values(vec![
        (DEPLOYMENTS, Some(runs as f64)),
        ("exact_peak_p50", quantile(0.50)),
        ("exact_peak_p95", quantile(0.95)),
        ("exact_peak_p99", quantile(0.99)),
    ])))
}
