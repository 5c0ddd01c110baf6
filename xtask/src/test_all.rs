//! `test-all`: every check and every test, each step announced, the first failing one named.

use std::{path::Path, process::Command};

use crate::{
    run::{Failure, cargo, ending},
    sync::sync,
};

/// The steps after `sync --check`, as one would type them. The features bring the tests with Parquet files, and those against
/// real servers, which say so where a server is not installed.
const STEPS: [&str; 9] = [
    "cargo fmt --all --check",
    "cargo clippy --workspace --all-targets --features bench-harness/live,bench-harness/parquet --locked -- -D warnings",
    "cargo test --workspace --features bench-harness/live,bench-harness/parquet --locked",
    "cargo doc --workspace --no-deps --features bench-harness/live,bench-harness/parquet --locked",
    "rustfmt --check --edition 2024 templates/strategy/src/lib.rs",
    "rustfmt --check --edition 2024 templates/strategy/tests/it/main.rs",
    "cargo fmt --manifest-path xtask/Cargo.toml --check",
    "cargo clippy --manifest-path xtask/Cargo.toml --all-targets --locked -- -D warnings",
    "cargo test --manifest-path xtask/Cargo.toml --locked",
];

/// Runs all steps in order and stops at the first that fails.
pub(crate) fn test_all(root: &Path) -> Result<(), Failure> {
    let n = STEPS.len() + 1;
    // Before any other cargo command, which could mend Cargo.lock and hide that it was stale.
    eprintln!("test-all 1/{n}: cargo xtask sync --check");
    sync(root, true)?;
    for (i, step) in STEPS.into_iter().enumerate() {
        eprintln!("test-all {}/{n}: {step}", i + 2);
        let status = command(root, step)
            .env("RUSTDOCFLAGS", "-D warnings")
            .status()
            .map_err(|err| Failure::new(2, format!("start `{step}`: {err}")))?;
        if !status.success() {
            let ending = ending(status);
            return Err(Failure::check(format!("failed: `{step}` ({ending})")));
        }
    }
    eprintln!("test-all: all {n} steps passed");
    Ok(())
}

fn command(root: &Path, step: &str) -> Command {
    let (program, args) = step.split_once(' ').unwrap_or((step, ""));
    let mut command = if program == "cargo" {
        cargo(root)
    } else {
        let mut command = Command::new(program);
        command.current_dir(root);
        command
    };
    command.args(args.split(' '));
    command
}
