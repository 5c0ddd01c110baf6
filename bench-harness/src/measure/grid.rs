//! What is measured: profiles, parts, and the request that puts them together.

use std::{fmt, str::FromStr};

use router::{Change, NodeSpec, Spec};

use crate::workload::KeySet;

/// A part of the comparison that can be run alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// How evenly keys lie.
    Balance,
    /// What a change moves.
    Movement,
    /// What clients do that know different nodes.
    Views,
    /// Time a look-up.
    Lookup,
    /// Time of building and changing.
    Build,
    /// Heap bytes.
    Memory,
    /// Hash evaluations and probes.
    Work,
    /// Look-ups while the nodes change; measured only where it is asked for.
    Swap,
}

impl Part {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 8] = [
        Self::Balance,
        Self::Movement,
        Self::Views,
        Self::Lookup,
        Self::Build,
        Self::Memory,
        Self::Work,
        Self::Swap,
    ];

    /// Those of a run that is not told which.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        let all = Self::ALL.into_iter();
        all.filter(|&it| it != Self::Swap).collect()
    }

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Balance => "balance",
            Self::Movement => "movement",
            Self::Views => "views",
            Self::Lookup => "lookup",
            Self::Build => "build",
            Self::Memory => "memory",
            Self::Work => "work",
            Self::Swap => "swap",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|part| part.name() == text)
            .ok_or_else(|| {
                let names: Vec<&str> = Self::ALL.iter().map(|part| part.name()).collect();
                format!("unknown part {text:?}; valid are: {}", names.join(", "))
            })
    }
}

/// How much is measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// Numbers of nodes.
    pub sizes: Vec<u64>,
    /// Sizes added for strategies that differ at powers of two.
    pub power_sizes: Vec<u64>,
    /// Keys a node for balance.
    pub keys_per_node: u64,
    /// Seeds for balance; work and memory use at most five of them.
    pub seeds: u64,
    /// Keys for movement: this many a node, but at least `movement_min_keys`.
    pub movement_keys_per_node: u64,
    /// Fewest keys for movement.
    pub movement_min_keys: u64,
    /// Seeds for movement.
    pub movement_seeds: u64,
    /// Deployments behind `exact_peak_p50`, `_p95`, `_p99`, up to 100 nodes.
    pub deployments: u64,
    /// The same from 1000 nodes on.
    pub deployments_large: u64,
    /// Points, or table entries, that all deployments of a cell may have together.
    pub deployed_entries: u64,
    /// Whether losses of many nodes are also measured last-in first-out and first-in first-out.
    pub loss_orders: bool,
    /// Size and seeds of the removal curve, where it is measured.
    pub curve: Option<(u64, u64)>,
    /// Nodes lost one by one for `n1_peak`, drawn by seed; all when there are fewer.
    pub n1_losses: u64,
    /// Keys beyond which movement measures one loss alone, and does not undo it: some thirty changes of
    /// a thousand million keys would take an hour.
    pub one_loss_beyond: u64,
    /// Cost of a cell, in units of work, beyond which its keys are halved.
    pub budget: f64,
    /// Key sets of balance beside the default one, at the size given.
    pub more_key_sets: Option<u64>,
    /// Points a node, table entries, capacities at which parameters are swept, at the size given.
    pub sweep_size: Option<u64>,
    /// Sizes at which views are measured; none where they are not.
    pub view_sizes: Vec<u64>,
    /// Keys that all clients of a view ask.
    pub view_keys: u64,
    /// Sizes at which look-ups are counted while nodes change, where that is asked for.
    pub swap_sizes: Vec<u64>,
    /// Rounds of timing.
    pub rounds: u64,
    /// Nanoseconds that a turn asks untimed before its look-ups are timed, so that tables which others
    /// drove out of the caches are back.
    pub warming_ns: f64,
    /// Nanoseconds that building and changing one router anew among the rounds may take in all.
    pub rebuilding_ns: f64,
    /// Bytes that the rest of the program reads between look-ups of `competing_ns`, where that is
    /// measured.
    pub competing_bytes: Option<usize>,
}

impl Profile {
    /// Names of the profiles.
    pub const NAMES: [&'static str; 3] = ["quick", "standard", "full"];

    /// At most a minute on two cores.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            name: "quick",
            sizes: vec![10, 40],
            power_sizes: Vec::new(),
            keys_per_node: 100,
            seeds: 3,
            movement_keys_per_node: 0,
            movement_min_keys: 10_000,
            movement_seeds: 3,
            deployments: 1000,
            deployments_large: 100,
            deployed_entries: 1_400_000,
            loss_orders: false,
            curve: None,
            n1_losses: 20,
            one_loss_beyond: 100_000_000,
            budget: 2e7,
            more_key_sets: None,
            sweep_size: None,
            view_sizes: Vec::new(),
            view_keys: 10_000,
            swap_sizes: vec![100],
            rounds: 30,
            warming_ns: 1.5e6,
            rebuilding_ns: f64::INFINITY,
            competing_bytes: None,
        }
    }

    /// What `bench-all` runs: at most ten minutes on two cores.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            name: "standard",
            sizes: vec![10, 40, 100, 1000],
            power_sizes: vec![64, 65],
            keys_per_node: 1000,
            seeds: 20,
            movement_min_keys: 100_000,
            movement_seeds: 5,
            curve: Some((1000, 3)),
            view_sizes: vec![40],
            deployed_entries: 10_000_000,
            budget: 5e7,
            more_key_sets: Some(100),
            sweep_size: Some(100),
            ..Self::quick()
        }
    }

    /// One screen for one size, in at most a minute: what `compare` measures.
    #[must_use]
    pub fn compare(n: u64) -> Self {
        Self {
            name: "compare",
            sizes: vec![n],
            movement_min_keys: 100_000,
            ..Self::quick()
        }
    }

    /// Hours.
    #[must_use]
    pub fn full() -> Self {
        let power_sizes = (3..=16).flat_map(|k| [1 << k, (1 << k) + 1]).collect();
        Self {
            name: "full",
            sizes: vec![10, 40, 100, 1000, 10_000, 100_000],
            power_sizes,
            keys_per_node: 10_000,
            movement_keys_per_node: 1000,
            movement_seeds: 20,
            deployments: 10_000,
            deployments_large: 10_000,
            deployed_entries: u64::MAX,
            loss_orders: true,
            n1_losses: u64::MAX,
            view_sizes: vec![40, 100],
            swap_sizes: vec![100, 1000],
            budget: 1e11,
            rounds: 100,
            competing_bytes: Some(1 << 30), // Lamping and Veach 2014, figure 6
            ..Self::standard()
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "quick" => Ok(Self::quick()),
            "standard" => Ok(Self::standard()),
            "full" => Ok(Self::full()),
            _ => Err(format!(
                "unknown profile {text:?}; valid are: {}",
                Self::NAMES.join(", ")
            )),
        }
    }
}

/// A strategy to compare.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its spec.
    pub spec: Spec,
    /// Whether it stands in the overview; otherwise it is a step of a parameter sweep, measured for
    /// balance and memory at one size.
    pub overview: bool,
    /// Points a node, where it has a parameter of that role.
    pub points_per_node: Option<u64>,
}

/// Everything that decides what is measured. The same request gives the same deterministic rows,
/// on any machine and any number of threads.
#[derive(Clone, Debug)]
pub struct Request {
    /// Strategies.
    pub contenders: Vec<Contender>,
    /// How much.
    pub profile: Profile,
    /// Which parts.
    pub parts: Vec<Part>,
    /// Key set.
    pub key_set: KeySet,
    /// Number of keys, which lifts the budget; the profile's where `None`.
    pub n_keys: Option<u64>,
    /// Nodes of the user's own, in place of the generated ones and their sizes.
    pub nodes: Option<Vec<NodeSpec>>,
    /// A change of those nodes, step by step, measured beside the scenarios as [`OWN_CHANGE`](crate::record::OWN_CHANGE); none
    /// where empty.
    pub changes: Vec<Change>,
    /// Whether to keep a row a seed beside the summaries.
    pub raw: bool,
}

impl Request {
    /// Whether `part` is asked for.
    #[must_use]
    pub fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The sizes at which a contender is measured.
    #[must_use]
    pub fn sizes(&self, contender: &Contender) -> Vec<u64> {
        if let Some(nodes) = &self.nodes {
            return vec![nodes.len() as u64];
        }
        if !contender.overview {
            return self.profile.sweep_size.into_iter().collect();
        }
        let mut sizes = self.profile.sizes.clone();
        if contender.spec.strategy().sizes == router::Sizes::PowersOfTwo {
            sizes.extend(&self.profile.power_sizes);
        }
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The nodes of a deployment: the user's own, or the first `n` names of a seed.
    #[must_use]
    pub fn deployment(&self, seed: u64, n: u64) -> Vec<NodeSpec> {
        match &self.nodes {
            Some(nodes) => nodes.clone(),
            None => crate::workload::node_names(seed, n as usize)
                .into_iter()
                .map(NodeSpec::from)
                .collect(),
        }
    }
}
