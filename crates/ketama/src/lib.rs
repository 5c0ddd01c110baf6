//! Ketama: four ring points from every MD5 digest.
