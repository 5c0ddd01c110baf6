//! What a strategy costs apart from time: counted work a look-up, and heap bytes.

use super::{
    alloc::heap_bytes,
    balance::deploy,
    cell::{Outcome, Sample},
    grid::{Contender, Request},
};

/// Keys whose look-ups are counted.
const TRACED: u64 = 1000;

/// `hash_evals` and `probes`: the mean over the first 1000 keys. Exact and the same everywhere.
pub(super) fn work(request: &Request, contender: &Contender, n: u64, seed: u64) -> Sample {
    let sample = |keys, outcome| Sample {
        change: "none".to_owned(),
        nodes: n,
        nodes_after: n,
        keys,
        outcome,
    };
    let cluster = match deploy(contender, &request.deployment(seed, n)) {
        Ok(cluster) => cluster,
        Err(why) => return sample(0, Outcome::Unsupported("hash_evals", why)),
    };
    let keys = request.key_set.keys(seed, TRACED);
    let (mut hash_evals, mut probes) = (0_u64, 0_u64);
    for key in keys.keys().iter() {
        let Some(trace) = cluster.trace(key) else {
            let why = "it does not say what a look-up does".to_owned();
            return sample(0, Outcome::Unsupported("hash_evals", why));
        };
        hash_evals += u64::from(trace.hash_evals);
        probes += u64::from(trace.probes);
    }
    let n_keys = keys.len() as f64;
    sample(
        keys.len() as u64,
        Outcome::Values(vec![
            ("hash_evals", Some(hash_evals as f64 / n_keys)),
            ("probes", Some(probes as f64 / n_keys)),
        ]),
    )
}

/// `heap_bytes` and `bytes_per_node` of the router alone, newly built, without the member list that
/// every cluster keeps.
pub(super) fn memory(request: &Request, contender: &Contender, n: u64, seed: u64) -> Sample {
    let sample = |outcome| Sample {
        change: "none".to_owned(),
        nodes: n,
        nodes_after: n,
        keys: 0,
        outcome,
    };
    let cluster = match deploy(contender, &request.deployment(seed, n)) {
        Ok(cluster) => cluster,
        Err(why) => return sample(Outcome::Unsupported("heap_bytes", why)),
    };
    let members = cluster.nodes();
    let (router, bytes) = heap_bytes(|| contender.spec.router(members));
    let outcome = match (router, bytes) {
        (Err(err), _) => Outcome::Unsupported("heap_bytes", err.to_string()),
        (Ok(_), None) => Outcome::Unsupported(
            "heap_bytes",
            "the program does not count its allocations".to_owned(),
        ),
        (Ok(_), Some(bytes)) => Outcome::Values(vec![
            ("heap_bytes", Some(bytes as f64)),
            ("bytes_per_node", Some(bytes as f64 / n as f64)),
        ]),
    };
    sample(outcome)
}
