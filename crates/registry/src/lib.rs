//! Every strategy that this workspace builds, in a stable order.
//!
//! The list is made at build time from this package's dependencies on the other crates under
//! `crates/`; `cargo xtask sync` keeps those up to date. Nobody edits it by hand, and a folder that
//! is not linked yet is a build error.

include!(concat!(env!("OUT_DIR"), "/registry.rs"));

/// All strategies of all crates: by name of the crate, and within a crate as it lists them.
pub fn strategies() -> impl Iterator<Item = &'static router::Strategy> {
    ALL.iter().flat_map(|(_, strategies)| *strategies)
}

/// A catalog of all strategies, for reading specs.
///
/// # Panics
///
/// When two strategies have one name: the message names both crates.
#[must_use]
pub fn catalog() -> router::Catalog {
    router::Catalog::new(strategies()).unwrap_or_else(|err| panic!("{err}"))
}
