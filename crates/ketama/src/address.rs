//! Node names that are addresses, read once for all variants.
//!
//! ```text
//!   cache1            10.0.1.1:11211       a host, with a port or without: memcached's, 11211
//!   [2001:db8::1]:80                       an IPv6 address stands in brackets
//!   cache1/10.0.1.1:11211                  a host and the address that it resolves to
//!   /run/memcached.sock                    a socket's path, also behind `unix:`
//! ```
//!
//! Nothing is looked up and nothing is tidied: upper case and a trailing dot stay, as every client
//! hashes them. What means two things, or what no client takes, is an error that says why.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The port of memcached, which clients leave out or assume.
pub(crate) const DEFAULT_PORT: u16 = 11211;

/// A node name that is an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Address<'a> {
    /// A host.
    Host {
        /// As written, without brackets.
        host: &'a str,
        /// Its IP address, where the name tells.
        ip: Option<IpAddr>,
        /// The port, where the name tells.
        port: Option<u16>,
    },
    /// The path of a socket.
    Path(&'a str),
}

impl<'a> Address<'a> {
    /// Reads a node name.
    ///
    /// # Errors
    ///
    /// Says why it is no address.
    pub(crate) fn parse(name: &'a str) -> Result<Self, String> {
        if name.contains(char::is_whitespace) {
            return Err("an address has no blanks".to_owned());
        }
        let path = name.strip_prefix("unix:").unwrap_or(name);
        if path.starts_with('/') {
            return match path.contains(':') {
                true => Err("a socket's path with a colon reads as an address with a port".into()),
                false => Ok(Self::Path(path)),
            };
        }
        let (host, resolved, port) = split(name)?;
        let ip = match resolved {
            Some(ip) => Some(ip),
            None => ip(host)?,
        };
        Ok(Self::Host { host, ip, port })
    }

    /// The port that a host is reached at.
    pub(crate) fn port(self) -> u16 {
        match self {
            Self::Host { port, .. } => port.unwrap_or(DEFAULT_PORT),
            Self::Path(_) => 0,
        }
    }
}

/// The host alone, if the port is memcached's.
pub(crate) fn without_default_port(host: &str, port: u16) -> String {
    match port {
        DEFAULT_PORT => host.to_owned(),
        port => format!("{host}:{port}"),
    }
}

/// Splits a name into the host as written, the address that it gives for it, and the port.
fn split(name: &str) -> Result<(&str, Option<IpAddr>, Option<u16>), String> {
    if let Some(rest) = name.strip_prefix('[') {
        let (host, rest) = rest
            .split_once(']')
            .ok_or("a bracket that opens an IPv6 address is not closed")?;
        let ip: Ipv6Addr = host
            .parse()
            .map_err(|_| format!("{host:?} in brackets is no IPv6 address"))?;
        return Ok((host, Some(ip.into()), port_behind(rest)?));
    }
    let (host, rest) = name.split_at(name.find([':', '/']).unwrap_or(name.len()));
    if name.matches(':').count() > 1 && !name.contains('[') {
        return Err("an IPv6 address stands in brackets".to_owned());
    }
    if host.is_empty() {
        return Err("the host is missing".to_owned());
    }
    let Some(resolved) = rest.strip_prefix('/') else {
        return Ok((host, None, port_behind(rest)?));
    };
    match Address::parse(resolved)? {
        Address::Host {
            ip: Some(ip), port, ..
        } if !resolved.contains('/') => Ok((host, Some(ip), port)),
        _ => Err("what follows the host and a slash is no IP address".to_owned()),
    }
}

/// Reads what follows a host: nothing, or a colon and a port.
fn port_behind(rest: &str) -> Result<Option<u16>, String> {
    if rest.is_empty() {
        return Ok(None);
    }
    let digits = rest.strip_prefix(':').unwrap_or("");
    match digits.parse() {
        // One way to write a port, so that two names are two addresses.
        Ok(port) if port > 0 && !digits.starts_with(['0', '+']) => Ok(Some(port)),
        _ => Err(format!(
            "{rest:?} behind the host is not a colon and a port"
        )),
    }
}

/// Reads a host that is an IPv4 address.
fn ip(host: &str) -> Result<Option<IpAddr>, String> {
    if host.contains(|c: char| c != '.' && !c.is_ascii_digit()) || !host.contains('.') {
        return Ok(None);
    }
    let ip: Result<Ipv4Addr, _> = host.parse();
    ip.map(|ip| Some(ip.into()))
        .map_err(|_| format!("{host:?} is no IPv4 address in its usual form"))
}
