//! What the tests of every strategy over a bucket function check; the contract suite of `router`
//! comes on top. All of it is seeded, and panics at what does not hold.

use point_hash::SplitMix64;
use router::{Catalog, Cluster, Estimate, KeyBuf, NodeId, NodeSpec, Question, Spec, Strategy};

use crate::{BucketFn, Count};

/// Sampling errors from which a mean may deviate: 5, once in 1.7 million for a normal one. The
/// samples are fixed, so that a check either always holds or never.
const MOST_ERRORS: f64 = 5.0;

/// Checks that every bucket is one of the n, for each n up to `most` + 1, and that from n to n + 1
/// a key stays or goes to the new bucket: `n_keys` random hashes and a few extreme ones, all n.
///
/// # Panics
///
/// At the first hash and n for which that does not hold.
#[track_caller]
pub fn monotone(function: &impl BucketFn, n_keys: usize, most: u32) {
    let mut draws = SplitMix64::new(1);
    let extreme = [0, 1, 2, 3, u64::MAX, 1 << 63, 1 << 32, u64::from(u32::MAX)];
    let random = (0..n_keys).map(|_| draws.draw());
    for key_hash in extreme.into_iter().chain(random) {
        let mut before = 0;
        for n in 1..=most + 1 {
            let bucket = function.bucket(key_hash, n, &mut ());
            assert!(
                bucket == before || bucket == n - 1,
                "hash {key_hash:#x}: bucket {bucket} of {n}, {before} of {}",
                n - 1
            );
            before = bucket;
        }
    }
}

/// Checks the function against its strategy's theory among each of these numbers of buckets, with
/// `n_keys` random hashes: hash evaluations and probes a look-up (theory must state both), and the
/// buckets' shares, by chi-square.
///
/// # Panics
///
/// When a mean deviates from what is stated by more than 5 standard errors, or chi-square by more
/// than 5 of its standard deviations from its mean.
#[track_caller]
pub fn theory(
    function: &impl BucketFn,
    expected: impl Fn(Question) -> Option<Estimate>,
    n_keys: u32,
    sizes: &[u32],
) {
    for &n in sizes {
        let mut draws = SplitMix64::new(n.into());
        let mut counts = vec![0_u32; n as usize];
        let (mut hash_evals, mut probes) = (Mean::default(), Mean::default());
        for _ in 0..n_keys {
            let mut work = Count::default();
            counts[function.bucket(draws.draw(), n, &mut work) as usize] += 1;
            // The key's own hash is the router's.
            hash_evals.add(1 + work.hash_evals);
            probes.add(work.probes);
        }
        let n_nodes = u64::from(n);
        for (what, question, measured) in [
            (
                "hash evaluations",
                Question::HashEvals { n: n_nodes },
                hash_evals,
            ),
            ("probes", Question::Probes { n: n_nodes }, probes),
        ] {
            let stated = expected(question).expect("work is stated").mean;
            let (mean, error) = measured.mean_and_error();
            assert!(
                (mean - stated).abs() <= MOST_ERRORS * error + 1e-9,
                "{what} among {n}: {stated} stated, {mean} measured, standard error {error}"
            );
        }
        let shares = function.shares(n);
        let share = |bucket: usize| shares.as_ref().map_or(1.0 / f64::from(n), |it| it[bucket]);
        let chi2: f64 = counts
            .iter()
            .enumerate()
            .map(|(bucket, &count)| {
                let mean = f64::from(n_keys) * share(bucket);
                (f64::from(count) - mean).powi(2) / mean
            })
            .sum();
        let df = f64::from(n - 1);
        assert!(
            (chi2 - df).abs() <= MOST_ERRORS * (2.0 * df).sqrt() + 1e-9,
            "shares among {n}: chi-square {chi2} at {df} degrees of freedom"
        );
    }
}

/// A mean in the making.
#[derive(Clone, Copy, Default)]
struct Mean {
    n: f64,
    sum: f64,
    squares: f64,
}

impl Mean {
    fn add(&mut self, value: u32) {
        self.n += 1.0;
        self.sum += f64::from(value);
        self.squares += f64::from(value).powi(2);
    }

    fn mean_and_error(self) -> (f64, f64) {
        let mean = self.sum / self.n;
        let variance = (self.squares / self.n - mean * mean).max(0.0);
        (mean, (variance / self.n).sqrt())
    }
}

/// Walks a cluster of at most 8 nodes through 2,000 random additions and removals, and checks after
/// each, with 200 keys, that keys moved only to the node that joined or from the one that left, and,
/// for a strategy that claims to be free of history, that a cluster built anew answers alike.
///
/// # Panics
///
/// At the first step after which that does not hold.
#[track_caller]
pub fn walk(strategies: &'static [Strategy], spec: &str) {
    let spec = Catalog::new(strategies).unwrap().parse(spec).unwrap();
    let keys: KeyBuf = (0..200).map(|i| format!("key-{i}")).collect();
    let mut draws = SplitMix64::new(2);
    let mut cluster = Cluster::build(&spec, &[]).unwrap();
    let mut before = vec![None; keys.len()];
    for step in 0..2000 {
        let changed = change(&mut cluster, &mut draws);
        let after = owners(&cluster, &keys);
        for (i, (&from, &to)) in before.iter().zip(&after).enumerate() {
            let at_cause = from.is_none() || to.is_none() || [from, to].contains(&Some(changed));
            assert!(
                from == to || at_cause,
                "{spec}, step {step}: key-{i} moved from {from:?} to {to:?}"
            );
            let present = to.is_none_or(|id| cluster.nodes().get(id).is_some());
            assert!(present, "{spec}, step {step}: key-{i} is on {to:?}");
        }
        if spec.capabilities().history_free {
            same_when_built_anew(&spec, &cluster, &keys, &after);
        }
        before = after;
    }
}

/// Adds a node or removes one that may leave, and returns its id.
fn change(cluster: &mut Cluster, draws: &mut SplitMix64) -> NodeId {
    let nodes = cluster.nodes();
    let n = nodes.len() as u64;
    let grows = draws.draw() % 8 >= n;
    if grows || n == 0 {
        let free = (0..8).map(|i| format!("10.0.0.{i}:11211"));
        let mut free: Vec<String> = free
            .filter(|name| nodes.iter().all(|node| *node.name != **name))
            .collect();
        let name = free.swap_remove((draws.draw() % free.len() as u64) as usize);
        cluster.add(name.as_str()).unwrap();
        return cluster.id(&name).unwrap();
    }
    let place = match cluster.spec().capabilities().any_removal {
        true => draws.draw() % n,
        false => n - 1,
    };
    let (id, name) = (nodes[place as usize].id, nodes[place as usize].name.clone());
    cluster.remove(&name).unwrap();
    id
}

fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<Option<NodeId>> {
    keys.keys().iter().map(|key| cluster.route(key)).collect()
}

/// Ids differ from cluster to cluster, places in the joining order do not.
#[track_caller]
fn same_when_built_anew(spec: &Spec, cluster: &Cluster, keys: &KeyBuf, here: &[Option<NodeId>]) {
    let nodes = cluster.nodes().iter();
    let nodes: Vec<NodeSpec> = nodes.map(|node| (*node.name).into()).collect();
    let anew = Cluster::build(spec, &nodes).unwrap();
    let place = |of: &Cluster, id: Option<NodeId>| id.and_then(|id| of.nodes().position(id));
    for (i, (&here, there)) in here.iter().zip(owners(&anew, keys)).enumerate() {
        let (here, there) = (place(cluster, here), place(&anew, there));
        assert_eq!(here, there, "{spec}: key-{i} of {nodes:?}");
    }
}
