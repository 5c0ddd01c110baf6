//! The one error of the workload: a file or a name that cannot be used.

use std::fmt;

/// A file that cannot be read as asked, or a name that nothing here has.
///
/// Displays as one line that says where, what is wrong and what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    message: Box<str>,
}

impl Error {
    /// An error with this one-line message.
    pub(crate) fn new(message: impl Into<Box<str>>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
