//! Where requests, nodes and events come from: the definition and a seed, or a person's own files.

use anyhow::{Context as _, Result, bail};
use router::NodeSpec;
use serde::Deserialize;

use super::Replay;
use crate::{
    experiment::Options,
    workload::{
        Event, RequestLog, Requests, SeededRequests, Step, Traffic, node_names, read_events,
        read_nodes, shown, steps,
    },
};

/// The requests of the definition.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mix {
    keys: usize,
    zipf: f64,
    bytes: [u64; 2],
    requests_a_second: f64,
    seconds: f64,
}

/// An event of the definition: NODE3 stands for the third node, and a number beyond the nodes for a
/// newcomer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    time: f64,
    change: String,
    /// What the charts call it.
    label: String,
}

/// What all strategies are put through.
pub(super) struct World {
    pub(super) source: Source,
    pub(super) nodes: Vec<NodeSpec>,
    pub(super) steps: Vec<Step>,
    /// What each event is called.
    pub(super) labels: Vec<String>,
}

/// Requests, piece by piece.
pub(super) enum Source {
    Log(Box<RequestLog>, String),
    Seeded(Box<SeededRequests>),
}

impl Source {
    /// Puts the next requests in place of those that are there; false at the end.
    pub(super) fn read(&mut self, out: &mut Requests) -> Result<bool> {
        Ok(match self {
            Self::Log(log, _) => log.read(out)? > 0,
            Self::Seeded(seeded) => seeded.read(out) > 0,
        })
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Log(_, name) => name,
            Self::Seeded(_) => "the traffic of the definition",
        }
    }

    /// What a person should know of it, once it was read.
    pub(super) fn note(&self) -> Option<String> {
        match self {
            Self::Log(log, _) => log.note(),
            Self::Seeded(_) => None,
        }
    }
}

impl Replay {
    /// A world a seed; of a log there is one.
    pub(super) fn worlds(&self, options: &Options) -> Result<Vec<World>> {
        let seeds = match options.log {
            Some(_) => 1,
            None => self.seeds,
        };
        let own_nodes = options.nodes.as_deref().map(read_nodes).transpose()?;
        let own_events = options.events.as_deref().map(read_events).transpose()?;
        let worlds = (0..seeds).map(|seed| {
            // The nodes, and the newcomers behind them.
            let newcomers = node_names(seed, 2 * self.nodes);
            let nodes = match &own_nodes {
                Some(nodes) => nodes.clone(),
                None => newcomers[..self.nodes]
                    .iter()
                    .map(|it| it.as_str().into())
                    .collect(),
            };
            if let (Some([]), Some(path)) = (own_nodes.as_deref(), &options.nodes) {
                bail!("{}: expected at least one node", shown(path));
            }
            let (events, labels) = match (&own_events, &options.log) {
                (Some(events), _) => {
                    let labels = events.iter().map(|it| it.what.to_string()).collect();
                    (events.clone(), labels)
                }
                // The times of the definition mean nothing in another log.
                (None, Some(_)) => (Vec::new(), Vec::new()),
                (None, None) => self.events(&nodes, &newcomers)?,
            };
            let steps = steps(&nodes, &events).map_err(|err| match &options.events {
                Some(path) => anyhow::anyhow!("{}: {err}", shown(path)),
                None => err.into(),
            })?;
            let source = match &options.log {
                Some(path) => Source::Log(Box::new(RequestLog::open(path)?), shown(path)),
                None => Source::Seeded(Box::new(SeededRequests::new(seed, self.traffic.traffic()))),
            };
            Ok(World {
                source,
                nodes,
                steps,
                labels,
            })
        });
        worlds.collect()
    }

    /// The events of the definition, with names in place of numbers.
    fn events(
        &self,
        nodes: &[NodeSpec],
        newcomers: &[String],
    ) -> Result<(Vec<Event>, Vec<String>)> {
        let name = |number: usize| match number.checked_sub(self.nodes + 1) {
            None => nodes[(number - 1) % nodes.len()].name.as_str(),
            Some(_) => newcomers[(number - 1) % newcomers.len()].as_str(),
        };
        let mut events = Vec::new();
        for given in &self.events {
            let change = named(&given.change, name);
            let what = change.parse().with_context(|| given.change.clone())?;
            events.push(Event {
                time: given.time,
                what,
            });
        }
        Ok((
            events,
            self.events.iter().map(|it| it.label.clone()).collect(),
        ))
    }
}

/// A text with names in place of numbered nodes.
fn named<'a>(text: &str, name: impl Fn(usize) -> &'a str) -> String {
    let mut parts = text.split("NODE");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|it: char| it.is_ascii_digit());
        let number = part[..part.len() - rest.len()].parse();
        out += name(number.expect("NODE has a number from 1"));
        out += rest;
    }
    out
}

impl Mix {
    fn traffic(self) -> Traffic {
        Traffic {
            keys: self.keys,
            zipf: self.zipf,
            bytes: self.bytes,
            rate: self.requests_a_second,
            seconds: self.seconds,
        }
    }
}
