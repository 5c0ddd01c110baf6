//! Answers of hash4j (github.com/dynatrace-oss/hash4j, commit 41d814f), `jumpBackAnchorHash`.

use anchor::JumpBackAnchor;
use bucket_hash::{Count, jump_back};
use node_buckets::Buckets;
use point_hash::{SplitMix64, mix64};

/// `java.util.SplittableRandom`: a counter with two finalizers, for 64 and for 32 bits.
struct SplittableRandom(u64);

impl SplittableRandom {
    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0
    }

    fn next_long(&mut self) -> u64 {
        mix64(self.step())
    }

    fn next_int(&mut self) -> i32 {
        let mut z = self.step();
        z = (z ^ (z >> 33)).wrapping_mul(0x62a9_d9ed_7997_05f5);
        z = (z ^ (z >> 28)).wrapping_mul(0xcb24_d0a5_c88c_35b3);
        ((z >> 32) as u32).cast_signed()
    }

    fn next_double(&mut self) -> f64 {
        (self.next_long() >> 11) as f64 / 2_f64.powi(53)
    }

    fn next_int_below(&mut self, bound: i32) -> i32 {
        let mut random = self.next_int();
        if bound & (bound - 1) == 0 {
            return random & (bound - 1);
        }
        loop {
            let positive = (random.cast_unsigned() >> 1).cast_signed();
            let remainder = positive % bound;
            // Overflows where the last multiple of the bound is not whole.
            if positive.checked_add(bound - 1 - remainder).is_some() {
                return remainder;
            }
            random = self.next_int();
        }
    }
}

/// Komihash 5 with seed 0 of bytes that come in sixteens, as pairs of words; from its description.
fn komihash(pairs: &[[u64; 2]]) -> u64 {
    // The first digits of pi after the point, two rows of four.
    const PI: [[u64; 4]; 2] = [
        [
            0x243f_6a88_85a3_08d3,
            0x1319_8a2e_0370_7344,
            0xa409_3822_299f_31d0,
            0x082e_fa98_ec4e_6c89,
        ],
        [
            0x4528_21e6_38d0_1377,
            0xbe54_66cf_34e9_0c6c,
            0xc0ac_29b7_c97c_50dd,
            0x3f84_d5b5_b547_0917,
        ],
    ];
    let multiply = |[a, b]: [u64; 2]| {
        let product = u128::from(a) * u128::from(b);
        (product as u64, (product >> 64) as u64)
    };
    let round = |a: u64, b: u64, sum: u64| {
        let (low, high) = multiply([a, b]);
        let sum = sum.wrapping_add(high);
        (low ^ sum, sum)
    };
    let (a, b) = round(PI[0][0], PI[1][0], PI[1][0]);
    let mut upper = [a, PI[0][1] ^ a, PI[0][2] ^ a, PI[0][3] ^ a];
    let mut lower = [b, PI[1][1] ^ b, PI[1][2] ^ b, PI[1][3] ^ b];
    let (blocks, rest) = pairs.as_chunks::<4>();
    for block in blocks {
        let words = block.as_flattened();
        let mut lows = [0; 4];
        for i in 0..4 {
            let (low, high) = multiply([upper[i] ^ words[i], lower[i] ^ words[i + 4]]);
            lows[i] = low;
            lower[i] = lower[i].wrapping_add(high);
        }
        // Each high half goes to the next low one.
        upper = [3, 0, 1, 2].map(|i| lower[i]);
        for (state, low) in upper.iter_mut().zip(lows) {
            *state ^= low;
        }
    }
    let (mut a, mut b) = (upper[0], lower[0]);
    if !blocks.is_empty() {
        a = upper.iter().fold(0, |all, it| all ^ it);
        b = lower.iter().fold(0, |all, it| all ^ it);
    }
    for pair in rest {
        (a, b) = round(a ^ pair[0], b ^ pair[1], b);
    }
    // A 1 follows the last byte, and one more round.
    (a, b) = round(a ^ 1, b, b);
    round(a, b, b).0
}

/// `ConsistentHashingDemo.demoJumpBackHashSet`.
#[test]
fn the_demo_of_hash4j() {
    let hashes = [
        0x48ac_5021_66f7_61a8,
        0x9b71_93f9_7ec9_cb79,
        0x6ce8_8bf7_de8c_06c2,
    ];
    let mut buckets = JumpBackAnchor::new();
    assert_eq!([(); 3].map(|()| buckets.add()), [0, 1, 2]);
    assert_eq!(hashes.map(|it| buckets.find(it, &mut ())), [1, 0, 2]);
    buckets.remove(1);
    assert_eq!(hashes.map(|it| buckets.find(it, &mut ())), [2, 0, 2]);
}

/// `AbstractConsistentBucketSetHasherTest.testStability`: 10,000 changes at random, 100 look-ups
/// after each, and the hash of all buckets found as 32-bit integers, little-endian.
#[test]
fn the_checksum_of_hash4j() {
    let mut random = SplittableRandom(0xea29_dbd9_0663_6eb9);
    let mut buckets = JumpBackAnchor::new();
    let mut in_use: Vec<u32> = Vec::new();
    let mut found: Vec<u64> = Vec::new();
    for _ in 0..10_000 {
        if random.next_double() < 0.5 {
            if let Ok(n @ 1..) = i32::try_from(in_use.len()) {
                let place = random.next_int_below(n);
                let bucket = in_use.swap_remove(place as usize);
                if in_use.is_empty() {
                    buckets.clear(0);
                } else {
                    buckets.remove(bucket);
                }
            }
        } else {
            in_use.push(buckets.add());
        }
        if !in_use.is_empty() {
            let find = |()| u64::from(buckets.find(random.next_long(), &mut ()));
            found.extend([(); 100].map(find));
        }
    }
    let words: Vec<u64> = found
        .as_chunks()
        .0
        .iter()
        .map(|[a, b]| a | b << 32)
        .collect();
    assert_eq!(komihash(words.as_chunks().0), 0xeb47_923b_33bd_1ace);
}

/// The number that `mix64` makes into `mixed`.
fn unmixed(mixed: u64) -> u64 {
    // Newton's step doubles the bits of an inverse; an odd number is its own, to three bits.
    let inverse = |odd: u64| {
        (0..5).fold(odd, |it, _| {
            it.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(it)))
        })
    };
    let unshifted = |x: u64, by: u32| (0..64 / by).fold(x, |it, _| x ^ (it >> by));
    let x = unshifted(mixed, 31).wrapping_mul(inverse(0x94d0_49bb_1331_11eb));
    let x = unshifted(x, 27).wrapping_mul(inverse(0xbf58_476d_1ce4_e5b9));
    unshifted(x, 30)
}

/// Of the 2^32 halves of a draw, one is too many to be shared by three places: 0. A key that draws
/// it draws again. That happens too seldom for the checksum to see it.
#[test]
fn a_half_that_is_too_many_is_drawn_again() {
    let mut buckets = JumpBackAnchor::new();
    assert_eq!([(); 4].map(|()| buckets.add()), [0, 1, 2, 3]);
    buckets.remove(1);
    let in_use = [0, 3, 2];
    let mut tried = 0;
    for high in 0..1000_u64 {
        // The key whose second draw has a low half of 0, if its first one leads to bucket 1.
        let second = high << 32;
        let state = unmixed(second);
        assert_eq!(mix64(state), second);
        let key_hash = state.wrapping_sub(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(2));
        let mut draws = SplitMix64::new(key_hash);
        if jump_back(&mut draws, 4, &mut ()) != 1 {
            continue;
        }
        assert_eq!(draws.draw(), second);
        let third = draws.draw() & u64::from(u32::MAX);
        let mut count = Count::default();
        let found = buckets.find(key_hash, &mut count);
        assert_eq!(found, in_use[((third * 3) >> 32) as usize]);
        assert_eq!(count.hash_evals, 3);
        tried += 1;
    }
    assert!(tried > 100, "one key of four begins at bucket 1");
}
