//! The slots of Redis Cluster.
//!
//! A slot is the CRC-16 of the key, its lowest 14 bits. The CRC is the one called XMODEM: polynomial
//! 0x1021, start 0, bits not reflected; of `123456789` it is 0x31c3. A key with a hash tag is hashed by
//! its tag alone, so that keys with one tag share a slot: the tag is what stands between the first `{` and
//! the first `}` behind it, if that is not nothing.
//!
//! ```text
//!   key                      hashed
//!   {user1000}.following     user1000
//!   foo{}{bar}               foo{}{bar}      nothing between the first two
//!   foo{{bar}}zap            {bar
//!   foo{bar}{zap}            bar
//! ```
//!
//! A CRC does not mix: it is linear, so that keys which differ in the same bits differ in the same
//! bits of their slots, and runs of numbered keys fall more evenly than chance. Kept.
//!
//! Which node has a slot is state of the cluster, set by its operator. At building the ranges are those
//! that `redis-cli --cluster create` gives up to 77 masters, each of another machine; from 78 on its cursor, a single-precision number, slips by a slot here and there (slot 14283 is then the 68th
//! node's instead of the 69th's), ours does not. What moves afterwards is this crate's rule.

use router::HashFn;

use crate::SlotHash;

/// The number of slots.
pub const SLOTS: i64 = 16384;

/// CRC-16 (XMODEM) of a key's hash tag, or of the key.
pub static CRC16: HashFn = HashFn {
    name: "crc16",
    mixes: false,
    eval: Redis::hash,
};

/// Hash tags and CRC-16; the slot is its remainder.
#[derive(Clone, Debug)]
pub struct Redis;

impl SlotHash for Redis {
    #[inline]
    fn hash(key: &[u8]) -> u64 {
        crc16(hashed_part(key)).into()
    }

    #[inline]
    fn slot(hash: u64, n_slots: usize) -> usize {
        // A CRC of 16 bits.
        hash as usize & (n_slots - 1)
    }
}

/// What of a key is hashed: its hash tag, or all of it where there is none.
#[must_use]
#[inline]
pub fn hashed_part(key: &[u8]) -> &[u8] {
    let tag = key.iter().position(|&byte| byte == b'{').and_then(|open| {
        let rest = &key[open + 1..];
        let len = rest.iter().position(|&byte| byte == b'}')?;
        Some(&rest[..len])
    });
    tag.filter(|tag| !tag.is_empty()).unwrap_or(key)
}

/// The CRC-16 of `bytes` that is called XMODEM. Takes one table look-up a byte.
#[must_use]
#[inline]
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, &byte| {
        let [high, low] = crc.to_be_bytes();
        OF_BYTE[usize::from(high ^ byte)] ^ u16::from_be_bytes([low, 0])
    })
}

/// The CRC of every single byte.
static OF_BYTE: [u16; 256] = {
    const POLYNOMIAL: u16 = 0x1021; // x^16 + x^12 + x^5 + 1
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            let carry = crc >> 15;
            crc = (crc << 1) ^ (carry * POLYNOMIAL);
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};
