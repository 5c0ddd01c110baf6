//! Frontier: what a design costs in bytes and time and how even it is, along its parameters; and how
//! many points a ring needs.
//!
//! ```text
//!   designs --> heap bytes, busiest node by exact shares, look-ups in one run --> who is efficient
//!   a ring, points a node --> busiest node of many deployments --> the fewest below a limit
//! ```

mod designs;
mod efficient;
mod judge;
mod points;

use anyhow::Result;
use serde::Deserialize;

use super::{Claims, Extra, Findings, Setup};
use crate::record::to_csv;

/// What the definition says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frontier {
    designs: designs::Designs,
    points: points::Points,
    claimed: judge::Claimed,
}

/// Runs it.
pub(super) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let frontier: Frontier = setup.definition.setup();
    let points = points::measure(setup, &frontier.points)?;
    let designs = designs::measure(setup, &frontier.designs)?;
    let mut claims = Claims::new(setup.definition);
    judge::all(&mut claims, setup, &frontier.claimed, &points, &designs)?;
    let rows: Vec<_> = designs.designs.iter().map(|it| it.row.clone()).collect();
    let timed: Vec<_> = designs.designs.iter().map(|it| it.timed.clone()).collect();
    let extra = vec![
        Extra::new("designs", to_csv(&rows)?, true),
        Extra::new("enough", to_csv(&points.enough)?, true),
        Extra::new("designs", to_csv(&timed)?, false),
    ];
    let mut printed = points.sentences();
    printed.extend(points.left_out.iter().cloned());
    printed.extend(designs.lines());
    let series = vec![("points", points.series(frontier.points.sweep()))];
    Ok(Findings {
        extra,
        ..claims.finish(series, printed)
    })
}
