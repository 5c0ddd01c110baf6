//! Ends of the program other than «it was done» (0) and «it could not be done» (2).

use std::fmt;

/// An end with an exit code of its own.
#[derive(Debug)]
pub(crate) struct Exit {
    /// 1 for a failed check, 130 when interrupted.
    pub(crate) code: u8,
    message: String,
}

impl Exit {
    /// A check failed.
    pub(crate) fn failed(message: String) -> Self {
        Self { code: 1, message }
    }

    /// The user interrupted it.
    pub(crate) fn interrupted() -> Self {
        Self {
            code: 130,
            message: "interrupted; nothing was written".to_owned(),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Exit {}
