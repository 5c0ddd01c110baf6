//! A data file in memory: its rows, their text, and a way to find one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::record::{
    AgreeRow, ArcRow, ContractRow, CriterionRow, DesignRow, EnoughRow, LossRow, Row, SeriesRow,
    TimedDesignRow, TimedRow,
};

/// What a row is found by. Fields that a kind of row does not have are empty or 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Key<'a> {
    pub(super) strategy: &'a str,
    pub(super) scenario: &'a str,
    pub(super) change: &'a str,
    pub(super) nodes: u64,
    pub(super) metric: &'a str,
}

/// A row of a data file.
pub(super) trait Keyed {
    /// Whether it depends on the machine and the day.
    const TIMED: bool = false;
    fn key(&self) -> Key<'_>;
    /// Seeds or rounds behind it, 0 where it has none.
    fn repeats(&self) -> u64 {
        0
    }

    /// Deployments behind it, 0 where it has none.
    fn deployments(&self) -> u64 {
        0
    }
}

impl Keyed for Row {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            scenario: &self.scenario,
            change: &self.change,
            nodes: self.nodes,
            metric: &self.metric,
        }
    }

    fn repeats(&self) -> u64 {
        if self.deployments() > 0 {
            0
        } else {
            self.seeds
        }
    }

    fn deployments(&self) -> u64 {
        let quantile = self.metric.starts_with("exact_peak_p");
        if quantile { self.seeds } else { 0 }
    }
}

impl Keyed for TimedRow {
    const TIMED: bool = true;

    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            scenario: &self.scenario,
            nodes: self.nodes,
            metric: &self.metric,
            ..Key::default()
        }
    }

    fn repeats(&self) -> u64 {
        self.rounds
    }
}

impl Keyed for CriterionRow {
    const TIMED: bool = true;

    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            nodes: self.nodes,
            ..Key::default()
        }
    }
}

impl Keyed for ContractRow {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            metric: &self.check,
            ..Key::default()
        }
    }
}

impl Keyed for ArcRow {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            nodes: self.nodes,
            ..Key::default()
        }
    }
}

impl Keyed for AgreeRow {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.a,
            scenario: &self.nodes,
            metric: &self.b,
            ..Key::default()
        }
    }
}

impl Keyed for LossRow {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            scenario: &self.nodes,
            change: &self.change,
            ..Key::default()
        }
    }
}

impl Keyed for SeriesRow {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.label,
            change: &self.series,
            ..Key::default()
        }
    }
}

impl Keyed for DesignRow {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            nodes: self.nodes,
            ..Key::default()
        }
    }

    fn deployments(&self) -> u64 {
        self.deployments
    }
}

impl Keyed for TimedDesignRow {
    const TIMED: bool = true;

    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            nodes: self.nodes,
            ..Key::default()
        }
    }

    fn repeats(&self) -> u64 {
        self.rounds
    }
}

impl Keyed for EnoughRow {
    fn key(&self) -> Key<'_> {
        Key {
            strategy: &self.strategy,
            nodes: self.nodes,
            ..Key::default()
        }
    }

    fn deployments(&self) -> u64 {
        self.deployments
    }
}

/// A data file.
#[derive(Debug)]
pub(super) struct Table<T> {
    /// Its path below the report folder.
    pub(super) path: &'static str,
    pub(super) rows: Vec<T>,
    /// The rows as text, each as a line of RFC 4180.
    lines: Vec<String>,
    /// Places of the rows in the order of their keys.
    by_key: Vec<usize>,
}

impl<T: Keyed> Table<T> {
    pub(super) fn new(path: &'static str, rows: Vec<T>, lines: Vec<String>) -> Self {
        let mut by_key: Vec<usize> = (0..rows.len()).collect();
        by_key.sort_by(|&a, &b| rows[a].key().cmp(&rows[b].key()));
        Self {
            path,
            rows,
            lines,
            by_key,
        }
    }

    /// The place of the first row with this key.
    fn find(&self, key: Key<'_>) -> Option<usize> {
        let at = self
            .by_key
            .partition_point(|&i| self.rows[i].key().cmp(&key) == Ordering::Less);
        let &i = self.by_key.get(at)?;
        (self.rows[i].key() == key).then_some(i)
    }

    /// The rows with this key, whatever their metric.
    fn cell<'a>(&'a self, key: Key<'a>) -> impl Iterator<Item = usize> + 'a {
        let first = Key { metric: "", ..key };
        let at = self
            .by_key
            .partition_point(|&i| self.rows[i].key().cmp(&first) == Ordering::Less);
        let rest = self.by_key[at..].iter().copied();
        rest.take_while(move |&i| {
            Key {
                metric: "",
                ..self.rows[i].key()
            } == first
        })
    }

    /// The value of `field` that most of the rows that `of` accepts have; the first of several.
    fn most<'a>(&'a self, of: impl Fn(&T) -> bool, field: impl Fn(Key<'a>) -> &'a str) -> String {
        let mut rows_of: BTreeMap<&str, usize> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| of(row)) {
            *rows_of.entry(field(row.key())).or_default() += 1;
        }
        let most = rows_of.values().copied().max();
        let first = rows_of.into_iter().find(|(_, n)| Some(*n) == most);
        first.map_or(String::new(), |(name, _)| name.to_owned())
    }

    /// The scenario with the most rows among those that `of` accepts.
    pub(super) fn main_scenario(&self, of: impl Fn(&T) -> bool) -> String {
        self.most(of, |key| key.scenario)
    }

    /// The change with the most rows among those that `of` accepts.
    pub(super) fn main_change(&self, of: impl Fn(&T) -> bool) -> String {
        self.most(of, |key| key.change)
    }

    /// The scenarios of the rows that `of` accepts.
    pub(super) fn scenarios(&self, of: impl Fn(&T) -> bool) -> BTreeSet<&str> {
        let rows = self.rows.iter().filter(|row| of(row));
        rows.map(|row| row.key().scenario).collect()
    }

    /// The sizes of the rows that `of` accepts.
    pub(super) fn sizes(&self, of: impl Fn(&T) -> bool) -> BTreeSet<u64> {
        let rows = self.rows.iter().filter(|row| of(row));
        rows.map(|row| row.key().nodes).collect()
    }
}

/// The size nearest to `wanted`, by ratio; the smaller of two that are equally near.
pub(super) fn nearest(sizes: &BTreeSet<u64>, wanted: u64) -> Option<u64> {
    let apart = |&size: &u64| {
        let (small, large) = (size.min(wanted), size.max(wanted));
        large as f64 / small.max(1) as f64
    };
    sizes
        .iter()
        .copied()
        .min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

/// The rows that a figure draws: noted as they are taken from their tables.
#[derive(Default, Debug)]
pub(super) struct Drawn {
    lines: BTreeMap<(&'static str, usize), String>,
    pub(super) scenarios: BTreeSet<String>,
    /// Seeds, or rounds.
    pub(super) repeats: BTreeSet<u64>,
    pub(super) deployments: BTreeSet<u64>,
    /// Whether one of them is a timing.
    pub(super) timed: bool,
}

impl Drawn {
    /// Takes the row with this key, if there is one.
    pub(super) fn take<'a, T: Keyed>(
        &mut self,
        table: &'a Table<T>,
        key: Key<'_>,
    ) -> Option<&'a T> {
        let i = table.find(key)?;
        self.note(table, i);
        Some(&table.rows[i])
    }

    /// Takes the first row of this key's cell that `of` accepts, whatever its metric.
    pub(super) fn take_any<'a, T: Keyed>(
        &mut self,
        table: &'a Table<T>,
        key: Key<'_>,
        of: impl Fn(&T) -> bool,
    ) -> Option<&'a T> {
        let i = table.cell(key).find(|&i| of(&table.rows[i]))?;
        self.note(table, i);
        Some(&table.rows[i])
    }

    /// Takes the `i`-th row.
    pub(super) fn note<T: Keyed>(&mut self, table: &Table<T>, i: usize) {
        let row = &table.rows[i];
        self.lines.insert((table.path, i), table.lines[i].clone());
        // Series of costs have one kind of row, counted or timed.
        self.timed |= T::TIMED || table.path.starts_with("data/timed-");
        let scenario = row.key().scenario;
        if !scenario.is_empty() {
            self.scenarios.insert(scenario.to_owned());
        }
        if row.repeats() > 0 {
            self.repeats.insert(row.repeats());
        }
        if row.deployments() > 0 {
            self.deployments.insert(row.deployments());
        }
    }

    pub(super) fn files(&self) -> BTreeSet<&'static str> {
        self.lines.keys().map(|&(path, _)| path).collect()
    }

    /// First 12 hex digits of the SHA-256 of the rows, in the order of files and lines, each with
    /// its line end, without header.
    pub(super) fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        for line in self.lines.values() {
            hasher.update(line.as_bytes());
        }
        hex(&hasher.finalize())[..12].to_owned()
    }
}

/// Lower-case hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
