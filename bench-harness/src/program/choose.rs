//! `choose`: which strategies meet a need, measured at exactly one size.

use std::str::FromStr;

use crate::{
    measure::{
        self, Contender, Measured, Part, Profile, Progress, Request,
        choice::{self, Demand, Held, NEEDS, Need},
    },
    workload::KeySet,
};
use anyhow::{Context as _, bail, ensure};
use comfy_table::presets;
use router::{Catalog, Role};

use super::{bench, compare, console};

/// Options of `choose`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Number of nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    sizes: u64,
    /// What it has to do: any_removal, minimal, order_free, history_free, weights, weights_minimal,
    /// replicas, even, knows_load
    #[arg(long, value_name = "NEED,..", value_delimiter = ',')]
    need: Vec<Needed>,
    /// The most that the busiest node may hold, in fair shares
    #[arg(long, value_name = "X", value_parser = limit)]
    peak: Option<f64>,
    /// The most heap bytes a node
    #[arg(long, value_name = "B", value_parser = limit)]
    bytes_per_node: Option<f64>,
    /// A program that has to place keys alike, by a part of its name
    #[arg(long, value_name = "PROGRAM")]
    speaks: Option<String>,
    /// Only this strategy; may be given again [default: all, with the steps of their parameters]
    #[arg(long = "strategy", value_name = "SPEC")]
    strategies: Vec<String>,
}

/// A need by its name.
#[derive(Clone, Debug)]
struct Needed(Need);

impl FromStr for Needed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NEEDS.into_iter().find(|it| it.name == text);
        let names = || NEEDS.map(|it| it.name).join(", ");
        found
            .map(Self)
            .ok_or_else(|| format!("unknown need {text:?}; valid are: {}", names()))
    }
}

fn limit(text: &str) -> Result<f64, String> {
    let limit: Option<f64> = text.parse().ok();
    limit
        .filter(|it| it.is_finite() && *it > 0.0)
        .ok_or_else(|| "expected a number above 0".to_owned())
}

/// Measures those that have what is needed, and says who is left.
pub(crate) fn run(args: &Args, catalog: &Catalog) -> anyhow::Result<()> {
    let demand = Demand {
        needs: args.need.iter().map(|it| it.0).collect(),
        speaks: args.speaks.clone(),
        peak: args.peak,
        bytes_per_node: args.bytes_per_node,
    };
    let (candidates, mut fell) = candidates(args, catalog, &demand)?;
    let progress = bench::progress()?;
    let measured = measured(args, &candidates, &[Part::Balance, Part::Memory], progress)?;
    let (mut left, mut within, mut undecided) = (Vec::new(), Vec::new(), Vec::new());
    for contender in &candidates {
        let label = contender.spec.to_string();
        let (mut fits, mut open, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        for held in demand.held(contender, args.sizes, &measured) {
            match held {
                Held::Within(told) => fits.push(told),
                Held::Undecided(told) => open.push(told),
                Held::Beyond(told) => beyond.push(told),
            }
        }
        if !beyond.is_empty() {
            fell.push(format!("{label}: {}", beyond.join("; ")));
        } else if !open.is_empty() {
            undecided.push(format!("{label}: {}", open.join("; ")));
        } else {
            if !fits.is_empty() {
                within.push(format!("{label}: {}", fits.join("; ")));
            }
            left.push(contender.clone());
        }
    }
    let table = (!left.is_empty())
        .then(|| table(args, left, measured, progress))
        .transpose()?;
    let told = |title: &str, lines: &[String]| match lines {
        [] => String::new(),
        lines => format!("\n{title}:\n  {}\n", lines.join("\n  ")),
    };
    console::print(|out| {
        use std::io::Write as _;
        match table {
            Some(table) => writeln!(out, "{table}")?,
            None => writeln!(out, "No strategy meets this at {} nodes.", args.sizes)?,
        }
        write!(
            out,
            "{}{}{}",
            told("Within the limits", &within),
            told(
                "Not decided: the noise of so few keys is as large",
                &undecided
            ),
            told("Fell", &fell)
        )
        .context(console::STDOUT)
    })
}

/// Those that have what is needed; and of the others, why not.
fn candidates(
    args: &Args,
    catalog: &Catalog,
    demand: &Demand,
) -> anyhow::Result<(Vec<Contender>, Vec<String>)> {
    let mut contenders = match args.strategies.is_empty() {
        true => Contender::all(catalog, true),
        false => Contender::given(catalog, &args.strategies)?,
    };
    // The bound sees all keys at once: nobody can choose it.
    contenders.retain(|it| it.spec.strategy().role != Role::Bound);
    if let Some(wanted) = &args.speaks
        && !contenders.iter().any(|it| choice::speaks(&it.spec, wanted))
    {
        let mut programs: Vec<&str> = catalog
            .strategies()
            .iter()
            .flat_map(|it| it.spoken_by)
            .copied()
            .collect();
        programs.sort_unstable();
        programs.dedup();
        bail!(
            "--speaks: unknown program {wanted:?}; known are: {}",
            programs.join("; ")
        );
    }
    ensure!(
        !contenders.is_empty(),
        "--strategy: expected a strategy that can be chosen"
    );
    let (mut candidates, mut fell) = (Vec::new(), Vec::new());
    for contender in contenders {
        let reasons = demand.lacking(&contender.spec);
        if !reasons.is_empty() {
            // Parameters do not change what a family lacks: it is said once, without them.
            let told = format!("{}: {}", contender.spec.strategy().name, reasons.join("; "));
            if !fell.contains(&told) {
                fell.push(told);
            }
            continue;
        }
        // Measured like the others, whether the overview of a report has it or not.
        candidates.push(Contender::new(contender.spec));
    }
    Ok((candidates, fell))
}

fn request(args: &Args, contenders: &[Contender], parts: &[Part]) -> Request {
    Request {
        contenders: contenders.to_vec(),
        profile: Profile::compare(args.sizes),
        parts: parts.to_vec(),
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    }
}

fn measured(
    args: &Args,
    contenders: &[Contender],
    parts: &[Part],
    progress: &Progress,
) -> anyhow::Result<Measured> {
    if contenders.is_empty() {
        return Ok(Measured::default());
    }
    measure::run(&request(args, contenders, parts), progress).map_err(bench::stopped)
}

/// The numbers of those that are left; what costs most is measured of them alone.
fn table(
    args: &Args,
    left: Vec<Contender>,
    so_far: Measured,
    progress: &Progress,
) -> anyhow::Result<String> {
    let more = measured(args, &left, &[Part::Movement, Part::Lookup], progress)?;
    let all = Measured {
        balance: so_far.balance,
        memory: so_far.memory,
        ..more
    };
    let request = request(args, &left, &[]);
    let mut table = compare::table(&request, &all);
    table.load_style(presets::NOTHING);
    let columns = compare::columns(&request.profile);
    Ok(format!("{table}\n\nOne row a design; {columns}"))
}
