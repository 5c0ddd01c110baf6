//! Maglev: a look-up table that the nodes fill by turns, each along its own permutation.
//!
//! The table has M entries, M a prime. Every node has an order in which it prefers the entries: from
//! a first one on in steps of a fixed length, which meets all M of them because M is prime. The nodes
//! take turns, and at its turn a node takes the first entry of its order that is still free. When
//! none is left, a key's hash modulo M is the entry that names its owner.
//!
//! ```text
//!   M = 7    first  step    prefers            turn 1    turn 2            turn 3
//!     a        3      4     3 0 4 1 5 2 6      3         1 (0, 4 gone)     6 (5, 2 gone)
//!     b        0      2     0 2 4 6 1 3 5      0         2
//!     c        3      1     3 4 5 6 0 1 2      4         5
//!
//!   entry    0  1  2  3  4  5  6
//!   owner    b  a  b  a  c  c  a
//! ```
//!
//! Byte for byte, `maglev` is: nodes of weight 0 left out, the others in byte order of their names;
//! `first = XXH3-64(name, seed 1) mod M`, `step = XXH3-64(name, seed 2) mod (M - 1) + 1`, a key at entry
//! `XXH3-64(key, seed 0) mod M`. Weights decide who plays: in round r = 1, 2, ... the nodes are asked
//! in order, and node i plays if `r * w_i >= t_i`, where `t_i` starts at 0 and grows by the largest
//! weight whenever i plays. So the heaviest plays in every round, and everybody in the first.
//! [`envoy`] has the hashes and the arithmetic of the proxy that this rule is from.
//!
//! # Cost
//!
//! n nodes, M entries.
//!
//! | | |
//! |---|---|
//! | build, and every change | 2 n hashes; M turns of about ln M entries looked at; up to M rounds of n nodes when one weight dwarfs the others |
//! | look-up | one hash, one table entry read |
//! | memory | 4 bytes an entry: 256 KiB for 65537 |
//! | keys moved | more than those of the node that leaves or comes: 1.02 times as many for n = 10, 1.6 times for 100, 7 times for 1000 (M = 65537, equal weights, simulated) |
//! | evenness, equal weights | M / n entries a node, rounded down or up: never off by more than n/M |
//!
//! # Pick it when, avoid it when
//!
//! Pick it when look-ups must be fast and shares even, when all builders know the same list of
//! nodes, and when a key that moves costs little, as in a load balancer that tracks its connections
//! anyway. Avoid it for caches and stores: some keys move between nodes that stay, and M >= 100 n, the
//! paper's advice, makes the shares even to 1 % but does not stop that. Avoid it also when nodes come
//! and go by the second: every change builds the whole table anew.
//!
//! # Deviations from the paper
//!
//! The paper names no hash functions, leaves weights open and fills the table in the order of an
//! unstated list. Here all three are as stated above; the order is that of the names, because two
//! balancers that fill it in different orders disagree. More nodes than entries would leave some
//! without any, so at most M are accepted; M that is no prime is refused.
//!
//! # References
//!
//! - D. E. Eisenbud and others, Maglev: A Fast and Reliable Software Network Load Balancer, NSDI 2016:
//!   section 3.4.
//! - Envoy, source/extensions/load_balancing_policies/maglev: the turn rule for weights.

pub mod envoy;
mod prime;
mod remainder;
mod table;

use std::marker::PhantomData;

use dealing::shares;
use point_hash::{XXH3, xxh3, xxh3_seeded};
use router::{
    Capabilities, Error, ErrorKind, Estimate, MAX_POINTS, Members, NodeId, Param, ParamKind,
    ParamRole, Params, Position, Question, Role, Router, Step, Strategy, Trace, WeightSupport,
};

pub use remainder::Divisor;
pub use table::{Preference, Weight, fill};

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "maglev",
        family: "maglev",
        role: Role::CommonHash,
        hash: &XXH3,
        summary: "A prime-sized table that nodes fill by turns; one read a look-up",
        source: "Eisenbud and others, Maglev, NSDI 2016, with the common hash",
        params: &[table_param(MAX_POINTS as i64)],
        build: |params, _, _| Ok(Box::new(Maglev::<CommonHash>::new(params))),
        ..COMMON
    },
    Strategy {
        name: "maglev-envoy",
        family: "maglev",
        role: Role::Published,
        hash: &envoy::XXH64,
        summary: "Maglev as the Envoy proxy builds it: XXH64, weights as doubles",
        source: "Envoy proxy, load balancing policy maglev (doubles and sorted hosts as of 2024)",
        spoken_by: &["Envoy (lb_policy MAGLEV, one hash policy)"],
        params: &[table_param(envoy::MAX_TABLE)],
        build: |params, _, _| Ok(Box::new(Maglev::<envoy::Envoy>::new(params))),
        ..COMMON
    },
];

/// What both have in common.
const COMMON: Strategy = Strategy {
    suite_params: "table=251",
    capabilities: |params, _| Capabilities {
        order_free: true,
        history_free: true,
        weights: WeightSupport::Renormalised,
        max_nodes: Some(params.count("table")),
        ..Capabilities::NONE
    },
    check: |params, _, _| check_prime(params),
    expected: |params, question| expected(u64::from(params.count("table")), question),
    ..Strategy::DEFAULT
};

const fn table_param(max: i64) -> Param {
    Param {
        name: "table",
        role: ParamRole::Table,
        kind: ParamKind::Int {
            default: 65537, // the paper's smaller table, Envoy's default
            min: 2,
            max,
            multiple_of: 1,
        },
        help: "entries of the table, a prime; 100 times the nodes or more",
    }
}

/// How a kind of Maglev hashes, and what it reckons turns in.
pub trait Hashes: Clone + Send + Sync + 'static {
    /// What weights and turns are reckoned in.
    type Weight: Weight;

    /// The hash of a key, whose remainder is its entry.
    fn key(key: &[u8]) -> u64;
    /// The order in which the node of this name prefers the entries.
    fn preference(name: &str, n_entries: u64) -> Preference;
    /// A node's weight, where `total` is the sum of all, for comparing with the other nodes'.
    fn weight(weight: u32, total: u64) -> Self::Weight;
}

/// XXH3-64: keys with seed 0; names with seed 1 for the first entry and seed 2 for the step. Weights
/// are integers.
#[derive(Clone, Debug)]
pub struct CommonHash;

impl Hashes for CommonHash {
    type Weight = u64;

    #[inline]
    fn key(key: &[u8]) -> u64 {
        xxh3(key)
    }

    fn preference(name: &str, n_entries: u64) -> Preference {
        let hash = |seed| xxh3_seeded(name.as_bytes(), seed);
        Preference::new(hash(1), hash(2), n_entries)
    }

    fn weight(weight: u32, _: u64) -> u64 {
        weight.into()
    }
}

/// A router that reads the owner of a key from a table. Cloning copies the table.
#[derive(Clone, Debug)]
pub struct Maglev<H> {
    n_entries: Divisor,
    /// The owner of every entry; empty while no node has weight.
    table: Vec<NodeId>,
    hashes: PhantomData<H>,
}

impl<H: Hashes> Maglev<H> {
    /// A router with the table size that these parameters give, and no nodes.
    #[must_use]
    pub fn new(params: &Params) -> Self {
        Self {
            n_entries: Divisor::new(params.count("table").into()),
            table: Vec::new(),
            hashes: PhantomData,
        }
    }

    /// The owners of all entries, in order; empty while no node has weight.
    #[must_use]
    pub fn table(&self) -> &[NodeId] {
        &self.table
    }

    #[inline]
    fn entry(&self, hash: u64) -> usize {
        // The remainder is below the length of the table, which is below 2^27.
        self.n_entries.remainder(hash) as usize
    }
}

impl<H: Hashes> Router for Maglev<H> {
    fn update(&mut self, members: &Members, _steps: &[Step]) {
        let mut nodes: Vec<_> = members.iter().filter(|node| node.weight > 0).collect();
        nodes.sort_unstable_by_key(|node| &node.name);
        let n_entries = self.n_entries.get();
        let players: Vec<(Preference, H::Weight)> = nodes
            .iter()
            .map(|node| {
                let weight = H::weight(node.weight, members.total_weight());
                (H::preference(&node.name, n_entries), weight)
            })
            .collect();
        self.table.clear();
        let entries = fill(n_entries, &players).into_iter();
        self.table.extend(entries.map(|i| nodes[i as usize].id));
    }

    #[inline]
    fn route(&self, key: &[u8]) -> NodeId {
        self.table[self.entry(H::key(key))]
    }

    /// Entries over M. The remainders of 2^64 hashes differ by one hash from entry to entry, which
    /// is less than such a number can say.
    fn shares(&self) -> Option<Vec<(NodeId, f64)>> {
        Some(shares(&self.table))
    }

    /// The point is the table's entry.
    fn trace(&self, key: &[u8]) -> Option<Trace> {
        let hash = H::key(key);
        let entry = self.entry(hash);
        Some(Trace {
            hash_evals: 1,
            probes: 1,
            batch_probes: 1.0,
            key_hash: Some(Position::Unsigned(hash.into())),
            point: Some(Position::Unsigned(entry as u128)),
            label: Some(format!("entry {entry}")),
        })
    }
}

fn check_prime(params: &Params) -> Result<(), Error> {
    let table = u64::from(params.count("table"));
    if prime::is_prime(table) {
        return Ok(());
    }
    let (below, above) = prime::neighbours(table);
    Err(Error::new(
        ErrorKind::Syntax,
        format!("table={table} is not a prime; the next are {below} and {above}"),
    ))
}

/// What theory says of a table of `n_entries` and nodes of equal weight, which all play in every
/// round: `n_entries mod n` nodes have one entry more than the others. What moves is known from
/// simulation only.
fn expected(n_entries: u64, question: Question) -> Option<Estimate> {
    let m = n_entries as f64;
    match question {
        Question::ShareVariance { n } if (1..=n_entries).contains(&n) => {
            let more = n_entries % n;
            let square = more as f64 * (n - more) as f64;
            Some(Estimate::exact(square / (m * m)))
        }
        Question::Peak { n } if (1..=n_entries).contains(&n) => {
            let most = n_entries.div_ceil(n);
            Some(Estimate::exact(most as f64 * n as f64 / m))
        }
        Question::Moved {
            removed: 0,
            added: 0,
            ..
        } => Some(Estimate::exact(0.0)),
        Question::HashEvals { .. } | Question::Probes { .. } => Some(Estimate::exact(1.0)),
        _ => None,
    }
}
