//! Lamping and Veach 2014: figure 2 (how even buckets are), figure 3 (space), figure 4 (time), and
//! how long building takes.

use std::time::Instant;

use anyhow::Result;
use serde::Deserialize;

use super::{Lab, between, floats, mean};
use crate::{
    measure::{heap_bytes, stats::nearest_rank},
    record::SeriesRow,
    workload::KeySet,
};

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Jump {
    jump: String,
    /// The spec of a ring, with a place for POINTS.
    ring: String,
    /// Buckets of figure 2, and the rings that are laid for it.
    buckets: usize,
    rings: u64,
    points: Vec<u64>,
    /// Keys that show how even jump is.
    keys: u64,
    /// Numbers of buckets of figure 4, and keys whose steps are counted.
    sizes: Vec<usize>,
    steps_of: u64,
    /// Numbers of nodes of the table of building, and how often each is built.
    built: Vec<usize>,
    builds: usize,
}

impl Jump {
    pub(super) fn run(&self, lab: &mut Lab<'_>) -> Result<()> {
        self.figure_2(lab)?;
        self.figure_3(lab)?;
        self.figure_4(lab)?;
        self.building(lab)
    }

    fn ring(&self, points: u64) -> String {
        self.ring.replace("POINTS", &points.to_string())
    }

    /// The bucket sizes that 99 % lie between, and their standard deviation.
    fn figure_2(&self, lab: &mut Lab<'_>) -> Result<()> {
        const UNIT: &str = "fair shares";
        let (mut sd, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        let mut rows = Vec::new();
        let paper = ["fig2-sd", "fig2-low", "fig2-high"].map(|id| lab.published(id));
        for (place, &points) in self.points.iter().enumerate() {
            let spec = self.ring(points);
            let rings = lab.by_seed(self.rings, |seed| {
                let shares = lab.cluster(&spec, seed, self.buckets)?.shares();
                Ok(shares.unwrap_or_default())
            })?;
            let mut sizes = rings.concat();
            for size in &mut sizes {
                *size *= self.buckets as f64;
            }
            let squares: Vec<f64> = sizes.iter().map(|it| (it - 1.0) * (it - 1.0)).collect();
            sizes.sort_by(f64::total_cmp);
            sd.push(mean(&squares).sqrt());
            low.push(nearest_rank(&sizes, 0.005));
            high.push(nearest_rank(&sizes, 0.995));
            let x = points as f64;
            let ours = (low[place], sd[place], high[place]);
            rows.push(between("ours", x, ours, UNIT).named(&spec));
            if let [Some(sd), Some(low), Some(high)] = paper.map(|it| it.get(place)) {
                rows.push(between("published", x, (*low, *sd, *high), UNIT).named(&spec));
            }
        }
        lab.claims.numbers("fig2-sd", &sd);
        lab.claims.numbers("fig2-low", &low);
        lab.claims.numbers("fig2-high", &high);
        lab.series.push(("fig2", rows));
        let cluster = lab.cluster(&self.jump, 0, self.buckets)?;
        let loads = lab.loads(&[cluster], 0, self.keys)?.concat();
        let fair = self.keys as f64 / self.buckets as f64;
        let squares: Vec<f64> = floats(&loads)
            .iter()
            .map(|it| (it / fair - 1.0) * (it / fair - 1.0))
            .collect();
        let chance = ((self.buckets - 1) as f64 / self.keys as f64).sqrt();
        let measured = format!(
            "{:.4} % over {} keys, where chance alone makes {:.4} %",
            100.0 * mean(&squares).sqrt(),
            self.keys,
            100.0 * chance
        );
        let why = "keys cannot show it: the chance in them is a hundred thousand times as large";
        lab.claims.not_checkable("fig2-jump", measured, why);
        Ok(())
    }

    /// Bytes a point of a sorted ring.
    fn figure_3(&self, lab: &mut Lab<'_>) -> Result<()> {
        let points = self.points.iter().copied().max().unwrap_or(1);
        let spec = lab.setup.spec(&self.ring(points))?;
        let cluster = lab.cluster(&self.ring(points), 0, self.buckets)?;
        let (router, bytes) = heap_bytes(|| spec.router(cluster.nodes()));
        router?;
        match bytes {
            Some(bytes) => {
                let all = points as f64 * self.buckets as f64;
                lab.claims.number("fig3-bytes", bytes as f64 / all);
            }
            None => {
                let why = "the program does not count its allocations";
                lab.claims.not_checkable("fig3-bytes", "", why);
            }
        }
        Ok(())
    }

    /// Steps against buckets, and the published times against our steps.
    fn figure_4(&self, lab: &mut Lab<'_>) -> Result<()> {
        let keys = KeySet::Hex64.keys(0, self.steps_of);
        let (mut steps, mut most) = (Vec::new(), f64::NEG_INFINITY);
        for &n in &self.sizes {
            let cluster = lab.cluster(&self.jump, 0, n)?;
            let probes = |key: &[u8]| cluster.trace(key).map_or(0, |it| it.probes.into());
            let tally = lab.tally(keys.keys(), probes)?;
            most = most.max(tally.mean() - 3.0 * tally.error() - libm::log(n as f64) - 1.0);
            steps.push(tally.mean());
        }
        let listed: Vec<String> = steps.iter().map(|it| format!("{it:.3}")).collect();
        lab.claims
            .holds("fig4-steps", listed.join(", "), most <= 0.0);
        let times = lab.published("fig4-times");
        let (slope, start, explained) = line(&steps, times);
        let measured = format!(
            "{start:.1} ns and {slope:.1} ns a step; {:.2} % of the variance explained",
            100.0 * explained
        );
        lab.claims
            .holds("fig4-times", measured, slope > 0.0 && explained >= 0.99);
        let fitted: Vec<f64> = steps.iter().map(|it| start + slope * it).collect();
        let mut rows = Vec::new();
        for ((&n, &time), fitted) in self.sizes.iter().zip(times).zip(fitted) {
            let row = |what, ns| SeriesRow::point(what, n as f64, ns, "ns").named(&self.jump);
            rows.extend([row("published", time), row("steps", fitted)]);
        }
        lab.series.push(("fig4", rows));
        Ok(())
    }

    /// How building a sorted ring grows with the nodes.
    fn building(&self, lab: &mut Lab<'_>) -> Result<()> {
        let points = self.points.iter().copied().max().unwrap_or(1);
        let spec = self.ring(points);
        let mut seconds = Vec::new();
        for &n in &self.built {
            let mut times = Vec::new();
            for seed in 0..self.builds {
                lab.setup.check()?;
                let since = Instant::now();
                let cluster = lab.cluster(&spec, seed as u64, n)?;
                times.push(since.elapsed().as_secs_f64());
                drop(cluster);
            }
            times.sort_by(f64::total_cmp);
            seconds.push(nearest_rank(&times, 0.5));
        }
        let (Some(&few), Some(&many)) = (self.built.first(), self.built.last()) else {
            let why = "no sizes are given";
            lab.claims.not_checkable("fig6-build", "", why);
            return Ok(());
        };
        let grown = libm::log(seconds[seconds.len() - 1] / seconds[0]);
        let power = grown / libm::log(many as f64 / few as f64);
        lab.claims.number("fig6-build", power);
        let why = "seconds of another machine; `bench --profile full` times look-ups that compete for the caches";
        lab.claims.not_checkable("fig6-times", "", why);
        Ok(())
    }
}

/// The straight line through points by least squares: slope, start, and the share of the variance of
/// `y` that it explains.
fn line(x: &[f64], y: &[f64]) -> (f64, f64, f64) {
    let (x_mean, y_mean) = (mean(x), mean(y));
    let sum = |a: &dyn Fn(f64, f64) -> f64| -> f64 {
        let pairs = x.iter().zip(y);
        pairs.map(|(&x, &y)| a(x - x_mean, y - y_mean)).sum()
    };
    let slope = sum(&|x, y| x * y) / sum(&|x, _| x * x);
    let left = sum(&|x, y| (y - slope * x) * (y - slope * x));
    let explained = 1.0 - left / sum(&|_, y| y * y);
    (slope, y_mean - slope * x_mean, explained)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_goes_through_its_points() {
        let (slope, start, explained) = super::line(&[1.0, 2.0, 4.0], &[5.0, 7.0, 11.0]);
        assert_eq!((slope, start, explained), (2.0, 3.0, 1.0));
        let (.., explained) = super::line(&[1.0, 2.0, 3.0], &[1.0, 5.0, 1.0]);
        assert_eq!(explained, 0.0);
    }
}
