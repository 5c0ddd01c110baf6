//! The Java article's rings, against what its two classes answer when run.
//!
//! The numbers come from the article's own classes under `OpenJDK` 17.0.15: servers 192.168.1.1 to
//! 192.168.1.5, keys in decimal digits. Where the program throws because a key lies past the last
//! point, they are those of the same map with the first entry in its place.

use btree_ring::java::MD5_HASHCODE;
use point_hash::md5_hex;
use router::{Cluster, KeyBuf, NodeId, Position};

use crate::world::{cluster, counts, owner, owners, points};

fn servers() -> Vec<String> {
    (1..=5).map(|i| format!("192.168.1.{i}")).collect()
}

fn plain() -> Cluster {
    cluster("btree-ring-java-plain", &servers())
}

fn virtual_nodes() -> Cluster {
    cluster("btree-ring-java", &servers())
}

fn numbers(n: usize) -> KeyBuf {
    (0..n).map(|i| i.to_string()).collect()
}

/// The last digit of each owner's address, for the keys 0 to n - 1.
fn digits(cluster: &Cluster, n: usize) -> String {
    let found = owners(cluster, &numbers(n)).into_iter();
    found
        .map(|owner| cluster.name(owner).unwrap().chars().next_back().unwrap())
        .collect()
}

#[test]
fn the_two_main_methods_print_these_owners() {
    assert_eq!(digits(&plain(), 10), "4435335153");
    assert_eq!(
        digits(&virtual_nodes(), 100),
        "3211543124214554444321231255212545143415322524144412442115423512114432552511234324324543113524122112"
    );
}

/// The points in signed order, from the smallest up.
#[test]
fn rings_are_those_of_the_programs() {
    let check = |found: &[(Position, String, String)], expected: &[(i64, &str)]| {
        for (found, &(position, digit)) in found.iter().zip(expected) {
            let server = format!("192.168.1.{digit}");
            assert_eq!((found.0, &found.1), (Position::Signed(position), &server));
        }
    };
    let found = points(&plain());
    assert_eq!(found.len(), 5);
    check(
        &found,
        &[
            (-1865928936, "2"),
            (-642580899, "1"),
            (884726303, "3"),
            (1604930002, "4"),
            (1982724243, "5"),
        ],
    );
    assert!(found.iter().all(|(_, owner, label)| owner == label));

    let found = points(&virtual_nodes());
    assert_eq!(found.len(), 500);
    check(
        &found,
        &[
            (-2141399020, "5"),
            (-2129303247, "2"),
            (-2128831616, "1"),
            (-2110630846, "4"),
            (-2109532196, "2"),
            (-2089849378, "3"),
            (-2088506383, "1"),
            (-2084423164, "5"),
            (-2062954282, "5"),
            (-2048988707, "2"),
        ],
    );
    check(
        &found[490..],
        &[
            (2063882514, "1"),
            (2065910021, "2"),
            (2076608541, "5"),
            (2085772715, "5"),
            (2089834832, "3"),
            (2100123095, "3"),
            (2103312075, "1"),
            (2105497815, "4"),
            (2132454173, "1"),
            (2146231038, "2"),
        ],
    );
    let dump: String = found
        .iter()
        .map(|(position, owner, _)| format!("{position} {owner}\n"))
        .collect();
    assert_eq!(
        md5_hex(dump.as_bytes()),
        *b"b9393951976f12ff50858ce1968fc29f"
    );
}

/// The middle number of a label is the server's own hash, with its sign.
#[test]
fn labels_hold_the_servers_own_hash() {
    let points = points(&virtual_nodes());
    for (label, position) in [
        ("192.168.1.1--642580899-0", -1604556492),
        ("192.168.1.1--642580899-99", -1583936374),
        ("192.168.1.2--1865928936-0", 1222524994),
        ("192.168.1.2--1865928936-99", -27046913),
        ("192.168.1.3-884726303-0", 788901230),
        ("192.168.1.3-884726303-99", -1896590638),
        ("192.168.1.4-1604930002-0", 695315484),
        ("192.168.1.4-1604930002-99", 955966462),
        ("192.168.1.5-1982724243-0", 1058533681),
        ("192.168.1.5-1982724243-99", -917153853),
    ] {
        let point = points.iter().find(|point| point.2 == label).unwrap();
        assert_eq!(point.0, Position::Signed(position), "{label}");
    }
}

/// Text beyond ASCII is cut to the low byte of every UTF-16 unit.
#[test]
fn hashes_and_owners_of_single_keys() {
    let cases = [
        ("", -1070354251, "1", "5"),
        ("a", 1561023766, "4", "4"),
        ("0", 1330809503, "4", "3"),
        ("1", 1366816317, "4", "2"),
        ("9", -139082488, "3", "4"),
        ("user0", -656520885, "1", "3"),
        ("192.168.1.1", -642580899, "1", "3"),
        ("192.168.1.1--1", 754577877, "3", "3"),
        ("订单42", 1621811590, "5", "1"),
        ("naïve", -1168767033, "1", "3"),
        ("😀", 393130846, "3", "2"),
        ("é", -2015632481, "2", "4"),
        ("ÿ", -1771278360, "1", "1"),
        ("Ā", 1035540422, "4", "4"),
        ("中", 1258836760, "4", "1"),
        ("testHashInDemo1000000", 120438386, "3", "3"),
    ];
    let (plain, virtual_nodes) = (plain(), virtual_nodes());
    for (key, hash, on_plain, on_virtual) in cases {
        let trace = plain.trace(key.as_bytes()).unwrap();
        assert_eq!(trace.key_hash, Some(Position::Signed(hash)), "{key:?}");
        assert!(owner(&plain, key).ends_with(on_plain), "{key:?}");
        assert!(owner(&virtual_nodes, key).ends_with(on_virtual), "{key:?}");
    }
}

#[test]
fn characters_of_one_low_byte_are_one_key() {
    for ring in [plain(), virtual_nodes()] {
        let hash = |key: &str| ring.trace(key.as_bytes()).unwrap().key_hash;
        assert_eq!(hash("A"), hash("\u{141}"));
        assert_ne!(hash("A"), hash("B"));
        // What is no UTF-8 counts as U+FFFD, whose low byte is FD.
        let broken = ring.trace(&[0xff]).unwrap().key_hash;
        assert_eq!(broken, hash("\u{fffd}"));
        assert_eq!(broken, hash("\u{fd}"));
    }
}

/// T39: past the last point the program throws: 3,798 and 37 of the keys 0 to 100000. Here the
/// first point has them.
#[test]
fn keys_past_the_last_point_wrap() {
    let cases: [(Cluster, usize, &[usize], usize); 2] = [
        (
            plain(),
            3798,
            &[
                71, 83, 94, 103, 119, 145, 151, 190, 204, 236, 380, 392, 410, 464, 472, 490, 495,
                532, 606, 611,
            ],
            38_628,
        ),
        (
            virtual_nodes(),
            37,
            &[
                2437, 3326, 3927, 4402, 14943, 17338, 20403, 21104, 21780, 24570, 25561, 32925,
                34292, 40602, 44033, 47266, 55632, 56334, 57080, 57224,
            ],
            290,
        ),
    ];
    for (ring, n_thrown, first_thrown, n_thrown_of_a_million) in cases {
        let points = points(&ring);
        let (first, last) = (&points[0], &points[points.len() - 1]);
        let hash = |key: &str| (MD5_HASHCODE.eval)(key.as_bytes()) as u32;
        let mut thrown = Vec::new();
        for key in 0..100_001 {
            let text = key.to_string();
            if Position::Signed(hash(&text).cast_signed().into()) > last.0 {
                assert_eq!(owner(&ring, &text), first.1);
                thrown.push(key);
            }
        }
        assert_eq!(thrown.len(), n_thrown);
        assert_eq!(thrown[..20], *first_thrown);
        // By exact shares: what lies past the last point.
        let Position::Signed(last) = last.0 else {
            panic!("signed")
        };
        let share = (2_f64.powi(31) - 1.0 - last as f64) / 2_f64.powi(32);
        let expected = 1e6 * share;
        let slack = 5.0 * expected.sqrt();
        assert!((n_thrown_of_a_million as f64 - expected).abs() < slack);
    }
}

struct Million {
    ring: Cluster,
    /// Keys on each server.
    loads: [usize; 5],
    /// MD5 of the last digit of each owner's address, one behind the other.
    owners_md5: &'static str,
    /// What each server receives when the first, the second, ... leaves.
    received: [[usize; 5]; 5],
}

/// Keys `user0` to `user999999`. Every removal moves the keys of the server that leaves (asked
/// here: all of them) and no other (asked: the first 100,000).
#[test]
fn a_million_keys_and_what_every_removal_moves() {
    let cases = [
        Million {
            ring: plain(),
            loads: [284956, 104398, 355909, 167124, 87613],
            owners_md5: "53cc515af3614215e6beb2059a1c30f7",
            received: [
                [0, 0, 284956, 0, 0],
                [104398, 0, 0, 0, 0],
                [0, 0, 0, 355909, 0],
                [0, 0, 0, 0, 167124],
                [0, 87613, 0, 0, 0],
            ],
        },
        Million {
            ring: virtual_nodes(),
            loads: [201301, 180731, 192199, 224114, 201655],
            owners_md5: "791b7829bb1bb61f9d6fa1e1aea75dd6",
            received: [
                [0, 55186, 25942, 56332, 63841],
                [31274, 0, 44412, 54139, 50906],
                [84677, 40152, 0, 25605, 41765],
                [45942, 46550, 92914, 0, 38708],
                [35056, 53713, 78035, 34851, 0],
            ],
        },
    ];
    let keys: KeyBuf = (0..1_000_000).map(|i| format!("user{i}")).collect();
    for Million {
        ring,
        loads,
        owners_md5,
        received,
    } in cases
    {
        let before = owners(&ring, &keys);
        assert_eq!(counts(&ring, &before), loads);
        let digit = |owner: &NodeId| ring.name(*owner).unwrap().as_bytes()[10];
        let digits: Vec<u8> = before.iter().map(digit).collect();
        assert_eq!(md5_hex(&digits), *owners_md5.as_bytes());
        for (server, expected) in servers().iter().zip(received) {
            let gone = ring.id(server).unwrap();
            let mut left = ring.clone();
            left.remove(server).unwrap();
            let (mut found, mut elsewhere) = ([0; 5], KeyBuf::new());
            for (i, (key, &owner)) in keys.keys().iter().zip(&before).enumerate() {
                if owner == gone {
                    let receiver = left.route(key).unwrap();
                    found[ring.nodes().position(receiver).unwrap()] += 1;
                } else if i < 100_000 {
                    elsewhere.push(key);
                }
            }
            assert_eq!(found, expected, "without {server}");
            assert!(owners(&left, &elsewhere) == owners(&ring, &elsewhere));
        }
    }
}

/// A second server with the point of the first overwrites it, in the map too, so the last one put
/// has it. What is mended: it goes back when that one leaves (T02,
/// <https://github.com/zeromicro/go-zero/issues/5595>).
#[test]
fn the_last_to_join_has_a_shared_point() {
    let cases = [
        (
            "btree-ring-java-plain",
            "node11965",
            "node23342",
            825_234_701,
        ),
        (
            "btree-ring-java-plain",
            "node81346",
            "node94739",
            -494_135_177,
        ),
        ("btree-ring-java", "node902", "node1822", -1_568_830_650),
        ("btree-ring-java", "node1492", "node1844", -1_359_163_681),
        ("btree-ring-java", "node1739", "node1874", -653_149_934),
    ];
    for (spec, a, b, point) in cases {
        for (first, last) in [(a, b), (b, a)] {
            let mut ring = cluster(spec, &[first, last]);
            let keeper = |ring: &Cluster| {
                let points = points(ring).into_iter();
                let mut here = points.filter(|it| it.0 == Position::Signed(point));
                let keeper = here.next().unwrap().1;
                assert!(here.next().is_none());
                keeper
            };
            assert_eq!(keeper(&ring), last, "as built");
            ring.remove(last).unwrap();
            assert_eq!(keeper(&ring), first, "it was never lost");
            ring.add(last).unwrap();
            assert_eq!(keeper(&ring), last, "as added");
            ring.remove(first).unwrap();
            assert_eq!(keeper(&ring), last);
            ring.add(first).unwrap();
            assert_eq!(keeper(&ring), first, "the last one now");
            ring.replace(last, "other").unwrap();
            ring.replace("other", last).unwrap();
            assert_eq!(
                keeper(&ring),
                first,
                "a replacement keeps the place in the order"
            );
        }
    }
}

/// `removeServers` changes its argument and not the ring, or throws. Here a node that leaves is
/// gone, whichever and however many.
#[test]
fn a_server_that_leaves_is_gone() {
    for ring in [plain(), virtual_nodes()] {
        for n in 1..=4 {
            let mut left = ring.clone();
            for server in &servers()[..n] {
                left.remove(server).unwrap();
            }
            let gone = &servers()[..n];
            let present = owners(&left, &numbers(1000));
            assert!(present.iter().all(|&owner| {
                let name = left.name(owner).unwrap();
                !gone.iter().any(|server| server == name)
            }));
        }
    }
}

/// `addSever` puts a sixth point on the first ring.
#[test]
fn a_server_that_comes_has_its_point() {
    let mut ring = plain();
    ring.add("192.168.1.6").unwrap();
    let points = points(&ring);
    assert_eq!(points.len(), 6);
    assert_eq!(points[0].0, Position::Signed(-2_081_932_875));
    assert_eq!(points[0].1, "192.168.1.6");
}

/// `hashCode` mixes nothing, but over the digits of an MD5 it is even: numbered keys over 1,024
/// equal parts of the range, by the high bits and by the low ones. Chi-square with 1,023 degrees of
/// freedom; one false alarm in a million on either side is at 1,258 and 815.
#[test]
fn the_hash_is_as_even_as_chance() {
    let hash = MD5_HASHCODE.eval;
    for shift in [0, 11, 22] {
        let mut parts = vec![0_u32; 1024];
        for i in 0..200_000 {
            let hash = hash(format!("user{i}").as_bytes());
            parts[usize::try_from(hash >> shift).unwrap() % 1024] += 1;
        }
        let mean = 200_000.0 / 1024.0;
        let chi2: f64 = parts
            .iter()
            .map(|&n| (f64::from(n) - mean).powi(2) / mean)
            .sum();
        assert!((815.0..1258.0).contains(&chi2), "{chi2} from bit {shift}");
    }
}

/// An empty ring throws there.
#[test]
fn an_empty_ring_has_no_owner() {
    let nobody: [&str; 0] = [];
    for spec in ["btree-ring-java-plain", "btree-ring-java"] {
        assert_eq!(cluster(spec, &nobody).route(b"x"), None);
    }
}
