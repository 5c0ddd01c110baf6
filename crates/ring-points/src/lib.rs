//! The sorted points of a hash ring: weights, tie rule, growth and removal.
