//! The description of a strategy: everything that others need to know of it.

use crate::{
    Catalog, Error, ErrorKind, Estimate, MAX_POINTS, Members, Param, Params, Question, Router,
};

/// A hash function as the harness sees it: something to name, and to time on its own.
#[derive(Clone, Copy, Debug)]
pub struct HashFn {
    /// Its name in tables.
    pub name: &'static str,
    /// Whether it mixes: whether evenly hashed values may be expected even on structured keys.
    pub mixes: bool,
    /// Hashes a key, folded to 64 bits where it is wider; what a look-up spends on hashing.
    pub eval: fn(&[u8]) -> u64,
}

/// Why a strategy is in the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The control of every chart.
    Control,
    /// A published program, re-implemented bit for bit.
    Published,
    /// A published structure with the common hash, XXH3-64.
    CommonHash,
    /// Our own form, or a modern algorithm.
    Ours,
    /// Somebody else's program, as it is, behind our contract.
    Peer,
    /// What no strategy can surpass: drawn as the bound, held to no gate.
    Bound,
}

impl Role {
    /// Its name in `list --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Published => "published",
            Self::CommonHash => "common_hash",
            Self::Ours => "ours",
            Self::Peer => "peer",
            Self::Bound => "bound",
        }
    }
}

/// What a strategy does with weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeightSupport {
    /// It refuses a weight other than 1.
    No,
    /// It follows them, and a change of members or weights moves no key between nodes that kept
    /// theirs.
    Minimal,
    /// It follows them, but shares are computed anew from all weights, so other keys move too.
    Renormalised,
}

impl WeightSupport {
    /// Its name in `list --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Minimal => "minimal",
            Self::Renormalised => "renormalised",
        }
    }
}

/// What a strategy claims. Each claim is tested by the contract suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// Any node may leave; otherwise only the one that joined last.
    pub any_removal: bool,
    /// No collateral while all weights are equal: an add moves keys only to the new node, a
    /// removal only from the old one.
    pub minimal: bool,
    /// Built from the same nodes and weights in any order, each key has the same owner by name.
    pub order_free: bool,
    /// After any accepted changes it answers as one newly built from its present nodes in joining
    /// order.
    pub history_free: bool,
    /// What it does with weights.
    pub weights: WeightSupport,
    /// It answers [`Router::preference`].
    pub replicas: bool,
    /// Exactly equal shares in expectation, for every set of node names.
    pub even: bool,
    /// It answers [`Router::assign`].
    pub knows_load: bool,
    /// The most nodes it can hold, where there is a limit.
    pub max_nodes: Option<u32>,
}

impl Capabilities {
    /// Claims nothing but that any node may leave.
    pub const NONE: Self = Self {
        any_removal: true,
        minimal: false,
        order_free: false,
        history_free: false,
        weights: WeightSupport::No,
        replicas: false,
        even: false,
        knows_load: false,
        max_nodes: None,
    };
}

/// At which sizes a strategy is worth measuring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// It changes smoothly with the number of nodes.
    Any,
    /// It differs at a power of two and just above: the harness adds 2^k and 2^k + 1.
    PowersOfTwo,
}

/// Makes a router: see [`Strategy::build`].
pub type BuildFn = fn(&Params, &Members, &Catalog) -> Result<Box<dyn Router>, Error>;

/// One routing strategy, described.
///
/// Written as a static with [`Strategy::DEFAULT`] for what is not special.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// Its name in specs and reports: lower case, kebab. Never changes its meaning.
    pub name: &'static str,
    /// Its family: the name of its crate.
    pub family: &'static str,
    /// Why it is in the comparison.
    pub role: Role,
    /// What it hashes keys with.
    pub hash: &'static HashFn,
    /// What it hashes keys with in place of `hash`, where these parameters choose another.
    pub hash_with: fn(&Params) -> Option<&'static HashFn>,
    /// One line: what it does.
    pub summary: &'static str,
    /// Where it comes from: authors, title, year.
    pub source: &'static str,
    /// Clients and proxies that place keys exactly so.
    pub spoken_by: &'static [&'static str],
    /// Its parameters, in the order in which a spec shows them.
    pub params: &'static [Param],
    /// Parameters for the contract suite's small worlds, as in a spec (`"vnodes=3"`); few points,
    /// so that wraps, ties and empty arcs happen.
    pub suite_params: &'static str,
    /// At which sizes it is worth measuring.
    pub sizes: Sizes,
    /// What it claims with these parameters.
    pub capabilities: fn(&Params, &Catalog) -> Capabilities,
    /// Whether it can serve these members: asked before every change and before building. Says why
    /// not, in one line. Too many points is [`check_points`]'s.
    pub check: fn(&Params, &Members, &Catalog) -> Result<(), Error>,
    /// Makes a router for these parameters. `members` are those it will serve first: the cluster
    /// calls [`Router::update`] with them, and no steps, right afterwards.
    pub build: BuildFn,
    /// What theory says, for equal weights; `None` where it says nothing.
    pub expected: fn(&Params, Question) -> Option<Estimate>,
}

impl Strategy {
    /// No name, no parameters, no claims, no theory; hashes nothing. Every strategy sets at least
    /// `name`, `family`, `summary`, `source`, `hash` and `build`.
    pub const DEFAULT: Self = Self {
        name: "",
        family: "",
        role: Role::Ours,
        hash: &HashFn {
            name: "none",
            mixes: false,
            eval: |_| 0,
        },
        hash_with: |_| None,
        summary: "",
        source: "",
        spoken_by: &[],
        params: &[],
        suite_params: "",
        sizes: Sizes::Any,
        capabilities: |_, _| Capabilities::NONE,
        check: |_, _, _| Ok(()),
        build: |_, _, _| {
            Err(Error::new(
                ErrorKind::Refused,
                "this strategy has no `build`",
            ))
        },
        expected: |_, _| None,
    };
}

/// Checks a number of points, table entries or slots against [`MAX_POINTS`].
///
/// # Errors
///
/// When there are more, with both numbers and the memory they would take at 16 bytes each.
pub fn check_points(points: u128) -> Result<(), Error> {
    if points <= u128::from(MAX_POINTS) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::TooLarge,
        format!(
            "{points} points are needed ({} MiB at 16 bytes each), at most {MAX_POINTS} are allowed; \
             lower the weights or the points a node",
            points.saturating_mul(16) >> 20
        ),
    ))
}
