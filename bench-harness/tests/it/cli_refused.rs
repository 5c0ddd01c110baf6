//! What cannot be done: exit 2, one line on standard error, nothing on standard output.

use std::{fs::File, path::Path};

use crate::cli::{Files, check_refused, command, run, run_with_input};

#[test]
fn usage() {
    #[track_caller]
    fn check(args: &[&str], words: &[&str]) {
        check_refused(&run(args), words);
    }
    check(&[], &["requires a subcommand", "route"]);
    check(&["rout"], &["'rout'", "'route'"]);
    check(&["list", "--jso"], &["'--jso'"]);
    check(&["list", "extra"], &["'extra'"]);
    check(
        &["route"],
        &["--strategy <SPEC>", "--nodes <FILE>", "--keys <FILE>"],
    );
    check(&["ring", "--strategy", "modulo"], &["--nodes <FILE>"]);
    check(&["route", "--strategy"], &["--strategy <SPEC>"]);
    check(
        &[
            "ring",
            "--strategy",
            "modulo",
            "--strategy",
            "modulo",
            "--nodes",
            "x",
        ],
        &["--strategy <SPEC>", "multiple times"],
    );
    check(
        &[
            "route",
            "--strategy",
            "modulo",
            "--nodes",
            "-",
            "--keys",
            "-",
        ],
        &["standard input", "not both"],
    );
    check(&["li\nst\u{1b}[31m"], &[]);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let files = Files::with("a\n", "x\n");
    let mut command = files.route_command("modulo", &["--change"]);
    let output = command.arg(OsStr::from_bytes(b"+\xff")).output();
    check_refused(&output.unwrap(), &["UTF-8"]);
}

#[test]
fn specs() {
    let files = Files::with("a\nb\n", "x\n");
    let check = |spec: &str, words: &[&str]| {
        check_refused(&files.route(spec, &[]), words);
        check_refused(&files.ring(spec), words);
    };
    check("", &["unknown strategy \"\"", "modulo"]);
    check(
        "moduloo",
        &["unknown strategy \"moduloo\"", "valid are: ", "modulo"],
    );
    check("Modulo", &["unknown strategy \"Modulo\""]);
    check("a\nb\u{1b}[31m\u{202e}c", &["unknown strategy"]);
    check(
        "modulo:vnodes=3",
        &["modulo:vnodes=3", "unknown parameter \"vnodes\"", "none"],
    );
    check("modulo:", &["modulo:", "param=value"]);
    check(
        "fixed-interval:nodes=3",
        &["unknown parameter \"nodes\"", "vnodes"],
    );
    check("fixed-interval:vnodes", &["param=value", "\"vnodes\""]);
    check(
        "fixed-interval:vnodes=3,vnodes=3",
        &["\"vnodes\" is given twice"],
    );
    check("fixed-interval:vnodes=[3", &["'[' without ']'"]);
    for value in [
        "0",
        "-1",
        "1.5",
        "1e3",
        "",
        "many",
        "4294967295",
        "99999999999999999999",
    ] {
        for strategy in ["fixed-interval", "linear-ring", "vec-ring", "btree-ring"] {
            let spec = format!("{strategy}:vnodes={value}");
            check(&spec, &[&spec, "expected a whole number from 1 to "]);
        }
    }
    check("ketama:points=6", &["ketama:points=6", "a multiple of 4"]);
}

#[test]
fn more_points_than_memory() {
    let files = Files::with("a\t1000000\nb\t1\n", "x\n");
    let check = |spec: &str, words: &[&str]| {
        check_refused(&files.route(spec, &[]), words);
        check_refused(&files.ring(spec), words);
    };
    // (1000000 + 1) * 160 points.
    check("vec-ring:vnodes=160", &["nodes: ", "160000160 points"]);
    check("btree-ring:vnodes=160", &["160000160 points"]);
    check("linear-ring:vnodes=160", &["160000160 points"]);
    files.write("nodes", "a\nb\n");
    check("fixed-interval:vnodes=134217728", &["268435456 points"]);
    files.write("nodes", "a\t4294967295\n");
    // 4294967295 * 134217728 does not fit 32 bits, and hardly 64.
    check("vec-ring:vnodes=134217728", &["576460752169205760 points"]);
}

#[test]
fn files_that_are_none() {
    let files = Files::with("a\n", "x\n");
    let check = |nodes: &Path, keys: &Path, words: &[&str]| {
        let mut command = command(["route", "--strategy", "modulo", "--nodes"]);
        let output = command.arg(nodes).arg("--keys").arg(keys).output();
        check_refused(&output.expect("the program starts"), words);
    };
    let (nodes, keys) = (files.path("nodes"), files.path("keys"));
    let missing = files.path("missing");
    check(&missing, &keys, &["missing: "]);
    check(&nodes, &missing, &["missing: "]);
    let folder = nodes.parent().unwrap();
    check(folder, &keys, &["expected a file, found a directory"]);
    check(&nodes, folder, &["expected a file, found a directory"]);
    check(Path::new(""), &keys, &[]);
    check(&files.path("two\nlines"), &keys, &["two\\nlines: "]);
    check_refused(
        &run(["ring", "--strategy", "modulo", "--nodes", "/missing"]),
        &["/missing: "],
    );
}

#[test]
fn node_files() {
    let files = Files::with("", "x\n");
    let check = |nodes: &[u8], words: &[&str]| {
        files.write("nodes", nodes);
        check_refused(&files.route("vec-ring", &[]), words);
        check_refused(&files.ring("vec-ring"), words);
    };
    let every_byte: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    check(&every_byte, &["nodes:1: "]);
    check(b"a\nb\0c\n", &["nodes:2: ", "control character"]);
    check(b"a\nb\na\n", &["nodes:3: ", "\"a\"", "line 1"]);
    check(b"a\n\t1\n", &["nodes:2: ", "is empty"]);
    check("x".repeat(256).as_bytes(), &["nodes:1: ", "255 bytes"]);
    for weight in [
        "-300",
        "0.5",
        "abc",
        "1e3",
        "",
        "NaN",
        "4294967296",
        "99999999999999999999",
    ] {
        check(
            format!("a\t200\nb\t{weight}\n").as_bytes(),
            &[
                "nodes:2: ",
                "\"b\"",
                "from 0 to 4294967295",
                &format!("{weight:?}"),
            ],
        );
    }
    files.write("nodes", "a\t2\n");
    check_refused(
        &files.route("modulo", &[]),
        &["nodes: ", "\"a\" has weight 2", "modulo"],
    );
    let huge = File::create(files.path("nodes")).unwrap();
    huge.set_len(10 << 30).expect("a file may have a hole");
    check_refused(&files.route("modulo", &[]), &["nodes: ", "at most 64 MiB"]);
}

#[test]
fn keys_that_are_too_long() {
    let files = Files::with("a\n", "");
    let endless = File::create(files.path("keys")).unwrap();
    endless.set_len(10 << 30).expect("a file may have a hole");
    check_refused(&files.route("modulo", &[]), &["keys:1: ", "at most 64 MiB"]);
}

#[test]
fn standard_input() {
    let files = Files::with("a\n", "x\n");
    let keys = files.path("keys");
    let keys = keys.to_str().unwrap();
    let args = [
        "route",
        "--strategy",
        "modulo",
        "--keys",
        keys,
        "--nodes",
        "-",
    ];
    check_refused(
        &run_with_input(&args, b"a\na\n"),
        &["standard input:2: ", "line 1"],
    );
}

#[test]
fn changes() {
    let files = Files::with("a\nb\nc\n", "x\n");
    let check = |changes: &[&str], words: &[&str]| {
        let args: Vec<&str> = changes.iter().flat_map(|&it| ["--change", it]).collect();
        check_refused(&files.route("vec-ring", &args), words);
        let joined: Vec<String> = changes.iter().map(|it| format!("--change={it}")).collect();
        let joined: Vec<&str> = joined.iter().map(String::as_str).collect();
        check_refused(&files.route("vec-ring", &joined), words);
    };
    for unreadable in [
        "", "a", "*a", " +a", "=a", "~a", "~a b", "+a=b", "+a=-1", "=a=1.5", "+", "-", "-a\u{7f}",
    ] {
        check(&[unreadable], &["change "]);
    }
    check(&["+a"], &["change \"+a\"", "\"a\" is present already"]);
    check(&["+a=3"], &["change \"+a=3\"", "present already"]);
    check(&["-ghost"], &["change \"-ghost\"", "no node \"ghost\""]);
    check(&["-a "], &["no node \"a \""]);
    check(&["-a", "-a"], &["change \"-a\"", "no node \"a\""]);
    check(&["=ghost=2"], &["no node \"ghost\""]);
    check(&["~ghost\tx"], &["no node \"ghost\""]);
    check(&["~a\tb"], &["\"b\" is present already"]);
    check(&["+d", "+d"], &["\"d\" is present already"]);
    // A good change before it does not let anything out.
    check(&["-a", "-b", "~c\td", "x"], &["change \"x\""]);
    check_refused(
        &files.route("modulo", &["--change", "=a=2"]),
        &["weight 2", "modulo"],
    );
}

#[test]
fn ring_of_a_strategy_without_points() {
    let files = Files::with("a\n", "");
    check_refused(&files.ring("modulo"), &["modulo has no points"]);
    files.write("nodes", "");
    check_refused(&files.ring("modulo"), &["modulo has no points"]);
}
