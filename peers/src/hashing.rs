//! What peers hash with, and how keys and nodes are handed to them.
//!
//! A key is hashed as its bytes alone, without the length or the end mark that Rust adds to a slice or a
//! string, and a node as its id and a hash of its name: both are less than a caller would usually hand
//! over, and favour the peer.

use std::hash::{BuildHasher, Hash, Hasher};

use point_hash::{XXH3, xxh3, xxh3_seeded};
use router::{HashFn, Node, NodeId, Param, ParamKind, ParamRole, Params};
use siphasher::sip::{SipHasher, SipHasher13};

/// A key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key<'a>(pub(crate) &'a [u8]);

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.0);
    }
}

/// A node: what a peer keeps of it, and answers with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tag {
    /// A hash of its name, which is all that is hashed of it.
    name: u64,
    pub(crate) id: NodeId,
}

impl Tag {
    pub(crate) fn of(node: &Node) -> Self {
        Self {
            name: xxh3(node.name.as_bytes()),
            id: node.id,
        }
    }
}

impl Hash for Tag {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.name);
    }
}

/// XXH3-64 for peers that take a hasher: a key gets the common hash, the same as with ours; what is
/// hashed behind it is hashed with the hash so far as its seed.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Xxh3(u64);

impl BuildHasher for Xxh3 {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self::default()
    }
}

impl Hasher for Xxh3 {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_seeded(bytes, self.0);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// SipHash-2-4.
pub(crate) static SIP24: HashFn = HashFn {
    name: "siphash-2-4",
    mixes: true,
    eval: |key| hash_one(SipHasher::new(), key),
};

/// SipHash-1-3, the hash of Rust's own maps.
pub(crate) static SIP13: HashFn = HashFn {
    name: "siphash-1-3",
    mixes: true,
    eval: |key| hash_one(SipHasher13::new(), key),
};

/// FNV-1a as the crate `fnv` has it.
pub(crate) static FNV: HashFn = HashFn {
    name: "fnv1a-64",
    mixes: false,
    eval: |key| hash_one(fnv::FnvHasher::default(), key),
};

/// CRC-32 as the crate `crc32fast` has it.
pub(crate) static CRC32: HashFn = HashFn {
    name: "crc32",
    mixes: false,
    eval: |key| crc32fast::hash(key).into(),
};

fn hash_one(mut hasher: impl Hasher, key: &[u8]) -> u64 {
    hasher.write(key);
    hasher.finish()
}

/// The parameter of a peer that takes a hasher: as shipped, or the common hash.
pub(crate) const HASH: Param = Param {
    name: "hash",
    role: ParamRole::Other,
    kind: ParamKind::Choice(&["shipped", "xxh3"]),
    help: "the hash that the crate comes with, or XXH3-64",
};

/// Whether the common hash is wanted.
pub(crate) fn is_xxh3(params: &Params) -> bool {
    params.word("hash") == "xxh3"
}

/// The hash that these parameters choose in place of the shipped one.
pub(crate) fn hash_with(params: &Params) -> Option<&'static HashFn> {
    is_xxh3(params).then_some(&XXH3)
}
