//! Who places keys like whom, on the same lists of nodes; and what the loss of a node does.
//!
//! Two clients agree on a key when they give it to the same node. A client that cannot serve a list
//! (it cannot name an address, or takes no weights) says why and is left out there.
//!
//! A node can be lost in two ways. It fails, and clients walk on to the next node that answers: the
//! second of `preference`. Or it is taken off the list, and the ring is laid anew over the others.
//! Only the keys of the lost node move in the first; how many others in the second, and how many end
//! elsewhere, is what is counted here.

use router::{Cluster, KeyBuf, NodeId, Spec};

use super::{Progress, Stopped, in_parallel};
use crate::{
    record::{AgreeRow, CompatEntry, ListEntry, LossRow, RefusalEntry, Spoken, StrategyEntry},
    workload::NodeList,
};

/// What is compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Whose owners are compared.
    pub compared: Vec<Spec>,
    /// Who losses are held against, beside them.
    pub references: Vec<Spec>,
    /// The lists of nodes, with their keys.
    pub lists: Vec<NodeList>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// Rows of `compat.csv`: every pair on every list.
    pub agree: Vec<AgreeRow>,
    /// Rows of `compat-loss.csv`.
    pub losses: Vec<LossRow>,
    /// What was compared, on what, and who refused what.
    pub about: CompatEntry,
}

/// The most nodes of a list that are lost in turn: its first.
const MOST_LOST: usize = 20;

/// Asks everybody for all keys of every list.
///
/// # Errors
///
/// When it was interrupted.
pub fn run(comparison: &Comparison, progress: &Progress) -> Result<Agreement, Stopped> {
    let Comparison {
        compared,
        references,
        lists,
    } = comparison;
    let cells: Vec<(&NodeList, &Spec)> = lists
        .iter()
        .flat_map(|list| compared.iter().map(move |spec| (list, spec)))
        .collect();
    progress.phase("owners", cells.len());
    let owners = in_parallel(
        &cells,
        progress,
        |it| it.1,
        |&(list, spec)| Ok(owners(spec, list)),
    )?;
    let both = compared.iter().chain(references);
    let lost = lists.iter().filter(|list| list.lose);
    let losing: Vec<(&Spec, &NodeList)> = both
        .flat_map(|spec| lost.clone().map(move |list| (spec, list)))
        .collect();
    progress.phase("losses", losing.len());
    let losses = in_parallel(
        &losing,
        progress,
        |it| it.0,
        |&(spec, list)| Ok(losses(spec, list)),
    )?;
    progress.end_phase();

    let mut agree = Vec::new();
    for (list, owners) in lists.iter().zip(owners.chunks(compared.len().max(1))) {
        for (i, a) in compared.iter().enumerate() {
            for (j, b) in compared.iter().enumerate().skip(i + 1) {
                agree.push(AgreeRow {
                    a: a.to_string(),
                    b: b.to_string(),
                    nodes: list.name.clone(),
                    keys: list.keys.len() as u64,
                    agree: count_equal(&owners[i], &owners[j]),
                });
            }
        }
    }
    let refusals = cells.iter().zip(&owners).filter_map(|(cell, owners)| {
        let why = owners.as_ref().err()?;
        Some(RefusalEntry {
            strategy: cell.1.to_string(),
            nodes: cell.0.name.clone(),
            why: why.clone(),
        })
    });
    Ok(Agreement {
        agree,
        losses: losses.into_iter().flatten().collect(),
        about: CompatEntry {
            compared: compared.iter().map(spoken).collect(),
            references: references.iter().map(spoken).collect(),
            lists: lists.iter().map(entry).collect(),
            refused: refusals.collect(),
        },
    })
}

fn spoken(spec: &Spec) -> Spoken {
    Spoken {
        label: spec.to_string(),
        strategy: StrategyEntry::of(spec),
    }
}

fn entry(list: &NodeList) -> ListEntry {
    ListEntry {
        name: list.name.clone(),
        exercises: list.exercises.clone(),
        nodes: list.nodes.len() as u64,
        keys: list.keys.len() as u64,
    }
}

/// The owner of every key, or why there is none.
type Owners = Result<Vec<NodeId>, String>;

/// How many keys have the same owner. Ids of two clusters are alike where both were built from one
/// list.
fn count_equal(a: &Owners, b: &Owners) -> Option<u64> {
    let pairs = a.as_ref().ok()?.iter().zip(b.as_ref().ok()?);
    Some(pairs.filter(|(a, b)| a == b).count() as u64)
}

/// A cluster of this list, and the owner of every key of it.
fn owners(spec: &Spec, list: &NodeList) -> Owners {
    let cluster = Cluster::build(spec, &list.nodes).map_err(|err| err.to_string())?;
    ask(&cluster, &list.keys)
}

/// The owner of every key.
fn ask(cluster: &Cluster, keys: &KeyBuf) -> Owners {
    let keys = keys.keys();
    if cluster.spec().capabilities().knows_load {
        let mut placed = vec![None; keys.len()];
        let asked = cluster.assign(keys, &mut placed);
        let owners = asked.and_then(|()| placed.into_iter().collect());
        return owners.ok_or_else(|| "no node has weight".to_owned());
    }
    let mut owners = vec![NodeId::default(); keys.len()];
    match cluster.route_batch(keys, &mut owners) {
        true => Ok(owners),
        false => Err("no node has weight".to_owned()),
    }
}

/// What the loss of a node does to the keys, in shares of them: the mean over the nodes lost.
#[derive(Clone, Copy)]
struct Loss {
    moved: f64,
    forced: f64,
    /// Keys that are elsewhere than after the other kind of loss, where both can be told.
    differ: Option<f64>,
}

/// Both kinds of loss of one spec on one list.
fn losses(spec: &Spec, list: &NodeList) -> [LossRow; 2] {
    let row = |change: &str, found: Result<Loss, String>| {
        let loss = found.as_ref().ok();
        LossRow {
            strategy: spec.to_string(),
            nodes: list.name.clone(),
            change: change.to_owned(),
            keys: list.keys.len() as u64,
            moved: loss.map(|it| it.moved),
            forced: loss.map(|it| it.forced),
            collateral: loss.map(|it| it.moved - it.forced),
            differ: loss.and_then(|it| it.differ),
            note: found.err().unwrap_or_default(),
        }
    };
    let (failure, reconfiguration) = match lose_in_turn(spec, list) {
        Ok((walked, rebuilt)) => (
            walked.ok_or_else(|| "it does not tell a second owner".to_owned()),
            Ok(rebuilt),
        ),
        Err(why) => (Err(why.clone()), Err(why)),
    };
    [
        row("failure", failure),
        row("reconfiguration", reconfiguration),
    ]
}

/// What walking on does, where the strategy tells the next owner, and what laying the ring anew.
fn lose_in_turn(spec: &Spec, list: &NodeList) -> Result<(Option<Loss>, Loss), String> {
    let cluster = Cluster::build(spec, &list.nodes).map_err(|err| err.to_string())?;
    let before = ask(&cluster, &list.keys)?;
    // Where a key goes while its owner fails.
    let second = list.keys.keys().iter().map(|key| {
        let preferred = cluster.preference(key, 2)?;
        // With no second the key has no owner any more, which is a move too.
        Some(preferred.get(1).copied())
    });
    let second: Option<Vec<Option<NodeId>>> = second.collect();
    let (mut forced, mut moved, mut differ) = (0_usize, 0_usize, 0_usize);
    let lost = &list.nodes[..list.nodes.len().min(MOST_LOST)];
    for node in lost {
        let id = cluster.id(&node.name);
        let mut left = cluster.clone();
        left.remove(&node.name).map_err(|err| err.to_string())?;
        let after = ask(&left, &list.keys)?;
        for (i, (&before, &after)) in before.iter().zip(&after).enumerate() {
            let failed = Some(before) == id;
            forced += usize::from(failed);
            moved += usize::from(before != after);
            if let Some(second) = &second {
                let walked = if failed { second[i] } else { Some(before) };
                differ += usize::from(walked != Some(after));
            }
        }
    }
    let asked = (list.keys.len() * lost.len()) as f64;
    let share = |count: usize| count as f64 / asked;
    let rebuilt = Loss {
        moved: share(moved),
        forced: share(forced),
        differ: second.as_ref().map(|_| share(differ)),
    };
    let walked = second.map(|_| Loss {
        moved: rebuilt.forced,
        ..rebuilt
    });
    Ok((walked, rebuilt))
}
