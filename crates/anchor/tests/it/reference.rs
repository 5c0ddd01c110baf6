//! Answers of the authors' C++ program (github.com/anchorhash/cpp-anchorhash, commit 3ef98f0,
//! `AnchorHashQre.cpp`), run with its own hash.

use anchor::Anchor;
use node_buckets::Buckets;
use point_hash::SplitMix64;

use crate::anchor;

/// The reflected polynomial of CRC-32C.
const CASTAGNOLI: u32 = 0x82f6_3b78;

const CRC_OF_BYTE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { CASTAGNOLI } else { 0 };
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
};

/// The processor's `crc32q`: CRC-32C of eight bytes from the low half of `seed` on, without the
/// usual complements.
fn crc(word: u64, seed: u64) -> u64 {
    let mut crc = seed as u32;
    for byte in word.to_le_bytes() {
        crc = CRC_OF_BYTE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8);
    }
    crc.into()
}

/// The bucket of key number `k`. The program has a pair of words for a key and chains its hashes.
fn bucket(anchor: &Anchor, k: u64) -> u32 {
    let (one, other) = (SplitMix64::new(k).draw(), k);
    let mut hash = crc(one, other);
    let next = |_| {
        hash = crc(one.wrapping_sub(hash), other.wrapping_add(hash));
        hash
    };
    anchor.find_with(crc(one, other), next, &mut ())
}

#[track_caller]
fn check(anchor: &Anchor, expected: [u32; 24]) {
    let found: Vec<u32> = (0..24).map(|k| bucket(anchor, k)).collect();
    assert_eq!(found, expected);
}

#[test]
#[rustfmt::skip] // a state a line
fn a_small_world_as_the_reference_program_has_it() {
    let mut buckets = anchor(20, 10);
    check(&buckets, [4, 7, 9, 8, 6, 1, 8, 3, 7, 5, 7, 4, 7, 3, 6, 3, 8, 0, 9, 7, 4, 9, 1, 5]);
    buckets.remove(3);
    check(&buckets, [4, 7, 9, 8, 6, 1, 8, 1, 7, 5, 7, 4, 7, 6, 6, 7, 8, 0, 9, 7, 4, 9, 1, 5]);
    buckets.remove(7);
    buckets.remove(0);
    check(&buckets, [4, 1, 9, 8, 6, 1, 8, 1, 8, 5, 1, 4, 4, 6, 6, 5, 8, 4, 9, 5, 4, 9, 1, 5]);
    assert_eq!(buckets.add(), 0);
    check(&buckets, [4, 1, 9, 8, 6, 1, 8, 1, 8, 5, 0, 4, 4, 6, 6, 5, 8, 0, 9, 0, 4, 9, 1, 5]);
    assert_eq!([(); 3].map(|()| buckets.add()), [7, 3, 10]);
    check(&buckets, [10, 7, 9, 8, 6, 1, 8, 3, 7, 5, 7, 4, 7, 3, 6, 10, 10, 0, 9, 7, 4, 9, 1, 10]);
}

#[test]
fn a_million_keys_after_900_of_1000_left() {
    let mut buckets = anchor(1000, 1000);
    for i in 0..900 {
        buckets.remove(i * 7 % 1000);
    }
    let (mut sum, mut fold) = (0, 1_469_598_103_934_665_603_u64);
    for k in 0..1_000_000 {
        let bucket = u64::from(bucket(&buckets, k));
        sum += bucket;
        fold = (fold ^ bucket).wrapping_mul(1_099_511_628_211);
    }
    assert_eq!(sum, 646_697_554);
    assert_eq!(fold, 0xa8be_410e_aa08_5345);
}

/// Why the crate does not hash as the program does.
#[test]
fn the_reference_hash_is_linear() {
    let buckets = anchor(20, 10);
    let of = |k: u64| {
        let mut hash = crc(k, !k);
        let next = |_| {
            hash = crc(k.wrapping_sub(hash), (!k).wrapping_add(hash));
            hash
        };
        buckets.find_with(crc(k, !k), next, &mut ())
    };
    assert!((1..1000).all(|k| of(k) == of(0)), "all in one bucket");
}
