//! Runs the program as a person would, and what its tests share.

use std::{
    ffi::OsStr,
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread,
};

use tempfile::TempDir;

/// The program with these arguments, not yet started.
pub(crate) fn command<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringmark"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub(crate) fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    command(args).output().expect("the program starts")
}

/// Runs the program with this on its standard input.
pub(crate) fn run_with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    // Beside the reading, so that neither end waits for the other. A program that refuses its input
    // does not read it to the end.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("writing does not panic");
    output
}

/// What the program printed, when it did so without a fault and without a word on standard error.
#[track_caller]
pub(crate) fn printed(output: &Output) -> String {
    assert_eq!(complaints(output), "");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout.clone()).expect("it printed text")
}

/// What the program said on standard error.
pub(crate) fn complaints(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("it complains in text")
}

/// Checks that the program refused: exit 2, nothing on standard output, one line on standard error
/// that contains each of `words`.
#[track_caller]
pub(crate) fn check_refused(output: &Output, words: &[&str]) {
    let line = complaints(output);
    let printed = output.stdout.escape_ascii();
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(output.stdout.is_empty(), "printed {printed}");
    assert!(line.starts_with("ringmark: "), "{line}");
    assert!(line.ends_with('\n') && line.lines().count() == 1, "{line}");
    assert!(!line.trim_end().contains(char::is_control), "{line:?}");
    for word in words {
        assert!(line.contains(word), "{word:?} is not in {line}");
    }
}

/// A folder of files that is removed at its end.
pub(crate) struct Files(TempDir);

impl Files {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room for a folder"))
    }

    /// A folder with the node file `nodes` and the key file `keys`.
    pub(crate) fn with(nodes: impl AsRef<[u8]>, keys: impl AsRef<[u8]>) -> Self {
        let files = Self::new();
        files.write("nodes", nodes);
        files.write("keys", keys);
        files
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), bytes).expect("there is room for a file");
        self.path(name)
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `route` over the files `nodes` and `keys`, with more arguments, not yet started.
    pub(crate) fn route_command(&self, spec: &str, more: &[&str]) -> Command {
        let mut command = command(["route", "--strategy", spec]);
        command.arg("--nodes").arg(self.path("nodes"));
        command.arg("--keys").arg(self.path("keys")).args(more);
        command
    }

    /// Runs `route` over the files `nodes` and `keys`, with more arguments.
    pub(crate) fn route(&self, spec: &str, more: &[&str]) -> Output {
        let mut command = self.route_command(spec, more);
        command.output().expect("the program starts")
    }

    /// Runs `ring` over the file `nodes`.
    pub(crate) fn ring(&self, spec: &str) -> Output {
        let mut command = command(["ring", "--strategy", spec, "--nodes"]);
        let output = command.arg(self.path("nodes")).output();
        output.expect("the program starts")
    }
}

/// The strategies that `list` names.
pub(crate) fn strategies() -> Vec<String> {
    let listed = printed(&run(["list"]));
    let name = |line: &str| {
        line.split(' ')
            .next()
            .expect("a line is not empty")
            .to_owned()
    };
    listed.lines().map(name).collect()
}
