//! The ring of the common hash with another hash in its place.

use point_hash::{CRC32, FNV1A, JAVA, MD5, SHA256, XXH64, xxh64};
use router::{HashFn, Param, ParamKind, ParamRole, Params};

use crate::{CommonHash, Placement, Tie, Weights};

/// A hash with a seed.
type Seeded = fn(&[u8], u64) -> u64;

/// The placement of [`CommonHash`] with the hash that parameter `hash` names.
///
/// | `hash` | a key's position | point i of a node |
/// |---|---|---|
/// | `xxh3` | as [`CommonHash`] has it; no [`NamedHash`] | |
/// | `xxh64` | XXH64 with seed 0 | XXH64 of the name with seed i + 1 |
/// | `md5`, `sha256` | the first eight bytes, little-endian | that of the text `NAME#i` |
/// | `fnv1a` | FNV-1a with 64 bits | that of the text `NAME#i` |
/// | `crc32`, `java` | CRC-32, `String.hashCode`: 32 bits, as the high half of 64 | that of the text `NAME#i` |
///
/// A hash without a seed needs a text for each point, so two nodes can mean the same one (`a` with
/// point `1#2`, were there such a number, and `a#1` with point 2); a shared point belongs to the
/// smaller name, as always. A number of 32 bits stands in the high half, so that its ring has the
/// length of the others.
///
/// The point of it is what a weak hash costs: everything else stays as it was.
#[derive(Clone, Copy, Debug)]
pub struct NamedHash {
    hash: &'static HashFn,
    /// How far its value is moved up, so that it fills 64 bits.
    shift: u32,
    /// The hash with a seed, where it has one.
    seeded: Option<Seeded>,
    base: CommonHash,
}

impl NamedHash {
    /// The parameter that chooses a hash; its default is the common hash.
    pub(crate) const PARAM: Param = Param {
        name: "hash",
        role: ParamRole::Other,
        kind: ParamKind::Choice(&["xxh3", "xxh64", "md5", "sha256", "fnv1a", "crc32", "java"]),
        help: "hash of keys and points; one without a seed hashes NAME#i for point i",
    };

    /// The placement that these parameters describe; `None` for the common hash itself.
    ///
    /// # Panics
    ///
    /// When the parameters are of a strategy that does not declare `hash`.
    #[must_use]
    pub fn of(params: &Params) -> Option<Self> {
        let (hash, bits, seeded): (_, _, Option<Seeded>) = match params.word("hash") {
            "xxh64" => (&XXH64, 64, Some(xxh64)),
            "md5" => (&MD5, 64, None),
            "sha256" => (&SHA256, 64, None),
            "fnv1a" => (&FNV1A, 64, None),
            "crc32" => (&CRC32, 32, None),
            "java" => (&JAVA, 32, None),
            _ => return None,
        };
        Some(Self {
            hash,
            shift: u64::BITS - bits,
            seeded,
            base: CommonHash::of(params),
        })
    }

    /// The hash in place of the common one, as a strategy declares it.
    #[must_use]
    pub fn hash_with(params: &Params) -> Option<&'static HashFn> {
        Self::of(params).map(|it| it.hash)
    }

    /// Whether the hash that these parameters choose mixes; the common hash does.
    #[must_use]
    pub fn mixes(params: &Params) -> bool {
        Self::of(params).is_none_or(|it| it.hash.mixes)
    }
}

impl Placement for NamedHash {
    type Position = u64;
    const TIE: Tie = CommonHash::TIE;

    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        (self.hash.eval)(key) << self.shift
    }

    fn n_points(&self, weight: u32, weights: &Weights) -> u64 {
        self.base.n_points(weight, weights)
    }

    fn points(&self, name: &str, n_points: u64, mut place: impl FnMut(u64)) {
        for i in 0..n_points {
            place(match self.seeded {
                Some(seeded) => seeded(name.as_bytes(), i + 1),
                None => self.hash(self.label(name, i).as_bytes()),
            });
        }
    }

    fn label(&self, name: &str, i: u64) -> String {
        match self.seeded {
            Some(_) => self.base.label(name, i),
            None => format!("{name}#{i}"),
        }
    }
}
