//! Known answers of every hash, and what the hashes are claimed to be.
//!
//! The table holds what Python's hashlib, the reference xxhash library and `OpenJDK`'s
//! `String.hashCode` answer.

use point_hash::{
    CRC32, FNV1A, JAVA, MD5, SHA256, SplitMix64, XXH3, XXH64, crc32, decode_utf16, fnv1a, fold64,
    java_hash_code, java_hash_code_of_ascii, md5, md5_batch, md5_hex, md5_words, mix64, rehash,
    sha256, xxh3, xxh3_seeded, xxh64,
};
use router::KeyBuf;

/// A text and how often it is repeated, its MD5, the first little-endian word of that, its XXH3-64
/// with seed 0, its `String.hashCode`.
type Known = (&'static str, usize, &'static str, u32, u64, i32);

#[rustfmt::skip]
const KNOWN: &[Known] = &[
    ("", 1, "d41d8cd98f00b204e9800998ecf8427e", 3_649_838_548, 0x2d06800538d394c2, 0),
    ("a", 1, "0cc175b9c0f1b6a831c399e269772661", 3_111_502_092, 0xe6c632b61e964e1f, 97),
    ("user0", 1, "3d517fe6ebab7b8cfcf98db6259c8a59", 3_867_103_549, 0x4ec3d191274a8753, 111_578_565),
    ("testHashInDemo1000000", 1, "9e22630a47aea6abfafe12b5286e5bf1", 174_269_086, 0xb76977277facc0f6, -1_251_410_199),
    ("192.168.1.1", 1, "66efff4c945d3c3b87fc271b47d456db", 1_291_841_382, 0xb0f60b977b0a3c04, 55_965_973),
    ("订单42", 1, "55c17a23a589246e1205a7533f5b9520", 595_247_445, 0x036cd5e0bd1f9645, 1_085_411_761),
    ("abc", 1, "900150983cd24fb0d6963f7d28e17f72", 2_555_380_112, 0x78af5f94892f3950, 96_354),
    ("foobar", 1, "3858f62230ac3c915f300c664312c63f", 586_569_784, 0xd78fda63144c5c84, -1_268_878_963),
    ("naïve", 1, "63899c6b555841978b89319d701f9b5a", 1_805_420_899, 0xccccbc10c2277808, 104_710_475),
    ("😀", 1, "2a02eac39d716a70ecf37579185927b6", 3_286_893_098, 0x0b4fecf421a0808e, 1_772_899),
    ("Node41#0", 1, "401ecd8f29fe34fbf13bbc1034aed935", 2_412_584_512, 0x6024e9df0d64593b, 1_186_701_516),
    ("n1_100", 1, "590f83584889b7044305a771615a1d2e", 1_484_984_153, 0x868981ebd3dce5a6, -1_097_629_387),
    ("10.0.1.1:11211-0", 1, "1387ed90033bcef5a68603067d362ba2", 2_431_485_715, 0x38577d2c046b2046, 2_080_565_954),
    ("xx", 1, "9336ebf25087d91c818ee6e9ec29f8c1", 4_075_501_203, 0xa71a746cf0841ebd, 3_840),
    ("x", 3, "f561aaf6ef0bf14d4208bb46a4ccb3ad", 4_138_361_333, 0x75920d64d617a183, 119_160),
    ("x", 4, "ea416ed0759d46a8de58f63a59077499", 3_496_886_762, 0xc39f76e8799dd0cc, 3_694_080),
    ("x", 8, "0b0cfc07fca81c956ab9181d8576f4a8", 133_958_667, 0x4267e87c9cb0bc97, 1_360_116_736),
    ("x", 9, "aba369f7d2b28a9098a0a26feb7dc965", 4_150_895_531, 0x7bd3d408882c63a9, -786_054_024),
    ("x", 16, "45ed9cc2f92b77cd8b2f5bd59ff635f8", 3_265_064_261, 0xdf76ff0d7f0d9edf, 1_118_271_488),
    ("x", 17, "3ef82839679f05ef260e3ac982de93cd", 958_986_302, 0x89975e6b7d2f5a11, 306_677_880),
    ("x", 32, "dc8fe1d6497ebd23f5975d8d2a1c5e81", 3_605_106_652, 0x4e0c9e78cf63407f, -144_773_120),
    ("x", 33, "b7b82191a246d3563ed060e298add91d", 2_434_906_295, 0xb2f838286ad45e97, -192_999_304),
    ("x", 64, "c1bb4f81d892b2d57947682aeb252456", 2_169_486_273, 0x269cb9f6acf81244, 922_607_616),
    ("x", 65, "1bc932052302d074bdec39795fe00cf6", 87_214_363, 0xf98431abcf1929f2, -1_463_934_856),
    ("x", 128, "d69cb61a6ee87200676eb0d4b90edbcb", 448_175_318, 0x4ca37e83f6cddd17, -1_896_103_936),
    ("x", 129, "3926841d393c00c3f36260e5ace10dc1", 495_199_801, 0xe4f9742108fe27dc, 1_350_320_248),
    ("x", 240, "c60b0eb99703f568e6a16ab2d1f3c4e7", 3_104_705_478, 0x3e16ca8a0c6ccb68, -799_012_864),
    ("x", 241, "618753d3c1df0eaa6028f18a2d585452", 3_545_466_721, 0x14da9e5c301a6a1d, 1_000_405_112),
    ("x", 1024, "7265f4d211b56873a381d321f586e4a9", 3_539_232_114, 0xfc56a7ce85b3164a, -404_881_408),
    ("x", 1025, "41b2b8ce59ecc0c64c9c7ecaae3002c3", 3_468_210_753, 0x9cd2e05a61b8a761, 333_578_360),
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_hash_answers_as_the_reference_programs() {
    for &(unit, times, md5_digits, word, xxh, java) in KNOWN {
        let key = unit.repeat(times);
        let bytes = key.as_bytes();
        assert_eq!(hex(&md5(bytes)), md5_digits, "MD5 of {key:?}");
        assert_eq!(
            md5_hex(bytes),
            md5_digits.as_bytes(),
            "MD5 digits of {key:?}"
        );
        assert_eq!(md5_words(bytes)[0], word, "first MD5 word of {key:?}");
        assert_eq!(xxh3(bytes), xxh, "XXH3-64 of {key:?}");
        assert_eq!(java_hash_code(bytes), java, "hashCode of {key:?}");
    }
}

/// Checks that every key has its own digest, once.
#[track_caller]
fn check_batch(keys: &KeyBuf) {
    let mut digests = vec![None; keys.len()];
    md5_batch(keys.keys(), |i, digest| {
        assert_eq!(digests[i].replace(digest), None, "key {i} once");
    });
    for (key, digest) in keys.keys().iter().zip(digests) {
        assert_eq!(digest, Some(md5(key)), "{} bytes: {key:?}", key.len());
    }
}

/// Several texts side by side against one after the other: every length, alone, in a row and among
/// others, so that no lane keeps what a longer text left in it.
#[test]
fn many_md5_digests_are_those_of_each_text() {
    let mut draw = SplitMix64::new(1);
    let mut text = |len: usize| -> Vec<u8> { (0..len).map(|_| draw.draw() as u8).collect() };
    for len in 0..=200 {
        for n in [1, 2, 7, 8, 9, 20] {
            check_batch(&(0..n).map(|_| text(len)).collect());
        }
    }
    check_batch(&KeyBuf::new());
    check_batch(&(0..=200).map(&mut text).collect());
    check_batch(&(0..=200).rev().map(&mut text).collect());
    check_batch(&(0..20_000).map(|i| text(i * i % 61)).collect());
    check_batch(&KNOWN.iter().map(|known| known.0.repeat(known.1)).collect());
}

#[test]
fn a_million_md5_digests() {
    check_batch(&(0..1_000_000).map(|i| format!("key-{i}")).collect());
}

/// Seeds as the points of a node use them, against the reference xxhash library: short, medium and
/// long inputs take different paths.
#[test]
fn seeded_xxh3_answers_as_the_reference_library() {
    let cases: [(&str, usize, u64, u64); 8] = [
        ("", 1, 1, 0x4dc5b0cc826f6703),
        ("a", 1, 1, 0xd2f6d0996f37a720),
        ("10.0.0.1:11211", 1, 1, 0x32f720b765f69dd8),
        ("10.0.0.1:11211", 1, 160, 0xb53f7db22560ddfb),
        ("node-7", 1, 134217728, 0xac1c5260282b30bb),
        ("x", 129, 2, 0x4ab4b62d911e61b6),
        ("x", 241, 3, 0xfa40e28dd100cd65),
        ("x", 1025, 100, 0xb7c74b6290de3008),
    ];
    for (unit, times, seed, expected) in cases {
        let name = unit.repeat(times);
        assert_eq!(
            xxh3_seeded(name.as_bytes(), seed),
            expected,
            "{name:?} with seed {seed}"
        );
    }
    assert_eq!(
        xxh3_seeded(b"a", 0),
        xxh3(b"a"),
        "seed 0 is the hash of keys"
    );
}

#[test]
fn the_four_words_of_a_digest_are_its_bytes_little_endian() {
    // 1387ed90 033bcef5 a6860306 7d362ba2 is the MD5 of this label.
    assert_eq!(
        md5_words(b"10.0.1.1:11211-0"),
        [0x90ed_8713, 0xf5ce_3b03, 0x0603_86a6, 0xa22b_367d]
    );
}

#[test]
fn the_ascii_short_cut_of_java_agrees_with_the_long_way() {
    for &(unit, times, .., java) in KNOWN {
        let key = unit.repeat(times);
        if key.is_ascii() {
            assert_eq!(java_hash_code_of_ascii(key.as_bytes()), java, "{key:?}");
        }
    }
}

/// Strings whose `hashCode` is `Integer.MIN_VALUE`, where `Math.abs` stays negative.
#[test]
fn java_reaches_the_smallest_integer() {
    for key in ["polygenelubricants", "GydZG_", "DESIGNING WORKHOUSES"] {
        assert_eq!(java_hash_code(key.as_bytes()), i32::MIN, "{key:?}");
    }
    assert_eq!(java_hash_code(b"ffffff"), -1_277_454_784);
}

#[test]
fn java_text_is_utf_16_and_what_is_no_text_is_the_replacement_character() {
    assert_eq!(decode_utf16("a😀".as_bytes()), [0x61, 0xd83d, 0xde00]);
    assert_eq!(decode_utf16(b"a\xff"), [0x61, 0xfffd]);
    // Java decodes an invalid byte to U+FFFD.
    assert_eq!(java_hash_code(b"a\xff"), 31 * 97 + 0xfffd);
}

/// What the harness times is what a look-up spends: the same value, folded to 64 bits.
#[test]
fn the_statics_evaluate_their_functions() {
    assert_eq!((XXH3.eval)(b"user0"), xxh3(b"user0"));
    assert_eq!((MD5.eval)(b"abc"), 0xb04f_d23c_9850_0190);
    assert_eq!((JAVA.eval)(b"ffffff"), 0xb3db_9640);
    assert_eq!((SHA256.eval)(b"abc"), 0xeacf_018f_bf16_78ba);
    assert_eq!((XXH64.eval)(b"abc"), 0x44bc_2cf5_ad77_0999);
    assert_eq!((FNV1A.eval)(b"abc"), fnv1a(b"abc"));
    assert_eq!((CRC32.eval)(b"abc"), crc32(b"abc").into());
    assert!(XXH3.mixes && MD5.mixes && SHA256.mixes && XXH64.mixes);
    assert!(!JAVA.mixes && !FNV1A.mixes && !CRC32.mixes);
}

/// The share of output bits that turn over when one input bit does: half for a hash that mixes.
fn avalanche(eval: fn(&[u8]) -> u64) -> f64 {
    let mut flipped = 0;
    let mut n_pairs = 0;
    for i in 0..200 {
        let key = format!("user{i}");
        for bit in 0..8 * key.len() {
            let mut other = key.clone().into_bytes();
            other[bit / 8] ^= 1 << (bit % 8);
            flipped += (eval(key.as_bytes()) ^ eval(&other)).count_ones();
            n_pairs += 1;
        }
    }
    f64::from(flipped) / f64::from(64 * n_pairs)
}

/// 10,320 pairs of 64 bits: the standard deviation of the share is 0.0006 for a hash that mixes,
/// so 0.005 is 8 of them.
#[test]
fn a_hash_that_claims_to_mix_turns_over_half_its_bits() {
    for hash in [&XXH3, &MD5, &SHA256, &XXH64] {
        let share = avalanche(hash.eval);
        assert!((share - 0.5).abs() < 0.005, "{}: {share}", hash.name);
    }
    // A 32-bit hash that mixes would turn over a quarter of 64 bits.
    let share = avalanche(JAVA.eval);
    assert!(share < 0.15, "hashCode mixes nothing: {share}");
}

/// The five first outputs for seed 1234567, as several public implementations print them.
#[test]
fn splitmix64_gives_its_known_sequence_from_either_side() {
    let known = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    let mut sequence = SplitMix64::new(1_234_567);
    for (i, expected) in (0..).zip(known) {
        assert_eq!(sequence.draw(), expected, "output {i}");
        assert_eq!(rehash(1_234_567, i), expected, "rehash {i}");
    }
    assert_eq!(mix64(0), 0);
}

/// Values of the reference xxHash for the empty string and "a".
#[test]
fn xxh64_gives_its_known_values() {
    assert_eq!(xxh64(b"", 0), 0xef46_db37_51d8_e999);
    assert_eq!(xxh64(b"a", 0), 0xd24e_c4f1_a98c_6e5b);
}

/// From Python's integers, which do not overflow.
#[test]
fn fold64_xors_the_halves_of_the_product() {
    for (x, expected) in [
        (0, 0),
        (1, 0x9e37_79b9_7f4a_7c15),
        (0xdead_beef_cafe_f00d, 0xd7a1_e826_87a4_be1b),
        (u64::MAX, u64::MAX),
    ] {
        assert_eq!(fold64(x), expected, "{x:#x}");
    }
}

/// SHA-256 (first eight bytes), FNV-1a with 64 bits and CRC-32, as Python's hashlib, an independent
/// FNV and zlib answer.
#[test]
fn hashes_that_only_the_rings_with_a_choice_use_give_their_known_values() {
    let known: [(&str, u64, u64, u32); 9] = [
        ("", 0xe3b0c44298fc1c14, 0xcbf29ce484222325, 0),
        ("a", 0xca978112ca1bbdca, 0xaf63dc4c8601ec8c, 3_904_355_907),
        (
            "user0",
            0x3f92107747fcccc5,
            0x4228c571628ca1a6,
            4_216_763_843,
        ),
        (
            "192.168.1.1",
            0xc5eb5a4cc76a5cdb,
            0x3798c3d8e86e9224,
            2_286_285_663,
        ),
        ("订单42", 0x77fc5dade9dd65e1, 0x00c69f3f762c54aa, 24_446_798),
        (
            "foobar",
            0xc3ab8ff13720e8ad,
            0x85944171f73967e8,
            2_666_930_069,
        ),
        (
            "Node41#0",
            0x5e217e885098b0ba,
            0x06c35ec8f02bad95,
            619_454_807,
        ),
        (
            "n1_100",
            0xc29e6057cecff133,
            0xf66359540f266014,
            1_344_653_491,
        ),
        (
            "10.0.1.1:11211-0",
            0xac4a44d8c77c2b2e,
            0xa1ab256df7c55503,
            1_807_950_292,
        ),
    ];
    for (key, sha, fnv, crc) in known {
        let bytes = key.as_bytes();
        assert_eq!(hex(&sha256(bytes)[..8]), format!("{sha:016x}"), "{key:?}");
        assert_eq!(fnv1a(bytes), fnv, "FNV-1a of {key:?}");
        assert_eq!(crc32(bytes), crc, "CRC-32 of {key:?}");
    }
    // The check value of CRC-32's catalogue.
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}
