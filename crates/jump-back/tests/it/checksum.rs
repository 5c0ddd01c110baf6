//! hash4j's checksum of a million look-ups, and what it is made with.

use point_hash::SplitMix64;

use super::jump_back;

/// hash4j, `ConsistentJumpBackBucketHasherSplitMix64Test`: the hash of the buckets of a million
/// random hashes, each among a random number of buckets whose logarithm is about even, as 32-bit
/// integers, little-endian.
#[test]
fn checksum_of_hash4j() {
    let mut random = SplittableRandom(0x0a55_871a_9d91_03b7);
    let mut checksum = Komihash::new();
    let mut bucket = || {
        let n = (random.next_int() >> 1) >> (random.next_int() & 31);
        u64::from(jump_back(random.next_long(), n.max(1)))
    };
    for _ in 0..1_000_000 / 16 {
        checksum.block(&std::array::from_fn(|_| bucket() | bucket() << 32));
    }
    assert_eq!(checksum.finish(), 0x23d7_a0d2_88cd_67e7);
}

/// `java.util.SplittableRandom`: `SplitMix64`, and another finalizer for 32 bits.
struct SplittableRandom(u64);

impl SplittableRandom {
    fn next_long(&mut self) -> u64 {
        let z = SplitMix64::new(self.0).draw();
        self.step();
        z
    }

    fn next_int(&mut self) -> u32 {
        let mut z = self.step();
        z = (z ^ (z >> 33)).wrapping_mul(0x62a9_d9ed_7997_05f5);
        z = (z ^ (z >> 28)).wrapping_mul(0xcb24_d0a5_c88c_35b3);
        (z >> 32) as u32
    }

    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0
    }
}

/// Komihash 5 with seed 0 of a whole number of blocks of 64 bytes, from its description: four pairs
/// of states, each multiplied to 128 bits; the low half stays, the high half is added to the other
/// state of the pair, which is then mixed into a neighbour.
struct Komihash([u64; 8]);

impl Komihash {
    /// The first digits of pi, as in Blowfish.
    const PI: [u64; 8] = [
        0x243f_6a88_85a3_08d3,
        0x1319_8a2e_0370_7344,
        0xa409_3822_299f_31d0,
        0x082e_fa98_ec4e_6c89,
        0x4528_21e6_38d0_1377,
        0xbe54_66cf_34e9_0c6c,
        0xc0ac_29b7_c97c_50dd,
        0x3f84_d5b5_b547_0917,
    ];

    fn new() -> Self {
        let (mut first, mut fifth) = (Self::PI[0], Self::PI[4]);
        round(first, fifth, &mut first, &mut fifth);
        let mut states = Self::PI;
        for (i, state) in states.iter_mut().enumerate() {
            *state = match i {
                0 => first,
                4 => fifth,
                1..4 => *state ^ first,
                _ => *state ^ fifth,
            };
        }
        Self(states)
    }

    fn block(&mut self, words: &[u64; 8]) {
        let states = &mut self.0;
        for i in 0..4 {
            let (low, high) = product(states[i] ^ words[i], states[i + 4] ^ words[i + 4]);
            states[i] = low;
            states[i + 4] = states[i + 4].wrapping_add(high);
        }
        for i in 0..4 {
            states[(i + 1) % 4] ^= states[i + 4];
        }
    }

    fn finish(self) -> u64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        let (mut first, mut fifth) = (a ^ b ^ c ^ d, e ^ f ^ g ^ h);
        // No bytes are left, and a 1 follows the last of them.
        round(first ^ 1, fifth, &mut first, &mut fifth);
        round(first, fifth, &mut first, &mut fifth);
        first
    }
}

fn product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

fn round(a: u64, b: u64, first: &mut u64, fifth: &mut u64) {
    let (low, high) = product(a, b);
    *fifth = fifth.wrapping_add(high);
    *first = low ^ *fifth;
}
