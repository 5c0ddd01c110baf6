//! Where the output goes: closed pipes, full disks, interrupts; and that it is always the same.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Command, Stdio},
};

use crate::cli::{Files, command, complaints, printed, run};

/// More keys than a pipe and all buffers hold.
fn many_keys() -> String {
    (0..300_000).map(|i| format!("key-{i}\n")).collect()
}

#[test]
fn a_reader_that_has_enough_ends_it_quietly() {
    #[track_caller]
    fn check(mut command: Command) {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut reader = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        reader.read_line(&mut line).expect("there is a line");
        assert!(line.ends_with('\n'), "{line}");
        drop(reader);
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(complaints(&output), "");
        assert_eq!(output.status.code(), Some(0));
    }
    let files = Files::with("a\nb\n", many_keys());
    check(files.route_command("modulo", &[]));
    check(files.route_command("modulo", &["--explain"]));
    check(command([
        "workload", "--seed", "1", "--print", "nodes", "--sizes", "1000000",
    ]));
    let endless = u64::MAX.to_string();
    check(command([
        "workload", "--seed", "1", "--print", "keys", "--n-keys", &endless,
    ]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_in_one_line() {
    #[track_caller]
    fn check(mut command: Command) {
        let full = std::fs::File::create("/dev/full").expect("Linux has it");
        let output = command.stdout(full).output().expect("the program starts");
        let line = complaints(&output);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(
            line.starts_with("ringmark: cannot write to standard output: "),
            "{line}"
        );
        assert_eq!(line.lines().count(), 1, "{line}");
    }
    let files = Files::with("a\nb\n", "x\n");
    check(files.route_command("modulo", &[]));
    check(command(["list"]));
    check(command(["list", "--json"]));
    check(command(["--help"]));
    check(command(["workload", "--seed", "1", "--print", "changes"]));
    files.write("keys", many_keys());
    check(files.route_command("modulo", &[]));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_130() {
    let endless = u64::MAX.to_string();
    let mut child = command([
        "workload", "--seed", "1", "--print", "keys", "--n-keys", &endless,
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("the program starts");
    // Once it prints, it also listens for interrupts; and it waits then, for nobody reads on.
    let stdout = child.stdout.as_mut().expect("it is piped");
    stdout.read_exact(&mut [0]).expect("it prints");
    let kill = format!("kill -INT {}", child.id());
    let killed = Command::new("sh").args(["-c", &kill]).status();
    assert!(killed.expect("there is a shell").success());
    // Not `wait_with_output`, which would read on.
    let status = child.wait().expect("the program ends");
    assert_eq!(status.code(), Some(130));
    let mut line = String::new();
    let stderr = child.stderr.as_mut().expect("it is piped");
    stderr.read_to_string(&mut line).expect("it is text");
    assert_eq!(line, "ringmark: interrupted\n");
}

#[test]
fn ten_processes_print_the_same_bytes() {
    let keys: String = (0..100).map(|i| format!("key-{i}\n")).collect();
    let nodes: String = (0..10).map(|i| format!("10.0.0.{i}:11211\n")).collect();
    let files = Files::with(nodes, keys);
    for strategy in crate::cli::strategies() {
        let first = printed(&files.route(&strategy, &["--explain"]));
        assert_eq!(first.lines().count(), 100);
        for _ in 1..10 {
            let again = printed(&files.route(&strategy, &["--explain"]));
            assert!(
                again == first,
                "{strategy} answers otherwise in another process"
            );
        }
    }
    let list = |what| printed(&run(["workload", "--seed", "5", "--print", what]));
    for what in ["nodes", "keys", "changes"] {
        assert_eq!(list(what), list(what));
    }
}
