//! Who agrees with whom: `compat.csv`, read pair by pair.

use std::collections::BTreeMap;

use super::Cx;
use super::table::{Drawn, Key, Table};
use crate::record::{AgreeRow, CompatEntry};

/// What two specs have in common on one list.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Common {
    pub(super) keys: u64,
    /// Keys with the same owner.
    pub(super) agree: u64,
}

impl Common {
    pub(super) fn all(self) -> bool {
        self.agree == self.keys
    }
}

/// Every pair of the compared specs on every list.
pub(super) struct Agreement<'a> {
    pub(super) about: &'a CompatEntry,
    /// By the places of both, the smaller first, and of the list; without those of which one
    /// refuses the list.
    common: BTreeMap<(usize, usize, usize), Common>,
}

impl<'a> Agreement<'a> {
    /// Reads it, noting every row in `drawn`; why not, where a file is missing.
    pub(super) fn read(cx: &Cx<'a>, drawn: &mut Drawn) -> Result<Self, String> {
        let absent = |path: &str| format!("{path} is not there: `ringmark compat` makes it");
        let table = cx.data.compat.as_ref().ok_or(absent("data/compat.csv"))?;
        let about = cx.data.clients.as_ref().ok_or(absent("data/compat.json"))?;
        Ok(Self {
            common: common(table, about, drawn),
            about,
        })
    }

    /// What the specs at these places have in common on the list at that place, where both serve
    /// it.
    pub(super) fn on(&self, a: usize, b: usize, list: usize) -> Option<Common> {
        self.common.get(&(a.min(b), a.max(b), list)).copied()
    }

    /// What they have in common on every list that both serve, with the list's place.
    pub(super) fn everywhere(&self, a: usize, b: usize) -> Vec<(usize, Common)> {
        let lists = 0..self.about.lists.len();
        lists
            .filter_map(|list| Some((list, self.on(a, b, list)?)))
            .collect()
    }

    /// Why this spec refuses the list, where it does.
    pub(super) fn refusal(&self, spec: usize, list: usize) -> Option<&'a str> {
        let (label, name) = (
            &self.about.compared[spec].label,
            &self.about.lists[list].name,
        );
        let mut refused = self.about.refused.iter();
        let found = refused.find(|it| it.strategy == *label && it.nodes == *name)?;
        Some(&found.why)
    }
}

fn common(
    table: &Table<AgreeRow>,
    about: &CompatEntry,
    drawn: &mut Drawn,
) -> BTreeMap<(usize, usize, usize), Common> {
    let mut found = BTreeMap::new();
    for (i, a) in about.compared.iter().enumerate() {
        for (j, b) in about.compared.iter().enumerate().skip(i + 1) {
            for (at, list) in about.lists.iter().enumerate() {
                let key = Key {
                    strategy: &a.label,
                    scenario: &list.name,
                    metric: &b.label,
                    ..Key::default()
                };
                let row = drawn.take(table, key);
                if let Some(AgreeRow {
                    keys,
                    agree: Some(agree),
                    ..
                }) = row
                {
                    let common = Common {
                        keys: *keys,
                        agree: *agree,
                    };
                    found.insert((i, j, at), common);
                }
            }
        }
    }
    found
}
