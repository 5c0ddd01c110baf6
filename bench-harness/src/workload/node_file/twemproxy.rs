//! twemproxy: pools in YAML, each with `servers:`, a list of `host:port:weight [name]`.

use std::collections::BTreeMap;

use router::NodeSpec;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::{Fault, Listed, choose, weight};

/// What of a pool matters here; its other settings change no name and no weight.
#[derive(Deserialize)]
struct Pool {
    servers: Option<Vec<Spanned<String>>>,
}

/// The port that is left out of names.
const DEFAULT_PORT: &str = "11211";

pub(super) fn list(text: &str, wanted: Option<&str>) -> Result<Vec<Listed>, Fault> {
    let pools: BTreeMap<String, Pool> = serde_saphyr::from_str(text).map_err(|err| {
        let line = err.location().map(|it| it.line());
        Fault {
            line,
            what: err.without_snippet().to_string(),
        }
    })?;
    let pools = pools.into_iter().collect();
    let pool = choose(pools, wanted, ("twemproxy", "pool"))?;
    let servers = pool.servers.unwrap_or_default();
    if servers.is_empty() {
        return Err(Fault::anywhere("expected servers in the pool, found none"));
    }
    let servers = servers.iter().map(|server| {
        let line = server.referenced.line();
        let node = node(&server.value, line)?;
        Ok(Listed::on(line, node))
    });
    servers.collect()
}

/// Reads `host:port:weight [name]` or `/path:weight [name]`.
fn node(text: &str, line: u64) -> Result<NodeSpec, Fault> {
    let fault = || {
        Fault::at(
            line,
            format!(
                "expected host:port:weight or /path:weight, and a name or none, found {text:?}"
            ),
        )
    };
    let mut words = text.split_whitespace();
    let (address, name) = (words.next().ok_or_else(fault)?, words.next());
    if words.next().is_some() {
        return Err(fault());
    }
    let (address, of_weight) = address.rsplit_once(':').ok_or_else(fault)?;
    let weight = weight(of_weight, 0..=i32::MAX.cast_unsigned(), line)?;
    if let Some(name) = name {
        return Ok(NodeSpec::new(name, weight));
    }
    if address.starts_with('/') {
        return Ok(NodeSpec::new(address, weight));
    }
    let (host, port) = address.rsplit_once(':').ok_or_else(fault)?;
    let valid: Option<u16> = port.parse().ok();
    if host.is_empty() || valid.is_none_or(|port| port == 0) {
        return Err(fault());
    }
    Ok(NodeSpec::new(
        match (port, host.contains(':')) {
            (DEFAULT_PORT, false) => host.to_owned(),
            // An IPv6 address would run into its port.
            (_, true) => format!("[{host}]:{port}"),
            _ => address.to_owned(),
        },
        weight,
    ))
}
