//! Replay: a log of requests through every strategy, with a cache a node, while nodes are lost, come
//! back and are replaced.
//!
//! ```text
//!   log, or seed --> requests, piece by piece --+--> strategy: owner --> that node's cache --> backend
//!   events --> lost, added, restarted ----------+         |                                      |
//!                                              the busiest node                 requests a second, recovery
//! ```
//!
//! All strategies read the same piece at the same time; each goes through it in order by itself, so
//! that the result does not depend on the number of threads.

mod cache;
mod judge;
mod recovery;
mod serving;
mod source;
mod timeline;

use std::hash::{DefaultHasher, Hasher as _};

use anyhow::{Result, ensure};
use rayon::prelude::*;
use router::{Change, Spec};
use serde::Deserialize;

use super::{Claims, Findings, Setup};
use crate::{
    record::SeriesRow,
    workload::{Act, Requests},
};
use cache::Cache;
use recovery::{Group, Recovery, Rule};
use serving::Serving;
use source::{Given, Mix, World};
use timeline::Timeline;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Replay {
    nodes: usize,
    bytes_per_node: u64,
    seeds: u64,
    /// Seconds of a window, as long as there are not too many of them.
    window_seconds: f64,
    recovered: Rule,
    traffic: Mix,
    events: Vec<Given>,
    strategies: Vec<String>,
    /// The spec that stands for doing nothing about change.
    control: String,
}

/// What the events of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Nodes leave.
    Loss,
    /// Nodes restart under their own names.
    Restart,
    /// Anything else, or several things.
    Other,
}

impl Kind {
    fn of<'a>(acts: impl Iterator<Item = &'a Act> + Clone) -> Self {
        if acts
            .clone()
            .all(|it| matches!(it, Act::Change(Change::Remove(_))))
        {
            Self::Loss
        } else if acts.clone().all(|it| matches!(it, Act::Restart(_))) {
            Self::Restart
        } else {
            Self::Other
        }
    }
}

/// What was found in one world: of each strategy, its curves and what became of it.
struct Run {
    /// Width of a window.
    width: f64,
    groups: Vec<Group>,
    /// Of each group.
    kinds: Vec<Kind>,
    /// Requests a second, and those that one cache of all bytes would send on.
    requests: Vec<f64>,
    floor: Vec<f64>,
    /// In the order of the strategies.
    served: Vec<Served>,
    notes: Vec<String>,
}

/// What became of one strategy.
struct Served {
    /// Requests a second to the backend, and to the busiest node.
    backend: Vec<f64>,
    hottest: Vec<f64>,
    /// Of each group of events.
    recoveries: Vec<Option<Recovery>>,
    /// Of each group: requests a second that went to the nodes that lost their cache.
    lost: Vec<f64>,
    refused: Option<String>,
}

/// All worlds.
struct Found {
    strategies: Vec<Spec>,
    runs: Vec<Run>,
}

impl Found {
    /// A number of a strategy after a group of events, a value a world.
    fn values(
        &self,
        strategy: usize,
        group: usize,
        of: impl Fn(&Recovery, f64) -> f64,
    ) -> Vec<f64> {
        let values = self.runs.iter().filter_map(|run| {
            let served = &run.served[strategy];
            let recovery = served.recoveries.get(group)?.as_ref()?;
            Some(of(recovery, served.lost[group]))
        });
        values.collect()
    }

    /// The groups of events, which are alike in all worlds.
    fn groups(&self) -> &[Group] {
        self.runs.first().map_or(&[], |run| &run.groups)
    }

    /// The first group of this kind.
    fn first(&self, kind: Kind) -> Option<usize> {
        self.runs.first()?.kinds.iter().position(|it| *it == kind)
    }

    /// The places of the strategies that were not left out.
    fn kept(&self) -> impl Iterator<Item = usize> {
        let kept = |&it: &usize| self.runs.iter().all(|run| run.served[it].refused.is_none());
        (0..self.strategies.len()).filter(kept)
    }
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let replay: Replay = setup.definition.setup();
    let mut left_out = Vec::new();
    let mut specs = Vec::new();
    for spec in setup.specs(&replay.strategies)? {
        if spec.capabilities().knows_load {
            left_out.push(format!(
                "left out: {spec}: it places whole key sets, and a log is never held whole"
            ));
        } else {
            specs.push(spec);
        }
    }
    let worlds = replay.worlds(setup.options)?;
    setup.progress.phase("replay", worlds.len());
    let mut runs = Vec::new();
    for world in worlds {
        runs.push(replay.run(setup, &specs, world)?);
        setup.progress.step();
    }
    let found = Found {
        strategies: specs,
        runs,
    };
    // Names differ from seed to seed; one reason a strategy is enough.
    for strategy in 0..found.strategies.len() {
        let mut refused = found.runs.iter().map(|run| &run.served[strategy].refused);
        left_out.extend(refused.find_map(Clone::clone));
    }
    left_out.extend(found.runs.iter().flat_map(|run| run.notes.clone()));
    left_out.dedup();
    let control = setup.spec(&replay.control)?.to_string();
    let mut claims = Claims::new(setup.definition);
    judge::all(&mut claims, &control, &found);
    let series = vec![("curves", curves(&found)), ("recovery", recoveries(&found))];
    Ok(claims.finish(series, left_out))
}

impl Replay {
    /// One world, from its first request to its last.
    fn run(&self, setup: &Setup<'_>, specs: &[Spec], mut world: World) -> Result<Run> {
        let room = setup.options.bytes_per_node.unwrap_or(self.bytes_per_node);
        let (mut requests, mut ids) = (Requests::default(), Vec::new());
        let mut more = world.source.read(&mut requests)?;
        ensure!(
            more,
            "{}: expected at least one request",
            world.source.name()
        );
        let start = requests.times[0];
        let line = Timeline::new(start, self.window_seconds);
        let serving = specs.iter().map(|spec| {
            let line = line.clone();
            Serving::new(spec, &world.nodes, room, &world.steps, line)
        });
        let mut serving: Vec<Serving> = serving.collect::<Result<_>>()?;
        let whole = room.saturating_mul(world.nodes.len() as u64);
        let mut floor = (Cache::new(whole), line);
        let mut end = start;
        while more {
            setup.check()?;
            end = requests.times.last().copied().unwrap_or(end);
            ids.clear();
            ids.extend(requests.keys.keys().iter().map(id));
            let alone = || {
                for (i, &time) in requests.times.iter().enumerate() {
                    floor.1.go_to(time);
                    let hit = floor.0.ask(ids[i], requests.bytes[i]);
                    floor.1.count(None, hit);
                }
            };
            let together = || {
                let each = serving.par_iter_mut();
                each.for_each(|it| it.answer(&requests, &ids));
            };
            rayon::join(alone, together);
            more = world.source.read(&mut requests)?;
        }
        let happened = world.steps.iter().filter(|it| it.time <= end);
        let happened: Vec<(f64, usize)> = happened.map(|it| (it.time - start, it.event)).collect();
        let mut notes: Vec<String> = world.source.note().into_iter().collect();
        if happened.len() < world.steps.len() {
            let late = world.steps.len() - happened.len();
            notes.push(format!(
                "{late} changes lie behind the last request, at {end}"
            ));
        }
        let groups = self.recovered.groups(&happened, &world.labels);
        let served = serving.into_iter().map(|it| self.served(it, &groups));
        let kinds = groups.iter().map(|group| {
            let ours = world
                .steps
                .iter()
                .filter(|it| group.events.contains(&it.event));
            Kind::of(ours.map(|it| &it.act))
        });
        let [requests, floor_misses, _] = floor.1.rates();
        Ok(Run {
            width: floor.1.width(),
            requests,
            floor: floor_misses,
            served: served.collect(),
            kinds: kinds.collect(),
            groups,
            notes,
        })
    }

    /// What became of a strategy after each group of events.
    fn served(&self, serving: Serving<'_>, groups: &[Group]) -> Served {
        let (width, [_, backend, hottest]) = (serving.timeline.width(), serving.timeline.rates());
        let recoveries = groups.iter().enumerate().map(|(i, group)| {
            let after = i.checked_sub(1).map_or(0.0, |before| groups[before].last);
            let end = backend.len() as f64 * width;
            let until = groups.get(i + 1).map_or(end, |next| next.first);
            self.recovered
                .recovery(&backend, width, group, after, until)
        });
        let lost = |event: &usize| serving.lost.get(event).copied().unwrap_or(0.0);
        Served {
            recoveries: recoveries.collect(),
            lost: groups
                .iter()
                .map(|it| it.events.iter().map(lost).sum())
                .collect(),
            backend,
            hottest,
            refused: serving.refused,
        }
    }
}

/// What stands for a key in a cache: 64 bits of its hash, which two keys share with chance 2^-64.
fn id(key: &[u8]) -> u64 {
    // Its keys are fixed, and nothing depends on the value unless two are equal.
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    hasher.finish()
}

/// Requests a second against time: mean, least and most over the worlds.
fn curves(found: &Found) -> Vec<SeriesRow> {
    let mut rows = Vec::new();
    let runs = &found.runs;
    let width = runs.first().map_or(0.0, |run| run.width);
    let mut add = |series: &str, label: &str, of: &dyn Fn(&Run) -> &[f64]| {
        let windows = runs.iter().map(|run| of(run).len()).min().unwrap_or(0);
        rows.extend((0..windows).map(|at| {
            let values: Vec<f64> = runs.iter().map(|run| of(run)[at]).collect();
            SeriesRow {
                series: series.to_owned(),
                label: label.to_owned(),
                x: Some(at as f64 * width),
                unit: "requests a second".to_owned(),
                ..SeriesRow::spanned(&values).unwrap_or_default()
            }
        }));
    };
    add("requests", "", &|run| &run.requests);
    add("floor", "", &|run| &run.floor);
    for strategy in found.kept() {
        let spec = found.strategies[strategy].to_string();
        add("backend", &spec, &|run| &run.served[strategy].backend);
        add("hottest", &spec, &|run| &run.served[strategy].hottest);
    }
    for group in found.groups() {
        for (series, at) in [("event", group.first), ("event, last", group.last)] {
            rows.push(SeriesRow {
                series: series.to_owned(),
                x: Some(at),
                unit: "s".to_owned(),
                text: group.label.clone(),
                ..SeriesRow::default()
            });
        }
    }
    rows
}

/// What became of each strategy after each group of events.
fn recoveries(found: &Found) -> Vec<SeriesRow> {
    let mut rows = Vec::new();
    for (at, group) in found.groups().iter().enumerate() {
        let last = at + 1 == found.groups().len();
        for strategy in found.kept() {
            let mut add = |series: &str, unit: &str, row: Option<SeriesRow>| {
                rows.extend(row.map(|row| SeriesRow {
                    series: series.to_owned(),
                    label: found.strategies[strategy].to_string(),
                    x: Some(group.first),
                    unit: unit.to_owned(),
                    text: match row.text.as_str() {
                        "" => group.label.clone(),
                        _ => row.text.clone(),
                    },
                    ..row
                }));
            };
            let of = |pick: &dyn Fn(&Recovery) -> f64| {
                found.values(strategy, at, |recovery, _| pick(recovery))
            };
            let levels = of(&|it| it.level);
            if levels.is_empty() {
                continue;
            }
            add("level", "requests a second", SeriesRow::spanned(&levels));
            add(
                "peak",
                "requests a second",
                SeriesRow::spanned(&of(&|it| it.peak)),
            );
            add("extra", "requests", SeriesRow::spanned(&of(&|it| it.extra)));
            let seconds = of(&|it| it.seconds.unwrap_or(f64::NAN));
            let never = seconds.iter().filter(|it| it.is_nan()).count();
            let row = match never {
                0 => SeriesRow::spanned(&seconds),
                _ => Some(SeriesRow {
                    text: not_back(last, never, seconds.len()),
                    ..SeriesRow::default()
                }),
            };
            add("seconds", "s", row);
        }
    }
    rows
}

/// That a backend is not back in `never` of so many worlds.
fn not_back(last: bool, never: usize, worlds: usize) -> String {
    let what = match last {
        true => "not within the log",
        false => "not before the next event",
    };
    match worlds {
        1 => what.to_owned(),
        _ => format!("{what}, in {never} of {worlds}"),
    }
}
