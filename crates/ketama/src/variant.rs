//! What the variants have in common, and what each says for itself.

use std::{collections::HashSet, fmt::Write as _};

use point_hash::{MD5, md5_batch, md5_words, words_of};
use ring_points::{Placement, Tie, Weights, check as check_points, random_points};
use router::{
    Capabilities, Catalog, Error, ErrorKind, Estimate, KeyBuf, Keys, Members, Params, Question,
    Role, Router, Strategy, WeightSupport,
};

use crate::ring::Ketama;

/// Points that one MD5 digest has room for.
pub(crate) const WORDS: u64 = 4;

/// Digests of a node of average weight: 160 points.
pub(crate) const DIGESTS: u64 = 40;

/// One program's way to lay out the ring. What is not said here is done alike by all.
pub(crate) trait Variant:
    Copy + PartialEq + std::fmt::Debug + Send + Sync + 'static
{
    /// Who keeps a point that two nodes share.
    const TIE: Tie;

    /// Whether a key that hits a point exactly belongs to the point behind it.
    const STRICT: bool = false;

    /// The largest sum of weights that the program can add up.
    const MOST_WEIGHT: u64 = u64::MAX;

    /// Whether the program refuses two nodes that it names alike.
    const UNIQUE_NAMES: bool = false;

    /// The variant that these parameters describe.
    fn of(params: &Params) -> Self;

    /// What it can claim.
    fn capabilities(self) -> Capabilities {
        RENORMALISED
    }

    /// The variant among nodes of these weights, for programs that change their ways with them.
    fn among(self, weights: &Weights) -> Self {
        let _ = weights;
        self
    }

    /// How the program calls the node of this name in its labels; an error says why it cannot.
    fn name(self, node: &str) -> Result<String, String>;

    /// How many points a node of this weight has, which is above 0.
    fn n_points(self, weight: u32, weights: &Weights) -> u64;

    /// The position of a key.
    fn hash(self, key: &[u8]) -> u32 {
        md5_words(key)[0]
    }

    /// The positions of many keys, equal to [`Variant::hash`] key by key.
    fn hash_batch(self, keys: Keys<'_>, hashes: &mut [u32]) {
        md5_batch(keys, |i, digest| hashes[i] = words_of(digest)[0]);
    }

    /// How many hash evaluations [`Variant::hash`] takes.
    fn hash_evals(self, key: &[u8]) -> u32 {
        let _ = key;
        1
    }

    /// Calls `place` with the first `n_points` points of the node that the program calls `name`.
    fn points(self, name: &str, n_points: u64, place: impl FnMut(u32)) {
        let labels = labels(name, n_points / WORDS);
        let mut words = vec![[0; WORDS as usize]; labels.len()];
        md5_batch(labels.keys(), |i, digest| words[i] = words_of(digest));
        words.into_iter().flatten().for_each(place);
    }

    /// What is hashed to get point `i`.
    fn label(self, name: &str, i: u64) -> String {
        format!("{name}-{}", i / WORDS)
    }
}

/// [`Variant::hash_batch`] for a hash of which only one at a time can be had.
pub(crate) fn hash_each(variant: impl Variant, keys: Keys<'_>, hashes: &mut [u32]) {
    for (hash, key) in hashes.iter_mut().zip(keys.iter()) {
        *hash = variant.hash(key);
    }
}

/// The claims of a ring whose shares are computed anew from all weights, with rounding: sometimes
/// even equal nodes have other numbers of points when one joins.
pub(crate) const RENORMALISED: Capabilities = Capabilities {
    history_free: true,
    weights: WeightSupport::Renormalised,
    replicas: true,
    ..Capabilities::NONE
};

/// The labels `name-0`, `name-1`, ...
pub(crate) fn labels(name: &str, n_labels: u64) -> KeyBuf {
    let mut labels = KeyBuf::new();
    let mut label = format!("{name}-");
    let prefix = label.len();
    for i in 0..n_labels {
        label.truncate(prefix);
        write!(label, "{i}").expect("a string takes all that is written");
        labels.push(label.as_bytes());
    }
    labels
}

/// What all strategies of the crate have alike; each adds its name, summary and source.
pub(crate) const fn strategy<V: Variant>() -> Strategy {
    Strategy {
        family: "ketama",
        role: Role::Published,
        hash: &MD5,
        capabilities: |params, _| V::of(params).capabilities(),
        check: check::<V>,
        build: |params, _, _| Ok(build(V::of(params))),
        expected: expected::<V>,
        ..Strategy::DEFAULT
    }
}

fn build<V: Variant>(variant: V) -> Box<dyn Router> {
    Box::new(Ketama::new(variant))
}

/// Checks that the program can name these nodes and add up their weights.
fn check<V: Variant>(params: &Params, members: &Members, _: &Catalog) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::new(ErrorKind::Refused, why));
    let variant = V::of(params).among(&Weights::of(members));
    let mut names = HashSet::new();
    for node in members.iter() {
        let why = match variant.name(&node.name) {
            Ok(name) if !V::UNIQUE_NAMES || names.insert(name.clone()) => continue,
            Ok(name) => format!("another node is called {name:?} by the program"),
            Err(why) => why,
        };
        return refuse(format!("node name {:?}: {why}", node.name));
    }
    let total = members.total_weight();
    if total > V::MOST_WEIGHT {
        return refuse(format!(
            "the weights add up to {total}, and the program counts to {}",
            V::MOST_WEIGHT
        ));
    }
    check_points(&Points(variant), members)
}

/// What theory says: the ring, as long as the number of points of equal nodes stays.
fn expected<V: Variant>(params: &Params, question: Question) -> Option<Estimate> {
    let points = |n_nodes: u64| {
        let n_nodes = n_nodes.max(1);
        let total = n_nodes;
        V::of(params).n_points(1, &Weights { n_nodes, total })
    };
    let n_points = match question {
        Question::ShareVariance { n } | Question::Peak { n } => points(n),
        Question::Moved { n, removed, added } => {
            let after = (n + added).saturating_sub(removed);
            if points(n) != points(after) {
                return None;
            }
            points(n)
        }
        // What a look-up costs does not depend on the points' number.
        _ => DIGESTS * WORDS,
    };
    random_points(n_points, question)
}

/// A variant as the placement of a ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points<V>(pub(crate) V);

impl<V: Variant> Points<V> {
    fn name(&self, node: &str) -> String {
        self.0
            .name(node)
            .unwrap_or_else(|why| panic!("{node:?} was checked: {why}"))
    }
}

impl<V: Variant> Placement for Points<V> {
    type Position = u32;
    const TIE: Tie = V::TIE;

    #[inline]
    fn hash(&self, key: &[u8]) -> u32 {
        self.0.hash(key)
    }

    fn hash_batch(&self, keys: Keys<'_>, hashes: &mut [u32]) {
        self.0.hash_batch(keys, hashes);
    }

    fn n_points(&self, weight: u32, weights: &Weights) -> u64 {
        match weight {
            0 => 0,
            weight => self.0.n_points(weight, weights),
        }
    }

    fn points(&self, node: &str, n_points: u64, place: impl FnMut(u32)) {
        self.0.points(&self.name(node), n_points, place);
    }

    fn label(&self, node: &str, i: u64) -> String {
        self.0.label(&self.name(node), i)
    }
}
