//! Nodes for the crate that borrows them: kept for as long as the program runs, each once.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use router::Node;

use crate::hashing::Tag;

static KEPT: LazyLock<Mutex<HashMap<Tag, &'static Tag>>> = LazyLock::new(Mutex::default);

/// The tag of a node, for ever.
pub(crate) fn kept(node: &Node) -> &'static Tag {
    let tag = Tag::of(node);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(tag).or_insert_with(|| Box::leak(Box::new(tag)))
}
