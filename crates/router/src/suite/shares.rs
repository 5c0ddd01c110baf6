//! Exact shares: sound by themselves, and what random keys see.

use crate::{Cluster, NodeSpec};

use super::{
    Bench, Checked, Stop,
    draw::{ADDRESSES, Rng},
    show::{show_nodes, show_owner},
    stats::counts_agree,
    worlds::{Depth, everywhere, owners},
};

/// Exact shares are not negative, add up to 1, and are those of nodes with weight.
pub(super) fn shares(bench: &Bench) -> Checked {
    shares_or_unsupported(bench)?;
    everywhere(bench, Depth::Shallow, &|it| {
        let cluster = &it.after.cluster;
        if cluster.serves() {
            sound_shares(cluster).map_err(|err| format!("{err}; {}", show_nodes(cluster)))?;
        }
        Ok(())
    })
}

fn shares_or_unsupported(bench: &Bench) -> Checked {
    match bench.cluster(&ADDRESSES[..bench.room(2)])?.shares() {
        Some(_) => Ok(()),
        None => Err(Stop::Unsupported("it does not compute exact shares".into())),
    }
}

fn sound_shares(cluster: &Cluster) -> Result<(), String> {
    let Some(shares) = cluster.router().shares() else {
        return Err("there are no shares, though other clusters have some".into());
    };
    for (i, &(id, share)) in shares.iter().enumerate() {
        let name = show_owner(cluster, Some(id));
        let weight = cluster.nodes().get(id).map(|node| node.weight);
        if weight.is_none() || (weight == Some(0) && share != 0.0) {
            return Err(format!("{name} owns nothing and has share {share}"));
        }
        if !share.is_finite() || share < 0.0 {
            return Err(format!("the share of {name} is {share}"));
        }
        if shares[..i].iter().any(|&(other, _)| other == id) {
            return Err(format!("{name} has two shares"));
        }
    }
    let sum: f64 = shares.iter().map(|&(_, share)| share).sum();
    if (sum - 1.0).abs() > 1e-9 {
        return Err(format!("the shares add up to {sum}"));
    }
    Ok(())
}

/// Random keys fall on nodes as the exact shares say, within chance.
pub(super) fn shares_sampled(bench: &Bench) -> Checked {
    shares_or_unsupported(bench)?;
    let mut rng = Rng::new(50);
    for n in [2, 3, 5, 10, 40] {
        let names = rng.addresses(bench.room(n));
        let mut nodes: Vec<NodeSpec> = names.iter().map(|it| it.as_str().into()).collect();
        sampled(bench, &nodes, &mut rng)?;
        if bench.weighted() {
            for (node, weight) in nodes.iter_mut().zip([2, 0, 1, 5, 1].iter().cycle()) {
                node.weight = *weight;
            }
            sampled(bench, &nodes, &mut rng)?;
        }
    }
    Ok(())
}

/// Compares counts of random keys with the exact shares; false-alarm rate 1e-9 a cluster.
fn sampled(bench: &Bench, nodes: &[NodeSpec], rng: &mut Rng) -> Checked {
    let cluster = bench.build(&bench.spec, nodes)?;
    let shares = cluster.shares();
    let shares = shares.ok_or_else(|| format!("no shares for the {}", show_nodes(&cluster)))?;
    let counts = count_keys(bench, &cluster, bench.pick(5_000, 20_000), rng);
    counts_agree(&counts, &shares).map_err(|err| format!("{err}; {}", show_nodes(&cluster)))?;
    Ok(())
}

/// How many of `n_keys` random keys each node owns, in joining order.
pub(super) fn count_keys(
    bench: &Bench,
    cluster: &Cluster,
    n_keys: usize,
    rng: &mut Rng,
) -> Vec<u64> {
    bench.count(n_keys);
    let mut counts = vec![0; cluster.nodes().len()];
    for owner in owners(cluster, &rng.hex_keys(n_keys)) {
        // Answers that are no member are the matter of `present`.
        if let Some(place) = owner.and_then(|id| cluster.nodes().position(id)) {
            counts[place] += 1;
        }
    }
    counts
}
