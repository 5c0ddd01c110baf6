//! Whether a strategy describes itself wholly, and claims what it has.

use crate::{KeyBuf, Param, Params, Question, WeightSupport};

use super::{Bench, Checked, Stop, draw::ADDRESSES};

/// The description is complete and the spec reads back as itself.
pub(super) fn described(bench: &Bench) -> Checked {
    let strategy = bench.spec.strategy();
    let kebab = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && !name.ends_with('-')
            && !name.contains("--")
            && name
                .chars()
                .all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'))
    };
    if !kebab(strategy.name) {
        return Err(Stop::Failed(format!(
            "its name {:?} is not lower case, kebab",
            strategy.name
        )));
    }
    for (what, text) in [
        ("family", strategy.family),
        ("summary", strategy.summary),
        ("source", strategy.source),
        ("hash", strategy.hash.name),
    ] {
        bench.count(1);
        if text.trim().is_empty() || text.contains('\n') {
            return Err(Stop::Failed(format!(
                "its {what} {text:?} is not one line of text"
            )));
        }
    }
    for param in strategy.params {
        bench.count(1);
        default_is_valid(strategy.params, param)?;
    }
    let small = bench.spec.small();
    let small = small.map_err(|err| format!("suite_params cannot be read: {err}"))?;
    for spec in [&bench.spec, &small] {
        bench.count(1);
        let text = spec.to_string();
        let again = spec.catalog().parse(&text);
        let again = again.map_err(|err| format!("its own spec cannot be read: {err}"))?;
        if again.params() != spec.params() || again.to_string() != text {
            return Err(Stop::Failed(format!(
                "its spec {text} reads back as {again}"
            )));
        }
    }
    theory_is_sound(bench)
}

fn default_is_valid(declared: &'static [Param], param: &Param) -> Result<(), String> {
    let default = param.default_text();
    Params::defaults(declared)
        .set(param.name, &default)
        .map_err(|err| format!("the default of {} is not valid: {err}", param.name))?;
    if param.help.trim().is_empty() {
        return Err(format!("parameter {} has no help", param.name));
    }
    Ok(())
}

/// What theory says is a number that can be.
fn theory_is_sound(bench: &Bench) -> Checked {
    const ROUNDING: f64 = 1e-9;
    for n in [1, 2, 3, 10, 1000] {
        let moved = |removed, added| Question::Moved { n, removed, added };
        let mut questions = vec![
            (Question::ShareVariance { n }, 0.0, f64::MAX),
            (Question::Peak { n }, 1.0 - ROUNDING, f64::MAX),
            (Question::HashEvals { n }, 0.0, f64::MAX),
            (Question::Probes { n }, 0.0, f64::MAX),
            (moved(0, 1), 0.0, 1.0 + ROUNDING),
        ];
        // What moves when the only node leaves is no question.
        if n > 1 {
            questions.push((moved(1, 0), 0.0, 1.0 + ROUNDING));
            questions.push((moved(1, 1), 0.0, 1.0 + ROUNDING));
        }
        for (question, least, most) in questions {
            bench.count(1);
            let sound = bench.spec.expected(question).is_none_or(|it| {
                (least..=most).contains(&it.mean)
                    && it.sd.is_none_or(|sd| (0.0..=f64::MAX).contains(&sd))
            });
            if !sound {
                let estimate = bench.spec.expected(question);
                return Err(Stop::Failed(format!(
                    "{question:?}: theory says {estimate:?}"
                )));
            }
        }
    }
    Ok(())
}

/// What is claimed is there, and what is there is claimed.
pub(super) fn claims(bench: &Bench) -> Checked {
    let caps = bench.caps;
    if caps.weights == WeightSupport::Minimal && !caps.minimal {
        return Err(Stop::Failed(
            "minimal with weights is claimed, but not minimal".into(),
        ));
    }
    if caps.max_nodes == Some(0) {
        return Err(Stop::Failed("it claims to hold no node at all".into()));
    }
    let cluster = bench.cluster(&ADDRESSES[..bench.room(3)])?;
    let keys: KeyBuf = ["key"].into_iter().collect();
    let preference = cluster.preference(b"key", 2).is_some();
    let assign = cluster.assign(keys.keys(), &mut [None]).is_some();
    for (capability, claimed, method, answers) in [
        ("replicas", caps.replicas, "preference", preference),
        ("knows_load", caps.knows_load, "assign", assign),
    ] {
        bench.count(1);
        let fault = match (claimed, answers) {
            (true, false) => format!("{capability} is claimed, but `{method}` answers None"),
            (false, true) => format!("`{method}` answers, but {capability} is not claimed"),
            _ => continue,
        };
        return Err(Stop::Failed(fault));
    }
    Ok(())
}
