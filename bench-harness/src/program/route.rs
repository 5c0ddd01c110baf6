//! `route`: the black box. Keys in, owners out.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::workload::{KeyReader, NodesFormat, change_text, read_nodes_as, shown};
use anyhow::{Context as _, ensure};
use router::{Catalog, Change, Cluster, KeyBuf, NodeId};

use super::console;

/// Keys that are routed at once: enough for a sweep over a ring to pay, few enough to stay small.
const CHUNK: usize = 1 << 16;

/// Options of `route`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The strategy: NAME[:param=value,...]
    #[arg(long, value_name = "SPEC")]
    strategy: String,
    /// Nodes, one a line: name, or `name<TAB>weight`; - for standard input
    #[arg(long, value_name = "FILE")]
    nodes: PathBuf,
    /// How the nodes are written: plain, twemproxy, nginx, haproxy or envoy; FORMAT:NAME where a
    /// configuration has several lists
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    nodes_format: NodesFormat,
    /// Keys, one a line, every byte but LF kept; - for standard input
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,
    /// A change before the keys are routed: +name, +name=weight, -name, =name=weight or
    /// `~old<TAB>new`; may be given again
    #[arg(long = "change", value_name = "CHANGE", allow_hyphen_values = true)]
    changes: Vec<String>,
    /// Print key, owner, hash, point, label, second and third owner, where the strategy says so
    #[arg(long)]
    explain: bool,
}

/// Prints `key<TAB>owner` for each key, in order.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    console::end_when_interrupted()?;
    let stdin = Path::new("-");
    ensure!(
        args.nodes != stdin || args.keys != stdin,
        "standard input can be --nodes or --keys, not both"
    );
    let spec = catalog.parse(&args.strategy)?;
    let changes: Vec<Change> = args
        .changes
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, router::Error>>()?;
    let nodes = read_nodes_as(&args.nodes, &args.nodes_format)?;
    // Opened before the cluster is built, which may take long, so that a wrong name is known at once.
    let keys = KeyReader::open(&args.keys)?;
    let cluster = Cluster::build(&spec, &nodes).with_context(|| shown(&args.nodes))?;
    if spec.capabilities().knows_load {
        assign(args, cluster, &changes, keys)
    } else {
        stream(args, cluster, &changes, keys)
    }
}

/// Routes key by key, in constant memory.
fn stream(
    args: &Args,
    mut cluster: Cluster,
    changes: &[Change],
    mut reader: KeyReader,
) -> anyhow::Result<()> {
    for change in changes {
        apply(&mut cluster, change)?;
    }
    let mut keys = KeyBuf::new();
    let mut owners = vec![NodeId::default(); CHUNK];
    console::print(|out| {
        while reader.read(&mut keys, CHUNK)? > 0 {
            warn(&mut reader);
            let owners = &mut owners[..keys.len()];
            let served = cluster.route_batch(keys.keys(), owners);
            for (key, &owner) in keys.keys().iter().zip(&*owners) {
                write_line(out, &cluster, key, served.then_some(owner), args.explain)
                    .context(console::STDOUT)?;
            }
            keys.clear();
        }
        Ok(())
    })
}

/// Places the whole key set, for a strategy that knows load: where a key lies depends on the others,
/// and after a change on where they lay before.
fn assign(
    args: &Args,
    mut cluster: Cluster,
    changes: &[Change],
    mut reader: KeyReader,
) -> anyhow::Result<()> {
    let keys = reader.read_all()?;
    warn(&mut reader);
    let keys = keys.keys();
    let mut owners = vec![None; keys.len()];
    let claim = "a strategy that knows load places key sets";
    cluster.assign(keys, &mut owners).expect(claim);
    for change in changes {
        apply(&mut cluster, change)?;
        cluster.assign(keys, &mut owners).expect(claim);
    }
    console::print(|out| {
        for (key, &owner) in keys.iter().zip(&owners) {
            write_line(out, &cluster, key, owner, args.explain).context(console::STDOUT)?;
        }
        Ok(())
    })
}

fn apply(cluster: &mut Cluster, change: &Change) -> anyhow::Result<()> {
    cluster
        .apply(std::slice::from_ref(change))
        .with_context(|| format!("change {:?}", change_text(change)))
}

/// Prints the one warning that the keys gave cause for, when it is due.
fn warn(reader: &mut KeyReader) {
    if let Some(warning) = reader.take_warning() {
        console::say(&warning);
    }
}

/// Writes a key, its owner and, if asked, why.
fn write_line(
    out: &mut impl Write,
    cluster: &Cluster,
    key: &[u8],
    owner: Option<NodeId>,
    explain: bool,
) -> io::Result<()> {
    let name = |id: Option<NodeId>| id.and_then(|id| cluster.name(id)).unwrap_or_default();
    out.write_all(key)?;
    out.write_all(b"\t")?;
    out.write_all(name(owner).as_bytes())?;
    if explain {
        let trace = cluster.trace(key).unwrap_or_default();
        for position in [trace.key_hash, trace.point] {
            out.write_all(b"\t")?;
            if let Some(position) = position {
                write!(out, "{position}")?;
            }
        }
        let preference = cluster.preference(key, 3).unwrap_or_default();
        let place = |rank: usize| name(preference.get(rank).copied());
        let label = trace.label.unwrap_or_default();
        write!(out, "\t{label}\t{}\t{}", place(1), place(2))?;
    }
    out.write_all(b"\n")
}
