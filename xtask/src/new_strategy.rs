//! `new-strategy-check`: the path of a new strategy, walked on a copy of this checkout.
//!
//! A strategy is made, tested, listed, measured and removed again; a folder that nobody linked and a
//! claim that does not hold must both be refused. The checkout itself is only read.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::{
    files::{copy, read, remove_folder, write},
    run::{Failure, cargo, ending},
};

const NAME: &str = "a-newcomer-with-quite-a-long-name";
const DROPPED_IN: &str = "dropped-in";
const KEPT: [&str; 2] = ["Cargo.lock", "crates/registry/Cargo.toml"];

/// Walks the whole path and stops at the first step that does not end as it should.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let area = target(root).join("new-strategy-check");
    let walk = Walk {
        checkout: area.join("checkout"),
        // Shared, so that what others wrote is not built again; ours lies at other paths there.
        target: target(root),
        report: area.join("report"),
    };
    walk.copy(root)?;
    let before = walk.kept()?;

    walk.refused("xtask new Not_A_Name", "lower-case letters")?;
    walk.refused("xtask new router", "is there already")?;
    walk.refused("xtask new libm", "package in Cargo.lock")?;
    walk.same(&before, "a refused name")?;

    walk.passes(&format!("xtask new {NAME}"))?;
    walk.passes("xtask sync --check")?;
    walk.passes(&format!("fmt --package {NAME} --package registry --check"))?;
    walk.passes(&format!(
        "clippy --package {NAME} --package registry --all-targets --locked -- -D warnings"
    ))?;
    walk.passes(&format!(
        "doc --package {NAME} --package registry --no-deps --locked"
    ))?;
    walk.passes(&format!(
        "test --package {NAME} --package registry --locked"
    ))?;
    walk.listed()?;
    walk.measured()?;

    walk.edit(
        NAME,
        "seeded(key, node.seed)",
        "seeded(&key[..0], node.seed)",
    )?;
    walk.refused(
        "test --package registry --locked",
        &format!("{NAME}: key-bytes: "),
    )?;
    walk.edit(
        NAME,
        "seeded(&key[..0], node.seed)",
        "seeded(key, node.seed)",
    )?;

    walk.drop_in()?;
    walk.refused("check --package registry", "run `cargo xtask sync`")?;
    walk.refused("xtask sync --check", "run `cargo xtask sync`")?;
    walk.remove(DROPPED_IN)?;
    walk.drop_in_renamed()?;
    walk.refused("xtask sync", "has its package's name")?;
    walk.remove("another-name")?;

    walk.remove(NAME)?;
    walk.passes("xtask sync")?;
    walk.same(&before, "a strategy that came and went")?;
    walk.passes("check --package registry --locked")?;
    remove_folder(&walk.checkout)?;
    eprintln!("new-strategy-check: passed");
    Ok(())
}

/// Where cargo builds this workspace.
fn target(root: &Path) -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}

struct Walk {
    checkout: PathBuf,
    target: PathBuf,
    report: PathBuf,
}

impl Walk {
    /// Copies what git tracks or would track, as it stands now.
    fn copy(&self, root: &Path) -> Result<(), Failure> {
        remove_folder(&self.checkout)?;
        let listed = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(root)
            .output()
            .map_err(|err| Failure::new(2, format!("start git: {err}")))?;
        if !listed.status.success() {
            return Err(Failure::new(2, "`git ls-files` failed"));
        }
        for name in listed.stdout.split(|&byte| byte == 0) {
            let name = String::from_utf8_lossy(name);
            let (from, to) = (root.join(&*name), self.checkout.join(&*name));
            // A tracked file may have been deleted; reports are output.
            if name.is_empty() || name.starts_with("reports/") || !from.is_file() {
                continue;
            }
            copy(&from, &to)?;
        }
        Ok(())
    }

    fn cargo(&self, args: &str) -> Result<Output, Failure> {
        eprintln!("new-strategy-check: cargo {args}");
        cargo(&self.checkout)
            .args(args.split(' '))
            .env("CARGO_TARGET_DIR", &self.target)
            .env("RUSTDOCFLAGS", "-D warnings")
            .env("RINGMARK_ONLY", NAME)
            .output()
            .map_err(|err| Failure::new(2, format!("start cargo: {err}")))
    }

    /// Runs a cargo command that must succeed, and returns its standard output.
    fn passes(&self, args: &str) -> Result<String, Failure> {
        let output = self.cargo(args)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        eprint!("{}", shown(&output));
        let ending = ending(output.status);
        Err(Failure::check(format!("failed: `cargo {args}` ({ending})")))
    }

    /// Runs a cargo command that must fail and say `why`.
    fn refused(&self, args: &str, why: &str) -> Result<(), Failure> {
        let output = self.cargo(args)?;
        let shown = shown(&output);
        if output.status.success() {
            return Err(Failure::check(format!(
                "`cargo {args}` succeeded; it should have failed and said {why:?}"
            )));
        }
        if !shown.contains(why) {
            eprint!("{shown}");
            return Err(Failure::check(format!(
                "`cargo {args}` failed, but did not say {why:?}"
            )));
        }
        Ok(())
    }

    fn listed(&self) -> Result<(), Failure> {
        let list = self.passes("run --locked --package bench-harness --bin ringmark -- list")?;
        let named = list
            .lines()
            .filter(|it| it.split_whitespace().next() == Some(NAME));
        match named.count() {
            1 => Ok(()),
            n => Err(Failure::check(format!(
                "`ringmark list` has {NAME} {n} times"
            ))),
        }
    }

    fn measured(&self) -> Result<(), Failure> {
        remove_folder(&self.report)?;
        self.passes(&format!(
            "run --locked --package bench-harness --bin ringmark -- bench --profile quick \
             --only balance --strategy {NAME} --strategy modulo --out ../report"
        ))?;
        let path = self.report.join("data/balance.csv");
        let table = read(&path)?;
        let ok = |row: &&str| row.starts_with(&format!("{NAME},")) && row.contains(",ok,");
        match table.lines().filter(ok).count() {
            0 => Err(Failure::check(format!(
                "no good row of {NAME} in {}",
                path.display()
            ))),
            _ => Ok(()),
        }
    }

    fn edit(&self, krate: &str, from: &str, to: &str) -> Result<(), Failure> {
        let path = self.checkout.join(format!("crates/{krate}/src/lib.rs"));
        let text = read(&path)?;
        if !text.contains(from) {
            return Err(Failure::input(&path, &format!("does not hold {from:?}")));
        }
        write(&path, &text.replace(from, to))
    }

    /// A strategy folder that came from elsewhere, and that nobody linked.
    fn drop_in(&self) -> Result<(), Failure> {
        for file in ["Cargo.toml", "src/lib.rs"] {
            let crates = self.checkout.join("crates");
            let text = read(&crates.join(NAME).join(file))?;
            let text = text.replace(NAME, DROPPED_IN);
            write(&crates.join(DROPPED_IN).join(file), &text)?;
        }
        Ok(())
    }

    /// The same in a folder that is not called as its package is.
    fn drop_in_renamed(&self) -> Result<(), Failure> {
        self.drop_in()?;
        let crates = self.checkout.join("crates");
        let from = crates.join(DROPPED_IN);
        fs::rename(&from, crates.join("another-name"))
            .map_err(|err| Failure::io("rename", &from, &err))
    }

    fn remove(&self, krate: &str) -> Result<(), Failure> {
        remove_folder(&self.checkout.join("crates").join(krate))
    }

    /// The files that sync writes.
    fn kept(&self) -> Result<Vec<String>, Failure> {
        let files = KEPT.into_iter().map(|it| self.checkout.join(it));
        files.map(|path| read(&path)).collect()
    }

    fn same(&self, before: &[String], after: &str) -> Result<(), Failure> {
        if self.kept()? == before {
            return Ok(());
        }
        let files = KEPT.join(" or ");
        Err(Failure::check(format!("{after} left its mark on {files}")))
    }
}

fn shown(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}
