//! Public fault reports about ketama rings, with the right values.
//!
//! Numbers such as T16 are those of a collection of such reports; the values were computed by
//! independent programs, or quoted from libketama.

use std::collections::BTreeMap;

use router::{Catalog, Cluster, KeyBuf, NodeId, Position, Question};

use crate::world::{cluster, counts, keys, numbers, owner, owners, points};

const THREE: [(&str, u32); 3] = [
    ("10.0.0.1:11211", 1),
    ("10.0.0.2:11211", 1),
    ("10.0.0.3:11211", 1),
];

#[track_caller]
fn check_hash(ring: &Cluster, key: &str, hash: u128) {
    let trace = ring.trace(key.as_bytes()).unwrap();
    assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)), "{key:?}");
}

/// T16: ticker symbols all went to one of three servers, because digest bytes were compared in the
/// wrong order. <https://github.com/serialx/hashring/issues/21>
#[test]
fn short_keys_spread() {
    let nodes = [
        ("192.168.0.246:11212", 1),
        ("192.168.0.247:11212", 1),
        ("192.168.0.249:11212", 1),
    ];
    let symbols = "MSFT AAPL AMZN X NFLX AMD APO V SPY TSLA";
    let symbols: KeyBuf = symbols.split(' ').collect();
    assert_eq!(numbers(&cluster("ketama", &nodes), &symbols), "1002021111");
}

/// T13: ten similar keys all went to one of two queues.
/// <https://github.com/cloudamqp/lavinmq/issues/1087>
#[test]
fn similar_keys_spread() {
    let keys = "user123 user1234 user12345 user123456 user1234567 \
                1user123456 2user123456 3user123456 4user123456 5user123456";
    let keys: KeyBuf = keys.split(' ').collect();
    let ring = cluster("ketama", &[("q1", 1), ("q2", 1)]);
    assert_eq!(numbers(&ring, &keys), "0001101011");
}

/// T20: one of two shards had nearly twice the traffic: with 160 points a node two nodes are this
/// uneven. <https://github.com/code-dot-org/code-dot-org/pull/17519>
#[test]
fn two_nodes_are_as_uneven_as_their_arcs() {
    let ring = cluster("ketama", &[("shard-0", 1), ("shard-1", 1)]);
    let shares = ring.shares().unwrap();
    assert!((shares[0] - 0.451_40).abs() < 5e-6, "{shares:?}");
    assert_eq!(shares[0] + shares[1], 1.0);
    assert_eq!(
        counts(&ring, &owners(&ring, &keys(100_000))),
        [45_080, 54_920]
    );
}

/// T28: a client that leaves the default port out builds another ring than one that does not. Names
/// are hashed as they are written. <https://github.com/3rd-Eden/node-hashring/pull/23>
#[test]
fn names_are_hashed_as_written() {
    let keys = keys(10_000);
    let some: KeyBuf = "foo bar hello key-0 key-1 key-2".split(' ').collect();
    let with = cluster("ketama", &THREE);
    let without = cluster(
        "ketama",
        &[("10.0.0.1", 1), ("10.0.0.2", 1), ("10.0.0.3", 1)],
    );
    assert_eq!(numbers(&with, &some), "200100");
    assert_eq!(numbers(&without, &some), "111210");
    assert_eq!(counts(&with, &owners(&with, &keys)), [3586, 3270, 3144]);
    assert_eq!(
        counts(&without, &owners(&without, &keys)),
        [3818, 3195, 2987]
    );
    let (with, without) = (numbers(&with, &keys), numbers(&without, &keys));
    let differ = with.bytes().zip(without.bytes()).filter(|(a, b)| a != b);
    assert_eq!(differ.count(), 6355);
}

/// T29: three of the four words of a digest were used, and a quarter of the keys differed from the
/// C library. <https://github.com/Doist/hash_ring/issues/15>
#[test]
fn all_four_words_of_a_digest_are_points() {
    let ring = cluster("ketama", &THREE);
    check_hash(&ring, "", 3_649_838_548);
    check_hash(&ring, "foo", 3_675_831_724);
    check_hash(&ring, "hello", 708_854_109);
    check_hash(&ring, "key-0", 2_123_055_796);
    let mut per_label = BTreeMap::new();
    for (_, _, label) in points(&ring) {
        *per_label.entry(label).or_insert(0) += 1;
    }
    assert_eq!(per_label.len(), 120);
    assert!(per_label.values().all(|&n_words| n_words == 4));
}

/// T33: names longer than a buffer were cut, or bytes behind the buffer hashed.
/// <https://github.com/twitter/twemproxy/pull/567>
#[test]
fn long_names_are_hashed_whole() {
    let name = |end: &str| format!("cache-cluster-{}{end}.example.com:11211", "x".repeat(90));
    let (a, b) = (name("-a"), name("-b"));
    let ring = cluster("ketama", &[(&a, 1), (&b, 1)]);
    assert_eq!((a.len(), points(&ring).len()), (124, 320));
    assert_eq!(counts(&ring, &owners(&ring, &keys(10_000))), [4999, 5001]);
}

/// T39: keys above the last point and below the first one.
/// <https://github.com/predis/predis/issues/2>
#[test]
fn the_ends_of_the_ring_belong_to_the_first_point() {
    let ring = cluster("ketama", &[("alpha", 1), ("beta", 1), ("gamma", 1)]);
    let found = points(&ring);
    let (first, last) = (&found[0], &found[found.len() - 1]);
    assert_eq!(
        (first.0, first.1.as_str()),
        (Position::Unsigned(8_391_929), "alpha")
    );
    assert_eq!(
        (last.0, last.1.as_str()),
        (Position::Unsigned(4_294_218_021), "gamma")
    );
    for (key, hash) in [
        ("w2740", 4_294_915_266),
        ("w4959", 4_294_819_224),
        ("w10112", 4_294_884_143),
        ("w1048", 4_410_882),
        ("w1126", 2_181_455),
        ("w1164", 110_745),
    ] {
        check_hash(&ring, key, hash);
        let trace = ring.trace(key.as_bytes()).unwrap();
        assert_eq!(trace.point, Some(first.0));
        assert_eq!(owner(&ring, key), "alpha", "{key}");
    }
}

/// T92: keys that look equal are not: bytes are hashed as they come.
/// <https://github.com/andrasq/consistent-hash-js/issues/1>
#[test]
fn keys_are_bytes() {
    let ring = cluster("ketama", &THREE);
    for (key, host, hash) in [
        ("caf\u{e9}", "10.0.0.2:11211", 3_833_532_679),
        ("cafe\u{301}", "10.0.0.3:11211", 1_700_309_008),
        ("Foo", "10.0.0.1:11211", 2_110_150_163),
        ("foo", "10.0.0.3:11211", 3_675_831_724),
        ("foo ", "10.0.0.3:11211", 1_182_678_488),
        ("", "10.0.0.2:11211", 3_649_838_548),
    ] {
        check_hash(&ring, key, hash);
        assert_eq!(owner(&ring, key), host, "{key:?}");
    }
    let long = vec![b'x'; 1 << 20];
    for key in [&b"a\0b"[..], &[0xff, 0xfe], &long] {
        assert!(ring.route(key).is_some());
    }
}

/// T02: labels of two nodes with one 32-bit value, beyond the first 40 digests: neither loses it
/// when the other leaves, in either order. <https://github.com/zeromicro/go-zero/issues/4747>
#[test]
fn shared_points_of_larger_rings_are_not_lost() {
    let cases = [
        ("node-71", "node-407", 3_210_284_648),
        ("node989", "node994", 864_239_698),
        ("server114", "server380", 1_216_845_946),
    ];
    for (a, b, point) in cases {
        let keeper = |ring: &Cluster| {
            let mut points = points(ring).into_iter();
            points
                .find(|it| it.0 == Position::Unsigned(point))
                .unwrap()
                .1
        };
        for (first, second) in [(a, b), (b, a)] {
            let ring = cluster("ketama:points=400", &[(first, 1), (second, 1)]);
            assert_eq!(keeper(&ring), a.min(b));
            for (gone, left) in [(first, second), (second, first)] {
                let mut ring = ring.clone();
                ring.remove(gone).unwrap();
                assert_eq!(keeper(&ring), left);
                assert_eq!(points(&ring).len(), 400);
            }
        }
    }
}

/// T03: collisions on a ring of 32 bits stopped it from being built.
/// <https://github.com/akkadotnet/akka.net/issues/8031>
#[test]
fn many_nodes_share_points_and_all_have_keys() {
    let mut ring = cluster("ketama:points=128", &[]);
    for i in 0..1024 {
        ring.add(i.to_string()).unwrap();
    }
    // 131,072 points of 32 bits share two in the mean.
    let n_points = points(&ring).len();
    assert!((131_055..=131_072).contains(&n_points), "{n_points}");
    assert!(ring.shares().unwrap().iter().all(|&share| share > 0.0));
}

/// T45: more words were asked of a digest than it has; T44: 0 points meant some.
/// <https://github.com/3rd-Eden/node-hashring/issues/44>
#[test]
fn numbers_of_points_come_in_fours() {
    let catalog = Catalog::new(ketama::STRATEGIES).unwrap();
    for points in ["0", "-4", "2", "5", "158", "161", "134217732", "4294967296"] {
        let err = catalog
            .parse(&format!("ketama:points={points}"))
            .unwrap_err();
        let range = "from 4 to 134217728, a multiple of 4";
        assert!(err.to_string().contains(range), "{err}");
    }
    for n_points in [4, 8, 160, 400] {
        let ring = cluster(&format!("ketama:points={n_points}"), &[("a", 1), ("b", 1)]);
        assert_eq!(points(&ring).len(), 2 * n_points);
    }
}

/// T07: the order of adding decided. T11: the number in a list decided.
/// <https://github.com/3rd-Eden/node-hashring/issues/11>
#[test]
fn neither_order_nor_number_matters() {
    let nodes: Vec<String> = (0..10).map(|i| format!("node-{i}")).collect();
    let mut nodes: Vec<(&str, u32)> = nodes.iter().map(|name| (name.as_str(), 1)).collect();
    let keys = keys(10_000);
    let mut ring = cluster("ketama", &nodes);
    nodes.reverse();
    let backwards = cluster("ketama", &nodes);
    let names = |ring: &Cluster| -> Vec<String> {
        let found = owners(ring, &keys).into_iter();
        found
            .map(|owner| ring.name(owner).unwrap().to_owned())
            .collect()
    };
    let before = names(&ring);
    assert!(names(&backwards) == before);
    ring.remove("node-5").unwrap();
    for (before, after) in before.iter().zip(names(&ring)) {
        assert_eq!(*before == after, before != "node-5");
    }
    ring.add("node-5").unwrap();
    assert!(names(&ring) == before);
}

/// The owner is that of the point that the trace names, and the probes are a bucket and a handful of
/// points, whatever their number.
#[test]
fn traces_tell_the_look_up() {
    for n in [1, 2, 10, 40] {
        let nodes: Vec<String> = (0..n).map(|i| format!("node-{i}")).collect();
        let nodes: Vec<(&str, u32)> = nodes.iter().map(|name| (name.as_str(), 1)).collect();
        let ring = cluster("ketama", &nodes);
        let found = ring.points().unwrap();
        for key in keys(100).keys().iter() {
            let trace = ring.trace(key).unwrap();
            let hash = trace.key_hash.unwrap();
            let at_or_after = found.iter().find(|point| point.position >= hash);
            let point = at_or_after.unwrap_or(&found[0]);
            assert_eq!(trace.point, Some(point.position));
            assert_eq!(trace.label.as_ref(), Some(&point.label));
            assert_eq!(ring.route(key), Some(point.owner));
            assert!((2..=18).contains(&trace.probes), "{} probes", trace.probes);
            assert_eq!(trace.batch_probes, f64::from(trace.probes));
        }
    }
}

/// The spread of shares over 200 deployments is that of 160 random points a node, within five
/// standard errors (one false alarm in a million, and the names are fixed).
#[test]
fn words_of_one_digest_are_as_good_as_random_points() {
    let samples: Vec<f64> = (0..200)
        .map(|i| {
            let nodes: Vec<String> = (0..10).map(|j| format!("10.{i}.{j}.1:11211")).collect();
            let nodes: Vec<(&str, u32)> = nodes.iter().map(|name| (name.as_str(), 1)).collect();
            let shares = cluster("ketama", &nodes).shares().unwrap();
            let squares = shares.iter().map(|share| (10.0 * share - 1.0).powi(2));
            squares.sum::<f64>() / 10.0
        })
        .collect();
    let mean = samples.iter().sum::<f64>() / 200.0;
    let squares = samples.iter().map(|it| (it - mean).powi(2));
    let error = (squares.sum::<f64>() / (199.0 * 200.0)).sqrt();
    let question = Question::ShareVariance { n: 10 };
    let expected = cluster("ketama", &[])
        .spec()
        .expected(question)
        .unwrap()
        .mean;
    assert!(
        (mean - expected).abs() < 5.0 * error,
        "{mean} +- {error}, {expected}"
    );
}

/// Keys of all lengths, the empty one, and those that hit a point exactly, all at once and few at a
/// time.
#[test]
fn a_batch_is_the_same_as_one_by_one() {
    let names: Vec<String> = (1..=12).map(|i| format!("10.0.0.{i}:11211")).collect();
    let nodes: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let lengths = (0..150).map(|len| "k".repeat(len));
    for strategy in ketama::STRATEGIES {
        let ring = cluster(strategy.name, &nodes);
        let labels = ring.points().unwrap().into_iter().map(|point| point.label);
        let random = (0..3000).map(|i| format!("key-{i}"));
        let keys: KeyBuf = lengths.clone().chain(labels).chain(random).collect();
        let mut few = vec![NodeId::default(); keys.len()];
        for (i, owners) in few.chunks_mut(100).enumerate() {
            let keys = keys.keys().slice(100 * i..100 * i + owners.len());
            assert!(ring.route_batch(keys, owners));
        }
        for (i, all) in owners(&ring, &keys).into_iter().enumerate() {
            let key = keys.keys().get(i);
            let one = ring.route(key);
            assert_eq!(
                (one, one),
                (Some(all), Some(few[i])),
                "{strategy:?}, {key:?}"
            );
        }
    }
}
