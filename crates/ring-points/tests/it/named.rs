//! The rings with another hash: by the table of their definition, and by the contract.

use point_hash::{crc32, fnv1a, java_hash_code, md5, sha256, xxh64};
use router::{
    Catalog, Cluster, NodeSpec, Position, Question, Spec,
    suite::{Effort, Verdict, run},
};

const HASHES: [&str; 6] = ["xxh64", "md5", "sha256", "fnv1a", "crc32", "java"];
const RINGS: [&str; 4] = ["btree-ring", "indexed-ring", "linear-ring", "vec-ring"];

fn catalog() -> Catalog {
    let all = [
        btree_ring::STRATEGIES,
        indexed_ring::STRATEGIES,
        linear_ring::STRATEGIES,
        vec_ring::STRATEGIES,
    ];
    Catalog::new(all.into_iter().flatten()).unwrap()
}

fn spec(ring: &str, vnodes: u32, hash: &str) -> Spec {
    let text = format!("{ring}:vnodes={vnodes},hash={hash}");
    catalog().parse(&text).unwrap()
}

fn cluster(spec: &Spec, n: usize) -> Cluster {
    let nodes: Vec<NodeSpec> = (1..=n).map(|i| format!("node-{i}").into()).collect();
    Cluster::build(spec, &nodes).unwrap()
}

/// The position of a text, from the definition.
fn position(hash: &str, text: &str) -> u64 {
    let bytes = text.as_bytes();
    let first = |digest: &[u8]| u64::from_le_bytes(digest[..8].try_into().unwrap());
    match hash {
        "xxh64" => xxh64(bytes, 0),
        "md5" => first(&md5(bytes)),
        "sha256" => first(&sha256(bytes)),
        "fnv1a" => fnv1a(bytes),
        "crc32" => u64::from(crc32(bytes)) << 32,
        _ => u64::from(java_hash_code(bytes).cast_unsigned()) << 32,
    }
}

#[test]
fn keys_and_points_lie_where_the_table_says() {
    for hash in HASHES {
        let ring = cluster(&spec("vec-ring", 3, hash), 1);
        let trace = ring.trace(b"user7").unwrap();
        let at = |position: u64| Position::Unsigned(position.into());
        assert_eq!(trace.key_hash, Some(at(position(hash, "user7"))), "{hash}");
        let mut expected: Vec<Position> = (0..3)
            .map(|i| match hash {
                "xxh64" => at(xxh64(b"node-1", i + 1)),
                _ => at(position(hash, &format!("node-1#{i}"))),
            })
            .collect();
        expected.sort();
        let found = ring.points().unwrap();
        let found: Vec<Position> = found.iter().map(|point| point.position).collect();
        assert_eq!(found, expected, "{hash}");
    }
}

#[test]
fn rings_with_one_hash_place_every_key_alike() {
    for hash in HASHES {
        let clusters = RINGS.map(|ring| cluster(&spec(ring, 5, hash), 7));
        let [first, others @ ..] = &clusters;
        for i in 0..500 {
            let key = format!("key-{i}");
            let owner = |it: &Cluster| {
                it.name(it.route(key.as_bytes()).unwrap())
                    .map(str::to_owned)
            };
            for other in others {
                assert_eq!(owner(other), owner(first), "{other:?}, {key}");
            }
        }
    }
}

#[test]
fn the_contract_holds_with_hashes_that_mix_and_that_do_not() {
    for hash in ["md5", "fnv1a", "crc32"] {
        let spec = spec("vec-ring", 100, hash);
        for outcome in run(&spec, Effort::Gate) {
            if let Verdict::Failed(why) = outcome.verdict {
                panic!("{spec}: {}: {why}", outcome.check);
            }
        }
    }
}

#[test]
fn a_spec_without_the_parameter_is_what_it_was() {
    for ring in RINGS {
        let plain = catalog().parse(ring).unwrap();
        let spelled = catalog().parse(&format!("{ring}:hash=xxh3")).unwrap();
        assert_eq!(
            (plain.to_string(), spelled.to_string()),
            (ring.into(), ring.into())
        );
        assert_eq!(plain.hash().name, "xxh3-64");
        let other = plain.with("hash", "crc32").unwrap();
        assert_eq!(other.to_string(), format!("{ring}:hash=crc32"));
        assert_eq!(other.hash().name, "crc32");
        let err = catalog().parse(&format!("{ring}:hash=sha1")).unwrap_err();
        assert!(err.to_string().contains("xxh3 or xxh64 or md5"), "{err}");
    }
}

/// A hash that does not mix makes no promise; one that does makes that of the common hash.
#[test]
fn theory_is_stated_where_it_holds() {
    let share = Question::ShareVariance { n: 10 };
    let work = Question::HashEvals { n: 10 };
    for hash in HASHES {
        for ring in RINGS {
            let spec = spec(ring, 100, hash);
            let common = catalog().parse(ring).unwrap();
            let expected = spec.hash().mixes.then(|| common.expected(share)).flatten();
            assert_eq!(spec.expected(share), expected, "{spec}");
            assert_eq!(spec.expected(work), common.expected(work), "{spec}");
        }
    }
}
