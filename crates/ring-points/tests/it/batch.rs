//! Many keys at once against one after the other.

use point_hash::{SplitMix64, mix64};
use ring_points::{
    Index, Placement, RingPoint, Tie, Weights, are_many, batch_probes, first_at_or_after,
    route_batch,
};
use router::{KeyBuf, NodeId};

use crate::world::Made;

/// A key is the position where it stands.
#[derive(Clone)]
struct Itself<T>(std::marker::PhantomData<T>);

/// Positions that keys and numbers of 128 bits write: the high bits of a number are the position.
trait Written: Made {
    fn of(bits: u128) -> Self;

    /// `steps` further on, if that is not past the end.
    fn beside(self, steps: i8) -> Option<Self>;

    fn to_key(self) -> Vec<u8>;

    fn of_key(key: &[u8]) -> Self;
}

macro_rules! written {
    ($($integer:ty),*) => {
        $(impl Written for $integer {
            fn of(bits: u128) -> Self {
                ((bits >> (128 - <$integer>::BITS)) as Self).wrapping_add(Self::MIN)
            }

            fn beside(self, steps: i8) -> Option<Self> {
                let one = Self::small(1).wrapping_sub(Self::MIN);
                match steps {
                    0 => Some(self),
                    1.. => self.checked_add(one),
                    _ => self.checked_sub(one),
                }
            }

            fn to_key(self) -> Vec<u8> {
                self.to_be_bytes().to_vec()
            }

            fn of_key(key: &[u8]) -> Self {
                Self::from_be_bytes(key.try_into().unwrap())
            }
        })*
    };
}
written!(u32, u64, u128, i32);

impl<T: Written> Placement for Itself<T> {
    type Position = T;
    const TIE: Tie = Tie::FirstJoined;

    fn hash(&self, key: &[u8]) -> T {
        T::of_key(key)
    }

    fn n_points(&self, _: u32, _: &Weights) -> u64 {
        unreachable!("points are given")
    }

    fn points(&self, _: &str, _: u64, _: impl FnMut(T)) {
        unreachable!("points are given")
    }

    fn label(&self, _: &str, _: u64) -> String {
        unreachable!("points are given")
    }
}

/// Points at these positions, each of a node of its own, so that an owner says which point it was.
fn points<T: Written>(mut positions: Vec<T>) -> Vec<RingPoint<T>> {
    positions.sort_unstable();
    let ids = (1..).map(|id| NodeId::new(id).unwrap());
    let points = positions.into_iter().zip(ids);
    points.map(|(at, id)| RingPoint::new(at, id)).collect()
}

/// Checks that every way to seek many keys finds what looking for each alone finds.
#[track_caller]
fn check<T: Written>(points: &[RingPoint<T>], hashes: &[T], what: &str) {
    let keys: KeyBuf = hashes.iter().map(|hash| hash.to_key()).collect();
    let expected: Vec<NodeId> = hashes
        .iter()
        .map(|&hash| {
            let found = points.partition_point(|point| point.position() < hash);
            points[found % points.len()].owner()
        })
        .collect();
    let same = |found: &[NodeId], way: &str| {
        let differs = (0..hashes.len()).find(|&i| found[i] != expected[i]);
        if let Some(i) = differs {
            panic!(
                "{what}, {way}: {:?} has {:?}, not {:?}",
                hashes[i], found[i], expected[i]
            );
        }
    };
    let placement = Itself(std::marker::PhantomData);
    let settle = |_, found: usize| found % points.len();
    let mut owners = vec![NodeId::default(); hashes.len()];
    let mut batch = |index: Option<&Index>, size: usize, way: &str| {
        owners.fill(NodeId::default());
        for (i, owners) in owners.chunks_mut(size).enumerate() {
            let keys = keys.keys().slice(i * size..i * size + owners.len());
            route_batch(&placement, points, index, keys, owners, settle);
        }
        same(&owners, way);
    };
    batch(None, hashes.len(), "all at once");
    let few = ((points.len() - 1) / 8).min(300);
    if few > 0 {
        assert!(!are_many(few, points.len()));
        batch(None, few, "a few at a time");
    }
    for log in [1, 3, 8, 17] {
        let index = Index::of(points, log);
        batch(Some(&index), hashes.len(), &format!("2^{log} buckets"));
        let one_by_one = hashes.iter().map(|&hash| {
            let found = index.first_at_or_after(points, hash);
            points[found % points.len()].owner()
        });
        same(&one_by_one.collect::<Vec<_>>(), "an index, one by one");
    }
    let halved = hashes.iter().map(|&hash| {
        let found = first_at_or_after(points, hash);
        points[found % points.len()].owner()
    });
    same(&halved.collect::<Vec<_>>(), "by halving");
}

/// Every point and its neighbours, the ends, and random ones.
fn hashes<T: Written>(points: &[RingPoint<T>], n_random: u64) -> Vec<T> {
    let positions = points.iter().map(|point| point.position());
    let beside = positions.flat_map(|at| [-1, 0, 1].map(|steps| at.beside(steps)));
    let mut draw = SplitMix64::new(n_random);
    let random = (0..n_random).map(|_| T::of(bits(&mut draw)));
    let ends = [T::MIN, T::MAX];
    beside.flatten().chain(ends).chain(random).collect()
}

fn bits(draw: &mut SplitMix64) -> u128 {
    u128::from(draw.draw()) << 64 | u128::from(draw.draw())
}

fn check_position<T: Written>() {
    let mut draw = SplitMix64::new(1);
    for n in [
        1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 100, 255, 256, 257, 1000, 5000,
    ] {
        let name = |what| format!("{n} {what} points of {}", std::any::type_name::<T>());
        let bits: Vec<u128> = (0..n).map(|_| bits(&mut draw)).collect();
        let even = points(bits.iter().map(|&bits| T::of(bits)).collect());
        check(&even, &hashes(&even, 2000), &name("even"));
        // All in the first, the last or a middle 2^-16th of the ring.
        for start in [0, u128::MAX << 112, 0xabcd << 112] {
            let crowded = bits.iter().map(|&bits| T::of(start | bits >> 16));
            let crowded = points(crowded.collect());
            check(&crowded, &hashes(&crowded, 500), &name("crowded"));
        }
        // On a few positions, the ends among them.
        let shared = bits.iter().map(|&bits| match bits % 5 {
            0 => T::MIN,
            1 => T::MAX,
            fifth => T::of(fifth << 124),
        });
        let shared = points(shared.collect());
        check(&shared, &hashes(&shared, 500), &name("shared"));
    }
}

#[test]
fn many_at_once_find_what_one_by_one_find() {
    check_position::<u32>();
    check_position::<u64>();
    check_position::<u128>();
    check_position::<i32>();
}

#[test]
fn a_million_keys_on_a_large_ring() {
    let mut draw = SplitMix64::new(2);
    let large = points((0..40_000).map(|_| draw.draw()).collect());
    check(&large, &hashes(&large, 1_000_000), "40,000 points");
}

#[test]
fn no_keys_need_no_points() {
    let none: [RingPoint<u64>; 0] = [];
    let placement = Itself(std::marker::PhantomData);
    let settle = |_, found| found;
    route_batch(
        &placement,
        &none,
        None,
        KeyBuf::new().keys(),
        &mut [],
        settle,
    );
    let index = Index::of(&none, 1);
    assert_eq!(index.first_at_or_after(&none, 5), 0);
    assert_eq!(first_at_or_after(&none, 5), 0);
}

/// A bucket of the index that a batch makes is a power of two of the ring; what is looked at is
/// counted here by going through all points.
#[test]
fn what_a_batch_looks_at_is_counted() {
    let crowd = |i: u64| 0x1234 << 48 | i << 20;
    for (n, position) in [
        (1, mix64 as fn(u64) -> u64),
        (2, mix64),
        (1000, mix64),
        (40, crowd),
    ] {
        let points = points((0..n).map(position).collect());
        let log = Index::log_for(points.len());
        let index = Index::of(&points, log);
        for hash in hashes(&points, 200) {
            let bucket = hash >> (64 - log);
            let inside = points.iter().map(|point| point.position());
            let inside: Vec<u64> = inside.filter(|at| at >> (64 - log) == bucket).collect();
            let n_before = inside.iter().filter(|&&at| at < hash).count();
            let n_behind =
                points.len() - points.partition_point(|it| it.position() >> (64 - log) < bucket);
            let expected = match n_before {
                // The bucket and four points side by side.
                0..4 if n_behind >= 4 => 5,
                // At the end of the ring there are no four.
                n_before if n_behind < 4 => 1 + n_before + 1,
                // Four, and as many as halving 40 takes: 20, 10, 5, 3, 2, 1 and the last.
                _ if inside.len() == 40 => 1 + 4 + 7,
                n_before => {
                    assert!(inside.len() <= 16, "not crowded");
                    1 + 4 + n_before + 1
                }
            };
            let (below, above) = points.split_at(first_at_or_after(&points, hash));
            let found = batch_probes(
                points.len(),
                hash,
                below.iter().rev().map(|point| point.position()),
                above.iter().map(|point| point.position()),
            );
            assert_eq!(found, expected as f64, "{n} points, {hash:x}");
            assert_eq!(index.n_looked_at(&points, hash), expected as u32);
        }
    }
}
