//! nginx: answers of Debian's nginx 1.22.1, keys `key0` to `key1999` on its own loopback servers.

use point_hash::md5_hex;
use router::{Cluster, KeyBuf, Position};

use crate::world::{cluster, counts, numbers, owners, points};

#[track_caller]
fn check(nodes: &[(&str, u32)], first: &str, expected: &[usize], owners_md5: &str) -> Cluster {
    let ring = cluster("nginx-consistent", nodes);
    let keys: KeyBuf = (0..2000).map(|i| format!("key{i}")).collect();
    let found = numbers(&ring, &keys);
    assert_eq!(&found[..first.len()], first);
    assert_eq!(counts(&ring, &owners(&ring, &keys)), expected);
    assert_eq!(md5_hex(found.as_bytes()), owners_md5.as_bytes());
    ring
}

#[test]
fn owners_are_those_of_nginx() {
    check(
        &[
            ("127.0.0.1:28101", 1),
            ("127.0.0.1:28102", 1),
            ("127.0.0.1:28103", 1),
            ("127.0.0.1:28104", 1),
            ("127.0.0.1:28105", 1),
        ],
        "0224242424434440204112334224431324040334242210010003014422000340410442014014203240440410040231301034",
        &[402, 427, 366, 381, 424],
        "88eb25dccc4d4cc260f02b3d8fe0ea7e",
    );
    check(
        &[
            ("127.0.0.1:28101", 1),
            ("127.0.0.1:28102", 2),
            ("127.0.0.1:28103", 4),
            ("127.0.0.1:28104", 8),
        ],
        "3333213312330313323213320232333223321331331210210033332223300112220332313013322233323312233332333032",
        &[132, 294, 523, 1051],
        "cc23d3db70f3e82a9b9a2552e742edb2",
    );
}

#[test]
fn sockets_and_ipv6_addresses_are_named_as_nginx_does() {
    check(
        &[
            ("unix:/tmp/a.sock", 1),
            ("127.0.0.1:28102", 3),
            ("[::1]:28103", 2),
        ],
        "2210122111020110212010120101001001121111011221211212112211211022221121012011212211220212100200122101",
        &[382, 940, 678],
        "28b40386be89230d19840ad6fb01f428",
    );
}

/// The check value of CRC-32, and the values of zlib for the empty text and one letter.
#[test]
fn a_key_stands_at_its_crc_32() {
    let ring = cluster("nginx-consistent", &[("a", 1)]);
    for (key, hash) in [("", 0), ("a", 0xe8b7_be43), ("123456789", 0xcbf4_3926)] {
        let trace = ring.trace(key.as_bytes()).unwrap();
        assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)), "{key:?}");
    }
}

/// A node's points are the same whatever its neighbours weigh: a heavier one only adds some.
#[test]
fn points_depend_on_the_nodes_own_weight_alone() {
    let of = |weight, other| {
        let nodes = [("10.0.0.1:80", weight), ("10.0.0.2:80", other)];
        let found = points(&cluster("nginx-consistent", &nodes)).into_iter();
        let own = found.filter(|point| point.1 == "10.0.0.1:80");
        own.map(|point| point.0).collect::<Vec<_>>()
    };
    let one = of(1, 1);
    assert_eq!(one.len(), 160);
    assert_eq!(one, of(1, 7));
    let two = of(2, 1);
    assert_eq!(two.len(), 320);
    assert!(one.iter().all(|point| two.contains(point)));
}
