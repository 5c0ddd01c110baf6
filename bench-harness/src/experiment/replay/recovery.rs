//! How long it takes until the backend has no more to do than before.

use serde::Deserialize;

/// When a backend is back.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// Back is: at most so many times the level before.
    pub(super) factor: f64,
    /// The level is the mean of up to so many seconds before.
    pub(super) level_seconds: f64,
    /// So many windows in a row.
    pub(super) windows: usize,
    /// What happens within so many seconds of the last happens together with it.
    pub(super) together_seconds: f64,
}

/// Things that happen together, in seconds from the first request.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Group {
    pub(super) label: String,
    /// The places of the events.
    pub(super) events: Vec<usize>,
    pub(super) first: f64,
    pub(super) last: f64,
}

/// What became of the backend after a group of events.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Recovery {
    /// Requests a second before.
    pub(super) level: f64,
    /// The most requests a second afterwards.
    pub(super) peak: f64,
    /// Requests above the level, until it is back or something else happens.
    pub(super) extra: f64,
    /// Seconds from the last event of the group until it is back; none where it is not.
    pub(super) seconds: Option<f64>,
}

impl Rule {
    /// Groups of events at these times, which never fall, with the event that each belongs to.
    pub(super) fn groups(&self, at: &[(f64, usize)], labels: &[String]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for &(time, event) in at {
            match groups.last_mut() {
                Some(group) if time - group.last <= self.together_seconds => {
                    group.last = time;
                    group.events.push(event);
                }
                _ => groups.push(Group {
                    label: String::new(),
                    events: vec![event],
                    first: time,
                    last: time,
                }),
            }
        }
        for group in &mut groups {
            let n = group.events.len();
            group.events.sort_unstable();
            group.events.dedup();
            group.label = match group.events[..] {
                [event] => labels[event].clone(),
                _ => format!("{n} changes"),
            };
        }
        groups
    }

    /// What became of a backend with these requests a second, in windows of this width, after
    /// `group`; `after` is when the last group before it ended, `until` when the next begins. Nothing
    /// where no window lies between the two before it.
    pub(super) fn recovery(
        &self,
        rates: &[f64],
        width: f64,
        group: &Group,
        after: f64,
        until: f64,
    ) -> Option<Recovery> {
        // The first window that begins at or after a time, but for a rounding.
        let from = |time: f64| ((time / width - 1e-9).ceil().max(0.0) as usize).min(rates.len());
        // The window that holds a time.
        let within = |time: f64| ((time / width + 1e-9).floor().max(0.0) as usize).min(rates.len());
        let before = from(after.max(group.first - self.level_seconds))..within(group.first);
        let before = rates.get(before).filter(|it| !it.is_empty())?;
        let level = before.iter().sum::<f64>() / before.len() as f64;
        let end = within(until);
        let back = (within(group.last)..end).find(|&at| {
            let next = rates[..end].get(at..at + self.windows);
            next.is_some_and(|it| it.iter().all(|&rate| rate <= self.factor * level))
        });
        let shown = &rates[within(group.first).min(end)..end];
        let upset = &rates[within(group.first).min(end)..back.unwrap_or(end)];
        Some(Recovery {
            level,
            peak: shown.iter().copied().fold(level, f64::max),
            // An empty sum of floats is -0.
            extra: upset
                .iter()
                .fold(0.0, |sum, rate| sum + (rate - level) * width),
            seconds: back.map(|at| (at as f64 * width - group.last).max(0.0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        factor: 1.1,
        level_seconds: 20.0,
        windows: 2,
        together_seconds: 15.0,
    };

    fn at(first: f64, last: f64) -> Group {
        Group {
            label: String::new(),
            events: Vec::new(),
            first,
            last,
        }
    }

    /// Rates in windows of ten seconds.
    fn check(rates: &[f64], group: &Group, after: f64, until: f64, expected: Option<Recovery>) {
        let found = RULE.recovery(rates, 10.0, group, after, until);
        assert_eq!(found, expected, "{rates:?}, {group:?}, {after}, {until}");
    }

    #[test]
    fn back_is_at_the_level_for_long_enough() {
        // A level of 10 before 40; one quiet window among loud ones is not back.
        let rates = [
            90.0, 30.0, 10.0, 10.0, 50.0, 10.0, 20.0, 11.0, 10.0, 10.0, 10.0,
        ];
        let back = Recovery {
            level: 10.0,
            peak: 50.0,
            extra: 500.0,
            seconds: Some(30.0),
        };
        check(&rates, &at(40.0, 40.0), 0.0, 110.0, Some(back));
        // The window of an event in its middle counts, and no time is negative.
        let late = Recovery {
            seconds: Some(26.0),
            ..back
        };
        check(&rates, &at(44.0, 44.0), 0.0, 110.0, Some(late));
        // Several together: from the last.
        let of_two = Recovery {
            seconds: Some(10.0),
            ..back
        };
        check(&rates, &at(40.0, 60.0), 0.0, 110.0, Some(of_two));
        // Something else happens before two windows are quiet.
        let not = Recovery {
            extra: 510.0,
            seconds: None,
            ..back
        };
        check(&rates, &at(40.0, 40.0), 0.0, 80.0, Some(not));
    }

    #[test]
    fn a_level_needs_a_window_of_its_own() {
        let rates = [10.0, 10.0, 40.0, 10.0, 10.0];
        check(&rates, &at(5.0, 5.0), 0.0, 50.0, None);
        check(&rates, &at(20.0, 20.0), 15.0, 50.0, None);
        let found = RULE.recovery(&rates, 10.0, &at(20.0, 20.0), 10.0, 50.0);
        assert_eq!(found.map(|it| it.level), Some(10.0));
        // After the end of the log there is nothing to be seen.
        let late = RULE.recovery(&rates, 10.0, &at(70.0, 70.0), 20.0, 50.0);
        assert_eq!(late, None);
    }

    #[test]
    fn what_follows_at_once_belongs_together() {
        let labels = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let times = [
            (0.0, 0),
            (30.0, 1),
            (45.0, 1),
            (60.0, 1),
            (80.0, 1),
            (95.0, 2),
        ];
        let groups = RULE.groups(&times, &labels);
        let found: Vec<_> = groups
            .iter()
            .map(|it| (&*it.label, it.first, it.last))
            .collect();
        let expected = [
            ("a", 0.0, 0.0),
            ("b", 30.0, 60.0),
            ("2 changes", 80.0, 95.0),
        ];
        assert_eq!(found, expected);
    }
}
