//! Keys, nodes and histories as text: everything that a failure shows stands on one line.

use std::fmt::Write as _;

use crate::{Change, Cluster, NodeId, NodeSpec};

/// A key in quotes, bytes that are no printable ASCII escaped, a long one cut.
pub(super) fn show_key(key: &[u8]) -> String {
    const SHOWN: usize = 40;
    if key.len() <= SHOWN {
        format!("key \"{}\"", key.escape_ascii())
    } else {
        let start = key[..SHOWN].escape_ascii();
        format!("key \"{start}...\" ({} bytes)", key.len())
    }
}

/// Changes as the command line takes them, with a blank between two.
pub(super) fn show_history<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let mut text = String::new();
    for change in changes {
        if !text.is_empty() {
            text.push(' ');
        }
        let _ = match change {
            Change::Add(node) if node.weight == 1 && !node.name.contains('=') => {
                write!(text, "+{}", node.name)
            }
            Change::Add(node) => write!(text, "+{}={}", node.name, node.weight),
            Change::Remove(name) => write!(text, "-{name}"),
            Change::SetWeight(node) => write!(text, "={}={}", node.name, node.weight),
            Change::Replace { old, new } => write!(text, "~{old}<TAB>{new}"),
        };
    }
    text
}

/// The nodes of a cluster, in joining order; all but the first few of many are only counted.
pub(super) fn show_nodes(cluster: &Cluster) -> String {
    const SHOWN: usize = 8;
    let nodes = cluster.nodes();
    let mut text = String::from("nodes");
    for node in nodes.iter().take(SHOWN) {
        let _ = match node.weight {
            1 => write!(text, " {}", node.name),
            weight => write!(text, " {}={weight}", node.name),
        };
    }
    if nodes.len() > SHOWN {
        let _ = write!(text, " and {} more", nodes.len() - SHOWN);
    }
    text
}

/// The name of an owner; a node that is not present by its id.
pub(super) fn show_owner(cluster: &Cluster, owner: Option<NodeId>) -> String {
    match owner {
        None => "nobody".to_owned(),
        Some(id) => match cluster.name(id) {
            Some(name) => name.to_owned(),
            None => format!("node {} (not present)", id.get()),
        },
    }
}

/// The nodes of a cluster as one would list them to build it anew.
pub(super) fn node_specs(cluster: &Cluster) -> Vec<NodeSpec> {
    let nodes = cluster.nodes().iter();
    nodes
        .map(|node| NodeSpec::new(&*node.name, node.weight))
        .collect()
}
