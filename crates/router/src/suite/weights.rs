//! Weights, and claims of evenness.

use crate::{Cluster, ErrorKind, NodeSpec, Spec, WeightSupport};

use super::{
    Bench, Checked, Stop,
    answers::{only_present, refuse_not},
    cannot_serve,
    draw::{ADDRESSES, Rng},
    shares::count_keys,
    show::{node_specs, show_key, show_nodes, show_owner},
    stats::{counts_agree, mean_agrees},
    worlds::owners,
};

/// Shares follow the weights within 5 standard errors; weight 0 owns nothing.
pub(super) fn weights(bench: &Bench) -> Checked {
    const WEIGHTS: [u32; 6] = [1, 8, 0, 2, 5, 4];
    // Whole points or digests are dealt out of a common total there; 10 % allows for the rounding.
    let slack = match bench.caps.weights {
        WeightSupport::No => return Err(Stop::Unsupported("it takes no weights".into())),
        WeightSupport::Minimal => 0.0,
        WeightSupport::Renormalised => 0.1,
    };
    let weights = &WEIGHTS[..bench.room(WEIGHTS.len())];
    let total: u32 = weights.iter().sum();
    let mut rng = Rng::new(60);
    // Over deployments, so that what a ring's points leave to chance is part of the error.
    let mut observed = vec![Vec::new(); weights.len()];
    for _ in 0..64 {
        let names = rng.addresses(weights.len());
        let nodes = names.iter().zip(weights);
        let nodes: Vec<_> = nodes.map(|(name, &it)| NodeSpec::new(name, it)).collect();
        let cluster = bench.build(&bench.spec, &nodes)?;
        let counts = count_keys(bench, &cluster, 1000, &mut rng);
        for (shares, count) in observed.iter_mut().zip(counts) {
            shares.push(count as f64 / 1000.0);
        }
    }
    for (shares, &weight) in observed.iter().zip(weights) {
        let expected = f64::from(weight) / f64::from(total);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let agrees = match weight {
            0 => mean == 0.0,
            _ => mean_agrees(shares, expected, slack),
        };
        if !agrees {
            return Err(Stop::Failed(format!(
                "a node of weight {weight} of {total} owns {:.2} % of the keys, mean of {} \
                 deployments, instead of {:.2} %",
                100.0 * mean,
                shares.len(),
                100.0 * expected
            )));
        }
    }
    Ok(())
}

/// A weight that rises draws keys, one that falls sheds them, others keep theirs.
pub(super) fn weight_changes(bench: &Bench) -> Checked {
    if bench.caps.weights == WeightSupport::No {
        return refuses_weights(bench);
    }
    let mut rng = Rng::new(61);
    for (spec, n) in [
        (&bench.small, 2),
        (&bench.small, 4),
        (&bench.spec, 3),
        (&bench.spec, 12),
    ] {
        let names = rng.addresses(bench.room(n));
        for place in 0..names.len() {
            let nodes: Vec<NodeSpec> = names
                .iter()
                .map(|name| NodeSpec::new(name, *rng.pick(&[0, 1, 1, 2, 5])))
                .collect();
            for weight in [0, 1, 2, 3, 7] {
                change_weight(bench, spec, &nodes, place, weight)
                    .map_err(|stop| stop.naming(bench, spec))?;
            }
        }
    }
    Ok(())
}

fn change_weight(
    bench: &Bench,
    spec: &Spec,
    nodes: &[NodeSpec],
    place: usize,
    weight: u32,
) -> Checked {
    bench.count(1);
    let keys = Rng::new(62).hex_keys(48);
    let NodeSpec { name, weight: old } = &nodes[place];
    let (rose, fell) = (weight > *old, weight < *old);
    let before = bench.build(spec, nodes)?;
    let what = format!("={name}={weight} of {}", show_nodes(&before));
    let mut after = before.clone();
    match after.set_weight(name, weight) {
        Ok(()) => {}
        Err(err) if cannot_serve(&err) => return Ok(()),
        Err(err) => return Err(Stop::Failed(format!("{what}: refused: {err}"))),
    }
    let mut wanted = nodes.to_vec();
    wanted[place].weight = weight;
    if node_specs(&after) != wanted {
        let now = show_nodes(&after);
        return Err(Stop::Failed(format!("{what}: the nodes are now {now}")));
    }
    let fresh = bench.build(spec, &wanted)?;
    let fresh_owners = owners(&fresh, &keys);
    let moves = owners(&before, &keys)
        .into_iter()
        .zip(owners(&after, &keys));
    let changed = before.id(name);
    for (i, (from, to)) in moves.enumerate() {
        let key = show_key(keys.keys().get(i));
        only_present(&after, to).map_err(|err| format!("{what}: {key} {err}"))?;
        let told = || {
            let (from, to) = (show_owner(&before, from), show_owner(&after, to));
            format!("{what}: {key} moved from {from} to {to}")
        };
        // Where nobody had weight before or after, all keys may come or go.
        let owned = from.is_some() && to.is_some();
        let allowed = (rose && to == changed) || (fell && from == changed);
        let promised = bench.caps.weights == WeightSupport::Minimal;
        if promised && owned && from != to && !allowed {
            return Err(Stop::Failed(told()));
        }
        let as_fresh = show_owner(&after, to) == show_owner(&fresh, fresh_owners[i]);
        if bench.caps.history_free && !as_fresh {
            let told = told();
            return Err(Stop::Failed(format!(
                "{told}, but not in a cluster built anew"
            )));
        }
    }
    Ok(())
}

/// A strategy without weights refuses every weight other than 1, however it comes.
fn refuses_weights(bench: &Bench) -> Checked {
    let names = &ADDRESSES[..bench.room(2)];
    let keys = Rng::new(63).hex_keys(32);
    let cluster = bench.cluster(names)?;
    let before = owners(&cluster, &keys);
    for weight in [0, 2, u32::MAX] {
        bench.count(1);
        let mut built = cluster.clone();
        let refusals = [
            built.set_weight(names[0], weight),
            Cluster::build(&bench.spec, &[NodeSpec::new(ADDRESSES[0], weight)]).map(|_| ()),
        ];
        for refusal in refusals {
            match refusal {
                Err(err) if err.kind() == ErrorKind::NoWeights => {}
                _ => return Err(Stop::Failed(format!("weight {weight} is not refused"))),
            }
        }
        if owners(&built, &keys) != before {
            return Err(Stop::Failed(format!(
                "weight {weight} was refused, but keys moved"
            )));
        }
    }
    let mut same = cluster.clone();
    refuse_not(same.set_weight(names[0], 1))?;
    match owners(&same, &keys) == before {
        true => Ok(()),
        false => Err(Stop::Failed("weight 1 set to 1 moved keys".into())),
    }
}

/// Nodes of equal weight own equal numbers of random keys, within chance: false-alarm rate 1e-9 a
/// cluster.
pub(super) fn even(bench: &Bench) -> Checked {
    if !bench.caps.even {
        return Err(Stop::Unsupported(
            "it does not claim exactly even shares".into(),
        ));
    }
    let mut rng = Rng::new(64);
    for n in [2, 3, 5, 8, 9, 16, 17, 40, bench.pick(65, 300)] {
        let n = bench.room(n);
        let cluster = bench.cluster(&rng.addresses(n))?;
        let counts = count_keys(bench, &cluster, (100 * n).max(20_000), &mut rng);
        counts_agree(&counts, &vec![1.0 / n as f64; n]).map_err(Stop::Failed)?;
    }
    Ok(())
}
