//! `sync [--check]`: makes every strategy crate under `crates/` a dependency of the registry.

use std::{collections::BTreeSet, fs, path::Path, process::Stdio};

use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

use crate::{
    files::{read, write},
    run::{Failure, cargo},
};

const REGISTRY: &str = "crates/registry/Cargo.toml";
const HEADING: &str = "\n# Strategy crates. Written by `cargo xtask sync`; do not edit by hand.\n";

/// Brings the registry's dependency list and `Cargo.lock` up to date; with `check` it only asks
/// whether they are.
pub(crate) fn sync(root: &Path, check: bool) -> Result<(), Failure> {
    let wanted = strategy_crates(root)?;
    let path = root.join(REGISTRY);
    let before = read(&path)?;
    let after = with_strategies(&before, &wanted).map_err(|it| Failure::input(&path, &it))?;
    if before != after {
        if check {
            return Err(Failure::check(format!(
                "{REGISTRY} does not list the crates that are there; run `cargo xtask sync` and commit the result"
            )));
        }
        write(&path, &after)?;
        let names = Vec::from_iter(wanted).join(", ");
        eprintln!("{REGISTRY}: now links {names}");
    }
    lock(root, check)
}

/// Lets cargo bring `Cargo.lock` up to date, or only ask whether it is. Of the commands that resolve
/// the whole workspace, `tree` fetches least.
fn lock(root: &Path, check: bool) -> Result<(), Failure> {
    let mut command = cargo(root);
    command
        .args(["tree", "--package", "registry", "--depth", "0"])
        .stdout(Stdio::null());
    if check {
        command.arg("--locked");
    }
    let status = command
        .status()
        .map_err(|err| Failure::new(2, format!("start cargo: {err}")))?;
    if status.success() {
        Ok(())
    } else if check {
        Err(Failure::check(
            "Cargo.lock is out of date, or the workspace does not load; run `cargo xtask sync` and commit the result",
        ))
    } else {
        Err(Failure::new(2, "the workspace does not load"))
    }
}

/// The names of the packages under `crates/` that are not marked as support crates.
pub(crate) fn strategy_crates(root: &Path) -> Result<BTreeSet<String>, Failure> {
    let crates = root.join("crates");
    let mut names = BTreeSet::new();
    let entries = fs::read_dir(&crates).map_err(|err| Failure::io("read", &crates, &err))?;
    for entry in entries {
        let folder = entry
            .map_err(|err| Failure::io("read", &crates, &err))?
            .path();
        let path = folder.join("Cargo.toml");
        if !path.is_file() {
            continue;
        }
        let (name, support) = package(&read(&path)?).map_err(|it| Failure::input(&path, &it))?;
        if folder.file_name().and_then(|it| it.to_str()) != Some(&name) {
            let fault = format!(
                "the package is called {name:?}; a folder under crates/ has its package's name"
            );
            return Err(Failure::input(&path, &fault));
        }
        if !support {
            names.insert(name);
        }
    }
    Ok(names)
}

/// A manifest's package name, and whether it says that it is a support crate.
fn package(manifest: &str) -> Result<(String, bool), String> {
    let doc: DocumentMut = manifest.parse().map_err(one_line)?;
    let package = doc.get("package").ok_or("no [package]")?;
    let name = package
        .get("name")
        .and_then(Item::as_str)
        .ok_or("no package.name")?;
    let role = package
        .get("metadata")
        .and_then(|it| it.get("router"))
        .and_then(|it| it.get("role"))
        .and_then(Item::as_str);
    Ok((name.to_owned(), role == Some("support")))
}

/// The registry's manifest with these strategy crates as its path dependencies, in order and under
/// their heading; all else stays as it is.
fn with_strategies(manifest: &str, wanted: &BTreeSet<String>) -> Result<String, String> {
    let mut doc: DocumentMut = manifest.parse().map_err(one_line)?;
    let table = doc
        .get_mut("dependencies")
        .and_then(Item::as_table_mut)
        .ok_or("no [dependencies]")?;
    let linked: Vec<String> = table
        .iter()
        .filter(|(_, spec)| spec.get("path").is_some())
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in &linked {
        table.remove(name);
    }
    for name in wanted {
        let mut spec = InlineTable::new();
        spec.insert("path", Value::from(format!("../{name}")));
        table.insert(name, Item::Value(Value::InlineTable(spec)));
    }
    if let Some(first) = wanted.first() {
        head(table, first);
    }
    Ok(doc.to_string())
}

fn head(table: &mut Table, first: &str) {
    if let Some(mut key) = table.key_mut(first) {
        key.leaf_decor_mut().set_prefix(HEADING);
    }
}

/// A parser's message, which spans lines, as one line.
fn one_line(err: impl std::fmt::Display) -> String {
    let text = err.to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{package, with_strategies};

    const HEAD: &str = "[dependencies]\nrouter.workspace = true\n";
    const TAIL: &str = "\n[lints]\nworkspace = true\n";
    const HEADING: &str =
        "\n# Strategy crates. Written by `cargo xtask sync`; do not edit by hand.\n";

    #[track_caller]
    fn check(before: &[&str], wanted: &[&str]) {
        let manifest = |names: &[&str]| {
            let mut text = HEAD.to_owned();
            for (i, name) in names.iter().enumerate() {
                let heading = if i == 0 { HEADING } else { "" };
                text += &format!("{heading}{name} = {{ path = \"../{name}\" }}\n");
            }
            text + TAIL
        };
        let wanted_set = wanted.iter().map(|&it| it.to_owned()).collect();
        let after = with_strategies(&manifest(before), &wanted_set).unwrap();
        assert_eq!(after, manifest(wanted));
        assert_eq!(with_strategies(&after, &wanted_set).unwrap(), after);
    }

    #[test]
    fn the_list_is_sorted_and_the_rest_untouched() {
        check(&[], &[]);
        check(&[], &["a", "b"]);
        check(&["b"], &["a", "b", "c"]);
        check(&["a", "b", "c"], &["b"]);
        check(&["b", "a"], &["a", "b"]);
        check(&["a", "b"], &[]);
    }

    #[test]
    fn a_package_is_a_strategy_unless_it_says_otherwise() {
        let marked = "[package]\nname = \"x\"\n[package.metadata.router]\nrole = \"support\"\n";
        assert_eq!(package(marked), Ok(("x".to_owned(), true)));
        assert_eq!(
            package("[package]\nname = \"x\"\n"),
            Ok(("x".to_owned(), false))
        );
        assert!(package("[package]\n").is_err());
        assert!(!package("[package\n").unwrap_err().contains('\n'));
    }
}
