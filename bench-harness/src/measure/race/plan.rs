//! A race as its document describes it.

use anyhow::{Context as _, ensure};
use router::Catalog;
use serde::Deserialize;

/// The metrics in the order of the rows, with their units.
pub const METRICS: [(&str, &str); 8] = [
    ("lookup_ns", "ns a key"),
    ("route_batch_ns", "ns a key"),
    ("hash_ns", "ns a key"),
    ("load_ns", "ns a key"),
    ("build_ns", "ns"),
    ("add_ns", "ns"),
    ("remove_ns", "ns"),
    ("instructions", "instructions a key"),
];

/// A race, as its document describes it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Race {
    /// Numbers of nodes, ascending.
    pub sizes: Vec<u64>,
    /// Numbers of nodes, some of `sizes`, at which building and changing are timed too.
    #[serde(default)]
    pub build_sizes: Vec<u64>,
    /// Number of nodes, one of `sizes`, at which instructions are counted.
    pub counted_size: Option<u64>,
    /// Rounds: the unit of statistics.
    pub rounds: u64,
    /// Who is held against whom.
    #[serde(rename = "family")]
    pub families: Vec<RaceFamily>,
    /// What is demanded.
    #[serde(rename = "must", default)]
    pub musts: Vec<Must>,
}

/// Strategies that solve one task.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaceFamily {
    /// Its name.
    pub name: String,
    /// Specs of ours.
    pub ours: Vec<String>,
    /// Specs of the peers.
    pub peers: Vec<String>,
}

/// A demand: ours is so many times faster than the fastest of its peers.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Must {
    /// In words.
    pub says: String,
    /// The family.
    pub family: String,
    /// A spec of ours in it.
    pub ours: String,
    /// Whom it is held against: peers of the family, or others of ours in it; all peers where none is
    /// named.
    #[serde(default)]
    pub peers: Vec<String>,
    /// Number of nodes.
    pub nodes: u64,
    /// Metric, of ours and of the peers.
    pub metric: String,
    /// How many times faster, at least.
    pub times: f64,
    /// What is aimed at beyond that.
    pub aim: Option<f64>,
}

impl Race {
    /// Reads a race; specs become canonical.
    ///
    /// # Errors
    ///
    /// What is wrong with the document: its form, a spec that cannot be read, a size or a demand that
    /// the race does not have.
    pub fn parse(text: &str, catalog: &Catalog) -> anyhow::Result<Self> {
        let mut race: Self = toml::from_str(text).context("expected a race")?;
        let canonical = |spec: &mut String| -> anyhow::Result<()> {
            *spec = catalog.parse(spec)?.to_string();
            Ok(())
        };
        for family in &mut race.families {
            for spec in family.ours.iter_mut().chain(&mut family.peers) {
                canonical(spec)?;
            }
        }
        for must in &mut race.musts {
            for spec in must.peers.iter_mut().chain([&mut must.ours]) {
                canonical(spec)?;
            }
        }
        race.check()?;
        Ok(race)
    }

    /// The same race of the families named alone; what is demanded of others is left out. Without a
    /// name all families stay.
    ///
    /// # Errors
    ///
    /// A family that the race does not have.
    pub fn narrowed(&self, names: &[String]) -> anyhow::Result<Self> {
        let mut race = self.clone();
        for name in names {
            let known: Vec<&str> = self.families.iter().map(|it| it.name.as_str()).collect();
            ensure!(
                known.contains(&name.as_str()),
                "unknown family {name:?}; valid are: {}",
                known.join(", ")
            );
        }
        if !names.is_empty() {
            race.families.retain(|it| names.contains(&it.name));
            race.musts.retain(|it| names.contains(&it.family));
        }
        Ok(race)
    }

    fn check(&self) -> anyhow::Result<()> {
        ensure!(!self.sizes.is_empty(), "sizes: expected at least one");
        ensure!(
            self.sizes.is_sorted_by(|a, b| a < b) && self.sizes[0] > 0,
            "sizes: expected numbers of nodes in ascending order"
        );
        ensure!(self.rounds > 0, "rounds: expected at least one");
        let mut some = self.build_sizes.iter().chain(&self.counted_size);
        if let Some(size) = some.find(|it| !self.sizes.contains(it)) {
            anyhow::bail!("build_sizes, counted_size: {size} is not one of sizes");
        }
        for must in &self.musts {
            let what = format!("must {:?}", must.says);
            let family = self.families.iter().find(|it| it.name == must.family);
            let family = family.with_context(|| format!("{what}: no family {:?}", must.family))?;
            ensure!(
                family.ours.contains(&must.ours),
                "{what}: {} is none of ours in family {}",
                must.ours,
                family.name
            );
            let races = |it: &&String| family.peers.contains(it) || family.ours.contains(it);
            if let Some(peer) = must.peers.iter().find(|it| !races(it)) {
                anyhow::bail!("{what}: {peer} is not in family {}", family.name);
            }
            ensure!(
                METRICS.iter().any(|it| it.0 == must.metric),
                "{what}: unknown metric {:?}",
                must.metric
            );
        }
        Ok(())
    }

    /// The specs that race, each once, in order.
    pub(super) fn specs(&self) -> Vec<&str> {
        let mut specs: Vec<&str> = Vec::new();
        for family in &self.families {
            for spec in family.ours.iter().chain(&family.peers) {
                if !specs.contains(&spec.as_str()) {
                    specs.push(spec);
                }
            }
        }
        specs
    }
}
