//! `route` and `ring`: what they print for what they take.

use std::collections::BTreeMap;

use crate::cli::{Files, check_refused, complaints, printed, run_with_input, strategies};

/// Runs `route` over these files and checks every byte of the answer.
#[track_caller]
fn check(spec: &str, nodes: &str, keys: &[u8], more: &[&str], expected: &[u8]) {
    let files = Files::with(nodes, keys);
    let output = files.route(spec, more);
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    assert!(
        output.stdout == expected,
        "printed {}, expected {}",
        output.stdout.escape_ascii(),
        expected.escape_ascii()
    );
}

/// The lines that say something else, out of as many lines in both.
fn n_differing(left: &str, right: &str) -> usize {
    assert_eq!(left.lines().count(), right.lines().count());
    left.lines()
        .zip(right.lines())
        .filter(|(a, b)| a != b)
        .count()
}

const KETAMA: &str = "10.0.0.1:11211\n10.0.0.2:11211\n10.0.0.3:11211\n";

/// The owner and hash of the key of this line on the three nodes of [`KETAMA`].
#[track_caller]
fn check_ketama(line: &[u8], node: u8, hash: u32) {
    let output = Files::with(KETAMA, line).route("ketama", &["--explain"]);
    let key = line.strip_suffix(b"\n").unwrap_or(line);
    let begin = [key, format!("\t10.0.0.{node}:11211\t{hash}\t").as_bytes()].concat();
    let printed = output.stdout;
    assert!(printed.starts_with(&begin), "{}", printed.escape_ascii());
}

#[test]
fn any_bytes_are_keys_and_come_back_unchanged() {
    let one = |keys: &[u8], expected: &[u8]| check("modulo", "a\n", keys, &[], expected);
    one(b"x\ny\n", b"x\ta\ny\ta\n");
    one(b"x\ny", b"x\ta\ny\ta\n");
    one(b"\n", b"\ta\n");
    one(b"\n\nx\n\n", b"\ta\n\ta\nx\ta\n\ta\n");
    one(
        b"\0\na\tb\n\xff\xfe\n# \n",
        b"\0\ta\na\tb\ta\n\xff\xfe\ta\n# \ta\n",
    );
    one(b"x\r\n", b"x\r\ta\n");
    one(b"\xef\xbb\xbfx\n", b"\xef\xbb\xbfx\ta\n");
    let long = vec![b'k'; 1 << 20];
    let answer = [&long[..], b"\ta\n"].concat();
    one(&long, &answer);
    one(&[&long[..], b"\n"].concat().repeat(20), &answer.repeat(20));
}

#[test]
fn invisible_bytes_in_keys_are_warned_of_once() {
    #[track_caller]
    fn check(keys: &str, line: &str) {
        let files = Files::with("a\n", keys);
        let output = files.route("modulo", &[]);
        assert_eq!(output.status.code(), Some(0));
        let said = complaints(&output);
        let path = files.path("keys");
        let expected = format!("ringmark: warning: {}:{line} is kept", path.display());
        assert!(said.starts_with(&expected), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    check("foo\r\nbar\r\n", "1: the CR");
    check("foo\nbar\r\n", "2: the CR");
    check("\u{feff}foo\n", "1: the byte order mark");
    let late = "x\n".repeat(100_000) + "y\r\nz\r\n";
    check(&late, "100001: the CR");
}

#[test]
fn nobody_to_own_is_an_empty_field() {
    for spec in [
        "modulo",
        "fixed-interval",
        "vec-ring",
        "ketama",
        "btree-ring-java",
    ] {
        check(spec, "", b"x\n\n", &[], b"x\t\n\t\n");
        check(
            spec,
            "# nobody\n",
            b"x\n",
            &["--explain"],
            b"x\t\t\t\t\t\t\n",
        );
        check(spec, "a\n", b"x\n", &["--change", "-a"], b"x\t\n");
        check(spec, "", b"x\n", &["--change", "+a"], b"x\ta\n");
    }
    for spec in ["vec-ring", "linear-ring", "btree-ring", "ketama"] {
        check(
            spec,
            "a\t0\nb\t0\n",
            b"hi to the world\n",
            &[],
            b"hi to the world\t\n",
        );
    }
    check("modulo", "a\n", b"", &[], b"");
    check("modulo", "", b"", &["--explain"], b"");
}

#[test]
fn a_node_of_weight_0_owns_nothing() {
    let keys: String = (0..1000).map(|i| format!("key-{i}\n")).collect();
    for spec in ["vec-ring", "linear-ring", "btree-ring", "ketama"] {
        let owners = printed(&Files::with("a\t1\nb\t0\n", &keys).route(spec, &[]));
        assert!(owners.lines().all(|line| line.ends_with("\ta")), "{spec}");
    }
}

#[test]
fn a_million_times_the_weight_takes_no_more_points() {
    let files = Files::with("a\t1000000\nb\t1\n", "");
    let points = printed(&files.ring("ketama"));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in points.lines() {
        let owner = line.split('\t').nth(1).expect("it has three fields");
        *counts.entry(owner).or_default() += 1;
    }
    // 2 * 160 / 4 digests in all, rounded down for each node, and one at least.
    assert_eq!(counts, BTreeMap::from([("a", 316), ("b", 4)]));
}

/// Names that a parser of addresses, weights or markup might take apart.
const NAMES: [&str; 14] = [
    "2001:db8::1",
    "[2001:db8::1]:11211",
    "[2001:db8::1]:11211:3",
    "::1",
    "10.0.0.1:11211:2",
    "/run/mc.sock:1",
    "host:99999",
    "[::1",
    " a, b ",
    "-a",
    "+a=1",
    "caf\u{e9}",
    "cafe\u{301}",
    "<b>&\"'",
];

#[test]
fn names_are_printed_as_they_stand_in_the_file() {
    for name in NAMES {
        let answer = format!("x\t{name}\n");
        check("modulo", name, b"x\n", &[], answer.as_bytes());
        check(
            "modulo",
            &format!("{name}\t1\r\n"),
            b"x",
            &[],
            answer.as_bytes(),
        );
        let (add, replace) = (format!("+{name}=1"), format!("~a\t{name}"));
        check("modulo", "", b"x\n", &["--change", &add], answer.as_bytes());
        check(
            "modulo",
            "a\n",
            b"x\n",
            &["--change", &replace],
            answer.as_bytes(),
        );
        let remove = format!("-{name}");
        check("modulo", name, b"x\n", &["--change", &remove], b"x\t\n");
    }
}

#[test]
fn every_strategy_takes_any_names_and_keys() {
    let long = vec![b'k'; 1 << 20];
    let keys: [&[u8]; 7] = [
        b"",
        b"\0",
        b"\xff\xfe",
        b" ",
        b"\xed\xa0\x80",
        "\u{10ffff}".as_bytes(),
        &long,
    ];
    let files = Files::with(NAMES.join("\n"), keys.join(&b'\n'));
    for strategy in strategies() {
        let output = files.route(&strategy, &[]);
        if output.status.code() == Some(2) {
            // A strategy that takes addresses apart refuses what is none, and says so.
            check_refused(&output, &["node name \""]);
            continue;
        }
        assert_eq!(complaints(&output), "", "{strategy}");
        let lines = output.stdout.strip_suffix(b"\n").expect("lines end");
        let lines: Vec<&[u8]> = lines.split(|&byte| byte == b'\n').collect();
        assert_eq!(lines.len(), keys.len(), "{strategy}");
        for (line, key) in lines.iter().zip(keys) {
            let owner = line.strip_prefix(key).and_then(|it| it.strip_prefix(b"\t"));
            let owner = str::from_utf8(owner.expect("the key and a tab come first"));
            assert!(
                NAMES.contains(&owner.expect("names are text")),
                "{strategy}"
            );
        }
    }
}

#[test]
fn names_that_look_alike_are_other_nodes() {
    let nodes = "foo\nFoo\nfoo \n\u{e9}\ne\u{301}\n";
    let keys: String = (0..200).map(|i| format!("key-{i}\n")).collect();
    let owners = printed(&Files::with(nodes, keys).route("modulo", &[]));
    for name in nodes.lines() {
        let end = format!("\t{name}");
        assert!(
            owners.lines().any(|line| line.ends_with(&end)),
            "{name:?} owns no key"
        );
    }
}

// Owners and hashes from the published trouble reports' reference programs (Python and C): 40
// labels `{name}-{i}` a node, MD5, first little-endian word of MD5(key).
#[test]
fn ketama_hashes_the_bytes_of_the_key() {
    check_ketama(b"foo", 3, 3_675_831_724);
    check_ketama(b"foo\n", 3, 3_675_831_724);
    check_ketama(b"foo\r\n", 1, 1_402_070_735);
    check_ketama(b"Foo", 1, 2_110_150_163);
    check_ketama(b"foo ", 3, 1_182_678_488);
    check_ketama(b"\n", 2, 3_649_838_548);
    check_ketama("caf\u{e9}".as_bytes(), 2, 3_833_532_679);
    check_ketama("cafe\u{301}".as_bytes(), 3, 1_700_309_008);
}

#[test]
fn line_ends_of_a_node_file_do_not_matter() {
    let keys: String = (0..100).map(|i| format!("key-{i}\n")).collect();
    let expected = printed(&Files::with("foo\nbar\n", &keys).route("vec-ring", &[]));
    for nodes in ["foo\r\nbar\r\n", "foo\nbar", "\u{feff}foo\n\n# x\nbar\n"] {
        let owners = printed(&Files::with(nodes, &keys).route("vec-ring", &[]));
        assert_eq!(owners, expected, "{nodes:?}");
    }
}

#[test]
fn changes_happen_in_the_order_given() {
    let keys: String = (0..1000).map(|i| format!("key-{i}\n")).collect();
    let files = Files::with("a\nb\nc\n", keys);
    let route = |changes: &[&str]| {
        let args: Vec<&str> = changes.iter().flat_map(|&it| ["--change", it]).collect();
        printed(&files.route("vec-ring", &args))
    };
    let before = route(&[]);
    assert_eq!(route(&["-b", "+b"]), before);
    assert_eq!(route(&["+b2", "-b2"]), before);
    assert_eq!(route(&["=a=3", "=a=1"]), before);
    assert_eq!(route(&["~b\td", "~d\tb"]), before);
    assert_eq!(route(&["~b\td"]), route(&["-b", "+d=1"]));
    let without = route(&["-b"]);
    for (old, new) in before.lines().zip(without.lines()) {
        assert!(old == new || old.ends_with("\tb"), "{old} moved to {new}");
    }
    assert!(n_differing(&before, &without) > 0);
    assert!(n_differing(&before, &route(&["=a=3"])) > 0);
    // The last put in stands last: modulo sees the order.
    let modulo = |change| printed(&files.route("modulo", &["--change", change]));
    assert!(n_differing(&modulo("~a\td"), &modulo("-a")) > 0);
}

/// A strategy that knows load places all keys, more than are streamed at a time, and after a change
/// starts from where it had placed them.
#[test]
fn who_knows_load_sees_all_keys_first() {
    let n_keys = 70_001;
    let keys: String = (0..n_keys).map(|i| format!("key-{i}\n")).collect();
    let files = Files::with("a\nb\nc\n", keys);
    let route = |changes: &[&str]| {
        let args: Vec<&str> = changes.iter().flat_map(|&it| ["--change", it]).collect();
        printed(&files.route("ideal", &args))
    };
    let count = |owners: &str, end: &str| owners.lines().filter(|it| it.ends_with(end)).count();
    let before = route(&[]);
    for (i, line) in before.lines().enumerate() {
        assert!(line.starts_with(&format!("key-{i}\t")), "{line}");
    }
    let counts = ["\ta", "\tb", "\tc"].map(|end| count(&before, end));
    assert_eq!(counts, [23_334, 23_334, 23_333]);

    let without = route(&["-b"]);
    assert_eq!(
        n_differing(&before, &without),
        23_334,
        "those of b and no others"
    );
    assert_eq!(count(&without, "\ta"), 35_001);
    let back = route(&["-b", "+b"]);
    assert!(
        n_differing(&before, &back) > 0,
        "b takes others than it had"
    );
    assert_eq!(
        n_differing(&without, &back),
        23_333,
        "from where they were without it"
    );
    // Between them nobody had a node, and nothing is left of where the keys were.
    assert_eq!(
        route(&["-b", "-c", "-a", "+a", "+b", "+c"]).lines().count(),
        n_keys
    );
    assert_eq!(count(&route(&["-a", "-b", "-c"]), "\t"), n_keys);

    // The bound holds for all keys together: 1.01 / 3 of them, rounded up.
    let bounded = printed(&files.route("bounded-load:factor=1.01", &[]));
    for end in ["\ta", "\tb", "\tc"] {
        assert!(count(&bounded, end) <= 23_568, "{end}");
    }
    let unbounded = printed(&files.route("vec-ring:vnodes=160", &[]));
    assert!(n_differing(&bounded, &unbounded) > 0);
}

#[test]
fn refused_changes_leave_no_trace_on_the_nodes() {
    // A node that was added twice and removed once is gone, and was there once only.
    let keys: String = (0..1000).map(|i| format!("key-{i}\n")).collect();
    let files = Files::with("a\nb\n", keys);
    assert_eq!(
        files.route("vec-ring", &["--change", "+a"]).status.code(),
        Some(2)
    );
    let gone = printed(&files.route("vec-ring", &["--change", "-a"]));
    assert!(gone.lines().all(|line| line.ends_with("\tb")));
}

#[test]
fn explain_gives_hash_point_label_and_the_next_owners() {
    let keys: String = (0..200).map(|i| format!("key-{i}\n")).collect();
    let files = Files::with("a\nb\nc\nd\n", keys);
    let points = printed(&files.ring("vec-ring:vnodes=10"));
    let points: Vec<Vec<&str>> = points
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(points.len(), 40);
    let positions: Vec<u128> = points.iter().map(|it| it[0].parse().unwrap()).collect();
    assert!(positions.is_sorted());
    let plain = printed(&files.route("vec-ring:vnodes=10", &[]));
    let explained = printed(&files.route("vec-ring:vnodes=10", &["--explain"]));
    for (plain, explained) in plain.lines().zip(explained.lines()) {
        let fields: Vec<&str> = explained.split('\t').collect();
        let [key, owner, hash, point, label, second, third] = fields[..] else {
            panic!("not seven fields: {explained}");
        };
        assert_eq!(plain, format!("{key}\t{owner}"));
        let hash: u128 = hash.parse().unwrap();
        let at = positions.partition_point(|&position| position < hash) % points.len();
        assert_eq!(points[at], [point, owner, label]);
        let mut next: Vec<&str> = Vec::new();
        for offset in 0..points.len() {
            let owner = points[(at + offset) % points.len()][1];
            if !next.contains(&owner) {
                next.push(owner);
            }
        }
        assert_eq!(next[..3], [owner, second, third]);
    }
}

#[test]
fn what_a_strategy_does_not_say_is_an_empty_field() {
    let files = Files::with("a\n", "x\n");
    let line = printed(&files.route("modulo", &["--explain"]));
    let fields: Vec<&str> = line.trim_end_matches('\n').split('\t').collect();
    assert_eq!(fields.len(), 7, "{line}");
    assert_eq!(fields[5..], ["", ""], "a single node has no second owner");
}

#[test]
fn an_empty_ring_prints_nothing() {
    assert_eq!(printed(&Files::with("", "").ring("vec-ring")), "");
    assert_eq!(printed(&Files::with("a\t0\n", "").ring("ketama")), "");
}

#[test]
fn either_file_may_be_standard_input() {
    let files = Files::with("a\nb\nc\n", "x\ny\nz\n");
    let expected = printed(&files.route("vec-ring", &[]));
    let (nodes, keys) = (files.path("nodes"), files.path("keys"));
    let (nodes, keys) = (nodes.to_str().unwrap(), keys.to_str().unwrap());
    let route = |nodes, keys, input: &[u8]| {
        let args = [
            "route",
            "--strategy",
            "vec-ring",
            "--nodes",
            nodes,
            "--keys",
            keys,
        ];
        printed(&run_with_input(&args, input))
    };
    assert_eq!(route("-", keys, b"a\nb\nc\n"), expected);
    assert_eq!(route(nodes, "-", b"x\ny\nz\n"), expected);
}

#[test]
fn pieces_of_a_long_key_file_fit_together() {
    // More keys than are routed at once.
    let keys: String = (0..150_000).map(|i| format!("{i}\n")).collect();
    let files = Files::with("a\nb\nc\n", &keys);
    for spec in ["modulo", "vec-ring"] {
        let owners = printed(&files.route(spec, &[]));
        let routed: Vec<&str> = owners
            .lines()
            .map(|line| line.split('\t').next().unwrap())
            .collect();
        assert!(routed.into_iter().eq(keys.lines()), "{spec}");
        let far = Files::with("a\nb\nc\n", "149999\n");
        assert_eq!(
            owners.lines().next_back(),
            printed(&far.route(spec, &[])).lines().next()
        );
    }
}
