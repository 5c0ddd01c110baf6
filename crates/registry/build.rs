//! Turns the path dependencies on strategy crates into a typed list.
//!
//! It edits no file of the workspace. A folder under `crates/` that is not a dependency yet fails
//! the build with the command that makes it one: no strategy is left out in silence.

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

fn main() {
    if let Err(fault) = generate() {
        println!("cargo::error={fault}");
    }
}

fn generate() -> Result<(), String> {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let crates = here.parent().ok_or("the registry stands in no folder")?;
    println!("cargo::rerun-if-changed={}", crates.display());

    let linked = linked(&here)?;
    let mut missing: Vec<String> = strategies_in(crates)?
        .into_iter()
        .filter(|name| !linked.contains(name))
        .collect();
    missing.sort();
    if !missing.is_empty() {
        return Err(format!(
            "not compared yet: {}; run `cargo xtask sync` (or `just sync`)",
            missing.join(", ")
        ));
    }

    let mut code = String::from(
        "/// Each strategy crate and its strategies, by name of the crate.\n\
         pub static ALL: &[(&str, &[router::Strategy])] = &[\n",
    );
    for name in &linked {
        let krate = name.replace('-', "_");
        let _ = writeln!(code, "    ({name:?}, {krate}::STRATEGIES),");
    }
    code.push_str("];\n");
    let out = Path::new(&variable("OUT_DIR")?).join("registry.rs");
    fs::write(&out, code).map_err(|err| format!("write {}: {err}", out.display()))
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|err| format!("{name}: {err}"))
}

/// The strategy crates that this package depends on by path.
fn linked(here: &Path) -> Result<BTreeSet<String>, String> {
    let own = manifest(&here.join("Cargo.toml"))?;
    let dependencies = own.get("dependencies").and_then(toml::Value::as_table);
    Ok(dependencies
        .into_iter()
        .flatten()
        .filter(|(_, spec)| spec.get("path").is_some())
        .map(|(name, _)| name.clone())
        .collect())
}

/// The packages in the folders of `crates` that are not marked as support crates.
fn strategies_in(crates: &Path) -> Result<Vec<String>, String> {
    let fault = |err| format!("read {}: {err}", crates.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(crates).map_err(fault)? {
        let path = entry.map_err(fault)?.path().join("Cargo.toml");
        if !path.is_file() {
            continue;
        }
        let manifest = manifest(&path)?;
        let package = manifest
            .get("package")
            .ok_or_else(|| format!("{}: no [package]", path.display()))?;
        let role = package
            .get("metadata")
            .and_then(|it| it.get("router"))
            .and_then(|it| it.get("role"))
            .and_then(toml::Value::as_str);
        let name = package
            .get("name")
            .and_then(toml::Value::as_str)
            .ok_or_else(|| format!("{}: no package.name", path.display()))?;
        if role != Some("support") {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn manifest(path: &Path) -> Result<toml::Table, String> {
    let text = fs::read_to_string(path).map_err(|err| format!("read {}: {err}", path.display()))?;
    text.parse()
        .map_err(|err| format!("{}: {err}", path.display()))
}
