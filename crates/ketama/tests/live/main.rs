//! nginx itself is the judge of `nginx-consistent`.
//!
//! Debian's nginx is started on loopback with an upstream whose servers answer with their own
//! number; a few thousand keys are sent through `hash $arg_key consistent`, and every answer is held
//! against ours. Where nginx is not installed the test says so in one line and is skipped; in CI
//! that is a failure.

mod nginx;

use router::{Catalog, Cluster, KeyBuf, NodeSpec};

use nginx::{Nginx, Server, free_ports};

const N_KEYS: usize = 4000;

/// Starts nginx with these servers and compares all owners.
#[track_caller]
fn check(nginx: &Nginx, servers: &[Server]) {
    let catalog = Catalog::new(ketama::STRATEGIES).expect("names are unique");
    let spec = catalog.parse("nginx-consistent").expect("it is there");
    let nodes = servers.iter();
    let nodes: Vec<NodeSpec> = nodes
        .map(|server| NodeSpec::new(&*server.name, server.weight))
        .collect();
    let cluster = Cluster::build(&spec, &nodes).expect("it takes what nginx takes");
    let keys: KeyBuf = (0..N_KEYS).map(|i| format!("key-{i}")).collect();
    let theirs = nginx.owners(servers, &keys);
    let ours = keys.keys().iter().map(|key| {
        let owner = cluster.route(key).expect("all nodes have weight");
        cluster.nodes().position(owner).expect("owners are present")
    });
    let differ: Vec<String> = ours
        .zip(&theirs)
        .enumerate()
        .filter(|(_, (ours, theirs))| ours != *theirs)
        .map(|(i, (ours, theirs))| format!("key-{i}: nginx {theirs}, ours {ours}"))
        .collect();
    assert_eq!(theirs.len(), N_KEYS);
    assert!(
        differ.is_empty(),
        "{} of {N_KEYS} owners differ: {}",
        differ.len(),
        differ[0]
    );
    let mut seen = theirs;
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), servers.len(), "every server has answered");
}

#[test]
fn nginx_gives_every_key_to_the_same_server() {
    let Some(nginx) = Nginx::installed() else {
        println!("skipped: nginx (Debian: nginx)");
        assert!(std::env::var_os("CI").is_none(), "CI installs nginx");
        return;
    };
    let ports = free_ports(5);
    let loopback = |weights: &[u32]| -> Vec<Server> {
        let addresses = ports.iter().map(|port| format!("127.0.0.1:{port}"));
        addresses
            .zip(weights)
            .map(|(name, &weight)| Server { name, weight })
            .collect()
    };
    check(&nginx, &loopback(&[1, 1, 1, 1, 1]));
    check(&nginx, &loopback(&[1, 2, 4, 8]));
    check(&nginx, &loopback(&[100, 1]));
    // A socket has no port.
    let mut mixed = loopback(&[3, 2]);
    mixed.push(Server {
        name: format!("unix:{}", nginx.socket().display()),
        weight: 1,
    });
    check(&nginx, &mixed);
}
