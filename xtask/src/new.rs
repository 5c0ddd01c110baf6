//! `new NAME`: a strategy crate from `templates/strategy`.

use std::path::Path;

use toml_edit::{DocumentMut, Item};

use crate::{
    files::{read, write},
    run::{Failure, cargo, ending},
    sync::sync,
};

const TEMPLATE: &str = "templates/strategy";
const FILES: [&str; 3] = ["Cargo.toml", "src/lib.rs", "tests/it/main.rs"];

/// Makes `crates/NAME`, links it and formats it. A name that cannot be is refused before anything
/// is written.
pub(crate) fn new(root: &Path, name: &str) -> Result<(), Failure> {
    check_spelling(name).map_err(|fault| Failure::new(2, format!("name {name:?} {fault}")))?;
    check_free(root, name)?;
    let folder = root.join("crates").join(name);
    for file in FILES {
        let text = read(&root.join(TEMPLATE).join(file))?;
        write(&folder.join(file), &fill(&text, name))?;
    }
    sync(root, false)?;
    // How long the name is decides where lines break.
    let status = cargo(root)
        .args(["fmt", "--package", name])
        .status()
        .map_err(|err| Failure::new(2, format!("start cargo fmt: {err}")))?;
    if !status.success() {
        return Err(Failure::new(2, format!("cargo fmt: {}", ending(status))));
    }
    eprintln!("crates/{name} is linked and ready: write it in crates/{name}/src/lib.rs,");
    eprintln!("then `cargo test-all` checks it and `cargo bench-all` compares it");
    Ok(())
}

/// The template's text for a crate of this name.
fn fill(text: &str, name: &str) -> String {
    text.replace("strategy-name", name)
        .replace("strategy_name", &name.replace('-', "_"))
}

/// Checks that `name` is lower-case kebab and can be a crate's name.
fn check_spelling(name: &str) -> Result<(), &'static str> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() {
        Err("is empty")
    } else if !name.chars().all(allowed) {
        Err("may hold lower-case letters, digits and dashes only")
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        Err("does not start with a letter")
    } else if name.ends_with('-') || name.contains("--") {
        Err("has a dash that joins nothing")
    } else if name.len() > 40 {
        Err("is longer than 40 letters")
    } else if RESERVED.split_whitespace().any(|it| it == name) {
        Err("is a word of Rust or one of its own crates")
    } else {
        Ok(())
    }
}

/// Keywords of the 2024 edition, words reserved for later, and crates that come with the compiler.
const RESERVED: &str = "\
    abstract alloc as async await become box break const continue core crate do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut override priv proc-macro pub \
    ref return self static std struct super test trait true try type typeof union unsafe unsized use \
    virtual where while yield";

/// Checks that no folder and no package has this name: neither one of this workspace nor one that it
/// depends on, because a second package of that name could not be asked for by name.
fn check_free(root: &Path, name: &str) -> Result<(), Failure> {
    let folder = root.join("crates").join(name);
    if folder.exists() {
        return Err(Failure::new(2, format!("crates/{name} is there already")));
    }
    let path = root.join("Cargo.lock");
    let names = locked(&read(&path)?).ok_or_else(|| Failure::input(&path, "lists no packages"))?;
    if names.iter().any(|it| it == name) {
        return Err(Failure::new(
            2,
            format!("name {name:?} is that of a package in Cargo.lock"),
        ));
    }
    Ok(())
}

/// The names of all packages in a lock file.
fn locked(lock: &str) -> Option<Vec<String>> {
    let doc: DocumentMut = lock.parse().ok()?;
    let packages = doc.get("package")?.as_array_of_tables()?;
    let names = packages
        .iter()
        .filter_map(|it| it.get("name").and_then(Item::as_str));
    Some(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::{FILES, TEMPLATE, check_spelling, fill, locked};
    use crate::root;

    #[track_caller]
    fn check(name: &str, fault: Option<&str>) {
        let found = check_spelling(name).err();
        match fault {
            Some(part) => assert!(
                found.is_some_and(|it| it.contains(part)),
                "{name:?}: {found:?}"
            ),
            None => assert_eq!(found, None, "{name:?}"),
        }
    }

    #[test]
    fn names_are_lower_case_kebab() {
        check("jump", None);
        check("multi-probe", None);
        check("a", None);
        check("maglev2", None);
        check("", Some("empty"));
        check("Jump", Some("lower-case"));
        check("multi_probe", Some("lower-case"));
        check("multi probe", Some("lower-case"));
        check("../jump", Some("lower-case"));
        check("zürich", Some("lower-case"));
        check("2choices", Some("letter"));
        check("-jump", Some("letter"));
        check("jump-", Some("dash"));
        check("multi--probe", Some("dash"));
        check("loop", Some("Rust"));
        check("yield", Some("Rust"));
        check("std", Some("Rust"));
        check(&"a".repeat(41), Some("longer"));
    }

    #[test]
    fn packages_of_a_lock_are_taken() {
        let lock = "version = 4\n[[package]]\nname = \"router\"\n[[package]]\nname = \"libm\"\n";
        assert_eq!(
            locked(lock),
            Some(vec!["router".to_owned(), "libm".to_owned()])
        );
    }

    #[test]
    fn the_template_is_filled_in_wholly() {
        for file in FILES {
            let text = std::fs::read_to_string(root().join(TEMPLATE).join(file)).unwrap();
            let filled = fill(&text, "multi-probe");
            assert_ne!(filled, text, "{file}: it names itself");
            assert!(!filled.contains("strategy-name"), "{file}");
            assert!(!filled.contains("strategy_name"), "{file}");
        }
    }
}
