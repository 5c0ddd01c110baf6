//! Changes of a cluster, by the names under which they stand in the tables.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    str::FromStr,
};

use router::{Change, NodeSpec};

use super::{Error, NodeNames, Purpose, below, stream};

/// What happens to a cluster.
///
/// Random nodes are drawn from the stream [`Purpose::Changes`] as the first entries of a shuffle of
/// the joining order (Fisher and Yates: for i from 0 up, the entries i and i + [`below`]`(n - i)`
/// are exchanged). So within a seed all scenarios meet the same nodes: the one of `lose-random`
/// is also the one that is replaced, renamed or doubled, and the first of `lose-10pct`; what a
/// curve loses at 20 % contains what it loses at 10 %.
///
/// Names of newcomers are the next of the seed's [`NodeNames`] that are not present, so that a
/// cluster of its first n names gets name n + 1.
///
/// A percentage of n nodes is rounded half up, and is at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    /// `none`: nothing.
    None,
    /// `lose-first`: the node that joined first leaves.
    LoseFirst,
    /// `lose-middle`: the node at place n / 2, from 0 and rounded down, leaves.
    LoseMiddle,
    /// `lose-last`: the node that joined last leaves.
    LoseLast,
    /// `lose-random`: a random node leaves.
    LoseRandom,
    /// `add`: a node of weight 1 joins.
    Add,
    /// `replace`: a newcomer takes a random node's place, as one change.
    Replace,
    /// `replace-two`: a random node leaves and a newcomer of its weight joins, as two changes.
    ReplaceTwo,
    /// `rename`: a random node goes on under another name, as one change: its address with the first
    /// port from 11212 up that gives a new name.
    Rename,
    /// `rolling`: every node in turn, in joining order, is replaced by a newcomer, each by itself.
    Rolling,
    /// `add-10pct`: so many percent of nodes of weight 1 join.
    AddPercent(u32),
    /// `lose-10pct`, `lose-10pct-lifo` and so on: so many percent leave, chosen in this order.
    LosePercent(u32, LossOrder),
    /// `weight-double`: a random node's weight is doubled.
    WeightDouble,
    /// `curve-00`, `curve-10` and so on: so many percent leave, at random; with 0 nobody.
    Curve(u32),
}

/// Which nodes leave first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossOrder {
    /// At random.
    Random,
    /// The last that joined leaves first.
    LastIn,
    /// The first that joined leaves first.
    FirstIn,
}

impl Scenario {
    /// Every scenario that has a name, in the order of the tables.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::None,
            Self::LoseFirst,
            Self::LoseMiddle,
            Self::LoseLast,
            Self::LoseRandom,
            Self::Add,
            Self::Replace,
            Self::ReplaceTwo,
            Self::Rename,
            Self::Rolling,
            Self::AddPercent(10),
        ];
        for order in [LossOrder::Random, LossOrder::LastIn, LossOrder::FirstIn] {
            all.extend([10, 30, 50].map(|percent| Self::LosePercent(percent, order)));
        }
        all.push(Self::WeightDouble);
        all.extend((0..=90).step_by(10).chain([95]).map(Self::Curve));
        all
    }

    /// Its name, as in the column `change`.
    #[must_use]
    pub fn name(&self) -> String {
        self.to_string()
    }

    /// What happens to a cluster of these nodes: batches of changes, to be applied one after
    /// another. No batch where nothing happens, as when nobody is there to leave.
    ///
    /// Takes time linear in the nodes.
    #[must_use]
    pub fn changes(&self, seed: u64, nodes: &[NodeSpec]) -> Vec<Vec<Change>> {
        let n = nodes.len();
        let random_node = || drawn(seed, n, 1).first().map(|&place| &nodes[place]);
        let newcomer = || newcomers(seed, nodes).next();
        let batch = match *self {
            Self::None | Self::Curve(0) => Vec::new(),
            Self::LoseFirst => lose(nodes, (0..n).take(1)),
            Self::LoseMiddle => lose(nodes, (0..n).skip(n / 2).take(1)),
            Self::LoseLast => lose(nodes, (0..n).rev().take(1)),
            Self::LoseRandom => lose(nodes, drawn(seed, n, 1)),
            Self::Curve(percent) | Self::LosePercent(percent, LossOrder::Random) => {
                lose(nodes, drawn(seed, n, portion(n, percent)))
            }
            Self::LosePercent(percent, LossOrder::LastIn) => {
                lose(nodes, (0..n).rev().take(portion(n, percent)))
            }
            Self::LosePercent(percent, LossOrder::FirstIn) => {
                lose(nodes, (0..n).take(portion(n, percent)))
            }
            Self::Add => add(seed, nodes, 1),
            Self::AddPercent(percent) => add(seed, nodes, portion(n, percent)),
            Self::Replace => random_node()
                .zip(newcomer())
                .map(|(node, new)| replace(node, new))
                .into_iter()
                .collect(),
            Self::ReplaceTwo => random_node()
                .zip(newcomer())
                .map(|(node, new)| {
                    [
                        Change::Remove(node.name.clone()),
                        Change::Add(NodeSpec::new(new, node.weight)),
                    ]
                })
                .into_iter()
                .flatten()
                .collect(),
            Self::Rename => random_node()
                .map(|node| replace(node, new_port(&node.name, nodes)))
                .into_iter()
                .collect(),
            Self::Rolling => {
                return nodes
                    .iter()
                    .zip(newcomers(seed, nodes))
                    .map(|(node, new)| vec![replace(node, new)])
                    .collect();
            }
            Self::WeightDouble => random_node()
                .map(|node| {
                    let doubled = node.weight.saturating_mul(2);
                    Change::SetWeight(NodeSpec::new(&*node.name, doubled))
                })
                .into_iter()
                .collect(),
        };
        if batch.is_empty() {
            Vec::new()
        } else {
            vec![batch]
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::None => "none",
            Self::LoseFirst => "lose-first",
            Self::LoseMiddle => "lose-middle",
            Self::LoseLast => "lose-last",
            Self::LoseRandom => "lose-random",
            Self::Add => "add",
            Self::Replace => "replace",
            Self::ReplaceTwo => "replace-two",
            Self::Rename => "rename",
            Self::Rolling => "rolling",
            Self::WeightDouble => "weight-double",
            Self::AddPercent(percent) => return write!(f, "add-{percent}pct"),
            Self::LosePercent(percent, order) => {
                let suffix = match order {
                    LossOrder::Random => "",
                    LossOrder::LastIn => "-lifo",
                    LossOrder::FirstIn => "-fifo",
                };
                return write!(f, "lose-{percent}pct{suffix}");
            }
            Self::Curve(percent) => return write!(f, "curve-{percent:02}"),
        };
        f.write_str(name)
    }
}

impl FromStr for Scenario {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let all = Self::all();
        all.iter()
            .copied()
            .find(|scenario| scenario.name() == name)
            .ok_or_else(|| {
                let names: Vec<String> = all.iter().map(Self::name).collect();
                Error::new(format!(
                    "unknown change {name:?}; valid are: {}",
                    names.join(", ")
                ))
            })
    }
}

/// The changes that undo `batches` on a cluster of `nodes`: the inverse of each, in reverse order,
/// in as many batches. A node that left joins again with its weight, but behind all others.
///
/// # Panics
///
/// When `batches` name a node that is not there at that moment.
#[must_use]
pub fn inverse(batches: &[Vec<Change>], nodes: &[NodeSpec]) -> Vec<Vec<Change>> {
    let mut weights: HashMap<&str, u32> = nodes
        .iter()
        .map(|node| (&*node.name, node.weight))
        .collect();
    let mut undone: Vec<Vec<Change>> = Vec::new();
    for batch in batches {
        let mut inverses: Vec<Change> = batch
            .iter()
            .map(|change| match change {
                Change::Add(node) => {
                    weights.insert(&node.name, node.weight);
                    Change::Remove(node.name.clone())
                }
                Change::Remove(name) => {
                    let weight = weights.remove(&**name).expect("who leaves is present");
                    Change::Add(NodeSpec::new(&**name, weight))
                }
                Change::SetWeight(node) => {
                    let before = weights
                        .insert(&node.name, node.weight)
                        .expect("who gets a weight is present");
                    Change::SetWeight(NodeSpec::new(&*node.name, before))
                }
                Change::Replace { old, new } => {
                    let weight = weights.remove(&**old).expect("who is replaced is present");
                    weights.insert(new, weight);
                    Change::Replace {
                        old: new.clone(),
                        new: old.clone(),
                    }
                }
            })
            .collect();
        inverses.reverse();
        undone.push(inverses);
    }
    undone.reverse();
    undone
}

/// The same removals in two orders, one the other backwards: the nodes that `lose-..pct` removes at
/// this percentage, but at least two where there are two.
#[must_use]
pub fn two_orders(seed: u64, nodes: &[NodeSpec], percent: u32) -> [Vec<Change>; 2] {
    let n = nodes.len();
    let n_lost = portion(n, percent).max(2.min(n));
    let there = lose(nodes, drawn(seed, n, n_lost));
    let back = there.iter().rev().cloned().collect();
    [there, back]
}

/// A change as the command line takes it: [`Change::from_str`] reads it back.
#[must_use]
pub fn change_text(change: &Change) -> String {
    match change {
        Change::Add(node) if node.weight == 1 && !node.name.contains('=') => {
            format!("+{}", node.name)
        }
        Change::Add(node) => format!("+{}={}", node.name, node.weight),
        Change::Remove(name) => format!("-{name}"),
        Change::SetWeight(node) => format!("={}={}", node.name, node.weight),
        Change::Replace { old, new } => format!("~{old}\t{new}"),
    }
}

fn replace(node: &NodeSpec, new: String) -> Change {
    Change::Replace {
        old: node.name.clone(),
        new,
    }
}

fn lose(nodes: &[NodeSpec], places: impl IntoIterator<Item = usize>) -> Vec<Change> {
    places
        .into_iter()
        .map(|place| Change::Remove(nodes[place].name.clone()))
        .collect()
}

fn add(seed: u64, nodes: &[NodeSpec], n_new: usize) -> Vec<Change> {
    newcomers(seed, nodes)
        .take(n_new)
        .map(|name| Change::Add(NodeSpec::from(name)))
        .collect()
}

/// `percent` of `n`, rounded half up; at least 1, where there is one.
fn portion(n: usize, percent: u32) -> usize {
    ((n * percent as usize + 50) / 100).max(1.min(n))
}

/// The places of `count` of `n` nodes, drawn without repetition.
fn drawn(seed: u64, n: usize, count: usize) -> Vec<usize> {
    let mut rng = stream(seed, Purpose::Changes);
    let mut places: Vec<usize> = (0..n).collect();
    for i in 0..count.min(n) {
        places.swap(i, i + below(&mut rng, n - i));
    }
    places.truncate(count);
    places
}

/// The seed's node names that no present node has, in order.
fn newcomers(seed: u64, nodes: &[NodeSpec]) -> impl Iterator<Item = String> {
    let present: HashSet<&str> = nodes.iter().map(|node| &*node.name).collect();
    NodeNames::new(seed).filter(move |name| !present.contains(&**name))
}

/// `name` with the first port from 11212 up that gives a name nobody has.
fn new_port(name: &str, nodes: &[NodeSpec]) -> String {
    let host = match name.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => name,
    };
    // Room for the port within the 255 bytes that a name may have.
    let host = &host[..host.floor_char_boundary(244)];
    let present: HashSet<&str> = nodes.iter().map(|node| &*node.name).collect();
    (11_212_u64..)
        .map(|port| format!("{host}:{port}"))
        .find(|name| !present.contains(&**name))
        .expect("there are more ports to try than nodes")
}
