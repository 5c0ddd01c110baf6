//! Whom a chart shows: everybody, the best of each family, or one family.

use std::collections::BTreeSet;

use super::Cx;
use super::field::Series;

/// Lines up to which a chart of the overview shows everybody; with more, the best of each family,
/// the control and the bound, and every family gets a page of its own.
pub(super) const MANY: usize = 20;

/// Whose strategies are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    /// All of them.
    All,
    /// Those of one family, and the control.
    Family(&'a str),
}

/// A line of a chart before it is known whether it is drawn.
pub(super) struct Ranked<T> {
    /// What decides: small is good.
    rank: f64,
    /// Lines are compared within this group alone.
    group: u64,
    families: Vec<String>,
    /// Control or bound: always drawn.
    mark: bool,
    name: String,
    item: T,
}

impl<T> Ranked<T> {
    pub(super) fn new(series: &Series<'_>, rank: f64, item: T) -> Self {
        let members = series.members.iter();
        Self {
            rank,
            group: 0,
            families: members.map(|it| it.strategy.family.clone()).collect(),
            mark: series.is_mark(),
            name: series.name.clone(),
            item,
        }
    }

    /// The same in a group of its own; groups stand in rising order.
    pub(super) fn in_group(self, group: u64) -> Self {
        Self { group, ..self }
    }
}

impl<'a> Cx<'a> {
    /// Series of what differs between strategies that place keys alike: time and memory.
    pub(super) fn singles(&self) -> Vec<Series<'a>> {
        self.within(self.field.singles())
    }

    /// Series in which those that place every key alike are one.
    pub(super) fn groups(&self) -> Vec<Series<'a>> {
        self.within(self.field.groups())
    }

    /// Those that the scope takes in.
    pub(super) fn within(&self, mut series: Vec<Series<'a>>) -> Vec<Series<'a>> {
        if let Scope::Family(family) = self.scope {
            series.retain(|it| {
                let ours = it.members.iter().any(|it| it.strategy.family == family);
                ours || it.is_mark()
            });
        }
        series
    }

    /// The families that have a page of their own, in the order of their names: none where the
    /// overview has room for everybody.
    pub(super) fn families(&self) -> Vec<&'a str> {
        if self.field.singles().len() <= MANY {
            return Vec::new();
        }
        let entries = self.field.entries.iter().filter(|entry| entry.overview);
        let mut families: Vec<&str> = entries.map(|it| it.strategy.family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        families
    }

    /// Id of a figure that is called `id` where it shows everybody.
    pub(super) fn figure_id(&self, id: &str) -> String {
        match self.scope {
            Scope::All => id.to_owned(),
            Scope::Family(family) => {
                let chart = id.trim_start_matches("rm-").trim_start_matches("overview-");
                format!("rm-family-{}-{chart}", file_name(family))
            }
        }
    }

    /// The items of a chart of the overview, the best first, equal ones by name; and what is said
    /// of those that it has no room for.
    pub(super) fn best<T>(&self, items: Vec<Ranked<T>>) -> (Vec<T>, Option<String>) {
        let limit = match self.scope {
            Scope::All => MANY,
            Scope::Family(_) => usize::MAX,
        };
        best(items, limit)
    }
}

/// The part of a file's name that stands for a family: crates have plain names, others are made so.
pub(super) fn file_name(family: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    family.chars().map(plain).collect()
}

/// The items in order; of more than `limit` the best of each family in each group, and the control.
fn best<T>(mut items: Vec<Ranked<T>>, limit: usize) -> (Vec<T>, Option<String>) {
    items.sort_by(|a, b| {
        let by_rank = a.group.cmp(&b.group).then(a.rank.total_cmp(&b.rank));
        by_rank.then_with(|| a.name.cmp(&b.name))
    });
    let n_all = items.len();
    if n_all > limit {
        let mut seen = BTreeSet::new();
        items.retain(|it| {
            let keys = it.families.iter().map(|family| (it.group, family.clone()));
            // Every family of the line is noted, so no short-cut.
            let firsts = keys.filter(|key| seen.insert(key.clone())).count();
            firsts > 0 || it.mark
        });
    }
    let left = n_all - items.len();
    let note = (left > 0).then(|| {
        format!(
            "Drawn are the best of each family, the control and the bound; {left} more stand on the pages of their families."
        )
    });
    (items.into_iter().map(|it| it.item).collect(), note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(family: &str, rank: f64) -> Ranked<String> {
        Ranked {
            rank,
            group: 0,
            families: vec![family.to_owned()],
            mark: family == "control",
            name: format!("{family} {rank}"),
            item: format!("{family} {rank}"),
        }
    }

    fn items() -> Vec<Ranked<String>> {
        let mut items = vec![ranked("control", 99.0), ranked("control", 98.0)];
        items.extend((1..=6).map(|i| ranked(["a", "b"][i % 2], i as f64)));
        items.push(ranked("a", 0.5).in_group(1));
        items
    }

    #[test]
    fn few_are_all_shown() {
        let (shown, note) = best(items(), 9);
        assert_eq!((shown.len(), note), (9, None));
        assert_eq!(shown[..2], ["b 1", "a 2"], "the best first");
        assert_eq!(shown[8], "a 0.5", "group by group");
    }

    #[test]
    fn of_many_the_best_of_each_family_in_each_group_and_the_control_are_shown() {
        let (shown, note) = best(items(), 8);
        assert_eq!(shown, ["b 1", "a 2", "control 98", "control 99", "a 0.5"]);
        assert!(note.unwrap().contains("; 4 more stand on"));
    }
}
