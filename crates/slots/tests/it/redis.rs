//! Redis Cluster: slots of keys, and the first deal.

use router::{NodeSpec, Position};
use slots::redis::{crc16, hashed_part};

use crate::world::{cluster, key_of_each_slot, nodes, owners, slot, spec};

/// The check value stands in the comments of Redis's src/crc16.c, some of the slots in the
/// specification's examples; all were computed with CRC-16/XMODEM and the tag rule as specified.
#[test]
fn known_slots() {
    assert_eq!(crc16(b"123456789"), 0x31c3);
    let three = cluster("slots-redis", &nodes(3));
    for (key, expected) in [
        ("", 0),
        ("foo", 12182),
        ("bar", 5061),
        ("hello", 866),
        ("world", 9059),
        ("somekey", 11058),
        ("foo{hash_tag}", 2515),
        ("{user1000}.following", 3443),
        ("{user1000}.followers", 3443),
        ("user1000", 3443),
        ("foo{}{bar}", 8363),
        ("foo{{bar}}zap", 4015),
        ("foo{bar}{zap}", 5061),
        ("123456789", 12739),
        ("key:0", 2592),
        ("key:1", 6657),
        ("a", 15495),
        ("b", 3300),
        ("c", 7365),
    ] {
        assert_eq!(slot(&three, key.as_bytes()), expected, "{key}");
        let trace = three.trace(key.as_bytes()).unwrap();
        let hash = crc16(hashed_part(key.as_bytes()));
        assert_eq!(trace.key_hash, Some(Position::Unsigned(hash.into())));
        assert_eq!(trace.point, Some(Position::Unsigned(expected as u128)));
    }
}

#[test]
fn a_tag_is_what_stands_between_the_first_braces() {
    for (key, hashed) in [
        ("", ""),
        ("{", "{"),
        ("}", "}"),
        ("{}", "{}"),
        ("}{", "}{"),
        ("}{a}", "a"),
        ("{a", "{a"),
        ("a}", "a}"),
        ("{a}", "a"),
        ("{a}{b}", "a"),
        ("{}{b}", "{}{b}"),
        ("{{}}", "{"),
        ("x{a b}y", "a b"),
    ] {
        assert_eq!(hashed_part(key.as_bytes()), hashed.as_bytes(), "{key}");
    }
    assert_eq!(hashed_part(b"\xff{\0\xfe}"), b"\0\xfe", "tags are bytes");
}

/// The CRC of all inputs of one and two bytes, bit by bit from the polynomial.
#[test]
fn the_crc_is_the_remainder_of_its_polynomial() {
    let by_bits = |bytes: &[u8]| {
        let message = bytes
            .iter()
            .fold(0_u64, |all, &byte| all << 8 | u64::from(byte))
            << 16;
        let high = (0..48).rev();
        high.fold(message, |rest, bit| match rest >> (bit + 16) & 1 {
            0 => rest,
            _ => rest ^ (0x1_1021 << bit),
        })
    };
    for word in 0..=u16::MAX {
        let bytes = word.to_be_bytes();
        assert_eq!(u64::from(crc16(&bytes)), by_bits(&bytes), "{bytes:?}");
        assert_eq!(u64::from(crc16(&bytes[1..])), by_bits(&bytes[1..]));
    }
}

/// Where every node's range begins.
#[track_caller]
fn check_ranges(n: usize, from: usize, begins: &[usize]) {
    let cluster = cluster("slots-redis", &nodes(n));
    let keys = key_of_each_slot(&cluster, 16384);
    let owners = owners(&cluster, &keys);
    let mut found = vec![0];
    found.extend((1..16384).filter(|&slot| owners[slot] != owners[slot - 1]));
    assert_eq!(found.len(), n, "contiguous");
    assert_eq!(&found[from..from + begins.len()], begins);
}

/// The ranges that `redis-cli --cluster create` prints for three and for six masters. Its loop in
/// single precision, run for 78, begins the 69th range a slot late, at 14284.
#[test]
fn the_first_deal_is_that_of_redis_cli() {
    check_ranges(1, 0, &[0]);
    check_ranges(3, 0, &[0, 5461, 10923]);
    check_ranges(6, 0, &[0, 2731, 5461, 8192, 10923, 13653]);
    check_ranges(78, 67, &[14073, 14283, 14494]);
}

#[test]
fn keys_of_one_tag_stay_together() {
    let mut five = cluster("slots-redis", &nodes(5));
    for change in 0..6 {
        let owner = five.route(b"{user1000}.following");
        for key in ["user1000", "{user1000}", "x{user1000}y{z}"] {
            assert_eq!(five.route(key.as_bytes()), owner);
        }
        match change % 2 {
            0 => five.add(format!("new{change}").as_str()).unwrap(),
            _ => five.remove(&format!("node{change}")).unwrap_or_default(),
        }
    }
}

#[test]
fn there_are_16384_slots() {
    assert_eq!(spec("slots-redis:count=16384").to_string(), "slots-redis");
    let spec = spec("slots-redis");
    assert!(spec.with("count", "4096").is_err());
    assert_eq!(spec.capabilities().max_nodes, Some(16384));
    let zero = [NodeSpec::new("a", 0)];
    assert_eq!(cluster("slots-redis", &zero).route(b"key"), None);
}
