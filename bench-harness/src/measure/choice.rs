//! What a user needs, held against capabilities and measured numbers.

use router::{Capabilities, Question, Spec, WeightSupport};

use super::{Contender, Measured};
use crate::record::{Row, Status};

/// A capability that a user can need.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Its name, as in METHOD.md and `list --json`.
    pub name: &'static str,
    has: fn(&Capabilities) -> bool,
    /// What is said of a strategy that lacks it.
    lacking: &'static str,
}

/// The capabilities that can be asked for.
pub const NEEDS: [Need; 9] = [
    Need {
        name: "any_removal",
        has: |it| it.any_removal,
        lacking: "only the node that joined last may leave",
    },
    Need {
        name: "minimal",
        has: |it| it.minimal,
        lacking: "a change moves keys between nodes that stay",
    },
    Need {
        name: "order_free",
        has: |it| it.order_free,
        lacking: "owners depend on the order in which nodes joined",
    },
    Need {
        name: "history_free",
        has: |it| it.history_free,
        lacking: "owners depend on past changes",
    },
    Need {
        name: "weights",
        has: |it| it.weights != WeightSupport::No,
        lacking: "it takes no weights",
    },
    Need {
        name: "weights_minimal",
        has: |it| it.weights == WeightSupport::Minimal,
        lacking: "another weight of one node moves keys between the others",
    },
    Need {
        name: "replicas",
        has: |it| it.replicas,
        lacking: "it names no second node for a key",
    },
    Need {
        name: "even",
        has: |it| it.even,
        lacking: "shares are not equal in expectation",
    },
    Need {
        name: "knows_load",
        has: |it| it.knows_load,
        lacking: "it does not heed the load",
    },
];

/// What a user needs.
#[derive(Clone, Default, Debug)]
pub struct Demand {
    /// Capabilities.
    pub needs: Vec<Need>,
    /// Part of the name of a program that has to place keys alike, in any case.
    pub speaks: Option<String>,
    /// The most that the busiest node may hold, in fair shares.
    pub peak: Option<f64>,
    /// The most heap bytes a node.
    pub bytes_per_node: Option<f64>,
}

/// How a number was held against a limit.
#[derive(Clone, PartialEq, Debug)]
pub enum Held {
    /// Within the limit: the number and what it is.
    Within(String),
    /// Beyond it.
    Beyond(String),
    /// The noise does not let it be told.
    Undecided(String),
}

impl Demand {
    /// Why this spec is out of the question before anything is measured.
    #[must_use]
    pub fn lacking(&self, spec: &Spec) -> Vec<String> {
        let capabilities = spec.capabilities();
        let lacks = self.needs.iter().filter(|need| !(need.has)(&capabilities));
        let mut reasons: Vec<String> = lacks
            .map(|need| format!("{}: {}", need.name, need.lacking))
            .collect();
        if let Some(wanted) = &self.speaks
            && !speaks(spec, wanted)
        {
            reasons.push(format!(
                "speaks: no client of {wanted} places keys like this"
            ));
        }
        reasons
    }

    /// How the measured numbers of a contender at `n` nodes stand to the limits that there are.
    #[must_use]
    pub fn held(&self, contender: &Contender, n: u64, measured: &Measured) -> Vec<Held> {
        let label = contender.spec.to_string();
        let failed = |it: &&crate::record::Compared| it.label == label && it.contract == "failed";
        if measured.strategies.iter().any(|it| failed(&it)) {
            return vec![Held::Beyond("failed its contract".to_owned())];
        }
        let row = |rows: &[Row], metric: &str| -> Option<Row> {
            let ours = |it: &&Row| it.strategy == label && it.change == "none";
            rows.iter()
                .filter(ours)
                .find(|it| it.metric == metric)
                .cloned()
        };
        let refusal = [&measured.balance, &measured.memory].into_iter().flatten();
        let mut refusal = refusal.filter(|it| it.strategy == label && it.change == "none");
        let refused = |it: &&Row| matches!(it.status, Status::Unsupported | Status::OverBudget);
        if let (Some(row), None) = (
            refusal.find(refused),
            row(&measured.balance, "peak_to_avg").filter(|it| it.mean.is_some()),
        ) {
            return vec![Held::Beyond(format!(
                "cannot serve {n} nodes: {}",
                row.note
            ))];
        }
        let mut held = Vec::new();
        if let Some(limit) = self.peak {
            let expected = contender.spec.expected(Question::Peak { n });
            let expected = expected.map(|it| it.mean);
            held.push(peak(limit, expected, |metric| {
                row(&measured.balance, metric)
            }));
        }
        if let Some(limit) = self.bytes_per_node {
            let row = row(&measured.memory, "bytes_per_node");
            held.push(match row.as_ref().and_then(ok) {
                Some(bytes) => within(bytes <= limit, format!("{bytes:.0} bytes a node")),
                None => Held::Undecided("bytes a node were not measured".to_owned()),
            });
        }
        held
    }
}

/// Whether a program with this in its name places keys like `spec`.
#[must_use]
pub fn speaks(spec: &Spec, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase();
    let mut programs = spec.strategy().spoken_by.iter();
    programs.any(|it| it.to_lowercase().contains(&wanted))
}

/// The busiest node against `limit`: the exact one, else the one that theory expects, else the
/// sampled one with its band.
fn peak(limit: f64, expected: Option<f64>, row: impl Fn(&str) -> Option<Row>) -> Held {
    let exact = row("exact_peak_p95");
    if let Some(peak) = exact.as_ref().and_then(ok) {
        let deployments = exact.map_or(0, |it| it.seeds);
        let told = format!("busiest {peak:.3} (exact_peak_p95, {deployments} deployments)");
        return within(peak <= limit, told);
    }
    if let Some(peak) = row("exact_peak").as_ref().and_then(ok) {
        return within(peak <= limit, format!("busiest {peak:.3} (exact_peak)"));
    }
    if let Some(peak) = expected {
        return within(
            peak <= limit,
            format!("busiest {peak:.3} (expected by theory)"),
        );
    }
    let sampled = row("peak_to_avg");
    let Some((row, peak)) = sampled.as_ref().and_then(|row| Some((row, ok(row)?))) else {
        return Held::Undecided("the busiest node was not measured".to_owned());
    };
    let (lo, hi) = (row.noise_lo.unwrap_or(1.0), row.noise_hi.unwrap_or(1.0));
    let told = format!(
        "busiest {peak:.3} (sampled, {} keys; evenly hashed keys alone: {lo:.3} to {hi:.3})",
        row.keys
    );
    match peak <= limit {
        true => Held::Within(told),
        // A perfect router shows as much, so the excess may be noise.
        false if peak <= hi => Held::Undecided(told),
        false => Held::Beyond(told),
    }
}

fn ok(row: &Row) -> Option<f64> {
    let measured = matches!(row.status, Status::Ok | Status::Structured);
    measured.then_some(row.mean).flatten()
}

fn within(fits: bool, told: String) -> Held {
    match fits {
        true => Held::Within(told),
        false => Held::Beyond(told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sampled peak with the band of evenly hashed keys from 1.1 to 1.3.
    fn sampled(mean: f64) -> Row {
        Row {
            strategy: "s".to_owned(),
            hash: String::new(),
            scenario: String::new(),
            change: "none".to_owned(),
            nodes: 10,
            nodes_after: 10,
            keys: 1000,
            seeds: 3,
            metric: "peak_to_avg".to_owned(),
            unit: String::new(),
            mean: Some(mean),
            sd: None,
            p5: None,
            p95: None,
            vs_control: None,
            vs_control_lo: None,
            vs_control_hi: None,
            reference: None,
            expected: None,
            z: None,
            noise_lo: Some(1.1),
            noise_mean: Some(1.2),
            noise_hi: Some(1.3),
            status: Status::Ok,
            note: String::new(),
        }
    }

    #[test]
    fn the_peak_is_held_against_the_best_number_there_is() {
        let of = |rows: Vec<Row>| {
            move |metric: &str| rows.iter().find(|it| it.metric == metric).cloned()
        };
        let exact = Row {
            metric: "exact_peak_p95".to_owned(),
            seeds: 1000,
            ..sampled(1.15)
        };
        let held = peak(1.2, Some(1.3), of(vec![sampled(1.25), exact]));
        assert_eq!(
            held,
            Held::Within("busiest 1.150 (exact_peak_p95, 1000 deployments)".to_owned())
        );
        let only = |mean: f64| peak(1.2, None, of(vec![sampled(mean)]));
        assert!(matches!(only(1.2), Held::Within(_)));
        assert!(matches!(only(1.25), Held::Undecided(told) if told.contains("1.100 to 1.300")));
        assert!(matches!(only(1.31), Held::Beyond(_)));
        assert!(matches!(
            peak(1.2, None, of(Vec::new())),
            Held::Undecided(_)
        ));
        let expected = peak(1.2, Some(1.21), of(vec![sampled(1.1)]));
        assert_eq!(
            expected,
            Held::Beyond("busiest 1.210 (expected by theory)".to_owned())
        );
    }
}
