//! The Ruby page's ch1 and ch2, against what it answers when run.
//!
//! The numbers come from the page's own programs under ruby 3.1.2p20.

use point_hash::md5_hex;
use router::{Cluster, KeyBuf, Position};

use crate::world::{cluster, counts, names, owner, owners, points};

struct Case {
    replicants: u32,
    /// n1 to n3, or n1 to n4.
    n_nodes: usize,
    n_points: usize,
    /// MD5 of a line `HEX NODE` for every point in order.
    ring_md5: &'static str,
    /// The number of the node of each letter A to Z.
    letters: &'static str,
    /// The same for `key0` to `key199`.
    keys: &'static str,
    /// Of `key0` to `key9999`.
    counts: &'static [usize],
    /// Points whose own text, used as a key, has the same owner in `ch2` and `ch3`.
    n_hits_alike: usize,
}

const CASES: &[Case] = &[
    Case {
        replicants: 0,
        n_nodes: 4,
        n_points: 4,
        ring_md5: "bbf734d6b1a475edae52773c2cb3759d",
        letters: "22333241432422323421222323",
        keys: "31234323233443223132332412444233344142233112312232232323321142232343222233223331333424423323313323323332442242422323132232441133242124312313332222233343431331332223331322233324232312123444333333112343",
        counts: &[1345, 3788, 3430, 1437],
        n_hits_alike: 1,
    },
    Case {
        replicants: 1,
        n_nodes: 4,
        n_points: 8,
        ring_md5: "bbdf66e81e09062685574ea1e5faf2a1",
        letters: "22343241432422414421112313",
        keys: "31234323234443223131332412444133444141143112312232231323321142242343222133223331333424423323314313323332441242422313131232441133241114412313332122233343431331332123331322233324232312123444334333112343",
        counts: &[2166, 2967, 3048, 1819],
        n_hits_alike: 2,
    },
    Case {
        replicants: 10,
        n_nodes: 4,
        n_points: 44,
        ring_md5: "310266b39a3bdf879182c2d53694d8f0",
        letters: "14341144442311141432113442",
        keys: "24113134331434134223333243443141434441341141324131344344334431111132214121123124411423421312341342111433443234321334131134344123144214134211211111133134322434322121444124431213412144121443331314141133",
        counts: &[3640, 1576, 2106, 2678],
        n_hits_alike: 11,
    },
    Case {
        replicants: 100,
        n_nodes: 4,
        n_points: 404,
        ring_md5: "3576406a8287adfc44885d75c7a4c03d",
        letters: "12341142443333111422114423",
        keys: "32234432341312212421331223432424431233143311314443422422334144142221212224241324432444424412131411434342342222222342331144443111442132123213111141143434231431442242443323134132122442134312333412312223",
        counts: &[2558, 2674, 2252, 2516],
        n_hits_alike: 101,
    },
    Case {
        replicants: 1000,
        n_nodes: 4,
        n_points: 4004,
        ring_md5: "c7acc3d4ff44eff7394f12e1fab0623d",
        letters: "14334114441131411442223221",
        keys: "41432132343114122224121324213132242333343234434123434431114342122423423231121444112422444412231411143123112243341443221143433111432132141421231112322434113111411342443142344422221332132112334314444434",
        counts: &[2484, 2735, 2404, 2377],
        n_hits_alike: 1001,
    },
    Case {
        replicants: 0,
        n_nodes: 3,
        n_points: 3,
        ring_md5: "1cc77f0f91522b398574020f9222f757",
        letters: "22333231332322323321222323",
        keys: "31233323233333223132332312333233333132233112312232232323321132232333222233223331333323323323313323323332332232322323132232331133232123312313332222233333331331332223331322233323232312123333333333112333",
        counts: &[1345, 3788, 4867],
        n_hits_alike: 1,
    },
    Case {
        replicants: 1,
        n_nodes: 3,
        n_points: 6,
        ring_md5: "c0f1f0039144325ff2621586a3aede11",
        letters: "22333231332322313321112313",
        keys: "31233323233333223131332312333133333131133112312232231323321132232333222133223331333323323323313313323332331232322313131232331133231113312313332122233333331331332123331322233323232312123333333333112333",
        counts: &[2166, 2967, 4867],
        n_hits_alike: 2,
    },
    Case {
        replicants: 10,
        n_nodes: 3,
        n_points: 33,
        ring_md5: "40d7c4a3b24fe6309cbc8a621c381dff",
        letters: "12331111232311121132113312",
        keys: "21113133331133133223333213223131331121331121322131331323332231111132212121123122311123121312321322111333123232321333131132321123121211132211211111133133322331322121332122231213212122121113331313121133",
        counts: &[4560, 2696, 2744],
        n_hits_alike: 11,
    },
    Case {
        replicants: 100,
        n_nodes: 3,
        n_points: 303,
        ring_md5: "2fa0323e8d1711851d86c34233748170",
        letters: "12311132233333111322112323",
        keys: "32231132331312212221331223332121131233113311312233322122333131112221212222221322332322221312131111131332332222222332331131333111232132123213111131133133231331222222323323132132122232131312333112312223",
        counts: &[3311, 3549, 3140],
        n_hits_alike: 101,
    },
    Case {
        replicants: 1000,
        n_nodes: 3,
        n_points: 3003,
        ring_md5: "e0ef640d8c14ab3e499fd15802d937eb",
        letters: "13332111211131111212223221",
        keys: "31132132313113122222121323213132212333333232333123333231113322122323223231121331112222133212231311133123112213311223221113133111132132121321231112322231113111111312223112332122221332132112333312312132",
        counts: &[3214, 3519, 3267],
        n_hits_alike: 1001,
    },
];

fn ring(replicants: u32, names: &[String]) -> Cluster {
    cluster(&format!("linear-ring-ruby:replicants={replicants}"), names)
}

/// The number in the name of each key's owner.
fn digits(cluster: &Cluster, keys: impl IntoIterator<Item = String>) -> String {
    let keys = keys.into_iter();
    keys.map(|key| owner(cluster, &key).trim_start_matches('n').to_owned())
        .collect()
}

fn n1_to(n: usize) -> Vec<String> {
    (1..=n).map(|i| format!("n{i}")).collect()
}

#[test]
fn rings_and_owners_are_those_of_the_programs() {
    for case in CASES {
        let ring = ring(case.replicants, &n1_to(case.n_nodes));
        let points = points(&ring);
        assert_eq!(points.len(), case.n_points);
        let dump: String = points
            .iter()
            .map(|(position, owner, _)| match position {
                Position::Unsigned(position) => format!("{position:032x} {owner}\n"),
                Position::Signed(_) => panic!("digests are unsigned"),
            })
            .collect();
        assert_eq!(md5_hex(dump.as_bytes()), case.ring_md5.as_bytes());
        let letters = ('A'..='Z').map(String::from);
        assert_eq!(digits(&ring, letters), case.letters);
        assert_eq!(digits(&ring, names("key", 200)), case.keys);
        let keys: KeyBuf = names("key", 10_000).iter().collect();
        assert_eq!(counts(&ring, &owners(&ring, &keys)), case.counts);
    }
}

/// The tables that the page prints.
#[test]
fn the_printed_tables_come_out_byte_for_byte() {
    let tables: &[(&str, &[&str])] = &[
        (
            "ruby ch1.rb n1 n2 n3 n4",
            &[
                "n1 H T",
                "n2 A B F K M N P S U V W Y",
                "n3 C D E J O Q X Z",
                "n4 G I L R",
            ],
        ),
        (
            "ruby ch1.rb n1 n2 n3",
            &[
                "n1 H T",
                "n2 A B F K M N P S U V W Y",
                "n3 C D E G I J L O Q R X Z",
            ],
        ),
        (
            "ruby ch2.rb 100 n1 n2 n3 n4",
            &[
                "n1 A E F O P Q U V",
                "n2 B H S T Y",
                "n3 C K L M N Z",
                "n4 D G I J R W X",
            ],
        ),
        (
            "ruby ch2.rb 100 n1 n2 n3",
            &[
                "n1 A D E F O P Q U V",
                "n2 B H I S T W Y",
                "n3 C G J K L M N R X Z",
            ],
        ),
        (
            "ruby ch3.rb 1000 n1 n2 n3 n4",
            &[
                "n1 A F G K L N P Q Z",
                "n2 T U V X Y",
                "n3 C D M W",
                "n4 B E H I J O R S",
            ],
        ),
    ];
    for (command, printed) in tables {
        let arguments: Vec<&str> = command.split(' ').skip(2).collect();
        let n_nodes = arguments.iter().filter(|it| it.starts_with('n')).count();
        // ch1 has no number of replicants: none.
        let replicants = arguments[0].parse().unwrap_or(0);
        let ring = ring(replicants, &n1_to(n_nodes));
        let lines: Vec<String> = ring
            .nodes()
            .iter()
            .map(|node| {
                let mut line = node.name.to_string();
                for letter in ('A'..='Z').map(String::from) {
                    if owner(&ring, &letter) == &*node.name {
                        line.push(' ');
                        line.push_str(&letter);
                    }
                }
                line
            })
            .collect();
        assert_eq!(lines, *printed, "{command}");
    }
}

#[test]
fn a_point_is_the_md5_of_its_label() {
    let cases: &[(&str, u128)] = &[
        ("A", 0x7fc56270e7a70fa81a5935b72eacbe29),
        ("B", 0x9d5ed678fe57bcca610140957afab571),
        ("Z", 0x21c2e59531c8710156d34a3c30ac81d5),
        ("n1", 0xc82561ec215a6e31807ceedf3b3bd25e),
        ("n2", 0xa6bbc91ae73dd21c0533f735470a9cd0),
        ("n3", 0x4443aee183b279f76a95c13c7f5bca0d),
        ("n4", 0xed23e9d533a3992b2bfeef6f8601a945),
        ("n1_1", 0x598eb30ea6450dec2a33a1a90e41e311),
        ("n1_100", 0x590f83584889b7044305a771615a1d2e),
        ("n4_1000", 0xbf3db02affe5507be9b10a02d93cbb35),
    ];
    let ring = ring(1000, &n1_to(4));
    for &(text, hash) in cases {
        let trace = ring.trace(text.as_bytes()).unwrap();
        assert_eq!(trace.key_hash, Some(Position::Unsigned(hash)), "{text}");
        if text.starts_with('n') {
            let points = points(&ring);
            let point = points.iter().find(|(_, _, label)| label == text).unwrap();
            assert_eq!(point.0, Position::Unsigned(hash));
        }
    }
}

#[test]
fn removing_n4_moves_its_keys_alone() {
    let moves = [(0, 1437), (1, 1819), (10, 2678), (100, 2516), (1000, 2377)];
    let keys: KeyBuf = names("key", 10_000).iter().collect();
    for (replicants, n_moved) in moves {
        let mut ring = ring(replicants, &n1_to(4));
        let before = owners(&ring, &keys);
        let n4 = ring.id("n4").unwrap();
        ring.remove("n4").unwrap();
        let after = owners(&ring, &keys);
        let moved = before
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after);
        assert!(moved.clone().all(|(&before, _)| before == n4));
        assert_eq!(moved.count(), n_moved, "{replicants} replicants");
    }
}

/// n1 and n1_1 with one replicant both have MD5("n1_1"): who is listed first has it, and key0 with
/// it.
#[test]
fn the_first_listed_keeps_a_point_that_two_nodes_mean() {
    let shared = 0x598e_b30e_a645_0dec_2a33_a1a9_0e41_e311;
    for (first, second) in [("n1", "n1_1"), ("n1_1", "n1")] {
        let mut ring = cluster("linear-ring-ruby:replicants=1", &[first, second]);
        let found = points(&ring);
        assert_eq!(found.len(), 3, "four labels, one of them twice");
        assert_eq!(
            (found[0].0, found[0].1.as_str()),
            (Position::Unsigned(shared), first)
        );
        assert_eq!(owner(&ring, "key0"), first);
        assert_eq!(owner(&ring, "n1_1"), first);
        ring.remove(first).unwrap();
        assert_eq!(points(&ring)[0].1, second);
    }
}

/// A key that hits a point exactly falls to the smallest point. Of the points' own texts those keep
/// their owner that belong to the smallest point's node.
#[test]
fn exact_hits_fall_to_the_smallest_point() {
    for case in CASES {
        let ring = ring(case.replicants, &n1_to(case.n_nodes));
        let points = points(&ring);
        let mut n_alike = 0;
        for (_, own, label) in &points {
            let found = owner(&ring, label);
            assert_eq!(found, points[0].1);
            n_alike += usize::from(found == own);
        }
        assert_eq!(n_alike, case.n_hits_alike);
    }
}

/// Why this strategy does not claim to be minimal: the smallest example.
#[test]
fn an_exact_hit_moves_between_nodes_that_stay() {
    let mut ring = ring(0, &n1_to(4));
    assert_eq!(owner(&ring, "n1"), "n3");
    ring.remove("n3").unwrap();
    assert_eq!(owner(&ring, "n1"), "n2", "the smallest point now");
    ring.add("n3").unwrap();
    ring.remove("n1").unwrap();
    assert_eq!(owner(&ring, "n1"), "n4", "from n3, though only n1 left");
}

/// On an exact hit too a replica list begins with the owner, names every node once, and a longer
/// one begins with a shorter one.
#[test]
fn replica_lists_go_on_from_the_owner() {
    let ring = ring(10, &n1_to(4));
    for key in ["A", "n1", "n2_7", "n3_10", "key0"] {
        let list = ring.preference(key.as_bytes(), 9).unwrap();
        assert_eq!(ring.name(list[0]), Some(owner(&ring, key)));
        assert_eq!(list.len(), 4);
        for n in 0..4 {
            assert_eq!(ring.preference(key.as_bytes(), n).unwrap(), list[..n]);
        }
    }
}
