//! Who places keys like whom: `compat.csv`, `compat-loss.csv` and `compat.json`.

use serde::{Deserialize, Serialize};

use super::{NewFile, Rounded, StrategyEntry, files::add, table::six};
use crate::measure::compat::Agreement;

/// A row of `compat.csv`: how many keys of a list have the same owner with two specs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgreeRow {
    /// Canonical spec.
    pub a: String,
    /// Another.
    pub b: String,
    /// The list of nodes.
    pub nodes: String,
    /// Keys asked.
    pub keys: u64,
    /// Keys with the same owner; empty where one of the two refuses the list.
    pub agree: Option<u64>,
}

/// A row of `compat-loss.csv`: what the loss of one node does, the mean over the nodes of a list,
/// each lost in turn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LossRow {
    /// Canonical spec.
    pub strategy: String,
    /// The list of nodes.
    pub nodes: String,
    /// `failure`: clients walk on to the next node that answers. `reconfiguration`: the node is
    /// taken off the list.
    pub change: String,
    /// Keys asked.
    pub keys: u64,
    /// Share of keys with another owner.
    pub moved: Option<f64>,
    /// Share of keys whose owner was lost.
    pub forced: Option<f64>,
    /// The difference: share of keys that moved between nodes that stayed.
    pub collateral: Option<f64>,
    /// Share of keys whose new owner is another one than after the other kind of loss.
    pub differ: Option<f64>,
    /// Why there is no value.
    pub note: String,
}

/// `compat.json`: what was compared, on what.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CompatEntry {
    /// The specs whose owners are compared, in order.
    pub compared: Vec<Spoken>,
    /// The specs that losses are held against.
    pub references: Vec<Spoken>,
    /// The lists, in order.
    pub lists: Vec<ListEntry>,
    /// Who refuses which list.
    pub refused: Vec<RefusalEntry>,
}

/// A compared spec, as its strategy describes itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spoken {
    /// Canonical spec.
    pub label: String,
    /// The strategy.
    #[serde(flatten)]
    pub strategy: StrategyEntry,
}

/// A list of nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ListEntry {
    /// Its name.
    pub name: String,
    /// What it is there for.
    pub exercises: String,
    /// Number of nodes.
    pub nodes: u64,
    /// Number of keys.
    pub keys: u64,
}

/// A spec that refuses a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RefusalEntry {
    /// Canonical spec.
    pub strategy: String,
    /// The list.
    pub nodes: String,
    /// Why.
    pub why: String,
}

impl Rounded for AgreeRow {
    fn rounded(&self) -> Self {
        self.clone()
    }
}

impl Rounded for LossRow {
    fn rounded(&self) -> Self {
        Self {
            moved: six(self.moved),
            forced: six(self.forced),
            collateral: six(self.collateral),
            differ: six(self.differ),
            ..self.clone()
        }
    }
}

/// The data files of a comparison of clients.
///
/// # Errors
///
/// When a row cannot be written, which none of ours can cause.
pub fn compat_files(found: &Agreement) -> anyhow::Result<Vec<NewFile>> {
    let mut json = serde_json::to_vec_pretty(&found.about)?;
    json.push(b'\n');
    let mut files = vec![NewFile::data("data/compat.json", json, true)];
    add(&mut files, "data/compat.csv", &found.agree, true)?;
    add(&mut files, "data/compat-loss.csv", &found.losses, true)?;
    Ok(files)
}
