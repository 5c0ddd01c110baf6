//! Published beside measured: the verdicts.

use std::collections::BTreeMap;

use super::{Claim, Definition, Findings, definition::Published};
use crate::record::{ClaimRow, SeriesRow, Verdict, six_digits};

/// The claims of an experiment, each to be judged once.
#[derive(Debug)]
pub struct Claims<'a> {
    definition: &'a Definition,
    judged: BTreeMap<&'a str, ClaimRow>,
}

impl<'a> Claims<'a> {
    /// Nothing judged yet.
    #[must_use]
    pub fn new(definition: &'a Definition) -> Self {
        Self {
            definition,
            judged: BTreeMap::new(),
        }
    }

    /// Holds a measured number against the published one.
    pub fn number(&mut self, id: &str, measured: f64) {
        let claim = self.claim(id);
        let Published::Number(published) = claim.published else {
            panic!("claim {id:?} publishes words, not a number");
        };
        let apart = (measured - published).abs();
        let allowed = match (claim.within, claim.within_share) {
            (Some(within), _) => within,
            (None, Some(share)) => share * published.abs(),
            (None, None) => 0.0,
        };
        let same = apart <= allowed;
        self.judge(claim, shown(measured), same);
    }

    /// Holds measured words against the published ones: the same, letter by letter, or not.
    pub fn text(&mut self, id: &str, measured: &str) {
        let claim = self.claim(id);
        let same = shown_published(claim) == measured;
        self.judge(claim, measured.to_owned(), same);
    }

    /// Judges words that were measured by whether the claim holds.
    pub fn holds(&mut self, id: &str, measured: impl Into<String>, holds: bool) {
        self.judge(self.claim(id), measured.into(), holds);
        self.set_tolerance(id, "a statement");
    }

    /// Puts down what was measured where it cannot be held against what was published.
    pub fn not_checkable(&mut self, id: &str, measured: impl Into<String>, why: &str) {
        let claim = self.claim(id);
        let row = row(claim, measured.into(), Verdict::NotCheckable, why);
        self.put(claim, row);
        self.set_tolerance(id, "none");
    }

    /// The findings: all claims, in the order of the definition.
    ///
    /// # Panics
    ///
    /// When one was not judged.
    #[must_use]
    pub fn finish(
        mut self,
        series: Vec<(&'static str, Vec<SeriesRow>)>,
        printed: Vec<String>,
    ) -> Findings {
        let mut findings = Findings {
            series,
            printed,
            ..Findings::default()
        };
        for claim in &self.definition.claims {
            let row = self.judged.remove(claim.id.as_str());
            let row = row.unwrap_or_else(|| panic!("claim {:?} was not judged", claim.id));
            if claim.timed {
                findings.timed.push(row);
            } else {
                findings.claims.push(row);
            }
        }
        findings
    }

    fn claim(&self, id: &str) -> &'a Claim {
        let found = self.definition.claims.iter().find(|it| it.id == id);
        found.unwrap_or_else(|| panic!("{:?} has no claim {id:?}", self.definition.title))
    }

    fn judge(&mut self, claim: &'a Claim, measured: String, same: bool) {
        let (verdict, reason) = if same {
            (Verdict::Reproduced, &claim.reproduced)
        } else {
            (Verdict::Differs, &claim.differs)
        };
        let row = row(claim, measured, verdict, reason);
        self.put(claim, row);
    }

    fn set_tolerance(&mut self, id: &str, tolerance: &str) {
        if let Some(row) = self.judged.get_mut(id) {
            tolerance.clone_into(&mut row.tolerance);
        }
    }

    fn put(&mut self, claim: &'a Claim, row: ClaimRow) {
        let before = self.judged.insert(&claim.id, row);
        assert!(before.is_none(), "claim {:?} was judged twice", claim.id);
    }
}

fn row(claim: &Claim, measured: String, verdict: Verdict, reason: &str) -> ClaimRow {
    let tolerance = match (claim.within, claim.within_share) {
        (Some(within), _) => format!("+-{}", shown(within)),
        (None, Some(share)) => format!("+-{} %", shown(100.0 * share)),
        (None, None) => "exact".to_owned(),
    };
    ClaimRow {
        claim: claim.claim.clone(),
        published: shown_published(claim),
        measured,
        unit: claim.unit.clone(),
        tolerance,
        verdict,
        reason: reason.to_owned(),
    }
}

fn shown_published(claim: &Claim) -> String {
    match &claim.published {
        Published::Number(number) => number.to_string(),
        Published::Text(text) => text.trim_end().to_owned(),
    }
}

/// A number as the files have it: whole numbers whole, others with six significant digits.
pub(super) fn shown(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    six_digits(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_the_files_have_them() {
        assert_eq!(shown(66146.0), "66146");
        assert_eq!(shown(-0.0), "-0");
        assert_eq!(shown(10269.625250222132), "10269.6");
        assert_eq!(shown(0.004_567_891), "0.00456789");
    }

    #[track_caller]
    fn check(toml: &str, judge: impl FnOnce(&mut Claims), verdict: Verdict, tolerance: &str) {
        let text = format!(
            "title = 't'\ndocument = 'd'\nabout = 'a'\n[setup]\n[[claims]]\nid = 'it'\nclaim = 'c'\n\
             reproduced = 'so it is'\ndiffers = 'for want of luck'\n{toml}"
        );
        let definition: Definition = toml::from_str(&text).unwrap();
        let mut claims = Claims::new(&definition);
        judge(&mut claims);
        let found = claims.finish(Vec::new(), Vec::new());
        let row = &found.claims[0];
        assert_eq!((row.verdict, row.tolerance.as_str()), (verdict, tolerance));
        let reason = match verdict {
            Verdict::Reproduced => "so it is",
            Verdict::Differs => "for want of luck",
            Verdict::NotCheckable => "no server",
        };
        assert_eq!(row.reason, reason);
    }

    #[test]
    fn verdicts_follow_the_tolerance() {
        use Verdict::{Differs, NotCheckable, Reproduced};
        let number = |measured| move |claims: &mut Claims| claims.number("it", measured);
        check("published = 2", number(2.0), Reproduced, "exact");
        check("published = 2", number(2.000_001), Differs, "exact");
        check(
            "published = 2.5\nwithin = 0.5",
            number(3.0),
            Reproduced,
            "+-0.5",
        );
        check(
            "published = 2.5\nwithin = 0.5",
            number(1.9),
            Differs,
            "+-0.5",
        );
        check(
            "published = -20\nwithin_share = 0.1",
            number(-22.0),
            Reproduced,
            "+-10 %",
        );
        check(
            "published = -20\nwithin_share = 0.1",
            number(-22.1),
            Differs,
            "+-10 %",
        );
        check(
            "published = -20\nwithin = 1.0",
            number(f64::NAN),
            Differs,
            "+-1",
        );
        let text = |measured| move |claims: &mut Claims| claims.text("it", measured);
        check(
            "published = \"a\\nb\\n\"",
            text("a\nb"),
            Reproduced,
            "exact",
        );
        check("published = 'a'", text("b"), Differs, "exact");
        check(
            "published = 'all'",
            |it| it.holds("it", "9 of 9", true),
            Reproduced,
            "a statement",
        );
        check(
            "published = 'all'",
            |it| it.not_checkable("it", "", "no server"),
            NotCheckable,
            "none",
        );
    }
}
