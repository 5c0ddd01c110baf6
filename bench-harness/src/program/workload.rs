//! `workload`: the very lists that the strategies are asked, so that other programs can be held
//! against ours.

use std::io::Write as _;

use crate::workload::{KeySet, Scenario, change_text, node_names};
use anyhow::{Context as _, bail};
use router::{KeyBuf, NodeSpec};

use super::console;

/// Nodes where `--sizes` does not say.
const N_NODES: u32 = 40;

/// Keys where `--n-keys` does not say.
const N_KEYS: u64 = 1000;

/// Keys that are made at once.
const CHUNK: u64 = 1 << 16;

/// Options of `workload`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The seed
    #[arg(long, value_name = "N")]
    seed: u64,
    /// What to print
    #[arg(long, value_name = "LIST")]
    print: List,
    /// Nodes, for `nodes` and `changes` [default: 40]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    sizes: Option<u32>,
    /// Key set, for `keys` [default: hex64]
    #[arg(long, value_name = "NAME")]
    key_set: Option<String>,
    /// Keys, for `keys` [default: 1000]
    #[arg(long, value_name = "N")]
    n_keys: Option<u64>,
    /// The change, for `changes` [default: all]
    #[arg(long, value_name = "NAME")]
    change: Option<String>,
}

/// What can be printed.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum List {
    /// Node names, one a line, in joining order
    Nodes,
    /// Keys, one a line
    Keys,
    /// `name<TAB>batch<TAB>change`: for each change by name, what happens to the nodes
    Changes,
}

/// Prints one list of one seed.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    console::end_when_interrupted()?;
    // An option without effect is a mistake that would otherwise go unseen.
    for (option, given, list) in [
        ("--key-set", args.key_set.is_some(), List::Keys),
        ("--n-keys", args.n_keys.is_some(), List::Keys),
        ("--change", args.change.is_some(), List::Changes),
    ] {
        if given && args.print != list {
            bail!("{option} has no effect on what is printed");
        }
    }
    if args.sizes.is_some() && args.print == List::Keys {
        bail!("--sizes has no effect on what is printed");
    }
    match args.print {
        List::Nodes => nodes(args),
        List::Keys => keys(args),
        List::Changes => changes(args),
    }
}

fn names(args: &Args) -> Vec<String> {
    node_names(args.seed, args.sizes.unwrap_or(N_NODES) as usize)
}

fn nodes(args: &Args) -> anyhow::Result<()> {
    console::print(|out| {
        for name in names(args) {
            writeln!(out, "{name}").context(console::STDOUT)?;
        }
        Ok(())
    })
}

fn keys(args: &Args) -> anyhow::Result<()> {
    let set: KeySet = args.key_set.as_deref().unwrap_or("hex64").parse()?;
    let n_keys = args.n_keys.unwrap_or(N_KEYS);
    let mut keys = KeyBuf::new();
    console::print(|out| {
        let mut start = 0;
        while start < n_keys {
            let end = n_keys.min(start.saturating_add(CHUNK));
            keys.clear();
            set.fill(args.seed, start..end, &mut keys);
            for key in keys.keys().iter() {
                out.write_all(key)
                    .and_then(|()| out.write_all(b"\n"))
                    .context(console::STDOUT)?;
            }
            start = end;
        }
        Ok(())
    })
}

fn changes(args: &Args) -> anyhow::Result<()> {
    let scenarios = match &args.change {
        Some(name) => vec![name.parse()?],
        None => Scenario::all(),
    };
    let nodes: Vec<NodeSpec> = names(args).into_iter().map(NodeSpec::from).collect();
    console::print(|out| {
        for scenario in scenarios {
            for (batch, changes) in (1..).zip(scenario.changes(args.seed, &nodes)) {
                for change in changes {
                    writeln!(out, "{scenario}\t{batch}\t{}", change_text(&change))
                        .context(console::STDOUT)?;
                }
            }
        }
        Ok(())
    })
}
