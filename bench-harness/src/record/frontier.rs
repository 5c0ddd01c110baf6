//! The rows of the frontier: designs with what they cost and how even they are, and the points that a
//! ring needs.

use serde::{Deserialize, Serialize};

use super::{Rounded, table::six};

/// Between the names of fields in a column that lists them.
pub const FIELDS: &str = "; ";

/// Whether a list of fields names this one.
#[must_use]
pub fn names_field(fields: &str, field: &str) -> bool {
    fields.split(FIELDS).any(|it| it == field)
}

/// A row of `experiment-frontier-designs.csv`: one design, without its times.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct DesignRow {
    /// Its spec.
    pub strategy: String,
    /// Which parameter of which strategy is swept; empty for a design by itself.
    pub sweep: String,
    /// Nodes.
    pub nodes: u64,
    /// Heap bytes of the router over the nodes; empty where the program does not count.
    pub bytes_per_node: Option<f64>,
    /// `exact_peak_p95`, or `peak_to_avg` where the strategy cannot state its shares.
    pub metric: String,
    /// The busiest node in 95 % of deployments, in fair shares.
    pub peak: Option<f64>,
    /// Deployments behind it.
    pub deployments: u64,
    /// Keys of a deployment where it was sampled, else 0.
    pub keys: u64,
    /// 5 % of what evenly hashed keys alone would show, where it was sampled.
    pub noise_lo: Option<f64>,
    /// 95 % of it.
    pub noise_hi: Option<f64>,
    /// The fields that it stands in, by name.
    pub fields: String,
    /// Those in which no other has as few bytes and as low a peak, one of them less.
    pub efficient: String,
    /// Why a number is not there.
    pub note: String,
}

/// A row of `timed-frontier-designs.csv`: the same design with its times.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct TimedDesignRow {
    /// Its spec.
    pub strategy: String,
    /// Which parameter of which strategy is swept; empty for a design by itself.
    pub sweep: String,
    /// Nodes.
    pub nodes: u64,
    /// As in the file without times.
    pub bytes_per_node: Option<f64>,
    /// As in the file without times.
    pub peak: Option<f64>,
    /// A look-up, the median of the rounds.
    pub lookup_ns: Option<f64>,
    /// Lower end of its 95 % interval.
    pub lo: Option<f64>,
    /// Upper end of it.
    pub hi: Option<f64>,
    /// The strategy's hash alone.
    pub hash_ns: Option<f64>,
    /// That hash and one random read.
    pub load_ns: Option<f64>,
    /// Rounds.
    pub rounds: u64,
    /// The fields that it stands in, by name.
    pub fields: String,
    /// Those in which it is efficient in bytes, peak and time.
    pub efficient: String,
    /// Those in which it is efficient in time and peak.
    pub efficient_ns_peak: String,
    /// Those in which it is efficient in time and bytes.
    pub efficient_ns_bytes: String,
    /// Why a number is not there.
    pub note: String,
}

/// A row of `experiment-frontier-enough.csv`: the points that keep the busiest node below a limit.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct EnoughRow {
    /// The ring.
    pub strategy: String,
    /// Nodes.
    pub nodes: u64,
    /// The most that the busiest node may hold, in fair shares.
    pub limit: f64,
    /// The fewest points a node that keep it in 95 % of the deployments; empty where none that was tried do.
    pub points: Option<u64>,
    /// The points a node that do so if the deployments were lucky, and if they were not: the 95 % interval.
    pub points_lo: Option<f64>,
    /// The other end of it.
    pub points_hi: Option<f64>,
    /// The busiest node in 95 % of deployments at these points.
    pub peak: Option<f64>,
    /// The same at one point less.
    pub peak_before: Option<f64>,
    /// The points that theory asks for.
    pub theory: Option<u64>,
    /// Heap bytes a node at these points; empty where the program does not count.
    pub bytes_per_node: Option<f64>,
    /// Deployments that were tried.
    pub deployments: u64,
    /// The most points a node that were tried.
    pub most: u64,
}

impl EnoughRow {
    /// What the rows of one ring and one number of nodes say, in a sentence; nothing where there are
    /// none.
    #[must_use]
    pub fn sentence(rows: &[&Self]) -> Option<String> {
        let first = rows.first()?;
        let parts: Vec<String> = rows.iter().enumerate().map(|(i, it)| it.part(i)).collect();
        let (last, before) = parts.split_last()?;
        let said = match before {
            [] => last.clone(),
            before => format!("{} and {last}", before.join(", ")),
        };
        let nodes = if first.nodes == 1 { "node" } else { "nodes" };
        Some(format!(
            "With {} {nodes}, 95 of 100 deployments of {} keep the busiest node {said} ({} deployments).",
            first.nodes, first.strategy, first.deployments
        ))
    }

    /// The part of that sentence about this limit; the first one says what is counted.
    fn part(&self, place: usize) -> String {
        let (share, unit) = match (place, self.points) {
            (0, Some(1)) => (" times its share", " point a node"),
            (0, _) => (" times its share", " points a node"),
            _ => ("", ""),
        };
        match self.points {
            Some(points) => format!("below {}{share} with {points}{unit}", self.limit),
            None => format!(
                "below {}{share} with none up to {}{unit}",
                self.limit, self.most
            ),
        }
    }
}

impl Rounded for DesignRow {
    fn rounded(&self) -> Self {
        Self {
            bytes_per_node: six(self.bytes_per_node),
            peak: six(self.peak),
            noise_lo: six(self.noise_lo),
            noise_hi: six(self.noise_hi),
            ..self.clone()
        }
    }
}

impl Rounded for TimedDesignRow {
    fn rounded(&self) -> Self {
        Self {
            bytes_per_node: six(self.bytes_per_node),
            peak: six(self.peak),
            lookup_ns: six(self.lookup_ns),
            lo: six(self.lo),
            hi: six(self.hi),
            hash_ns: six(self.hash_ns),
            load_ns: six(self.load_ns),
            ..self.clone()
        }
    }
}

impl Rounded for EnoughRow {
    fn rounded(&self) -> Self {
        Self {
            points_lo: six(self.points_lo),
            points_hi: six(self.points_hi),
            peak: six(self.peak),
            peak_before: six(self.peak_before),
            bytes_per_node: six(self.bytes_per_node),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_a_known_table() {
        let row = |limit, points| EnoughRow {
            strategy: "a-ring".to_owned(),
            nodes: 40,
            limit,
            points,
            deployments: 1000,
            most: 2048,
            ..EnoughRow::default()
        };
        let [few, more, many] = [row(1.5, Some(28)), row(1.25, Some(94)), row(1.1, None)];
        assert_eq!(
            EnoughRow::sentence(&[&few, &more, &many]).as_deref(),
            Some(
                "With 40 nodes, 95 of 100 deployments of a-ring keep the busiest node below 1.5 times its share with 28 \
                 points a node, below 1.25 with 94 and below 1.1 with none up to 2048 (1000 deployments)."
            )
        );
        let one = EnoughRow {
            nodes: 1,
            ..row(1.25, Some(1))
        };
        assert_eq!(
            EnoughRow::sentence(&[&one]).as_deref(),
            Some(
                "With 1 node, 95 of 100 deployments of a-ring keep the busiest node below 1.25 times its share with 1 \
                 point a node (1000 deployments)."
            )
        );
        assert_eq!(EnoughRow::sentence(&[]), None);
    }
}
