//! Tests of the contract and of its suite.

mod change;
mod cluster;
mod ids;
mod keys;
mod mutants;
mod node;
mod process;
mod routers;
mod spec;
mod suite;
mod theory;
mod threads;
mod trouble;
mod verdicts;
