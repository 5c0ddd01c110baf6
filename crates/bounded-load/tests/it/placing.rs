//! Where keys are placed: a reference from the words of the crate's page, and what must not matter.

use bounded_load::Overflow;
use point_hash::{SplitMix64, xxh3, xxh3_seeded};
use router::{Cluster, KeyBuf, NodeId, NodeSpec};

use crate::world::{bounded, cluster, keys, loads, nodes, placed};

/// The caps of a cluster, by place in joining order.
fn reference_caps(cluster: &Cluster, n_keys: u64, numerator: u64, denominator: u64) -> Vec<u64> {
    let room = (numerator * n_keys).div_ceil(denominator);
    let total = cluster.nodes().total_weight();
    let mut caps: Vec<u64> = cluster
        .nodes()
        .iter()
        .map(|node| room * u64::from(node.weight) / total)
        .collect();
    let cut = |i: &usize| room * u64::from(cluster.nodes()[*i].weight) % total;
    let mut up: Vec<usize> = (0..caps.len()).filter(|i| cut(i) > 0).collect();
    up.sort_by_key(|i| (total - cut(i), xxh3(cluster.nodes()[*i].name.as_bytes())));
    let rest = room - caps.iter().sum::<u64>();
    for &i in &up[..rest as usize] {
        caps[i] += 1;
    }
    let weights = cluster.nodes().iter().map(|node| u64::from(node.weight));
    caps.iter()
        .zip(weights)
        .map(|(&cap, weight)| cap.max(weight.min(1)))
        .collect()
}

/// Owners and probes of all keys, from the definition and the ring alone.
fn reference(ring: &Cluster, keys: &[String], jump: bool, caps: &[u64]) -> Vec<(NodeId, u32)> {
    let mut room = caps.to_vec();
    let mut take = |id: NodeId| {
        let place = ring.nodes().position(id).unwrap();
        let has_room = room[place] > 0;
        room[place] -= u64::from(has_room);
        has_room
    };
    let mut ranked: Vec<NodeId> = ring.nodes().iter().map(|node| node.id).collect();
    ranked.sort_by_key(|&id| xxh3(ring.name(id).unwrap().as_bytes()));
    ranked.retain(|&id| ring.nodes().get(id).unwrap().weight > 0);
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| (xxh3_seeded(keys[i].as_bytes(), 1), &keys[i], i));
    let mut found = vec![None; keys.len()];
    for i in order {
        let key = keys[i].as_bytes();
        let mut walk = ring.preference(key, usize::MAX).unwrap();
        if jump {
            let mut draws = SplitMix64::new(xxh3(key));
            let draws = (0..64 + 8 * walk.len()).map(|_| draws.draw().to_le_bytes());
            let jumps = draws.map(|key| ring.route(&key).unwrap());
            walk = walk.into_iter().take(1).chain(jumps).collect();
        }
        walk.extend(&ranked);
        let place = walk.iter().position(|&id| take(id)).unwrap();
        found[i] = Some((walk[place], place as u32 + 1));
    }
    found.into_iter().flatten().collect()
}

#[track_caller]
fn check_reference(weights: &[u32], n_keys: usize, vnodes: u32) {
    let nodes = weights.iter().enumerate();
    let nodes: Vec<_> = nodes
        .map(|(i, &it)| NodeSpec::new(format!("n{i}"), it))
        .collect();
    let ring = cluster(&format!("vec-ring:vnodes={vnodes}"), &nodes);
    let names: Vec<String> = (0..n_keys).map(|i| format!("key-{}", i / 2)).collect();
    let keys: KeyBuf = names.iter().collect();
    for (text, numerator, factor) in [("1.25", 125, 1.25), ("1.05", 105, 1.05), ("2", 200, 2.0)] {
        let caps = reference_caps(&ring, n_keys as u64, numerator, 100);
        for (overflow, jump) in [(Overflow::Forward, false), (Overflow::RandomJump, true)] {
            let expected = reference(&ring, &names, jump, &caps);
            let found = bounded(vnodes, factor, overflow, &ring).place(keys.keys());
            let pairs: Vec<_> = found.owners.iter().copied().zip(found.probes).collect();
            assert_eq!(pairs, expected, "{text} {overflow:?}");
        }
    }
}

#[test]
fn keys_are_placed_as_described() {
    check_reference(&[1; 10], 1000, 1);
    check_reference(&[1; 10], 1000, 20);
    check_reference(&[1; 40], 15, 1);
    check_reference(&[1; 1], 15, 3);
    check_reference(&[2, 0, 1, 5, 1, 1, 3], 500, 2);
    check_reference(&[1, 1000], 77, 1);
}

/// The order in which keys are given, the owners before, the order of joining, past changes.
#[test]
fn nothing_else_matters() {
    for text in [
        "bounded-load:base=[vec-ring:vnodes=3]",
        "bounded-load:overflow=random-jump",
    ] {
        let mut nodes = nodes(12);
        let one = cluster(text, &nodes);
        let keys = keys(600);
        let first = placed(&one, &keys);
        nodes.reverse();
        assert_eq!(
            placed(&cluster(text, &nodes), &keys),
            first,
            "joining order"
        );

        let mut changed = one.clone();
        changed.remove("node3").unwrap();
        changed.add("another").unwrap();
        let between = placed(&changed, &keys);
        assert_ne!(between, first);
        changed.remove("another").unwrap();
        changed.add("node3").unwrap();
        assert_eq!(placed(&changed, &keys), first, "past changes");

        let mut owners = vec![one.id("node5"); keys.len()];
        one.assign(keys.keys(), &mut owners).unwrap();
        let names: Vec<_> = owners
            .iter()
            .map(|&it| one.name(it.unwrap()).unwrap())
            .collect();
        assert_eq!(names, first, "owners before");

        let backwards: KeyBuf = (0..600).rev().map(|i| keys.keys().get(i)).collect();
        let mut placed = placed(&one, &backwards);
        placed.reverse();
        assert_eq!(placed, first, "order of keys");
    }
}

#[test]
fn no_node_is_above_its_cap() {
    let weights = [1, 8, 0, 2, 5, 4];
    let nodes = weights.iter().enumerate();
    let nodes: Vec<_> = nodes
        .map(|(i, &it)| NodeSpec::new(format!("n{i}"), it))
        .collect();
    for factor in ["1", "1.01", "1.25", "3"] {
        for base in ["vec-ring:vnodes=1", "vec-ring:vnodes=160"] {
            for overflow in ["forward", "random-jump"] {
                let text =
                    format!("bounded-load:base=[{base}],factor={factor},overflow={overflow}");
                let cluster = cluster(&text, &nodes);
                let owners = placed(&cluster, &keys(2000));
                let loads = loads(&cluster, &owners);
                assert_eq!(loads.iter().sum::<u64>(), 2000);
                for (load, weight) in loads.iter().zip(weights) {
                    let ideal = factor.parse::<f64>().unwrap() * 100.0 * f64::from(weight);
                    assert!(*load as f64 <= ideal.ceil(), "{text}: {load} of {ideal}");
                    assert!(weight > 0 || *load == 0);
                }
            }
        }
    }
}

/// Full but for one place in the end: it is found, however unlikely the jumps.
#[test]
fn the_last_place_is_found() {
    for overflow in ["forward", "random-jump"] {
        let text = format!("bounded-load:base=[vec-ring:vnodes=1],factor=1,overflow={overflow}");
        let cluster = cluster(&text, &nodes(300));
        let owners = placed(&cluster, &keys(600));
        assert_eq!(loads(&cluster, &owners), vec![2; 300], "{overflow}");
    }
    // A base that gives every derived key, and every key, one of few nodes.
    let text = "bounded-load:base=sum,factor=1,overflow=random-jump";
    let cluster = cluster(text, &nodes(40));
    let same: KeyBuf = std::iter::repeat_n("key", 40).collect();
    assert_eq!(loads(&cluster, &placed(&cluster, &same)), vec![1; 40]);
}

#[test]
fn a_single_key_is_at_home() {
    for overflow in ["forward", "random-jump"] {
        let cluster = cluster(&format!("bounded-load:overflow={overflow}"), &nodes(40));
        let ring = crate::world::cluster("vec-ring:vnodes=160", &nodes(40));
        for i in 0..100 {
            let key: KeyBuf = [format!("key-{i}")].iter().collect();
            let bytes = key.keys().get(0);
            let home = cluster.name(cluster.route(bytes).unwrap());
            assert_eq!(home, ring.name(ring.route(bytes).unwrap()));
            assert_eq!(home, Some(&*placed(&cluster, &key)[0]));
            assert_eq!(cluster.preference(bytes, 5), ring.preference(bytes, 5));
        }
        assert_eq!(cluster.assign(KeyBuf::new().keys(), &mut []), Some(()));
    }
}

/// A key spills when it is not on its base owner; exactly then more than one node was looked at.
#[test]
fn spilled_keys_are_told_apart() {
    for overflow in ["forward", "random-jump"] {
        let text = format!("bounded-load:base=[vec-ring:vnodes=5],overflow={overflow}");
        let cluster = cluster(&text, &nodes(20));
        let keys = keys(2000);
        let mut owners = vec![None; keys.len()];
        cluster.assign(keys.keys(), &mut owners).unwrap();
        let probes = cluster.assign_probes(keys.keys()).unwrap();
        let home = keys.keys().iter().map(|key| cluster.route(key));
        let at_home: Vec<bool> = owners
            .iter()
            .zip(home)
            .map(|(&it, home)| it == home)
            .collect();
        assert!(
            probes
                .iter()
                .zip(&at_home)
                .all(|(&probes, &at_home)| (probes == 1) == at_home)
        );
        assert!(at_home.contains(&false));
        if overflow == "forward" {
            for ((key, owner), probes) in keys.keys().iter().zip(&owners).zip(&probes) {
                let list = cluster.preference(key, *probes as usize).unwrap();
                assert_eq!(list.last().copied(), *owner);
            }
        }
    }
}
