//! The ring itself, for a picture of it: arcs and their owners.

use router::{Cluster, Position, Role};

use super::grid::{Contender, Request};
use crate::record::ArcRow;

/// Nodes of the picture.
const NODES: u64 = 4;
/// Points a node of its strips.
const POINTS: [u64; 3] = [1, 10, 100];

/// The arcs of a ring of 4 nodes with 1, 10 and 100 points: of the first strategy with a common hash
/// and that parameter whose arcs, each owned by the point at its end, add up to its own shares.
pub(super) fn measure(request: &Request) -> Vec<ArcRow> {
    request
        .contenders
        .iter()
        .filter(|it| it.overview && it.spec.strategy().role == Role::CommonHash)
        .filter(|it| it.points_per_node.is_some())
        .find_map(|contender| strips(request, contender))
        .unwrap_or_default()
}

fn strips(request: &Request, contender: &Contender) -> Option<Vec<ArcRow>> {
    let param = contender
        .spec
        .strategy()
        .params
        .iter()
        .find(|param| param.role == router::ParamRole::PointsPerNode)?;
    let mut rows = Vec::new();
    for points in POINTS {
        let spec = contender.spec.with(param.name, &points.to_string()).ok()?;
        let generated = Request {
            nodes: None,
            changes: Vec::new(),
            ..request.clone()
        };
        let cluster = Cluster::build(&spec, &generated.deployment(0, NODES)).ok()?;
        rows.extend(arcs(&cluster, &spec.to_string(), points)?);
    }
    Some(rows)
}

fn arcs(cluster: &Cluster, label: &str, points_per_node: u64) -> Option<Vec<ArcRow>> {
    let points = cluster.points()?;
    // The size of the hash space is the smallest of the usual ones that holds all points.
    let largest = points.iter().map(|point| offset(point.position)).max()?;
    let space = match largest {
        0..0x1_0000_0000 => 2_f64.powi(32),
        0x1_0000_0000..0x1_0000_0000_0000_0000 => 2_f64.powi(64),
        _ => 2_f64.powi(128),
    };
    let mut rows = Vec::new();
    let mut start = 0.0;
    let mut sums = vec![0.0; cluster.nodes().len()];
    let first = points.first()?.owner;
    let ends = points
        .iter()
        .map(|point| (offset(point.position) as f64 / space, point.owner))
        .chain([(1.0, first)]);
    for (end, owner) in ends {
        let node = cluster.nodes().position(owner)?;
        sums[node] += end - start;
        rows.push(ArcRow {
            strategy: label.to_owned(),
            nodes: cluster.nodes().len() as u64,
            points_per_node,
            start,
            end,
            node: node as u64,
        });
        start = end;
    }
    let agrees = cluster
        .shares()?
        .iter()
        .zip(&sums)
        .all(|(share, sum)| (share - sum).abs() < 1e-6);
    agrees.then_some(rows)
}

/// How far a position lies from the smallest of its space.
fn offset(position: Position) -> u128 {
    match position {
        Position::Unsigned(value) => value,
        Position::Signed(value) => (i128::from(value) + (1 << 31)).unsigned_abs(),
    }
}
