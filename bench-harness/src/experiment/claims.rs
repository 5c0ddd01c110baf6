//! Published beside measured: the verdicts.

use std::collections::BTreeMap;

use super::{
    Claim, Definition, Findings,
    definition::{Published, Within},
};
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
        self.numbers(id, &[measured]);
    }

    /// Holds measured numbers against the published ones: as many, and each within its tolerance.
    pub fn numbers(&mut self, id: &str, measured: &[f64]) {
        self.means(id, measured, &vec![0.0; measured.len()]);
    }

    /// Holds means over draws against the published numbers: as many, and each within its tolerance
    /// and three of its standard errors.
    pub fn means(&mut self, id: &str, measured: &[f64], errors: &[f64]) {
        let claim = self.claim(id);
        let published = self.definition.published(id);
        assert!(
            !published.is_empty(),
            "claim {id:?} publishes words, not a number"
        );
        let near = |(place, (measured, published)): (usize, (&f64, &f64))| {
            let allowed = match (&claim.within, claim.within_share) {
                (Some(within), _) => within.at(place),
                (None, Some(share)) => share * published.abs(),
                (None, None) => 0.0,
            };
            // What is just within in decimals may be just outside in binary.
            let rounding = 1e-12 * published.abs();
            (measured - published).abs() <= allowed + 3.0 * errors[place] + rounding
        };
        let same = measured.len() == published.len()
            && measured.iter().zip(published).enumerate().all(near);
        self.judge(claim, listed(measured), same);
        if errors.iter().any(|&it| it > 0.0) {
            let errors: Vec<f64> = errors.iter().map(|it| 3.0 * it).collect();
            if let Some(row) = self.judged.get_mut(id) {
                let ours = format!(", and 3 standard errors of ours: {}", listed(&errors));
                row.tolerance.push_str(&ours);
            }
        }
    }

    /// Holds a published number that was drawn once against ours that were drawn several times: it
    /// may be any from the least to the most.
    pub fn draw(&mut self, id: &str, ours: &[f64]) {
        let claim = self.claim(id);
        let mean = ours.iter().sum::<f64>() / ours.len() as f64;
        let lo = ours.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = ours.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let published = self.definition.published(id);
        let same = !published.is_empty() && published.iter().all(|it| (lo..=hi).contains(it));
        let measured = format!(
            "{} in the mean of {} draws, {} to {}",
            shown(mean),
            ours.len(),
            shown(lo),
            shown(hi)
        );
        self.judge(claim, measured, same);
        self.set_tolerance(id, "least to most of ours");
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

    /// How far this claim's number may be off.
    #[must_use]
    pub fn within(&self, id: &str) -> f64 {
        let within = self.claim(id).within.as_ref();
        within.map_or(0.0, |it| it.at(0))
    }

    /// Judges words that were measured by how far the number behind them is from the published one.
    pub fn apart(&mut self, id: &str, measured: impl Into<String>, apart: f64) {
        let near = apart.abs() <= self.within(id);
        self.judge(self.claim(id), measured.into(), near);
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
    let tolerance = match (&claim.within, claim.within_share) {
        (Some(Within::All(within)), _) => format!("+-{}", shown(*within)),
        (Some(Within::Each(each)), _) => format!("+-{}", listed(each)),
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
        Published::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
            numbers.join(", ")
        }
        Published::Text(text) => text.trim_end().to_owned(),
    }
}

fn listed(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|&it| shown(it)).collect();
    values.join(", ")
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
        let numbers = |measured: [f64; 2]| move |it: &mut Claims| it.numbers("it", &measured);
        let each = "published = [1, 2.5]\nwithin = [0.1, 1]";
        check(each, numbers([1.05, 3.5]), Reproduced, "+-0.1, 1");
        check(each, numbers([1.2, 2.5]), Differs, "+-0.1, 1");
        check(each, |it| it.number("it", 1.0), Differs, "+-0.1, 1");
        let means = |errors: [f64; 2]| move |it: &mut Claims| it.means("it", &[1.3, 2.5], &errors);
        let wider = "+-0.1, 1, and 3 standard errors of ours: 0.24, 0";
        check(each, means([0.08, 0.0]), Reproduced, wider);
        let narrow = "+-0.1, 1, and 3 standard errors of ours: 0.18, 0";
        check(each, means([0.06, 0.0]), Differs, narrow);
        let share = "published = [1, 2.5]\nwithin_share = 0.1";
        check(share, numbers([1.05, 2.3]), Reproduced, "+-10 %");
        check(share, numbers([1.05, 2.2]), Differs, "+-10 %");
        let draw = |ours: [f64; 2]| move |it: &mut Claims| it.draw("it", &ours);
        let any = "least to most of ours";
        check("published = 2", draw([1.5, 2.5]), Reproduced, any);
        check("published = 2", draw([2.1, 2.5]), Differs, any);
        check("published = 2", draw([1.5, 1.9]), Differs, any);
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
        let far = |apart| move |it: &mut Claims| it.apart("it", "n^0.98", apart);
        let law = "published = 'n'\nwithin = 0.03";
        check(law, far(-0.02), Reproduced, "+-0.03");
        check(law, far(0.04), Differs, "+-0.03");
        check(law, far(f64::NAN), Differs, "+-0.03");
        check(
            "published = 'all'",
            |it| it.not_checkable("it", "", "no server"),
            NotCheckable,
            "none",
        );
    }
}
