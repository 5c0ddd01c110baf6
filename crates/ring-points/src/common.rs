//! The ring of the common hash, which several strategies search in their own ways.

use point_hash::{xxh3, xxh3_seeded};
use router::{Capabilities, Error, Estimate, Members, Param, Params, Question, WeightSupport};

use crate::{NamedHash, Placement, Tie, Weights, check, random_points};

/// The placement of the common hash: 64-bit positions, a key at its XXH3-64 with seed 0, point `i`
/// of a node at its name's XXH3-64 with seed `i + 1`.
///
/// No label is composed, so no two (node, number) pairs can mean the same text. A node of weight w
/// has w times `vnodes` points, so no weight touches another node's points. A shared point belongs
/// to the smaller name.
///
/// [`NamedHash`] is the same with another hash, for who wants to see what a weak one costs.
///
/// # Short names
///
/// XXH3 adds the seed to the very bits that it xors with some bytes of a short input. Names of
/// exactly three bytes that differ in their last byte alone therefore share nearly all their
/// points, in another order: of `db1` to `db4` with 100 points each 104 positions remain, and `db1`
/// owns 96 % of the keys. Names of seven, eight or sixteen bytes share points where they differ in
/// one or two certain bytes and nowhere else (`web1-db` and `web2-db`: a quarter). All other
/// lengths are free of it, among them every `10.a.b.c:11211`. The ring stays right, only uneven.
#[derive(Clone, Copy, Debug)]
pub struct CommonHash {
    vnodes: u32,
}

impl CommonHash {
    /// Its parameter, in the role of points a node.
    pub const VNODES: Param = Param::points_per_node("vnodes", 100, "points a unit of weight");

    /// Which hash places keys and points; any but the first makes a ring of [`NamedHash`].
    pub const HASH: Param = NamedHash::PARAM;

    /// What a ring of this placement can claim, for an exact search for the first point at or after
    /// the hash.
    pub const CAPABILITIES: Capabilities = Capabilities {
        minimal: true,
        order_free: true,
        history_free: true,
        weights: WeightSupport::Minimal,
        replicas: true,
        ..Capabilities::NONE
    };

    /// What a ring of these parameters can claim: [`CommonHash::CAPABILITIES`]; with a hash that does
    /// not mix loads do not follow weights, so it takes none.
    #[must_use]
    pub fn capabilities(params: &Params) -> Capabilities {
        if NamedHash::mixes(params) {
            return Self::CAPABILITIES;
        }
        Capabilities {
            weights: WeightSupport::No,
            ..Self::CAPABILITIES
        }
    }

    /// The placement that these parameters describe.
    #[must_use]
    pub fn of(params: &Params) -> Self {
        Self {
            vnodes: params.count("vnodes"),
        }
    }

    /// Points a unit of weight.
    #[must_use]
    pub fn vnodes(&self) -> u64 {
        self.vnodes.into()
    }

    /// What theory says of a ring of these parameters: [`random_points`], unless the hash does not
    /// mix; then only what holds whatever the hash.
    #[must_use]
    pub fn theory(params: &Params, question: Question) -> Option<Estimate> {
        let always = matches!(question, Question::HashEvals { .. });
        (always || NamedHash::mixes(params))
            .then(|| random_points(Self::of(params).vnodes(), question))?
    }

    /// Checks that the points of `members` are not too many.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub fn check(params: &Params, members: &Members) -> Result<(), Error> {
        check(&Self::of(params), members)
    }
}

impl Placement for CommonHash {
    type Position = u64;
    const TIE: Tie = Tie::SmallerName;

    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        xxh3(key)
    }

    fn n_points(&self, weight: u32, _: &Weights) -> u64 {
        self.vnodes() * u64::from(weight)
    }

    fn points(&self, name: &str, n_points: u64, mut place: impl FnMut(u64)) {
        for i in 0..n_points {
            place(xxh3_seeded(name.as_bytes(), i + 1));
        }
    }

    fn label(&self, name: &str, i: u64) -> String {
        format!("{name} (seed {})", i + 1)
    }
}
