//! The rings in a tree: what the published programs answer, the article's own rule, the tree.

mod java;
mod text;
mod tree;
mod world;
