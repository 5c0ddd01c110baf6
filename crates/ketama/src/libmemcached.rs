//! libmemcached, the C client, with and without weights.
//!
//! ```text
//!   label                host-0 with port 11211, else host:port-0
//!   the same, SPY        /host:port-0, always: the slash kept that spymemcached drops
//!   weighted             floor32(part * 160 / 4 * n + 1e-10) digests, all in 32 bits, four points each
//!   plain                100 labels a node, one point each: the one-at-a-time hash or MD5
//!   a shared point belongs to the node listed first
//! ```
//!
//! The plain behaviour becomes the weighted one by itself as soon as a node of a weight above 1 is
//! there; then points come from MD5, four a digest, while keys keep their hash.
//!
//! An IPv6 address is written without brackets. A socket's path cannot be named: the library has
//! two calls that add one, and they give it different labels (`/s-0` and `/s:0-0`).
//!
//! # Defects of the program, smallest inputs
//!
//! - **Weighted, 25 equal nodes have 156 points each, not 160**; 47, 50, 55, 61, 71, 94 and 100
//!   too: from 24 to 25 nodes 2,383 of 100,000 keys move between old nodes. Here: kept.
//! - **A small weight has no point**: 1 beside 1000. Here: kept.
//! - **One-at-a-time adds bytes as signed numbers** where `char` is signed, as on x86: other owners
//!   for keys with bytes above 127 than on machines where it is not. Here: as on x86.
//! - **Weight 0 means 1.** Here: a node of weight 0 is not in the list.

use point_hash::{md5_batch, md5_words, words_of};
use ring_points::{Tie, Weights};
use router::{HashFn, Keys, Params, Strategy};

use crate::{
    address::{Address, without_default_port},
    share::all_in_single,
    variant::{Variant, WORDS, hash_each, labels, strategy},
};

const SOURCE: &str = "B. Aker and others, libmemcached 1.1.4, 2006 on";

/// The strategy `ketama-libmemcached`.
pub const STRATEGY: Strategy = Strategy {
    name: "ketama-libmemcached",
    summary: "The C client, weighted: port 11211 left out; a small weight gets no point",
    source: SOURCE,
    spoken_by: &[
        "libmemcached, KETAMA_WEIGHTED",
        "pylibmc, ketama_weighted",
        "php-memcached, OPT_LIBKETAMA_COMPATIBLE",
    ],
    ..strategy::<Weighted<false>>()
};

/// The strategy `ketama-libmemcached-spy`.
pub const STRATEGY_SPY: Strategy = Strategy {
    name: "ketama-libmemcached-spy",
    summary: "The C client in its SPY format, slash and port kept; a small weight gets no point",
    source: SOURCE,
    spoken_by: &["libmemcached, KETAMA_WEIGHTED, distribution CONSISTENT_KETAMA_SPY"],
    ..strategy::<Weighted<true>>()
};

/// The strategy `ketama-libmemcached-plain`.
pub const STRATEGY_PLAIN: Strategy = Strategy {
    name: "ketama-libmemcached-plain",
    hash: &ONE_AT_A_TIME,
    summary: "The C client unweighted: one-at-a-time; a weight > 1 brings MD5, a small one gets no point",
    source: SOURCE,
    spoken_by: &["libmemcached, KETAMA", "pylibmc, ketama"],
    ..strategy::<Plain<false>>()
};

/// The strategy `ketama-libmemcached-plain-md5`.
pub const STRATEGY_PLAIN_MD5: Strategy = Strategy {
    name: "ketama-libmemcached-plain-md5",
    summary: "The C client unweighted: a point an MD5, four once a weight > 1; a small one gets no point",
    source: SOURCE,
    spoken_by: &["libmemcached, KETAMA, hash MD5"],
    ..strategy::<Plain<true>>()
};

/// Bob Jenkins's one-at-a-time hash: 32 bits.
static ONE_AT_A_TIME: HashFn = HashFn {
    name: "one-at-a-time",
    mixes: true,
    eval: |key| u64::from(one_at_a_time(key)),
};

/// Weighted behaviour; the SPY format or not.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Weighted<const SPY: bool>;

impl<const SPY: bool> Variant for Weighted<SPY> {
    const TIE: Tie = Tie::FirstJoined;

    fn of(_: &Params) -> Self {
        Self
    }

    fn name(self, node: &str) -> Result<String, String> {
        match host_and_port(node)? {
            (host, port) if SPY => Ok(format!("/{host}:{port}")),
            (host, port) => Ok(without_default_port(host, port)),
        }
    }

    fn n_points(self, weight: u32, weights: &Weights) -> u64 {
        WORDS * all_in_single(weight, weights)
    }
}

/// Plain behaviour; keys, and points while no weight is above 1, by MD5 or by one-at-a-time.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Plain<const MD5: bool> {
    /// Whether a weight above 1 has switched it.
    weighted: bool,
}

/// Points of a node without weights.
const PLAIN_POINTS: u64 = 100;

impl<const MD5: bool> Variant for Plain<MD5> {
    const TIE: Tie = Tie::FirstJoined;

    fn of(_: &Params) -> Self {
        Self { weighted: false }
    }

    fn among(self, weights: &Weights) -> Self {
        Self {
            weighted: weights.total > weights.n_nodes,
        }
    }

    fn name(self, node: &str) -> Result<String, String> {
        Weighted::<false>.name(node)
    }

    fn n_points(self, weight: u32, weights: &Weights) -> u64 {
        if self.weighted {
            Weighted::<false>.n_points(weight, weights)
        } else {
            PLAIN_POINTS
        }
    }

    fn hash(self, key: &[u8]) -> u32 {
        if MD5 {
            md5_words(key)[0]
        } else {
            one_at_a_time(key)
        }
    }

    fn hash_batch(self, keys: Keys<'_>, hashes: &mut [u32]) {
        if MD5 {
            md5_batch(keys, |i, digest| hashes[i] = words_of(digest)[0]);
        } else {
            hash_each(self, keys, hashes);
        }
    }

    fn points(self, name: &str, n_points: u64, place: impl FnMut(u32)) {
        if self.weighted {
            Weighted::<false>.points(name, n_points, place);
        } else {
            let labels = labels(name, n_points);
            let mut points = vec![0; labels.len()];
            self.hash_batch(labels.keys(), &mut points);
            points.into_iter().for_each(place);
        }
    }

    fn label(self, name: &str, i: u64) -> String {
        if self.weighted {
            Weighted::<false>.label(name, i)
        } else {
            format!("{name}-{i}")
        }
    }
}

/// Reads a name as the library takes it.
fn host_and_port(node: &str) -> Result<(&str, u16), String> {
    let address = Address::parse(node)?;
    match address {
        Address::Host { host, .. } => Ok((host, address.port())),
        Address::Path(path) => Err(format!(
            "libmemcached labels a socket {path:?} or \"{path}:0\", as it was added"
        )),
    }
}

/// B. Jenkins, "Hash functions", Dr. Dobb's Journal, 1997; bytes as signed numbers.
fn one_at_a_time(bytes: &[u8]) -> u32 {
    let mut hash = 0_u32;
    for &byte in bytes {
        hash = hash.wrapping_add_signed(i32::from(byte.cast_signed()));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}
