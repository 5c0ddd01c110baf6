//! Correct routers, each as short as it can be: the suite passes them all.

pub(crate) mod bounded;
pub(crate) mod jump;
pub(crate) mod modulo;
pub(crate) mod rendezvous;
pub(crate) mod ring;
mod slots;
pub(crate) mod weak;

pub(crate) use bounded::BOUNDED;
pub(crate) use jump::{JUMP, Jump};
pub(crate) use modulo::{MODULO, Modulo};
pub(crate) use rendezvous::{RENDEZVOUS, Rendezvous};
pub(crate) use ring::{RING, Ring};
pub(crate) use slots::SLOTS;

use router::{Catalog, HashFn, Spec, Strategy};

/// What all reference routers hash with.
pub(crate) static MIXED: HashFn = HashFn {
    name: "fnv-mixed",
    mixes: true,
    eval: |key| hash(0, key),
};

/// FNV-1a over the bytes, from a start that depends on `seed`, and a finishing mix.
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ mix(seed);
    mix(bytes.iter().fold(start, |state, &byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    }))
}

/// The finishing steps of SplitMix64.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// All of them.
static REFERENCES: [&Strategy; 7] = [
    &RENDEZVOUS,
    &RING,
    &MODULO,
    &JUMP,
    &SLOTS,
    &BOUNDED,
    &weak::WEAK,
];

/// A catalog of the reference routers.
pub(crate) fn catalog() -> Catalog {
    Catalog::new(REFERENCES).expect("their names differ")
}

/// The spec of a reference router.
#[track_caller]
pub(crate) fn spec(text: &str) -> Spec {
    catalog().parse(text).expect("the test spells it right")
}
