//! The standard deviation of loads against a parameter, and what shapes the curve.

use std::ops::RangeInclusive;

use anyhow::Result;
use rand::Rng as _;
use rayon::prelude::*;
use router::{Cluster, KeyBuf, Keys, Spec};
use serde::Deserialize;

use super::{Claims, Findings, Numbered, Setup, claims::shown, counts, java_map::to_string};
use crate::{
    measure::Load,
    record::SeriesRow,
    workload::{KeySet, Purpose, ranks, stream},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Homework {
    nodes: Numbered,
    keys: Numbered,
    /// The parameter that is varied.
    param: String,
    /// Its value in the document.
    vnodes: u32,
    /// The document's strategy.
    spec: String,
    /// Its parameter that shifts all points.
    start: String,
    shuffle_seed: u64,
    random_starts: usize,
    starts: Vec<i64>,
    leading_digit: f64,
    steps: Vec<Steps>,
    curves: Vec<Curve>,
}

/// Values of the parameter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Steps {
    name: String,
    #[serde(default)]
    values: Vec<u32>,
    #[serde(default)]
    ranges: Vec<Range>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    from: u32,
    to: u32,
    step: usize,
}

/// A curve: a strategy, keys and steps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Curve {
    name: String,
    spec: String,
    keys: WhichKeys,
    steps: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WhichKeys {
    Document,
    Random,
}

impl Steps {
    fn list(&self) -> Vec<u32> {
        let range = |it: &Range| RangeInclusive::new(it.from, it.to).step_by(it.step);
        let ranges = self.ranges.iter().flat_map(range);
        self.values.iter().copied().chain(ranges).collect()
    }
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let homework: Homework = setup.definition.setup();
    let mut claims = Claims::new(setup.definition);
    let keys = homework.keys.keys();
    claims.number("keys", keys.len() as f64);
    let world = World {
        setup,
        homework: &homework,
        nodes: homework.nodes.list(),
        spec: setup.spec(&homework.spec)?,
        keys: keys.keys(),
    };
    let points: usize = homework.curves.iter().map(|it| world.steps(it).len()).sum();
    let extra = homework.starts.len() + homework.random_starts;
    setup.progress.phase("java-homework", points + extra);
    let random = KeySet::Hex64.keys(seed(setup), keys.len() as u64);
    let mut rows = Vec::new();
    for curve in &homework.curves {
        let keys = match curve.keys {
            WhichKeys::Document => world.keys,
            WhichKeys::Random => random.keys(),
        };
        rows.extend(world.curve(curve, keys)?);
    }
    rows.extend(world.theory());
    let starts = world.starts()?;
    world.judge_curve(&mut claims, &rows)?;
    world.judge_order(&mut claims, random.keys())?;
    world.judge_start(&mut claims, &starts)?;
    world.judge_rebuild(&mut claims)?;
    let ring = vec![SeriesRow::line(&homework.spec, 1, &world.ring()?)];
    let resonance = world.resonance(&rows);
    let series = vec![
        ("curve", rows),
        ("resonance", resonance),
        ("starts", starts),
        ("ring", ring),
    ];
    let printed = vec![format!(
        "the ring as the program prints it: data/experiment-java-homework-ring.csv; \
         virtual nodes of keys: ringmark route --explain --strategy {}",
        homework.spec
    )];
    Ok(claims.finish(series, printed))
}

/// The seed of what is random.
fn seed(setup: &Setup<'_>) -> u64 {
    setup.options.seed.unwrap_or(0)
}

struct World<'a> {
    setup: &'a Setup<'a>,
    homework: &'a Homework,
    nodes: Vec<String>,
    spec: Spec,
    keys: Keys<'a>,
}

impl World<'_> {
    fn steps(&self, curve: &Curve) -> Vec<u32> {
        let steps = self.homework.steps.iter().find(|it| it.name == curve.steps);
        steps.map(Steps::list).unwrap_or_default()
    }

    fn build(&self, spec: &Spec) -> Result<Cluster> {
        self.setup.cluster(&spec.to_string(), &self.nodes)
    }

    /// The document's strategy with its own number of virtual nodes.
    fn own(&self) -> Result<Spec> {
        Ok(self
            .spec
            .with(&self.homework.param, &self.homework.vnodes.to_string())?)
    }

    fn loads(&self, spec: &Spec, keys: Keys<'_>) -> Result<Vec<u64>> {
        let cluster = self.build(spec)?;
        let owners = self.setup.owners(&cluster, keys)?;
        Ok(counts(&cluster, &owners))
    }

    /// The standard deviation at every step.
    fn curve(&self, curve: &Curve, keys: Keys<'_>) -> Result<Vec<SeriesRow>> {
        let spec = self.setup.spec(&curve.spec)?;
        let keys = by_hash(&self.build(&spec.with(&self.homework.param, "1")?)?, keys);
        let steps = self.steps(curve);
        let row = |&vnodes: &u32| {
            let spec = spec.with(&self.homework.param, &vnodes.to_string())?;
            let sd = sd_keys(&self.loads(&spec, keys.keys())?);
            self.setup.progress.step();
            Ok(SeriesRow::point(&curve.name, vnodes.into(), sd, "keys").named(&curve.spec))
        };
        steps.par_iter().map(row).collect()
    }

    /// What theory says beside the curves: arcs of equal length, and random points, under a hash
    /// that mixes. Total variance = that of the keys + that of the shares.
    fn theory(&self) -> Vec<SeriesRow> {
        let (n, keys) = (self.nodes.len() as f64, self.keys.len() as f64);
        let by_keys = (n - 1.0) / keys;
        let coarse = self
            .homework
            .steps
            .last()
            .map(Steps::list)
            .unwrap_or_default();
        let point = |series: &str, vnodes: u32, variance: f64| {
            let sd = keys / n * variance.sqrt();
            SeriesRow::point(series, vnodes.into(), sd, "keys").named("theory")
        };
        let equal = coarse.iter().map(|&it| point("equal arcs", it, by_keys));
        let random = coarse.iter().map(|&it| {
            let by_shares = (n - 1.0) / (n * f64::from(it) + 1.0);
            point(
                "random points",
                it,
                by_keys + (1.0 - 1.0 / keys) * by_shares,
            )
        });
        equal.chain(random).collect()
    }

    /// The published curve against how often the points repeat in one step of the leading digit.
    fn resonance(&self, rows: &[SeriesRow]) -> Vec<SeriesRow> {
        let name = &self.homework.curves[0].name;
        let ours = rows.iter().filter(|row| row.series == *name);
        let repeats = |vnodes: f64| {
            let interval = libm::floor(f64::from(i32::MAX) / vnodes);
            self.homework.leading_digit / (self.nodes.len() as f64 * interval)
        };
        ours.filter_map(|row| {
            let (x, y) = (row.x?, row.value?);
            let label = format!("{x} virtual nodes");
            Some(SeriesRow::point(name, repeats(x), y, "keys").named(&label))
        })
        .collect()
    }

    /// The standard deviation at the document's number of virtual nodes, for other starts.
    fn starts(&self) -> Result<Vec<SeriesRow>> {
        let mut rng = stream(seed(self.setup), Purpose::Order);
        let random = (0..self.homework.random_starts)
            .map(|_| i64::from(i32::MIN) + (rng.next_u64() % (i32::MAX as u64)) as i64);
        let random: Vec<i64> = random.collect();
        let given = self.homework.starts.iter().map(|&it| ("given", it));
        let all: Vec<_> = given
            .chain(random.iter().map(|&it| ("random", it)))
            .collect();
        let row = |&(series, start): &(&str, i64)| {
            let spec = self.own()?.with(&self.homework.start, &start.to_string())?;
            let sd = sd_keys(&self.loads(&spec, self.keys)?);
            self.setup.progress.step();
            Ok(SeriesRow::point(series, start as f64, sd, "keys").named(&start.to_string()))
        };
        all.iter().map(row).collect()
    }

    fn judge_curve(&self, claims: &mut Claims<'_>, rows: &[SeriesRow]) -> Result<()> {
        let name = &self.homework.curves[0].name;
        let curve: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.series == *name)
            .filter_map(|row| row.x.zip(row.value))
            .collect();
        for vnodes in [1.0, 900.0, 1500.0, 5000.0] {
            let at = curve.iter().find(|it| it.0 == vnodes);
            claims.number(&format!("sd-{vnodes}"), at.map_or(f64::NAN, |it| it.1));
        }
        let turns = swings(&curve, 2.0);
        let list: Vec<String> = turns
            .iter()
            .take(6)
            .map(|(x, y)| format!("{} at {x}", shown(y.round())))
            .collect();
        let measured = format!(
            "{} swings by more than a factor of two: {} ...",
            turns.len() - 1,
            list.join(", ")
        );
        claims.holds("fall-rise", measured, turns.len() <= 3);
        let loads = self.loads(&self.own()?, self.keys)?;
        let text: Vec<String> = loads.iter().map(u64::to_string).collect();
        claims.text("counts", &text.join(" "));
        let shares = self.build(&self.own()?)?.shares().unwrap_or_default();
        let n = shares.len() as f64;
        let off = shares
            .iter()
            .map(|it| (it * n - 1.0).abs())
            .fold(0.0, f64::max);
        let measured = format!(
            "of the hash space no node owns more than {:.2} % off a tenth; sd of the keys {} all the same",
            100.0 * off,
            shown(sd_keys(&loads).round())
        );
        claims.holds("even-points", measured, off > 0.05);
        Ok(())
    }

    /// Shuffled keys give the same counts, random keys others.
    fn judge_order(&self, claims: &mut Claims<'_>, random: Keys<'_>) -> Result<()> {
        let order = ranks(self.homework.shuffle_seed, self.keys.len());
        let shuffled: KeyBuf = order.into_iter().map(|i| self.keys.get(i)).collect();
        let own = self.own()?;
        let before = self.loads(&own, self.keys)?;
        let after = self.loads(&own, shuffled.keys())?;
        let other = self.loads(&own, random)?;
        let measured = format!(
            "sd {} shuffled or not; {} with random keys",
            shown(sd_keys(&after).round()),
            shown(sd_keys(&other).round())
        );
        claims.holds("order", measured, before != after);
        Ok(())
    }

    fn judge_start(&self, claims: &mut Claims<'_>, starts: &[SeriesRow]) -> Result<()> {
        let range = |series: &str| {
            let rows = starts.iter().filter(|row| row.series == series);
            let all = rows.filter_map(|row| row.value);
            all.fold((f64::INFINITY, 0.0_f64), |(lo, hi), it| {
                (lo.min(it), hi.max(it))
            })
        };
        let told = |(lo, hi): (f64, f64)| {
            let spread = 100.0 * (hi / lo - 1.0);
            format!(
                "{} to {} keys, {spread:.1} % apart",
                shown(lo.round()),
                shown(hi.round())
            )
        };
        let (given, random) = (range("given"), range("random"));
        claims.holds("start", told(given), given.1 > 1.05 * given.0);
        let seed = seed(self.setup);
        let measured = format!(
            "{} random starts (seed {seed}): {}",
            self.homework.random_starts,
            told(random)
        );
        claims.holds("random-start", measured, random.1 > random.0);
        let own = self.own()?;
        let start = own.params().int(&self.homework.start) as i32;
        let interval = i32::MAX / self.homework.vnodes.cast_signed();
        let cluster = self.build(&own)?;
        let home = self.setup.owners(&cluster, self.keys)?;
        for (id, intervals) in [("shift-one", 1), ("shift-ten", self.nodes.len() as i32)] {
            // As the program adds: past the largest integer comes the smallest.
            let shifted = start.wrapping_add(interval.wrapping_mul(intervals));
            let spec = own.with(&self.homework.start, &shifted.to_string())?;
            // Built in one order, so ids mean the same names.
            let owners = self.setup.owners(&self.build(&spec)?, self.keys)?;
            let moved = home.iter().zip(&owners).filter(|(a, b)| a != b).count();
            claims.number(id, moved as f64);
        }
        Ok(())
    }

    fn judge_rebuild(&self, claims: &mut Claims<'_>) -> Result<()> {
        let ten = self.build(&self.own()?)?;
        let home = self.setup.owners(&ten, self.keys)?;
        let mut eleven = ten.clone();
        eleven.add(self.nodes.len().to_string().as_str())?;
        let mut nine = ten.clone();
        nine.remove(&self.nodes[self.nodes.len() - 1])?;
        for (id, cluster) in [("eleven", eleven), ("nine", nine)] {
            let owners = self.setup.owners(&cluster, self.keys)?;
            let moved = home.iter().zip(&owners).filter(|(a, b)| a != b).count();
            claims.number(id, moved as f64);
        }
        Ok(())
    }

    /// The ring as the program's `toString` prints it.
    fn ring(&self) -> Result<String> {
        let cluster = self.build(&self.own()?)?;
        Ok(to_string(&cluster, self.homework.vnodes))
    }
}

/// The keys in the order of their hashes, so that a strategy that sorts hashes has less to do. A
/// count does not depend on the order.
pub(super) fn by_hash(cluster: &Cluster, keys: Keys<'_>) -> KeyBuf {
    let hash = |i: usize| (cluster.trace(keys.get(i)).and_then(|it| it.key_hash), i);
    let mut order: Vec<_> = (0..keys.len()).into_par_iter().map(hash).collect();
    order.par_sort_unstable();
    order.into_iter().map(|(_, i)| keys.get(i)).collect()
}

fn sd_keys(counts: &[u64]) -> f64 {
    let weights = &vec![1.0 / counts.len() as f64; counts.len()];
    Load { counts, weights }.sd_keys()
}

/// The turning points of a curve, its ends among them, where only swings by more than `factor`
/// count: each next one is higher or lower than the one before by more than that.
fn swings(curve: &[(f64, f64)], factor: f64) -> Vec<(f64, f64)> {
    let mut turns: Vec<(f64, f64)> = curve.first().copied().into_iter().collect();
    let Some(&(mut turn)) = curve.first() else {
        return turns;
    };
    // The direction of the swing that goes on: unknown at first.
    let mut rising = None;
    for &at in curve {
        let (further, back) = match rising {
            None => {
                if at.1 > turn.1 * factor {
                    (rising, turn) = (Some(true), at);
                } else if at.1 * factor < turn.1 {
                    (rising, turn) = (Some(false), at);
                }
                continue;
            }
            Some(true) => (at.1 > turn.1, at.1 * factor < turn.1),
            Some(false) => (at.1 < turn.1, at.1 > turn.1 * factor),
        };
        if further {
            turn = at;
        } else if back {
            turns.push(turn);
            (rising, turn) = (rising.map(|it| !it), at);
        }
    }
    turns.push(turn);
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[f64], expected: &[f64]) {
        let curve: Vec<(f64, f64)> = values
            .iter()
            .enumerate()
            .map(|(i, &y)| (i as f64, y))
            .collect();
        let found: Vec<f64> = swings(&curve, 2.0).into_iter().map(|it| it.1).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn only_wide_swings_count() {
        check(&[100.0, 40.0, 60.0, 10.0], &[100.0, 10.0]);
        check(&[100.0, 40.0, 10.0, 15.0, 90.0], &[100.0, 10.0, 90.0]);
        check(&[100.0, 10.0, 90.0, 80.0, 12.0], &[100.0, 10.0, 90.0, 12.0]);
        check(&[1.0, 1.5, 0.9], &[1.0, 1.0]);
        check(&[], &[]);
    }
}
