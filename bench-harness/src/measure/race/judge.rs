//! Who is how many times faster than whom: the rows of a race.

use router::Catalog;

use super::{Figure, Found, METRICS, Must, Outcome, Race, RaceFamily, Raced};
use crate::{
    measure::stats::Span,
    record::{MustRow, RaceRow, Side, Status},
};

/// The rows of every family and the verdicts.
pub(super) fn judge(race: &Race, catalog: &Catalog, found: &Found) -> Raced {
    let mut raced = Raced::default();
    for family in &race.families {
        for (&nodes, outcomes) in &found.sizes {
            let sides = [(Side::Ours, &family.ours), (Side::Peer, &family.peers)];
            let entries = sides
                .into_iter()
                .flat_map(|(side, specs)| specs.iter().map(move |spec| (side, spec)));
            for (side, spec) in entries {
                let place = Place {
                    family,
                    side,
                    spec,
                    nodes,
                };
                if let Some(outcome) = outcomes.get(spec) {
                    raced.rows.extend(place.rows(catalog, found, outcome));
                }
            }
        }
    }
    raced.musts = race
        .musts
        .iter()
        .map(|it| verdict(race, it, found))
        .collect();
    raced
}

/// Where a row stands.
struct Place<'a> {
    family: &'a RaceFamily,
    side: Side,
    spec: &'a str,
    nodes: u64,
}

impl Place<'_> {
    fn rows(&self, catalog: &Catalog, found: &Found, outcome: &Outcome) -> Vec<RaceRow> {
        let contract = found.contract.get(self.spec).and_then(Option::as_ref);
        let hash = catalog.parse(self.spec).map(|it| it.hash().name);
        let base = RaceRow {
            family: self.family.name.clone(),
            strategy: self.spec.to_owned(),
            side: self.side,
            hash: hash.unwrap_or_default().to_owned(),
            nodes: self.nodes,
            metric: "lookup_ns".to_owned(),
            unit: "ns a key".to_owned(),
            rounds: 0,
            median: None,
            lo: None,
            hi: None,
            to_floor: None,
            to_floor_lo: None,
            to_floor_hi: None,
            fastest_peer: String::new(),
            to_peer: None,
            to_peer_lo: None,
            to_peer_hi: None,
            contract: contract.map_or("passed", |_| "failed").to_owned(),
            status: Status::Ok,
            note: contract.cloned().unwrap_or_default(),
        };
        let figures = match outcome {
            Ok(figures) => figures,
            Err((status, why)) => {
                return vec![RaceRow {
                    status: *status,
                    note: why.clone(),
                    ..base
                }];
            }
        };
        let floor = figures
            .metrics
            .get("load_ns")
            .and_then(|it| it.as_ref().ok());
        let mut rows = Vec::new();
        for (metric, unit) in METRICS {
            let Some(figure) = figures.metrics.get(metric) else {
                continue;
            };
            let row = RaceRow {
                metric: metric.to_owned(),
                unit: unit.to_owned(),
                ..base.clone()
            };
            rows.push(match figure {
                Ok(figure) => self.filled(row, found, figure, floor),
                Err((status, why)) => RaceRow {
                    status: *status,
                    note: why.clone(),
                    ..row
                },
            });
        }
        rows
    }

    /// The row with its numbers, held against the floor and the fastest peer.
    fn filled(
        &self,
        row: RaceRow,
        found: &Found,
        figure: &Figure,
        floor: Option<&Figure>,
    ) -> RaceRow {
        let timed = figure.rounds > 0;
        let mut row = RaceRow {
            rounds: figure.rounds,
            median: Some(figure.median),
            lo: timed.then_some(figure.lo),
            hi: timed.then_some(figure.hi),
            ..row
        };
        if ["lookup_ns", "route_batch_ns"].contains(&row.metric.as_str()) {
            let to_floor = floor.and_then(|floor| Some(figure.span()?.over(floor.span()?)));
            row.to_floor = to_floor.map(|it| it.median);
            row.to_floor_lo = to_floor.map(|it| it.lo);
            row.to_floor_hi = to_floor.map(|it| it.hi);
        }
        // A floor is nobody's work.
        if ["hash_ns", "load_ns"].contains(&row.metric.as_str()) {
            return row;
        }
        if let Some((peer, fastest)) = fastest(found, &self.family.peers, self.nodes, &row.metric)
            && let (Some(own), Some(peers)) = (figure.span(), fastest.span())
        {
            let to_peer = own.over(peers);
            row.fastest_peer = peer.to_owned();
            row.to_peer = Some(to_peer.median);
            row.to_peer_lo = timed.then_some(to_peer.lo);
            row.to_peer_hi = timed.then_some(to_peer.hi);
        }
        row
    }
}

impl Figure {
    fn span(&self) -> Option<Span> {
        Span::new(self.median, self.lo, self.hi)
    }
}

/// The figure of a spec at a size, where it was measured.
fn figure<'a>(found: &'a Found, spec: &str, nodes: u64, metric: &str) -> Option<&'a Figure> {
    let outcome = found.sizes.get(&nodes)?.get(spec)?;
    outcome.as_ref().ok()?.metrics.get(metric)?.as_ref().ok()
}

/// The peer with the lowest median.
fn fastest<'a>(
    found: &'a Found,
    peers: &'a [String],
    nodes: u64,
    metric: &str,
) -> Option<(&'a str, &'a Figure)> {
    peers
        .iter()
        .filter_map(|peer| Some((peer.as_str(), figure(found, peer, nodes, metric)?)))
        .min_by(|a, b| a.1.median.total_cmp(&b.1.median))
}

/// What became of a demand.
fn verdict(race: &Race, must: &Must, found: &Found) -> MustRow {
    let of_family = race.families.iter().find(|it| it.name == must.family);
    let all = of_family.map_or(&[][..], |it| &it.peers);
    let peers = if must.peers.is_empty() {
        all
    } else {
        &must.peers
    };
    let fastest = fastest(found, peers, must.nodes, &must.metric);
    let ours = figure(found, &must.ours, must.nodes, &must.metric);
    let ratio = fastest.and_then(|(_, peer)| Some(peer.span()?.over(ours?.span()?)));
    let verdict = match ratio {
        None => "not measured",
        Some(ratio) if must.aim.is_some_and(|aim| ratio.median >= aim) => "aim met",
        Some(ratio) if ratio.median >= must.times => "met",
        Some(ratio) if ratio.hi >= must.times => "unsure",
        Some(_) => "missed",
    };
    MustRow {
        must: must.says.clone(),
        ours: must.ours.clone(),
        peer: fastest.map_or("", |(peer, _)| peer).to_owned(),
        nodes: must.nodes,
        metric: must.metric.clone(),
        times: must.times,
        aim: must.aim,
        ratio: ratio.map(|it| it.median),
        lo: ratio.map(|it| it.lo),
        hi: ratio.map(|it| it.hi),
        verdict: verdict.to_owned(),
    }
}
