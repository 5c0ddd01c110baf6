//! What happens to a cluster while requests come in, and when.

use std::{fmt, path::Path, str::FromStr};

use router::{Change, NodeSpec};

use super::{
    Error, change_text,
    csv_input::{CsvInput, SECONDS, seconds},
    input::Input,
};

/// Something that happens at a moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// When, in seconds of the log's clock.
    pub time: f64,
    /// What.
    pub what: Happening,
}

/// What may happen to a cluster; parsed from what `--change` takes, and two more.
#[derive(Clone, PartialEq, Debug)]
pub enum Happening {
    /// A change of the list of nodes, as `--change` takes it.
    Change(Change),
    /// `~name<TAB>name`: a node takes its own place. The list stays as it is; what it held is gone.
    Restart(String),
    /// `rollout SECONDS`: every node that is there restarts in joining order, so many seconds apart,
    /// the first at once.
    Rollout(f64),
}

impl FromStr for Happening {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(apart) = text.strip_prefix("rollout ") {
            let apart = seconds(apart.as_bytes());
            let fault = || Error::new(format!("change {text:?}: expected rollout SECONDS"));
            return Ok(Self::Rollout(apart.ok_or_else(fault)?));
        }
        match text.parse() {
            Ok(Change::Replace { old, new }) if old == new => Ok(Self::Restart(old)),
            Ok(change) => Ok(Self::Change(change)),
            Err(err) if text.starts_with(['+', '-', '=', '~']) => Err(Error::new(err.to_string())),
            Err(err) => Err(Error::new(format!("{err}, or rollout SECONDS"))),
        }
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change(change) => f.write_str(&change_text(change).replace('\t', " ")),
            Self::Restart(name) => write!(f, "restart {name}"),
            Self::Rollout(apart) => write!(f, "rollout {apart}"),
        }
    }
}

/// Reads a list of events: CSV with a first row that names the columns `time` (seconds, never
/// falling) and `change` ([`Happening`]).
///
/// # Errors
///
/// When it cannot be read, or a row is not what is said above: with its line.
pub fn read_events(path: &Path) -> Result<Vec<Event>, Error> {
    let (input, _) = Input::open_unpacked(path)?;
    let mut input = CsvInput::open(input)?;
    let (time, change) = (input.column("time")?, input.column("change")?);
    let mut events: Vec<Event> = Vec::new();
    while input.next()? {
        let at =
            seconds(input.field(time)).ok_or_else(|| input.unexpected("time", time, SECONDS))?;
        if let Some(before) = events.last().filter(|it| it.time > at) {
            let expected = format!("{} or later, as in the row above", before.time);
            return Err(input.unexpected("time", time, &expected));
        }
        let text = str::from_utf8(input.field(change));
        let text = text.map_err(|_| input.unexpected("change", change, "UTF-8"))?;
        let what = text.parse().map_err(|err| input.fault(err))?;
        events.push(Event { time: at, what });
    }
    Ok(events)
}

/// One thing that happens, with rollouts taken apart.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// When, in seconds of the log's clock.
    pub time: f64,
    /// The place of the event that it belongs to.
    pub event: usize,
    /// What happens.
    pub act: Act,
}

/// What happens in a [`Step`].
#[derive(Clone, PartialEq, Debug)]
pub enum Act {
    /// The list changes.
    Change(Change),
    /// This node's cache is empty again.
    Restart(String),
}

/// What happens to these nodes one thing after another, in the order of time: rollouts are taken
/// apart into the nodes that are there when they begin, and a node that left before its turn is
/// passed over.
///
/// # Errors
///
/// A change that cannot happen when its time comes: who leaves is not there, who joins is.
pub fn steps(nodes: &[NodeSpec], events: &[Event]) -> Result<Vec<Step>, Error> {
    let mut names: Vec<&str> = nodes.iter().map(|it| it.name.as_str()).collect();
    let mut steps: Vec<Step> = Vec::new();
    for (event, Event { time, what }) in events.iter().enumerate() {
        let step = |time: f64, act: Act| Step { time, event, act };
        let place = |name: &str| names.iter().position(|it| *it == name);
        let fault = |why: String| Error::new(format!("event at {time}: {what}: {why}"));
        let there = |name: &str| place(name).ok_or_else(|| fault(format!("there is no {name:?}")));
        let free = |name: &str| match place(name) {
            Some(_) => Err(fault(format!("{name:?} is there already"))),
            None => Ok(()),
        };
        match what {
            Happening::Rollout(apart) => {
                let turns = names.iter().enumerate();
                steps.extend(turns.map(|(turn, name)| {
                    let at = time + turn as f64 * apart;
                    step(at, Act::Restart((*name).to_owned()))
                }));
                continue;
            }
            Happening::Restart(name) => {
                there(name)?;
                steps.push(step(*time, Act::Restart(name.clone())));
                continue;
            }
            Happening::Change(change) => {
                match change {
                    Change::Add(node) => {
                        free(&node.name)?;
                        names.push(&node.name);
                    }
                    Change::Remove(name) => {
                        let place = there(name)?;
                        names.remove(place);
                    }
                    Change::SetWeight(node) => {
                        there(&node.name)?;
                    }
                    Change::Replace { old, new } => {
                        free(new)?;
                        let place = there(old)?;
                        names[place] = new;
                    }
                }
                steps.push(step(*time, Act::Change(change.clone())));
            }
        }
    }
    // Equal times stay in the order in which they were listed.
    steps.sort_by(|a, b| a.time.total_cmp(&b.time));
    Ok(steps)
}
