//! Hash rings searched by a linear scan.
