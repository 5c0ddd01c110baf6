//! Puts routing strategies through identical workloads; measures, records and reports.
//!
//! ```text
//!   workload (seeded nodes, keys, changes)     strategies (given by the caller)
//!                       \                       /
//!                        measure  ->  files  ->  report
//!                     experiment  ->
//! ```

pub mod evidence;
pub mod experiment;
pub mod measure;
#[cfg(feature = "program")]
pub mod micro;
#[cfg(feature = "program")]
pub mod program;
pub mod record;
pub mod report;
pub mod workload;
