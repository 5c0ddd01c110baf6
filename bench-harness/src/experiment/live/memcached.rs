//! The cache storm with real servers in place of maps.

use std::{borrow::Cow, collections::HashMap, fs, path::Path, time::Duration};

use anyhow::{Context as _, Result};
use memcache::Client;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{Program, Server};
use crate::experiment::{
    Claims, Findings, Setup,
    cache_storm::{Caches, Storm, VALUE, judge},
};

const MEMCACHED: Program = Program {
    name: "memcached",
    package: "memcached",
};

/// Connections to each server: storing many keys waits for as many answers at once.
const CONNECTIONS: u32 = 4;

/// The longest key that the protocol takes.
const MAX_KEY: usize = 250;

/// Runs it.
pub(in crate::experiment) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let storm: Storm = setup.definition.setup();
    let mut claims = Claims::new(setup.definition);
    if let Some(why) = MEMCACHED.absent() {
        for claim in &setup.definition.claims {
            claims.not_checkable(&claim.id, "", &why);
        }
        return Ok(claims.finish(Vec::new(), Vec::new()));
    }
    let mut servers = Servers::default();
    let found = storm.measure(setup, &mut servers)?;
    judge(&mut claims, &storm, &found);
    claims.number("evictions", servers.evictions as f64);
    let keys = storm.keys();
    let refused = keys.keys().iter().filter(|key| is_refused(key)).count();
    claims.number("refused-keys", refused as f64);
    let series = vec![("hits", found.hits), ("missed", found.missed)];
    Ok(claims.finish(series, found.printed))
}

/// Running servers, by the names of the nodes.
#[derive(Default)]
struct Servers {
    running: HashMap<String, (Client, Server)>,
    /// Keys that those which were stopped had evicted.
    evictions: u64,
}

impl Servers {
    fn client(&self, node: &str) -> Result<&Client> {
        let found = self.running.get(node);
        Ok(&found
            .with_context(|| format!("no memcached runs for {node}"))?
            .0)
    }
}

impl Caches for Servers {
    fn start(&mut self, node: &str) -> Result<()> {
        let args = |port: u16, folder: &Path| {
            let options = format!("-l 127.0.0.1 -p {port} -U 0 -m 1024 -M -t 1");
            let mut options: Vec<String> = options.split(' ').map(str::to_owned).collect();
            // As root it wants to be told whom it shall run as.
            if is_root(folder) {
                options.extend(["-u".to_owned(), "root".to_owned()]);
            }
            options
        };
        let (server, client) = Server::start(MEMCACHED, args, connect)
            .with_context(|| format!("memcached for {node}"))?;
        self.running.insert(node.to_owned(), (client, server));
        Ok(())
    }

    fn stop(&mut self, node: &str) -> Result<()> {
        self.evictions += number(self.client(node)?, "evictions")?.unwrap_or(0);
        self.running.remove(node);
        Ok(())
    }

    fn set(&mut self, node: &str, keys: &[&[u8]]) -> Result<()> {
        let client = self.client(node)?;
        let set = |key: &&[u8]| client.set(&wire(key), VALUE, 0);
        let stored = keys.par_iter().with_min_len(32).try_for_each(set);
        stored
            .with_context(|| format!("memcached for {node} ended or failed while keys were stored"))
    }

    fn get(&mut self, node: &str, keys: &[&[u8]]) -> Result<Vec<bool>> {
        let wire: Vec<Cow<'_, str>> = keys.iter().map(|key| wire(key)).collect();
        let asked: Vec<&str> = wire.iter().map(AsRef::as_ref).collect();
        let found = self.client(node)?.gets::<Vec<u8>>(&asked);
        let found = found.with_context(|| {
            format!("memcached for {node} ended or failed while keys were asked")
        })?;
        let has = |key: &&str| found.get(*key).is_some_and(|value| value == VALUE);
        Ok(asked.iter().map(has).collect())
    }
}

/// Connects, and makes sure that it is our server that answers.
fn connect(server: &Server) -> Result<Client> {
    // The binary protocol: this client cannot read statistics in the other one.
    let target = format!("memcache://127.0.0.1:{}", server.port);
    let client = Client::builder().add_server(target);
    let client = client.and_then(|it| {
        let it = it.with_max_pool_size(CONNECTIONS);
        // A server that died is not waited for long.
        it.with_connection_timeout(Duration::from_secs(2)).build()
    });
    let client = client.context("connect")?;
    let pid = number(&client, "pid")?;
    server.check_pid(pid.and_then(|it| it.try_into().ok()))?;
    Ok(client)
}

/// A number that a server's statistics have.
fn number(client: &Client, name: &str) -> Result<Option<u64>> {
    let stats = client.stats().context("memcached: read its statistics")?;
    let value = stats.iter().find_map(|(_, stats)| stats.get(name));
    Ok(value.and_then(|it| it.parse().ok()))
}

/// Whether the protocol takes no such key.
fn is_refused(key: &[u8]) -> bool {
    let plain = |byte: &u8| !byte.is_ascii_whitespace() && !byte.is_ascii_control();
    let text = std::str::from_utf8(key).is_ok();
    key.is_empty() || key.len() > MAX_KEY || !text || !key.iter().all(plain)
}

/// A key as it is sent: itself, or the SHA-256 of it in hex.
fn wire(key: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(key) {
        Ok(text) if !is_refused(key) => Cow::Borrowed(text),
        _ => {
            let digest = Sha256::digest(key);
            Cow::Owned(digest.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    }
}

/// Whether what this program makes belongs to root.
fn is_root(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(folder).is_ok_and(|it| it.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_the_protocol_refuses_are_hashed() {
        let long = [b'x'; 251];
        for key in [&b"a b"[..], b"a\tb", b"a\nb", b"", b"\x7f", b"\xff", &long] {
            assert!(is_refused(key), "{key:?}");
            assert_eq!(wire(key).len(), 64, "{key:?}");
        }
        for key in [&b"user7"[..], "naïve".as_bytes(), &long[1..]] {
            assert!(!is_refused(key), "{key:?}");
            assert_eq!(wire(key).as_bytes(), key);
        }
    }
}
