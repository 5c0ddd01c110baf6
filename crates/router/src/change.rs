//! Nodes and changes as a user gives them: by name.

use std::str::FromStr;

use crate::{Error, ErrorKind, check_name};

/// A node to be: a name and a weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeSpec {
    /// Its name, which is its identity.
    pub name: String,
    /// Its weight.
    pub weight: u32,
}

impl NodeSpec {
    /// A node with this name and weight.
    #[must_use]
    pub fn new(name: impl Into<String>, weight: u32) -> Self {
        Self {
            name: name.into(),
            weight,
        }
    }
}

/// A node of weight 1.
impl<S: Into<String>> From<S> for NodeSpec {
    fn from(name: S) -> Self {
        Self::new(name, 1)
    }
}

/// One change of a cluster, as a user gives it.
///
/// Parsed from `+name`, `+name=weight`, `-name`, `=name=weight` or `~old<TAB>new`. The first
/// character decides. After `-` all is name; after `+` and `=` what follows the last `=` is the
/// weight, so a name that contains `=` is always given with its weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A node joins, behind all others.
    Add(NodeSpec),
    /// A node leaves.
    Remove(String),
    /// A node that stays gets another weight.
    SetWeight(NodeSpec),
    /// A node, or a new name for one, takes the place of another in the joining order, with its
    /// weight.
    Replace {
        /// The name that leaves.
        old: String,
        /// The name that takes its place.
        new: String,
    },
}

impl FromStr for Change {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let fault = |expected: &str| {
            Error::new(
                ErrorKind::Syntax,
                format!("change {text:?}: expected {expected}"),
            )
        };
        let mut chars = text.chars();
        let sign = chars.next();
        let rest = chars.as_str();
        let change = match sign {
            Some('+') => Self::Add(match rest.rsplit_once('=') {
                Some((name, weight)) => {
                    NodeSpec::new(name, read_weight(weight).map_err(|it| fault(&it))?)
                }
                None => NodeSpec::from(rest),
            }),
            Some('-') => Self::Remove(rest.to_owned()),
            Some('=') => {
                let (name, weight) = rest.rsplit_once('=').ok_or_else(|| fault("=name=weight"))?;
                Self::SetWeight(NodeSpec::new(
                    name,
                    read_weight(weight).map_err(|it| fault(&it))?,
                ))
            }
            Some('~') => {
                let (old, new) = rest.split_once('\t').ok_or_else(|| fault("~old<TAB>new"))?;
                Self::Replace {
                    old: old.to_owned(),
                    new: new.to_owned(),
                }
            }
            _ => {
                return Err(fault(
                    "+name, +name=weight, -name, =name=weight or ~old<TAB>new",
                ));
            }
        };
        for name in change.names() {
            check_name(name)
                .map_err(|err| Error::new(err.kind(), format!("change {text:?}: {err}")))?;
        }
        Ok(change)
    }
}

impl Change {
    fn names(&self) -> Vec<&str> {
        match self {
            Self::Add(node) | Self::SetWeight(node) => vec![&node.name],
            Self::Remove(name) => vec![name],
            Self::Replace { old, new } => vec![old, new],
        }
    }
}

/// Reads a weight: a whole number from 0 to 4294967295, digits only.
///
/// # Errors
///
/// What was expected, in words, for the caller to say where.
pub(crate) fn read_weight(text: &str) -> Result<u32, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(weight) if digits => Ok(weight),
        _ => Err(format!(
            "a weight from 0 to 4294967295, a whole number, found {text:?}"
        )),
    }
}

impl NodeSpec {
    /// Reads a line of a node file: `name`, or `name<TAB>weight`.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the name or the weight.
    pub fn from_line(line: &str) -> Result<Self, Error> {
        let node = match line.split_once('\t') {
            Some((name, weight)) => Self::new(
                name,
                read_weight(weight).map_err(|expected| {
                    Error::new(
                        ErrorKind::Syntax,
                        format!("node {name:?}: expected {expected}"),
                    )
                })?,
            ),
            None => Self::from(line),
        };
        check_name(&node.name)?;
        Ok(node)
    }
}
