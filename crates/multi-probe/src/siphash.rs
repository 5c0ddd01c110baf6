//! SipHash-2-4, from its definition.
//!
//! J.-P. Aumasson and D. J. Bernstein, SipHash: a fast short-input PRF, 2012, section 2: four words
//! of state, two rounds a word of the message, four at the end.

/// SipHash-2-4 of `bytes` with the key (k0, k1).
pub(crate) fn siphash_2_4(k0: u64, k1: u64, bytes: &[u8]) -> u64 {
    // "somepseudorandomlygeneratedbytes", big-endian.
    let mut state = State([
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ]);
    let (words, rest) = bytes.as_chunks::<8>();
    for &word in words {
        state.take(u64::from_le_bytes(word));
    }
    // The last word: what is left, zeros, and the length in the highest byte.
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    [last[7], ..] = bytes.len().to_le_bytes();
    state.take(u64::from_le_bytes(last));
    state.0[2] ^= 0xff;
    (0..4).for_each(|_| state.round());
    let [a, b, c, d] = state.0;
    a ^ b ^ c ^ d
}

struct State([u64; 4]);

impl State {
    #[inline]
    fn take(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.round();
        self.0[0] ^= word;
    }

    /// SipRound, figure 2.1 of the paper.
    #[inline]
    fn round(&mut self) {
        let v = &mut self.0;
        v[0] = v[0].wrapping_add(v[1]);
        v[2] = v[2].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].rotate_left(32);
        v[2] = v[2].wrapping_add(v[1]);
        v[0] = v[0].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].rotate_left(32);
    }
}
