//! Known answers.

use maglev::{CommonHash, Divisor, Hashes, Preference, envoy::Envoy, fill};
use point_hash::{xxh3, xxh3_seeded, xxh64};
use router::{ErrorKind, NodeSpec, Position};

use crate::world::{cluster, entries, nodes, owner, parse};

/// The permutations that nodes walk, and the table they fill, all of weight 1.
#[track_caller]
fn check_table(players: &[Preference], permutations: &[[u64; 7]], table: [u32; 7]) {
    for (player, expected) in players.iter().zip(permutations) {
        let walk: Vec<u64> = player.entries(7).take(7).collect();
        assert_eq!(walk, expected);
    }
    let players: Vec<(Preference, u64)> = players.iter().map(|&it| (it, 1)).collect();
    assert_eq!(fill(7, &players), table);
}

/// From a step of 1 to 6, as programs state it, to the hash that gives it.
fn preference((first, step): (u64, u64)) -> Preference {
    Preference::new(first, step - 1, 7)
}

/// Eisenbud and others, Maglev, NSDI 2016, table 1: before and after B1 is removed.
#[test]
fn the_paper_s_table() {
    let [b0, b1, b2] = [(3, 4), (0, 2), (3, 1)].map(preference);
    let permutations = [
        [3, 0, 4, 1, 5, 2, 6],
        [0, 2, 4, 6, 1, 3, 5],
        [3, 4, 5, 6, 0, 1, 2],
    ];
    check_table(&[b0, b1, b2], &permutations, [1, 0, 1, 0, 2, 2, 0]);
    check_table(&[b0, b2], &[], [0, 0, 0, 0, 1, 1, 1]);
}

/// The test of Damian Gryski's go-maglev: three nodes, their SipHash-2-4 halves as offset and skip.
#[test]
fn the_table_of_go_maglev() {
    let [a, b, c] = [(2, 4), (0, 5), (1, 2)].map(preference);
    let permutations = [
        [2, 6, 3, 0, 4, 1, 5],
        [0, 5, 3, 1, 6, 4, 2],
        [1, 3, 5, 0, 2, 4, 6],
    ];
    check_table(&[a, b, c], &permutations, [1, 2, 0, 2, 0, 1, 0]);
    check_table(&[a, c], &[], [0, 1, 0, 1, 0, 1, 0]);
}

/// A table from Envoy's test/common/upstream/maglev_lb_test.cc. The router is asked by keys of which
/// each hashes to another entry, so that hashing, remainder and table are all in it.
#[track_caller]
fn check_envoy(n_entries: u64, names: &[&str], weights: &[u32], table: &[usize]) {
    let nodes: Vec<NodeSpec> = names
        .iter()
        .zip(weights.iter().cycle())
        .map(|(&name, &weight)| NodeSpec::new(name, weight))
        .collect();
    // Envoy sorts its hosts, so the order in which they are given makes no difference.
    let backwards: Vec<NodeSpec> = nodes.iter().rev().cloned().collect();
    for nodes in [&nodes, &backwards] {
        let cluster = cluster(&format!("maglev-envoy:table={n_entries}"), nodes);
        let mut seen = vec![false; table.len()];
        for key in (0..).map(|i| format!("key-{i}")) {
            let hash = xxh64(key.as_bytes(), 0);
            let entry = (hash % n_entries) as usize;
            assert_eq!(owner(&cluster, key.as_bytes()), names[table[entry]]);
            let trace = cluster.trace(key.as_bytes()).unwrap();
            assert_eq!(trace.key_hash, Some(Position::Unsigned(hash.into())));
            assert_eq!(trace.point, Some(Position::Unsigned(entry as u128)));
            seen[entry] = true;
            if !seen.contains(&false) {
                break;
            }
        }
    }
}

#[test]
fn envoy_s_own_tables() {
    let six = [
        "127.0.0.1:90",
        "127.0.0.1:91",
        "127.0.0.1:92",
        "127.0.0.1:93",
        "127.0.0.1:94",
        "127.0.0.1:95",
    ];
    check_envoy(7, &six, &[1], &[2, 4, 0, 1, 5, 0, 3]);
    let host_names = ["90", "91", "92", "93", "94", "95"];
    check_envoy(7, &host_names, &[1], &[2, 5, 0, 3, 4, 1, 0]);
    check_envoy(
        17,
        &six[..2],
        &[1, 2],
        &[1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1],
    );
    check_envoy(
        17,
        &six[..2],
        &[1, 1],
        &[1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1],
    );
}

/// The counts do not depend on the hashes, so both strategies have them.
#[track_caller]
fn check_counts(n_entries: u64, weights: &[u32], expected: &[u64]) {
    for strategy in ["maglev", "maglev-envoy"] {
        let nodes = weights.iter().enumerate();
        let nodes: Vec<_> = nodes
            .map(|(i, &it)| NodeSpec::new(format!("node{i}"), it))
            .collect();
        let cluster = cluster(&format!("{strategy}:table={n_entries}"), &nodes);
        assert_eq!(entries(&cluster, n_entries), expected, "{strategy}");
    }
}

/// Weighted entries as Cilium's pkg/maglev/maglev_test.go and Envoy's documentation have them.
#[test]
fn weighted_counts_of_cilium_and_envoy() {
    check_counts(1021, &[2, 13, 111, 10], &[16, 98, 832, 75]);
    check_counts(65537, &[1, 2], &[21846, 43691]);
    // A node without weight is not asked, and the weights' size is nothing to their ratio.
    check_counts(65537, &[0, 1_000_000, 2_000_000], &[0, 21846, 43691]);
    check_counts(
        65537,
        &[2_147_483_647, 4_294_967_294, 0],
        &[21846, 43691, 0],
    );
    // Everybody plays in the first round, however small.
    check_counts(251, &[1, u32::MAX], &[1, 250]);
}

/// In integers, weight 1 beside 5 plays in rounds 1 and 5; in doubles its second turn is a round
/// late.
#[test]
fn doubles_slip_and_are_kept() {
    // Both prefer the entries from first to last, so an entry is the number of a turn.
    let turns = |table: Vec<u32>| -> Vec<usize> {
        let order = table.iter().enumerate().filter(|it| *it.1 == 0);
        order.map(|(entry, _)| entry).collect()
    };
    let (one, other) = (Preference::new(0, 0, 11), Preference::new(0, 0, 11));
    let integers = fill(11, &[(one, 1_u64), (other, 5)]);
    assert_eq!(turns(integers), [0, 5]);
    let weight = |it| Envoy::weight(it, 6);
    let doubles = fill(11, &[(one, weight(1)), (other, weight(5))]);
    assert_eq!(turns(doubles), [0, 6]);
}

/// The table of the common hash, filled here a second time from the words of the crate's page.
#[test]
fn the_common_hash_as_described() {
    const M: u64 = 251;
    let names = ["charlie", "alpha", "bravo"];
    let mut sorted = names;
    sorted.sort_unstable();
    let mut table = vec![None; M as usize];
    let mut next = [0_u64; 3];
    for turn in 0..M as usize {
        let name = sorted[turn % 3].as_bytes();
        let first = xxh3_seeded(name, 1) % M;
        let step = xxh3_seeded(name, 2) % (M - 1) + 1;
        loop {
            let entry = (first + next[turn % 3] * step) % M;
            next[turn % 3] += 1;
            if table[entry as usize].is_none() {
                table[entry as usize] = Some(sorted[turn % 3]);
                break;
            }
        }
    }
    let cluster = cluster("maglev:table=251", &names.map(NodeSpec::from));
    for i in 0..2000 {
        let key = format!("key-{i}");
        let entry = (xxh3(key.as_bytes()) % M) as usize;
        let found = owner(&cluster, key.as_bytes());
        assert_eq!(Some(&*found), table[entry], "{key}");
    }
    assert_eq!(CommonHash::key(b"k"), xxh3(b"k"));
}

#[test]
fn a_remainder_is_a_remainder() {
    let divisors = [
        1,
        2,
        3,
        5,
        7,
        251,
        65537,
        655_373,
        5_000_011,
        (1 << 27) - 39,
        1 << 63,
    ];
    for divisor in divisors {
        let quick = Divisor::new(divisor);
        let multiples = (0..64).map(|bit| (u64::MAX >> bit) / divisor * divisor);
        let near = multiples.flat_map(|it| [it.wrapping_sub(1), it, it.wrapping_add(1)]);
        for n in near
            .chain([0, 1, u64::MAX])
            .chain((0..200).map(|i| xxh3(&[i])))
        {
            assert_eq!(quick.remainder(n), n % divisor, "{n} mod {divisor}");
        }
    }
}

#[track_caller]
fn check_refused(text: &str, kind: ErrorKind, told: &str) {
    let err = parse(text).unwrap_err();
    assert_eq!(err.kind(), kind);
    assert!(err.to_string().contains(told), "{text}: {err}");
}

#[test]
fn a_table_that_is_no_prime_is_refused() {
    check_refused("maglev:table=65536", ErrorKind::Syntax, "65521 and 65537");
    check_refused(
        "maglev:table=4",
        ErrorKind::Syntax,
        "not a prime; the next are 3 and 5",
    );
    check_refused("maglev-envoy:table=9", ErrorKind::Syntax, "7 and 11");
    check_refused("maglev:table=1", ErrorKind::Syntax, "from 2 to 134217728");
    check_refused(
        "maglev-envoy:table=5000077",
        ErrorKind::Syntax,
        "to 5000011",
    );
    for table in [2, 3, 5, 65537, 655_373, 134_217_689] {
        assert!(parse(&format!("maglev:table={table}")).is_ok(), "{table}");
    }
    assert!(parse("maglev-envoy:table=5000011").is_ok());
}

#[test]
fn there_are_no_more_nodes_than_entries() {
    let mut full = cluster("maglev:table=7", &nodes("node", 7));
    assert_eq!(entries(&full, 7), [1; 7]);
    let err = full.add("one-more").unwrap_err();
    assert_eq!(err.kind(), ErrorKind::TooLarge);
    full.remove("node3").unwrap();
    full.add("one-more").unwrap();
    assert_eq!(entries(&full, 7), [1; 7]);
}

#[test]
fn the_smallest_table_works() {
    let two = cluster("maglev:table=2", &nodes("node", 2));
    assert_eq!(entries(&two, 2), [1, 1]);
    let one = cluster("maglev:table=2", &nodes("node", 1));
    assert_eq!(entries(&one, 2), [2]);
}
