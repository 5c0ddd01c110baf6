//! What was found, as rows: every cost at every size, the laws drawn through them, and the powers.

use serde::Serialize;

use super::{Cost, Found};
use crate::record::{Rounded, SeriesRow, Status, six_digits};

/// The rows of `experiment-growth-costs.csv` and `timed-growth-costs.csv`.
///
/// `COST`: its values, or in `text` why there is none. `COST law`: the law, drawn through the sizes that
/// the power is fitted to; its name in `text`. `COST fit`: the power, its interval and the law's own.
pub(super) fn costs(found: &Found, costs: &[Cost]) -> Vec<SeriesRow> {
    let mut rows = Vec::new();
    for (place, entry) in found.entries.iter().enumerate() {
        let label = entry.label();
        for &cost in costs {
            let name = cost.name();
            for (n, value) in found.costs[place].get(&cost).into_iter().flatten() {
                let row = SeriesRow {
                    series: name.to_owned(),
                    label: label.clone(),
                    x: Some(*n as f64),
                    unit: cost.unit().to_owned(),
                    ..SeriesRow::default()
                };
                rows.push(match value {
                    Ok(value) => SeriesRow {
                        value: Some(value.at),
                        lo: value.span.map(|it| it.0),
                        hi: value.span.map(|it| it.1),
                        text: match value.rounds {
                            0 => String::new(),
                            1 => "1 round".to_owned(),
                            rounds => format!("{rounds} rounds"),
                        },
                        ..row
                    },
                    Err((status, why)) => SeriesRow {
                        text: format!("{}: {why}", status_name(*status)),
                        ..row
                    },
                });
            }
            rows.extend(law(found, place, cost));
            if let Some(power) = found.power(place, cost) {
                let fit = |series: String, value, text: &str| SeriesRow {
                    series,
                    label: label.clone(),
                    value: Some(value),
                    unit: "power of n".to_owned(),
                    text: text.to_owned(),
                    ..SeriesRow::default()
                };
                rows.push(SeriesRow {
                    lo: Some(power.lo()),
                    hi: Some(power.hi()),
                    ..fit(format!("{name} fit"), power.exponent, "")
                });
                if let Some((law, exponent)) = found.law_power(place, cost) {
                    rows.push(fit(format!("{name} law fit"), exponent, law.name()));
                }
            }
        }
    }
    rows
}

/// The law of a cost, moved so that it runs through the middle of the logarithms.
fn law(found: &Found, entry: usize, cost: Cost) -> Vec<SeriesRow> {
    let Some((law, values)) = found.law(entry, cost) else {
        return Vec::new();
    };
    if found.power(entry, cost).is_none() {
        return Vec::new();
    }
    let measured = found.values(entry, cost);
    let pairs = measured.iter().zip(&values);
    let apart: Vec<f64> = pairs
        .filter(|it| it.0.0 >= found.fit_from)
        .map(|(cost, law)| libm::log(cost.1 / law.1))
        .collect();
    let factor = libm::exp(apart.iter().sum::<f64>() / apart.len() as f64);
    let drawn = values.into_iter().filter(|it| it.0 >= found.fit_from);
    drawn
        .map(|(n, value)| SeriesRow {
            text: law.name().to_owned(),
            ..SeriesRow::point(
                &format!("{} law", cost.name()),
                n as f64,
                factor * value,
                cost.unit(),
            )
            .named(&found.entries[entry].label())
        })
        .collect()
}

/// A row of `experiment-growth-fits.csv` and `timed-growth-fits.csv`: a power of n.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FitRow {
    strategy: String,
    cost: &'static str,
    /// Sizes that it is fitted to, and the fewest and the most nodes among them.
    sizes: Option<usize>,
    from: Option<u64>,
    to: Option<u64>,
    exponent: Option<f64>,
    lo: Option<f64>,
    hi: Option<f64>,
    law: &'static str,
    /// The power of the law over the same sizes.
    law_exponent: Option<f64>,
    /// Who states the law.
    source: String,
}

impl Rounded for FitRow {
    fn rounded(&self) -> Self {
        // What is 0 but for the last bit is 0.
        let six = |value: Option<f64>| {
            let value = value.filter(|it| it.is_finite());
            value.map(|it| six_digits(if it.abs() < 1e-9 { 0.0 } else { it }))
        };
        Self {
            exponent: six(self.exponent),
            lo: six(self.lo),
            hi: six(self.hi),
            law_exponent: six(self.law_exponent),
            ..self.clone()
        }
    }
}

/// The powers of these costs.
pub(super) fn fits(found: &Found, costs: &[Cost]) -> Vec<FitRow> {
    let mut rows = Vec::new();
    for (place, entry) in found.entries.iter().enumerate() {
        for &cost in costs {
            let power = found.power(place, cost);
            let stated = entry.law(cost);
            rows.push(FitRow {
                strategy: entry.label(),
                cost: cost.name(),
                sizes: power.map(|it| it.sizes),
                from: power.map(|it| it.from),
                to: power.map(|it| it.to),
                exponent: power.map(|it| it.exponent),
                lo: power.map(|it| it.lo()),
                hi: power.map(|it| it.hi()),
                law: stated.map_or("", |it| it.0.name()),
                law_exponent: found.law_power(place, cost).map(|it| it.1),
                source: stated.map_or_else(String::new, |it| it.1.clone()),
            });
        }
    }
    rows
}

/// A line a strategy: the powers of n, each with its law; and who was refused what.
pub(super) fn printed(found: &Found) -> Vec<String> {
    let mut lines = vec![format!(
        "powers of n from {} nodes on, in brackets what the law has over the same sizes",
        found.fit_from
    )];
    for (place, entry) in found.entries.iter().enumerate() {
        let costs = Cost::COUNTED.into_iter().chain(Cost::TIMED);
        let texts = costs.filter_map(|cost| {
            let power = found.power(place, cost)?;
            let law = found.law_power(place, cost);
            let law = law.map(|(law, power)| format!(" ({}: {})", law.name(), short(power)));
            let exponent = short(power.exponent);
            Some(format!(
                "{} {exponent}{}",
                cost.name(),
                law.unwrap_or_default()
            ))
        });
        let texts: Vec<String> = texts.collect();
        lines.push(format!("{}: {}", entry.label(), texts.join(", ")));
    }
    let mut refused = Vec::new();
    for (entry, costs) in found.entries.iter().zip(&found.costs) {
        for (cost, values) in costs {
            for (n, value) in values {
                let Err((status, why)) = value else { continue };
                let status = status_name(*status);
                let text = (entry.label(), *n, format!("{status}: {why}"));
                match refused.iter_mut().find(|(it, _)| *it == text) {
                    Some((_, costs)) => *costs = format!("{costs}, {}", cost.name()),
                    None => refused.push((text, cost.name().to_owned())),
                }
            }
        }
    }
    lines.extend(refused.into_iter().map(|((label, n, why), costs)| {
        let all = Cost::COUNTED.len() + Cost::TIMED.len();
        let what = match costs.split(", ").count() == all {
            true => String::new(),
            false => format!(" ({costs})"),
        };
        format!("{label} at {n} nodes{what}: {why}")
    }));
    lines
}

/// An exponent to two places, without a sign before 0.
pub(super) fn short(exponent: f64) -> String {
    let text = format!("{exponent:.2}");
    if text == "-0.00" {
        return "0.00".to_owned();
    }
    text
}

/// Its name in the files.
fn status_name(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Failed => "failed",
        Status::Unsupported => "unsupported",
        Status::OverBudget => "over_budget",
        Status::Structured => "structured",
    }
}
