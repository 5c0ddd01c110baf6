//! nginx, `hash ... consistent` among the servers of an upstream.
//!
//! No MD5 here: every point of a server is the CRC-32 of its address and of the point before.
//!
//! ```text
//!   base       CRC-32 over host, a zero byte, port as written; not yet inverted
//!   point i    CRC-32 continued from base over point i - 1 as four bytes, the low one first
//!              (point -1 is 0)                      160 * w points
//!   a key stands at its CRC-32
//!   a shared point belongs to the server listed first
//! ```
//!
//! A server without a port has an empty one; a socket's path (`unix:/s`) is the host, without port.
//! The address is hashed as the configuration has it, whatever it resolves to. When a server does
//! not answer, nginx walks on to the next point: [`router::Router::preference`] is that order, as
//! long as nginx does not give up (after 20 tries it goes round).
//!
//! # Defects of the program, smallest inputs
//!
//! - **CRC-32 is linear**: keys that differ in few bits stand at positions that differ in a pattern,
//!   so similar keys are spread by the points alone. Here: kept.
//! - **Weight 0 is refused.** Here: a node of weight 0 is not in the list.

use ring_points::{Tie, Weights};
use router::{Capabilities, HashFn, Keys, Params, Strategy, WeightSupport};

use crate::{
    address::Address,
    variant::{RENORMALISED, Variant, hash_each, strategy},
};

/// The strategy `nginx-consistent`.
pub const STRATEGY: Strategy = Strategy {
    name: "nginx-consistent",
    hash: &CRC32,
    summary: "160 points a unit of weight in a chain of CRC-32s, first listed wins",
    source: "R. Arutyunyan and others, nginx 1.22.1, ngx_http_upstream_hash_module, 2014 on",
    spoken_by: &["nginx, hash ... consistent"],
    ..strategy::<Nginx>()
};

/// CRC-32 of IEEE 802.3, as zip has it; linear, so it mixes nothing.
static CRC32: HashFn = HashFn {
    name: "crc32",
    mixes: false,
    eval: |key| u64::from(crc32(key)),
};

#[derive(Clone, Copy, PartialEq, Debug)]
struct Nginx;

/// Points a unit of weight.
const POINTS: u64 = 160;

/// Between host and port in what is hashed.
const NUL: char = '\0';

impl Variant for Nginx {
    const TIE: Tie = Tie::FirstJoined;

    fn of(_: &Params) -> Self {
        Self
    }

    fn capabilities(self) -> Capabilities {
        Capabilities {
            minimal: true,
            weights: WeightSupport::Minimal,
            ..RENORMALISED
        }
    }

    /// Host, NUL, port.
    fn name(self, node: &str) -> Result<String, String> {
        if let Address::Path(path) = Address::parse(node)? {
            return Ok(format!("{path}{NUL}"));
        }
        // Digits behind the last colon are the port; an IPv6 address keeps its brackets.
        let (host, port) = match node.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
            _ => (node, ""),
        };
        Ok(format!("{host}{NUL}{port}"))
    }

    fn n_points(self, weight: u32, _: &Weights) -> u64 {
        POINTS * u64::from(weight)
    }

    fn hash(self, key: &[u8]) -> u32 {
        crc32(key)
    }

    fn hash_batch(self, keys: Keys<'_>, hashes: &mut [u32]) {
        hash_each(self, keys, hashes);
    }

    fn points(self, name: &str, n_points: u64, mut place: impl FnMut(u32)) {
        let base = continue_crc32(!0, name.as_bytes());
        let mut point = 0_u32;
        for _ in 0..n_points {
            point = !continue_crc32(base, &point.to_le_bytes());
            place(point);
        }
    }

    fn label(self, name: &str, i: u64) -> String {
        let address = name.trim_end_matches(NUL).replace(NUL, ":");
        format!("{address} (link {i})")
    }
}

/// The CRC-32 of `bytes`.
fn crc32(bytes: &[u8]) -> u32 {
    !continue_crc32(!0, bytes)
}

/// Continues a CRC-32 from `state` over `bytes`: begin with all ones, invert at the end.
fn continue_crc32(state: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(state, |state, &byte| {
        let [low, ..] = state.to_le_bytes();
        TABLE[usize::from(low ^ byte)] ^ (state >> 8)
    })
}

/// What eight bits contribute: the remainder of each byte by the polynomial, low bits first.
const TABLE: [u32; 256] = {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = (rest >> 1) ^ (POLYNOMIAL * (rest & 1));
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};
