//! What every experiment is given, and how it asks a cluster.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use router::{Catalog, Cluster, KeyBuf, Keys, NodeId, NodeSpec, Spec};
use serde::Deserialize;

use super::Definition;
use crate::measure::{Progress, Stopped};

/// Keys that a thread asks at once: enough for a sweep over a ring to pay.
const CHUNK: usize = 1 << 17;

/// What a person may choose.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Specs in place of the definition's.
    pub strategies: Vec<String>,
    /// The node to remove.
    pub remove: Option<String>,
    /// The seed of what is drawn at random.
    pub seed: Option<u64>,
    /// An access log in place of requests drawn by seed.
    pub log: Option<PathBuf>,
    /// What happens while its requests come in.
    pub events: Option<PathBuf>,
    /// The nodes in place of the definition's.
    pub nodes: Option<PathBuf>,
    /// Bytes that each node's cache holds.
    pub bytes_per_node: Option<u64>,
}

impl Options {
    /// The files that are to be read.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.log, &self.events, &self.nodes];
        files.into_iter().flatten().map(PathBuf::as_path)
    }

    /// The options that were given, by name.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("--strategy", !self.strategies.is_empty()),
            ("--remove", self.remove.is_some()),
            ("--seed", self.seed.is_some()),
            ("--log", self.log.is_some()),
            ("--events", self.events.is_some()),
            ("--nodes", self.nodes.is_some()),
            ("--bytes-per-node", self.bytes_per_node.is_some()),
        ];
        let given = given.into_iter().filter(|&(_, given)| given);
        given.map(|(option, _)| option)
    }
}

/// What every experiment is given.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The strategies.
    pub catalog: &'a Catalog,
    /// What it runs.
    pub definition: &'a Definition,
    /// What a person chose.
    pub options: &'a Options,
    /// Where the run is, and whether it is to go on.
    pub progress: &'a Progress,
}

impl Setup<'_> {
    /// Reads a spec.
    ///
    /// # Errors
    ///
    /// When the catalog has no such strategy.
    pub fn spec(&self, text: &str) -> Result<Spec> {
        Ok(self.catalog.parse(text)?)
    }

    /// The strategies that a person chose, or else these, each once.
    ///
    /// # Errors
    ///
    /// When the catalog has no such strategy.
    pub fn specs(&self, own: &[String]) -> Result<Vec<Spec>> {
        let chosen = &self.options.strategies;
        let texts = if chosen.is_empty() { own } else { chosen };
        let mut specs: Vec<Spec> = Vec::new();
        for text in texts {
            let spec = self.spec(text)?;
            if specs.iter().all(|it| it.to_string() != spec.to_string()) {
                specs.push(spec);
            }
        }
        Ok(specs)
    }

    /// A cluster of these nodes, in joining order.
    ///
    /// # Errors
    ///
    /// When the catalog has no such strategy, or it refuses the nodes.
    pub fn cluster<S: AsRef<str>>(&self, spec: &str, nodes: &[S]) -> Result<Cluster> {
        let nodes: Vec<NodeSpec> = nodes.iter().map(|it| it.as_ref().into()).collect();
        Cluster::build(&self.spec(spec)?, &nodes).with_context(|| spec.to_owned())
    }

    /// The owner of every key, asked on all cores.
    ///
    /// # Errors
    ///
    /// When the run was interrupted.
    ///
    /// # Panics
    ///
    /// When no node has weight.
    pub fn owners(&self, cluster: &Cluster, keys: Keys<'_>) -> Result<Vec<NodeId>> {
        let mut owners = vec![NodeId::default(); keys.len()];
        let chunks = owners.par_chunks_mut(CHUNK).enumerate();
        chunks.try_for_each(|(i, owners)| {
            self.check()?;
            let start = i * CHUNK;
            let served = cluster.route_batch(keys.slice(start..start + owners.len()), owners);
            assert!(served, "an experiment's cluster has weight");
            Ok::<_, anyhow::Error>(())
        })?;
        Ok(owners)
    }

    /// Whether the run is to go on.
    ///
    /// # Errors
    ///
    /// When it was interrupted.
    pub fn check(&self) -> Result<()> {
        Ok(self.progress.check().map_err(Stopped::from)?)
    }
}

/// Keys on each node, in joining order.
///
/// # Panics
///
/// When an owner is not present.
#[must_use]
pub fn counts(cluster: &Cluster, owners: &[NodeId]) -> Vec<u64> {
    let nodes = cluster.nodes();
    let mut counts = vec![0; nodes.len()];
    for &owner in owners {
        counts[nodes.position(owner).expect("owners are present")] += 1;
    }
    counts
}

/// Numbered names: `prefix0`, `prefix1` and so on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    /// What stands before the number.
    pub prefix: String,
    /// The first number.
    #[serde(default)]
    pub from: u64,
    /// How many.
    pub count: u64,
}

impl Numbered {
    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let numbers = self.from..self.from + self.count;
        numbers.map(|number| format!("{}{number}", self.prefix))
    }

    /// The names in order, as a list.
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        self.names().collect()
    }

    /// The names in order, as keys.
    #[must_use]
    pub fn keys(&self) -> KeyBuf {
        self.names().collect()
    }
}
