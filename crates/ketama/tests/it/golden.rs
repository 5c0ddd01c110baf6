//! Rings and owners of Richard Jones's libketama.
//!
//! The numbers come from libketama at commit 18cf9a77, compiled by gcc 12.2: keys `key0` to
//! `key99999` and some special ones, nodes by their number in the list. Where every weight is equal
//! and no point is shared, ours is that ring; so it is for these weights, where both formulas round
//! alike.

use point_hash::md5_hex;
use router::{Cluster, KeyBuf, Position};

use crate::world::{cluster, counts, numbers, owner, owners, points};

struct Ring {
    name: &'static str,
    nodes: &'static [(&'static str, u32)],
    /// Points on each node.
    points: &'static [usize],
    /// MD5 of a line `POINT NUMBER` for every point in order.
    ring_md5: &'static str,
    first_points: [(u128, usize); 5],
    last_points: [(u128, usize); 5],
    /// The number of the owner of `key0` to `key199`.
    keys: &'static str,
    /// The same for the special keys.
    specials: &'static str,
    /// Of `key0` to `key99999`.
    counts: &'static [usize],
    /// MD5 of the numbers of their owners, one behind the other.
    owners_md5: &'static str,
}

/// Special keys and their hashes: points' own labels, keys around a shared point, keys past the
/// last point, text.
#[rustfmt::skip]
const SPECIALS: &[(&str, u128)] = &[
    ("", 3649838548),
    ("a", 3111502092),
    ("user0", 3867103549),
    ("dustin", 1781780484),
    ("noelani", 389303636),
    ("some other key", 134390801),
    ("V5XS8C8N", 4294959953),
    ("8KR2DKR2", 4294896037),
    ("L9KH6X4X", 4294926724),
    ("VDEAAAAA", 4294758837),
    ("36", 3876899353),
    ("10037", 379833932),
    ("22051", 2767947664),
    ("49044", 1186668514),
    ("10.0.1.1:11211-0", 2431485715),
    ("10.0.1.2:11211-0", 1323065946),
    ("10.0.1.1-0", 2383802539),
    ("10.0.1.2-0", 3602513461),
    ("10.0.1.3-0", 477627326),
    ("127.0.0.1:10001-7", 3402804299),
    ("订单42", 595247445),
    ("naïve", 1805420899),
    ("😀", 3286893098),
    ("192.168.1.1", 1291841382),
    ("tie64", 3118065055),
    ("tie298", 3126952160),
    ("tie395", 3141066639),
    ("tie4847", 294739098),
    ("tie7151", 294838652),
    ("tie18833", 294970797),
];

#[rustfmt::skip]
const RINGS: &[Ring] = &[
    Ring {
        name: "eq4",
        nodes: &[("10.0.1.1:11211", 1), ("10.0.1.2:11211", 1), ("10.0.1.3:11211", 1), ("10.0.1.4:11211", 1)],
        points: &[160, 160, 160, 160],
        ring_md5: "c48656ae57fbb9090091f60200db0e49",
        first_points: [(4398564, 3), (4826654, 1), (10171922, 0), (24617692, 2), (24991403, 1)],
        last_points: [(4274420475, 1), (4282232768, 3), (4283572395, 3), (4284233799, 1), (4290013132, 3)],
        keys: "33001202123101123112122313312221020231212303331203121010103001213322130031231201103331213002120023133030221000120013302031021210213000020103131122231212222033202332211312302223221003320133203032100232",
        specials: "320333333311120100300213221000",
        counts: &[25676, 21591, 24740, 27993],
        owners_md5: "e40c405f6f1d75ce7259f85ab3f37954",
    },
    Ring {
        name: "eq8",
        nodes: &[("10.0.1.1:11211", 1), ("10.0.1.2:11211", 1), ("10.0.1.3:11211", 1), ("10.0.1.4:11211", 1), ("10.0.1.5:11211", 1), ("10.0.1.6:11211", 1), ("10.0.1.7:11211", 1), ("10.0.1.8:11211", 1)],
        points: &[160, 160, 160, 160, 160, 160, 160, 160],
        ring_md5: "e8e54cb8d3dab5919ffb0b7d94c443dd",
        first_points: [(762113, 4), (2322555, 4), (3967256, 5), (4398564, 3), (4826654, 1)],
        last_points: [(4288704206, 7), (4290012084, 6), (4290013132, 3), (4290842419, 6), (4293620028, 4)],
        keys: "36671504426101725172126713662271060234572453576207121716103601713772157067531271504657213576620523753030261077127053705735026615515077654405741762551242222737652372261714556226221606624543605437176236",
        specials: "370373444411150100667754221777",
        counts: &[11994, 11495, 12755, 11496, 11606, 12006, 15106, 13542],
        owners_md5: "e6d1c9394242a4e516cf945e8d039a32",
    },
    Ring {
        name: "local4",
        nodes: &[("127.0.0.1:10000", 1), ("127.0.0.1:10001", 1), ("127.0.0.1:10002", 1), ("127.0.0.1:10003", 1)],
        points: &[160, 160, 160, 160],
        ring_md5: "ca1a43ac733e3299d34a4fdcda31dd04",
        first_points: [(3957321, 3), (6058614, 3), (8770169, 3), (13981762, 2), (20192957, 2)],
        last_points: [(4278060682, 3), (4279852820, 2), (4286936908, 0), (4294863066, 1), (4294887009, 0)],
        keys: "11332230032200211210102031210023232200100013321111230132312311303120030323112232111122122230012111113130031002130201133323230211031310030130011031112223211032210113330110130331233212321002313102301211",
        specials: "202020333123133300112233323000",
        counts: &[22137, 27371, 24790, 25702],
        owners_md5: "4e55387cea93cd3244f369c173f03b31",
    },
    Ring {
        name: "local5",
        nodes: &[("127.0.0.1:10000", 1), ("127.0.0.1:10001", 1), ("127.0.0.1:10002", 1), ("127.0.0.1:10003", 1), ("127.0.0.1:10004", 1)],
        points: &[160, 160, 160, 160, 160],
        ring_md5: "546a18a6b6cf6ddd3770a648477ac022",
        first_points: [(3957321, 3), (6058614, 3), (8770169, 3), (13981762, 2), (14908411, 4)],
        last_points: [(4279852820, 2), (4283125206, 4), (4286936908, 0), (4294863066, 1), (4294887009, 0)],
        keys: "11334240032204211210404434210023244200140043321111234142312314304420030443112232411122142230012441414130434044134241433323434441031414034144011041142223211432244114344140430331243244341444413402301211",
        specials: "404024333123143300114233323000",
        counts: &[17080, 20738, 20665, 20227, 21290],
        owners_md5: "2a346d1548c36e6ab15b2d692ce3f210",
    },
    Ring {
        name: "mixed2",
        nodes: &[("127.0.0.1:11211", 8), ("127.0.0.1:11212", 8)],
        points: &[160, 160],
        ring_md5: "2f59cae466079e3f2429399d5e313abb",
        first_points: [(13595443, 0), (15946801, 1), (24051458, 1), (32225788, 1), (57888703, 1)],
        last_points: [(4234922653, 0), (4236239222, 1), (4280546460, 0), (4289954118, 1), (4292320248, 0)],
        keys: "00100110111101001000011110001100000000001101010001001011001100100000000110011010001000011000011011101010110001111100011100011001010101011100010001100011000100001101101000011011110101011101010000100110",
        specials: "010000000000010100001000110111",
        counts: &[54066, 45934],
        owners_md5: "64b6e75e8d9af04b4a8196a42d5b7037",
    },
    Ring {
        name: "single",
        nodes: &[("10.0.1.1:11211", 1)],
        points: &[160],
        ring_md5: "70523de45d74f337a6598d26335b86c6",
        first_points: [(10171922, 0), (44145334, 0), (54547213, 0), (68990823, 0), (100894374, 0)],
        last_points: [(4220243681, 0), (4236804588, 0), (4240443177, 0), (4252549221, 0), (4263324232, 0)],
        keys: "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
        specials: "000000000000000000000000000000",
        counts: &[100000],
        owners_md5: "b772806a86aa4c59cc9a3257ba77cea4",
    },
    Ring {
        name: "tieHostAB",
        nodes: &[("10.0.3.100:11211", 1), ("10.0.4.1:11211", 1)],
        points: &[160, 160],
        ring_md5: "ab99c43920588025555cac7b5debadb1",
        first_points: [(25884882, 0), (42908193, 0), (45608217, 0), (52559293, 0), (64070236, 1)],
        last_points: [(4256539944, 1), (4272474977, 0), (4276290320, 1), (4288481020, 0), (4289641996, 1)],
        keys: "00101110110111001001011001100101101100101001000110011000110111000101101111000001001100111111011011011001000101111101100110010000101011001001111101111001111100010110011001111111101010110001000010111000",
        specials: "100100000000101101001100001000",
        counts: &[48991, 51009],
        owners_md5: "18bfdf87b6d390153771a5dd7b06dabc",
    },
    Ring {
        name: "tieHostBA",
        nodes: &[("10.0.4.1:11211", 1), ("10.0.3.100:11211", 1)],
        points: &[160, 160],
        ring_md5: "ad017e71a5afe93abf3f3121af7deaa9",
        first_points: [(25884882, 1), (42908193, 1), (45608217, 1), (52559293, 1), (64070236, 0)],
        last_points: [(4256539944, 0), (4272474977, 1), (4276290320, 0), (4288481020, 1), (4289641996, 0)],
        keys: "11010001001000110110100110011010010011010110111001100111001000111010010000111110110011000000100100100110111010000010011001101111010100110110000010000110000011101001100110000000010101001110111101000111",
        specials: "011011111111010010110011110111",
        counts: &[51009, 48991],
        owners_md5: "73f93516f16c298ffa363c716854d552",
    },
    Ring {
        name: "w1248",
        nodes: &[("10.0.1.1:11211", 1), ("10.0.1.2:11211", 2), ("10.0.1.3:11211", 4), ("10.0.1.4:11211", 8)],
        points: &[40, 84, 168, 340],
        ring_md5: "cb153f02f15b9ee3f0531f3b2bcfe2bf",
        first_points: [(4398564, 3), (24107170, 3), (24617692, 2), (24991403, 1), (34787257, 3)],
        last_points: [(4274268059, 2), (4282232768, 3), (4283572395, 3), (4285023657, 3), (4290013132, 3)],
        keys: "33331222123101323313333333332231322233313333331233121033133023313333333333332231123333213022130223333032231330323133323031132210213133322333333332230212222333222332211312332323223333323233323333333333",
        specials: "330333333333120130330213221333",
        counts: &[7123, 12029, 24769, 56079],
        owners_md5: "69bf91a8886d58084f00453dc873d7df",
    },
    Ring {
        name: "w357",
        nodes: &[("10.0.1.1:11211", 3), ("10.0.1.2:11211", 5), ("10.0.1.3:11211", 7)],
        points: &[96, 160, 224],
        ring_md5: "c25238f00560ee046ee773677c48db8b",
        first_points: [(4826654, 1), (10171922, 0), (24617692, 2), (24991403, 1), (26122064, 1)],
        last_points: [(4263324232, 0), (4269407830, 2), (4274268059, 2), (4274420475, 1), (4284233799, 1)],
        keys: "21201222122101120112122210212221122211212202021221121012121021212222102011221211121211210022120020110012221200121111222001021212212001020101101122211212222121222022211212122221221001120110201002100222",
        specials: "220122111121120110200211221222",
        counts: &[21271, 32768, 45961],
        owners_md5: "90d124c399168bddfbf47b797dc870fa",
    },
    Ring {
        name: "rj8",
        nodes: &[("10.0.1.1:11211", 600), ("10.0.1.2:11211", 300), ("10.0.1.3:11211", 200), ("10.0.1.4:11211", 350), ("10.0.1.5:11211", 1000), ("10.0.1.6:11211", 800), ("10.0.1.7:11211", 950), ("10.0.1.8:11211", 100)],
        points: &[176, 88, 56, 104, 296, 236, 280, 28],
        ring_md5: "3985d449b3bdbb1330e24433775e7b51",
        first_points: [(762113, 4), (2322555, 4), (3967256, 5), (4398564, 3), (10171922, 0)],
        last_points: [(4288366749, 4), (4290012084, 6), (4290013132, 3), (4290842419, 6), (4293620028, 4)],
        keys: "36401504446144414112646453662261060654565453546505124546103644513262157064532451544654513576660525453030251004446053245465066615515046654465444465560242044666454526664014566526265646624546604406646135",
        specials: "370665444414140104644754621777",
        counts: &[12426, 6579, 4830, 7395, 23583, 18908, 24013, 2266],
        owners_md5: "82a95ac985399babf2735856cc05813f",
    },
    Ring {
        name: "ports4",
        nodes: &[("10.0.1.1:11211", 1), ("10.0.1.1:11212", 2), ("10.0.1.1:11213", 4), ("10.0.1.2:11211", 8)],
        points: &[40, 84, 168, 340],
        ring_md5: "9431091f49daea6a1db6e1ee6d4cf082",
        first_points: [(3623736, 3), (4826654, 3), (17791533, 1), (24991403, 3), (26122064, 3)],
        last_points: [(4264713486, 3), (4268726085, 2), (4274420475, 3), (4284233799, 3), (4292050842, 3)],
        keys: "22333200331233332332331233223333233223333302333333333223333033333231332233333223333123332333230332322033213132322333233001223233333122033313311331333332333223331211333232333212313232231332132323113321",
        specials: "310333333333330333232312113222",
        counts: &[6591, 15375, 26155, 51879],
        owners_md5: "868b8d0f4167a8fb701396845e5169e1",
    },
];

#[test]
fn rings_are_those_of_libketama() {
    for ring in RINGS {
        let cluster = cluster("ketama", ring.nodes);
        let number = |name: &str| ring.nodes.iter().position(|node| node.0 == name).unwrap();
        let found: Vec<(Position, usize)> = points(&cluster)
            .into_iter()
            .map(|(position, owner, _)| (position, number(&owner)))
            .collect();
        let mut per_node = vec![0; ring.nodes.len()];
        for &(_, owner) in &found {
            per_node[owner] += 1;
        }
        assert_eq!(per_node, ring.points, "{}", ring.name);
        let ends = found[..5].iter().chain(&found[found.len() - 5..]);
        let expected = ring.first_points.iter().chain(&ring.last_points);
        for (&found, &(position, owner)) in ends.zip(expected) {
            assert_eq!(
                found,
                (Position::Unsigned(position), owner),
                "{}",
                ring.name
            );
        }
        let dump: String = found
            .iter()
            .map(|(at, owner)| format!("{at} {owner}\n"))
            .collect();
        assert_eq!(
            md5_hex(dump.as_bytes()),
            ring.ring_md5.as_bytes(),
            "{}",
            ring.name
        );
    }
}

#[test]
fn owners_are_those_of_libketama() {
    let keys: KeyBuf = (0..100_000).map(|i| format!("key{i}")).collect();
    let specials: KeyBuf = SPECIALS.iter().map(|special| special.0).collect();
    for ring in RINGS {
        let cluster = cluster("ketama", ring.nodes);
        let found = numbers(&cluster, &keys);
        assert_eq!(&found[..200], ring.keys, "{}", ring.name);
        assert_eq!(counts(&cluster, &owners(&cluster, &keys)), ring.counts);
        assert_eq!(
            md5_hex(found.as_bytes()),
            ring.owners_md5.as_bytes(),
            "{}",
            ring.name
        );
        assert_eq!(numbers(&cluster, &specials), ring.specials, "{}", ring.name);
    }
}

#[test]
fn a_key_stands_at_the_first_word_of_its_md5() {
    let ring = cluster("ketama", &[("a", 1)]);
    for &(key, hash) in SPECIALS {
        let trace = ring.trace(key.as_bytes()).unwrap();
        assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)), "{key:?}");
    }
}

/// Two nodes that share point 3152960057: word 3 of `10.0.2.53:11211-38`, word 1 of
/// `10.0.2.161:11211-8`. libketama and npm hashring give it to the node listed first, spymemcached
/// and uhashring to the last; here it belongs to the smaller name in both orders, so ours is
/// libketama's ring with `10.0.2.161:11211` listed first.
#[test]
fn a_shared_point_belongs_to_the_smaller_name_in_any_order() {
    let keys: KeyBuf = (0..100_000).map(|i| format!("key{i}")).collect();
    let (small, large) = (("10.0.2.161:11211", 1), ("10.0.2.53:11211", 1));
    let digits = |ring: &Cluster| -> String {
        let found = owners(ring, &keys).into_iter();
        found
            .map(|owner| {
                if ring.name(owner) == Some(small.0) {
                    '0'
                } else {
                    '1'
                }
            })
            .collect()
    };
    let shared = Position::Unsigned(3_152_960_057);
    let label = |ring: &Cluster| {
        let points = points(ring).into_iter();
        points
            .map(|it| (it.0, it.2))
            .find(|it| it.0 == shared)
            .unwrap()
            .1
    };
    for nodes in [[small, large], [large, small]] {
        let mut ring = cluster("ketama", &nodes);
        assert_eq!(points(&ring).len(), 319);
        assert_eq!(label(&ring), "10.0.2.161:11211-8");
        for (key, hash) in [
            ("tie64", 3_118_065_055),
            ("tie298", 3_126_952_160),
            ("tie395", 3_141_066_639),
        ] {
            let trace = ring.trace(key.as_bytes()).unwrap();
            assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)));
            assert_eq!(trace.point, Some(shared));
            assert_eq!(owner(&ring, key), small.0, "{key}");
        }
        // libketama, 10.0.2.161 listed first.
        let found = digits(&ring);
        assert_eq!(
            &found[..200],
            "10001101101101011011101111011010001100000100110110010000101100110011001000011010101010111111010010101011011000011100001111110101010101111001000001010100011111000000111110111101000100001001011001000110"
        );
        assert_eq!(
            md5_hex(found.as_bytes()),
            *b"e873c0dc949555b418182822d1ff7fb6"
        );
        assert_eq!(found.matches('0').count(), 50749);
        // The other one gets the point when the smaller name leaves, and gives it back.
        ring.remove(small.0).unwrap();
        assert_eq!(label(&ring), "10.0.2.53:11211-38");
        ring.add(small.0).unwrap();
        assert!(digits(&ring) == found, "as it was");
    }
}

/// libketama's rule gives no point to weight 1 beside 1000; here it has one digest.
#[test]
fn a_small_weight_has_a_digest() {
    let ring = cluster("ketama", &[("10.0.1.1:11211", 1), ("10.0.1.2:11211", 1000)]);
    let found = points(&ring);
    let small = found.iter().filter(|point| point.1 == "10.0.1.1:11211");
    assert_eq!(small.count(), 4);
    assert_eq!(found.len(), 4 + 316, "the other one's 316 are libketama's");
}

/// libketama computes in floats, and 61 equal nodes have 39 digests each instead of 40; others slip
/// at 25, 47, 50, ... or 7, 14, 28, ... nodes, and adding the 25th moved 2,383 of 100,000 keys
/// between old nodes.
#[test]
fn equal_nodes_have_all_their_points_at_every_size() {
    let mut ring = cluster("ketama", &[]);
    for n in 1..=100 {
        ring.add(format!("10.0.9.{n}:11211")).unwrap();
        let n_shared = 160 * n - points(&ring).len();
        assert!(n_shared <= 2, "{n_shared} shared points among {n} nodes");
    }
}
