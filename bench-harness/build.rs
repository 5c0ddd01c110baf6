//! Hands the compiler's version to the program: a report says what it was built with.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("-V").output();
    let version = version.map(|it| String::from_utf8_lossy(&it.stdout).trim().to_owned());
    println!(
        "cargo::rustc-env=RINGMARK_RUSTC={}",
        version.unwrap_or_else(|_| "unknown".to_owned())
    );
}
