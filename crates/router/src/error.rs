//! The one error of this crate.

use std::fmt;

/// What kind of thing was refused, where a caller must decide by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A spec, parameter or change that cannot be read or is out of range.
    Syntax,
    /// A name that no node may have.
    Name,
    /// A node that is present already.
    Duplicate,
    /// A node that is not present.
    Unknown,
    /// A removal of another node than the last, from a strategy that is last-in first-out.
    OnlyLast,
    /// A weight other than 1, for a strategy without weights.
    NoWeights,
    /// More nodes, points or table entries than there may be.
    TooLarge,
    /// Members that this strategy cannot serve, for a reason of its own.
    Refused,
}

/// A spec that cannot be built or a change that was refused; nothing was changed.
///
/// Displays as one line that says what is wrong and what was expected.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: Box<str>,
}

impl Error {
    /// An error of this kind with this one-line message.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<Box<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// What kind of thing was refused.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the strategy cannot do this at all, whatever the nodes: a result for a comparison,
    /// not a mistake of the caller.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(self.kind, ErrorKind::OnlyLast | ErrorKind::NoWeights)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
