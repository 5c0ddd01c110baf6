//! Names, ids, members, and lines of a node file.

use router::{Cluster, ErrorKind, NodeId, NodeSpec, check_name};

use crate::routers::spec;

#[track_caller]
fn check_bad_name(name: &str, rule: &str) {
    let err = check_name(name).expect_err("no node may be called so");
    assert_eq!(err.kind(), ErrorKind::Name);
    let message = err.to_string();
    assert!(message.contains(rule), "{message}");
    assert!(!message.contains('\n') && message.len() < 400, "{message}");
}

#[test]
fn names_are_1_to_255_bytes_without_control_characters() {
    for good in [
        "a",
        " ",
        "10.0.0.1:11211",
        "[2001:db8::1]:11211",
        "a=b",
        "-x",
        "caf\u{e9}",
        "\u{1f980}",
        "A & B <script>alert(1)</script>",
        "\u{2028}",
        &"n".repeat(255),
        &"\u{e9}".repeat(127),
    ] {
        check_name(good).unwrap_or_else(|err| panic!("{good:?} is a name: {err}"));
    }
    check_bad_name("", "is empty");
    check_bad_name(&"n".repeat(256), "longer than 255 bytes");
    check_bad_name(&"n".repeat(300), "longer than 255 bytes");
    check_bad_name(&"\u{e9}".repeat(128), "longer than 255 bytes");
    for control in ["\0", "a\tb", "a\nb", "a\r", "\u{1}", "\u{7f}", "\u{85}"] {
        check_bad_name(control, "control character");
    }
}

#[track_caller]
fn check_line(line: &str, name: &str, weight: u32) {
    let node = NodeSpec::from_line(line).unwrap_or_else(|err| panic!("{line:?}: {err}"));
    assert_eq!(node, NodeSpec::new(name, weight));
}

#[track_caller]
fn check_bad_line(line: &str, kind: ErrorKind, told: &[&str]) {
    let err = NodeSpec::from_line(line).expect_err("it is no node");
    assert_eq!(err.kind(), kind, "{line:?}: {err}");
    for part in told {
        assert!(err.to_string().contains(part), "{line:?}: {err}");
    }
}

#[test]
fn a_line_is_a_name_and_perhaps_a_weight() {
    check_line("a", "a", 1);
    check_line("a\t0", "a", 0);
    check_line("a\t4294967295", "a", u32::MAX);
    check_line("a b=c\t7", "a b=c", 7);
    check_line(" a ", " a ", 1);
    check_line("[2001:db8::1]:11211:3", "[2001:db8::1]:11211:3", 1);
}

#[test]
fn a_weight_that_is_no_whole_number_is_refused_with_the_name_and_the_value() {
    let values = [
        "-1",
        "-300",
        "+1",
        "",
        " 1",
        "1 ",
        "1.5",
        "1e3",
        "NaN",
        "inf",
        "0x10",
        "abc",
        "4294967296",
        "1\t2",
        "\u{661}",
    ];
    for value in values {
        let line = format!("node7\t{value}");
        let shown = format!("{value:?}");
        check_bad_line(
            &line,
            ErrorKind::Syntax,
            &["node7", &shown, "0 to 4294967295"],
        );
    }
    check_bad_line("", ErrorKind::Name, &["is empty"]);
    check_bad_line("\t3", ErrorKind::Name, &["is empty"]);
    check_bad_line("a\u{1}\t3", ErrorKind::Name, &["control character"]);
}

#[test]
fn an_id_is_not_0() {
    assert_eq!(NodeId::new(0), None);
    let id = NodeId::new(7).expect("7 is not 0");
    assert_eq!((id.get(), id.index()), (7, 6));
    assert_eq!(NodeId::default().get(), 1);
    assert_eq!(size_of::<Option<NodeId>>(), 4);
}

#[test]
fn members_are_found_by_id_in_joining_order() {
    let nodes = [NodeSpec::new("b", 2), "a".into(), NodeSpec::new("c", 0)];
    let mut cluster = Cluster::build(&spec("rendezvous"), &nodes).expect("these are legal");
    cluster.remove("a").expect("it is present");
    cluster
        .add(NodeSpec::new("d", u32::MAX))
        .expect("it is not");
    let gone = cluster.id("a").expect("it was a member");
    let nodes = cluster.nodes();
    let names: Vec<&str> = nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["b", "c", "d"]);
    for (place, node) in nodes.iter().enumerate() {
        assert_eq!(nodes.position(node.id), Some(place));
        assert_eq!(nodes.get(node.id), Some(node));
        assert_eq!(cluster.name(node.id), Some(&*node.name));
    }
    let stranger = NodeId::new(1000).expect("it is not 0");
    for id in [gone, stranger] {
        assert_eq!(nodes.position(id), None);
        assert_eq!(cluster.name(id), None);
    }
    assert_eq!(nodes.total_weight(), 2 + u64::from(u32::MAX));
}
