//! twemproxy (nutcracker), Twitter's proxy, with `hash: md5` and `distribution: ketama`.
//!
//! ```text
//!   label     host-0 with port 11211, else host:port-0; a socket's path with a colon: /s:-0
//!   digests   floor32(part * 160 / 4 * n + 1e-10), in 32 bits but the sum
//!   a shared point belongs to the shorter name, of two as long to the smaller: names as in labels
//!   the empty key stands at 0
//! ```
//!
//! The proxy sorts its servers by name when it reads its configuration, and it compares lengths
//! first; so the order in which they are listed does not matter. A node name without a port is
//! also the name that can be given to a server in the configuration. An IPv6 address is written
//! without brackets. Keys are hashed by FNV-1a unless the configuration says md5; this is md5.
//!
//! With `auto_eject_hosts` the proxy lays the ring anew over the servers that are left: that is a
//! removal here, not walking on.
//!
//! # Defects of the program, smallest inputs
//!
//! - **25 equal nodes have 156 points each, not 160**; 47, 50, 55, 61, 71, 94 and 100 too. Here:
//!   kept.
//! - **A small weight has no point**: 1 beside 1000. Here: kept.
//! - **A socket's name ends in a colon**, because the space for a port is copied without one. Here:
//!   kept.
//! - **Labels longer than 85 bytes are hashed with what lies behind the buffer.** Here: names longer
//!   than 78 bytes, which leave room for six digits, are refused.
//! - **Weights are added up in 32 bits.** Here: a larger sum is refused.

use std::cmp::Ordering;

use point_hash::{md5_batch, md5_words, words_of};
use ring_points::{Tie, Weights};
use router::{Capabilities, Keys, Params, Strategy};

use crate::{
    address::{Address, without_default_port},
    share::sum_in_double,
    variant::{RENORMALISED, Variant, WORDS, strategy},
};

/// The strategy `ketama-twemproxy`.
pub const STRATEGY: Strategy = Strategy {
    name: "ketama-twemproxy",
    summary: "The proxy with hash md5: shorter name wins; a small weight gets no point",
    source: "Twitter, twemproxy, 2012, commit 60aaf855; order of names checked on 0.5.0",
    spoken_by: &["twemproxy (nutcracker), distribution ketama, hash md5"],
    ..strategy::<Twemproxy>()
};

#[derive(Clone, Copy, PartialEq, Debug)]
struct Twemproxy;

/// Bytes of a name that leave room for a hyphen and six digits in the buffer for labels.
const MOST_BYTES: usize = 78;

impl Variant for Twemproxy {
    const TIE: Tie = Tie::FirstName(shorter_first);
    const MOST_WEIGHT: u64 = u32::MAX as u64;
    const UNIQUE_NAMES: bool = true;

    fn of(_: &Params) -> Self {
        Self
    }

    fn capabilities(self) -> Capabilities {
        Capabilities {
            order_free: true,
            ..RENORMALISED
        }
    }

    fn name(self, node: &str) -> Result<String, String> {
        let address = Address::parse(node)?;
        let name = match address {
            Address::Host { host, .. } => without_default_port(host, address.port()),
            Address::Path(path) => format!("{path}:"),
        };
        if name.len() > MOST_BYTES {
            return Err(format!(
                "twemproxy's buffer has room for {MOST_BYTES} bytes of a name, and this has {}",
                name.len()
            ));
        }
        Ok(name)
    }

    fn n_points(self, weight: u32, weights: &Weights) -> u64 {
        WORDS * sum_in_double(weight, weights)
    }

    fn hash(self, key: &[u8]) -> u32 {
        match key {
            [] => 0,
            key => md5_words(key)[0],
        }
    }

    fn hash_batch(self, keys: Keys<'_>, hashes: &mut [u32]) {
        md5_batch(keys, |i, digest| {
            hashes[i] = if keys.get(i).is_empty() {
                0
            } else {
                words_of(digest)[0]
            };
        });
    }

    fn hash_evals(self, key: &[u8]) -> u32 {
        u32::from(!key.is_empty())
    }
}

/// Orders nodes as the proxy sorts its servers.
fn shorter_first(a: &str, b: &str) -> Ordering {
    let order = |node: &str| {
        let name = Twemproxy.name(node).unwrap_or_default();
        (name.len(), name)
    };
    order(a).cmp(&order(b))
}
