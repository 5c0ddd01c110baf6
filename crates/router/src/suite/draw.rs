//! Seeded draws: the same keys, names and choices on every machine and in every run.

use crate::KeyBuf;

/// A small seeded generator. It decides which cases are tried and nothing else, so it needs no
/// more than to be even and the same for ever.
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits. SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixing function.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, even to within 2^-32 for every `n` that the suite asks for.
    pub(super) fn below(&mut self, n: usize) -> usize {
        let wide = u128::from(self.next()) * n as u128;
        (wide >> 64) as usize
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }

    /// A random key of 16 hex digits: random enough that a hash which does not mix spreads it too.
    pub(super) fn hex_key(&mut self) -> String {
        format!("{:016x}", self.next())
    }

    pub(super) fn hex_keys(&mut self, n: usize) -> KeyBuf {
        (0..n).map(|_| self.hex_key()).collect()
    }

    /// `n` distinct addresses `10.a.b.c:11211`, from a random start in random strides.
    pub(super) fn addresses(&mut self, n: usize) -> Vec<String> {
        let (start, stride) = (self.next(), self.next() | 1);
        (0..n as u64)
            .map(|i| {
                let [.., a, b, c] = start.wrapping_add(i.wrapping_mul(stride)).to_be_bytes();
                format!("10.{a}.{b}.{c}:11211")
            })
            .collect()
    }
}

/// Plain addresses: names that every strategy takes.
pub(super) const ADDRESSES: [&str; 3] = ["10.0.0.1:11211", "10.0.0.2:11211", "10.0.0.3:11211"];

/// Short names, each the beginning of another or of another's label where name and number are
/// joined without a sign between them: `a` + `11` is `a1` + `1` is `a11` + nothing.
pub(super) const SHORT: [&str; 4] = ["a", "a1", "a11", "1"];

/// Pairs of names whose points fall together on well-known rings: 32-bit positions by chance,
/// found by search, or labels that are the same text.
pub(super) const COLLIDING: [(&str, &str); 13] = [
    ("node-14", "node-181"),   // SHA-256, first 4 bytes, `{name}#{i}`: 89 and 47
    ("Node320", "Node615"),    // the same: 74 and 73
    ("Node6215", "Node37621"), // SHA-256, first 4 bytes of the name alone
    ("node-677", "node-708"),  // SHA-256, first 4 bytes, `{name}-{i}`: 53 and 53
    ("server11", "server725"), // SHA-256, first 4 bytes, `{name}:{i}`: 47 and 38
    ("node-71", "node-407"),   // MD5, first 4 bytes, `{name}-{i}`: 89 and 48
    ("10.0.2.53:11211", "10.0.2.161:11211"), // ketama
    ("node-546", "node-699"),  // ketama: first word of digest 28 of both
    ("node-79357", "node-180957"), // Java hashCode of the MD5 hex digits of the name alone
    ("node-430", "node-631"),  // the same of `{name}-{hash}-{i}`: 63 and 67
    ("n1", "n1_1"),            // `{name}_{i}` beside the bare name
    ("x", "x1"),               // `{name}{i}`
    ("node", "0node"),         // `{i}{name}`
];

/// Keys that a careless program trips over, all of them short.
pub(super) fn hostile_keys() -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> = [
        &b""[..],
        b"\0",
        b"\0\0",
        b"a\0b",
        b" ",
        b"\n",
        b"\r\n",
        b"\t",
        b"\xff",
        b"\xff\xfe",
        b"\xc3\x28",        // a UTF-8 lead byte without its tail
        b"\xed\xa0\x80",    // a surrogate
        b"\xf0\x9f\x92",    // an emoji cut short
        b"\xef\xbb\xbfkey", // a byte order mark
        "caf\u{e9}".as_bytes(),
        "cafe\u{301}".as_bytes(),
        "\u{1f980}".as_bytes(),
        b"{tag}.key",
        b"a:b,c=[d]",
        b"polygenelubricants", // Java hashCode -2147483648
        b"ffffff",             // Java hashCode below 0
    ]
    .map(<[u8]>::to_vec)
    .into();
    for len in [255, 256, 257, 4096] {
        keys.push(vec![b'k'; len]);
    }
    keys.push((0..=255).collect());
    keys
}
