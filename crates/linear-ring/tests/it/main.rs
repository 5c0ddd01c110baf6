//! The scanned rings: what the published programs answer, what theory says, what batches answer.

mod node;
mod ruby;
mod scan;
mod world;
