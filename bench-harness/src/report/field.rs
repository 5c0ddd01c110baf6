//! The field: the compared strategies, under the names that charts and tables show.

use std::collections::{BTreeMap, BTreeSet};

use super::data::Data;
use super::style::Style;
use super::table::Keyed as _;
use crate::record::{CapabilitiesEntry, Compared, ContractRow, HashEntry, StrategyEntry};

/// The compared strategies.
#[derive(Debug)]
pub(super) struct Field {
    /// In the order of `strategies.json`.
    pub(super) entries: Vec<Compared>,
    /// Why a strategy failed its contract, by name.
    failures: BTreeMap<String, String>,
}

/// One line of a chart: a spec, or several that place every key alike.
#[derive(Clone, Debug)]
pub(super) struct Series<'a> {
    /// The specs, the first of which gave the looks.
    pub(super) members: Vec<&'a Compared>,
    /// All their names.
    pub(super) name: String,
    pub(super) style: Style,
}

impl Field {
    /// The field of a run. Specs that only the rows name are taken from there, without anything
    /// that only `strategies.json` could tell.
    pub(super) fn new(data: &Data) -> Self {
        let mut entries = data.strategies.clone().unwrap_or_default();
        let known: BTreeSet<&str> = entries.iter().map(|entry| entry.label.as_str()).collect();
        let rows = [&data.balance, &data.movement, &data.work, &data.memory].into_iter();
        let rows = rows.flatten().flat_map(|table| &table.rows);
        let timed = [&data.lookup, &data.build, &data.swap].into_iter();
        let timed = timed.flatten().flat_map(|table| &table.rows);
        let labels = rows.map(|row| row.strategy.as_str());
        let labels = labels.chain(timed.map(|row| row.strategy.as_str()));
        let unknown: BTreeSet<&str> = labels.filter(|label| !known.contains(label)).collect();
        let unknown: Vec<Compared> = unknown.into_iter().map(undescribed).collect();
        entries.extend(unknown);
        // The suite tests a strategy once; what it finds holds for all its specs.
        let name_of = |label: &str| {
            let entry = entries.iter().find(|entry| entry.label == label);
            entry.map_or(label.to_owned(), |entry| entry.strategy.name.clone())
        };
        let checks = data.contract.iter().flat_map(|table| &table.rows);
        let mut failures = BTreeMap::new();
        for row in checks.filter(|row| row.status == "failed") {
            let why = failures.entry(name_of(&row.strategy));
            why.or_insert_with(|| failure(row));
        }
        Self { entries, failures }
    }

    /// The description of the spec with this label.
    pub(super) fn entry(&self, label: &str) -> Option<&Compared> {
        self.entries.iter().find(|entry| entry.label == label)
    }

    /// How a spec looks, described or not.
    pub(super) fn style(&self, label: &str) -> Style {
        self.entry(label)
            .map_or_else(|| Style::of(&undescribed(label)), Style::of)
    }

    /// Why the strategy of this entry failed its contract, where it did.
    pub(super) fn failure(&self, entry: &Compared) -> Option<String> {
        let why = self.failures.get(&entry.strategy.name);
        if entry.contract != "failed" && why.is_none() {
            return None;
        }
        Some(why.map_or("its contract".to_owned(), Clone::clone))
    }

    /// The overview, a series for each spec: for what differs between strategies that place keys
    /// alike, time and memory.
    pub(super) fn singles(&self) -> Vec<Series<'_>> {
        let overview = self.entries.iter().filter(|entry| entry.overview);
        overview.map(|entry| Series::of(vec![entry])).collect()
    }

    /// The overview, specs that place every key alike in one series. A spec that failed its
    /// contract stands alone.
    pub(super) fn groups(&self) -> Vec<Series<'_>> {
        let mut groups: Vec<Vec<&Compared>> = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.overview) {
            let like = groups.iter_mut().find(|group| {
                group[0].alike == entry.alike
                    && !entry.alike.is_empty()
                    && self.failure(group[0]).is_none()
                    && self.failure(entry).is_none()
            });
            match like {
                Some(group) => group.push(entry),
                None => groups.push(vec![entry]),
            }
        }
        groups.into_iter().map(Series::of).collect()
    }
}

impl<'a> Series<'a> {
    pub(super) fn of(members: Vec<&'a Compared>) -> Self {
        let labels: Vec<&str> = members.iter().map(|it| it.label.as_str()).collect();
        let bound = members.iter().any(|it| it.strategy.role == "bound");
        let name = joined(&labels);
        Self {
            name: if bound {
                format!("{name} (the bound)")
            } else {
                name
            },
            style: Style::of(members[0]),
            members,
        }
    }

    /// Whether it is a mark for the others: the control, or the bound.
    pub(super) fn is_mark(&self) -> bool {
        let mut roles = self
            .members
            .iter()
            .map(|entry| entry.strategy.role.as_str());
        roles.any(|role| role == "control" || role == "bound")
    }

    /// Whether it is the control.
    pub(super) fn is_control(&self) -> bool {
        self.members
            .iter()
            .any(|entry| entry.strategy.role == "control")
    }
}

/// Names in one: "a = b = c", and "a = b (vnodes=160)" where all have the same parameters.
fn joined(labels: &[&str]) -> String {
    let split = labels.iter().map(|label| label.split_once(':').unzip());
    let (names, params): (Vec<Option<&str>>, Vec<Option<&str>>) = split.unzip();
    match params[0] {
        Some(same) if labels.len() > 1 && params.iter().all(|it| *it == Some(same)) => {
            let names: Vec<&str> = names.into_iter().flatten().collect();
            format!("{} ({same})", names.join(" = "))
        }
        _ => labels.join(" = "),
    }
}

fn failure(row: &ContractRow) -> String {
    if row.note.is_empty() {
        format!("contract check {}", row.key().metric)
    } else {
        format!("contract check {}: {}", row.key().metric, row.note)
    }
}

/// What can be said of a spec from its label alone.
fn undescribed(label: &str) -> Compared {
    let name = label.split(':').next().unwrap_or(label);
    Compared {
        label: label.to_owned(),
        overview: true,
        points_per_node: None,
        contract: "not tested".to_owned(),
        alike: label.to_owned(),
        strategy: StrategyEntry {
            name: name.to_owned(),
            family: name.to_owned(),
            role: "not described".to_owned(),
            hash: HashEntry {
                name: String::new(),
                mixes: true,
            },
            summary: String::new(),
            source: String::new(),
            spoken_by: Vec::new(),
            params: Vec::new(),
            capabilities: CapabilitiesEntry {
                any_removal: false,
                minimal: false,
                order_free: false,
                history_free: false,
                weights: "no".to_owned(),
                replicas: false,
                even: false,
                knows_load: false,
                max_nodes: None,
            },
        },
    }
}
