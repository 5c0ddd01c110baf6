//! Key sets, by name: every key can be made from its number alone.

use std::{io::Write as _, ops::Range, str::FromStr, sync::Arc};

use rand::Rng;
use router::KeyBuf;

use super::{Error, Purpose, stream};

/// A kind of keys. Key number i depends on the seed, on i and on nothing else, so that a long list
/// can be made in pieces and by several threads.
///
/// | name | key number i, from 0 | draws a key |
/// |---|---|---|
/// | `hex64` | 16 lower-case hex digits of one draw | 1 |
/// | `user` | `user<i>` | 0 |
/// | `java` | `testHashInDemo<i>` | 0 |
/// | `uuid` | version 4, variant 1: two draws, the first in front | 2 |
/// | `url` | `https://<host>/<section>/<word>-<word>/<i>`, see below | 1 |
///
/// With d draws a key, key i uses the draws `d * i .. d * (i + 1)` of the stream [`Purpose::Keys`].
/// An URL's draw chooses by its lowest bits: 2 bits the host, the next 3 the section, the next 4 the
/// first word, the next 4 the second, each an index into these lists:
///
/// - host: `www.example.com`, `shop.example.com`, `img.example.net`, `api.example.org`
/// - section: `news`, `garden`, `books`, `music`, `travel`, `sports`, `kitchen`, `tools`
/// - words: `amber`, `birch`, `cedar`, `delta`, `ember`, `frost`, `grove`, `harbor`, `iris`,
///   `juniper`, `kelp`, `lantern`, `maple`, `north`, `opal`, `prairie`
///
/// `user`, `java` and `url` keys are distinct by their number; of `hex64` and `uuid` keys two are
/// equal with chance K^2 / 2^65 and K^2 / 2^123.
#[derive(Clone, Debug)]
pub enum KeySet {
    /// Random 64-bit numbers in hex: the default for balance.
    Hex64,
    /// `user0`, `user1` and so on.
    User,
    /// `testHashInDemo0`, `testHashInDemo1` and so on.
    Java,
    /// Random identifiers.
    Uuid,
    /// Addresses of pages.
    Url,
    /// Keys of a file, in its order, whatever the seed.
    File(Arc<KeyFile>),
}

/// Keys that were read from a file.
#[derive(Clone, Debug)]
pub struct KeyFile {
    /// What the key set is called in tables.
    pub name: String,
    /// The keys.
    pub keys: KeyBuf,
}

const HOSTS: [&str; 4] = [
    "www.example.com",
    "shop.example.com",
    "img.example.net",
    "api.example.org",
];
const SECTIONS: [&str; 8] = [
    "news", "garden", "books", "music", "travel", "sports", "kitchen", "tools",
];
const WORDS: [&str; 16] = [
    "amber", "birch", "cedar", "delta", "ember", "frost", "grove", "harbor", "iris", "juniper",
    "kelp", "lantern", "maple", "north", "opal", "prairie",
];

impl KeySet {
    /// The key sets that need no file, in the order of the table above.
    pub const GENERATED: [Self; 5] = [Self::Hex64, Self::User, Self::Java, Self::Uuid, Self::Url];

    /// Its name, as `--key-set` takes it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Hex64 => "hex64",
            Self::User => "user",
            Self::Java => "java",
            Self::Uuid => "uuid",
            Self::Url => "url",
            Self::File(file) => &file.name,
        }
    }

    /// Whether its keys resemble each other, so that a hash that does not mix may spread them more
    /// evenly than chance. A file's keys are taken to do so.
    #[must_use]
    pub fn structured(&self) -> bool {
        match self {
            Self::Hex64 | Self::Uuid => false,
            Self::User | Self::Java | Self::Url | Self::File(_) => true,
        }
    }

    /// The number of keys that there are; `None` for a generated set, which has no end.
    #[must_use]
    pub fn available(&self) -> Option<u64> {
        match self {
            Self::File(file) => Some(file.keys.len() as u64),
            _ => None,
        }
    }

    /// Appends the keys with numbers `range` to `out`. Of a file, those that it has.
    ///
    /// Takes time linear in the length of `range`, wherever it begins.
    pub fn fill(&self, seed: u64, range: Range<u64>, out: &mut KeyBuf) {
        let draws_at = |draw: u128| {
            let mut rng = stream(seed, Purpose::Keys);
            rng.advance(draw);
            rng
        };
        let start = u128::from(range.start);
        match self {
            Self::Hex64 => {
                let mut rng = draws_at(start);
                for _ in range {
                    out.push(&hex(rng.next_u64()));
                }
            }
            Self::User => fill_numbered("user", range, out),
            Self::Java => fill_numbered("testHashInDemo", range, out),
            Self::Uuid => {
                let mut rng = draws_at(2 * start);
                for _ in range {
                    out.push(&uuid(rng.next_u64(), rng.next_u64()));
                }
            }
            Self::Url => {
                let mut rng = draws_at(start);
                let mut url = Vec::new();
                for i in range {
                    url.clear();
                    write_url(rng.next_u64(), i, &mut url);
                    out.push(&url);
                }
            }
            Self::File(file) => {
                let keys = file.keys.keys();
                let place = |number: u64| keys.len().min(number.try_into().unwrap_or(usize::MAX));
                for key in keys
                    .slice(place(range.start)..place(range.end).max(place(range.start)))
                    .iter()
                {
                    out.push(key);
                }
            }
        }
    }

    /// The first `n` keys of this seed. Of a file, at most those that it has.
    #[must_use]
    pub fn keys(&self, seed: u64, n: u64) -> KeyBuf {
        let mut keys = KeyBuf::new();
        self.fill(seed, 0..n, &mut keys);
        keys
    }
}

impl FromStr for KeySet {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::GENERATED
            .into_iter()
            .find(|set| set.name() == name)
            .ok_or_else(|| {
                let names = Self::GENERATED.map(|set| set.name().to_owned()).join(", ");
                Error::new(format!("unknown key set {name:?}; valid are: {names}"))
            })
    }
}

fn fill_numbered(prefix: &str, range: Range<u64>, out: &mut KeyBuf) {
    let mut key = prefix.as_bytes().to_vec();
    for i in range {
        key.truncate(prefix.len());
        write!(key, "{i}").expect("a vector takes any bytes");
        out.push(&key);
    }
}

/// The 16 lower-case hex digits of `value`.
fn hex(value: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    for (place, byte) in value.to_be_bytes().into_iter().enumerate() {
        digits[2 * place] = hex_digit(byte >> 4);
        digits[2 * place + 1] = hex_digit(byte & 0xf);
    }
    digits
}

fn hex_digit(nibble: u8) -> u8 {
    b"0123456789abcdef"[usize::from(nibble)]
}

/// The text of a UUID of version 4 and variant 1 (RFC 9562) with these random bits.
fn uuid(high: u64, low: u64) -> [u8; 36] {
    let high = hex(high & !0xf000 | 0x4000);
    let low = hex(low & !(0b11 << 62) | 0b10 << 62);
    let mut text = [b'-'; 36];
    text[..8].copy_from_slice(&high[..8]);
    text[9..13].copy_from_slice(&high[8..12]);
    text[14..18].copy_from_slice(&high[12..]);
    text[19..23].copy_from_slice(&low[..4]);
    text[24..].copy_from_slice(&low[4..]);
    text
}

fn write_url(draw: u64, number: u64, url: &mut Vec<u8>) {
    let host = HOSTS[(draw & 3) as usize];
    let section = SECTIONS[(draw >> 2 & 7) as usize];
    let first = WORDS[(draw >> 5 & 15) as usize];
    let second = WORDS[(draw >> 9 & 15) as usize];
    write!(url, "https://{host}/{section}/{first}-{second}/{number}")
        .expect("a vector takes any bytes");
}
