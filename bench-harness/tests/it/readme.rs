//! What README shows is what there is: its code is the example's, its commands are the program's.

use super::cli::{command, printed};

const README: &str = include_str!("../../../README.md");
const EXAMPLE: &str = include_str!("../../examples/own_strategy.rs");

/// The lines of README's code, without their indentation.
fn code() -> impl Iterator<Item = &'static str> {
    let (_, code) = README.split_once("```rust\n").expect("README has code");
    let (code, _) = code.split_once("\n```").expect("the code ends");
    code.lines().map(str::trim)
}

#[test]
fn the_code_is_the_examples() {
    let mut example = EXAMPLE.lines().map(str::trim);
    for line in code() {
        assert!(
            example.any(|it| it == line),
            "{line:?} is not in own_strategy.rs, or not in this order"
        );
    }
}

/// The commands of README, as words; what a reader may leave out is read as if it stood there.
fn commands() -> impl Iterator<Item = Vec<String>> {
    let lines = README
        .lines()
        .filter_map(|it| it.strip_prefix("    ringmark "));
    lines.map(|line| {
        let line = line.split(" # ").next().unwrap_or(line);
        let line = line.replace(['[', ']'], " ").replace("...", "");
        line.split_whitespace().map(str::to_owned).collect()
    })
}

#[test]
fn the_commands_are_the_programs() {
    let mut n_flags = 0;
    for words in commands() {
        let help = printed(&command([&*words[0], "--help"]).output().unwrap());
        for flag in words.iter().filter(|it| it.starts_with("--")) {
            let flag = flag.split('=').next().unwrap_or(flag);
            let known = help
                .split_whitespace()
                .any(|it| it.trim_end_matches(',') == flag);
            assert!(known, "ringmark {} knows no {flag}", words[0]);
            n_flags += 1;
        }
    }
    assert!(n_flags >= 20, "README shows {n_flags} flags");
}
