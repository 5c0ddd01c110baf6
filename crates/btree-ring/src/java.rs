//! The two rings of an article in Java.
//!
//! The article goes from tables split by user to caches and writes a class, first with one point a
//! node, then with virtual nodes. A `TreeMap` leads from point to server; a look-up takes the map's
//! tail from the key's hash and there the first entry.
//!
//! ```text
//!   hash(text)     hashCode of the 32 lower-case hexadecimal digits of an MD5, signed, 32 bits;
//!                  the MD5 is over the low byte of every UTF-16 unit of the text
//!   first class    point = hash("192.168.1.1") = -642580899
//!   second class   points = hash("192.168.1.1--642580899-0"), hash("192.168.1.1--642580899-1"), ...
//!   a key's node   that of the smallest point >= hash(key), in signed order
//! ```
//!
//! `hashCode` itself mixes nothing, but over 32 digits of an MD5 it is a sum of 32 random digits
//! times powers of 31, which is as even as 32 bits can be: a test holds it against chance.
//!
//! `rule=text` answers as the article's words have it: the largest point <= hash(key), and where
//! there is none the smallest point. The words speak of the range 0 to 2^32 - 1; the points stay in
//! the order of the code, -2^31 to 2^31 - 1.
//!
//! # Defects of the programs, smallest inputs
//!
//! - **An empty tail is no null, so a key past the last point throws `NoSuchElementException`.**
//!   Shown by: servers 192.168.1.1 to .5, key `71` (first class), `2437` (second); 3,798 and 37 of
//!   the keys 0 to 100000. Here: the first point has the key.
//! - **The second of two nodes with one point overwrites the first.** Shown by: first class,
//!   `node11965` and `node23342` (both 825234701). Here: kept: who joins last has the point; when it leaves, the
//!   other has it again.
//! - **`removeServers` empties its argument and not the ring: the parameter hides the field, and
//!   removing while iterating throws or skips.** Shown by: a list of 1 server:
//!   `ConcurrentModificationException`, ring unchanged; of 2: no exception, ring unchanged. Here: a
//!   node that leaves is gone.
//! - **`getInstance` keeps the first ring.** Shown by: call it again with one other server: still
//!   the first five. Here: every cluster is its own.
//! - **The ring keeps the caller's list.** Shown by: `addSever`: the caller's list grows from 5 to
//!   6. Here: names are copied.
//! - **Text and code have different rules.** Shown by: first class, key `0` (1330809503): 192.168.1.3
//!   by the text, 192.168.1.4 by the code. Here: both, `rule=code` by default.
//! - **A text's characters are cut to their low bytes.** Shown by: `A` and `Ł` (U+0141) are one
//!   key. Here: kept.
//! - **`main` prints the letter i where it means the number.** Shown by: any run. Here: no such
//!   print.
//! - **Servers compare by object, so an equal IP in another object is not found by `remove`.**
//!   Shown by: `removeServers` of a new object. Here: nodes are their names.
//! - **An empty ring, or 0 virtual nodes, throws `NoSuchElementException`, a null key
//!   `NullPointerException`.** Shown by: no server. Here: no owner; `vnodes` is at least 1; there
//!   is no null key.
//!
//! What the article says before its rings, `hash(user_id) % size`, is in the crate `modulo`; the
//! memcached client that it quotes at the end is in `ketama`.

use point_hash::{decode_utf16, hex_of, java_hash_code_of_ascii, md5_batch, md5_hex};
use ring_points::{Placement, Tie, Weights};
use router::{HashFn, KeyBuf, Keys, Params};

/// The article.
pub const SOURCE: &str =
    "zouyq, 一致性哈希的个人理解——从工作中的分表业务开始说起, article in Chinese, 2018";

/// `String.hashCode` of an MD5 in hexadecimal.
pub static MD5_HASHCODE: HashFn = HashFn {
    name: "md5-hashcode",
    mixes: true,
    eval: |key| hash(key).cast_unsigned().into(),
};

/// Returns the ring hash of the text whose UTF-8 is `text`; invalid parts count as U+FFFD.
fn hash(text: &[u8]) -> i32 {
    let digits = if text.is_ascii() {
        md5_hex(text)
    } else {
        let low_bytes = decode_utf16(text)
            .into_iter()
            .map(|unit| unit.to_le_bytes()[0]);
        md5_hex(&low_bytes.collect::<Vec<u8>>())
    };
    java_hash_code_of_ascii(&digits)
}

/// Writes the ring hash of every text to `hashes`.
fn hash_batch(texts: Keys<'_>, hashes: &mut [i32]) {
    md5_batch(texts, |i, digest| {
        let text = texts.get(i);
        hashes[i] = if text.is_ascii() {
            java_hash_code_of_ascii(&hex_of(digest))
        } else {
            hash(text)
        };
    });
}

/// The first class: one point a node.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Placement for Plain {
    type Position = i32;
    const TIE: Tie = Tie::LastJoined;

    fn hash(&self, key: &[u8]) -> i32 {
        hash(key)
    }

    fn hash_batch(&self, keys: Keys<'_>, hashes: &mut [i32]) {
        hash_batch(keys, hashes);
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        1
    }

    fn label(&self, name: &str, _: u64) -> String {
        name.to_owned()
    }
}

/// The second class: virtual nodes.
#[derive(Clone, Copy, Debug)]
pub struct Virtual {
    vnodes: u32,
}

impl Virtual {
    /// The placement that these parameters describe.
    #[must_use]
    pub fn of(params: &Params) -> Self {
        Self {
            vnodes: params.count("vnodes"),
        }
    }
}

impl Placement for Virtual {
    type Position = i32;
    const TIE: Tie = Tie::LastJoined;

    fn hash(&self, key: &[u8]) -> i32 {
        hash(key)
    }

    fn hash_batch(&self, keys: Keys<'_>, hashes: &mut [i32]) {
        hash_batch(keys, hashes);
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        self.vnodes.into()
    }

    /// The hash of the name stands in every label, and is taken once.
    fn points(&self, name: &str, n_points: u64, place: impl FnMut(i32)) {
        let own = hash(name.as_bytes());
        let labels: KeyBuf = (0..n_points).map(|i| label(name, own, i)).collect();
        self.place_labels(labels.keys(), place);
    }

    fn label(&self, name: &str, i: u64) -> String {
        label(name, hash(name.as_bytes()), i)
    }
}

/// Point `i` of the node with this name and hash; the hash may be negative.
fn label(name: &str, own: i32, i: u64) -> String {
    format!("{name}-{own}-{i}")
}
