//! Hash functions that two or more strategies use; one that is used once stays in its crate.
//!
//! Each is a plain function over bytes with the value that the published programs get, and a
//! [`HashFn`] that names it and lets the harness time it on its own.

mod java;
mod md5_lanes;
mod mix;
mod plain;

use md5::{Digest as _, Md5};

pub use java::{decode_utf16, java_hash_code, java_hash_code_of_ascii};
pub use md5_lanes::md5_batch;
pub use mix::{SplitMix64, fold64, mix64, rehash};
pub use plain::{crc32, fnv1a};
use router::HashFn;
use sha2::Sha256;

/// XXH3-64 with seed 0: the common hash of keys.
pub static XXH3: HashFn = HashFn {
    name: "xxh3-64",
    mixes: true,
    eval: xxh3,
};

/// MD5 in full; its `eval` folds the digest to the first eight bytes, little-endian.
pub static MD5: HashFn = HashFn {
    name: "md5",
    mixes: true,
    eval: |key| u64::from_le_bytes(first(md5(key))),
};

/// SHA-256 in full; its `eval` folds the digest to the first eight bytes, little-endian.
pub static SHA256: HashFn = HashFn {
    name: "sha256",
    mixes: true,
    eval: |key| u64::from_le_bytes(first(sha256(key))),
};

/// XXH64 with seed 0.
pub static XXH64: HashFn = HashFn {
    name: "xxh64",
    mixes: true,
    eval: |key| xxh64(key, 0),
};

/// FNV-1a with 64 bits: the last bytes of a key hardly reach the highest bits.
pub static FNV1A: HashFn = HashFn {
    name: "fnv1a-64",
    mixes: false,
    eval: fnv1a,
};

/// CRC-32 as zip has it: linear, so keys that differ in few bits stay in a fixed distance.
pub static CRC32: HashFn = HashFn {
    name: "crc32",
    mixes: false,
    eval: |key| crc32(key).into(),
};

/// `java.lang.String.hashCode`: 31-adic, 32 bits, mixes nothing.
pub static JAVA: HashFn = HashFn {
    name: "java-hashcode",
    mixes: false,
    eval: |key| u64::from(java_hash_code(key).cast_unsigned()),
};

/// XXH3-64 of `key`, seed 0: the common hash of keys.
#[must_use]
#[inline]
pub fn xxh3(key: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(key)
}

/// XXH3-64 of `bytes` with this seed. Point `i` of a node is its name's hash with seed `i + 1`.
#[must_use]
#[inline]
pub fn xxh3_seeded(bytes: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed)
}

/// XXH64 of `bytes` with this seed.
#[must_use]
#[inline]
pub fn xxh64(bytes: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh64::xxh64(bytes, seed)
}

/// MD5 of `bytes`.
#[must_use]
#[inline]
pub fn md5(bytes: &[u8]) -> [u8; 16] {
    Md5::digest(bytes).into()
}

/// SHA-256 of `bytes`.
#[must_use]
#[inline]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The four little-endian words of an MD5 digest: four ring points of Ketama, the first of them
/// the hash of a key.
#[must_use]
#[inline]
pub fn md5_words(bytes: &[u8]) -> [u32; 4] {
    words_of(md5(bytes))
}

/// The four little-endian words of this digest.
#[must_use]
#[inline]
pub fn words_of(digest: [u8; 16]) -> [u32; 4] {
    std::array::from_fn(|i| {
        u32::from_le_bytes([
            digest[4 * i],
            digest[4 * i + 1],
            digest[4 * i + 2],
            digest[4 * i + 3],
        ])
    })
}

/// The 32 lower-case hexadecimal digits of an MD5 digest, as ASCII.
#[must_use]
#[inline]
pub fn md5_hex(bytes: &[u8]) -> [u8; 32] {
    hex_of(md5(bytes))
}

/// The 32 lower-case hexadecimal digits of this digest, as ASCII.
#[must_use]
#[inline]
pub fn hex_of(digest: [u8; 16]) -> [u8; 32] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    std::array::from_fn(|i| {
        let byte = digest[i / 2];
        let nibble = if i % 2 == 0 { byte >> 4 } else { byte & 15 };
        DIGITS[usize::from(nibble)]
    })
}

/// The first eight bytes of a digest.
fn first<const N: usize>(digest: [u8; N]) -> [u8; 8] {
    std::array::from_fn(|i| digest[i])
}
