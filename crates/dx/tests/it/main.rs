//! Known answers, the rule written down once more as sets and lists, and keys that draw in vain.
//! What dx has in common with other strategies over buckets is tested in `node-buckets`.

mod draws;
mod owners;
