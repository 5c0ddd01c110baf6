//! Hash rings in an ordered tree.
