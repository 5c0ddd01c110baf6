//! The contract suite: one function that every strategy passes.
