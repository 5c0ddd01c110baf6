//! The harness from outside: its lists, and the program as a person runs it.

/// As in the program, so that memory is measured here too.
#[global_allocator]
static ALLOC: bench_harness::measure::CountingAlloc = bench_harness::measure::CountingAlloc;

#[cfg(feature = "program")]
mod cli;
#[cfg(feature = "program")]
mod cli_bench;
#[cfg(feature = "program")]
mod cli_compat;
#[cfg(feature = "program")]
mod cli_evidence;
mod cli_experiment;
#[cfg(feature = "program")]
mod cli_list;
#[cfg(feature = "program")]
mod cli_output;
#[cfg(feature = "program")]
mod cli_plan;
#[cfg(feature = "program")]
mod cli_plan_parquet;
#[cfg(feature = "program")]
mod cli_race;
#[cfg(feature = "program")]
mod cli_refused;
#[cfg(feature = "program")]
mod cli_route;
#[cfg(feature = "program")]
mod experiment;
#[cfg(feature = "program")]
mod experiment_cascade;
#[cfg(feature = "program")]
mod experiment_frontier;
#[cfg(feature = "program")]
mod experiment_growth;
#[cfg(feature = "program")]
mod experiment_papers;
#[cfg(feature = "program")]
mod experiment_replay;
#[cfg(feature = "program")]
mod experiment_replicas;
#[cfg(feature = "program")]
mod experiment_skew;
#[cfg(feature = "program")]
mod experiment_survey;
#[cfg(feature = "program")]
mod experiment_views;
mod measure;
mod mutants;
#[cfg(feature = "program")]
mod readme;
mod report;
mod report_cited;
mod report_families;
mod report_fixture;
mod report_svg;
mod swap;
mod workload_changes;
mod workload_files;
mod workload_lists;
mod workload_node_formats;
