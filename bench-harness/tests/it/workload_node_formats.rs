//! Configurations of other programs as lists of nodes: names and weights as those programs take them.

use std::fs;

use bench_harness::workload::{NodesFormat, read_nodes_as};

/// The nodes that a file of this format lists, as `name weight`, or the complaint without the path.
fn read(format: &str, text: &str) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, text).unwrap();
    let format: NodesFormat = format.parse().expect("there is such a format");
    let nodes = read_nodes_as(&path, &format);
    let nodes = nodes.map_err(|err| {
        let path = path.display().to_string();
        err.to_string().strip_prefix(&path).unwrap().to_owned()
    })?;
    let nodes = nodes.iter().map(|it| format!("{} {}", it.name, it.weight));
    Ok(nodes.collect())
}

#[track_caller]
fn check(format: &str, text: &str, expected: &[&str]) {
    assert_eq!(read(format, text).unwrap(), expected);
}

#[track_caller]
fn check_refused(format: &str, text: &str, words: &[&str]) {
    let said = read(format, text).unwrap_err();
    for word in words {
        assert!(said.contains(word), "{said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
}

const TWEMPROXY: &str = "\
alpha:
  listen: 127.0.0.1:22121
  hash: fnv1a_64
  distribution: ketama
  auto_eject_hosts: true
  redis: true
  servers:
   - 127.0.0.1:6379:1 server1
   # a comment
   - 10.0.0.2:11211:3
   - 10.0.0.3:11212:1
   - '/run/memcached.sock:2'
   - \"2001:db8::1:11212:1\"
";

#[test]
fn twemproxy() {
    let nodes = [
        "server1 1",
        "10.0.0.2 3",
        "10.0.0.3:11212 1",
        "/run/memcached.sock 2",
        "[2001:db8::1]:11212 1",
    ];
    check("twemproxy", TWEMPROXY, &nodes);
    check("twemproxy:alpha", &TWEMPROXY.replace('\n', "\r\n"), &nodes);
    let two = format!("{TWEMPROXY}beta:\n  servers:\n  - h:1:1\n");
    check("twemproxy:beta", &two, &["h:1 1"]);
    check_refused(
        "twemproxy",
        &two,
        &["expected one pool", "alpha, beta", "twemproxy:NAME"],
    );
    check_refused("twemproxy:gamma", &two, &["\"gamma\"", "alpha, beta"]);
    check_refused(
        "twemproxy",
        "a:\n  listen: x\n",
        &["expected servers in the pool"],
    );
    check_refused("twemproxy", "a:\n  servers: 3\n", &[":2: "]);
    check_refused(
        "twemproxy",
        "a:\n  servers:\n  - h:1:1\n  - h:1\n",
        &[":4: ", "\"h:1\""],
    );
    check_refused(
        "twemproxy",
        "a:\n  servers:\n  - h:1:-1\n",
        &[":3: ", "weight", "\"-1\""],
    );
    check_refused(
        "twemproxy",
        "a:\n  servers:\n  - h:70000:1\n",
        &[":3: ", "host:port:weight"],
    );
    check_refused("twemproxy", "a:\n  servers:\n  - h:1:1 n x\n", &[":3: "]);
    check_refused(
        "twemproxy",
        "a:\n  servers:\n  - h:1:1 n\n  - i:1:1 n\n",
        &[":4: ", "on line 3"],
    );
    check_refused("twemproxy", "a:\n  servers: [\n", &[": "]);
    check_refused("twemproxy", "", &[": "]);
}

const NGINX: &str = "\
http {
    # upstream commented { server x; }
    log_format main '$remote_addr { \"upstream\" ';
    upstream memcached {
        hash $key consistent;
        server 10.0.0.1:11211 weight=2 max_fails=3 fail_timeout=30s;
        server cache.example.com;   # the second
        server unix:/run/s down;
        server
            10.0.0.4:11211;
        keepalive 32;
    }
    server { listen 80; location / { set $key \"${uri}\"; memcached_pass memcached; } }
}
";

#[test]
fn nginx() {
    let nodes = [
        "10.0.0.1:11211 2",
        "cache.example.com 1",
        "unix:/run/s 0",
        "10.0.0.4:11211 1",
    ];
    check("nginx", NGINX, &nodes);
    check("nginx:memcached", NGINX, &nodes);
    let two = format!("{NGINX}upstream b{{server 'x';}}");
    check("nginx:b", &two, &["x 1"]);
    check_refused("nginx", &two, &["memcached, b", "nginx:NAME"]);
    check_refused("nginx", "http { }", &["expected one upstream, found none"]);
    check_refused(
        "nginx",
        "upstream a {\n server x backup;\n}",
        &[":2: ", "backup"],
    );
    check_refused(
        "nginx",
        "upstream a {\n server x wait=2;\n}",
        &[":2: ", "\"wait=2\""],
    );
    check_refused(
        "nginx",
        "upstream a {\n server x weight=0;\n}",
        &[":2: ", "weight from 1"],
    );
    check_refused(
        "nginx",
        "upstream a {\n\n server;\n}",
        &[":3: ", "server ADDRESS"],
    );
    check_refused(
        "nginx",
        "upstream a {\n include x;\n}",
        &[":2: ", "include"],
    );
    check_refused(
        "nginx",
        "upstream a {\n server x;\n server x;\n}",
        &[":3: ", "on line 2"],
    );
    check_refused("nginx", "upstream a {\n server x;", &[":1: "]);
    check_refused("nginx", "upstream a {\n server 'x;\n}", &[":2: ", "quote"]);
}

const HAPROXY: &str = "\
global
    daemon
peers mine
    server self 127.0.0.1:1024
defaults
    timeout server 5s
frontend f
    default_backend caches
backend caches
    balance hdr(x-key)
    hash-type consistent
    default-server weight 10 inter 2s
    server c1 10.0.0.1:80 check weight 20
    server c2 10.0.0.2:80 # plain
    server c3 10.0.0.3:80 backup
    server c4 10.0.0.4:80 disabled weight 3
";

#[test]
fn haproxy() {
    check("haproxy", HAPROXY, &["c1 20", "c2 10", "c3 0", "c4 0"]);
    check(
        "haproxy",
        "server a 10.0.0.1:80\nserver b 10.0.0.2:80 weight 2\n",
        &["a 1", "b 2"],
    );
    let two = format!("{HAPROXY}listen l\n  server x h:1\n");
    check("haproxy:l", &two, &["x 1"]);
    check_refused("haproxy", &two, &["caches, l", "haproxy:NAME"]);
    check_refused("haproxy", "global\n", &["found none"]);
    let backend = |line: &str| format!("backend b\n  server a h:1\n  {line}\n");
    check_refused(
        "haproxy",
        &backend("server c h:1 weight 257"),
        &[":3: ", "0 to 256"],
    );
    check_refused(
        "haproxy",
        &backend("server c h:1 weight"),
        &[":3: ", "weight"],
    );
    check_refused(
        "haproxy",
        &backend("server c"),
        &[":3: ", "server NAME ADDRESS"],
    );
    check_refused(
        "haproxy",
        &backend("server \"$N\" h:1"),
        &[":3: ", "quotes"],
    );
    check_refused(
        "haproxy",
        &backend("server-template c 1-3 h:1"),
        &[":3: ", "server-template"],
    );
    check_refused("haproxy", &backend("server a h:2"), &[":3: ", "on line 2"]);
    let defaults = format!("defaults\n  default-server weight 2\n{}", backend(""));
    check_refused("haproxy", &defaults, &[":2: ", "default-server"]);
}

const ENVOY: &str = r#"{
  "cluster_name": "caches",
  "endpoints": [
    {
      "locality": {"region": "r"},
      "lb_endpoints": [
        {"endpoint": {"address": {"socket_address": {"address": "10.0.0.1", "port_value": 80}}}},
        {"endpoint": {"address": {"socket_address": {"address": "::1", "port_value": 80}}, "hostname": "h"},
         "load_balancing_weight": 3},
        {"endpoint": {"address": {"pipe": {"path": "/run/s"}}}, "health_status": "UNHEALTHY"},
        {"endpoint": {"address": {"socket_address": {"address": "10.0.0.4", "port_value": 80}}},
         "metadata": {"filter_metadata": {"envoy.lb": {"hash_key": "four", "canary": true}}}}
      ]
    }
  ]
}
"#;

#[test]
fn envoy() {
    let nodes = ["10.0.0.1:80 1", "[::1]:80 3", "/run/s 0", "four 1"];
    check("envoy", ENVOY, &nodes);
    let camel = ENVOY
        .replace("lb_endpoints", "lbEndpoints")
        .replace("port_value", "portValue")
        .replace("socket_address", "socketAddress")
        .replace("load_balancing_weight", "loadBalancingWeight")
        .replace("filter_metadata", "filterMetadata")
        .replace("health_status", "healthStatus");
    check("envoy:caches", &camel, &nodes);
    let answer = format!("{{\"version_info\": \"0\", \"resources\": [{ENVOY}]}}");
    check("envoy", &answer, &nodes);
    check_refused("envoy:other", ENVOY, &["\"other\"", "caches"]);
    check_refused(
        "envoy",
        &ENVOY.replace("\"hostname\"", "\"hostnam\""),
        &[":8: ", "hostnam"],
    );
    check_refused(
        "envoy",
        &ENVOY.replace(": 3}", ": 0}"),
        &[":9: ", "nonzero"],
    );
    check_refused(
        "envoy",
        &ENVOY.replace("UNHEALTHY", "DEGRADED"),
        &[":10: ", "DEGRADED"],
    );
    let two = ENVOY.replace("\"locality\"", "\"priority\": 1, \"locality\"");
    check_refused("envoy", &two, &[":5: ", "`1`, expected priority 0"]);
    let same = ENVOY.replace("\"10.0.0.1\"", "\"::1\"");
    check_refused("envoy", &same, &["\"[::1]:80\" is there already"]);
    check_refused("envoy", "{\"cluster_name\": \"x\",\n", &[":2: "]);
    check_refused("envoy", "[]", &[":1: "]);
}

#[test]
fn formats_have_names() {
    for (text, word) in [
        ("yaml", "valid are: plain, twemproxy"),
        ("plain:x", "no name of a list"),
    ] {
        let err = text.parse::<NodesFormat>().unwrap_err().to_string();
        assert!(err.contains(word), "{err}");
    }
    for text in ["plain", "nginx:a:b"] {
        assert_eq!(text.parse::<NodesFormat>().unwrap().to_string(), text);
    }
}
