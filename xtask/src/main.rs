//! Repository automation: what the cargo aliases run.

mod files;
mod new;
mod new_strategy;
mod run;
mod sync;
mod test_all;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use run::{Failure, peers, ringmark};

const USAGE: &str = "\
usage: cargo xtask VERB
  sync [--check]          link every strategy crate under crates/, or only ask whether all are
  new NAME                start a strategy crate from templates/strategy
  bench-all [ARGS]        sync, then `ringmark bench ARGS`: compare all strategies
  compare [SIZES] [ARGS]  `ringmark compare --sizes SIZES ARGS`, 40 nodes by default
  bench-peers [ARGS]      `ringmark-peers race ARGS`: race other people's crates against ours
  test-all                all checks and tests
  new-strategy-check      try the path of a new strategy on a copy of this checkout";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match verb(&root(), &args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

fn verb(root: &Path, args: &[String]) -> Result<(), Failure> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["sync"] => sync::sync(root, false),
        ["sync", "--check"] => sync::sync(root, true),
        ["new", name] => new::new(root, name),
        ["bench-all", rest @ ..] => {
            sync::sync(root, false)?;
            Err(ringmark(root, "bench", rest))
        }
        ["compare", rest @ ..] => Err(ringmark(root, "compare", &with_sizes(rest))),
        ["bench-peers", rest @ ..] => Err(peers(root, "race", rest)),
        ["test-all"] => test_all::test_all(root),
        ["new-strategy-check"] => new_strategy::check(root),
        _ => Err(Failure::new(2, USAGE)),
    }
}

/// The arguments of `compare`: sizes that stand first go behind `--sizes`; without any, 40.
fn with_sizes<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let named = |arg: &&str| *arg == "--sizes" || arg.starts_with("--sizes=");
    match args {
        [first, rest @ ..] if first.starts_with(|c: char| c.is_ascii_digit()) => {
            [&["--sizes", *first], rest].concat()
        }
        _ if args.iter().any(named) => args.to_vec(),
        _ => [&["--sizes", "40"], args].concat(),
    }
}

/// The repository: the folder above this package, wherever it stands now.
fn root() -> PathBuf {
    let built_in = || env!("CARGO_MANIFEST_DIR").into();
    let xtask = env::var_os("CARGO_MANIFEST_DIR").map_or_else(built_in, PathBuf::from);
    xtask.parent().expect("xtask stands in the root").to_owned()
}

#[cfg(test)]
mod tests {
    use super::with_sizes;

    #[track_caller]
    fn check(args: &[&str], expected: &[&str]) {
        assert_eq!(with_sizes(args), expected);
    }

    #[test]
    fn a_bare_number_is_the_size() {
        check(&[], &["--sizes", "40"]);
        check(&["100"], &["--sizes", "100"]);
        check(&["10,40"], &["--sizes", "10,40"]);
        check(
            &["40", "--strategy", "modulo"],
            &["--sizes", "40", "--strategy", "modulo"],
        );
        check(
            &["--strategy", "modulo"],
            &["--sizes", "40", "--strategy", "modulo"],
        );
        check(&["--sizes", "7"], &["--sizes", "7"]);
        check(&["--sizes=7"], &["--sizes=7"]);
        check(&["--help"], &["--sizes", "40", "--help"]);
    }
}
