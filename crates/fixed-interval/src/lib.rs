//! Virtual nodes at fixed intervals of a signed 32-bit range.
