//! `compat`: which client places keys like which.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    measure::{
        Progress,
        compat::{self, Comparison},
    },
    record::{self, NewFile, Store},
    workload::{ListPlan, NodeList, read_keys, read_nodes, shown},
};
use anyhow::{Context as _, bail, ensure};
use router::{Catalog, Spec};

use super::{bench, console, report};

/// Options of `compat`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Nodes of your own in place of the standard lists, one a line; - for standard input
    #[arg(long, value_name = "FILE")]
    nodes: Option<PathBuf>,
    /// Keys of your own in place of the standard ones, one a line; - for standard input
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Only this strategy; may be given again [default: all that some client speaks]
    #[arg(long = "strategy", value_name = "SPEC")]
    strategies: Vec<String>,
    /// Where the report goes, beside what is there [default: reports for the standard comparison, else
    /// target/ringmark/compat]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The standard lists.
const PLAN: &str = include_str!("../../experiments/compat.json");

/// Compares the clients and adds what was found to a report.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let comparison = comparison(args, catalog)?;
    let standard = args.nodes.is_none() && args.keys.is_none() && args.strategies.is_empty();
    let out = match &args.out {
        Some(out) => out.clone(),
        None if standard => PathBuf::from("reports"),
        None => PathBuf::from("target/ringmark/compat"),
    };
    let store = Store::open(&out)?;
    let progress = bench::progress()?;
    let found = compat::run(&comparison, progress).map_err(bench::stopped)?;
    let data = record::compat_files(&found)?;
    store.add(bench::this_run("compat", 0)?, &data, report::draw)?;
    let pairs = found.agree.iter();
    let alike = pairs.filter(|row| row.agree == Some(row.keys)).count();
    console::print(|stream| {
        use std::io::Write as _;
        writeln!(
            stream,
            "{} strategies compared on {} lists of nodes; {alike} of {} pairs place all keys of a list alike; \
             report in {}",
            comparison.compared.len(),
            comparison.lists.len(),
            found.agree.len(),
            out.join("README.md").display()
        )
        .context(console::STDOUT)
    })
}

/// The data files of the comparison that the options ask for.
pub(crate) fn files(
    args: &Args,
    catalog: &Catalog,
    progress: &Progress,
) -> anyhow::Result<Vec<NewFile>> {
    let found = compat::run(&comparison(args, catalog)?, progress).map_err(bench::stopped)?;
    record::compat_files(&found)
}

fn comparison(args: &Args, catalog: &Catalog) -> anyhow::Result<Comparison> {
    let stdin = Path::new("-");
    if args.nodes.as_deref() == Some(stdin) && args.keys.as_deref() == Some(stdin) {
        bail!("standard input can be --nodes or --keys, not both");
    }
    let mut plan = ListPlan::parse(PLAN)?;
    if let Some(path) = &args.keys {
        let (keys, warning) = read_keys(path)?;
        if let Some(warning) = warning {
            console::say(&warning);
        }
        ensure!(
            !keys.is_empty(),
            "{}: expected at least one key",
            shown(path)
        );
        let keys = Arc::new(keys);
        // A list that is there for its keys keeps them.
        let standard = plan
            .lists
            .iter_mut()
            .filter(|list| Arc::ptr_eq(&list.keys, &plan.keys));
        standard.for_each(|list| list.keys = keys.clone());
        plan.keys = keys;
    }
    if let Some(path) = &args.nodes {
        plan.lists = vec![own_list(path, &plan)?];
    }
    let mut compared = if args.strategies.is_empty() {
        spoken(catalog)?
    } else {
        parse(catalog, &args.strategies)?
    };
    let mut labels = Vec::new();
    compared.retain(|spec| {
        let label = spec.to_string();
        let new = !labels.contains(&label);
        labels.push(label);
        new
    });
    let found: Vec<String> = compared.iter().map(Spec::to_string).collect();
    ensure!(
        found.len() > 1,
        "expected two strategies or more, found {}",
        found.first().map_or("none", String::as_str)
    );
    let references = if args.strategies.is_empty() {
        parse(catalog, &plan.references)?
    } else {
        Vec::new()
    };
    Ok(Comparison {
        compared,
        references,
        lists: plan.lists,
    })
}

fn parse(catalog: &Catalog, specs: &[String]) -> Result<Vec<Spec>, router::Error> {
    specs.iter().map(|spec| catalog.parse(spec)).collect()
}

/// Every strategy that some client speaks, with its default parameters.
fn spoken(catalog: &Catalog) -> Result<Vec<Spec>, router::Error> {
    let strategies = catalog.strategies().iter();
    strategies
        .filter(|strategy| !strategy.spoken_by.is_empty())
        .map(|strategy| catalog.parse(strategy.name))
        .collect()
}

/// The user's nodes as a list of which each is lost in turn.
fn own_list(path: &Path, plan: &ListPlan) -> anyhow::Result<NodeList> {
    let nodes = read_nodes(path)?;
    let name = shown(path);
    ensure!(
        nodes.iter().any(|node| node.weight > 0),
        "{name}: expected at least one node with weight"
    );
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(NodeList {
        name: match path == Path::new("-") {
            true => name,
            false => file.into_owned(),
        },
        exercises: "nodes of your own".to_owned(),
        lose: nodes.len() > 1,
        keys: plan.keys.clone(),
        nodes,
    })
}
