//! `ring`: the points of a ring.

use std::{io::Write as _, path::PathBuf};

use crate::workload::{read_nodes, shown};
use anyhow::Context as _;
use router::{Catalog, Cluster};

use super::console;

/// Options of `ring`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The strategy: NAME[:param=value,...]
    #[arg(long, value_name = "SPEC")]
    strategy: String,
    /// Nodes, one a line: name, or `name<TAB>weight`; - for standard input
    #[arg(long, value_name = "FILE")]
    nodes: PathBuf,
}

/// Prints `point<TAB>owner<TAB>label` for every point, in order.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    console::end_when_interrupted()?;
    let spec = catalog.parse(&args.strategy)?;
    let nodes = read_nodes(&args.nodes)?;
    let cluster = Cluster::build(&spec, &nodes).with_context(|| shown(&args.nodes))?;
    let points = cluster
        .points()
        .with_context(|| format!("{spec} has no points to print"))?;
    console::print(|out| {
        for point in points {
            let owner = cluster.name(point.owner).unwrap_or_default();
            writeln!(out, "{}\t{owner}\t{}", point.position, point.label)
                .context(console::STDOUT)?;
        }
        Ok(())
    })
}
