//! Node names that are addresses, and how each program calls them.
//!
//! spymemcached's names come from its KetamaNodeKeyFormatter on OpenJDK 17, libmemcached's from
//! version 1.1.4, twemproxy's from a running nutcracker 0.5.0, hashring's from version 3.2.0.

use router::{Catalog, Cluster, ErrorKind, NodeSpec};

use crate::world::{cluster, points};

const SPY: &str = "ketama-spymemcached";
const SPY_LM: &str = "ketama-spymemcached-libmemcached";
const LM: &str = "ketama-libmemcached";
const LM_SPY: &str = "ketama-libmemcached-spy";
const TWEMPROXY: &str = "ketama-twemproxy";
const DEFAULT_PORT: &str = "ketama-node-hashring-default-port";
const NGINX: &str = "nginx-consistent";

/// Checks that the label of the node's first point is this.
#[track_caller]
fn check_label(spec: &str, node: &str, label: &str) {
    let ring = cluster(spec, &[(node, 1)]);
    let found = points(&ring);
    assert!(found.iter().any(|point| point.2 == label), "{:?}", found[0]);
    assert!(ring.trace(b"key").unwrap().label.is_some());
}

/// Checks that the strategy refuses a node of this name, as one and beside another, and says this.
#[track_caller]
fn check_refused(spec: &str, node: &str, why: &str) {
    let catalog = Catalog::new(ketama::STRATEGIES).unwrap();
    let parsed = catalog.parse(spec).unwrap();
    let err = Cluster::build(&parsed, &[node.into()]).err().unwrap();
    assert_eq!(err.kind(), ErrorKind::Refused, "{spec}: {err}");
    let expected = format!("node name {node:?}: {why}");
    assert!(err.to_string().contains(&expected), "{spec}: {err}");
    let mut ring = cluster(spec, &[("10.0.0.1:80", 1)]);
    let before = points(&ring);
    assert!(ring.add(node).is_err());
    assert_eq!(points(&ring), before);
}

#[test]
fn every_program_names_a_node_in_its_own_way() {
    for (spec, node, label) in [
        (SPY, "10.0.2.1:11211", "10.0.2.1:11211-0"),
        (SPY, "10.0.2.1", "10.0.2.1:11211-0"),
        (SPY, "myhost/10.0.2.1:11211", "myhost/10.0.2.1:11211-0"),
        (SPY, "MyHost./10.0.2.1:80", "MyHost./10.0.2.1:80-0"),
        (SPY_LM, "myhost/10.0.2.1:11211", "myhost-0"),
        (SPY_LM, "myhost/10.0.2.1:11212", "myhost:11212-0"),
        (SPY_LM, "MyHost.Example.:11211", "MyHost.Example.-0"),
        (SPY_LM, "[::1]:11211", "0:0:0:0:0:0:0:1-0"),
        (
            SPY_LM,
            "[2001:DB8::A]:11212",
            "2001:db8:0:0:0:0:0:a:11212-0",
        ),
        (SPY_LM, "[::ffff:10.0.0.1]:11211", "10.0.0.1-0"),
        (LM, "10.0.2.1:11211", "10.0.2.1-0"),
        (LM, "10.0.2.1:11212", "10.0.2.1:11212-39"),
        (LM, "MyHost.", "MyHost.-0"),
        (LM, "[::1]:11211", "::1-0"),
        (LM, "[::1]:80", "::1:80-0"),
        (LM_SPY, "10.0.2.1", "/10.0.2.1:11211-0"),
        ("ketama-libmemcached-plain", "10.0.2.1:80", "10.0.2.1:80-99"),
        (TWEMPROXY, "alpha", "alpha-0"),
        (TWEMPROXY, "[::1]:11211", "::1-0"),
        (TWEMPROXY, "/run/a.sock", "/run/a.sock:-0"),
        ("ketama-libketama", "MyHost.:11211", "MyHost.:11211-0"),
        ("ketama-uhashring", "any name", "any name-0"),
        ("ketama-node-hashring", "10.0.2.1:11211", "10.0.2.1:11211-0"),
        (DEFAULT_PORT, "10.0.2.1:11211", "10.0.2.1-0"),
        (DEFAULT_PORT, "10.0.2.1:80", "10.0.2.1:80-0"),
        (DEFAULT_PORT, "10.0.2.1", "10.0.2.1-0"),
        (DEFAULT_PORT, "[::1]:11211", "[::1]:11211-0"),
        (DEFAULT_PORT, "h/10.0.0.1:11211", "h/10.0.0.1-0"),
        (NGINX, "10.0.2.1:80", "10.0.2.1:80 (link 0)"),
        (NGINX, "[::1]:80", "[::1]:80 (link 159)"),
        (NGINX, "MyHost.", "MyHost. (link 0)"),
        (NGINX, "unix:/run/a.sock", "/run/a.sock (link 0)"),
    ] {
        check_label(spec, node, label);
    }
}

#[test]
fn what_a_program_cannot_name_is_refused_and_says_why() {
    let taking_names_apart = [SPY, SPY_LM, LM, LM_SPY, TWEMPROXY, DEFAULT_PORT, NGINX];
    for (node, why) in [
        ("::1", "an IPv6 address stands in brackets"),
        ("2001:db8::1:80", "an IPv6 address stands in brackets"),
        (
            "[::1:80",
            "a bracket that opens an IPv6 address is not closed",
        ),
        (
            "[10.0.0.1]:80",
            "\"10.0.0.1\" in brackets is no IPv6 address",
        ),
        (
            "10.0.0.1:",
            "\":\" behind the host is not a colon and a port",
        ),
        ("10.0.0.1:0", "\":0\" behind the host"),
        ("10.0.0.1:+80", "\":+80\" behind the host"),
        ("10.0.0.1:080", "\":080\" behind the host"),
        ("10.0.0.1:65536", "\":65536\" behind the host"),
        ("[::1]80", "\"80\" behind the host"),
        ("010.0.0.1:80", "\"010.0.0.1\" is no IPv4 address"),
        ("10.0.0:80", "\"10.0.0\" is no IPv4 address"),
        (":80", "the host is missing"),
        ("a b", "an address has no blanks"),
        ("/run/a:80", "a socket's path with a colon"),
        ("host/name:80", "what follows the host and a slash"),
        ("host/a/10.0.0.1:80", "what follows the host and a slash"),
    ] {
        for spec in taking_names_apart {
            check_refused(spec, node, why);
        }
    }
    for (spec, node, why) in [
        (
            SPY,
            "cache1:80",
            "spymemcached's label holds the address that a host name resolves to: write cache1/IP:80",
        ),
        (
            SPY,
            "[::1]:80",
            "spymemcached's label holds the text of an IPv6 address, which differs",
        ),
        (SPY, "/run/a", "spymemcached has no sockets"),
        (SPY_LM, "/run/a", "spymemcached has no sockets"),
        (
            LM,
            "/run/a",
            "libmemcached labels a socket \"/run/a\" or \"/run/a:0\", as it was added",
        ),
        (
            "ketama-libketama",
            "10.0.100.100:112113456",
            "libketama keeps 21 bytes of an address, and this has 22",
        ),
        ("ketama-libketama", "a b", "a blank ends an address"),
        (
            "ketama-libketama",
            "#a",
            "libketama takes the line for a comment",
        ),
        (
            TWEMPROXY,
            &"x".repeat(79),
            "twemproxy's buffer has room for 78 bytes of a name, and this has 79",
        ),
    ] {
        check_refused(spec, node, why);
    }
}

/// `10.0.0.1` and `10.0.0.1:11211` are one server. twemproxy refuses the second; the others let the
/// first have all.
#[test]
fn two_names_of_one_address() {
    let nodes = ["10.0.0.1", "10.0.0.1:11211"];
    let catalog = Catalog::new(ketama::STRATEGIES).unwrap();
    let build = |spec: &str| {
        let spec = catalog.parse(spec).unwrap();
        Cluster::build(&spec, &nodes.map(NodeSpec::from))
    };
    let err = build(TWEMPROXY).err().unwrap();
    let why = "node name \"10.0.0.1:11211\": another node is called \"10.0.0.1\" by the program";
    assert!(err.to_string().contains(why), "{err}");
    let all = |spec: &str, name: &str| {
        let ring = build(spec).unwrap();
        let found = points(&ring);
        assert!(found.iter().all(|point| point.1 == name), "{spec}");
        assert_eq!(found.len(), 160, "{spec}");
    };
    all(LM, nodes[0]);
    all(SPY_LM, nodes[1]);
}

#[test]
fn weights_that_a_program_cannot_add_up_are_refused() {
    let catalog = Catalog::new(ketama::STRATEGIES).unwrap();
    let half = 1 << 31;
    let nodes = [
        NodeSpec::new("10.0.0.1", half),
        NodeSpec::new("10.0.0.2", half),
    ];
    for (spec, refused) in [
        (TWEMPROXY, true),
        (SPY, true),
        (LM, false),
        ("ketama-libketama", false),
    ] {
        let found = Cluster::build(&catalog.parse(spec).unwrap(), &nodes);
        match found {
            Ok(_) => assert!(!refused, "{spec}"),
            Err(err) => assert!(
                refused && err.to_string().contains("add up to 4294967296"),
                "{err}"
            ),
        }
    }
}
