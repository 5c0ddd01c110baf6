//! The contract suite: one function that every strategy passes.
//!
//! [`run`] puts a spec through every check of [`CHECKS`] and says of each whether it passed,
//! failed, or does not apply. Small worlds are tried exhaustively, with the parameters that the
//! strategy asks for there ([`crate::Strategy::suite_params`]); large ones by seeded walks with the
//! spec as it is. Everything is seeded: the verdicts are the same in every run and on every
//! machine.
//!
//! A claim that a strategy makes is tested; one that it does not make is [`Verdict::Unsupported`],
//! never passed.
//!
//! # Examples
//!
//! ```
//! # use router::{Catalog, Members, NodeId, Router, Step, Strategy};
//! use router::suite::{self, Effort, Verdict};
//!
//! # #[derive(Clone, Default)]
//! # struct Sum(Vec<NodeId>);
//! # impl Router for Sum {
//! #     fn update(&mut self, members: &Members, _steps: &[Step]) {
//! #         self.0 = members.iter().map(|node| node.id).collect();
//! #     }
//! #     fn route(&self, key: &[u8]) -> NodeId {
//! #         let sum: usize = key.iter().map(|&byte| usize::from(byte)).sum();
//! #         self.0[sum % self.0.len()]
//! #     }
//! # }
//! # static SUM: Strategy = Strategy {
//! #     name: "sum",
//! #     family: "example",
//! #     summary: "The sum of the key's bytes modulo the nodes",
//! #     source: "this example",
//! #     build: |_, _, _| Ok(Box::new(Sum::default())),
//! #     ..Strategy::DEFAULT
//! # };
//! let catalog = Catalog::new([&SUM]).unwrap();
//! let outcomes = suite::run(&catalog.parse("sum").unwrap(), Effort::Gate);
//! assert!(!suite::passed(&outcomes));
//! for outcome in &outcomes {
//!     if let Verdict::Failed(why) = &outcome.verdict {
//!         println!("{}: {why}", outcome.check);
//!     }
//! }
//! ```

mod answers;
mod bytes;
mod changes;
mod claims;
mod draw;
mod extras;
mod histories;
mod moves;
mod replicas;
mod shares;
mod show;
mod soak;
mod stats;
mod weights;
mod width;
mod worlds;

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::Once,
};

use crate::{Capabilities, Cluster, Error, ErrorKind, NodeSpec, Spec, WeightSupport};

pub use soak::soak;

use draw::ADDRESSES;

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All cases hold.
    Passed,
    /// The smallest failing case, in one line.
    Failed(String),
    /// The strategy does not claim what the check tests, or cannot be tested for it: why, in one
    /// line.
    Unsupported(String),
}

/// One check and what it found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Its name, as in [`CHECKS`].
    pub check: &'static str,
    /// What it found.
    pub verdict: Verdict,
    /// Cases tried until it was decided: changes, states or keys, whatever the check is about.
    pub cases: u64,
}

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// What a harness runs before it measures: about a second a strategy in a release build.
    Gate,
    /// What tests run: histories of length 7 over 4 names, and clusters of up to 300 nodes.
    Full,
}

/// Every check, in the order in which [`run`] answers: its name and one line that says what must
/// hold.
pub const CHECKS: &[(&str, &str)] = &{
    let mut checks = [("", ""); LIST.len()];
    let mut i = 0;
    while i < LIST.len() {
        checks[i] = (LIST[i].0, LIST[i].1);
        i += 1;
    }
    checks
};

/// How a check ends that did not pass.
enum Stop {
    Failed(String),
    Unsupported(String),
}

impl Stop {
    /// Says which spec failed, if that is not the one on the bench.
    fn naming(self, bench: &Bench, spec: &Spec) -> Self {
        let label = spec.to_string();
        match self {
            Self::Failed(why) if label != bench.spec.to_string() => {
                Self::Failed(format!("{label}: {why}"))
            }
            other => other,
        }
    }
}

impl From<String> for Stop {
    fn from(failure: String) -> Self {
        Self::Failed(failure)
    }
}

/// Whether all cases that a check tried are good, else how it ended.
type Checked = Result<(), Stop>;

/// Name, what must hold, and the check itself.
type Check = (&'static str, &'static str, fn(&Bench) -> Checked);

#[rustfmt::skip] // one check a line reads as the table that it is
const LIST: &[Check] = &[
    ("described", "The description is complete and the spec reads back as itself", claims::described),
    ("claims", "What is claimed is there, and what is there is claimed", claims::claims),
    ("empty", "Without a node that has weight no key has an owner; with one again, all have", answers::empty),
    ("single", "A node that is alone owns every key", answers::single),
    ("repeatable", "A key has the same owner again, in a second router, and on other threads", answers::repeatable),
    ("present", "Only nodes that are present and have weight own keys, after every history", answers::present),
    ("hostile-keys", "Empty, long, binary and point-label keys are keys like others", bytes::hostile_keys),
    ("key-bytes", "Every byte of a key counts, and nothing but its bytes", bytes::key_bytes),
    ("hash-width", "Keys are not folded to 16 bits or so on the way to their owner", width::hash_width),
    ("batch", "A batch gives the owners of its keys one by one", extras::batch),
    ("clone", "A clone answers alike, and changing one leaves the other as it was", changes::clones),
    ("refused", "A refused change changes nothing", changes::refused),
    ("removal", "Any node can leave if that is claimed, else only the last", changes::removal),
    ("max-nodes", "It holds as many nodes as it claims and refuses one more", changes::max_nodes),
    ("replace", "A new name takes the place and the weight of the old one", changes::replace),
    ("minimal", "A change moves keys only from nodes that leave or to nodes that join", moves::minimal),
    ("undo", "A change undone leaves every key where it was before", moves::undo),
    ("history", "After any changes it answers as one built anew from its nodes", moves::history),
    ("order", "The order in which nodes join does not matter", moves::order),
    ("weights", "Shares follow the weights within 5 standard errors; weight 0 owns nothing", weights::weights),
    ("weight-changes", "A weight that rises draws keys, one that falls sheds them, others keep theirs", weights::weight_changes),
    ("even", "Nodes of equal weight own equal numbers of random keys, within chance", weights::even),
    ("shares", "Exact shares are not negative, add up to 1, and are those of nodes with weight", shares::shares),
    ("shares-sampled", "Random keys fall on nodes as the exact shares say, within chance", shares::shares_sampled),
    ("preference", "Preferred owners are distinct, begin with the owner, and a longer list with a shorter", replicas::preference),
    ("failover", "The second preferred owner is the owner once the first is gone", replicas::failover),
    ("points", "Points are in order and belong to nodes with weight", extras::points),
    ("trace", "A trace counts its work and tells of the owner that the key has", extras::trace),
    ("assign", "A key set is placed on nodes with weight, the same again for the same question", extras::assign),
];

/// Puts `spec` through every check, in the order of [`CHECKS`], always all of them.
///
/// A router that panics fails the check in which it does, with the panic's message as the reason;
/// the first panic of a check is printed to standard error too, as always.
#[must_use]
pub fn run(spec: &Spec, effort: Effort) -> Vec<Outcome> {
    filter_panics();
    PANICS.set(Panics::PrintOne);
    let bench = guard(|| Bench::new(spec, effort));
    let outcomes = LIST
        .iter()
        .map(|&(check, _, test)| {
            PANICS.set(Panics::PrintOne);
            let (verdict, cases) = match &bench {
                Ok(bench) => bench.try_check(test),
                Err(why) => (Verdict::Failed(one_line(why)), 0),
            };
            Outcome {
                check,
                verdict,
                cases,
            }
        })
        .collect();
    PANICS.set(Panics::Print);
    outcomes
}

/// Whether no check failed.
#[must_use]
pub fn passed(outcomes: &[Outcome]) -> bool {
    outcomes
        .iter()
        .all(|outcome| !matches!(outcome.verdict, Verdict::Failed(_)))
}

/// What this thread does with a panic's message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    /// As always.
    Print,
    /// Print the next one, which says where to look; the rest are the same again, met on the way
    /// to the smallest case.
    PrintOne,
    Hush,
}

thread_local! {
    static PANICS: Cell<Panics> = const { Cell::new(Panics::Print) };
}

/// Puts a filter before the panic hook, once. It looks at the thread's own [`PANICS`], so that
/// threads which run no suite print as before.
fn filter_panics() {
    static FILTER: Once = Once::new();
    FILTER.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| match PANICS.get() {
            Panics::Print => print(info),
            Panics::PrintOne => {
                PANICS.set(Panics::Hush);
                print(info);
            }
            Panics::Hush => {}
        }));
    });
}

/// Runs `work`; a panic comes back as its message.
fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        format!("panicked: {}", message.unwrap_or("no message"))
    })
}

/// Puts everything on one line.
fn one_line(text: &str) -> String {
    let parts = text.split(['\n', '\r', '\t']).map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// Whether the strategy refused members for a reason of its own, or for want of room: it may.
fn cannot_serve(err: &Error) -> bool {
    matches!(err.kind(), ErrorKind::TooLarge | ErrorKind::Refused)
}

/// A spec with many points a node is tried with few nodes.
const MOST_POINTS: usize = 1 << 19;

/// What is on the bench.
struct Bench {
    spec: Spec,
    /// The same strategy with few points; `spec` itself if that cannot be read, which `described`
    /// tells.
    small: Spec,
    caps: Capabilities,
    effort: Effort,
    /// Points of a node, 1 where the strategy has none.
    points_per_node: usize,
    /// The most nodes that are worth the time.
    most_nodes: usize,
    /// Cases tried in the check that runs.
    cases: Cell<u64>,
}

impl Bench {
    fn new(spec: &Spec, effort: Effort) -> Self {
        let caps = spec.capabilities();
        let limit = caps.max_nodes.map_or(usize::MAX, |max| max as usize);
        // A panic here is met again, and told, by every check.
        let points = guard(|| Cluster::build(spec, &[ADDRESSES[0].into()]).ok()?.points());
        let points_per_node = points
            .ok()
            .flatten()
            .map_or(1, |points| points.len().max(1));
        Self {
            spec: spec.clone(),
            small: spec.small().unwrap_or_else(|_| spec.clone()),
            caps,
            effort,
            points_per_node,
            most_nodes: limit.min((MOST_POINTS / points_per_node).max(4)),
            cases: Cell::new(0),
        }
    }

    /// What a check finds, and the number of cases it tried.
    fn try_check(&self, test: fn(&Self) -> Checked) -> (Verdict, u64) {
        self.cases.set(0);
        let verdict = match guard(|| test(self)) {
            Ok(Ok(())) => Verdict::Passed,
            Ok(Err(Stop::Failed(why))) | Err(why) => Verdict::Failed(one_line(&why)),
            Ok(Err(Stop::Unsupported(why))) => Verdict::Unsupported(one_line(&why)),
        };
        (verdict, self.cases.get())
    }

    /// Counts cases that were tried.
    fn count(&self, cases: usize) {
        self.cases.set(self.cases.get() + cases as u64);
    }

    /// `n` nodes, or fewer if the strategy has no room for them.
    fn room(&self, n: usize) -> usize {
        n.min(self.most_nodes)
    }

    /// One number for the gate, another for tests.
    fn pick<T>(&self, gate: T, full: T) -> T {
        match self.effort {
            Effort::Gate => gate,
            Effort::Full => full,
        }
    }

    /// Whether the strategy takes weights.
    fn weighted(&self) -> bool {
        self.caps.weights != WeightSupport::No
    }

    /// A cluster of these nodes.
    fn build(&self, spec: &Spec, nodes: &[NodeSpec]) -> Result<Cluster, Stop> {
        Cluster::build(spec, nodes).map_err(|err| match cannot_serve(&err) {
            true => Stop::Unsupported(err.to_string()),
            false => Stop::Failed(format!("{} nodes cannot be built: {err}", nodes.len())),
        })
    }

    /// A cluster of the spec itself, of nodes of weight 1 with these names.
    fn cluster<S: AsRef<str>>(&self, names: &[S]) -> Result<Cluster, Stop> {
        let nodes: Vec<NodeSpec> = names.iter().map(|name| name.as_ref().into()).collect();
        self.build(&self.spec, &nodes)
    }
}
