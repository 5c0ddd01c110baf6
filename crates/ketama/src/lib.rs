//! Ketama: four ring points from every MD5 digest, in our form and in that of every well-known client.
//!
//! The ring that clients of memcached agreed on, nearly. The MD5 of `name-0`, `name-1`, ... is cut
//! into four 32-bit numbers, each a point of the node; a key stands at the first such number of its
//! own MD5 and belongs to the first point at or after it, past the last point to the first.
//!
//! ```text
//!   MD5("10.0.1.1:11211-0")    1387ed90    033bcef5    a6860306    7d362ba2
//!   each, bytes reversed     2431485715  4123933443   100894374  2720740989
//!                            four points of the node 10.0.1.1:11211
//! ```
//!
//! Several programs call themselves ketama, and no two of them agree on everything. Each is a
//! strategy here, bit for bit, and `ringmark compat` counts who agrees with whom. [`ours`] is a form
//! of our own in which nothing depends on the order of nodes or on how floats round.
//!
//! | strategy | name in a label | digests, equal weights | a shared point belongs to | an exact hit |
//! |---|---|---|---|---|
//! | `ketama` ([`ours`]) | as written | 40, always | the smaller name | owns the key |
//! | `ketama-libketama` ([`libketama`]) | as written, up to 21 bytes | 39 at 61 nodes | first listed | owns |
//! | `ketama-spymemcached` ([`spymemcached`]) | `[host/]ip:port` | 40; with weights 39 at 25, 47, ... | last listed | owns |
//! | `ketama-spymemcached-libmemcached` | `host`, `host:port` if not 11211 | the same | last listed | owns |
//! | `ketama-libmemcached` ([`libmemcached`]) | `host`, `host:port` if not 11211 | 39 at 25, 47, 50, 55, ... | first listed | owns |
//! | `ketama-libmemcached-spy` | `/host:port` | the same | first listed | owns |
//! | `ketama-libmemcached-plain`, `-plain-md5` | `host`, `host:port` if not 11211 | 100 labels of one point | first listed | owns |
//! | `ketama-twemproxy` ([`twemproxy`]) | `host`, `host:port` if not 11211 | 39 at 25, 47, 50, 55, ... | the shorter, then the smaller name | owns |
//! | `ketama-uhashring` ([`uhashring`]) | as written | 40 | last listed | the point above owns |
//! | `ketama-node-hashring` ([`node_hashring`]) | as written | 39 at 7, 14, 28, ... | first listed | owns |
//! | `ketama-node-hashring-default-port` | `host`, `host:port` if not 11211 | the same | first listed | owns |
//! | `nginx-consistent` ([`nginx`]) | host, NUL, port | 160 points in a chain of CRC-32s | first listed | owns |
//!
//! All but `ketama` and nginx give a node no point whose weight is small beside the others: weight 1
//! beside 1000 owns nothing. Only nginx has points by weight alone.
//!
//! # Node names
//!
//! Where a program takes names apart, they are addresses: `host`, `host:port`, `[IPv6]:port`, a
//! socket's path, or `host/ip:port` where a client's label holds both. They are read in one place,
//! nothing is looked up, and what a program cannot name is refused with the reason.
//!
//! # Cost
//!
//! N points in all, 160 a node with equal weights.
//!
//! | | |
//! |---|---|
//! | build | N / 4 digests, eight at a time; a pass that deals the points out, a few to sort at a time |
//! | look-up | one MD5, a bucket of an index, four points side by side |
//! | look-ups in a batch | the same, eight MD5 at a time |
//! | add or remove a node, equal weights | 40 digests, the other points moved in blocks |
//! | the same, weights differ | the digests of every node whose number of points changes with n / W |
//! | memory | 8 bytes a point, 4 a bucket: about 2 a point |
//! | keys moved | equal weights: those of the node that leaves or comes, 1/n give or take 8 % of it |
//!
//! # Pick it when, avoid it when
//!
//! Pick the variant that your other clients speak, and test it with `ringmark route`. Avoid all of
//! them for something new: MD5 makes look-ups slow, 32 bits make points collide (1,000 nodes share
//! a few), and as soon as weights differ every change of members or weights moves keys between nodes
//! that it does not concern.
//!
//! # Deviations from the programs
//!
//! After any change a variant answers as its program newly built from the present nodes in joining
//! order, without those of weight 0, which several programs take for 1. Sorts are taken to be
//! stable, as the C library's was up to glibc 2.36. Each module lists its program's defects with the
//! smallest input that shows each: kept or mended.
//!
//! # References
//!
//! - R. Jones, libketama: a consistent hashing algo for memcache clients, 2007.
//! - D. Karger and others, Consistent Hashing and Random Trees, STOC 1997.

mod address;
mod ring;
mod share;
mod variant;

pub mod libketama;
pub mod libmemcached;
pub mod nginx;
pub mod node_hashring;
pub mod ours;
pub mod spymemcached;
pub mod twemproxy;
pub mod uhashring;

use router::Strategy;

/// The strategies of this crate.
pub static STRATEGIES: &[Strategy] = &[
    ours::STRATEGY,
    libketama::STRATEGY,
    spymemcached::STRATEGY,
    spymemcached::STRATEGY_LIBMEMCACHED,
    libmemcached::STRATEGY,
    libmemcached::STRATEGY_PLAIN,
    libmemcached::STRATEGY_PLAIN_MD5,
    libmemcached::STRATEGY_SPY,
    twemproxy::STRATEGY,
    uhashring::STRATEGY,
    node_hashring::STRATEGY,
    node_hashring::STRATEGY_DEFAULT_PORT,
    nginx::STRATEGY,
];
