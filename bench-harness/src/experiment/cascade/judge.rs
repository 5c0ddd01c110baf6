//! What is said of the load of a node that is lost, held against how the losses ended.

use super::{Cascade, End, Found, Trial};
use crate::experiment::Claims;

const ABSENT: &str = "the strategies that this is said of were not run";

/// Judges every claim.
pub(super) fn all(claims: &mut Claims<'_>, cascade: &Cascade, found: &Found) {
    let one = found.of(&cascade.one_point);
    let many = found.of(&cascade.many_points);
    match many {
        Some(many) => {
            let nothing: usize = many.spared.iter().sum();
            let of = many.spared.len() * (cascade.nodes - 1);
            let measured = format!("{nothing} of {of} survivors got nothing");
            claims.holds("dispersed", measured, nothing == 0);
        }
        None => claims.not_checkable("dispersed", "", ABSENT),
    }
    match (one, many) {
        (Some(one), Some(many)) => {
            let (one, many) = (stands(cascade, one), stands(cascade, many));
            let text = |it: Option<f64>| match it {
                Some(capacity) => format!("from {capacity} means on"),
                None => "at no capacity that was tried".to_owned(),
            };
            let measured = format!(
                "half of the nodes survive {} with one point, {} with many",
                text(one),
                text(many)
            );
            let higher = match (one, many) {
                (Some(one), Some(many)) => one > many,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            claims.holds("points", measured, higher);
        }
        _ => claims.not_checkable("points", "", ABSENT),
    }
    match one {
        Some(one) => {
            let begun = |it: &&End| it.survivors + 1 < cascade.nodes;
            let begun: Vec<&End> = one.ends.values().flatten().filter(begun).collect();
            let stopped = begun.iter().filter(|it| it.survivors > 0).count();
            let measured = format!("{stopped} of {} stopped with survivors", begun.len());
            claims.holds("whole", measured, stopped == 0);
        }
        None => claims.not_checkable("whole", "", ABSENT),
    }
    mean(claims, cascade, found);
    match found.of(&cascade.bounded) {
        Some(trial) => {
            let least = cascade.bound * cascade.nodes as f64 / (cascade.nodes - 1) as f64;
            let ends = trial
                .ends
                .iter()
                .filter(|it| cascade.capacities[*it.0] > least);
            let ends: Vec<&End> = ends.flat_map(|it| it.1).collect();
            let others = ends.iter().filter(|it| it.survivors + 1 < cascade.nodes);
            let measured = format!(
                "others are lost in {} of {} runs above {least:.4}",
                others.clone().count(),
                ends.len()
            );
            claims.holds("bound", measured, others.count() == 0);
        }
        None => claims.not_checkable("bound", "", ABSENT),
    }
}

/// The capacity from which on at least half of the nodes survive, in the mean over the losses.
fn stands(cascade: &Cascade, trial: &Trial) -> Option<f64> {
    let half = |place: &usize| {
        let ends = trial.ends.get(place).map_or(&[][..], Vec::as_slice);
        let left: usize = ends.iter().map(|it| it.survivors).sum();
        2 * left >= ends.len() * cascade.nodes
    };
    let places = (0..cascade.capacities.len()).rev();
    let last = places.take_while(half).last()?;
    Some(cascade.capacities[last])
}

/// Whether anybody survives where the mean of the survivors is above what each can take.
fn mean(claims: &mut Claims<'_>, cascade: &Cascade, found: &Found) {
    let least = cascade.nodes as f64 / (cascade.nodes - 1) as f64;
    let trials = found.trials.iter().flat_map(|it| &it.ends);
    let below = trials.filter(|it| cascade.capacities[*it.0] < least);
    let ends: Vec<&End> = below.flat_map(|it| it.1).collect();
    if ends.is_empty() {
        return claims.not_checkable("mean", "", "no capacity below it was tried");
    }
    let survived = ends.iter().filter(|it| it.survivors > 0).count();
    let measured = format!(
        "somebody survives in {survived} of {} runs below {least:.4}",
        ends.len()
    );
    claims.holds("mean", measured, survived == 0);
}
