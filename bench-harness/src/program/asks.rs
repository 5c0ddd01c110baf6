//! `asks`: exactly so many look-ups, and how many instructions one of them is.
//!
//! The same program is run twice under valgrind's cachegrind, the second time with more look-ups: what
//! the second run executes more belongs to these alone. The count does not depend on the clock, nor on
//! what else the machine does.

use std::{
    hint::black_box,
    io::ErrorKind,
    process::{Command, Stdio},
};

use crate::workload::{KeySet, node_names};
use anyhow::Context as _;
use router::{Catalog, Cluster, NodeSpec, Spec};

/// Look-ups of the second run beyond those of the first.
const COUNTED: u64 = 2048;
/// Look-ups of the first: what is only done once lies in both.
const BEFORE: u64 = 256;

/// Options of `asks`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The strategy
    #[arg(long)]
    strategy: String,
    /// Number of nodes
    #[arg(long)]
    nodes: u64,
    /// Number of look-ups
    #[arg(long)]
    asks: u64,
}

/// Asks, and prints nothing. The keys made are always the same number.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let nodes = node_names(0, args.nodes as usize);
    let nodes: Vec<NodeSpec> = nodes.into_iter().map(NodeSpec::from).collect();
    let cluster = Cluster::build(&catalog.parse(&args.strategy)?, &nodes)?;
    let keys = KeySet::Hex64.keys(0, BEFORE + COUNTED);
    let router = black_box(&cluster).router();
    for key in keys.keys().iter().take(args.asks as usize) {
        black_box(router.route(black_box(key)));
    }
    Ok(())
}

/// The instructions of one look-up among so many nodes, the mean over [`COUNTED`] keys.
pub(crate) fn instructions(spec: &Spec, n: u64) -> Result<f64, String> {
    let before = executed(spec, n, BEFORE)?;
    let after = executed(spec, n, BEFORE + COUNTED)?;
    let more = after.checked_sub(before).ok_or(NOISY)?;
    Ok(more as f64 / COUNTED as f64)
}

const NOISY: &str = "not measured (more look-ups took fewer instructions)";

/// The instructions of one process.
fn executed(spec: &Spec, n: u64, asks: u64) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|err| format!("not measured ({err})"))?;
    let output = Command::new("valgrind")
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(program)
        .args(["asks", "--strategy", &spec.to_string()])
        .args(["--nodes", &n.to_string(), "--asks", &asks.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(err) if err.kind() == ErrorKind::NotFound => {
            return Err("not measured (valgrind is not installed; Debian: valgrind)".to_owned());
        }
        Err(err) => return Err(format!("not measured (valgrind: {err})")),
    };
    let told = String::from_utf8_lossy(&output.stderr);
    let refs = told.lines().find_map(|line| {
        let (_, count) = line
            .split_once("I   refs:")
            .or(line.split_once("I refs:"))?;
        count.replace(',', "").trim().parse().ok()
    });
    refs.filter(|_| output.status.success())
        .with_context(|| format!("not measured (valgrind ended with {})", output.status))
        .map_err(|err| err.to_string())
}
