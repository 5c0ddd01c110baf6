//! Rings with made-up hashes, and how to ask them.

use std::marker::PhantomData;

use btree_ring::{Rule, TreeRing};
use indexed_ring::IndexedRing;
use linear_ring::{LinearRing, Scan};
use point_hash::xxh3;
use ring_points::{CommonHash, Placement, RingPosition, Tie, Weights};
use router::{
    Catalog, Cluster, KeyBuf, NodeId, NodeSpec, Param, ParamKind, ParamRole, Params, Strategy,
};
use vec_ring::VecRing;

/// Positions with made-up hashes.
pub(crate) trait Made: RingPosition {
    /// The largest position.
    const MAX: Self;

    /// The position `steps` above the smallest.
    fn small(steps: u64) -> Self;

    /// The hash called `name` of these bytes.
    fn hash(name: &str, bytes: &[u8]) -> Self {
        match name {
            "ten" => Self::small(fnv1a(bytes) % 10),
            "seven" => Self::small(7),
            "few" => Self::small(xxh3(bytes) % 17),
            "sixteen" => Self::small(xxh3(bytes) & 0xffff),
            // Point a-0 at the smallest position, b-0 at the largest.
            "corners" => match bytes {
                b"a-0" | b"min" => Self::MIN,
                b"min+1" => Self::small(1),
                b"b-0" | b"max" => Self::MAX,
                _ => Self::small(7),
            },
            _ => panic!("no hash is called {name}"),
        }
    }
}

macro_rules! made {
    ($($integer:ty),*) => {
        $(impl Made for $integer {
            const MAX: Self = Self::MAX;

            fn small(steps: u64) -> Self {
                Self::MIN + Self::from(u16::try_from(steps).unwrap())
            }
        })*
    };
}
made!(u32, u64, u128, i32);

/// Tie rules as constants.
pub(crate) const FIRST: usize = 0;
pub(crate) const LAST: usize = 1;
pub(crate) const NAME: usize = 2;

/// A made-up placement: one hash for keys and for the labels `NODE-NUMBER`.
#[derive(Clone, Debug)]
struct Labelled<T, const TIE: usize> {
    hash: String,
    vnodes: u64,
    position: PhantomData<T>,
}

impl<T: Made, const TIE: usize> Labelled<T, TIE> {
    fn of(params: &Params) -> Self {
        Self {
            hash: params.word("hash").to_owned(),
            vnodes: params.count("vnodes").into(),
            position: PhantomData,
        }
    }
}

impl<T: Made, const TIE: usize> Placement for Labelled<T, TIE> {
    type Position = T;
    const TIE: Tie = [Tie::FirstJoined, Tie::LastJoined, Tie::SmallerName][TIE];

    fn hash(&self, key: &[u8]) -> T {
        T::hash(&self.hash, key)
    }

    fn n_points(&self, weight: u32, _: &Weights) -> u64 {
        self.vnodes * u64::from(weight)
    }

    fn points(&self, name: &str, n_points: u64, mut place: impl FnMut(T)) {
        for i in 0..n_points {
            place(self.hash(self.label(name, i).as_bytes()));
        }
    }

    fn label(&self, name: &str, i: u64) -> String {
        format!("{name}-{i}")
    }
}

/// FNV-1a, 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The rings, scanned, halved, in a tree and indexed, with this type of position and tie rule, the
/// hash of this name and this many points a node.
pub(crate) fn rings<T: Made, const TIE: usize>(
    hash: &str,
    vnodes: u32,
    nodes: &[NodeSpec],
) -> [Cluster; 4] {
    const PARAMS: &[Param] = &[
        Param {
            name: "hash",
            role: ParamRole::Other,
            kind: ParamKind::Choice(&["ten", "seven", "few", "sixteen", "corners"]),
            help: "",
        },
        Param::points_per_node("vnodes", 1, ""),
    ];
    let cluster = |name, build| -> Cluster {
        let strategy = Box::leak(Box::new(Strategy {
            name,
            params: PARAMS,
            capabilities: |_, _| CommonHash::CAPABILITIES,
            build,
            ..Strategy::DEFAULT
        }));
        let catalog = Catalog::new([&*strategy]).unwrap();
        let spec = catalog.parse(&format!("{name}:hash={hash},vnodes={vnodes}"));
        Cluster::build(&spec.unwrap(), nodes).unwrap()
    };
    [
        cluster("scan", |params, _, _| {
            let placement = Labelled::<T, TIE>::of(params);
            Ok(Box::new(LinearRing::new(placement, Scan::AtOrAfter)))
        }),
        cluster("halve", |params, _, _| {
            let placement = Labelled::<T, TIE>::of(params);
            Ok(Box::new(VecRing::new(placement)))
        }),
        cluster("tree", |params, _, _| {
            let placement = Labelled::<T, TIE>::of(params);
            Ok(Box::new(TreeRing::new(placement, Rule::AtOrAfter)))
        }),
        cluster("index", |params, _, _| {
            let placement = Labelled::<T, TIE>::of(params);
            Ok(Box::new(IndexedRing::new(placement)))
        }),
    ]
}

/// The rings of the common hash, with this many points a node.
pub(crate) fn common(vnodes: u32, nodes: &[NodeSpec]) -> [Cluster; 4] {
    let all = [
        linear_ring::STRATEGIES,
        vec_ring::STRATEGIES,
        btree_ring::STRATEGIES,
        indexed_ring::STRATEGIES,
    ];
    let catalog = Catalog::new(all.into_iter().flatten()).unwrap();
    ["linear-ring", "vec-ring", "btree-ring", "indexed-ring"].map(|name| {
        let spec = catalog.parse(&format!("{name}:vnodes={vnodes}")).unwrap();
        Cluster::build(&spec, nodes).unwrap()
    })
}

/// Nodes of weight 1.
pub(crate) fn nodes<S: ToString>(names: impl IntoIterator<Item = S>) -> Vec<NodeSpec> {
    let names = names.into_iter();
    names
        .map(|name| NodeSpec::new(name.to_string(), 1))
        .collect()
}

/// `key-0`, `key-1`, ...
pub(crate) fn keys(n: usize) -> KeyBuf {
    (0..n).map(|i| format!("key-{i}")).collect()
}

/// The owner of every key.
#[track_caller]
pub(crate) fn owners(cluster: &Cluster, keys: &KeyBuf) -> Vec<NodeId> {
    let mut owners = vec![NodeId::default(); keys.len()];
    assert!(
        cluster.route_batch(keys.keys(), &mut owners),
        "{cluster:?} serves"
    );
    owners
}

/// The name of the owner of every key, for clusters that were built apart.
#[track_caller]
pub(crate) fn owner_names<'a>(cluster: &'a Cluster, keys: &KeyBuf) -> Vec<&'a str> {
    let owners = owners(cluster, keys).into_iter();
    owners
        .map(|owner| cluster.name(owner).expect("owners are present"))
        .collect()
}

/// A cluster that was newly built from the nodes of this one.
pub(crate) fn rebuilt(cluster: &Cluster) -> Cluster {
    let present = cluster.nodes().iter();
    let nodes: Vec<NodeSpec> = present
        .map(|node| NodeSpec::new(&*node.name, node.weight))
        .collect();
    Cluster::build(cluster.spec(), &nodes).unwrap()
}

/// Checks that two lists of owners are equal; says where not, instead of printing both.
#[track_caller]
pub(crate) fn assert_same<T: PartialEq + std::fmt::Debug>(one: &[T], other: &[T], because: &str) {
    assert_eq!(one.len(), other.len(), "{because}");
    if let Some(key) = (0..one.len()).find(|&key| one[key] != other[key]) {
        panic!("key {key}: {:?} and {:?}; {because}", one[key], other[key]);
    }
}
