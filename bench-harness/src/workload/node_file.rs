//! Node files: our own, and the configurations that people already have.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
    io::Read as _,
    path::Path,
    str::FromStr,
};

use router::{NodeSpec, check_name};

use super::{Error, files::BOM, input::Input};

mod envoy;
mod haproxy;
mod nginx;
mod plain;
mod twemproxy;

/// The most bytes that a node file may have: 64 MiB.
pub const MAX_NODE_FILE: u64 = 64 << 20;

/// How a node file is written; parsed from `FORMAT`, or from `FORMAT:NAME` where a configuration has
/// several lists of nodes.
///
/// | format | nodes, in order | name | weight |
/// |---|---|---|---|
/// | `plain` | a line each | before the tab | behind it, else 1 |
/// | `twemproxy` | `servers:` of the pool NAME | the server's own, else `host:port`, `host` alone with port 11211, or the socket's path | the number behind the port |
/// | `nginx` | `server` lines of `upstream NAME` | the address as written | `weight=`, else 1; 0 when `down` |
/// | `haproxy` | `server` lines of `backend NAME` or `listen NAME` | the server's name | `weight`, else that of `default-server`, else 1; 0 when `backup` or `disabled` |
/// | `envoy` | endpoints of the cluster NAME, as JSON | `hash_key` of `envoy.lb`, else `address:port` or the pipe's path | `load_balancing_weight`, else 1; 0 when unhealthy |
///
/// Each is what the program itself takes, and a node of weight 0 is one that it gives no keys. What
/// is not understood and could change a name or a weight is an error with its line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodesFormat {
    kind: Kind,
    /// Which list of the file, where it has several.
    list: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Kind {
    #[default]
    Plain,
    Twemproxy,
    Nginx,
    Haproxy,
    Envoy,
}

impl Kind {
    const ALL: [(&str, Self); 5] = [
        ("plain", Self::Plain),
        ("twemproxy", Self::Twemproxy),
        ("nginx", Self::Nginx),
        ("haproxy", Self::Haproxy),
        ("envoy", Self::Envoy),
    ];
}

impl FromStr for NodesFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, list) = match text.split_once(':') {
            Some((name, list)) => (name, Some(list.to_owned())),
            None => (text, None),
        };
        let kind = Kind::ALL.iter().find(|(it, _)| *it == name);
        match kind {
            Some((_, Kind::Plain)) if list.is_some() => {
                Err(Error::new("format plain: expected no name of a list"))
            }
            Some(&(_, kind)) => Ok(Self { kind, list }),
            None => Err(Error::new(format!(
                "unknown format {name:?}; valid are: {}",
                Kind::ALL.map(|(name, _)| name).join(", ")
            ))),
        }
    }
}

impl fmt::Display for NodesFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Kind::ALL.iter().find(|(_, kind)| *kind == self.kind);
        f.write_str(name.map_or("", |(name, _)| name))?;
        match &self.list {
            Some(list) => write!(f, ":{list}"),
            None => Ok(()),
        }
    }
}

/// A node, and the line that it stands on, where that is known.
struct Listed {
    line: Option<u64>,
    node: NodeSpec,
}

impl Listed {
    fn on(line: u64, node: NodeSpec) -> Self {
        Self {
            line: Some(line),
            node,
        }
    }
}

/// What is wrong, and on which line, where a line can be named.
struct Fault {
    line: Option<u64>,
    what: String,
}

impl Fault {
    fn at(line: u64, what: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            what: what.into(),
        }
    }

    fn anywhere(what: impl Into<String>) -> Self {
        Self {
            line: None,
            what: what.into(),
        }
    }
}

/// Reads a node file: a node a line, `name` or `name<TAB>weight`, in joining order.
///
/// Empty lines and lines that begin with `#` are skipped; a CR at the end of a line and a byte order
/// mark at the beginning of the file are dropped. Every other byte belongs to the name: blanks,
/// colons and brackets too. A file without nodes is legal.
///
/// # Errors
///
/// When there is no such file, it cannot be read or has more than [`MAX_NODE_FILE`] bytes; a name or
/// weight that cannot be, or a name that was there before: with the number of the line.
pub fn read_nodes(path: &Path) -> Result<Vec<NodeSpec>, Error> {
    read_nodes_as(path, &NodesFormat::default())
}

/// Reads a node file of this format, as [`read_nodes`].
///
/// # Errors
///
/// As [`read_nodes`]; when the file has no such list, or several and none was named; and what is not
/// understood, with its line.
pub fn read_nodes_as(path: &Path, format: &NodesFormat) -> Result<Vec<NodeSpec>, Error> {
    let mut input = Input::open(path)?;
    let mut bytes = Vec::new();
    let mut limited = (&mut input.reader).take(MAX_NODE_FILE + 1);
    if let Err(err) = limited.read_to_end(&mut bytes) {
        return Err(input.error(err));
    }
    if bytes.len() as u64 > MAX_NODE_FILE {
        let limit = MAX_NODE_FILE >> 20;
        return Err(input.error(format_args!(
            "expected a node file of at most {limit} MiB, found more"
        )));
    }
    let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    let at = |line: Option<u64>, what: &dyn fmt::Display| match line {
        Some(line) => input.error_at(line, what),
        None => input.error(what),
    };
    let listed = list(text, format).map_err(|fault| at(fault.line, &fault.what))?;
    let mut nodes = Vec::new();
    let mut lines: HashMap<String, Option<u64>> = HashMap::new();
    for Listed { line, node } in listed {
        check_name(&node.name).map_err(|err| at(line, &err))?;
        match lines.entry(node.name.clone()) {
            Entry::Occupied(first) => {
                let first = first.get().map(|it| format!(", on line {it}"));
                let first = first.unwrap_or_default();
                let what = format!("node {:?} is there already{first}", node.name);
                return Err(at(line, &what));
            }
            Entry::Vacant(place) => place.insert(line),
        };
        nodes.push(node);
    }
    Ok(nodes)
}

fn list(text: &[u8], format: &NodesFormat) -> Result<Vec<Listed>, Fault> {
    if format.kind == Kind::Plain {
        return plain::list(text);
    }
    let text = str::from_utf8(text).map_err(|err| {
        let before = &text[..err.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        Fault::at(line, "expected text in UTF-8, found other bytes")
    })?;
    let wanted = format.list.as_deref();
    match format.kind {
        Kind::Plain => unreachable!("it was read above"),
        Kind::Twemproxy => twemproxy::list(text, wanted),
        Kind::Nginx => nginx::list(text, wanted),
        Kind::Haproxy => haproxy::list(text, wanted),
        Kind::Envoy => envoy::list(text, wanted),
    }
}

/// The list that is wanted: the one of that name, or else the only one there is.
fn choose<T>(
    mut lists: Vec<(String, T)>,
    wanted: Option<&str>,
    (format, what): (&str, &str),
) -> Result<T, Fault> {
    let names: Vec<&str> = lists.iter().map(|(name, _)| name.as_str()).collect();
    let place = match wanted {
        Some(wanted) => names.iter().position(|it| *it == wanted).ok_or_else(|| {
            let there = names.join(", ");
            format!("expected one {what} {wanted:?}, found: {there}")
        }),
        None if lists.len() == 1 => Ok(0),
        None if lists.is_empty() => Err(format!("expected one {what}, found none")),
        None => Err(format!(
            "expected one {what}, found {}: choose with --nodes-format {format}:NAME",
            names.join(", ")
        )),
    };
    Ok(lists.swap_remove(place.map_err(Fault::anywhere)?).1)
}

/// A weight: a whole number within `range`, digits only.
fn weight(text: &str, range: std::ops::RangeInclusive<u32>, line: u64) -> Result<u32, Fault> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let weight = text.parse().ok().filter(|it| digits && range.contains(it));
    weight.ok_or_else(|| {
        let (from, to) = (range.start(), range.end());
        Fault::at(
            line,
            format!("expected a weight from {from} to {to}, found {text:?}"),
        )
    })
}
