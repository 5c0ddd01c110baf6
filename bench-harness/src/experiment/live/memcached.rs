//! The cache storm with real servers in place of maps.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    time::Duration,
};

use anyhow::{Context as _, Result};
use async_memcached::{AsciiProtocol as _, Client, Error, Status};
use sha2::{Digest as _, Sha256};
use tokio::{runtime, time};

use super::{Program, Server};
use crate::experiment::{
    Claims, Findings, Setup,
    cache_storm::{Caches, Storm, VALUE, judge},
};

const MEMCACHED: Program = Program {
    name: "memcached",
    package: "memcached",
};

/// Keys in one request. The client writes a whole request before it reads the answers, so these must
/// fit between the two: a few kilobytes do.
const AT_ONCE: usize = 512;

/// How long a request may take: a server that stands still is not waited for for ever.
const PATIENCE: Duration = Duration::from_secs(10);

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
    running: HashMap<String, (Connection, Server)>,
    /// Keys that those which were stopped had evicted.
    evictions: u64,
}

impl Servers {
    fn connection(&mut self, node: &str) -> Result<&mut Connection> {
        let found = self.running.get_mut(node);
        Ok(&mut found
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
        let (server, connection) = Server::start(MEMCACHED, args, Connection::to)
            .with_context(|| format!("memcached for {node}"))?;
        self.running.insert(node.to_owned(), (connection, server));
        Ok(())
    }

    fn stop(&mut self, node: &str) -> Result<()> {
        self.evictions += self.connection(node)?.number("evictions")?.unwrap_or(0);
        self.running.remove(node);
        Ok(())
    }

    fn set(&mut self, node: &str, keys: &[&[u8]]) -> Result<()> {
        self.connection(node)?
            .set(keys)
            .with_context(|| format!("memcached for {node} ended or failed while keys were stored"))
    }

    fn get(&mut self, node: &str, keys: &[&[u8]]) -> Result<Vec<bool>> {
        self.connection(node)?
            .get(keys)
            .with_context(|| format!("memcached for {node} ended or failed while keys were asked"))
    }
}

/// A connection to a server. The client is asynchronous; nothing here is done meanwhile.
struct Connection {
    client: Client,
    runtime: runtime::Runtime,
}

impl Connection {
    /// Connects, and makes sure that it is our server that answers.
    fn to(server: &Server) -> Result<Self> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("start what runs a client")?;
        let address = format!("tcp://127.0.0.1:{}", server.port);
        let client = in_time(&runtime, Client::new(address)).context("connect")?;
        let mut connection = Self { client, runtime };
        let pid = connection.number("pid")?;
        server.check_pid(pid.and_then(|it| it.try_into().ok()))?;
        Ok(connection)
    }

    /// A number that the server's statistics have.
    fn number(&mut self, name: &str) -> Result<Option<u64>> {
        let stats = in_time(&self.runtime, self.client.stats());
        let stats = stats.context("memcached: read its statistics")?;
        Ok(stats.get(name).and_then(|it| it.parse().ok()))
    }

    /// Stores keys.
    fn set(&mut self, keys: &[&[u8]]) -> Result<()> {
        for keys in keys.chunks(AT_ONCE) {
            let pairs: Vec<_> = keys.iter().map(|key| (wire(key), VALUE)).collect();
            let stored = in_time(&self.runtime, self.client.set_multi(&pairs, None, None))?;
            for (key, stored) in stored {
                stored.with_context(|| format!("key {:?}", String::from_utf8_lossy(key)))?;
            }
        }
        Ok(())
    }

    /// Which keys it has.
    fn get(&mut self, keys: &[&[u8]]) -> Result<Vec<bool>> {
        let mut has = Vec::with_capacity(keys.len());
        for keys in keys.chunks(AT_ONCE) {
            let asked: Vec<_> = keys.iter().map(|key| wire(key)).collect();
            let found = async {
                match self.client.get_multi(&asked).await {
                    // None of them.
                    Err(Error::Protocol(Status::NotFound)) => Ok(Vec::new()),
                    found => found,
                }
            };
            let found = in_time(&self.runtime, found)?;
            let found: HashSet<Vec<u8>> = found
                .into_iter()
                .filter(|it| it.data.as_deref() == Some(VALUE))
                .map(|it| it.key)
                .collect();
            has.extend(asked.iter().map(|key| found.contains(key.as_ref())));
        }
        Ok(has)
    }
}

/// What a request gets, unless it takes too long.
fn in_time<T>(
    runtime: &runtime::Runtime,
    request: impl Future<Output = Result<T, Error>>,
) -> Result<T> {
    let answer = runtime.block_on(async { time::timeout(PATIENCE, request).await });
    let answer = answer.with_context(|| format!("no answer in {} s", PATIENCE.as_secs()))?;
    Ok(answer?)
}

/// Whether the protocol takes no such key.
fn is_refused(key: &[u8]) -> bool {
    let plain = |byte: &u8| !byte.is_ascii_whitespace() && !byte.is_ascii_control();
    let text = std::str::from_utf8(key).is_ok();
    key.is_empty() || key.len() > MAX_KEY || !text || !key.iter().all(plain)
}

/// A key as it is sent: itself, or the SHA-256 of it in hex.
fn wire(key: &[u8]) -> Cow<'_, [u8]> {
    if !is_refused(key) {
        return Cow::Borrowed(key);
    }
    let digest = Sha256::digest(key);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Cow::Owned(hex.into_bytes())
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
            assert_eq!(*wire(key), *key);
        }
    }
}
