//! Running cargo, and what a verb ends with.

use std::{
    env,
    fmt::Display,
    path::Path,
    process::{Command, ExitStatus},
};

/// Why a verb did not succeed: the exit code, and one line that says it.
///
/// 1 is a failed check, 2 what could not be done.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(crate) fn check(message: impl Into<String>) -> Self {
        Self::new(1, message)
    }

    pub(crate) fn input(path: &Path, fault: &str) -> Self {
        Self::new(2, format!("{}: {fault}", path.display()))
    }

    pub(crate) fn io(verb: &str, path: &Path, err: &dyn Display) -> Self {
        Self::new(2, format!("{verb} {}: {err}", path.display()))
    }
}

/// The cargo that started us, to be run in `folder`.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

/// Builds the program and becomes it: its exit code is ours, and an interrupt reaches it alone.
/// Returns only if that cannot be done.
pub(crate) fn ringmark(root: &Path, verb: &str, args: &[&str]) -> Failure {
    let mut command = cargo(root);
    command
        .args("run --release --locked --package bench-harness --bin ringmark --".split(' '))
        .arg(verb)
        .args(args);
    become_it(command)
}

/// The same for the program of `peers/`, a workspace of its own.
pub(crate) fn peers(root: &Path, verb: &str, args: &[&str]) -> Failure {
    let mut command = cargo(root);
    command
        // Without --locked: its lock file also follows our own crates, a new strategy among them, and
        // rivals have exact versions.
        .args("run --release --manifest-path peers/Cargo.toml --".split(' '))
        .arg(verb)
        .args(args);
    become_it(command)
}

#[cfg(unix)]
fn become_it(mut command: Command) -> Failure {
    use std::os::unix::process::CommandExt as _;
    let err = command.exec();
    Failure::new(2, format!("start cargo: {err}"))
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Failure {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(2)),
        Err(err) => Failure::new(2, format!("start cargo: {err}")),
    }
}

/// How a child ended, in words.
pub(crate) fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}
