//! What hash4j's tests draw with and sum up with.

/// `java.util.SplittableRandom`: a counter with two finalizers, for 64 and for 32 bits.
#[derive(Clone, Debug)]
pub(super) struct SplittableRandom(pub(super) u64);

impl SplittableRandom {
    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0
    }

    /// `nextLong`.
    pub(super) fn long(&mut self) -> u64 {
        let mut z = self.step();
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// `nextInt`.
    pub(super) fn int(&mut self) -> u32 {
        let mut z = self.step();
        z = (z ^ (z >> 33)).wrapping_mul(0x62a9_d9ed_7997_05f5);
        z = (z ^ (z >> 28)).wrapping_mul(0xcb24_d0a5_c88c_35b3);
        (z >> 32) as u32
    }

    /// `nextDouble`.
    pub(super) fn double(&mut self) -> f64 {
        (self.long() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// `nextInt(bound)`, for bounds from 1 to 2^31 - 1.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let mut drawn = self.int();
        if bound.is_power_of_two() {
            return drawn & (bound - 1);
        }
        loop {
            let half = drawn >> 1;
            let rest = half % bound;
            // The last multiple of the bound that is not whole is drawn again.
            if half - rest <= (1 << 31) - bound {
                return rest;
            }
            drawn = self.int();
        }
    }
}

/// The first digits of pi after the point.
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

/// Komihash 5, seed 0, of an even number of words, little-endian; from its description. Blocks of
/// eight words go through four pairs of states side by side, what is left two words at a time.
pub(super) fn komihash(words: &[u64]) -> u64 {
    let multiplied = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64, (product >> 64) as u64)
    };
    let round = |a: u64, b: u64, sum: u64| {
        let (low, high) = multiplied(a, b);
        let sum = sum.wrapping_add(high);
        (low ^ sum, sum)
    };
    let (mut a, mut b) = round(PI[0], PI[4], PI[4]);
    let (blocks, rest) = words.as_chunks::<8>();
    if !blocks.is_empty() {
        let mut upper: [u64; 4] = std::array::from_fn(|i| if i == 0 { a } else { PI[i] ^ a });
        let mut lower: [u64; 4] = std::array::from_fn(|i| if i == 0 { b } else { PI[4 + i] ^ b });
        for block in blocks {
            let mut lows = [0; 4];
            for i in 0..4 {
                let (low, high) = multiplied(upper[i] ^ block[i], lower[i] ^ block[i + 4]);
                lows[i] = low;
                lower[i] = lower[i].wrapping_add(high);
            }
            // Each high half goes to the next low one.
            upper = std::array::from_fn(|i| lower[(i + 3) % 4] ^ lows[i]);
        }
        a = upper.iter().fold(0, |all, it| all ^ it);
        b = lower.iter().fold(0, |all, it| all ^ it);
    }
    for pair in rest.as_chunks::<2>().0 {
        (a, b) = round(a ^ pair[0], b ^ pair[1], b);
    }
    // A 1 follows the last byte, and one more round.
    (a, b) = round(a ^ 1, b, b);
    round(a, b, b).0
}
