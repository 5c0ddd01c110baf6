//! Hash rings in a sorted vector, searched by halving.
