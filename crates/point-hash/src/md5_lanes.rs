//! MD5 of several short texts side by side.
//!
//! One MD5 is a chain of 64 steps, each of which needs the one before, so a processor mostly waits.
//! Here every step is taken for eight texts: the compiler makes vector instructions of a plain loop
//! over lanes (four lanes to a vector on x86-64 as it comes), and two vectors fill the waiting time.
//! R. Rivest, The MD5 Message-Digest Algorithm, RFC 1321, 1992; the names are those of the RFC.

use router::Keys;

use crate::md5;

/// Texts that are digested side by side.
const LANES: usize = 8;

/// Texts that one pass of the loop over lanes takes through every step.
const ABREAST: usize = 2;

/// The longest text that fits into one block with its end mark and its length.
const LONGEST: usize = 55;

/// The state of every digest at its beginning: A, B, C, D.
const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// The sines of the RFC: floor(2^32 |sin(i + 1)|).
#[rustfmt::skip]
const T: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

/// Calls `each` with the number of every key and its MD5 digest, equal to [`md5()`] key by key.
///
/// Not in the order of the keys: those of at most 55 bytes are digested eight at a time, the others
/// on their own.
pub fn md5_batch(keys: Keys<'_>, mut each: impl FnMut(usize, [u8; 16])) {
    let mut lanes = Lanes::default();
    for (i, key) in keys.iter().enumerate() {
        if key.len() > LONGEST {
            each(i, md5(key));
            continue;
        }
        lanes.push(i, key);
        if lanes.n == LANES {
            lanes.digest(&mut each);
        }
    }
    lanes.digest(&mut each);
}

/// Up to eight texts, each in one block.
#[derive(Default)]
struct Lanes {
    /// By word of the block, then by lane.
    words: [[u32; LANES]; 16],
    /// By lane, the number of the key.
    keys: [usize; LANES],
    /// By lane, how many words of the last text are not yet overwritten with zeros.
    n_used: [usize; LANES],
    n: usize,
}

impl Lanes {
    /// Takes a text of at most [`LONGEST`] bytes into the next lane.
    #[inline]
    fn push(&mut self, i: usize, text: &[u8]) {
        let lane = self.n;
        let (whole, rest) = text.as_chunks();
        let last = u32::from_le_bytes(match *rest {
            [] => [0x80, 0, 0, 0],
            [a] => [a, 0x80, 0, 0],
            [a, b] => [a, b, 0x80, 0],
            [a, b, c, ..] => [a, b, c, 0x80],
        });
        let words = whole.iter().map(|&bytes| u32::from_le_bytes(bytes));
        for (word, row) in words.chain([last]).zip(&mut self.words) {
            row[lane] = word;
        }
        let n_used = whole.len() + 1;
        for row in self.words.iter_mut().take(self.n_used[lane]).skip(n_used) {
            row[lane] = 0;
        }
        // The length in bits, which has a second word of zeros.
        self.words[14][lane] = 8 * text.len() as u32;
        self.keys[lane] = i;
        self.n_used[lane] = n_used;
        self.n += 1;
    }

    /// Passes the digests of all texts on and empties the lanes.
    #[inline]
    fn digest(&mut self, each: &mut impl FnMut(usize, [u8; 16])) {
        if self.n == 0 {
            return;
        }
        let mut digests = [[0; LANES]; 4];
        compress(&self.words, &mut digests);
        for (lane, &i) in self.keys.iter().enumerate().take(self.n) {
            let words = digests.map(|row| row[lane].to_le_bytes());
            let bytes = words.as_flattened();
            each(i, bytes.try_into().expect("four words have 16 bytes"));
        }
        self.n = 0;
    }
}

/// Digests one block a lane, by the 64 steps of the RFC, each for all texts of a pass before the next
/// step.
///
/// A pass is one straight line, without a call or a branch, and what neighbouring passes read and
/// write lies side by side. That is what the compiler needs to make one vector of four passes: written
/// with a closure that picks a lane's words, it stays with one number at a time, and four times slower.
#[inline(never)]
fn compress(x: &[[u32; LANES]; 16], digests: &mut [[u32; LANES]; 4]) {
    const PASSES: usize = LANES / ABREAST;
    for lane in 0..PASSES {
        let [mut a, mut b, mut c, mut d] = START.map(|word| [word; ABREAST]);
        // [abcd k s i] of the RFC, with i from 0.
        macro_rules! step {
            ($f:ident, $a:ident, $b:ident, $c:ident, $d:ident, $k:expr, $s:expr, $i:expr) => {
                for text in 0..ABREAST {
                    let word = x[$k % 16][lane + text * PASSES];
                    let added = $a[text].wrapping_add(word.wrapping_add(T[$i]));
                    let mixed = $f($b[text], $c[text], $d[text]).wrapping_add(added);
                    $a[text] = mixed.rotate_left($s).wrapping_add($b[text]);
                }
            };
        }
        // Sixteen steps: the word of step i is the i-th times `$by` from `$from`.
        macro_rules! round {
            ($f:ident, $first:literal, $from:literal, $by:literal, $s:expr) => {
                round!(@four $f, $first, 0, $from, $by, $s);
                round!(@four $f, $first, 4, $from, $by, $s);
                round!(@four $f, $first, 8, $from, $by, $s);
                round!(@four $f, $first, 12, $from, $by, $s);
            };
            (@four $f:ident, $first:literal, $i:literal, $from:literal, $by:literal, $s:expr) => {
                step!($f, a, b, c, d, $from + $by * $i, $s[0], $first + $i);
                step!($f, d, a, b, c, $from + $by * ($i + 1), $s[1], $first + $i + 1);
                step!($f, c, d, a, b, $from + $by * ($i + 2), $s[2], $first + $i + 2);
                step!($f, b, c, d, a, $from + $by * ($i + 3), $s[3], $first + $i + 3);
            };
        }
        round!(f, 0, 0, 1, [7, 12, 17, 22]);
        round!(g, 16, 1, 5, [5, 9, 14, 20]);
        round!(h, 32, 5, 3, [4, 11, 16, 23]);
        round!(i, 48, 0, 7, [6, 10, 15, 21]);
        for text in 0..ABREAST {
            for (i, word) in [a, b, c, d].into_iter().enumerate() {
                digests[i][lane + text * PASSES] = word[text].wrapping_add(START[i]);
            }
        }
    }
}

/// Of every bit, c or d as b says.
#[inline(always)]
fn f(b: u32, c: u32, d: u32) -> u32 {
    d ^ (b & (c ^ d))
}

/// Of every bit, b or c as d says.
#[inline(always)]
fn g(b: u32, c: u32, d: u32) -> u32 {
    (d & b) | (!d & c)
}

#[inline(always)]
fn h(b: u32, c: u32, d: u32) -> u32 {
    b ^ (c ^ d)
}

#[inline(always)]
fn i(b: u32, c: u32, d: u32) -> u32 {
    c ^ (b | !d)
}
