//! From counts to the books: shares, optimum, peaks.

use std::sync::Arc;

use super::{
    count::{Amount, Counts, Flows},
    resize::{Resize, Stage},
};
use crate::{
    measure::books::{Parts, check_books, half_the_differences},
    record::{
        Books, Flow, LoadEntry, PlanEntry, PlanNode, Quantity, StepEntry, Steps, Weighed, share,
    },
};

/// The entry of one resize; `weighed` says whether the keys came with bytes, and with hits.
///
/// # Errors
///
/// When the books do not balance: the strategy, and which identity broke.
pub(super) fn entry(
    resize: &Resize,
    counts: &Counts,
    weighed: [bool; 2],
) -> Result<PlanEntry, String> {
    let fault = |fault: String| format!("{}: {fault}", resize.spec());
    let (before, after) = resize.ends();
    let weigh = |amount: Amount| Weighed {
        keys: amount.keys,
        bytes: weighed[0].then_some(amount.bytes),
        hits: weighed[1].then_some(amount.hits),
    };
    let loads = Loads::of(&counts.whole);
    let name = |number: usize| resize.names()[number].to_string();
    let there =
        |number: &usize| before.weights[*number].is_some() || after.weights[*number].is_some();
    let mut flows: Vec<(&(u32, u32), &Amount)> = counts.whole.moved.iter().collect();
    flows.sort_by_key(|&(pair, amount)| (std::cmp::Reverse(amount.keys), *pair));
    let steps = resize.step_ends().zip(resize.steps()).zip(&counts.steps);
    let steps = steps.map(|(((from, to), change), flows)| {
        Ok(StepEntry {
            change: change.clone(),
            books: all_books(from, to, flows, weighed).map_err(fault)?,
        })
    });
    let steps: Vec<StepEntry> = steps.collect::<Result<_, String>>()?;
    Ok(PlanEntry {
        strategy: resize.spec().to_string(),
        books: all_books(before, after, &counts.whole, weighed).map_err(fault)?,
        loads: (0..resize.n_nodes())
            .filter(there)
            .map(|number| LoadEntry {
                node: name(number),
                before: weigh(loads.before[number]),
                after: weigh(loads.after[number]),
            })
            .collect(),
        flows: flows
            .into_iter()
            .map(|(&(from, to), &amount)| Flow {
                from: name(from as usize),
                to: name(to as usize),
                moved: weigh(amount),
            })
            .collect(),
        steps: (!steps.is_empty()).then(|| Steps {
            steps,
            moved_once: weigh(counts.once),
            moved_again: weigh(counts.again),
            elsewhere: weigh(counts.elsewhere),
        }),
    })
}

impl Resize {
    /// The nodes before and after, with their weights, those before first.
    #[must_use]
    pub fn nodes(&self) -> Vec<PlanNode> {
        let (before, after) = self.ends();
        let weights = before.weights.iter().zip(&after.weights);
        let nodes = self.names().iter().zip(weights);
        nodes
            .filter(|(_, (before, after))| before.is_some() || after.is_some())
            .map(|(name, (&before, &after)): (&Arc<str>, _)| PlanNode {
                node: name.to_string(),
                before,
                after,
            })
            .collect()
    }
}

/// What lies on each node, by number.
struct Loads {
    before: Vec<Amount>,
    after: Vec<Amount>,
}

impl Loads {
    fn of(flows: &Flows) -> Self {
        let (mut before, mut after) = (flows.stayed.clone(), flows.stayed.clone());
        for (&(from, to), &amount) in &flows.moved {
            before[from as usize].add(amount);
            after[to as usize].add(amount);
        }
        Self { before, after }
    }
}

fn all_books(
    before: &Stage,
    after: &Stage,
    flows: &Flows,
    [bytes, hits]: [bool; 2],
) -> Result<Vec<Books>, String> {
    let quantities = [
        (Quantity::Keys, true),
        (Quantity::Bytes, bytes),
        (Quantity::Hits, hits),
    ];
    let known = quantities.into_iter().filter(|&(_, known)| known);
    known
        .map(|(quantity, _)| books(before, after, flows, quantity))
        .collect()
}

/// The books of one change in one quantity.
fn books(
    before: &Stage,
    after: &Stage,
    flows: &Flows,
    quantity: Quantity,
) -> Result<Books, String> {
    let amount = |amount: &Amount| match quantity {
        Quantity::Keys => u128::from(amount.keys),
        Quantity::Bytes => amount.bytes,
        Quantity::Hits => amount.hits,
    };
    let parts = Parts::new(&before.weights, &after.weights);
    let (mut moved, mut forced, mut collateral) = (0, 0, 0);
    for (&(old, new), flow) in &flows.moved {
        moved += amount(flow);
        match parts.forced(old as usize, new as usize) {
            true => forced += amount(flow),
            false => collateral += amount(flow),
        }
    }
    for (node, stayed) in flows.stayed.iter().enumerate() {
        if parts.forced(node, node) {
            forced += amount(stayed);
        }
    }
    let loads = Loads::of(flows);
    let [old, new]: [Vec<u128>; 2] =
        [&loads.before, &loads.after].map(|loads| loads.iter().map(amount).collect());
    let differences = old.iter().zip(&new).map(|(old, new)| old.abs_diff(*new));
    let differences: u128 = differences.sum();
    check_books([moved, forced, collateral, differences])
        .map_err(|fault| format!("{fault} ({})", quantity.name()))?;
    let total: u128 = old.iter().sum();
    let own_optimal = share(differences, total).map(|it| it / 2.0);
    let (old_shares, new_shares) = (weight_shares(before), weight_shares(after));
    Ok(Books {
        quantity,
        total,
        moved,
        forced,
        collateral,
        moved_share: share(moved, total),
        forced_share: share(forced, total),
        collateral_share: share(collateral, total),
        optimal: half_the_differences(old_shares.iter().copied().zip(new_shares.iter().copied())),
        own_optimal,
        excess: (parts.one_way() && differences > 0)
            .then(|| moved as f64 / (differences as f64 / 2.0)),
        peak_before: peak(&old, &old_shares, total),
        peak_after: peak(&new, &new_shares, total),
    })
}

/// Each node's share of the weight, by number; 0 for who is not there.
fn weight_shares(stage: &Stage) -> Vec<f64> {
    let weight = |weight: &Option<u32>| f64::from(weight.unwrap_or(0));
    let total: f64 = stage.weights.iter().map(weight).sum();
    stage.weights.iter().map(|it| weight(it) / total).collect()
}

/// The busiest node, in fair shares.
fn peak(loads: &[u128], shares: &[f64], total: u128) -> Option<f64> {
    let nodes = loads.iter().zip(shares);
    let ratios = nodes.filter(|&(_, &weight)| weight > 0.0);
    let ratios = ratios.map(|(&load, &weight)| load as f64 / (total as f64 * weight));
    (total > 0).then(|| ratios.fold(0.0, f64::max))
}
