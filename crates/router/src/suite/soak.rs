//! A walk as long as the caller likes: what a short history does not reach.

use crate::{Change, Cluster, Spec};

use super::{
    answers::only_present,
    cannot_serve,
    draw::Rng,
    moves::{kept, places},
    show::{node_specs, show_history, show_key, show_owner},
    worlds::{first_difference, owners},
};

/// Keys asked after every step.
const N_KEYS: usize = 200;

/// Names that come and go: the most nodes at a time.
const N_NAMES: usize = 8;

/// Adds and removes nodes of weight 1 at random, `steps` times, over eight names, and asks 200 keys
/// after every step: they lie on nodes that are present; they moved only from the node that left or
/// to the one that joined, if the strategy claims to be minimal; and they lie as in a cluster built
/// anew, if it claims that past changes do not matter. The same walk in every run.
///
/// # Errors
///
/// The step that broke the contract, and how.
///
/// # Panics
///
/// Where the router does: unlike [`super::run`], it catches nothing.
pub fn soak(spec: &Spec, steps: usize) -> Result<(), String> {
    let caps = spec.capabilities();
    let mut rng = Rng::new(0x736f_616b);
    let names = rng.addresses(N_NAMES);
    let keys = rng.hex_keys(N_KEYS);
    let mut cluster = Cluster::build(spec, &[]).map_err(|err| err.to_string())?;
    let mut before = owners(&cluster, &keys);
    for step in 0..steps {
        let mut name = rng.pick(&names).as_str();
        let present = cluster.nodes().iter().any(|node| &*node.name == name);
        let last = cluster.nodes().last().map(|node| node.name.to_string());
        if let (true, false, Some(last)) = (present, caps.any_removal, &last) {
            name = last;
        }
        let change = match present {
            true => Change::Remove(name.to_owned()),
            false => Change::Add(name.into()),
        };
        let told = |fault: String| format!("step {step}, {}: {fault}", show_history([&change]));
        let old = cluster.clone();
        match cluster.apply(std::slice::from_ref(&change)) {
            Ok(()) => {}
            Err(err) if cannot_serve(&err) => continue,
            Err(err) => return Err(told(format!("a legal change was refused: {err}"))),
        }
        let after = owners(&cluster, &keys);
        for (i, (&from, &to)) in before.iter().zip(&after).enumerate() {
            let key = show_key(keys.keys().get(i));
            only_present(&cluster, to).map_err(|fault| told(format!("{key} {fault}")))?;
            if let (true, Some(from), Some(to)) = (caps.minimal, from, to)
                && from != to
                && kept(&old, &cluster, from)
                && kept(&old, &cluster, to)
            {
                let (from, to) = (show_owner(&old, Some(from)), show_owner(&cluster, Some(to)));
                return Err(told(format!("{key} moved from {from} to {to}")));
            }
        }
        if caps.history_free {
            let anew = Cluster::build(spec, &node_specs(&cluster));
            let anew = anew.map_err(|err| told(format!("it cannot be built anew: {err}")))?;
            let expected = places(&anew, &owners(&anew, &keys));
            if let Some(i) = first_difference(&places(&cluster, &after), &expected) {
                let key = show_key(keys.keys().get(i));
                return Err(told(format!("{key} is elsewhere in a cluster built anew")));
            }
        }
        before = after;
    }
    Ok(())
}
