//! `strategies.json`: what was compared, as the strategies describe themselves.

use router::{Catalog, ParamKind, Spec, Strategy};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One compared spec; also, without `label` and what follows, a line of `list --json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StrategyEntry {
    /// Name of the strategy.
    pub name: String,
    /// Family: the crate.
    pub family: String,
    /// `control`, `published`, `common_hash` or `ours`.
    pub role: String,
    /// What it hashes keys with.
    pub hash: HashEntry,
    /// One line.
    pub summary: String,
    /// Where it comes from.
    pub source: String,
    /// Clients and proxies that place keys so.
    pub spoken_by: Vec<String>,
    /// Its parameters.
    pub params: Vec<ParamEntry>,
    /// What it claims.
    pub capabilities: CapabilitiesEntry,
}

/// An entry of `strategies.json`: one compared spec.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// Canonical spec: its label in tables and charts.
    pub label: String,
    /// Whether it stands in the overview; the others are steps of a parameter sweep.
    pub overview: bool,
    /// Points a node, where the strategy has a parameter of that role.
    pub points_per_node: Option<u64>,
    /// `passed` or `failed`: the contract suite's verdict.
    pub contract: String,
    /// Label of the first compared spec that places every key as this one does (equal checksums
    /// of owners in every cell, before and after every change); its own label where it is the first.
    pub alike: String,
    /// The strategy.
    #[serde(flatten)]
    pub strategy: StrategyEntry,
}

/// A hash, named.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HashEntry {
    /// Its name.
    pub name: String,
    /// Whether it mixes.
    pub mixes: bool,
}

/// A declared parameter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ParamEntry {
    /// Its name in a spec.
    pub name: String,
    /// `points_per_node`, `table`, `probes`, `capacity` or `other`.
    pub role: String,
    /// Default, a number or a word.
    pub default: Value,
    /// Smallest value; null for words.
    pub min: Value,
    /// Largest value; null for words.
    pub max: Value,
    /// The words it takes, where it takes words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// One line: what it does.
    pub help: String,
}

/// Capabilities, by their names in METHOD.md.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CapabilitiesEntry {
    /// Any node may leave.
    pub any_removal: bool,
    /// No collateral while all weights are equal.
    pub minimal: bool,
    /// Joining order does not matter.
    pub order_free: bool,
    /// Past changes do not matter.
    pub history_free: bool,
    /// `no`, `minimal` or `renormalised`.
    pub weights: String,
    /// Distinct owners in order.
    pub replicas: bool,
    /// Exactly equal shares in expectation.
    pub even: bool,
    /// Places whole key sets by load.
    pub knows_load: bool,
    /// The most nodes, or null.
    pub max_nodes: Option<u32>,
}

impl StrategyEntry {
    /// Describes `strategy` with its default parameters.
    #[must_use]
    pub fn new(strategy: &'static Strategy, catalog: &Catalog) -> Self {
        let params = router::Params::defaults(strategy.params);
        let caps = (strategy.capabilities)(&params, catalog);
        Self::with(strategy, strategy.hash, caps)
    }

    /// Describes `spec`, with the capabilities that its parameters give it.
    #[must_use]
    pub fn of(spec: &Spec) -> Self {
        Self::with(spec.strategy(), spec.hash(), spec.capabilities())
    }

    fn with(
        strategy: &'static Strategy,
        hash: &router::HashFn,
        caps: router::Capabilities,
    ) -> Self {
        Self {
            name: strategy.name.to_owned(),
            family: strategy.family.to_owned(),
            role: strategy.role.name().to_owned(),
            hash: HashEntry {
                name: hash.name.to_owned(),
                mixes: hash.mixes,
            },
            summary: strategy.summary.to_owned(),
            source: strategy.source.to_owned(),
            spoken_by: strategy.spoken_by.iter().map(|&it| it.to_owned()).collect(),
            params: strategy.params.iter().map(ParamEntry::of).collect(),
            capabilities: CapabilitiesEntry {
                any_removal: caps.any_removal,
                minimal: caps.minimal,
                order_free: caps.order_free,
                history_free: caps.history_free,
                weights: caps.weights.name().to_owned(),
                replicas: caps.replicas,
                even: caps.even,
                knows_load: caps.knows_load,
                max_nodes: caps.max_nodes,
            },
        }
    }
}

impl ParamEntry {
    fn of(param: &router::Param) -> Self {
        let (default, min, max, values) = match param.kind {
            ParamKind::Int {
                default, min, max, ..
            } => (default.into(), min.into(), max.into(), Vec::new()),
            ParamKind::Float { default, min, max } => {
                (default.into(), min.into(), max.into(), Vec::new())
            }
            ParamKind::Choice(words) => (
                words[0].into(),
                Value::Null,
                Value::Null,
                words.iter().map(|&it| it.to_owned()).collect(),
            ),
            ParamKind::Spec { default } => (default.into(), Value::Null, Value::Null, Vec::new()),
        };
        Self {
            name: param.name.to_owned(),
            role: param.role.name().to_owned(),
            default,
            min,
            max,
            values,
            help: param.help.to_owned(),
        }
    }
}
