//! The index of buckets against the search that halves: a million keys, every boundary, every change.

use indexed_ring::IndexedRing;
use point_hash::{SplitMix64, xxh3, xxh3_seeded};
use ring_points::{CommonHash, Placement, Tie, Weights};
use router::{Catalog, Change, Cluster, KeyBuf, NodeSpec, Params, Position, Strategy};
use vec_ring::VecRing;

use crate::world::{NAME, assert_same, keys, nodes, owner_names, rings};

/// The points of the common hash, and keys that say in their eight bytes where they stand.
#[derive(Clone)]
struct Written(CommonHash);

impl Placement for Written {
    type Position = u64;
    const TIE: Tie = CommonHash::TIE;

    fn hash(&self, key: &[u8]) -> u64 {
        u64::from_be_bytes(key.try_into().unwrap())
    }

    fn n_points(&self, weight: u32, weights: &Weights) -> u64 {
        self.0.n_points(weight, weights)
    }

    fn points(&self, name: &str, n_points: u64, place: impl FnMut(u64)) {
        self.0.points(name, n_points, place);
    }

    fn label(&self, name: &str, i: u64) -> String {
        self.0.label(name, i)
    }
}

/// The halved and the indexed ring over [`Written`] keys.
fn written(vnodes: u32, nodes: &[NodeSpec]) -> [Cluster; 2] {
    const PARAMS: &[router::Param] = &[CommonHash::VNODES];
    static PAIR: [Strategy; 2] = [
        Strategy {
            name: "halve",
            params: PARAMS,
            capabilities: |_, _| CommonHash::CAPABILITIES,
            build: |params, _, _| Ok(Box::new(VecRing::new(of(params)))),
            ..Strategy::DEFAULT
        },
        Strategy {
            name: "index",
            params: PARAMS,
            capabilities: |_, _| CommonHash::CAPABILITIES,
            build: |params, _, _| Ok(Box::new(IndexedRing::new(of(params)))),
            ..Strategy::DEFAULT
        },
    ];
    fn of(params: &Params) -> Written {
        Written(CommonHash::of(params))
    }
    let catalog = Catalog::new(&PAIR).unwrap();
    ["halve", "index"].map(|name| {
        let spec = catalog.parse(&format!("{name}:vnodes={vnodes}")).unwrap();
        Cluster::build(&spec, nodes).unwrap()
    })
}

/// Every point, one before and one behind it, both ends of the ring, and random positions.
fn boundaries(ring: &Cluster, n_random: u64) -> KeyBuf {
    let positions = ring
        .points()
        .unwrap()
        .into_iter()
        .map(|it| match it.position {
            Position::Unsigned(position) => u64::try_from(position).unwrap(),
            Position::Signed(_) => unreachable!("the common hash is unsigned"),
        });
    let beside = positions.flat_map(|at| [at.wrapping_sub(1), at, at.wrapping_add(1)]);
    let mut draw = SplitMix64::new(n_random);
    let random = (0..n_random).map(|_| draw.draw());
    let all = beside.chain([0, u64::MAX]).chain(random);
    all.map(u64::to_be_bytes).collect()
}

#[track_caller]
fn check_boundaries([halve, index]: &[Cluster; 2], n_random: u64) {
    let keys = boundaries(halve, n_random);
    let expected = owner_names(halve, &keys);
    let because = format!("{} nodes", halve.nodes().len());
    assert_same(&owner_names(index, &keys), &expected, &because);
    let one_by_one = keys
        .keys()
        .iter()
        .map(|key| index.name(index.route(key).unwrap()).unwrap());
    assert_same(&one_by_one.collect::<Vec<_>>(), &expected, &because);
}

/// One node, so that all wraps; a size at which the table gets larger; weights.
#[test]
fn every_boundary_belongs_to_whom_halving_gives_it() {
    for (vnodes, n) in [
        (1, 1),
        (1, 2),
        (2, 1),
        (3, 1),
        (5, 1),
        (1, 11),
        (1, 13),
        (100, 40),
    ] {
        check_boundaries(&written(vnodes, &nodes(0..n)), 1000);
    }
    let weighted: Vec<NodeSpec> = (0..60)
        .map(|i| NodeSpec::new(format!("node{i}"), i % 7))
        .collect();
    check_boundaries(&written(20, &weighted), 1000);
}

/// A hundred random changes of a large ring, with every boundary after each tenth, one after the
/// other and a few together; down to no node, and up again.
#[test]
fn every_boundary_after_random_changes() {
    let mut draw = SplitMix64::new(3);
    let mut rings = written(20, &nodes(0..200));
    let mut below = |n: usize| (draw.draw() % n as u64) as usize;
    for step in 0..100 {
        let present: Vec<String> = rings[0]
            .nodes()
            .iter()
            .map(|it| it.name.to_string())
            .collect();
        let changed = present[below(present.len())].clone();
        let newcomer = NodeSpec::new(format!("newcomer{step}"), below(3) as u32);
        let mut changes = vec![match below(4) {
            0 => Change::Remove(changed),
            1 => Change::SetWeight(NodeSpec::new(changed, below(4) as u32)),
            2 => Change::Replace {
                old: changed,
                new: newcomer.name.clone(),
            },
            _ => Change::Add(newcomer.clone()),
        }];
        if step % 7 == 0 {
            changes.push(Change::Add(NodeSpec::new(format!("twin{step}"), 2)));
        }
        for ring in &mut rings {
            ring.apply(&changes).unwrap();
        }
        if step % 10 == 9 {
            check_boundaries(&rings, 1000);
        }
    }
    let names: Vec<String> = rings[0]
        .nodes()
        .iter()
        .map(|it| it.name.to_string())
        .collect();
    for (i, name) in names.iter().enumerate() {
        if i % 20 == 0 && rings[0].serves() {
            check_boundaries(&rings, 100);
        }
        for ring in &mut rings {
            ring.remove(name).unwrap();
        }
    }
    assert!(
        rings
            .iter()
            .all(|ring| ring.route(b"a key is not asked").is_none())
    );
    for i in 0..50 {
        let node = format!("again{i}");
        for ring in &mut rings {
            ring.add(node.as_str()).unwrap();
        }
        check_boundaries(&rings, 10);
    }
}

#[test]
fn a_million_keys_on_a_large_ring() {
    let all = [vec_ring::STRATEGIES, indexed_ring::STRATEGIES];
    let catalog = Catalog::new(all.into_iter().flatten()).unwrap();
    let [halve, index] = ["vec-ring", "indexed-ring"].map(|name| {
        let spec = catalog.parse(&format!("{name}:vnodes=160")).unwrap();
        Cluster::build(&spec, &nodes(0..500)).unwrap()
    });
    let keys = keys(1_000_000);
    let expected = owner_names(&halve, &keys);
    assert_same(&owner_names(&index, &keys), &expected, "in a batch");
    let one_by_one = keys
        .keys()
        .iter()
        .map(|key| index.name(index.route(key).unwrap()).unwrap());
    assert_same(&one_by_one.collect::<Vec<_>>(), &expected, "one by one");
}

/// Position and owner of every point of a ring.
fn placed(ring: &Cluster) -> Vec<(Position, String)> {
    let points = ring.points().unwrap().into_iter();
    points
        .map(|it| (it.position, ring.name(it.owner).unwrap().to_owned()))
        .collect()
}

/// So many points that they are dealt out before they are sorted, against a plain sort: spread evenly,
/// and all in one 2^-48th of the ring, where most positions have two or more.
#[test]
fn points_that_are_dealt_out_are_sorted() {
    let names: Vec<String> = (0..300).map(|i| format!("node{i}")).collect();
    let mut even: Vec<(Position, String)> = Vec::new();
    let mut crowded = Vec::new();
    for name in &names {
        for i in 0..100 {
            let position = xxh3_seeded(name.as_bytes(), i + 1);
            even.push((Position::Unsigned(position.into()), name.clone()));
            let position = xxh3(format!("{name}-{i}").as_bytes()) & 0xffff;
            crowded.push((Position::Unsigned(position.into()), name.clone()));
        }
    }
    for points in [&mut even, &mut crowded] {
        points.sort();
        points.dedup_by_key(|it| it.0);
    }
    assert_eq!(even.len(), 30_000);
    assert!(crowded.len() < 25_000, "{} positions", crowded.len());
    let nodes = nodes(&names);
    assert_same(&placed(&written(100, &nodes)[1]), &even, "spread evenly");
    for ring in &rings::<u64, NAME>("sixteen", 100, &nodes) {
        assert_same(&placed(ring), &crowded, "crowded");
    }
}
